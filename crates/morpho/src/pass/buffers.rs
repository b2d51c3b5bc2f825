//! Gates that pass their one input through.

use super::{Rewrite, Rule};
use crate::lut::Lut;
use crate::netlist::Gate;

/// Replaces a buffer by the wire it reads.
pub struct Buffers;

impl Rule for Buffers {
    fn name(&self) -> &'static str {
        "buffers"
    }

    fn description(&self) -> &'static str {
        "replace a gate that passes its input through by that input"
    }

    fn rewrite(&self, gate: &Gate) -> Rewrite {
        match gate.lut() {
            Lut::BUFFER => Rewrite::Wire(gate.inputs()[0]),
            _ => Rewrite::Keep,
        }
    }
}
