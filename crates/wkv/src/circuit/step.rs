//! One token of one channel, as combinational logic from the state to the next state.

use morpho::bus::cat;
use morpho::library::adder::ripple_adder;
use morpho::library::compare::maximum_and_distance;
use morpho::library::reduce::any;
use morpho::library::saturate::saturating_adder;
use morpho::{Builder, Bus, Fits, Lut, cell};

use super::WIDTH;
use super::divide::divide;
use super::exp2::exp2neg;
use super::multiply::multiply;
use crate::spec::WkvSpec;

/// What one token does to one channel.
pub struct StepResult {
    /// The output, \[16\].
    pub out: Bus,
    /// The next weighted sum of values, \[16\].
    pub aa: Bus,
    /// The next sum of weights, \[16\].
    pub bb: Bus,
    /// The next largest exponent, \[16\].
    pub pp: Bus,
    /// What saturated, one wire each: `ww`, `ww2`, `num`, `den`, `out`, `aa`, `bb`.
    pub saturated: Bus,
    /// Which exponentials underflowed, one wire each: `e1`, `e2`, `f1`, `f2`.
    pub underflowed: Bus,
}

/// The registers of one channel: `aa`, `bb`, `pp`, each \[16\].
#[derive(Clone, Copy)]
pub struct State<'a> {
    /// The weighted sum of values.
    pub aa: &'a Bus,
    /// The sum of weights.
    pub bb: &'a Bus,
    /// The largest exponent so far, decayed.
    pub pp: &'a Bus,
}

/// One token: `k`, `v`, `u`, `w`: \[16\] and the state -> output and next state.
///
/// The state is updated from the values that `aa` and `bb` had before the token, never from the
/// sums that made the output.
#[cell]
pub fn step(
    n: &mut Builder,
    state: State,
    k: &Bus,
    v: &Bus,
    u: &Bus,
    w: &Bus,
    spec: &WkvSpec,
) -> Fits<StepResult> {
    let State { aa, bb, pp } = state;
    let (bonus, ww_saturated) = saturating_adder(n, u, k)?;
    let (out, [num, den, out_saturated, e1, e2]) = output(n, aa, bb, pp, &bonus, v, spec)?;
    let (decayed, ww2_saturated) = saturating_adder(n, pp, w)?;
    n.signal("ww", &bonus);
    n.signal("ww2", &decayed);
    let ([aa, bb, pp], [aa_saturated, bb_saturated, f1, f2]) =
        update(n, aa, bb, &decayed, k, v, spec)?;
    let saturated =
        cat([ww_saturated, ww2_saturated, num, den, out_saturated, aa_saturated, bb_saturated]);
    Ok(StepResult { out, aa, bb, pp, saturated, underflowed: cat([e1, e2, f1, f2]) })
}

/// The output of a token: state `aa`, `bb`, `pp` and the token's exponent and value `ww`, `v`, each
/// \[16\] -> output \[16\]; saturations of `num`, `den`, `out`, underflows of `e1`, `e2`, each \[1\].
#[cell]
fn output(
    n: &mut Builder,
    aa: &Bus,
    bb: &Bus,
    pp: &Bus,
    ww: &Bus,
    v: &Bus,
    spec: &WkvSpec,
) -> Fits<(Bus, [Bus; 5])> {
    let weights = weigh(n, pp, ww, spec)?;
    let (numerator, num_saturated) = weights.sum(n, aa, v)?;
    // `bb` is never negative in a stream, so its sign wire is left unread.
    let bb = bb.low(WIDTH - 1).zero_extend(WIDTH);
    let (whole, other) = weights.order(n, &bb, &one(spec))?;
    let scaled = multiply(n, &other, &weights.factor)?;
    let (denominator, den_saturated) = match spec.guard {
        true => guarded_sum(n, &whole, &scaled)?,
        false => bare_sum(n, &whole, &scaled)?,
    };
    let (out, out_saturated) = divide(n, &numerator, &denominator, spec)?;
    let [e1, e2] = weights.underflows(n)?;
    for (name, bus) in [
        ("p", &weights.exponent),
        ("e", &weights.factor),
        ("num", &numerator),
        ("den", &denominator),
    ] {
        n.signal(name, bus);
    }
    Ok((out, [num_saturated, den_saturated, out_saturated, e1, e2]))
}

