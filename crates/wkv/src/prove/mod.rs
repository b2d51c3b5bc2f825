//! Proofs about the cell: that it is the composition of its units, and what its state can be.
//!
//! The chain from the numerics to the cell:
//!
//! 1. [`verify`](crate::verify) with [`Effort::Exhaustive`](crate::verify::Effort) shows for each
//!    unit, as [`build`](crate::circuit::build) gives it, that it computes what the integer model
//!    says, for every input that the composition can give it.
//! 2. [`composition`] is the step written as the integer model writes it, with those same units
//!    embedded and wires, gates and one increment between them.
//!    [`composition::prove`] shows by SAT that the cell, as it is built and optimised, equals it
//!    for every input and every state, reachable or not.
//! 3. [`invariants`] shows by SAT what the state can be in a stream: that `bb` is never negative,
//!    which the output of the composition takes for granted, that the denominator is never 0, which
//!    the divider takes for granted, and what the guard of the denominator is worth.
//!
//! [`peer`] proves that a netlist which somebody else built does the same as the cell.
//!
//! That the checks would notice a mistake is shown by [`coverage`]; [`vectors`] gives few inputs
//! that find all there is to find.
//!
//! What is taken on trust: the simulator and the SAT solver; and that the few lines of
//! [`composition`] say what the integer model's [`step`](crate::fixed::Model::step) says.

mod check;
pub mod composition;
pub mod coverage;
pub mod invariants;
pub mod peer;
pub mod stimuli;
mod units;
pub mod vectors;

pub use check::{COMPOSITION, INVARIANTS, check};
pub use composition::{Composition, compose};
