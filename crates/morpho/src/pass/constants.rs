//! Constant inputs and constant outputs.

use super::{Rewrite, Rule};
use crate::netlist::{Gate, Wire};

/// Folds constant inputs into the table; a gate whose table is constant becomes a constant.
pub struct Constants;

impl Rule for Constants {
    fn name(&self) -> &'static str {
        "constants"
    }

    fn description(&self) -> &'static str {
        "fold constant inputs into the table, and constant gates into wires"
    }

    fn rewrite(&self, gate: &Gate) -> Rewrite {
        if let Some(value) = gate.lut().constant() {
            return Rewrite::Wire(Wire::constant(value));
        }
        let constant = |(index, wire): (usize, &Wire)| Some((index, wire.as_constant()?));
        match gate.inputs().iter().enumerate().find_map(constant) {
            Some((input, value)) => {
                Rewrite::Gate(gate.without(input, gate.lut().cofactor(input, value)))
            }
            None => Rewrite::Keep,
        }
    }
}
