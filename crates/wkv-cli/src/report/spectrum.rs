//! How long the channels of a model remember.

use rwkv::model::Model;
use serde::{Deserialize, Serialize};

/// A channel that takes longer than so many tokens to forget is slow.
pub const SLOW: f64 = 100.0;

/// The half-lives of all channels.
///
/// A weight decays by `2^w` a token, so half of it is left after `-1/w` tokens and 1/e after
/// `log2(e)` times that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spectrum {
    /// Channels of all blocks together.
    pub channels: usize,
    /// Channels with a half-life of more than [`SLOW`] tokens.
    pub slow_by_half_life: usize,
    /// Channels that keep more than 1/e for more than [`SLOW`] tokens.
    pub slow_by_e_life: usize,
    /// The blocks, first to last.
    pub by_block: Vec<BlockSpectrum>,
}

/// The half-lives of one block's channels, in tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockSpectrum {
    /// Number of the block, from 0.
    pub block: usize,
    /// The shortest.
    pub shortest: f64,
    /// The median.
    pub median: f64,
    /// The longest; infinite, and null in JSON, for a channel that forgets nothing.
    pub longest: Option<f64>,
    /// Channels in each bin: those whose half-life lies between `2^(n/2)` and `2^((n+1)/2)`, by
    /// rising n from [`FIRST_BIN`]. The outer bins hold what lies beyond them, too.
    pub histogram: Vec<usize>,
}

/// The number of the first bin.
pub const FIRST_BIN: i32 = -12;

/// Number of bins, up to a half-life of 1,024 tokens.
pub const BINS: usize = 32;

/// Bins in an octave.
const BINS_AN_OCTAVE: f64 = 2.0;

/// The half-life where a bin begins, in tokens.
pub fn bin_start(bin: usize) -> f64 {
    ((bin as f64 + f64::from(FIRST_BIN)) / BINS_AN_OCTAVE).exp2()
}

impl Spectrum {
    /// The half-lives of a model's channels.
    pub fn of(model: &Model) -> Self {
        let half_lives: Vec<Vec<f64>> =
            model.bonus_and_decay().map(|(_, w)| w.iter().map(|w| -1.0 / w).collect()).collect();
        let slow = |factor: f64| {
            half_lives.iter().flatten().filter(|&&half_life| half_life * factor > SLOW).count()
        };
        Self {
            channels: half_lives.iter().map(Vec::len).sum(),
            slow_by_half_life: slow(1.0),
            slow_by_e_life: slow(std::f64::consts::LOG2_E),
            by_block: half_lives.iter().enumerate().map(BlockSpectrum::of).collect(),
        }
    }
}

impl BlockSpectrum {
    fn of((block, half_lives): (usize, &Vec<f64>)) -> Self {
        let mut sorted = half_lives.clone();
        sorted.sort_by(f64::total_cmp);
        let mut histogram = vec![0; BINS];
        for half_life in half_lives {
            let bin = (half_life.log2() * BINS_AN_OCTAVE).floor() - f64::from(FIRST_BIN);
            histogram[bin.clamp(0.0, (BINS - 1) as f64) as usize] += 1;
        }
        let longest = sorted[sorted.len() - 1];
        Self {
            block,
            shortest: sorted[0],
            median: sorted[sorted.len() / 2],
            longest: longest.is_finite().then_some(longest),
            histogram,
        }
    }
}
