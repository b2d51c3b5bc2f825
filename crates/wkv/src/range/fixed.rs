//! Bounds of the integer model, and the streams that come close to them.

use serde::Serialize;

use super::{Bounds, Channel, Interval, OutputWeights, Registers, Weights, real_length};
use crate::fixed::{Model, State};
use crate::spec::{Division, WkvSpec};
use crate::stats::Saturations;

/// The sums' error in f64 is far below this part of them.
const SLACK: f64 = 1.0 + 1.0 / (1 << 20) as f64;

/// The longest stream that is run in search of a saturation.
const LONGEST_WITNESS: u64 = 1 << 16;

/// Range analysis for the integer model of one spec.
#[derive(Clone, Debug)]
pub struct Fixed {
    model: Model,
    envelope: Envelope,
}

/// Streams that were run and saturated a register of the state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Witness {
    /// Tokens until `aa` saturated.
    pub aa: Option<u64>,
    /// Tokens until `bb` saturated.
    pub bb: Option<u64>,
}

/// A channel quantised, with the bounds of its weights.
struct Quantised {
    one: f64,
    greatest: f64,
    u: i32,
    /// `-w`.
    decay: i32,
    least_key: i32,
    greatest_key: i32,
    least_value: i32,
    greatest_value: i32,
    state: Weights,
    output: OutputWeights,
}

impl Fixed {
    /// The analysis for `spec`.
    pub fn new(spec: &WkvSpec) -> Self {
        let model = Model::new(spec);
        let envelope = Envelope::new(&model);
        Self { model, envelope }
    }

    /// The spec that is analysed.
    pub fn spec(&self) -> &WkvSpec {
        self.model.spec()
    }

    /// Bounds of the integer model over the first `tokens` tokens of any stream whose real inputs
    /// are those of `channel`; over streams of any length if `None`.
    ///
    /// Of each value before it is clamped. Those of all but `out` hold for registers of any width.
    pub fn bounds(&self, channel: &Channel, tokens: Option<u64>) -> Bounds {
        let format = self.spec().format;
        let q = self.quantise(channel);
        let tokens = real_length(tokens);
        let (bb, den) = (q.state.sum(tokens), q.output.sum(tokens));
        let (num, pp) = (q.num(tokens), q.keys());
        let raw = Registers {
            ww: pp.map(|k| k + f64::from(q.u)),
            ww2: pp.map(|k| k - f64::from(q.decay)),
            pp,
            aa: q.sum(bb, q.state.sum(tokens - 1.0)),
            bb: Interval { low: q.one, high: (q.one * bb * SLACK).floor() },
            num,
            den: Interval { low: q.one, high: (q.one * den * SLACK).floor() },
            out: self.out(&q, tokens, num, bb.max(den)),
        };
        raw.map(|interval| interval.map(|end| end * format.resolution()))
    }

    /// Bounds of the quotient, raw. `weights` bounds the sums of the weights.
    fn out(&self, q: &Quantised, tokens: f64, num: Interval, weights: f64) -> Interval {
        let format = self.spec().format;
        let loss = q.lost_weights(tokens);
        let clamp = (q.one * weights * SLACK / q.greatest).max(1.0);
        let guard = f64::from(u8::from(self.spec().guard));
        let overshoot = clamp * ((q.one + loss) / (q.one + guard)).max(1.0);
        let half = if self.spec().division == Division::Exact { 0.5 } else { 0.0 };
        // With the least divisor, the guard included.
        let quotient = |num: f64| num * q.one / (q.one + guard);
        let end = |value: i32, floors: f64, num: f64, rail: i32| {
            let mean = (f64::from(value.abs()) * overshoot + quotient(floors)) * SLACK;
            let clamped = quotient(num.abs().min(f64::from(rail).abs()));
            (mean.min(clamped) + half).floor()
        };
        Interval {
            low: if q.least_value < 0 {
                -end(q.least_value, loss, num.low, format.min())
            } else {
                0.0
            },
            high: if q.greatest_value > 0 {
                end(q.greatest_value, 0.0, num.high, format.max())
            } else {
                0.0
            },
        }
    }

