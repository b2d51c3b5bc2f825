//! The exponential of the pipelined step: a table of every fraction.

use morpho::bus::cat;
use morpho::{Builder, Bus, Fits, cell};

use crate::circuit::exp2::exp2_fraction;
use crate::spec::WkvSpec;

/// As the fraction of `exp2neg`, by a table of 16 bits: all factors but 1 lie
/// in `[1/2, 1)`, so the highest bit of a factor is the complement of the next.
#[cell]
pub fn tabulated_fraction(n: &mut Builder, fraction: &Bus, spec: &WkvSpec) -> Fits<Bus> {
    let (bits, _) = exp2_fraction(n, fraction, spec)?.hslice(&Bus::zero())?;
    let one = n.not(&bits.high_bit()?)?;
    Ok(cat([bits, one]))
}
