//! The RWKV-v4 attention recurrence: its numerics and its circuits.
//!
//! One [`WkvSpec`] value names a point in the space of fixed-point formats. The integer model
//! ([`fixed`]), the netlist ([`circuit`]) and everything derived from them come from that value.

pub mod arithmetic;
pub mod circuit;
pub mod file;
pub mod fixed;
pub mod float;
pub mod prove;
pub mod range;
pub mod recurrence;
pub mod spec;
pub mod stats;
pub mod synthetic;
pub mod test_bench;
pub mod verify;

pub use arithmetic::Arithmetic;
pub use recurrence::{Numerics, Recurrence};
pub use spec::WkvSpec;
