//! `2^-x`: a table over the high fraction bits, a straight line between its entries, a shift.

use morpho::bus::cat;
use morpho::library::adder::ripple_subtractor;
use morpho::library::multiplier::wallace;
use morpho::library::reduce::any;
use morpho::library::shifter::right_shifter;
use morpho::{Builder, Bus, Fits, Lut, cell};

use super::FACTOR_WIDTH;
use crate::fixed::exp2_table;
use crate::spec::WkvSpec;

/// `2^-x`: `x`: \[16\], unsigned, in the format of `spec` -> factor, Q0.16 \[17\]; underflow \[1\].
///
/// The fraction of `x` gives a factor in `[1/2, 1]`; the whole part shifts it down. From a whole
/// part of 16 on, the factor underflows to 0.
#[cell]
pub fn exp2neg(n: &mut Builder, x: &Bus, spec: &WkvSpec) -> Fits<(Bus, Bus)> {
    let point = spec.format.fraction_bits() as usize;
    let (fraction, whole) = (x.low(point), x.skip(point));
    let factor = exp2_fraction(n, &fraction, spec)?;
    let (amount, excess) = (whole.low(4), whole.skip(4));
    match excess.width() {
        0 => Ok((right_shifter(n, &factor, &amount, &Bus::zero())?, Bus::zero())),
        _ => {
            let underflow = any(n, &excess)?;
            Ok((shift_or_clear(n, &factor, &amount, &underflow)?, underflow))
        }
    }
}

/// `2^-x` for a fraction: `fraction`: \[F\] -> factor in `[1/2, 1]`, Q0.16 \[17\].
#[cell]
pub(super) fn exp2_fraction(n: &mut Builder, fraction: &Bus, spec: &WkvSpec) -> Fits<Bus> {
    let table = exp2_table(spec);
    let index_bits = spec.exp2.entries().ilog2() as usize;
    let low_bits = fraction.width().saturating_sub(index_bits);
    let padding = index_bits.saturating_sub(fraction.width());
    let index = cat([Bus::constant(0, padding), fraction.skip(low_bits)]);
    let entry = lookup(n, &index, &table[..table.len() - 1])?;
    let low = fraction.low(low_bits);
    if !spec.exp2.interpolate || low.width() == 0 {
        return Ok(entry.zero_extend(FACTOR_WIDTH));
    }
    let falls: Vec<i32> = table.windows(2).map(|pair| pair[0] - pair[1]).collect();
    let fall = lookup(n, &index, &falls)?;
    let fallen = wallace(n, &fall, &low)?.skip(low_bits).zero_extend(FACTOR_WIDTH);
    Ok(ripple_subtractor(n, &entry, &fallen, &Bus::zero())?.0)
}

/// A constant table: `index`: \[K\], unsigned -> entry number `index` of `2^K`, as wide as the
/// largest of them.
#[cell]
pub(super) fn lookup(n: &mut Builder, index: &Bus, entries: &[i32]) -> Fits<Bus> {
    let largest = entries.iter().copied().max().unwrap_or(0);
    let width = (i32::BITS - largest.leading_zeros()) as usize;
    let bits = (0..width).map(|bit| {
        let column: Vec<bool> = entries.iter().map(|entry| entry >> bit & 1 == 1).collect();
        lookup_bit(n, index, &column)
    });
    Ok(cat(bits.collect::<Fits<Vec<Bus>>>()?))
}

/// One bit of a constant table, as [`lookup`].
#[cell(fallback = lookup_gate)]
fn lookup_bit(n: &mut Builder, index: &Bus, column: &[bool]) -> Fits<Bus> {
    let _more_than_a_gate_takes = index.bit(LOOKUP_ARITY)?;
    let (rest, highest) = index.hslice(&Bus::zero())?;
    let (low, high) = column.split_at(column.len() / 2);
    let (low, high) = (lookup_bit(n, &rest, low)?, lookup_bit(n, &rest, high)?);
    n.select(&highest, &low, &high)
}

/// The most inputs of a gate: what the look-up tables of small FPGAs have.
const LOOKUP_ARITY: usize = 4;

/// One bit of a constant table that fits one gate, as [`lookup`].
#[cell]
fn lookup_gate(n: &mut Builder, index: &Bus, column: &[bool]) -> Fits<Bus> {
    let lut = Lut::from_fn(index.width(), |row| column[row]);
    let wires: Vec<Bus> = index.wires().iter().map(|&wire| wire.into()).collect();
    n.lut(lut, &wires.iter().collect::<Vec<_>>())
}

/// Arguments `far`, `near`, `other`, `clear`: one of the two, or 0 on `clear`.
const SELECT_OR_CLEAR: Lut = Lut::new(4, 0b0000_0000_1110_0100);

/// `data`: \[N\] shifted down by `amount`: \[4\] places, or 0 on `clear`: \[1\] -> \[N\].
///
/// The last stage of the shifter also clears, at no cost in gates.
#[cell]
fn shift_or_clear(n: &mut Builder, data: &Bus, amount: &Bus, clear: &Bus) -> Fits<Bus> {
    let (near, far) = amount.hslice(&Bus::zero())?;
    let data = right_shifter(n, data, &near, &Bus::zero())?;
    let shifted = data.skip(1 << near.width()).zero_extend(data.width());
    n.lut(SELECT_OR_CLEAR, &[&far, &data, &shifted, clear])
}