    /// The number of tokens of the shortest stream that is not proven to leave a register
    /// unsaturated; `None` if no stream of any length saturates it.
    ///
    /// The first token of every stream, at which `ww2` saturates by design, does not count.
    pub fn first_saturation(&self, channel: &Channel) -> Registers<Option<u64>> {
        let format = self.spec().format;
        let (least, greatest) = (format.to_real(format.min()), format.to_real(format.max()));
        let fits = |interval: Interval| interval.low >= least && interval.high <= greatest;
        let any_length = self.bounds(channel, None).map(fits);
        let first = |register: fn(&Registers<bool>) -> bool| {
            if register(&any_length) {
                return None;
            }
            first(|tokens| !register(&self.bounds(channel, Some(tokens)).map(fits)))
        };
        Registers {
            ww: first(|fits| fits.ww),
            ww2: first(|fits| fits.ww2).map(|tokens| tokens.max(2)),
            pp: first(|fits| fits.pp),
            aa: first(|fits| fits.aa),
            bb: first(|fits| fits.bb),
            num: first(|fits| fits.num),
            den: first(|fits| fits.den),
            out: first(|fits| fits.out),
        }
    }

    /// Runs streams of [`worst_keys`](Self::worst_keys) to see whether registers of the state
    /// saturate, and after how few tokens. A stream of at most 65,536 tokens is tried; that none
    /// is found is no proof.
    pub fn witness(&self, channel: &Channel) -> Witness {
        let first = self.first_saturation(channel);
        Witness {
            aa: self.shortest(channel, first.aa, |saturations| saturations.aa),
            bb: self.shortest(channel, first.bb, |saturations| saturations.bb),
        }
    }

    /// The raw keys of a stream of `tokens` tokens, oldest first, that takes `bb` close to its
    /// bound: they fall as fast as the decay and the exponential allow at full weight.
    pub fn worst_keys(&self, channel: &Channel, tokens: usize) -> Vec<i32> {
        let q = self.quantise(channel);
        let mut keys = Vec::with_capacity(tokens);
        let mut key = q.least_key;
        for _ in 0..tokens {
            keys.push(key);
            key = self.key_before(&q, key);
        }
        keys.reverse();
        keys
    }

    /// The greatest key before `next` whose token keeps the most weight; lower ones if they cost
    /// the same, because they leave more room for the keys before.
    fn key_before(&self, q: &Quantised, next: i32) -> i32 {
        let least_exponent = self.spec().format.min();
        let factor = |key: i32| self.model.exp2neg(next - (key - q.decay).max(least_exponent));
        let mut key = q.greatest_key.min(next + q.decay);
        let greatest_factor = factor(key);
        while key > q.least_key && factor(key - 1) == greatest_factor {
            key -= 1;
        }
        key
    }

    /// Searches the shortest stream of the worst keys that saturates a register.
    fn shortest(
        &self,
        channel: &Channel,
        at_least: Option<u64>,
        register: fn(Saturations) -> u64,
    ) -> Option<u64> {
        let at_least = at_least?;
        let saturates = |tokens: u64| register(self.saturations(channel, tokens as usize)) > 0;
        let (mut without, mut with) = (at_least - 1, (2 * at_least + 16).min(LONGEST_WITNESS));
        if without >= with || !saturates(with) {
            return None;
        }
        while with - without > 1 {
            let middle = without + (with - without) / 2;
            *(if saturates(middle) { &mut with } else { &mut without }) = middle;
        }
        Some(with)
    }

    /// What a stream of the worst keys with the greatest values saturates.
    fn saturations(&self, channel: &Channel, tokens: usize) -> Saturations {
        let q = self.quantise(channel);
        let v = std::cmp::max_by_key(q.least_value, q.greatest_value, |value| value.abs());
        let mut state = State::start(self.spec());
        let mut saturations = Saturations::default();
        for k in self.worst_keys(channel, tokens) {
            let step = self.model.step(state, k, v, q.u, -q.decay);
            state = step.next;
            saturations += step.counts.saturations;
        }
        saturations
    }

