//! The quotient by way of the reciprocal, after Newton and Raphson: a table, a step, a correction.
//!
//! As [`Newton`](crate::fixed::newton::Newton), bit by bit.

use morpho::bus::cat;
use morpho::library::adder::{ripple_adder, ripple_subtractor};
use morpho::library::compare::less_than;
use morpho::library::multiplier::{wallace, wallace_signed_unsigned};
use morpho::library::negate::increment;
use morpho::library::reduce::any;
use morpho::library::shifter::right_shifter;
use morpho::{Builder, Bus, Fits, cell};

use super::WIDTH;
use super::exp2::lookup;
use crate::fixed::newton::{
    CORRECTION_BITS, RECIPROCAL_BITS, SEED_BITS, SEED_INDEX_BITS, STEP_BITS, seeds,
};

/// `2^17 / M`, just below: `divisor`: \[16\], unsigned, not 0, of which `M` in `[1/2, 1)` is the
/// mantissa -> from `2^17` to `2^18`, \[18\]; the place of the divisor's leading one \[4\].
#[cell]
pub fn reciprocal(n: &mut Builder, divisor: &Bus) -> Fits<(Bus, Bus)> {
    let (mantissa, place) = normalise(n, divisor)?;
    let index = mantissa.slice(WIDTH - 1 - SEED_INDEX_BITS..WIDTH - 1);
    let fractions: Vec<i32> = seeds().iter().map(|seed| seed - (1 << SEED_BITS)).collect();
    let seed = cat([lookup(n, &index, &fractions)?.zero_extend(SEED_BITS), Bus::one()]);
    let product = wallace(n, &mantissa, &seed)?;
    let low = WIDTH + SEED_BITS - STEP_BITS;
    let correction = n.not(&product.slice(low..low + CORRECTION_BITS))?;
    let correction = wallace_signed_unsigned(n, &correction, &seed)?
        .skip(SEED_BITS + STEP_BITS - RECIPROCAL_BITS)
        .sign_extend(RECIPROCAL_BITS + 1);
    let seed = cat([Bus::constant(0, RECIPROCAL_BITS - SEED_BITS), seed]);
    let (result, _) = ripple_adder(n, &seed, &correction, &Bus::zero())?;
    Ok((result, place))
}

/// `divisor`: \[16\] -> the same, shifted up until its highest bit is set, \[16\]; the place that bit
/// came from \[4\].
#[cell]
fn normalise(n: &mut Builder, divisor: &Bus) -> Fits<(Bus, Bus)> {
    let (mut mantissa, mut place) = (divisor.clone(), Bus::void());
    for amount in [8, 4, 2, 1] {
        let stays = any(n, &mantissa.skip(WIDTH - amount))?;
        let shifted = cat([Bus::constant(0, amount), mantissa.low(WIDTH - amount)]);
        mantissa = n.select(&stays, &shifted, &mantissa)?;
        place = cat([stays, place]);
    }
    Ok((mantissa, place))
}

/// `floor(magnitude 2^F / divisor)`, if below `2^15`: `magnitude`: \[16\], `divisor`: \[16\], not 0,
/// both unsigned; `point` is `F` -> \[15\].
#[cell]
pub fn newton_quotient(n: &mut Builder, magnitude: &Bus, divisor: &Bus, point: usize) -> Fits<Bus> {
    let (reciprocal, place) = reciprocal(n, divisor)?;
    let product = wallace(n, magnitude, &reciprocal)?.skip(RECIPROCAL_BITS + 1 - point);
    let estimate = right_shifter(n, &product, &place, &Bus::zero())?.low(WIDTH - 1);
    // The remainder is below twice the divisor.
    let width = WIDTH + 1;
    let back = wallace(n, &estimate, divisor)?.low(width);
    let dividend = cat([&Bus::constant(0, point), magnitude]).zero_extend(width);
    let (remainder, _) = ripple_subtractor(n, &dividend, &back, &Bus::zero())?;
    let right = less_than(n, &remainder, &divisor.zero_extend(width))?;
    let short = n.not(&right)?;
    Ok(increment(n, &estimate, &short)?.0)
}
