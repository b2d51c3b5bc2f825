//! The network against a plain forward pass in f64 and natural exponents, written from the paper.

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng};
use rwkv::Model;
use rwkv::checkpoint::{
    BlockWeights, ChannelMixWeights, Checkpoint, Exponents, NormWeights, Sizes, TimeMixWeights,
};
use rwkv::linear;
use wkv::float::Float;
use wkv::{Numerics, WkvSpec};

/// Sizes that fill no vector and no tile.
const SIZES: Sizes = Sizes { blocks: 3, channels: 11, vocabulary: 37, feed_forward: 45 };

/// Draws weights of a size that keeps activations near 1.
struct Weights(TestRng);

impl Weights {
    fn vector(&mut self, length: usize, low: f32, high: f32) -> Vec<f32> {
        (0..length)
            .map(|_| low + (high - low) * (self.0.next_u32() as f32 / u32::MAX as f32))
            .collect()
    }

    fn channels(&mut self, low: f32, high: f32) -> Vec<f32> {
        self.vector(SIZES.channels, low, high)
    }

    fn matrix(&mut self, rows: usize, columns: usize) -> Vec<f32> {
        self.vector(rows * columns, -0.7, 0.7)
    }

    fn norm(&mut self) -> NormWeights {
        NormWeights { weight: self.channels(0.5, 1.5), bias: self.channels(-0.3, 0.3) }
    }

    fn block(&mut self) -> BlockWeights {
        let Sizes { channels, feed_forward, .. } = SIZES;
        BlockWeights {
            ln1: self.norm(),
            ln2: self.norm(),
            time_mix: TimeMixWeights {
                exponents: Exponents::Trained,
                time_decay: self.channels(-5.0, 2.0),
                time_first: self.channels(-2.0, 1.0),
                mix_k: self.channels(0.0, 1.0),
                mix_v: self.channels(0.0, 1.0),
                mix_r: self.channels(0.0, 1.0),
                key: self.matrix(channels, channels),
                value: self.matrix(channels, channels),
                receptance: self.matrix(channels, channels),
                output: self.matrix(channels, channels),
            },
            channel_mix: ChannelMixWeights {
                mix_k: self.channels(0.0, 1.0),
                mix_r: self.channels(0.0, 1.0),
                key: self.matrix(feed_forward, channels),
                receptance: self.matrix(channels, channels),
                value: self.matrix(channels, feed_forward),
            },
        }
    }

    fn checkpoint(&mut self) -> Checkpoint {
        Checkpoint {
            sizes: SIZES,
            embedding: self.matrix(SIZES.vocabulary, SIZES.channels),
            ln0: self.norm(),
            blocks: (0..SIZES.blocks).map(|_| self.block()).collect(),
            ln_out: self.norm(),
            head: self.matrix(SIZES.vocabulary, SIZES.channels),
        }
    }
}

fn checkpoint() -> Checkpoint {
    Weights(TestRng::deterministic_rng(RngAlgorithm::ChaCha)).checkpoint()
}

/// The plain forward pass: one token at a time, everything in f64.
mod plain {
    use super::*;

    fn norm(x: &[f64], weights: &NormWeights) -> Vec<f64> {
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64;
        (0..x.len())
            .map(|c| {
                (x[c] - mean) / (variance + 1e-5).sqrt() * f64::from(weights.weight[c])
                    + f64::from(weights.bias[c])
            })
            .collect()
    }

    fn product(matrix: &[f32], x: &[f64]) -> Vec<f64> {
        matrix
            .chunks(x.len())
            .map(|row| row.iter().zip(x).map(|(&w, x)| f64::from(w) * x).sum())
            .collect()
    }

    fn mix(x: &[f64], previous: &[f64], share: &[f32]) -> Vec<f64> {
        (0..x.len())
            .map(|c| x[c] * f64::from(share[c]) + previous[c] * (1.0 - f64::from(share[c])))
            .collect()
    }

    fn sigmoid(x: f64) -> f64 {
        1.0 / (1.0 + (-x).exp())
    }

