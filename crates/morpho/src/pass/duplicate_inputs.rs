//! The same wire at two inputs of a gate.

use super::{Rewrite, Rule};
use crate::netlist::Gate;

/// Merges two inputs that read the same wire.
pub struct DuplicateInputs;

impl Rule for DuplicateInputs {
    fn name(&self) -> &'static str {
        "duplicate-inputs"
    }

    fn description(&self) -> &'static str {
        "merge inputs of a gate that read the same wire"
    }

    fn rewrite(&self, gate: &Gate) -> Rewrite {
        let inputs = gate.inputs();
        for drop in 1..inputs.len() {
            if let Some(keep) = inputs[..drop].iter().position(|wire| *wire == inputs[drop]) {
                return Rewrite::Gate(gate.without(drop, gate.lut().identify(keep, drop)));
            }
        }
        Rewrite::Keep
    }
}
