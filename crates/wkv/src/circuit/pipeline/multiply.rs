//! The product of the pipelined step for devices with multiplier blocks.

use morpho::library::multiplier::wallace_signed_unsigned;
use morpho::{Builder, Bus, Fits, cell};

use crate::circuit::WIDTH;

/// As [`multiply`](super::super::multiply::multiply), as one product of all bits of the factor, which a
/// block of 18 by 18 bits computes.
#[cell]
pub fn whole_multiply(n: &mut Builder, a: &Bus, e: &Bus) -> Fits<Bus> {
    Ok(wallace_signed_unsigned(n, a, e)?.slice(WIDTH..2 * WIDTH))
}
