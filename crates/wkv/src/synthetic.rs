//! Keys and values drawn at random over the whole range of decays, to measure an arithmetic without
//! a model.

use std::f64::consts::TAU;
use std::fmt;

use morpho::random::Random;
use serde::{Deserialize, Serialize};

use crate::float::Float;
use crate::recurrence::{Numerics, Recurrence};
use crate::stats::{Counts, ErrorStats};

/// The decays of the published model, base 2: from the fastest to the slowest channel.
pub const DECAYS: [f64; 2] = [-26.5, -0.0098];

/// The bonuses of the published model, base 2.
pub const BONUSES: [f64; 2] = [-0.07, 0.72];

/// How keys and values run along a stream. Either way their mean is 0 and their RMS the scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Course {
    /// Every token's own draw from the normal distribution.
    Independent,
    /// The sum of three sines of equal amplitude with random phases, whose periods are drawn
    /// log-uniformly from [`PERIODS`].
    Wandering,
}

/// The shortest and the longest period of a wandering signal, in tokens.
pub const PERIODS: [f64; 2] = [4.0, 256.0];

/// Sines in a wandering signal.
const SINES: usize = 3;

/// A distribution of keys and values.
///
/// Decays are spaced evenly in their logarithm over [`DECAYS`], one a channel; bonuses are uniform
/// over [`BONUSES`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    /// How keys and values run along a stream.
    pub course: Course,
    /// RMS of the keys, base 2.
    pub key_scale: f64,
    /// RMS of the values.
    pub value_scale: f64,
}

/// Keys and values of a bank of channels. `k` and `v` are `[token][channel]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Streams {
    /// Bonuses, one a channel, base 2.
    pub u: Vec<f64>,
    /// Decays, one a channel, base 2.
    pub w: Vec<f64>,
    /// Keys, base 2.
    pub k: Vec<f32>,
    /// Values.
    pub v: Vec<f32>,
}

/// What an arithmetic made of streams.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured<const PARTS: usize> {
    /// Errors at the output against the f64 recurrence on the same keys and values, in consecutive
    /// parts of the streams.
    pub errors: [ErrorStats; PARTS],
    /// Saturations and underflows.
    pub counts: Counts,
}

impl Distribution {
    /// Draws streams; equal seeds draw equal streams.
    pub fn draw(&self, channels: usize, tokens: usize, seed: u64) -> Streams {
        let mut random = Random::new(seed);
        let u = (0..channels).map(|_| between(BONUSES, uniform(&mut random))).collect();
        let mut signal = |scale| {
            let by_channel: Vec<Vec<f64>> =
                (0..channels).map(|_| self.course.draw(tokens, &mut random)).collect();
            let places = (0..tokens).flat_map(|token| (0..channels).map(move |c| (token, c)));
            places.map(|(token, channel)| (scale * by_channel[channel][token]) as f32).collect()
        };
        Streams { u, w: decays(channels), k: signal(self.key_scale), v: signal(self.value_scale) }
    }
}

impl Streams {
    /// Runs each of `numerics` beside the f64 recurrence and compares their outputs in `PARTS` equal
    /// parts of the streams.
    ///
    /// # Panics
    /// If the streams do not fall into so many parts.
    pub fn measure<const ARMS: usize, const PARTS: usize>(
        &self,
        numerics: [&dyn Numerics; ARMS],
    ) -> [Measured<PARTS>; ARMS] {
        let tokens = self.v.len() / self.w.len();
        assert!(tokens.is_multiple_of(PARTS), "{tokens} tokens make no {PARTS} equal parts");
        let reference = self.run(&mut *Float.bank(&self.u, &self.w));
        numerics.map(|numerics| {
            let mut bank = numerics.bank(&self.u, &self.w);
            let out = self.run(&mut *bank);
            let part = |part: usize| {
                let part = part * out.len() / PARTS..(part + 1) * out.len() / PARTS;
                ErrorStats::between(&reference[part.clone()], &out[part])
            };
            Measured { errors: std::array::from_fn(part), counts: bank.counts() }
        })
    }

    /// The outputs of a bank.
    fn run(&self, bank: &mut dyn Recurrence) -> Vec<f32> {
        let mut out = vec![0.0; self.v.len()];
        bank.run(&self.k, &self.v, &mut out);
        out
    }
}

impl Course {
    /// A signal of mean 0 and RMS 1.
    fn draw(self, tokens: usize, random: &mut Random) -> Vec<f64> {
        match self {
            Self::Independent => (0..tokens).map(|_| normal(random)).collect(),
            Self::Wandering => {
                let logarithms = PERIODS.map(f64::ln);
                let sines: [(f64, f64); SINES] = std::array::from_fn(|_| {
                    let period = between(logarithms, uniform(random)).exp();
                    (TAU / period, TAU * uniform(random))
                });
                let amplitude = (2.0 / SINES as f64).sqrt();
                let value = |token: usize| -> f64 {
                    sines.iter().map(|(rate, phase)| (rate * token as f64 + phase).sin()).sum()
                };
                (0..tokens).map(|token| amplitude * value(token)).collect()
            }
        }
    }
}

impl fmt::Display for Course {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Independent => "independent",
            Self::Wandering => "wandering",
        })
    }
}

/// Decays over the whole range, spaced evenly in their logarithm.
fn decays(channels: usize) -> Vec<f64> {
    let logarithms = DECAYS.map(|w| (-w).ln());
    let steps = channels.saturating_sub(1).max(1) as f64;
    (0..channels).map(|channel| -between(logarithms, channel as f64 / steps).exp()).collect()
}

/// The point at a share of the way between two ends.
fn between([start, end]: [f64; 2], share: f64) -> f64 {
    start + (end - start) * share
}

/// A number from 0 to below 1.
fn uniform(random: &mut Random) -> f64 {
    (random.word() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A draw from the normal distribution (Box and Muller, 1958).
fn normal(random: &mut Random) -> f64 {
    // One less a uniform number is never 0, whose logarithm is infinite.
    let radius = (-2.0 * (1.0 - uniform(random)).ln()).sqrt();
    radius * (TAU * uniform(random)).cos()
}
