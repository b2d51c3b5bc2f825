//! Simulation: many lanes at once, each lane an independent input vector or channel.
//!
//! A [`Program`] is compiled once from a netlist: a straight line of operations of three inputs
//! over numbered slots. A slot holds one wire on a whole block of lanes, one bit per lane, so an
//! operation is a handful of vector instructions; slots are reused as soon as their last reader is
//! done, so that a block stays in the cache. A [`Simulator`] runs a program on any number of
//! lanes, blocks in parallel on all cores.
//!
//! ```
//! use morpho::{Builder, Bus, library::adder::ripple_adder, sim::{Program, Simulator}};
//!
//! let counter = Builder::build("counter", |n| {
//!     let count = n.reg("count", &Bus::constant(0, 8));
//!     let step = n.input("step", 8);
//!     let (next, _) = ripple_adder(n, &count, &step, &Bus::zero())?;
//!     n.drive(&count, &next);
//!     n.output("count", &count);
//!     Ok(())
//! })?;
//! let program = Program::compile(&counter);
//! let (step, count) = (program.input("step").unwrap(), program.output("count").unwrap());
//! let mut simulator = Simulator::new(program, 3);
//! simulator.set(step, &[1u64, 2, 100]);
//! for _ in 0..4 {
//!     simulator.step()?;
//! }
//! assert_eq!(simulator.get::<u64>(count), [3, 6, 300 - 256]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ceiling;
mod decompose;
mod interpreter;
mod kernel;
mod memory;
mod program;
mod simulator;
mod transpose;

pub use interpreter::Interpreter;
pub use kernel::instruction_set;
pub use program::{Input, Output, Program, RegisterPort};
pub use simulator::{Lanes, Simulator};
pub use transpose::Number;

/// How many rounds an asynchronous loop gets to settle.
pub const SETTLING_ROUNDS: usize = 64;

/// An asynchronous loop that did not settle within [`SETTLING_ROUNDS`] rounds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an asynchronous loop of {gates} gates still changes after {SETTLING_ROUNDS} rounds")]
pub struct Oscillation {
    /// The number of gates in the loop.
    pub gates: usize,
}