    /// The weighted mean of all values so far, from its definition.
    fn wkv(ks: &[Vec<f64>], vs: &[Vec<f64>], weights: &TimeMixWeights, channel: usize) -> f64 {
        let now = ks.len() - 1;
        let decay = -f64::from(weights.time_decay[channel]).exp();
        let (mut numerator, mut denominator) = (0.0, 0.0);
        for token in 0..=now {
            let exponent = if token == now {
                f64::from(weights.time_first[channel])
            } else {
                decay * (now - 1 - token) as f64
            };
            let weight = (exponent + ks[token][channel]).exp();
            numerator += weight * vs[token][channel];
            denominator += weight;
        }
        numerator / denominator
    }

    /// Inputs of one block so far.
    #[derive(Clone, Default)]
    struct History {
        time_mix: Vec<Vec<f64>>,
        channel_mix: Vec<Vec<f64>>,
        k: Vec<Vec<f64>>,
        v: Vec<Vec<f64>>,
    }

    fn previous(history: &[Vec<f64>]) -> Vec<f64> {
        history.last().cloned().unwrap_or(vec![0.0; SIZES.channels])
    }

    fn block(x: &mut [f64], weights: &BlockWeights, history: &mut History) {
        let time_mix = &weights.time_mix;
        let input = norm(x, &weights.ln1);
        let before = previous(&history.time_mix);
        let mixed = |share| mix(&input, &before, share);
        history.k.push(product(&time_mix.key, &mixed(&time_mix.mix_k)));
        history.v.push(product(&time_mix.value, &mixed(&time_mix.mix_v)));
        let r = product(&time_mix.receptance, &mixed(&time_mix.mix_r));
        let gated: Vec<f64> = (0..x.len())
            .map(|c| sigmoid(r[c]) * wkv(&history.k, &history.v, time_mix, c))
            .collect();
        for (x, change) in x.iter_mut().zip(product(&time_mix.output, &gated)) {
            *x += change;
        }
        history.time_mix.push(input);

        let channel_mix = &weights.channel_mix;
        let input = norm(x, &weights.ln2);
        let before = previous(&history.channel_mix);
        let mixed = |share| mix(&input, &before, share);
        let k: Vec<f64> = product(&channel_mix.key, &mixed(&channel_mix.mix_k))
            .iter()
            .map(|k| k.max(0.0).powi(2))
            .collect();
        let r = product(&channel_mix.receptance, &mixed(&channel_mix.mix_r));
        for (c, change) in product(&channel_mix.value, &k).iter().enumerate() {
            x[c] += sigmoid(r[c]) * change;
        }
        history.channel_mix.push(input);
    }

    pub fn forward(checkpoint: &Checkpoint, tokens: &[u32]) -> Vec<f64> {
        let mut histories = vec![History::default(); SIZES.blocks];
        let mut logits = Vec::new();
        for &token in tokens {
            let row = &checkpoint.embedding[token as usize * SIZES.channels..][..SIZES.channels];
            let embedded: Vec<f64> = row.iter().map(|&x| f64::from(x)).collect();
            let mut x = norm(&embedded, &checkpoint.ln0);
            for (weights, history) in checkpoint.blocks.iter().zip(&mut histories) {
                block(&mut x, weights, history);
            }
            logits.extend(product(&checkpoint.head, &norm(&x, &checkpoint.ln_out)));
        }
        logits
    }
}

fn tokens(count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| (i * i + 5 * i) % SIZES.vocabulary as u32).collect()
}

