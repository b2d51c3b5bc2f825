//! A bound of the tokens' weights: full at first, then a geometric series.

use std::f64::consts::LN_2;

/// The weights `2^min(0, spread - decay * j)` of the tokens of age `j = 0, 1, ..`.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// What the exponent loses a token, at least 0.
    pub decay: f64,
    /// What it may lose before the weight falls below 1; if negative, no weight is full.
    pub spread: f64,
}

impl Weights {
    /// The sum of the weights of the `tokens` youngest tokens; `tokens` may be infinite.
    pub fn sum(self, tokens: f64) -> f64 {
        let Self { decay, spread } = self;
        if tokens < 1.0 {
            return 0.0;
        }
        let full = self.full_weights().min(tokens);
        let rest = tokens - full;
        if full == tokens {
            return full;
        }
        if decay == 0.0 && tokens.is_infinite() {
            // Even where a single weight is too small for f64.
            return f64::INFINITY;
        }
        let first = (spread - decay * full).min(0.0).exp2();
        full + first * geometric_sum(decay, rest)
    }

    /// How many weights are 1.
    fn full_weights(self) -> f64 {
        let Self { decay, spread } = self;
        if spread < 0.0 {
            0.0
        } else if decay == 0.0 {
            f64::INFINITY
        } else {
            (spread / decay).floor() + 1.0
        }
    }
}

/// The sum of `2^(-decay * j)` over `j < terms`.
fn geometric_sum(decay: f64, terms: f64) -> f64 {
    if decay == 0.0 {
        return terms;
    }
    // 1 - 2^-x without cancellation.
    let complement = |x: f64| -(-x * LN_2).exp_m1();
    complement(decay * terms) / complement(decay)
}
