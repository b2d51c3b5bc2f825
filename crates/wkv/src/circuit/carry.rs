//! The cell for devices with carry chains: the same numbers from adders instead of compressors.
//!
//! On such a device an adder takes one logic cell a bit, and its carry a tenth of the time of a
//! look-up table. So products become rows that adders sum in a tree, the division decides two bits
//! of the quotient a row by three subtractions side by side, and absolute values are sums. Each cell
//! here stands in for one of the same arguments; [`with_carry_chains`] substitutes them all.
//!
//! The divider relies on what holds in every stream with `w <= 0`: from the first token on `bb` is at
//! least 1, as one of the two weights always is. Then the denominator is above 1, and the quotient
//! needs no saturation.

use morpho::bus::cat;
use morpho::library::adder::{ripple_adder, ripple_subtractor};
use morpho::library::argument::{A, B, C, D};
use morpho::library::compare::MaximumAndDistance;
use morpho::library::divider::any_above;
use morpho::{Builder, Bus, Fits, Lut, cell};

use super::WIDTH;
use super::divide::{Divide, divide};
use super::multiply::Multiply;
use super::step::WeightedSum;
use crate::spec::{Division, WkvSpec};

/// Grows a circuit with the cells of this file in the place of those that they are like.
pub fn with_carry_chains<T>(n: &mut Builder, grow: impl FnOnce(&mut Builder) -> T) -> T {
    with_carry_sums(n, |n| n.substitute::<Divide, RadixFourDivide, _>(grow))
}

/// As [`with_carry_chains`], but for the division.
pub fn with_carry_sums<T>(n: &mut Builder, grow: impl FnOnce(&mut Builder) -> T) -> T {
    n.substitute::<MaximumAndDistance, CarryMaximumAndDistance, _>(|n| {
        n.substitute::<Multiply, DigitMultiply, _>(|n| {
            n.substitute::<WeightedSum, DigitWeightedSum, _>(grow)
        })
    })
}

