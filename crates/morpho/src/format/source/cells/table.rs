//! Look-up tables.

use super::gate::function;
use super::{Cell, Lowered, Outcome};
use crate::format::source::{MAX_INPUTS, Module, decompose};
use crate::lut::Lut;

/// Name, inputs, outputs (the one that is connected), and the parameter.
type Table = (&'static str, &'static [&'static str], &'static [&'static str], &'static str);

const LUT_INPUTS: [&str; 6] = ["I0", "I1", "I2", "I3", "I4", "I5"];

const TABLES: [Table; 8] = [
    ("SB_LUT4", LUT_INPUTS.split_at(4).0, &["O"], "LUT_INIT"),
    ("LUT1", LUT_INPUTS.split_at(1).0, &["O", "F"], "INIT"),
    ("LUT2", LUT_INPUTS.split_at(2).0, &["O", "F"], "INIT"),
    ("LUT3", LUT_INPUTS.split_at(3).0, &["O", "F"], "INIT"),
    ("LUT4", LUT_INPUTS.split_at(4).0, &["O", "F"], "INIT"),
    ("LUT5", LUT_INPUTS.split_at(5).0, &["O"], "INIT"),
    ("LUT6", &LUT_INPUTS, &["O"], "INIT"),
    // The one of the ECP5, whose pins have other names.
    ("LUT4", &["A", "B", "C", "D"], &["Z"], "INIT"),
];

/// `None` if it is no such cell.
pub(super) fn lower(module: &mut Module, cell: Cell) -> Option<Outcome> {
    match cell.kind() {
        "$lut" => return Some(of_yosys(module, cell)),
        "LUT6_2" => return Some(two_outputs(module, cell)),
        kind if !kind.contains("LUT") => return None,
        _ => (),
    }
    let connected = |table: &&Table| table.2.iter().any(|output| !cell.pin(output).is_empty());
    let mut named = TABLES.iter().filter(|table| table.0 == cell.kind());
    let &(_, inputs, outputs, parameter) = named.clone().find(connected).or(named.next())?;
    let output = outputs.iter().find(|output| !cell.pin(output).is_empty()).unwrap_or(&outputs[0]);
    let rows = rows(&cell.bits(parameter).unwrap_or_default());
    Some(function(module, cell, inputs, output, rows))
}

/// The lowest 64 bits as rows of a table.
pub(super) fn rows(bits: &[bool]) -> u64 {
    bits.iter().take(64).enumerate().fold(0, |rows, (at, &bit)| rows | u64::from(bit) << at)
}

/// A table of six inputs, and the low half of it, which reads five of them.
fn two_outputs(module: &mut Module, cell: Cell) -> Outcome {
    cell.check_pins(LUT_INPUTS.into_iter().chain(["O5", "O6"]))?;
    let table = rows(&cell.bits("INIT").unwrap_or_default());
    let nets = LUT_INPUTS.iter().map(|input| cell.input(input)).collect::<Result<Vec<_>, _>>()?;
    for (output, width) in [("O5", 5), ("O6", 6)] {
        if let Some(output) = cell.bit(output)? {
            module.gate(Lut::new(width, table), &nets[..width], output, cell.instance.position);
        }
    }
    Ok(Lowered::Logic)
}

/// `$lut`: input `A` of any width.
fn of_yosys(module: &mut Module, cell: Cell) -> Outcome {
    cell.check_pins(["A", "Y"])?;
    let inputs = cell.pin("A");
    if inputs.len() > MAX_INPUTS {
        return Err(format!("has {} inputs; at most {MAX_INPUTS} are read", inputs.len()));
    }
    let Some(bits) = cell.bits("LUT") else {
        return Err("has no bits as its parameter `LUT`".to_string());
    };
    let Some(output) = cell.bit("Y")? else { return Ok(Lowered::Logic) };
    let mut table = vec![0; 1 << inputs.len().saturating_sub(Lut::MAX_ARITY)];
    for (row, _) in bits.iter().take(1 << inputs.len()).enumerate().filter(|(_, bit)| **bit) {
        table[row / 64] |= 1u64 << (row % 64);
    }
    decompose(module, &table, inputs, output, cell.instance.position);
    Ok(Lowered::Logic)
}
