//! The published circuit's figures, to stand beside ours.

use serde::{Deserialize, Serialize};
use wkv::WkvSpec;
use wkv::circuit::Unit;

/// Where the figures come from.
pub const SOURCE: &str = "A. Mordvintsev, “MorphoHDL: a minimalistic language for growing \
circuits” (2026), and its sequential extension";

/// The spec that they are for.
pub const SPEC: &str = "classic:q8.8";

/// The same, parsed.
pub fn spec() -> WkvSpec {
    SPEC.parse().expect("it is a spec")
}

/// The exp2 unit's worst deviation from the true value.
pub const EXP2_WORST_DEVIATION: f64 = 6.5e-5;

/// The size of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Look-up tables of up to four inputs.
    pub gates: usize,
    /// Flip-flops.
    pub registers: usize,
    /// Gates on the longest path.
    pub depth: usize,
}

/// The published size of a unit.
pub fn size(unit: Unit) -> Option<Size> {
    let (gates, registers, depth) = match unit {
        Unit::SaturatingAdd => (52, 0, 19),
        Unit::Compare => (114, 0, 20),
        Unit::Exp2 => (388, 0, 38),
        Unit::Multiplier => (993, 0, 30),
        Unit::Divider => (1_705, 0, 442),
        Unit::Cell => (7_201, 48, 553),
        Unit::Reciprocal
        | Unit::Step
        | Unit::ProbedCell
        | Unit::Bank(_)
        | Unit::Serial(_)
        | Unit::Shared(_) => {
            return None;
        }
    };
    Some(Size { gates, registers, depth })
}
