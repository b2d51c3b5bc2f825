//! Checks of the circuits against the integer model.

use std::ops::ControlFlow;

use crate::circuit::Unit;
use crate::spec::WkvSpec;

/// How much of the input space a check covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// `exp2` over its whole input space, the other units over vectors and streams.
    Vectors,
    /// Every unit whose inputs are at most 33 bits over its whole input space; step and cell over
    /// vectors and streams.
    Exhaustive,
}

/// How a unit was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Every input that the unit can be given.
    Exhaustive,
    /// Chosen and random inputs, rails and ties among them.
    Vectors,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Check {
    /// The unit, as on a command line.
    pub unit: String,
    /// How it was checked.
    pub method: Method,
    /// Inputs that were applied.
    pub cases: u64,
    /// Inputs on which the gates and the integer model differ.
    pub mismatches: u64,
    /// Wall time.
    pub seconds: f64,
    /// The first mismatch, in words.
    pub first_mismatch: Option<String>,
}

/// Checks one unit of `spec`. `progress` is told cases done and cases in all, now and then, from
/// any thread; if it breaks, the check stops and `None` is returned.
pub fn verify(
    spec: &WkvSpec,
    unit: Unit,
    effort: Effort,
    progress: &(dyn Fn(u64, u64) -> ControlFlow<()> + Sync),
) -> Option<Check> {
    let _ = (spec, unit, effort, progress);
    None
}
