//! The bank with one divider for all channels: the [serial cell](super::serial) with a divider beside it.
//!
//! As soon as the numerator and the denominator of a token are there, the divider takes them, one row a
//! clock, and the adder goes on to the next state. The quotient is there before the state is.

use morpho::{Diagnostics, Netlist};

use super::serial::{self, Divider};
use crate::spec::WkvSpec;

/// The bank of `channels` channels, with the ports of the [serial cell](serial::build).
///
/// # Errors
/// If there is no channel.
pub fn build(spec: &WkvSpec, channels: usize) -> Result<Netlist, Diagnostics> {
    serial::build_with(Divider::Beside, spec, channels)
}

/// Clocks from one token to the next, as of the [serial cell](serial::clocks).
pub fn clocks(spec: &WkvSpec) -> usize {
    serial::clocks_with(Divider::Beside, spec)
}