#[test]
fn equals_the_plain_forward_pass() {
    let checkpoint = checkpoint();
    let tokens = tokens(40);
    let model = Model::new(&checkpoint);
    let logits = model.forward(&tokens, &mut model.start(&Float));
    let expected = plain::forward(&checkpoint, &tokens);
    assert_eq!(logits.len(), expected.len());
    for (place, (&logit, expected)) in logits.iter().zip(expected).enumerate() {
        let error = (f64::from(logit) - expected).abs();
        assert!(error < 2e-5, "{logit} instead of {expected} at {place}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// However a sequence is cut into chunks, one token or none included, the logits are the same.
    #[test]
    fn chunks_do_not_matter(cuts in prop::collection::vec(0..40usize, 0..6)) {
        let model = Model::new(&checkpoint());
        let tokens = tokens(40);
        let whole = model.forward(&tokens, &mut model.start(&Float));

        let mut cuts = cuts;
        cuts.extend([0, 40]);
        cuts.sort_unstable();
        let mut state = model.start(&Float);
        let in_chunks: Vec<f32> = cuts
            .windows(2)
            .flat_map(|cut| model.forward(&tokens[cut[0]..cut[1]], &mut state))
            .collect();
        prop_assert_eq!(whole, in_chunks);
    }
}

/// Each arithmetic gives what it gives alone, to the bit, and the observer sees the outputs of all.
#[test]
fn together_is_as_alone() {
    let model = Model::new(&checkpoint());
    let [coarse, fine]: [WkvSpec; 2] =
        ["classic:q10.6", "classic:q8.8"].map(|spec| spec.parse().expect(spec));
    let numerics: [&dyn Numerics; 3] = [&Float, &coarse, &fine];
    let tokens = tokens(40);
    let mut together = model.start_together(&numerics);
    let mut outputs = vec![Vec::new(); 3];
    let mut hidden = vec![Vec::new(); 3];
    for chunk in [&tokens[..13], &tokens[13..13], &tokens[13..14], &tokens[14..]] {
        let size = chunk.len() * SIZES.channels;
        let all = model.hidden_together(chunk, &mut together, |attention| {
            assert_eq!(attention.out.len(), 3 * size);
            for (number, outputs) in outputs.iter_mut().enumerate() {
                outputs.extend_from_slice(&attention.out[number * size..][..size]);
            }
        });
        for (number, hidden) in hidden.iter_mut().enumerate() {
            hidden.extend_from_slice(&all[number * size..][..size]);
        }
    }
    for (number, counts) in together.counts().enumerate() {
        let mut state = model.start(numerics[number]);
        let mut seen = 0;
        let alone = model.hidden(&tokens, &mut state, |attention| seen += attention.out.len());
        assert_eq!(hidden[number], alone);
        assert_eq!(counts, state.counts());
        assert_eq!(outputs[number].len(), seen);
    }
    assert_ne!(hidden[0], hidden[1]);
}

#[test]
fn observer_sees_every_block_in_base_2() {
    let checkpoint = checkpoint();
    let model = Model::new(&checkpoint);
    let mut blocks = Vec::new();
    model.hidden(&tokens(3), &mut model.start(&Float), |attention| {
        assert_eq!(attention.k.len(), 3 * SIZES.channels);
        assert_eq!(attention.v.len(), attention.out.len());
        // The first output of a sequence is its first value.
        assert_eq!(attention.out[..SIZES.channels], attention.v[..SIZES.channels]);
        blocks.push(attention.block);
    });
    assert_eq!(blocks, [0, 1, 2]);

    let (u, w) = model.bonus_and_decay().next().expect("three blocks");
    let time_mix = &checkpoint.blocks[0].time_mix;
    let u0 = f64::from(time_mix.time_first[0]) / 2f64.ln();
    let w0 = -f64::from(time_mix.time_decay[0]).exp() / 2f64.ln();
    assert!((u[0] - u0).abs() < 1e-12);
    assert!((w[0] - w0).abs() < 1e-12);
}

/// Each matrix is rounded; what a token then differs in is that rounding, and no more memory than
/// a byte a weight and a scale an output is read.
#[test]
fn int8_is_close_and_small() {
    let model = Model::new(&checkpoint());
    let int8 = model.clone().with_weights(linear::Weights::Int8);
    assert_eq!((model.weights(), int8.weights()), (linear::Weights::F32, linear::Weights::Int8));
    assert!(int8.bytes() * 3 < model.bytes(), "{} of {}", int8.bytes(), model.bytes());

    let logits = |model: &Model| model.forward(&[3, 1, 4, 1, 5], &mut model.start(&Float));
    let (exact, rounded) = (logits(&model), logits(&int8));
    let error = exact.iter().zip(&rounded).map(|(a, b)| (a - b).powi(2)).sum::<f32>();
    let size = exact.iter().map(|a| a.powi(2)).sum::<f32>();
    assert!(error > 0.0 && error < 1e-3 * size, "{error} of {size}");
    assert_eq!(logits(&model.clone().with_weights(linear::Weights::F32)), exact);
}
