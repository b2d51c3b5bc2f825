//! Carry-save addition: sums kept as two numbers, so that no carry travels.

use super::adder::full_adder;
use crate::bus::cat;
use crate::{Builder, Bus, Fits, cell};

/// Three numbers to two: `a`, `b`, `c`: \[N\] -> sum \[N\], carry \[N\] with
/// `a + b + c = sum + 2 carry`. `2N` gates, depth 1.
///
/// # Errors
/// Refused if the arguments differ in width.
#[cell]
pub fn carry_save_3_2(n: &mut Builder, a: &Bus, b: &Bus, c: &Bus) -> Fits<(Bus, Bus)> {
    n.same_width("carry_save_3_2", &[a, b, c])?;
    full_adder(n, a, b, c)
}

/// Four numbers to two: `a`, `b`, `c`, `d`: \[N\] -> sum \[N + 1\], carry \[N\] with
/// `a + b + c + d = sum + 2 carry`. `4N` gates, depth 2.
///
/// # Errors
/// Refused if the arguments differ in width.
#[cell]
pub fn carry_save_4_2(n: &mut Builder, a: &Bus, b: &Bus, c: &Bus, d: &Bus) -> Fits<(Bus, Bus)> {
    n.same_width("carry_save_4_2", &[a, b, c, d])?;
    let (sum, carry) = carry_save_3_2(n, a, b, c)?;
    let (carry, highest) = carry.hslice(&Bus::zero())?;
    let (sum, out) = carry_save_3_2(n, &sum, d, &cat([Bus::zero(), carry]))?;
    Ok((cat([sum, highest]), out))
}
