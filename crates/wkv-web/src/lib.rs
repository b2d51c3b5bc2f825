//! The code that the pages run, compiled to WebAssembly.
//!
//! Each page has a module here, a thin one: what it computes is in `morpho`, `wkv` and `rwkv`, the
//! same code that the command line runs. Errors are texts for the reader. The features `circuits`
//! and `model` choose what is compiled.

#[cfg(feature = "circuits")]
pub mod channel;
#[cfg(feature = "circuits")]
pub mod circuit;
#[cfg(feature = "circuits")]
pub mod gallery;
#[cfg(feature = "circuits")]
pub mod layout;
#[cfg(feature = "model")]
pub mod model;
#[cfg(feature = "circuits")]
pub mod schematic;
