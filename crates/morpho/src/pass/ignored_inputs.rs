//! Inputs that the output never depends on.

use super::{Rewrite, Rule};
use crate::netlist::Gate;

/// Removes an input that the table ignores.
pub struct IgnoredInputs;

impl Rule for IgnoredInputs {
    fn name(&self) -> &'static str {
        "ignored-inputs"
    }

    fn description(&self) -> &'static str {
        "remove inputs that the output never depends on"
    }

    fn rewrite(&self, gate: &Gate) -> Rewrite {
        let lut = gate.lut();
        match (0..lut.arity()).find(|&input| !lut.depends_on(input)) {
            Some(input) => Rewrite::Gate(gate.without(input, lut.cofactor(input, false))),
            None => Rewrite::Keep,
        }
    }
}
