//! What each register of the recurrence can reach: proven bounds for any stream of given ranges.
//!
//! A [`Channel`] is a bonus `u`, a decay `w` and the intervals that its keys and values stay in.
//! [`Channel::bounds`] holds for real arithmetic, [`Fixed::bounds`] for the integer model of a
//! spec, to the bit. All exponents are base 2.
//!
//! # Real arithmetic
//!
//! Let `d = -w`, and let `D` be the width of the keys' interval `[L, H]`. After `n` tokens the
//! token of age `j` (0 is the newest) has the exponent `x_j = k - d j`, with
//! `L - d j <= x_j <= H - d j`. Then `pp = max x_j`, `bb` is the sum of `2^(x_j - pp)`, and `aa` is
//! the same sum with each term times its value.
//!
//! For a given `pp` each term is at most `2^min(0, H - d j - pp)`, which falls as `pp` rises, and
//! `pp >= x_0 >= L`. So
//!
//! ```text
//! 1 <= bb <= S(n),   S(n) = sum over j < n of 2^min(0, D - d j)
//! ```
//!
//! The upper end is reached by keys that fall as fast as the weights decay,
//! `k_j = min(H, L + d j)`: all terms take their bound at once ([`Channel::worst_keys`]). About
//! `D / d` tokens keep the full weight; the older ones add a geometric series. With constant keys
//! `D = 0`, and the limit is `1 / (1 - 2^w)`. The lower end is the first token. From
//! `min v * bb <= aa <= max v * bb` follow the bounds of `aa`, reached with constant values.
//!
//! The output's sum has the same form with one more term: the current token at `u + k`, and the
//! state's terms at their own ages, `n - 1` of them. Its exponent `p` is at least `L + max(u, 0)`,
//! so for `n >= 2`
//!
//! ```text
//! 1 <= den <= 2^min(0, D + min(u, 0)) + sum over j < n - 1 of 2^min(0, D - max(u, 0) - d j)
//! ```
//!
//! again reached, with `x_j = min(H - d j, p)` and the current key `min(H, p - u)`. `num` lies
//! between `min v * den` and `max v * den`. `out = num / den` is a mean of values, so it stays in
//! their interval; the first token reaches both ends. Every bound of real arithmetic is attained.
//!
//! # The integer model
//!
//! Let `e(x)` be the spec's exponential divided by 65536, which is not `2^-x`: it is a table with
//! floors, and without interpolation `e(x) = 1` for small `x`. The state's factor in the update is
//! `e(p2 - ww2)`.
//!
//! *The worst keys lead.* Raising a key to the `p2` that it meets changes no exponent and no factor
//! of the state, and gives the token its full weight. So for an upper bound every key may be `p2`,
//! and a token's weight is a product of `j` factors `e(x)`. As long as `ww2` doesn't saturate, the
//! arguments add up to `k_newest - k + d j >= d j - D`.
//!
//! *`ww2` may saturate* at the least exponent `R`. Such a step has only `x >= L - R`. A token of
//! the greatest key falls for `D / d` tokens before it gets there, so in all cases the arguments
//! add up to at least `c (d j - D)` with `c = min(d, L - R) / d`.
//!
//! *A line under the exponential.* `-log2 e(x) >= a x - b` for a line that touches its lower
//! convex envelope, `b >= 0`. Taken at `x = c d` it gives
//!
//! ```text
//! weight of age j <= 2^min(0, D' - d' j),   d' = a c d - b,   D' = a c D
//! ```
//!
//! the real form with a slightly slower decay and another spread; in the output, where the state
//! takes one factor more and `p >= L + U` with `U = max(0, sat(u + L) - L)`, `D'` is
//! `a c (D - U) + b`. If `d'` is 0, as for a decay that was quantised to 0, there is no limit.
//!
//! *Floors.* Products are floored, so `bb`, `den` and the positive parts of `aa` and `num` never
//! exceed the sum of their weights. Of the two products of a step one has the factor 1 and is
//! exact, so the negative part of `aa` grows by less than one raw unit a token more, which then
//! decays like a token: `aa >= -(|min v| S(n) + S(n - 1))` in raw units. Clamping never lets a
//! positive or negative part grow, so all this holds with saturation too.
//!
//! *The output* is no mean of values any more. `bb` loses up to one unit a token to floors, and a
//! factor of up to `B / max` to its clamp, where `B` is the bound of `bb` and `den`. With `Λ` the
//! sum of the losses' weights, `den >= num / max v * max / B - Λ` in raw units, and `den >= one`,
//! so `out <= max v * B / max * (one + Λ) / (one + 1)`. The numerator is clamped too, and
//! `|out| <= 2^15 one / (one + 1)`: from the start of a stream `out` never saturates. Without the
//! guard `one + 1` is `one`, and `out` reaches the rails but does not pass them.
//!
//! Sums are evaluated in f64 and raised by one part in 2^20, far more than they can err. How close
//! streams come to these bounds is tested: see the tests of this module.

mod fixed;
mod weights;

pub use fixed::{Fixed, Witness};

use serde::Serialize;
use weights::Weights;

/// A channel that cannot be analysed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum RangeError {
    /// An end that is no finite number, or ends in the wrong order.
    #[error("no interval from {low} to {high}: expected two finite numbers, the lesser first")]
    Interval {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// The bonus is not finite.
    #[error("the bonus {0} is not finite")]
    Bonus(f64),
    /// The decay is not finite, or is positive.
    #[error("the decay {0} is not available: expected a finite number of at most 0")]
    Decay(f64),
}

