//! The integer model: the recurrence in fixed point, to the bit.
//!
//! [`Model`] is the contract, written to be read: one channel, one token. [`Bank`] computes the
//! same for many channels with vector instructions.

mod bank;
pub mod exact;
pub mod newton;

pub(crate) use bank::quantise_all;
pub use bank::{Bank, OutOfRange};

use std::ops::{Add, Div, Mul, Shl, Shr, Sub};

use crate::recurrence::{Numerics, Recurrence};
use crate::spec::{Division, WkvSpec};
use crate::stats::Counts;

/// An integer to compute in: `i32`, as the circuit's widest, or `i64`, which sums without clamps do
/// not leave.
pub trait Raw:
    Copy
    + Ord
    + From<i32>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// The quotient by a positive `divisor`, rounded toward minus infinity.
    #[must_use]
    fn floor_div(self, divisor: Self) -> Self;
}

impl Raw for i32 {
    fn floor_div(self, divisor: Self) -> Self {
        self.div_euclid(divisor)
    }
}

impl Raw for i64 {
    fn floor_div(self, divisor: Self) -> Self {
        self.div_euclid(divisor)
    }
}

/// The state of one channel: raw integers of the spec's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State<T = i32> {
    /// Weighted sum of the values, divided by `2^pp`.
    pub aa: T,
    /// Sum of the weights, divided by `2^pp`. Never negative in a stream.
    pub bb: T,
    /// The largest exponent, decayed.
    pub pp: T,
}

impl State {
    /// The state of one channel before the first token of a stream in `spec`.
    pub fn start(spec: &WkvSpec) -> Self {
        Self { aa: 0, bb: 0, pp: spec.format.min() }
    }
}

/// What one token does to one channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The output, raw.
    pub out: i32,
    /// The state after the token.
    pub next: State,
    /// What saturated and underflowed: each counter 0 or 1.
    pub counts: Counts,
}

/// The table of the exponential: `round(65536 * 2^(-i / L))` for `i = 0..=L`, in Q0.16.
///
/// Runs from 65536 down to 32768, so an entry takes 17 bits.
pub fn exp2_table(spec: &WkvSpec) -> Vec<i32> {
    let entries = spec.exp2.entries();
    (0..=entries)
        .map(|i| (65536.0 * (-f64::from(i) / f64::from(entries)).exp2()).round() as i32)
        .collect()
}

/// `floor(a * e / 65536)`: a raw integer, signed and of 16 bits in `i32`, times a Q0.16 factor in
/// `0..=65536`.
#[inline(always)]
pub fn mul<T: Raw>(a: T, e: T) -> T {
    // -32768 * 65536 is the most negative i32; nothing goes beyond.
    (a * e) >> 16
}

/// The raw quotient by a positive raw `d`, as the spec divides, not clamped.
#[inline(always)]
pub fn quotient<T: Raw>(spec: &WkvSpec, n: T, d: T) -> T {
    let scaled = n << spec.format.fraction_bits();
    let two = T::from(2);
    match spec.division {
        Division::Restoring | Division::Newton => scaled / d,
        Division::Exact => (two * scaled + d).floor_div(two * d),
    }
}

/// What [`advance`] computes of a token.
pub struct Advanced<T> {
    /// The numerator of the output.
    pub num: T,
    /// Its denominator.
    pub den: T,
    /// The state after the token.
    pub next: State<T>,
    /// What saturated and underflowed on the way, without the output.
    pub counts: Counts,
}

