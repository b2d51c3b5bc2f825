//! Proofs about circuits.
//!
//! [`equivalence`] proves by SAT that two circuits do the same in every clock step, or gives an
//! input on which they differ. [`faults`] and [`mutation`] show that a set of test vectors would
//! find what is wrong, if something was. [`operators`] checks what a circuit claims of its wires.

mod budget;
mod change;
mod counterexample;
mod cut;
pub mod equivalence;
mod exhaust;
pub mod faults;
mod graph;
mod logic;
mod matching;
pub mod mutation;
mod narrow;
pub mod operators;
mod pin;
mod signature;
mod solver;
mod split;
mod sweep;
mod vectors;

pub use budget::{Limits, MOST_EXHAUSTIVE_BITS, Progress, Reason, quiet};
pub use change::Change;
pub use counterexample::Counterexample;
pub use cut::{Cut, CutFinder};
pub use equivalence::{Effort, Equivalence, Proof, Verdict};
pub use matching::with_names_of;
pub use pin::{Pin, PinKind};
pub use vectors::Vectors;

/// Why two circuits cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// A port differs in width, or one circuit has no such port.
    #[error(
        "the {direction} port `{name}` has {left} wires in one circuit and {right} in the other"
    )]
    Port {
        /// Input or output.
        direction: &'static str,
        /// The name of the port.
        name: String,
        /// Its width in the left circuit, 0 if there is none.
        left: usize,
        /// Its width in the right circuit, 0 if there is none.
        right: usize,
    },
    /// A register starts with another value.
    #[error("{pin} starts with different values in the two circuits")]
    Initial {
        /// The register and bit.
        pin: Pin,
    },
    /// A circuit has an asynchronous loop, which has no value of its own in a step.
    #[error("`{circuit}` has an asynchronous loop; only synchronous circuits can be compared")]
    Loop {
        /// The name of the circuit.
        circuit: String,
    },
    /// A circuit has a memory; its words are not compared.
    #[error(
        "`{circuit}` has the memory `{memory}`; only circuits without memories can be compared"
    )]
    Memory {
        /// The name of the circuit.
        circuit: String,
        /// The name of the memory.
        memory: String,
    },
}
