//! Saturation: what does not fit becomes the nearest number that does.

use super::adder::ripple_adder;
use super::argument::{A, B, C};
use super::reduce::{any, any_differs};
use crate::bus::cat;
use crate::diagnostic::Diagnostic;
use crate::{Builder, Bus, Fits, Lut, cell};

/// Arguments `a`, `b`, `carry`, all of the highest bit: the sum of two numbers in two's complement
/// does not fit.
const SUM_OVERFLOWS: Lut = Lut::new(3, !(A ^ B) & (A ^ C));
/// Arguments `a`, `b`, `carry`, all of the highest bit: the sum is negative, whether it fits or not.
const SUM_SIGN: Lut = Lut::new(3, A & B | (A ^ B) & !C);
/// Arguments `overflow`, `negative`, `bit`: the bit below the sign, or the rail's.
const SATURATE: Lut = Lut::new(3, A & !B | !A & C);

/// Saturating addition in two's complement: `a`, `b`: \[N\] -> `a + b` clamped to
/// `[-2^(N-1), 2^(N-1) - 1]`, \[N\]; whether the sum was clamped, \[1\]. `3N - 1` gates, depth `N + 1`.
///
/// # Errors
/// Refused if `a` and `b` differ in width.
#[cell]
pub fn saturating_adder(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<(Bus, Bus)> {
    n.same_width("saturating_adder", &[a, b])?;
    let ((a0, a1), (b0, b1)) = (a.hslice(&Bus::zero())?, b.hslice(&Bus::zero())?);
    let (sum, carry) = match a0.width() {
        0 => (Bus::void(), Bus::zero()),
        _ => ripple_adder(n, &a0, &b0, &Bus::zero())?,
    };
    let highest = [&a1, &b1, &carry];
    let (overflow, sign) = (n.lut(SUM_OVERFLOWS, &highest)?, n.lut(SUM_SIGN, &highest)?);
    Ok((saturate(n, &sum, &overflow, &a1, &sign)?, overflow))
}

/// A number in two's complement clamped to `width` bits: `value`: \[N\] -> clamped to
/// `[-2^(width-1), 2^(width-1) - 1]`, \[width\]. A narrower `value` is extended.
///
/// # Errors
/// Refused if `width` is 0: such a number has no sign.
#[cell]
pub fn clamp(n: &mut Builder, value: &Bus, width: usize) -> Fits<Bus> {
    let sign = value.high_bit()?;
    let Some(below_sign) = width.checked_sub(1) else {
        return Err(
            Diagnostic::new("a number in two's complement cannot be clamped to 0 bits").into()
        );
    };
    let overflow = any_differs(n, &value.skip(below_sign.min(value.width() - 1)))?;
    let bits = value.low(below_sign).sign_extend(below_sign);
    saturate(n, &bits, &overflow, &sign, &sign)
}

/// An unsigned number clamped to `width` bits: `value`: \[N\] -> at most `2^width - 1`, \[width\]. A
/// narrower `value` is extended.
#[cell]
pub fn clamp_unsigned(n: &mut Builder, value: &Bus, width: usize) -> Fits<Bus> {
    let above = value.skip(width);
    match above.width() {
        0 => Ok(value.zero_extend(width)),
        _ => {
            let overflow = any(n, &above)?;
            n.or(&value.low(width), &overflow)
        }
    }
}

/// The bits below the sign, `bits`: \[N\], or on `overflow`: \[1\] those of the lowest number if
/// `negative`: \[1\], of the highest otherwise; then `sign`: \[1\] -> \[N + 1\].
#[cell(fallback = 3)]
fn saturate(n: &mut Builder, bits: &Bus, overflow: &Bus, negative: &Bus, sign: &Bus) -> Fits<Bus> {
    Ok(cat([&n.lut(SATURATE, &[overflow, negative, bits])?, sign]))
}
