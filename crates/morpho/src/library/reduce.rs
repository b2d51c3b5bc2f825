//! Functions of all the wires of a bus.

use super::argument::{A, B, C, D};
use crate::bus::cat;
use crate::{Builder, Bus, Fits, Lut, cell};

const OR3: Lut = Lut::new(3, A | B | C);
const OR4: Lut = Lut::new(4, A | B | C | D);
/// Arguments `reference`, `a`, `b`, `c`: one of the others differs from the reference.
const ANY_DIFFERS: Lut = Lut::new(4, (A ^ B) | (A ^ C) | (A ^ D));

/// Whether any wire is set: `bits`: \[N\] -> \[1\]. `(N - 1) / 3` gates, rounded up.
#[cell(fallback = any_of_four)]
pub fn any(n: &mut Builder, bits: &Bus) -> Fits<Bus> {
    let _more_than_four = bits.bit(4)?;
    let first = any_of_four(n, &bits.low(4))?;
    any(n, &cat([bits.skip(4), first]))
}

/// Whether any of at most four wires is set: `bits`: \[1..4\] -> \[1\]. One gate, or none for one wire.
#[cell]
fn any_of_four(n: &mut Builder, bits: &Bus) -> Fits<Bus> {
    let wires: Vec<Bus> = bits.wires().iter().map(|&wire| wire.into()).collect();
    match &wires[..] {
        [a, b] => n.or(a, b),
        [a, b, c] => n.lut(OR3, &[a, b, c]),
        [a, b, c, d] => n.lut(OR4, &[a, b, c, d]),
        _ => bits.bit(0),
    }
}

/// Whether the wires of a bus are not all the same: `bits`: \[N\] -> \[1\]. For a number in two's
/// complement: whether it needs more than one bit.
#[cell]
pub fn any_differs(n: &mut Builder, bits: &Bus) -> Fits<Bus> {
    let (others, reference) = bits.hslice(&Bus::zero())?;
    let mut differences = Bus::void();
    for first in (0..others.width()).step_by(3) {
        let three = others.slice(first..first + 3).resize(3, reference.wires()[0]);
        let [a, b, c] = [three.bit(0)?, three.bit(1)?, three.bit(2)?];
        differences = cat([differences, n.lut(ANY_DIFFERS, &[&reference, &a, &b, &c])?]);
    }
    match differences.width() {
        0 => Ok(Bus::zero()),
        _ => any(n, &differences),
    }
}
