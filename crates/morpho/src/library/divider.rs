//! Restoring division of unsigned numbers, combinational and serial.
//!
//! The dividend is taken from its high end, a digit a row. A row appends the digit to the
//! remainder; if the divisor fits it is subtracted, and the quotient has a 1. Only the borrows of
//! the subtraction are grown before it is known whether the divisor fits: each new bit of the
//! remainder is then one gate. While the remainder is narrower than the divisor, the divisor bits
//! above it need only be zero for the divisor to fit.
//!
//! A divisor of 0 fits always: every bit of the quotient is 1, and the remainder is the dividend
//! modulo `2^M`.

use super::adder::ripple_borrows;
use super::argument::{A, B, C, D};
use super::one_wire;
use crate::bus::cat;
use crate::{Builder, Bus, Diagnostic, Fits, Lut, Misfit, cell};

/// Arguments `bit`, `divisor`, `borrow`, `above`: the divisor fits a remainder that is narrower or
/// as wide; `bit`, `divisor`, `borrow` are those of the highest bit of the remainder, and `above`
/// is set if the divisor has a 1 above it.
const FITS_NARROW: Lut = Lut::new(4, !D & !(!A & B | !(A ^ B) & C));
/// Arguments `bit`, `divisor`, `borrow`, `top`: the divisor fits a remainder that has one bit more,
/// `top`.
const FITS_WIDE: Lut = Lut::new(4, D | !(!A & B | !(A ^ B) & C));
/// Arguments `bit`, `divisor`, `borrow`, `fits`: a bit of the next remainder.
const RESTORE: Lut = Lut::new(4, A ^ (B ^ C) & D);
/// Arguments `a`, `b`, `c`, `d`.
const OR4: Lut = Lut::new(4, A | B | C | D);

/// Unsigned division: `dividend`: \[N\], `divisor`: \[M\] -> quotient \[N\], remainder \[M\].
/// At most `2 N M` gates; depth about `N M`.
///
/// A divisor of 0 gives a quotient of all ones.
#[cell]
pub fn divider(n: &mut Builder, dividend: &Bus, divisor: &Bus) -> Fits<(Bus, Bus)> {
    let above = any_above(n, divisor)?;
    let (quotient, remainder) = restoring_rows(n, dividend, divisor, &above, &Bus::void())?;
    Ok((quotient, remainder.zero_extend(divisor.width())))
}

/// A divider that takes one bit of the dividend a clock, the highest first: `digit`: \[1\],
/// `divisor`: \[M\] -> one bit of the quotient \[1\], remainder so far \[M\]. `2M` gates, M registers,
/// depth `M + 1`.
///
/// Both outputs belong to the digit at the input. The remainder starts at 0.
#[cell]
pub fn serial_divider(n: &mut Builder, digit: &Bus, divisor: &Bus) -> Fits<(Bus, Bus)> {
    let remainder = n.reg("remainder", &Bus::constant(0, divisor.width()));
    let above = Bus::constant(0, divisor.width());
    let (quotient, next) = restoring_row(n, digit, divisor, &above, &remainder)?;
    n.drive(&remainder, &next);
    Ok((quotient, next))
}

/// Rows of a restoring divider: `dividend`: \[N\], `divisor`: \[M\], `above`: \[M\], whether the
/// divisor has a 1 above each bit, `remainder`: \[K\], below `divisor`, K at most M -> quotient \[N\], remainder
/// \[min(K + N, M)\].
#[cell(fallback = restoring_row)]
pub fn restoring_rows(
    n: &mut Builder,
    dividend: &Bus,
    divisor: &Bus,
    above: &Bus,
    remainder: &Bus,
) -> Fits<(Bus, Bus)> {
    let (low, high) = dividend.split()?;
    let (q1, remainder) = restoring_rows(n, &high, divisor, above, remainder)?;
    let (q0, remainder) = restoring_rows(n, &low, divisor, above, &remainder)?;
    Ok((cat([q0, q1]), remainder))
}

/// One row of a restoring divider, as [`restoring_rows`], for a dividend of one bit, `digit`.
#[cell]
pub fn restoring_row(
    n: &mut Builder,
    digit: &Bus,
    divisor: &Bus,
    above: &Bus,
    remainder: &Bus,
) -> Fits<(Bus, Bus)> {
    one_wire("restoring_row", "digit", digit)?;
    if remainder.width() > divisor.width() {
        return Err(too_wide(remainder, divisor));
    }
    let shifted = cat([digit, remainder]);
    let (bits, top) = (shifted.low(divisor.width()), shifted.skip(divisor.width()));
    let divisor = divisor.low(bits.width());
    let ((b0, b1), (d0, d1)) = (bits.hslice(&Bus::zero())?, divisor.hslice(&Bus::zero())?);
    let borrows = ripple_borrows(n, &b0, &d0, &Bus::zero())?;
    let highest = [&b1, &d1, &borrows.high_bit()?];
    let fits = match top.width() {
        0 => n.lut(FITS_NARROW, &[highest[0], highest[1], highest[2], &above.bit(b0.width())?])?,
        _ => n.lut(FITS_WIDE, &[highest[0], highest[1], highest[2], &top])?,
    };
    let remainder = n.lut(RESTORE, &[&bits, &divisor, &borrows, &fits])?;
    Ok((fits, remainder))
}

fn too_wide(remainder: &Bus, divisor: &Bus) -> Misfit {
    let (wide, narrow) = (remainder.width(), divisor.width());
    let text = format!("a remainder of {wide} bits is not below a divisor of {narrow}");
    Diagnostic::new(text).hint("cut the high bits of the remainder: they must be 0").into()
}

/// For each bit of `divisor`, \[M\], whether a higher bit is set, \[M\]. Each third one waits for the
/// one three places above.
#[cell]
pub fn any_above(n: &mut Builder, divisor: &Bus) -> Fits<Bus> {
    let mut above = Bus::zero();
    for bit in (1..divisor.width()).rev() {
        let third = above.bit(2).unwrap_or(Bus::zero());
        let next = divisor.slice(bit..bit + 3).zero_extend(3);
        let any = n.lut(OR4, &[&next.bit(0)?, &next.bit(1)?, &next.bit(2)?, &third])?;
        above = cat([any, above]);
    }
    Ok(above)
}
