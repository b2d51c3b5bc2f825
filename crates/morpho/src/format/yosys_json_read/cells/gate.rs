//! Gates of one bit.

use super::{Added, Body, Cell, Refusal};
use crate::format::source::{Net, multiplexer};
use crate::lut::Lut;

/// The function of a gate, by the values of its inputs.
type Function = fn(&[bool]) -> bool;

/// Adds a gate of Yosys, or the carry of an iCE40.
pub(super) fn add(body: &mut Body, cell: &Cell) -> Added {
    fn one<'p>(pins: &'p [&'p str]) -> (&'p [&'p str], &'p str) {
        (pins, "Y")
    }
    let ((pins, output), function): ((&[&str], &str), Function) = match cell.kind() {
        "$_BUF_" => (one(&["A"]), |i| i[0]),
        "$_NOT_" => (one(&["A"]), |i| !i[0]),
        "$_AND_" => (one(&["A", "B"]), |i| i[0] & i[1]),
        "$_NAND_" => (one(&["A", "B"]), |i| !(i[0] & i[1])),
        "$_OR_" => (one(&["A", "B"]), |i| i[0] | i[1]),
        "$_NOR_" => (one(&["A", "B"]), |i| !(i[0] | i[1])),
        "$_XOR_" => (one(&["A", "B"]), |i| i[0] ^ i[1]),
        "$_XNOR_" => (one(&["A", "B"]), |i| i[0] == i[1]),
        "$_ANDNOT_" => (one(&["A", "B"]), |i| i[0] & !i[1]),
        "$_ORNOT_" => (one(&["A", "B"]), |i| i[0] | !i[1]),
        "$_MUX_" => (one(&["A", "B", "S"]), |i| if i[2] { i[1] } else { i[0] }),
        "$_NMUX_" => (one(&["A", "B", "S"]), |i| !if i[2] { i[1] } else { i[0] }),
        "$_AOI3_" => (one(&["A", "B", "C"]), |i| !(i[0] & i[1] | i[2])),
        "$_OAI3_" => (one(&["A", "B", "C"]), |i| !((i[0] | i[1]) & i[2])),
        "$_AOI4_" => (one(&["A", "B", "C", "D"]), |i| !(i[0] & i[1] | i[2] & i[3])),
        "$_OAI4_" => (one(&["A", "B", "C", "D"]), |i| !((i[0] | i[1]) & (i[2] | i[3]))),
        "$_MUX4_" => return choice(body, cell, "ABCD", "ST"),
        "$_MUX8_" => return choice(body, cell, "ABCDEFGH", "STU"),
        "$_MUX16_" => return choice(body, cell, "ABCDEFGHIJKLMNOP", "STUV"),
        "SB_CARRY" => ((&["I0", "I1", "CI"], "CO"), |i| i[0] & i[1] | i[0] & i[2] | i[1] & i[2]),
        _ => return Err(Refusal::Kind),
    };
    let inputs = nets(body, cell, pins.iter().copied())?;
    let output = cell.output(body, output)?;
    let lut = Lut::from_fn(inputs.len(), |row| {
        let values: [bool; Lut::MAX_ARITY] = std::array::from_fn(|input| row >> input & 1 == 1);
        function(&values)
    });
    body.module.gate(lut, &inputs, output, cell.position);
    Ok(())
}

fn nets<'p>(
    body: &mut Body,
    cell: &Cell,
    pins: impl Iterator<Item = &'p str>,
) -> Result<Vec<Net>, Refusal> {
    // Carry inputs that are left open are 0.
    pins.map(|pin| match cell.kind() {
        "SB_CARRY" => cell.input_or(body, pin, false),
        _ => cell.input(body, pin),
    })
    .collect()
}

/// One of several inputs, chosen by a number, its low bit first.
fn choice(body: &mut Body, cell: &Cell, data: &str, selects: &str) -> Added {
    let pins = |letters: &str| letters.chars().map(String::from).collect::<Vec<_>>();
    let (data, selects) = (pins(data), pins(selects));
    let mut parts = nets(body, cell, data.iter().map(String::as_str))?;
    for select in nets(body, cell, selects.iter().map(String::as_str))? {
        let pairs = parts.chunks_exact(2);
        parts = pairs
            .map(|pair| multiplexer(&mut body.module, select, [pair[0], pair[1]], cell.position))
            .collect();
    }
    let output = cell.output(body, "Y")?;
    body.module.alias(output, parts[0], cell.position);
    Ok(())
}
