//! Comparators.

use super::adder::{BORROW, ripple_borrows};
use crate::bus::cat;
use crate::operator::Function;
use crate::{Builder, Bus, Fits, Lut, cell};

/// Unsigned comparison: `a`, `b`: \[N\] -> `a < b`, \[1\]. `N` gates, depth `N`.
///
/// # Errors
/// Refused if `a` and `b` differ in width.
#[cell]
pub fn less_than(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<Bus> {
    let less = ripple_borrows(n, a, b, &Bus::zero())?.high_bit()?;
    n.claim(Function::Less, &[a, b], &[&less])?;
    Ok(less)
}

/// Comparison in two's complement: `a`, `b`: \[N\] -> `a < b`, \[1\]. `N` gates, depth `N`.
///
/// The high bits count negative, so they change places.
///
/// # Errors
/// Refused if `a` and `b` differ in width.
#[cell]
pub fn less_than_signed(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<Bus> {
    let ((a0, a1), (b0, b1)) = (a.hslice(&Bus::zero())?, b.hslice(&Bus::zero())?);
    less_than(n, &cat([a0, b1]), &cat([b0, a1]))
}

/// Equality: `a`, `b`: \[N\] -> all bits agree, \[1\].
///
/// # Errors
/// Refused if `a` and `b` differ in width.
#[cell(fallback = equal_bit)]
pub fn equal(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<Bus> {
    n.same_width("equal", &[a, b])?;
    let ((a0, a1), (b0, b1)) = (a.split()?, b.split()?);
    let (low, high) = (equal(n, &a0, &b0)?, equal(n, &a1, &b1)?);
    let equal = n.and(&low, &high)?;
    n.claim(Function::Equal, &[a, b], &[&equal])?;
    Ok(equal)
}

/// Equality of one bit: `a`, `b`: \[1\] -> \[1\].
#[cell]
pub fn equal_bit(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<Bus> {
    n.lut(Lut::XNOR, &[a, b])
}

/// The larger of two numbers in two's complement and how far the other is below it:
/// `a`, `b`: \[N\] -> maximum, two's complement, \[N\]; `|a - b|`, unsigned, \[N\]; `a < b`, \[1\].
/// `5N - 2` gates, depth `N + 2`.
///
/// The borrows of `a - b` and of `b - a` are grown side by side; the sign then selects.
///
/// # Errors
/// Refused if `a` and `b` differ in width.
#[cell]
pub fn maximum_and_distance(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<(Bus, Bus, Bus)> {
    n.same_width("maximum_and_distance", &[a, b])?;
    let ((a0, a1), (b0, b1)) = (a.hslice(&Bus::zero())?, b.hslice(&Bus::zero())?);
    let a_minus_b = ripple_borrows(n, &a0, &b0, &Bus::zero())?;
    let b_minus_a = ripple_borrows(n, &b0, &a0, &Bus::zero())?;
    let less = n.lut(BORROW, &[&b1, &a1, &a_minus_b.high_bit()?])?;
    let borrows = n.select(&less, &a_minus_b, &b_minus_a)?;
    let distance = n.lut(Lut::XOR3, &[a, b, &borrows])?;
    Ok((n.select(&less, a, b)?, distance, less))
}
