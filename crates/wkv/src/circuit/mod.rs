//! Circuits generated from a [`WkvSpec`](crate::WkvSpec): the units, the step, the cell and banks of cells.
//!
//! All of them compute what [`fixed::Model`](crate::fixed::Model) computes, to the bit. Raw
//! numbers are 16 bits in two's complement, low bit first.
//!
//! In each pair of exponentials one factor is exactly 1, because the larger exponent is subtracted
//! from both. So a step needs two `2^-x` units, not four: one for the output and one for the state.
//! And of the two products in each sum, one is by 1: four multipliers do, not eight.

pub mod bank;
pub mod behavioural;
pub mod carry;
pub mod cell;
pub mod divide;
pub mod exp2;
pub mod gates;
pub mod multiply;
pub mod pipeline;
pub mod reciprocal;
pub mod serial;
pub mod shared;
pub mod step;
mod unit;

pub use unit::{
    MAX_CHANNELS, Style, StyleError, Unit, UnitError, UnitGates, build, build_in,
    build_unoptimised, inventory, unit_of, units,
};

/// Bits of a raw number.
pub const WIDTH: usize = 16;

/// Bits of an exponential in Q0.16, which reaches 1.0 and so needs one bit before the point.
pub const FACTOR_WIDTH: usize = 17;