/// The real numbers from `low` to `high`; a bound that does not exist is infinite.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// The interval with finite ends.
    ///
    /// # Errors
    /// If an end is not finite or `low > high`.
    pub fn new(low: f64, high: f64) -> Result<Self, RangeError> {
        if low.is_finite() && high.is_finite() && low <= high {
            Ok(Self { low, high })
        } else {
            Err(RangeError::Interval { low, high })
        }
    }

    /// Whether `x` is within.
    pub fn contains(&self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// `high - low`.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    /// The least number of integer bits, the sign included, of a signed format that holds it all:
    /// the least `m >= 1` with `-2^(m-1) <= low` and `high < 2^(m-1)`. None if it is unbounded.
    pub fn integer_bits(&self) -> Option<u32> {
        let holds = |bits: &u32| {
            let end = f64::from(bits - 1).exp2();
            -end <= self.low && self.high < end
        };
        (1..=f64::MAX_EXP as u32).find(holds)
    }

    fn map(self, change: impl Fn(f64) -> f64) -> Self {
        Self { low: change(self.low), high: change(self.high) }
    }

    /// Bounds of a sum of values whose weights add up to at least 1 and at most `weights`.
    fn times(self, weights: f64) -> Self {
        let low = if self.low < 0.0 { self.low * weights } else { self.low };
        let high = if self.high > 0.0 { self.high * weights } else { self.high };
        Self { low, high }
    }
}

/// One value for each register and intermediate sum of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Registers<T> {
    /// `u + k`, the exponent of the current token.
    pub ww: T,
    /// `pp + w`, the decayed exponent, from the second token on.
    pub ww2: T,
    /// The state's exponent, after a token.
    pub pp: T,
    /// The numerator state, after a token.
    pub aa: T,
    /// The denominator state, after a token.
    pub bb: T,
    /// The numerator.
    pub num: T,
    /// The denominator, before its guard is added.
    pub den: T,
    /// The quotient.
    pub out: T,
}

impl<T> Registers<T> {
    /// Every value with the name of its register, in order of declaration.
    pub fn named(&self) -> [(&'static str, &T); 8] {
        let Self { ww, ww2, pp, aa, bb, num, den, out } = self;
        let values = [ww, ww2, pp, aa, bb, num, den, out];
        let names = ["ww", "ww2", "pp", "aa", "bb", "num", "den", "out"];
        std::array::from_fn(|i| (names[i], values[i]))
    }

    /// Changes every value.
    pub fn map<U>(self, change: impl Fn(T) -> U) -> Registers<U> {
        let Self { ww, ww2, pp, aa, bb, num, den, out } = self;
        Registers {
            ww: change(ww),
            ww2: change(ww2),
            pp: change(pp),
            aa: change(aa),
            bb: change(bb),
            num: change(num),
            den: change(den),
            out: change(out),
        }
    }
}

/// What each register stays in, as real numbers. In fixed point, before it is clamped.
pub type Bounds = Registers<Interval>;

/// The constants of one channel and what its keys and values stay in, all exponents base 2.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Channel {
    u: f64,
    w: f64,
    k: Interval,
    v: Interval,
}

impl Channel {
    /// The channel with bonus `u` and decay `w <= 0` for keys in `k` and values in `v`.
    ///
    /// # Errors
    /// If a constant is not finite or the decay is positive.
    pub fn new(u: f64, w: f64, k: Interval, v: Interval) -> Result<Self, RangeError> {
        if !u.is_finite() {
            return Err(RangeError::Bonus(u));
        }
        if !w.is_finite() || w > 0.0 {
            return Err(RangeError::Decay(w));
        }
        Ok(Self { u, w, k, v })
    }

    /// The bonus.
    pub fn u(&self) -> f64 {
        self.u
    }

    /// The decay.
    pub fn w(&self) -> f64 {
        self.w
    }

    /// What the keys stay in.
    pub fn k(&self) -> Interval {
        self.k
    }

    /// What the values stay in.
    pub fn v(&self) -> Interval {
        self.v
    }

    /// Bounds in real arithmetic over the first `tokens` tokens of any stream; over streams of any
    /// length if `None`. Each end is attained (at the limit of `None`: approached).
    pub fn bounds(&self, tokens: Option<u64>) -> Bounds {
        let Self { u, w, k, v } = *self;
        let tokens = real_length(tokens);
        let state = Weights { decay: -w, spread: k.width() };
        let output = OutputWeights {
            current: (k.width() + u.min(0.0)).min(0.0).exp2(),
            state: Weights { spread: k.width() - u.max(0.0), ..state },
        };
        let (bb, den) = (state.sum(tokens), output.sum(tokens));
        Registers {
            ww: k.map(|k| u + k),
            ww2: k.map(|k| k + w),
            pp: k,
            aa: v.times(bb),
            bb: Interval { low: 1.0, high: bb },
            num: v.times(den),
            den: Interval { low: 1.0, high: den },
            out: v,
        }
    }

    /// The keys of a stream of `tokens` tokens, oldest first, that takes `bb` to its bound: they
    /// fall as fast as the weights decay.
    pub fn worst_keys(&self, tokens: usize) -> Vec<f64> {
        let Self { w, k, .. } = *self;
        (0..tokens).rev().map(|age| k.high.min(k.low - w * age as f64)).collect()
    }
}

/// The weights of the output's sum.
#[derive(Clone, Copy, Debug)]
struct OutputWeights {
    /// The current token's, if there is a state.
    current: f64,
    /// The state's tokens'.
    state: Weights,
}

impl OutputWeights {
    /// The greatest sum within the first `tokens` tokens; 1 at the first.
    fn sum(self, tokens: f64) -> f64 {
        if tokens < 2.0 { 1.0 } else { (self.current + self.state.sum(tokens - 1.0)).max(1.0) }
    }
}

/// Any length is infinite.
fn real_length(tokens: Option<u64>) -> f64 {
    tokens.map_or(f64::INFINITY, |tokens| tokens as f64)
}
