//! The divider beside the adder: restoring, one row a clock.

use morpho::bus::cat;
use morpho::library::adder::{ripple_adder, ripple_subtractor};
use morpho::library::compare::equal;
use morpho::library::reduce::any;
use morpho::{Builder, Bus, Fits, Lut, cell};

use super::super::WIDTH;
use super::address_bits;
use super::program::{Signal, TOKEN, TokenWord, rows};
use crate::spec::{Division, WkvSpec};

/// Takes the denominator, less its guard, as it is `stored`: \[16\], in the token memory, and then the digits of
/// the numerator, on `load`: \[1\], from the `accumulator`: \[17\] -> the quotient with its sign, in the clocks after the
/// last row, \[16\]; whether this is the last row \[1\].
#[cell]
pub fn divider(
    n: &mut Builder,
    control: &Bus,
    load: &Bus,
    stored: &Bus,
    accumulator: &Bus,
    negative: &Bus,
    spec: &WkvSpec,
) -> Fits<(Bus, Bus)> {
    let divisor = n.reg("divisor", &Bus::constant(0, WIDTH));
    let is_denominator = TOKEN.of(control).bit(TokenWord::Denominator as usize / 2)?;
    let takes = n.and(&Signal::StoreToken.of(control), &is_denominator)?;
    let next = n.select(&takes, &divisor, stored)?;
    n.drive(&divisor, &next);
    let (dividing, last) = rows_left(n, load, rows(spec))?;

    let remainder = n.reg("remainder", &Bus::constant(0, WIDTH + 1));
    let digits = n.reg("digits", &Bus::constant(0, WIDTH));
    let divisor = divisor.zero_extend(WIDTH + 1);
    let guard = Bus::constant(spec.guard.into(), 1);
    let (rest, less) = ripple_subtractor(n, &remainder, &divisor, &guard)?;
    let rest = n.select(&less, &rest, &remainder)?;
    let next = cat([digits.high_bit()?, rest.low(WIDTH)]);
    let next = n.lut(Lut::AND_NOT, &[&next, load])?;
    n.drive(&remainder, &next);
    let digit = match spec.division {
        Division::Restoring | Division::Newton => n.not(&less)?,
        Division::Exact => n.lut(Lut::XNOR, &[&less, negative])?,
    };
    let shifted = cat([&digit, &digits.low(WIDTH - 1)]);
    let next = n.select(&dividing, &digits, &shifted)?;
    let next = n.select(load, &next, &accumulator.low(WIDTH))?;
    n.drive(&digits, &next);
    Ok((signed(n, &digits, negative, spec)?, last))
}

/// A count of rows, from `load`: \[1\] on -> whether there are any left, whether one: \[1\].
#[cell]
fn rows_left(n: &mut Builder, load: &Bus, rows: usize) -> Fits<(Bus, Bus)> {
    let width = address_bits(rows + 1);
    let left = n.reg("left", &Bus::constant(0, width));
    let dividing = any(n, &left)?;
    let (next, _) = ripple_adder(n, &left, &dividing.repeat(&left), &Bus::zero())?;
    let next = n.select(load, &next, &Bus::constant(rows as u64, width))?;
    n.drive(&left, &next);
    let last = equal(n, &left, &Bus::constant(1, width))?;
    Ok((dividing, last))
}

/// The quotient in two's complement from its digits, \[16\]: those of a magnitude, or, to round to nearest,
/// of twice the quotient with the sign in all of them.
#[cell]
fn signed(n: &mut Builder, digits: &Bus, negative: &Bus, spec: &WkvSpec) -> Fits<Bus> {
    let zeros = Bus::constant(0, WIDTH);
    match spec.division {
        Division::Restoring | Division::Newton => {
            let flipped = n.xor(digits, negative)?;
            Ok(ripple_adder(n, &flipped, &zeros, negative)?.0)
        }
        Division::Exact => {
            let twice = cat([digits, negative]);
            let zeros = zeros.zero_extend(WIDTH + 1);
            Ok(ripple_adder(n, &twice, &zeros, &Bus::one())?.0.skip(1))
        }
    }
}