/// As [`maximum_and_distance`](morpho::library::compare::maximum_and_distance), by `a - b` and
/// `a - b - 1`: the complement of the latter is `b - a`.
#[cell]
pub fn carry_maximum_and_distance(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<(Bus, Bus, Bus)> {
    let ((a0, a1), (b0, b1)) = (a.hslice(&Bus::zero())?, b.hslice(&Bus::zero())?);
    // The high bits count negative, so they change places.
    let (x, y) = (cat([&a0, &b1]), cat([&b0, &a1]));
    let (forward, less) = ripple_subtractor(n, &x, &y, &Bus::zero())?;
    let complement = n.not(&y)?;
    let (backward, _) = ripple_adder(n, &x, &complement, &Bus::zero())?;
    let distance = n.lut(SELECT_COMPLEMENT, &[&less, &forward, &backward])?;
    Ok((n.select(&less, a, b)?, distance, less))
}

/// Arguments `select`, `zero`, `one`: `zero`, or the complement of `one`.
const SELECT_COMPLEMENT: Lut = Lut::new(3, A & !C | !A & B);

/// Arguments `low`, `high`, `bit`, `below`: a bit of the row of a digit `high low` that stands for -1
/// to 2: of the complement, 0, the factor itself, and the factor one place up.
const ROW: Lut = Lut::new(4, !A & (B & C | !B & !C) | A & B & D);

/// As [`multiply`](super::multiply::multiply), for an `a` that is not negative.
///
/// `a + 0x5555` has in each pair of bits a digit of `a` to the base 4, counted from -1 to 2. A row,
/// one look-up table a bit, is the factor times a digit, less one where the digit is negative. Ones
/// for these go where the next sum has no other bit.
#[cell]
pub fn digit_multiply(n: &mut Builder, a: &Bus, e: &Bus) -> Fits<Bus> {
    let (product, _) = product_of_digits(n, a, e)?;
    Ok(product.slice(WIDTH..2 * WIDTH))
}

/// As [`weighted_sum`](super::step::weighted_sum), by rows of digits as [`digit_multiply`].
#[cell]
pub fn digit_weighted_sum(
    n: &mut Builder,
    whole: &Bus,
    other: &Bus,
    factor: &Bus,
) -> Fits<(Bus, Bus)> {
    let (product, missing) = product_of_digits(n, other, factor)?;
    let product = product.skip(TOP);
    let whole = cat([&missing, &Bus::zero(), whole]).sign_extend(product.width());
    let (sum, _) = ripple_adder(n, &product, &whole, &Bus::zero())?;
    let sum = sum.skip(WIDTH - TOP);
    let (bits, signs) = (sum.low(WIDTH - 1), sum.skip(WIDTH - 1));
    let (high, sign) = (signs.bit(0)?, signs.bit(1)?);
    let overflow = n.xor(&high, &sign)?;
    let bits = n.lut(SATURATE, &[&high, &sign, &bits])?;
    Ok((cat([&bits, &sign]), overflow))
}

/// Arguments `high`, `sign`, `bit`: the bit of a sum, or of the limit where its two high bits differ.
const SATURATE: Lut = Lut::new(3, (A ^ B) & !B | !(A ^ B) & C);

/// Where the highest digit of a factor of 16 bits stands.
const TOP: usize = WIDTH - 2;

/// `a`: \[16\], two's complement, times `e`: \[17\] -> product less `missing` `2^14`, two's
/// complement \[33\]; `missing` \[1\], 0 if `a` is not negative.
#[cell]
fn product_of_digits(n: &mut Builder, a: &Bus, e: &Bus) -> Fits<(Bus, Bus)> {
    let offset = Bus::constant(0x1555, WIDTH + 1);
    let (digits, _) = ripple_adder(n, &a.sign_extend(WIDTH + 1), &offset, &Bus::zero())?;
    let (mut rows, mut negative) = (Vec::new(), Vec::new());
    let (bits, below) = (e.zero_extend(e.width() + 1), cat([&Bus::zero(), e]));
    for place in (0..TOP).step_by(2) {
        let (low, high) = (digits.bit(place)?, digits.bit(place + 1)?);
        let row = n.lut(ROW, &[&low, &high, &bits, &below])?;
        let is_negative = n.lut(Lut::NOR, &[&low, &high])?;
        rows.push(cat([&row, &is_negative]));
        negative.push(is_negative);
    }
    // The highest digit is from -2 to 2, in two's complement.
    let (low, middle, sign) = (digits.bit(TOP)?, digits.bit(TOP + 1)?, digits.bit(TOP + 2)?);
    let twice = n.lut(Lut::AND_NOT, &[&middle, &low])?;
    let magnitude = {
        let once = n.and(&bits, &low)?;
        let doubled = n.and(&below, &twice)?;
        n.or(&once, &doubled)?
    };
    let row = n.xor(&magnitude, &sign)?;
    rows.push(cat([&row, &sign]));
    negative.push(sign);

    let mut shift = 2;
    while rows.len() > 1 {
        let pairs = rows.chunks(2).enumerate();
        let sums = pairs.map(|(index, pair)| {
            let one = &negative[index * shift + shift / 2 - 1];
            add_shifted(n, &pair[0], &pair[1], shift, one)
        });
        rows = sums.collect::<Fits<_>>()?;
        shift *= 2;
    }
    Ok((rows.remove(0), negative[TOP / 2].clone()))
}

/// `low + 2^shift high + 2^(shift - 2) one`: `low`, `high` in two's complement, `one`: \[1\].
fn add_shifted(n: &mut Builder, low: &Bus, high: &Bus, shift: usize, one: &Bus) -> Fits<Bus> {
    let width = (low.width().max(high.width() + shift) + 1).min(PRODUCT);
    let (low, free) = (low.sign_extend(width), shift - 2);
    let high = cat([one, &Bus::zero(), high]).sign_extend(width - free);
    let (sum, _) = ripple_adder(n, &low.skip(free), &high, &Bus::zero())?;
    Ok(cat([low.low(free), sum]))
}

/// Bits of a product before the last correction.
const PRODUCT: usize = 2 * WIDTH + 1;

/// As [`super::divide::divide`] for a restoring division by a denominator above 1. Without the
/// guard a quotient may need all 16 bits, and is left to `divide`.
///
/// One row decides the highest bit of the quotient, and each of the others two bits.
#[cell]
pub fn radix_four_divide(
    n: &mut Builder,
    numerator: &Bus,
    denominator: &Bus,
    spec: &WkvSpec,
) -> Fits<(Bus, Bus)> {
    if spec.division != Division::Restoring || !spec.guard {
        return divide(n, numerator, denominator, spec);
    }
    let point = spec.format.fraction_bits() as usize;
    let negative = numerator.high_bit()?;
    let flipped = n.xor(numerator, &negative)?;
    let (magnitude, _) = ripple_adder(n, &flipped, &Bus::constant(0, WIDTH), &negative)?;
    let first_digit = WIDTH - 1 - point;
    let digits = cat([Bus::constant(0, point), magnitude.low(first_digit)]);

    let multiples = Multiples::of(n, denominator)?;
    let (highest, mut remainder) =
        multiples.row_of_one(n, &digits.bit(WIDTH - 2)?, &magnitude.skip(first_digit))?;
    let mut quotient = highest;
    let mut last = None;
    for place in (0..WIDTH - 2).step_by(2).rev() {
        let row = multiples.row_of_two(n, &digits.slice(place..place + 2), &remainder)?;
        remainder = row.remainder.clone();
        if place > 0 {
            quotient = cat([&row.quotient, &quotient]);
        }
        last = Some(row);
    }
    let last = last.expect("there are seven rows");
    Ok((signed_quotient(n, &quotient, &last, &negative)?, Bus::zero()))
}

/// A divisor and its multiples.
struct Multiples {
    /// The divisor, its double and its triple, \[17\].
    numbers: [Bus; 3],
    /// For each bit of each of them whether a higher one is set.
    above: [Bus; 3],
}

/// What a row of two bits gives.
struct Row {
    /// Two bits of the quotient.
    quotient: Bus,
    /// Whether they are not both 0, \[1\].
    some: Bus,
    /// What is left, \[15\] at most.
    remainder: Bus,
}

impl Multiples {
    fn of(n: &mut Builder, divisor: &Bus) -> Fits<Multiples> {
        let once = divisor.zero_extend(WIDTH + 1);
        let twice = cat([&Bus::zero(), divisor]);
        let (thrice, _) = ripple_adder(n, &once, &twice, &Bus::zero())?;
        let numbers = [once, twice, thrice];
        let above =
            [any_above(n, &numbers[0])?, any_above(n, &numbers[1])?, any_above(n, &numbers[2])?];
        Ok(Multiples { numbers, above })
    }

    /// Whether multiple `index` fits into `remainder`, and what is left then.
    fn subtract(&self, n: &mut Builder, index: usize, remainder: &Bus) -> Fits<(Bus, Bus)> {
        let width = remainder.width();
        let number = self.numbers[index].low(width);
        let (rest, borrow) = ripple_subtractor(n, remainder, &number, &Bus::zero())?;
        let fits = match width > WIDTH {
            true => n.not(&borrow)?,
            false => n.lut(Lut::NOR, &[&borrow, &self.above[index].bit(width - 1)?])?,
        };
        Ok((fits, rest))
    }

    fn row_of_one(&self, n: &mut Builder, digit: &Bus, remainder: &Bus) -> Fits<(Bus, Bus)> {
        let remainder = cat([digit, remainder]);
        let (fits, rest) = self.subtract(n, 0, &remainder)?;
        Ok((fits.clone(), n.select(&fits, &remainder, &rest)?.low(WIDTH - 1)))
    }

    fn row_of_two(&self, n: &mut Builder, digits: &Bus, remainder: &Bus) -> Fits<Row> {
        let remainder = cat([digits, remainder]);
        let (once, rest_of_once) = self.subtract(n, 0, &remainder)?;
        let (twice, rest_of_twice) = self.subtract(n, 1, &remainder)?;
        let (thrice, rest_of_thrice) = self.subtract(n, 2, &remainder)?;
        let low = n.select(&once, &remainder, &rest_of_once)?;
        let high = n.select(&thrice, &rest_of_twice, &rest_of_thrice)?;
        let remainder = n.select(&twice, &low, &high)?.low(WIDTH - 1);
        let odd = n.select(&twice, &once, &thrice)?;
        Ok(Row { quotient: cat([&odd, &twice]), some: once, remainder })
    }
}

/// The quotient in two's complement: `high`: \[13\], above the two bits of row `last`; `negative`:
/// \[1\] -> \[16\].
///
/// Both what the high bits are if the last row gives 0 and if it does not are known before it.
fn signed_quotient(n: &mut Builder, high: &Bus, last: &Row, negative: &Bus) -> Fits<Bus> {
    let high = high.zero_extend(high.width() + 1);
    let complement = n.not(&high)?;
    let none = Bus::constant(0, high.width());
    let (negated, _) = ripple_adder(n, &complement, &none, &Bus::one())?;
    let high = n.lut(SIGNED, &[negative, &last.some, &high, &negated])?;
    let (odd, even) = (last.quotient.bit(0)?, last.quotient.bit(1)?);
    let second = n.lut(SECOND, &[negative, &odd, &even])?;
    Ok(cat([&odd, &second, &high]))
}

/// Arguments `negative`, `some`, `bit`, `negated`: the bit, its complement, or that of the negated.
const SIGNED: Lut = Lut::new(4, A & (B & !C | !B & D) | !A & C);
/// Arguments `negative`, `low`, `high`: the second bit of a negated number.
const SECOND: Lut = Lut::new(3, C ^ A & B);
