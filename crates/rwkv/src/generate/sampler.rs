//! Drawing tokens from logits, from a seed.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use super::{GenerateError, Options};
use crate::softmax::most_likely;

/// Draws tokens from logits.
pub(super) struct Sampler {
    options: Options,
    random: Xoshiro256PlusPlus,
}

/// A token that may be drawn, with its weight: its probability times some constant.
#[derive(Clone, Copy)]
struct Candidate {
    token: u32,
    weight: f64,
}

impl Sampler {
    /// Checks the options.
    pub(super) fn new(options: Options) -> Result<Self, GenerateError> {
        let Options { temperature, top_p, .. } = options;
        if !temperature.is_finite() || temperature < 0.0 {
            return Err(GenerateError::Temperature(temperature));
        }
        if !(top_p > 0.0 && top_p <= 1.0) {
            return Err(GenerateError::TopP(top_p));
        }
        Ok(Self { options, random: Xoshiro256PlusPlus::seed_from_u64(options.seed) })
    }

    pub(super) fn draw(&mut self, logits: &[f32]) -> u32 {
        let most_likely = most_likely(logits);
        if self.options.temperature == 0.0 {
            return most_likely;
        }
        let candidates = self.nucleus(logits, f64::from(logits[most_likely as usize]));
        let total: f64 = candidates.iter().map(|candidate| candidate.weight).sum();
        let mut rest = self.random.random::<f64>() * total;
        for candidate in candidates {
            rest -= candidate.weight;
            if rest < 0.0 {
                return candidate.token;
            }
        }
        most_likely
    }

    /// The fewest tokens that reach the probability asked for, likeliest first.
    fn nucleus(&self, logits: &[f32], greatest: f64) -> Vec<Candidate> {
        let Options { temperature, top_p, .. } = self.options;
        let mut candidates: Vec<Candidate> = (0..)
            .zip(logits)
            .map(|(token, &logit)| Candidate {
                token,
                weight: ((f64::from(logit) - greatest) / temperature).exp(),
            })
            .collect();
        let enough = top_p * candidates.iter().map(|c| c.weight).sum::<f64>();
        // Few tokens are enough as a rule, and to sort a large vocabulary takes longer than a token.
        let mut sorted = 256;
        loop {
            sort_first(&mut candidates, sorted);
            if let Some(count) = reaching(&candidates[..candidates.len().min(sorted)], enough) {
                candidates.truncate(count);
                return candidates;
            }
            if sorted >= candidates.len() {
                // What is missing is the rounding of the sum.
                return candidates;
            }
            sorted *= 8;
        }
    }
}

/// Brings the `count` likeliest candidates to the front, likeliest first, then in the order of the
/// vocabulary.
fn sort_first(candidates: &mut [Candidate], count: usize) {
    let order = |a: &Candidate, b: &Candidate| {
        b.weight.total_cmp(&a.weight).then_with(|| a.token.cmp(&b.token))
    };
    if count < candidates.len() {
        candidates.select_nth_unstable_by(count, order);
    }
    let count = candidates.len().min(count);
    candidates[..count].sort_unstable_by(order);
}

/// How many candidates, from the first on, have `enough` weight together.
fn reaching(candidates: &[Candidate], enough: f64) -> Option<usize> {
    let mut sum = 0.0;
    let last = candidates.iter().position(|candidate| {
        sum += candidate.weight;
        sum >= enough
    })?;
    Some(last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(temperature: f64, top_p: f64) -> [f64; 4] {
        let options = Options { temperature, top_p, ..Options::default() };
        let mut sampler = Sampler::new(options).expect("options in range");
        let logits = [0.4f32, 0.1, 0.3, 0.2].map(f32::ln);
        let mut shares = [0.0; 4];
        for _ in 0..20_000 {
            shares[sampler.draw(&logits) as usize] += 1.0 / 20_000.0;
        }
        shares
    }

    #[track_caller]
    fn assert_shares(found: [f64; 4], expected: [f64; 4]) {
        for (share, expected) in found.iter().zip(expected) {
            assert!((share - expected).abs() < 0.02, "{found:?}");
        }
    }

    #[test]
    fn draws_follow_the_softmax() {
        assert_shares(shares(1.0, 1.0), [0.4, 0.1, 0.3, 0.2]);
        assert_shares(shares(0.5, 1.0), [16.0, 1.0, 9.0, 4.0].map(|x| x / 30.0));
    }

    /// However large the vocabulary, and however flat: the first tokens of a full sort.
    #[test]
    fn nucleus_is_the_beginning_of_a_full_sort() {
        for (temperature, top_p) in [(0.05, 0.9), (1.0, 0.3), (50.0, 0.9), (1e6, 0.5), (1.0, 1.0)] {
            let options = Options { temperature, top_p, ..Options::default() };
            let sampler = Sampler::new(options).expect("options in range");
            // Many logits are equal: ties are in the order of the vocabulary.
            let logits: Vec<f32> = (0..5000).map(|i| (i * 7919 % 997) as f32 / 100.0).collect();
            let found = sampler.nucleus(&logits, 9.96);

            let weight = |token: u32| f64::from(logits[token as usize]);
            let mut sorted: Vec<u32> = (0..5000).collect();
            sorted.sort_by(|&a, &b| weight(b).total_cmp(&weight(a)));
            let found_tokens: Vec<u32> = found.iter().map(|candidate| candidate.token).collect();
            assert_eq!(found_tokens, sorted[..found.len()]);

            let share = |token: u32| ((weight(token) - 9.96) / temperature).exp();
            let sum = |tokens: &[u32]| tokens.iter().map(|&token| share(token)).sum::<f64>();
            let all = sum(&sorted);
            assert!(sum(&sorted[..found.len()]) >= top_p * all * (1.0 - 1e-12));
            assert!(
                found.len() == 1 || sum(&sorted[..found.len() - 1]) < top_p * all * (1.0 + 1e-12)
            );
        }
    }

    #[test]
    fn nucleus_leaves_out_the_unlikely() {
        assert_shares(shares(1.0, 0.65), [4.0, 0.0, 3.0, 0.0].map(|x| x / 7.0));
        assert_eq!(shares(1.0, 0.65)[1], 0.0);
        assert_shares(shares(1.0, 0.2), [1.0, 0.0, 0.0, 0.0]);
        assert_shares(shares(0.0, 1.0), [1.0, 0.0, 0.0, 0.0]);
    }
}
