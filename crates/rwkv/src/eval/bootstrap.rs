//! Confidence intervals by resampling documents.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

/// A range that holds a figure with some confidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The percentile bootstrap over documents (Efron and Tibshirani, 1993, chapter 13).
///
/// Documents are drawn with replacement, as many as there are, and the figure is computed anew on
/// each draw. The draws depend on the seed and the number of documents alone, so figures of two
/// arms see the same draws and a figure made of both is paired.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bootstrap {
    /// Number of draws.
    pub resamples: usize,
    /// Share of the draws inside the interval.
    pub confidence: f64,
    /// Seed of the draws.
    pub seed: u64,
}

impl Default for Bootstrap {
    /// 2,000 draws, 95%, one fixed seed.
    fn default() -> Self {
        Self { resamples: 2_000, confidence: 0.95, seed: 1 }
    }
}

impl Bootstrap {
    /// The interval of `figure`, a function of how often each of `documents` documents was drawn.
    ///
    /// # Panics
    /// If there are no documents or no draws.
    pub fn interval(&self, documents: usize, figure: impl Fn(&[u32]) -> f64) -> Interval {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let mut figures: Vec<f64> =
            (0..self.resamples).map(|_| figure(&draw(&mut random, documents))).collect();
        figures.sort_by(f64::total_cmp);
        let outside = (1.0 - self.confidence) / 2.0;
        Interval { low: quantile(&figures, outside), high: quantile(&figures, 1.0 - outside) }
    }
}

/// How often each document is drawn.
fn draw(random: &mut impl RngExt, documents: usize) -> Vec<u32> {
    let mut times = vec![0; documents];
    for _ in 0..documents {
        times[random.random_range(0..documents)] += 1;
    }
    times
}

/// The value below which a share of the sorted `values` lies, linear between two of them.
fn quantile(values: &[f64], share: f64) -> f64 {
    let place = share * (values.len() - 1) as f64;
    let (below, above) = (place.floor(), place.ceil());
    let [low, high] = [values[below as usize], values[above as usize]];
    low + (high - low) * (place - below)
}