/// The next state after a token: state `aa`, `bb`, its exponent `ww2`, and the token `k`, `v`, each
/// \[16\] -> next `aa`, `bb`, `pp`, \[16\]; saturations of `aa`, `bb`, underflows of `f1`, `f2`, each
/// \[1\].
#[cell]
fn update(
    n: &mut Builder,
    aa: &Bus,
    bb: &Bus,
    ww2: &Bus,
    k: &Bus,
    v: &Bus,
    spec: &WkvSpec,
) -> Fits<([Bus; 3], [Bus; 4])> {
    let weights = weigh(n, ww2, k, spec)?;
    let (aa, aa_saturated) = weights.sum(n, aa, v)?;
    let (bb, bb_saturated) = weights.sum(n, bb, &one(spec))?;
    let [f1, f2] = weights.underflows(n)?;
    n.signal("p2", &weights.exponent);
    n.signal("f", &weights.factor);
    Ok(([aa, bb, weights.exponent], [aa_saturated, bb_saturated, f1, f2]))
}

/// The weights of a state and a token: the one with the larger exponent weighs 1.
struct Weights {
    /// The larger exponent, \[16\].
    exponent: Bus,
    /// Whether the token's exponent is the larger one, \[1\].
    token_leads: Bus,
    /// The weight of the other, Q0.16 \[17\].
    factor: Bus,
    /// Whether that weight underflowed, \[1\].
    underflow: Bus,
}

/// The weights of a state and a token: their exponents `state`, `token`: \[16\] -> [`Weights`].
#[cell]
fn weigh(n: &mut Builder, state: &Bus, token: &Bus, spec: &WkvSpec) -> Fits<Weights> {
    let (exponent, distance, token_leads) = maximum_and_distance(n, state, token)?;
    let (factor, underflow) = exp2neg(n, &distance, spec)?;
    Ok(Weights { exponent, token_leads, factor, underflow })
}

impl Weights {
    /// `state` and `token`: \[16\] -> the one that weighs 1, and the other one, each \[16\].
    fn order(&self, n: &mut Builder, state: &Bus, token: &Bus) -> Fits<(Bus, Bus)> {
        let whole = n.select(&self.token_leads, state, token)?;
        Ok((whole, n.select(&self.token_leads, token, state)?))
    }

    /// The weighted sum of `state` and `token`: \[16\] -> \[16\]; whether it saturated \[1\].
    fn sum(&self, n: &mut Builder, state: &Bus, token: &Bus) -> Fits<(Bus, Bus)> {
        let (whole, other) = self.order(n, state, token)?;
        weighted_sum(n, &whole, &other, &self.factor)
    }

    /// Whether the weight of the state, and that of the token, underflowed.
    fn underflows(&self, n: &mut Builder) -> Fits<[Bus; 2]> {
        let state = n.and(&self.underflow, &self.token_leads)?;
        Ok([state, n.lut(Lut::AND_NOT, &[&self.underflow, &self.token_leads])?])
    }
}

/// `sat(whole + floor(other factor / 65536))`: `whole`, `other`: \[16\], `factor`: Q0.16 \[17\] -> \[16\];
/// whether it saturated \[1\].
#[cell]
pub fn weighted_sum(n: &mut Builder, whole: &Bus, other: &Bus, factor: &Bus) -> Fits<(Bus, Bus)> {
    let scaled = multiply(n, other, factor)?;
    saturating_adder(n, whole, &scaled)
}

/// The raw number 1.0, which scaled by a factor is `factor >> (16 - F)`.
fn one(spec: &WkvSpec) -> Bus {
    Bus::constant(1 << spec.format.fraction_bits(), WIDTH)
}

/// The denominator: `a`, `b`: \[16\], neither negative -> `min(a + b, 32767) + 1`, unsigned \[16\];
/// whether the sum was above 32767 \[1\].
///
/// The one comes in as the adder's carry. A sum above the limit then reaches `2^15`, which is the
/// largest denominator there is.
#[cell]
fn guarded_sum(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<(Bus, Bus)> {
    let (a, b) = (a.low(WIDTH - 1), b.low(WIDTH - 1));
    let (sum, largest) = ripple_adder(n, &a, &b, &Bus::one())?;
    let denominator = n.lut(Lut::AND_NOT, &[&sum, &largest])?;
    let beyond = any(n, &sum)?;
    Ok((cat([&denominator, &largest]), n.and(&largest, &beyond)?))
}

/// The denominator without a guard: `a`, `b`: \[16\], neither negative -> `min(a + b, 32767)`,
/// unsigned \[16\]; whether the sum was above 32767 \[1\].
#[cell]
fn bare_sum(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<(Bus, Bus)> {
    let (a, b) = (a.low(WIDTH - 1), b.low(WIDTH - 1));
    let (sum, beyond) = ripple_adder(n, &a, &b, &Bus::zero())?;
    Ok((n.or(&sum, &beyond)?.zero_extend(WIDTH), beyond))
}
