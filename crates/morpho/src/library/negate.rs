//! Negation and absolute value in two's complement, and counting up by one.
//!
//! To negate is to complement every bit above the lowest set one; to count up by one is to
//! complement every bit up to the lowest clear one. Each needs one chain along the bits.

use super::adder::half_adder;
use super::argument::{A, B, C, D};
use super::{one_wire, split_in_pairs};
use crate::bus::cat;
use crate::{Builder, Bus, Fits, Lut, cell};

/// Arguments `bit`, `negative`, `seen`: the bit, complemented above a set bit of a number to negate.
const NEGATE: Lut = Lut::new(3, A ^ B & C);
/// Arguments `bit`, `negative`, `seen`, `below`: as [`NEGATE`], the bit below not yet in `seen`.
const NEGATE_SECOND: Lut = Lut::new(4, A ^ B & (C | D));
/// Arguments `seen`, `a`, `b`.
const OR3: Lut = Lut::new(3, A | B | C);
/// Arguments `bit`, `carry`, `below`: the bit, complemented if all below it is set.
const INCREMENT_SECOND: Lut = Lut::new(3, A ^ B & C);
/// Arguments `carry`, `a`, `b`.
const AND3: Lut = Lut::new(3, A & B & C);

/// Negation in two's complement: `a`: \[N\] -> `-a` modulo `2^N`, \[N\]. About `1.5 N` gates,
/// depth `N / 2 + 1`. The lowest number is its own negative.
#[cell]
pub fn negate(n: &mut Builder, a: &Bus) -> Fits<Bus> {
    conditional_negate(n, a, &Bus::one())
}

/// The absolute value of a number in two's complement: `a`: \[N\] -> `|a|`, unsigned, \[N\]. About
/// `1.5 N` gates, depth `N / 2 + 1`.
#[cell]
pub fn absolute(n: &mut Builder, a: &Bus) -> Fits<Bus> {
    conditional_negate(n, a, &a.high_bit()?)
}

/// `-a` modulo `2^N` where `negative` is set, else `a`: `a`: \[N\], `negative`: \[1\] -> \[N\]. About
/// `1.5 N` gates, depth `N / 2 + 1`, but only one gate after `negative`.
///
/// # Errors
/// Refused if `negative` is not one wire.
#[cell]
pub fn conditional_negate(n: &mut Builder, a: &Bus, negative: &Bus) -> Fits<Bus> {
    conditional_negate_from(n, a, negative, &Bus::zero())
}

/// As [`conditional_negate`], but where `seen` is set, as if a bit below the lowest were set:
/// then `-a - 1`, every bit complemented. `a`: \[N\], `negative`, `seen`: \[1\] -> \[N\].
///
/// # Errors
/// Refused if `negative` or `seen` is not one wire.
#[cell]
pub fn conditional_negate_from(n: &mut Builder, a: &Bus, negative: &Bus, seen: &Bus) -> Fits<Bus> {
    one_wire("conditional_negate_from", "sign", negative)?;
    one_wire("conditional_negate_from", "seen bit", seen)?;
    Ok(negate_above(n, a, negative, seen)?.0)
}

/// Part of a negation: `a`: \[N\], `negative`: \[1\], `seen`: \[1\], whether a lower bit is set ->
/// result \[N\], whether a lower bit or one of these is set \[1\].
#[cell(fallback = negate_pair)]
fn negate_above(n: &mut Builder, a: &Bus, negative: &Bus, seen: &Bus) -> Fits<(Bus, Bus)> {
    let _at_least_three = a.bit(2)?;
    let (low, high) = split_in_pairs(a);
    let (low, seen) = negate_above(n, &low, negative, seen)?;
    let (high, seen) = negate_above(n, &high, negative, &seen)?;
    Ok((cat([low, high]), seen))
}

/// Two bits of a negation, as [`negate_above`].
#[cell(fallback = negate_bit)]
fn negate_pair(n: &mut Builder, a: &Bus, negative: &Bus, seen: &Bus) -> Fits<(Bus, Bus)> {
    let (low, high) = a.split()?;
    let first = n.lut(NEGATE, &[&low, negative, seen])?;
    let second = n.lut(NEGATE_SECOND, &[&high, negative, seen, &low])?;
    Ok((cat([first, second]), n.lut(OR3, &[seen, &low, &high])?))
}

/// One bit of a negation, as [`negate_above`].
#[cell]
fn negate_bit(n: &mut Builder, a: &Bus, negative: &Bus, seen: &Bus) -> Fits<(Bus, Bus)> {
    Ok((n.lut(NEGATE, &[a, negative, seen])?, n.or(seen, a)?))
}

/// Counting: `a`: \[N\], `carry`: \[1\] -> `a + carry` modulo `2^N` \[N\], carry out \[1\]. About
/// `1.5 N` gates, depth `N / 2 + 1`.
///
/// # Errors
/// Refused if `carry` is not one wire.
#[cell(fallback = increment_pair)]
pub fn increment(n: &mut Builder, a: &Bus, carry: &Bus) -> Fits<(Bus, Bus)> {
    one_wire("increment", "carry", carry)?;
    let _at_least_three = a.bit(2)?;
    let (low, high) = split_in_pairs(a);
    let (low, middle) = increment(n, &low, carry)?;
    let (high, out) = increment(n, &high, &middle)?;
    Ok((cat([low, high]), out))
}

/// Counting in two bits, as [`increment`].
#[cell(fallback = half_adder)]
fn increment_pair(n: &mut Builder, a: &Bus, carry: &Bus) -> Fits<(Bus, Bus)> {
    let (low, high) = a.split()?;
    let sum = [n.xor(&low, carry)?, n.lut(INCREMENT_SECOND, &[&high, carry, &low])?];
    Ok((cat(sum), n.lut(AND3, &[carry, &low, &high])?))
}
