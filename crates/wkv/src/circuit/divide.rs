//! The quotient of the two weighted sums, in two's complement and saturating.

use morpho::bus::cat;
use morpho::library::adder::ripple_borrows;
use morpho::library::compare::{equal, less_than};
use morpho::library::divider::{any_above, restoring_rows};
use morpho::library::negate::{absolute, conditional_negate_from, increment};
use morpho::{Builder, Bus, Fits, Lut, cell};

use super::WIDTH;
use super::reciprocal::newton_quotient;
use crate::spec::{Division, WkvSpec};

/// Bits of the magnitude of a quotient that fits.
const MAGNITUDE: usize = WIDTH - 1;

/// `sat(numerator 2^F / denominator)`, rounded as `spec` says: `numerator`: \[16\], two's
/// complement; `denominator`: \[16\], unsigned and not 0 -> quotient, two's complement \[16\];
/// whether it saturated \[1\].
///
/// One comparison decides whether the magnitude of the quotient reaches `2^15`: whether the
/// denominator is at most the numerator's bits that stand above it. If not, those bits are the
/// first remainder, and fifteen rows give the rest of the quotient; or a reciprocal gives all of it.
#[cell]
pub fn divide(
    n: &mut Builder,
    numerator: &Bus,
    denominator: &Bus,
    spec: &WkvSpec,
) -> Fits<(Bus, Bus)> {
    let point = spec.format.fraction_bits() as usize;
    let negative = numerator.high_bit()?;
    let magnitude = absolute(n, numerator)?;
    let first_digit = MAGNITUDE - point;
    let digits = cat([Bus::constant(0, point), magnitude.low(first_digit)]);
    let above = magnitude.skip(first_digit);

    let fits = less_than(n, &above.zero_extend(WIDTH), denominator)?;
    let overflow = n.not(&fits)?;
    let (quotient, carry) = match spec.division {
        Division::Newton => (newton_quotient(n, &magnitude, denominator, point)?, Bus::zero()),
        Division::Restoring | Division::Exact => {
            let zeros = any_above(n, denominator)?;
            let (quotient, remainder) = restoring_rows(n, &digits, denominator, &zeros, &above)?;
            if spec.division == Division::Restoring {
                (quotient, Bus::zero())
            } else {
                round(n, &quotient, &remainder.zero_extend(WIDTH), denominator, &negative)?
            }
        }
    };
    let overflow = n.or(&overflow, &carry)?;
    let result = apply_sign(n, &quotient, &negative, &overflow)?;

    let lowest = just_reaches_lowest(n, &above, &digits, denominator, spec)?;
    let rounded_up_to_lowest = n.and(&carry, &fits)?;
    let lowest = n.or(&lowest, &rounded_up_to_lowest)?;
    let exact = n.and(&negative, &lowest)?;
    Ok((result, n.lut(Lut::AND_NOT, &[&overflow, &exact])?))
}

/// Rounding to nearest, halves upward: `quotient`: \[15\], a magnitude rounded down; `remainder`,
/// `denominator`: \[16\]; `negative`: \[1\], the sign -> magnitude \[15\], carry out \[1\].
#[cell]
fn round(
    n: &mut Builder,
    quotient: &Bus,
    remainder: &Bus,
    denominator: &Bus,
    negative: &Bus,
) -> Fits<(Bus, Bus)> {
    let up = more_than_half(n, remainder, denominator, negative)?;
    increment(n, quotient, &up)
}

/// Whether twice `remainder` exceeds `denominator`, or equals it and the number is not
/// `negative` -> \[1\].
#[cell]
fn more_than_half(
    n: &mut Builder,
    remainder: &Bus,
    denominator: &Bus,
    negative: &Bus,
) -> Fits<Bus> {
    let twice = cat([&Bus::zero(), remainder]);
    let equality_counts = n.not(negative)?;
    let denominator = denominator.zero_extend(twice.width());
    ripple_borrows(n, &denominator, &twice, &equality_counts)?.high_bit()
}

/// The number in two's complement, from its sign and magnitude; the nearest that fits on
/// `overflow`: `magnitude`: \[15\], `negative`, `overflow`: \[1\] -> \[16\].
///
/// On overflow the magnitude becomes all ones, and is complemented without the one that negation
/// adds: `0x7fff`, or `0x8000` if negative.
#[cell]
fn apply_sign(n: &mut Builder, magnitude: &Bus, negative: &Bus, overflow: &Bus) -> Fits<Bus> {
    let magnitude = n.or(magnitude, overflow)?;
    conditional_negate_from(n, &magnitude.zero_extend(WIDTH), negative, overflow)
}

/// Whether the magnitude is `2^15` to the bit after rounding, which a negative quotient may be
/// without saturating: `above`, `digits`: the numerator's bits above and below the first digit;
/// `denominator`: \[16\] -> \[1\].
#[cell]
fn just_reaches_lowest(
    n: &mut Builder,
    above: &Bus,
    digits: &Bus,
    denominator: &Bus,
    spec: &WkvSpec,
) -> Fits<Bus> {
    let equals = equal(n, &above.zero_extend(WIDTH), denominator)?;
    let remainder = digits.zero_extend(WIDTH);
    let stays = match spec.division {
        Division::Restoring | Division::Newton => less_than(n, &remainder, denominator)?,
        Division::Exact => {
            let up = more_than_half(n, &remainder, denominator, &Bus::one())?;
            n.not(&up)?
        }
    };
    n.and(&equals, &stays)
}
