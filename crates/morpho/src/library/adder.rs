//! Adders and subtractors of unsigned or two's complement numbers.

use super::argument::{A, B, C, D};
use super::{one_wire, split_in_pairs};
use crate::bus::cat;
use crate::operator::Function;
use crate::{Builder, Bus, Fits, Lut, cell};

/// Arguments `a`, `b`, `borrow`: the borrow that `a - b - borrow` takes from the next bit.
pub(super) const BORROW: Lut = Lut::new(3, !A & B | !(A ^ B) & C);
/// Arguments `generate`, `propagate`, `carry`: the carry out of a span of bits.
const SPAN_CARRY: Lut = Lut::new(3, A | B & C);
/// Arguments `a0`, `b0`, `a1`, `b1`: two bits carry out whatever comes in.
const PAIR_GENERATE: Lut = Lut::new(4, C & D | (C | D) & A & B);
/// Arguments `a0`, `b0`, `a1`, `b1`: two bits carry out if a carry comes in.
const PAIR_PROPAGATE: Lut = Lut::new(4, (C | D) & (A | B));

/// The sum of two bits: `a`, `b`: \[1\] -> sum \[1\], carry \[1\]. Works wire by wire on wider buses.
/// Two gates, depth 1.
#[cell]
pub fn half_adder(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<(Bus, Bus)> {
    Ok((n.xor(a, b)?, n.and(a, b)?))
}

/// The sum of three bits: `a`, `b`, `carry`: \[1\] -> sum \[1\], carry out \[1\]. Works wire by wire
/// on wider buses. Two gates, depth 1.
#[cell]
pub fn full_adder(n: &mut Builder, a: &Bus, b: &Bus, carry: &Bus) -> Fits<(Bus, Bus)> {
    Ok((n.lut(Lut::XOR3, &[a, b, carry])?, n.lut(Lut::MAJORITY, &[a, b, carry])?))
}

/// Ripple-carry addition: `a`, `b`: \[N\], `carry`: \[1\] -> sum \[N\], carry out \[1\].
/// `2N` gates, depth `N`.
///
/// # Errors
/// Refused if `a` and `b` differ in width, or `carry` is not one wire.
#[cell(fallback = full_adder)]
pub fn ripple_adder(n: &mut Builder, a: &Bus, b: &Bus, carry: &Bus) -> Fits<(Bus, Bus)> {
    n.same_width("ripple_adder", &[a, b])?;
    one_wire("ripple_adder", "carry", carry)?;
    let ((a0, a1), (b0, b1)) = (a.split()?, b.split()?);
    let (s0, middle) = ripple_adder(n, &a0, &b0, carry)?;
    let (s1, out) = ripple_adder(n, &a1, &b1, &middle)?;
    let sum = cat([s0, s1]);
    n.claim(Function::Add, &[a, b, carry], &[&sum, &out])?;
    Ok((sum, out))
}

/// Addition with carry lookahead (Brent and Kung, 1982): `a`, `b`: \[N\], `carry`: \[1\] ->
/// sum \[N\], carry out \[1\]. Fewer than `4N` gates, depth `2 log2(N)` for N a power of two.
///
/// The carry into the high half does not wait for the sum of the low half: it comes from
/// what the low half [generates and propagates](lookahead).
///
/// # Errors
/// Refused if `a` and `b` differ in width, or `carry` is not one wire.
#[cell(fallback = ripple_adder)]
pub fn brent_kung_adder(n: &mut Builder, a: &Bus, b: &Bus, carry: &Bus) -> Fits<(Bus, Bus)> {
    n.same_width("brent_kung_adder", &[a, b])?;
    one_wire("brent_kung_adder", "carry", carry)?;
    let _at_least_three = a.bit(2)?;
    let ((a0, a1), (b0, b1)) = (split_in_pairs(a), split_in_pairs(b));
    let (s0, g0, p0) = lookahead(n, &a0, &b0, carry)?;
    let middle = n.lut(SPAN_CARRY, &[&g0, &p0, carry])?;
    let (s1, g1, p1) = lookahead(n, &a1, &b1, &middle)?;
    let out = n.lut(SPAN_CARRY, &[&g1, &p1, &middle])?;
    let sum = cat([s0, s1]);
    n.claim(Function::Add, &[a, b, carry], &[&sum, &out])?;
    Ok((sum, out))
}

/// A span of a carry-lookahead adder: `a`, `b`: \[N\], `carry`: \[1\] -> sum \[N\], generate \[1\] (the
/// span carries out whatever comes in), propagate \[1\] (it carries out if a carry comes in).
///
/// Generate and propagate do not depend on `carry`: they go up the tree while carries come down.
#[cell(fallback = lookahead_pair)]
pub fn lookahead(n: &mut Builder, a: &Bus, b: &Bus, carry: &Bus) -> Fits<(Bus, Bus, Bus)> {
    let _at_least_three = a.bit(2)?;
    let ((a0, a1), (b0, b1)) = (split_in_pairs(a), split_in_pairs(b));
    let (s0, g0, p0) = lookahead(n, &a0, &b0, carry)?;
    let middle = n.lut(SPAN_CARRY, &[&g0, &p0, carry])?;
    let (s1, g1, p1) = lookahead(n, &a1, &b1, &middle)?;
    let generate = n.lut(SPAN_CARRY, &[&g1, &p1, &g0])?;
    Ok((cat([s0, s1]), generate, n.and(&p0, &p1)?))
}

/// A [`lookahead`] span of two bits: `a`, `b`: \[2\], `carry`: \[1\] -> sum \[2\], generate \[1\],
/// propagate \[1\]. Five gates.
#[cell(fallback = lookahead_bit)]
pub fn lookahead_pair(n: &mut Builder, a: &Bus, b: &Bus, carry: &Bus) -> Fits<(Bus, Bus, Bus)> {
    let ((a0, a1), (b0, b1)) = (a.split()?, b.split()?);
    let (sum, _) = ripple_adder(n, a, b, carry)?;
    let pair = [&a0, &b0, &a1, &b1];
    Ok((sum, n.lut(PAIR_GENERATE, &pair)?, n.lut(PAIR_PROPAGATE, &pair)?))
}

/// A [`lookahead`] span of one bit: `a`, `b`, `carry`: \[1\] -> sum \[1\], generate \[1\],
/// propagate \[1\]. Three gates.
#[cell]
pub fn lookahead_bit(n: &mut Builder, a: &Bus, b: &Bus, carry: &Bus) -> Fits<(Bus, Bus, Bus)> {
    Ok((n.lut(Lut::XOR3, &[a, b, carry])?, n.and(a, b)?, n.or(a, b)?))
}

/// The borrows of a subtraction: `a`, `b`: \[N\], `borrow`: \[1\] -> the borrow into each bit of
/// `a - b - borrow` and out of the highest one, \[N + 1\]. `N` gates, depth `N`.
///
/// # Errors
/// Refused if `a` and `b` differ in width, or `borrow` is not one wire.
#[cell(fallback = borrow_bit)]
pub fn ripple_borrows(n: &mut Builder, a: &Bus, b: &Bus, borrow: &Bus) -> Fits<Bus> {
    n.same_width("ripple_borrows", &[a, b])?;
    one_wire("ripple_borrows", "borrow", borrow)?;
    let ((a0, a1), (b0, b1)) = (a.split()?, b.split()?);
    let low = ripple_borrows(n, &a0, &b0, borrow)?;
    let high = ripple_borrows(n, &a1, &b1, &low.high_bit()?)?;
    Ok(cat([low.low(a0.width()), high]))
}

/// The borrows of one bit: `a`, `b`, `borrow`: \[1\] -> `borrow`, borrow out: \[2\]. Where there is no
/// bit, `borrow` is all there is.
#[cell(fallback = 2)]
pub fn borrow_bit(n: &mut Builder, a: &Bus, b: &Bus, borrow: &Bus) -> Fits<Bus> {
    let out = n.lut(BORROW, &[a, b, borrow])?;
    Ok(cat([borrow, &out]))
}

/// Subtraction: `a`, `b`: \[N\], `borrow`: \[1\] -> `a - b - borrow` modulo `2^N` \[N\], borrow out
/// \[1\]. The borrow out of an unsigned subtraction says `a < b + borrow`. `2N` gates, depth `N`.
///
/// # Errors
/// Refused if `a` and `b` differ in width, or `borrow` is not one wire.
#[cell]
pub fn ripple_subtractor(n: &mut Builder, a: &Bus, b: &Bus, borrow: &Bus) -> Fits<(Bus, Bus)> {
    let borrows = ripple_borrows(n, a, b, borrow)?;
    let (borrows, out) = borrows.hslice(&Bus::zero())?;
    let difference = n.lut(Lut::XOR3, &[a, b, &borrows])?;
    n.claim(Function::Subtract, &[a, b, borrow], &[&difference, &out])?;
    Ok((difference, out))
}
