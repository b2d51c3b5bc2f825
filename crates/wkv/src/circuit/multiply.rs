//! A raw number times an exponential.

use morpho::library::multiplier::wallace_signed_unsigned;
use morpho::{Builder, Bus, Fits, cell};

/// `floor(a e / 65536)`: `a`: \[16\], two's complement; `e`: \[17\], Q0.16 in `[0, 65536]` -> \[16\].
///
/// A factor of exactly 1 passes `a` through, so the multiplier takes only the bits after the point.
#[cell]
pub fn multiply(n: &mut Builder, a: &Bus, e: &Bus) -> Fits<Bus> {
    let (fraction, one) = e.hslice(&Bus::zero())?;
    let product = wallace_signed_unsigned(n, a, &fraction)?.skip(fraction.width());
    n.select(&one, &product, a)
}
