//! From a netlist in a file to a placed and routed design, by the outside tools.
//!
//! [`synthesis::run`] does the whole: a registered [`harness`] around the module, [`yosys`] to map
//! it to the cells of a [`device`], [`nextpnr`] to place and route it once a seed, and [`pack`] for
//! the bitstream. What ran, in which versions, with which arguments, is part of the result.
//!
//! The crate knows nothing of the circuits: it takes Verilog or BLIF.

pub mod absorb;
pub mod device;
pub mod error;
pub mod harness;
pub mod nextpnr;
pub mod pack;
pub mod process;
pub mod synthesis;
pub mod tool;
pub mod yosys;

pub use device::Device;
pub use error::Error;
pub use synthesis::{Request, Synthesis};
