//! Carry chains of several bits.

use super::table::rows;
use super::{Cell, Lowered, Outcome};
use crate::format::source::{Cone, Cones, Module, Net};
use crate::lut::Lut;

/// `None` if it is no such cell.
pub(super) fn lower(module: &mut Module, cell: Cell) -> Option<Outcome> {
    match cell.kind() {
        "CARRY4" => Some(of_amd(module, cell, 4)),
        "CARRY8" => Some(of_amd(module, cell, 8)),
        "CCU2C" => Some(of_ecp5(module, cell)),
        _ => None,
    }
}

/// `CARRY4` and `CARRY8`: bit by bit `O = S ^ carry`, and the next carry is the carry where `S` is set,
/// else `DI`.
fn of_amd(module: &mut Module, cell: Cell, width: usize) -> Outcome {
    // The upper half of a `CARRY8` may have a carry of its own.
    if cell.input("CI_TOP")? != Net::constant(false) {
        return Err("is used as two chains".to_string());
    }
    cell.check_pins(["CI", "CYINIT", "CI_TOP", "DI", "S", "O", "CO"])?;
    let mut cones = Cones { module, position: cell.instance.position };
    let carries = [Cone::net(cell.input("CI")?), Cone::net(cell.input("CYINIT")?)];
    let carry = cones.apply(Lut::OR, &carries.each_ref());
    let mut carry = cones.net(&carry);
    for pin in ["DI", "S", "O", "CO"] {
        let found = cell.pin(pin).len();
        if found != width && found != 0 {
            return Err(format!("has {found} bits at its pin `{pin}` of {width}"));
        }
    }
    let position = cell.instance.position;
    let at = |pin: &str, bit: usize| cell.pin(pin).get(bit).copied();
    for bit in 0..width {
        let [data, select] = ["DI", "S"].map(|pin| at(pin, bit).unwrap_or(Net::constant(false)));
        if let Some(output) = at("O", bit) {
            module.gate(Lut::XOR, &[select, carry], output, position);
        }
        let next = at("CO", bit).unwrap_or_else(|| module.net(position));
        module.gate(Lut::MUX, &[select, data, carry], next, position);
        carry = next;
    }
    Ok(Lowered::Logic)
}

/// `CCU2C`: two tables of four inputs and two bits of a carry chain. The low half of each table says
/// whether the carry goes on; where it does not, its lowest quarter is the carry, unless the injection is on.
fn of_ecp5(module: &mut Module, cell: Cell) -> Outcome {
    const PINS: [[&str; 4]; 2] = [["A0", "B0", "C0", "D0"], ["A1", "B1", "C1", "D1"]];
    const OUTPUTS: [&str; 3] = ["S0", "S1", "COUT"];
    cell.check_pins(PINS.into_iter().flatten().chain(["CIN"]).chain(OUTPUTS))?;
    let [s0, s1, cout] = OUTPUTS.map(|output| cell.bit(output));
    let outputs = [s0?, s1?];
    let cin = cell.input("CIN")?;
    let mut cones = Cones { module, position: cell.instance.position };
    let mut carry = Cone::net(cin);
    for (half, pins) in PINS.into_iter().enumerate() {
        let table = rows(&cell.bits(["INIT0", "INIT1"][half]).unwrap_or_default());
        let inject = !cell.is_text(["INJECT1_0", "INJECT1_1"][half], "NO");
        let inputs = pins.map(|pin| cell.input(pin).map(Cone::net));
        let [a, b, c, d] = inputs;
        let inputs = [a?, b?, c?, d?];
        let [a, b, ..] = &inputs;
        let whole = cones.apply(Lut::new(4, table), &inputs.each_ref());
        let low = cones.apply(Lut::new(2, table & 15), &[a, b]);
        let injected = match inject {
            true => Cone::constant(false),
            false => carry.clone(),
        };
        if let Some(output) = outputs[half] {
            let sum = cones.apply(Lut::XOR, &[&whole, &injected]);
            cones.drive(output, &sum);
        }
        let generate = if inject { Cone::constant(false) } else { low };
        let next = cones.apply(Lut::MUX, &[&whole, &generate, &carry]);
        carry = Cone::net(cones.net(&next));
    }
    if let Some(output) = cout? {
        cones.drive(output, &carry);
    }
    Ok(Lowered::Logic)
}
