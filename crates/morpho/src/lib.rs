//! A hardware language in plain Rust, and its compiler.
//!
//! A circuit is grown by recursion on buses: a [cell](mod@cell) splits its buses, calls itself on the
//! halves, and falls back to another cell where the buses no longer split. What comes out is a
//! [`Netlist`] of look-up tables ([`Lut`]) of up to six inputs and registers, which [`pass`]es
//! make smaller, [`sim`] runs on thousands of lanes at once, and [`format`](mod@format) writes
//! for other tools.
//!
//! ```
//! use morpho::{Builder, Bus, Fits, Lut, bus::cat, cell, pass};
//!
//! /// One bit of a sum: `a`, `b`, `carry`: \[1\] -> sum \[1\], carry out \[1\].
//! #[cell]
//! fn full_adder(n: &mut Builder, a: &Bus, b: &Bus, carry: &Bus) -> Fits<(Bus, Bus)> {
//!     Ok((n.lut(Lut::XOR3, &[a, b, carry])?, n.lut(Lut::MAJORITY, &[a, b, carry])?))
//! }
//!
//! /// Ripple-carry addition: `a`, `b`: \[N\], `carry`: \[1\] -> sum \[N\], carry out \[1\].
//! #[cell(fallback = full_adder)]
//! fn ripple_adder(n: &mut Builder, a: &Bus, b: &Bus, carry: &Bus) -> Fits<(Bus, Bus)> {
//!     let ((a0, a1), (b0, b1)) = (a.split()?, b.split()?);
//!     let (s0, middle) = ripple_adder(n, &a0, &b0, carry)?;
//!     let (s1, out) = ripple_adder(n, &a1, &b1, &middle)?;
//!     Ok((cat([s0, s1]), out))
//! }
//!
//! let mut adder = Builder::build("adder", |n| {
//!     let (a, b, carry) = (n.input("a", 16), n.input("b", 16), n.input("carry", 1));
//!     let (sum, out) = ripple_adder(n, &a, &b, &carry)?;
//!     n.output("sum", &sum);
//!     n.output("out", &out);
//!     Ok(())
//! })?;
//! pass::optimise(&mut adder);
//! assert_eq!((adder.gates().count(), adder.depth()), (32, 16));
//! # Ok::<(), morpho::Diagnostics>(())
//! ```

#[cfg(doctest)]
#[doc = include_str!("../../../docs/language.md")]
struct LanguageGuide;

// The `cell` attribute writes paths that start with `::morpho`, in this crate too.
extern crate self as morpho;

pub mod builder;
pub mod bus;
pub mod cell;
pub mod composition;
pub mod diagnostic;
pub mod format;
pub mod graph;
pub mod hierarchy;
pub mod library;
pub mod lut;
pub mod memory;
pub mod netlist;
pub mod operator;
pub mod pass;
pub mod pipeline;
pub mod prove;
pub mod random;
pub mod signal;
pub mod sim;

pub use builder::Builder;
pub use bus::Bus;
pub use cell::{Cell, Fits, Misfit};
pub use diagnostic::{Diagnostic, Diagnostics};
pub use hierarchy::{Hierarchy, Instance};
pub use lut::Lut;
pub use memory::Memory;
pub use morpho_macros::cell;
pub use netlist::{Gate, Netlist, Node, Port, Register, RegisterBit, Wire};
pub use signal::Signal;
