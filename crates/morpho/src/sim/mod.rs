//! Simulation: many lanes at once, each lane an independent input vector or channel.

mod interpreter;

pub use interpreter::Interpreter;

/// How many rounds an asynchronous loop gets to settle.
pub const SETTLING_ROUNDS: usize = 64;

/// An asynchronous loop that did not settle within [`SETTLING_ROUNDS`] rounds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an asynchronous loop of {gates} gates still changes after {SETTLING_ROUNDS} rounds")]
pub struct Oscillation {
    /// The number of gates in the loop.
    pub gates: usize,
}
