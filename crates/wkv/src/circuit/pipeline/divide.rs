//! The division of the pipelined step: one row a bit of the quotient, each one sum.

use morpho::bus::cat;
use morpho::library::adder::ripple_adder;
use morpho::{Builder, Bus, Fits, Lut, cell};

use crate::circuit::WIDTH;
use crate::circuit::divide::divide;
use crate::spec::{Division, WkvSpec};

/// As [`divide`](fn@divide) for a restoring division by a denominator above 1, whose
/// quotient needs no saturation. Without the guard it does: the lowest number by 1.0 has a
/// magnitude of 16 bits.
///
/// Non-restoring division: after a remainder that is negative the next row adds the denominator
/// instead of subtracting it, so no row selects between two remainders. Every remainder lies in
/// `[-d, d - 1]`, so with `d` at most `2^15` sixteen bits hold it. Its sign is the complement of the
/// bit that restoring division would give, since both compare the same numbers.
///
/// A row also makes the operand of the next one, the denominator or its complement. It does so from
/// its own operand, so that only one of the two waits in a register.
#[cell]
pub fn non_restoring_divide(
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
    let magnitude = negate_if(n, numerator, &negative)?;
    let first_digit = WIDTH - 1 - point;
    let digits = cat([Bus::constant(0, point), magnitude.low(first_digit)]);
    let mut remainder = magnitude.skip(first_digit).zero_extend(WIDTH);
    let (mut operand, mut subtracts) = (n.not(denominator)?, Bus::one());
    let mut quotient = Bus::void();
    for place in (0..WIDTH - 1).rev() {
        let digit = digits.bit(place)?;
        // Below the last digit, the carry of a subtraction can stand in the place of the digit.
        let (low, carry) = match place < point {
            true => (&subtracts, Bus::zero()),
            false => (&digit, subtracts.clone()),
        };
        let doubled = cat([low, &remainder.low(WIDTH - 1)]);
        remainder = ripple_adder(n, &doubled, &operand, &carry)?.0;
        let bit = n.not(&remainder.high_bit()?)?;
        operand = n.lut(Lut::XOR3, &[&operand, &subtracts, &bit])?;
        quotient = cat([&bit, &quotient]);
        subtracts = bit;
    }
    Ok((negate_if(n, &quotient.zero_extend(WIDTH), &negative)?, Bus::zero()))
}

/// `-a` where `negative`: \[1\] is set, else `a`: \[N\] -> \[N\].
#[cell]
fn negate_if(n: &mut Builder, a: &Bus, negative: &Bus) -> Fits<Bus> {
    let flipped = n.xor(a, negative)?;
    Ok(ripple_adder(n, &flipped, &Bus::constant(0, a.width()), negative)?.0)
}