    fn quantise(&self, channel: &Channel) -> Quantised {
        let format = self.spec().format;
        let raw = |x: f64| format.quantise(x).0;
        let Channel { u, w, k, v } = *channel;
        let (u, decay) = (raw(u), -raw(w));
        let (least_key, greatest_key) = (raw(k.low), raw(k.high));

        // What is left of the decay if `ww2` saturates.
        let decay_kept = decay.min(least_key - format.min());
        let share_kept = if decay == 0 { 1.0 } else { f64::from(decay_kept) / f64::from(decay) };
        let line = self.envelope.line_at(format.to_real(decay_kept));
        let spread_of = |raw: i32| line.slope * share_kept * format.to_real(raw);

        let spread = greatest_key - least_key;
        let least_exponent = format.saturate(u + least_key).max(least_key);
        let current = (least_key - format.saturate(u + greatest_key)).max(0);
        let state = Weights {
            decay: (line.slope * format.to_real(decay_kept) - line.offset).max(0.0),
            spread: spread_of(spread),
        };
        Quantised {
            one: format.one().into(),
            greatest: format.max().into(),
            u,
            decay,
            least_key,
            greatest_key,
            least_value: raw(v.low),
            greatest_value: raw(v.high),
            state,
            output: OutputWeights {
                current: f64::from(self.model.exp2neg(current)) / 65536.0,
                state: Weights {
                    spread: spread_of(spread - (least_exponent - least_key)) + line.offset,
                    ..state
                },
            },
        }
    }
}

impl Quantised {
    fn keys(&self) -> Interval {
        Interval { low: self.least_key.into(), high: self.greatest_key.into() }
    }

    /// Bounds of a sum of values, raw, whose weights add up to `weights`, where floors lose less
    /// than one unit each with weights that add up to `losses`.
    fn sum(&self, weights: f64, losses: f64) -> Interval {
        let (low, high) = (f64::from(self.least_value), f64::from(self.greatest_value));
        let Interval { low, high } = Interval { low, high }.times(weights);
        let low = if low < 0.0 { -((losses - low) * SLACK).floor() } else { low };
        let high = if high > 0.0 { (high * SLACK).floor() } else { high };
        Interval { low, high }
    }

    fn num(&self, tokens: f64) -> Interval {
        self.sum(self.output.sum(tokens), self.lost_weights(tokens))
    }

    /// The weights in the output of the inexact products, one a token from the second on.
    fn lost_weights(&self, tokens: f64) -> f64 {
        if tokens < 2.0 { 0.0 } else { 1.0 + self.output.state.sum(tokens - 2.0) }
    }
}

/// The least number that satisfies `reached`, which all greater ones then do.
fn first(reached: impl Fn(u64) -> bool) -> Option<u64> {
    let mut with = 1_u64;
    while !reached(with) {
        with = with.checked_mul(2)?;
    }
    let mut without = with / 2;
    while with - without > 1 {
        let middle = without + (with - without) / 2;
        *(if reached(middle) { &mut with } else { &mut without }) = middle;
    }
    Some(with)
}

/// The lower convex envelope of `-log2` of a spec's exponential.
#[derive(Clone, Debug)]
struct Envelope {
    /// Its corners `(x, -log2 e(x))` by rising `x`, in real numbers; the first is the origin.
    corners: Vec<(f64, f64)>,
}

/// The line `slope * x - offset`, nowhere above an envelope.
#[derive(Clone, Copy, Debug)]
struct Line {
    slope: f64,
    offset: f64,
}

impl Envelope {
    fn new(model: &Model) -> Self {
        let format = model.spec().format;
        let mut corners: Vec<(f64, f64)> = Vec::new();
        // Beyond the last argument that gives more than 0 there is no weight to bound.
        for x in 0..1 << format.bits() {
            let factor = model.exp2neg(x);
            if factor == 0 {
                break;
            }
            let point = (format.to_real(x), 16.0 - f64::from(factor).log2());
            while let [.., a, b] = corners[..] {
                if slope(a, b) < slope(b, point) {
                    break;
                }
                corners.pop();
            }
            corners.push(point);
        }
        Self { corners }
    }

    /// The line along the envelope just below `x`; beyond its end, along its last part.
    fn line_at(&self, x: f64) -> Line {
        let right = self.corners.partition_point(|corner| corner.0 < x);
        let right = right.clamp(1, self.corners.len() - 1);
        let (a, b) = (self.corners[right - 1], self.corners[right]);
        let slope = slope(a, b);
        Line { slope, offset: (slope * a.0 - a.1).max(0.0) }
    }
}

fn slope(a: (f64, f64), b: (f64, f64)) -> f64 {
    (b.1 - a.1) / (b.0 - a.0)
}
