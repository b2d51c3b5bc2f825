//! Circuits with registers, and one that remembers without any.

use super::adder::full_adder;
use super::argument::{A, B, C};
use super::negate::increment;
use super::reduce::any;
use crate::bus::cat;
use crate::{Builder, Bus, Fits, Lut, cell};

/// Arguments `bit`, `borrow`, `reload`, of a count that goes down: the next bit, 1 on a reload of
/// that bit.
const DOWN_OR_ONE: Lut = Lut::new(3, C | A ^ B);
/// Arguments `bit`, `borrow`, `reload`: the next bit, 0 on a reload.
const DOWN_OR_ZERO: Lut = Lut::new(3, !C & (A ^ B));

/// Addition of two numbers that come one bit a clock, the lowest first: `a`, `b`: \[1\] -> one bit
/// of the sum, \[1\]. Two gates, one register.
#[cell]
pub fn serial_adder(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<Bus> {
    let carry = n.reg("carry", &Bus::zero());
    let (sum, next) = full_adder(n, a, b, &carry)?;
    n.drive(&carry, &next);
    Ok(sum)
}

/// A counter: `enable`: \[1\] -> the count modulo `2^width`, unsigned, before this clock edge,
/// \[width\]. It starts at 0 and goes up by one at each edge at which `enable` is set.
#[cell]
pub fn counter(n: &mut Builder, enable: &Bus, width: usize) -> Fits<Bus> {
    let count = n.reg("count", &Bus::constant(0, width));
    let (next, _) = increment(n, &count, enable)?;
    n.drive(&count, &next);
    Ok(count)
}

/// A delay line: `data`: \[N\] -> what `data` was `length` clocks ago, 0 before the first, \[N\].
/// No gates, `N length` registers.
#[cell]
pub fn delay_line(n: &mut Builder, data: &Bus, length: usize) -> Fits<Bus> {
    let mut delayed = data.clone();
    for _ in 0..length {
        let stage = n.reg("stage", &Bus::constant(0, data.width()));
        n.drive(&stage, &delayed);
        delayed = stage;
    }
    Ok(delayed)
}

/// A Johnson counter: a ring that complements what comes out -> its bits, \[width\]. It starts at 0,
/// fills with ones from the low end, then with zeros, and repeats after `2 width` clocks. At most
/// one gate.
#[cell]
pub fn johnson_counter(n: &mut Builder, width: usize) -> Fits<Bus> {
    let ring = n.reg("ring", &Bus::constant(0, width));
    let (rest, highest) = ring.hslice(&Bus::zero())?;
    let lowest = n.not(&highest)?;
    n.drive(&ring, &cat([lowest, rest]));
    Ok(ring)
}

/// A linear feedback shift register after Fibonacci: `seed`: \[N\], constant, not 0, `taps`: bit
/// `i` set where register bit `i` feeds back -> its bits, \[N\]. At each clock edge they move up one
/// place and the parity of the taps comes in at the low end.
///
/// Taps 15, 14, 12 and 3 make 16 bits run through all 65,535 states.
#[cell]
pub fn lfsr(n: &mut Builder, seed: &Bus, taps: u64) -> Fits<Bus> {
    let state = n.reg("state", seed);
    let tapped = (0..state.width().min(64)).filter(|&bit| taps >> bit & 1 == 1);
    let mut feedback = Bus::zero();
    for bit in tapped {
        feedback = n.xor(&feedback, &state.bit(bit)?)?;
    }
    n.drive(&state, &cat([feedback, state.low(state.width().saturating_sub(1))]));
    Ok(state)
}

/// A pulse stretcher: `trigger`: \[1\] -> set while `trigger` is and for `length` clocks after, \[1\].
/// A count down of as many bits as `length` has.
#[cell]
pub fn pulse_stretcher(n: &mut Builder, trigger: &Bus, length: u64) -> Fits<Bus> {
    if length == 0 {
        return Ok(trigger.clone());
    }
    let width = (u64::BITS - length.leading_zeros()) as usize;
    let left = n.reg("left", &Bus::constant(0, width));
    let running = any(n, &left)?;
    let mut borrow = running.clone();
    let mut next = Bus::void();
    for bit in 0..width {
        let (left, reload) = (left.bit(bit)?, length >> bit & 1 == 1);
        let lut = if reload { DOWN_OR_ONE } else { DOWN_OR_ZERO };
        next = cat([next, n.lut(lut, &[&left, &borrow, trigger])?]);
        borrow = n.lut(Lut::AND_NOT, &[&borrow, &left])?;
    }
    n.drive(&left, &next);
    n.or(trigger, &running)
}

/// An elementary cellular automaton on a ring (Wolfram, 1983): `start`: \[N\], constant, `rule`: bit
/// `4 l + 2 c + r` is what becomes of a cell `c` between `l` and `r` -> its cells, \[N\]. The left
/// neighbour of a cell is the wire above it; that of the highest wire is the lowest. `N` gates.
#[cell]
pub fn elementary_automaton(n: &mut Builder, start: &Bus, rule: u8) -> Fits<Bus> {
    let cells = n.reg("cells", start);
    let (rest, highest) = cells.hslice(&Bus::zero())?;
    let right = cat([highest, rest]);
    let left = cat([cells.skip(1), cells.low(1)]);
    let next = n.lut(Lut::new(3, rule.into()), &[&right, &cells, &left])?;
    n.drive(&cells, &next);
    Ok(cells)
}

/// A latch of two crossed NOR gates: `set`, `reset`: \[1\] -> the stored bit, its complement, each
/// \[1\]. With neither input set it keeps what it had; with both set, both outputs are 0.
///
/// Its loop crosses no register, so the circuit must
/// [allow asynchronous loops](Builder::allow_loops).
#[cell]
pub fn sr_latch(n: &mut Builder, set: &Bus, reset: &Bus) -> Fits<(Bus, Bus)> {
    let crossed = n.forward("crossed", 1);
    let stored = n.lut(Lut::NOR, &[reset, &crossed])?;
    let complement = n.lut(Lut::NOR, &[set, &stored])?;
    n.tie(&crossed, &complement);
    Ok((stored, complement))
}