/// The recurrence: one channel by one token, all in raw integers, with any `exponential` of a raw
/// number not below 0, any `clamp` of the exponents `ww` and `ww2`, and any of the other sums.
#[inline(always)]
pub fn advance<T: Raw>(
    spec: &WkvSpec,
    State { aa, bb, pp }: State<T>,
    [k, v, u, w]: [T; 4],
    exponential: impl Fn(T) -> T,
    clamp_exponent: impl Fn(T) -> T,
    clamp: impl Fn(T) -> T,
) -> Advanced<T> {
    let mut counts = Counts::default();
    let counted = |raw: T, clamped: T, count: &mut u64| {
        *count += u64::from(clamped != raw);
        clamped
    };
    let sat = |raw: T, count: &mut u64| counted(raw, clamp(raw), count);
    let sat_exponent = |raw: T, count: &mut u64| counted(raw, clamp_exponent(raw), count);
    let exp2neg = |x: T, count: &mut u64| {
        let factor = exponential(x);
        *count += u64::from(factor == T::from(0));
        factor
    };
    // Brings a Q0.16 factor to the fraction of the format.
    let weight = |e: T| e >> (16 - spec.format.fraction_bits());
    let (saturations, underflows) = (&mut counts.saturations, &mut counts.underflows);

    let ww = sat_exponent(u + k, &mut saturations.ww);
    let p = pp.max(ww);
    let e1 = exp2neg(p - pp, &mut underflows.e1);
    let e2 = exp2neg(p - ww, &mut underflows.e2);
    let num = sat(mul(aa, e1) + mul(v, e2), &mut saturations.num);
    let guard = T::from(i32::from(spec.guard));
    let den = sat(mul(bb, e1) + weight(e2), &mut saturations.den) + guard;

    let ww2 = sat_exponent(pp + w, &mut saturations.ww2);
    let p2 = ww2.max(k);
    let f1 = exp2neg(p2 - ww2, &mut underflows.f1);
    let f2 = exp2neg(p2 - k, &mut underflows.f2);
    let next = State {
        aa: sat(mul(aa, f1) + mul(v, f2), &mut saturations.aa),
        bb: sat(mul(bb, f1) + weight(f2), &mut saturations.bb),
        pp: p2,
    };
    Advanced { num, den, next, counts }
}

/// The arithmetic of one spec.
#[derive(Clone, Debug)]
pub struct Model {
    spec: WkvSpec,
    table: Vec<i32>,
}

impl Model {
    /// The model of `spec`.
    pub fn new(spec: &WkvSpec) -> Self {
        Self { spec: *spec, table: exp2_table(spec) }
    }

    /// The spec that is modelled.
    pub fn spec(&self) -> &WkvSpec {
        &self.spec
    }

    /// `2^-x` in Q0.16, `0..=65536`, for a raw `x` in `0..=65535`.
    pub fn exp2neg(&self, x: i32) -> i32 {
        let fraction_bits = self.spec.format.fraction_bits();
        let whole = x >> fraction_bits;
        if whole >= 16 {
            return 0;
        }
        let entries = self.spec.exp2.entries();
        let index_bits = entries.ilog2();
        // Fraction bits below the table's index. Short formats have none: there the index is
        // padded with zeros instead.
        let low_bits = fraction_bits.saturating_sub(index_bits);
        let padding = index_bits.saturating_sub(fraction_bits);
        let index = ((x >> low_bits) << padding) & (entries as i32 - 1);
        let (upper, lower) = (self.table[index as usize], self.table[index as usize + 1]);
        let mut y = upper;
        if self.spec.exp2.interpolate {
            let low = x & ((1 << low_bits) - 1);
            y -= ((upper - lower) * low) >> low_bits;
        }
        y >> whole
    }

    /// The quotient of a raw `n` in `-32768..=32767` by a raw `d` in `0..=65535`, not clamped.
    ///
    /// As in the circuit, a divisor of 0 gives a magnitude of all ones, beyond any register.
    pub fn div(&self, n: i32, d: i32) -> i32 {
        if d == 0 {
            return if n < 0 { -i32::MAX } else { i32::MAX };
        }
        quotient(&self.spec, n, d)
    }

    /// Advances one channel by one token. Everything is raw and within the format.
    ///
    /// Streams never make `bb` negative. From such a state the next one is still defined; the
    /// output divides by `den` read as unsigned 16 bits, and means nothing.
    pub fn step(&self, state: State, k: i32, v: i32, u: i32, w: i32) -> Step {
        self.step_by(|x| self.exp2neg(x), state, k, v, u, w)
    }

    /// [`Model::step`] with any exponential of a raw number in `0..=65535`.
    fn step_by(
        &self,
        exponential: impl Fn(i32) -> i32,
        state: State,
        k: i32,
        v: i32,
        u: i32,
        w: i32,
    ) -> Step {
        let saturate = |raw: i32| self.spec.format.saturate(raw);
        let inputs = [k, v, u, w];
        let Advanced { num, den, next, mut counts } =
            advance(&self.spec, state, inputs, exponential, saturate, saturate);
        let quotient = self.div(num, den & 0xffff);
        let out = saturate(quotient);
        counts.saturations.out = u64::from(out != quotient);
        Step { out, next, counts }
    }
}

impl Numerics for WkvSpec {
    fn bank(&self, u: &[f64], w: &[f64]) -> Box<dyn Recurrence> {
        Box::new(Bank::new(self, u, w))
    }
}
