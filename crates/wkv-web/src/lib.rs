//! The code that the pages run, compiled to WebAssembly.
//!
//! Each page has a module here, a thin one: what it computes is in `morpho`, `wkv` and `rwkv`, the
//! same code that the command line runs. Errors are texts for the reader.

pub mod channel;
pub mod circuit;
pub mod gallery;
pub mod layout;
pub mod model;
pub mod schematic;
