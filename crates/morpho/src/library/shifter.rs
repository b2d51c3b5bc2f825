//! Barrel shifters.

use super::one_wire;
use crate::bus::cat;
use crate::{Builder, Bus, Fits, cell};

/// Shift to the right: `data`: \[N\], `amount`: \[K\], unsigned, `fill`: \[1\] -> `data` moved down
/// `amount` places, copies of `fill` coming in at the top, \[N\]. With `fill` the high bit of
/// `data` the shift is arithmetic. At most `N K` gates, depth `K` where `2^K <= 2N`.
///
/// An amount of N or more gives copies of `fill`.
///
/// # Errors
/// Refused if `fill` is not one wire.
#[cell(fallback = 0)]
pub fn right_shifter(n: &mut Builder, data: &Bus, amount: &Bus, fill: &Bus) -> Fits<Bus> {
    one_wire("right_shifter", "fill", fill)?;
    let amount = merge_excess(n, amount, data.width())?;
    let (rest, highest) = amount.hslice(&Bus::zero())?;
    let shifted = data.skip(1 << rest.width()).resize(data.width(), fill.wires()[0]);
    let data = n.select(&highest, data, &shifted)?;
    right_shifter(n, &data, &rest, fill)
}

/// Shift to the left: `data`: \[N\], `amount`: \[K\], unsigned, `fill`: \[1\] -> `data` moved up
/// `amount` places, copies of `fill` coming in at the bottom, \[N\]. As [`right_shifter`].
///
/// # Errors
/// Refused if `fill` is not one wire.
#[cell]
pub fn left_shifter(n: &mut Builder, data: &Bus, amount: &Bus, fill: &Bus) -> Fits<Bus> {
    Ok(right_shifter(n, &data.reversed(), amount, fill)?.reversed())
}

/// The wires of `amount` that alone shift out all `width` wires, joined into one.
fn merge_excess(n: &mut Builder, amount: &Bus, width: usize) -> Fits<Bus> {
    let enough = width.next_power_of_two().ilog2() as usize;
    let excess = amount.skip(enough);
    let mut any = excess.low(1);
    for wire in 1..excess.width() {
        any = n.or(&any, &excess.bit(wire)?)?;
    }
    Ok(cat([amount.low(enough), any]))
}
