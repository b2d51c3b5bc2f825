//! The RWKV-v4 network, in f32, with the attention recurrence in any arithmetic.
//!
//! Tokens come in chunks of any length; every intermediate is a slice `[token][channel]`. A single
//! token is a chunk of one. What a sequence needs to go on is its [`State`].
//!
//! All exponents are base 2 (see [`Exponents`](crate::checkpoint::Exponents)): `w = -e^time_decay *
//! log2 e`, `u = time_first * log2 e`, and the key matrix is scaled by `log2 e`. The network follows
//! Peng et al., "RWKV: Reinventing RNNs for the Transformer Era" (2023), without rescaling of the
//! residual stream.

mod together;

use std::slice;

use wkv::stats::Counts;
use wkv::{Numerics, Recurrence};

use crate::checkpoint::{
    BlockWeights, ChannelMixWeights, Checkpoint, NormWeights, Sizes, TimeMixWeights,
};
use crate::linear::{Linear, Weights};
pub use together::Together;

/// The token that ends every document and starts every sequence.
pub const END_OF_TEXT: u32 = 0;

/// A model that is ready to run.
#[derive(Clone, Debug)]
pub struct Model {
    sizes: Sizes,
    /// The embedding after its normalisation, `[token][channel]`.
    embedding: Vec<f32>,
    blocks: Vec<Block>,
    ln_out: LayerNorm,
    head: Linear,
}

/// What the recurrence of one block took and gave for a chunk of tokens, `[token][channel]`.
#[derive(Clone, Copy, Debug)]
pub struct Attention<'a> {
    /// Number of the block, from 0.
    pub block: usize,
    /// Keys, base 2. Of several arithmetics, those of the first; in block 0 all have the same.
    pub k: &'a [f32],
    /// Values, likewise.
    pub v: &'a [f32],
    /// Outputs, before the receptance, those of several arithmetics one after another.
    pub out: &'a [f32],
}

/// The state of one sequence.
pub struct State {
    blocks: Vec<BlockState>,
}

struct BlockState {
    /// The last input of the time mix, `[channel]`; zero before the first token.
    time_mix_input: Vec<f32>,
    /// The last input of the channel mix, `[channel]`; zero before the first token.
    channel_mix_input: Vec<f32>,
    recurrence: Box<dyn Recurrence>,
}

impl State {
    /// Saturations and underflows of each block's recurrence so far.
    pub fn counts(&self) -> Vec<Counts> {
        self.blocks.iter().map(|block| block.recurrence.counts()).collect()
    }
}

impl From<Checkpoint> for Model {
    /// Makes a model of trained weights; each block's are dropped once they are laid out.
    fn from(checkpoint: Checkpoint) -> Self {
        let Checkpoint { sizes, mut embedding, ln0, blocks, ln_out, head } = checkpoint;
        LayerNorm::new(&ln0).apply_in_place(&mut embedding);
        Self {
            sizes,
            embedding,
            blocks: blocks.into_iter().map(|weights| Block::new(&weights, sizes)).collect(),
            ln_out: LayerNorm::new(&ln_out),
            head: Linear::new(sizes.vocabulary, sizes.channels, &head),
        }
    }
}

impl Model {
    /// Makes a model of trained weights, which stay; `Model::from` takes them over.
    pub fn new(checkpoint: &Checkpoint) -> Self {
        checkpoint.clone().into()
    }

    /// The same model, its matrices kept as `weights`. What int8 rounded away does not come back.
    #[must_use]
    pub fn with_weights(mut self, weights: Weights) -> Self {
        if weights == Weights::Int8 {
            for matrix in self.matrices_mut() {
                *matrix = matrix.to_int8();
            }
        }
        self
    }

    /// How the matrices are kept.
    pub fn weights(&self) -> Weights {
        self.head.weights()
    }

    /// Bytes of memory that a token reads of the matrices.
    pub fn bytes(&self) -> usize {
        self.matrices().map(Linear::bytes).sum()
    }

    fn matrices(&self) -> impl Iterator<Item = &Linear> {
        let of_blocks = self.blocks.iter().flat_map(|Block { time_mix, channel_mix, .. }| {
            let TimeMix { key, value, receptance, output, .. } = time_mix;
            let ChannelMix { key: hidden, receptance: gate, value: out, .. } = channel_mix;
            [key, value, receptance, output, hidden, gate, out]
        });
        of_blocks.chain([&self.head])
    }

    fn matrices_mut(&mut self) -> impl Iterator<Item = &mut Linear> {
        let of_blocks =
            self.blocks.iter_mut().flat_map(|Block { time_mix, channel_mix, .. }| {
                let TimeMix { key, value, receptance, output, .. } = time_mix;
                let ChannelMix { key: hidden, receptance: gate, value: out, .. } = channel_mix;
                [key, value, receptance, output, hidden, gate, out]
            });
        of_blocks.chain([&mut self.head])
    }

    /// The model's sizes.
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// Bonus `u` and decay `w` of each block, one a channel, base 2.
    pub fn bonus_and_decay(&self) -> impl ExactSizeIterator<Item = (&[f64], &[f64])> {
        self.blocks.iter().map(|block| (&block.time_mix.u[..], &block.time_mix.w[..]))
    }

    /// A bank of the recurrence for each block, before the first token.
    pub fn banks(&self, numerics: &dyn Numerics) -> Vec<Box<dyn Recurrence>> {
        self.bonus_and_decay().map(|(u, w)| numerics.bank(u, w)).collect()
    }

    /// The state before the first token of a sequence.
    pub fn start(&self, numerics: &dyn Numerics) -> State {
        let blocks = self
            .banks(numerics)
            .into_iter()
            .map(|recurrence| BlockState {
                time_mix_input: vec![0.0; self.sizes.channels],
                channel_mix_input: vec![0.0; self.sizes.channels],
                recurrence,
            })
            .collect();
        State { blocks }
    }

    /// Runs the blocks on a chunk of tokens: the input of the head, `[token][channel]`.
    ///
    /// `observe` sees each block's recurrence, first to last. Runs on the calling thread.
    ///
    /// # Panics
    /// If a token is outside the vocabulary or `state` belongs to a model of other sizes.
    pub fn hidden(
        &self,
        tokens: &[u32],
        state: &mut State,
        observe: impl FnMut(Attention<'_>),
    ) -> Vec<f32> {
        self.run(tokens, slice::from_mut(state), observe)
    }

    /// Runs the blocks on a chunk of tokens in every state, which have taken the same tokens:
    /// `[state][token][channel]`, each as it would be alone, bit for bit. What does not depend on
    /// the state is computed once, and the tokens of all go through each matrix together.
    fn run(
        &self,
        tokens: &[u32],
        states: &mut [State],
        mut observe: impl FnMut(Attention<'_>),
    ) -> Vec<f32> {
        let mut x = self.embed(tokens);
        let size = x.len();
        for (number, block) in self.blocks.iter().enumerate() {
            // Up to the recurrence of block 0 nothing depends on the arithmetic.
            let distinct = if number == 0 { 1 } else { states.len() };
            let normalised = block.ln1.apply(&x);
            let inputs = states[..distinct].iter_mut();
            let inputs = inputs.map(|state| &mut state.blocks[number].time_mix_input[..]);
            let previous = shift_each(&normalised, size, inputs);
            let Projection { k, v, mut r } = block.time_mix.project(&normalised, &previous);
            let mut out = vec![0.0; states.len() * size];
            for (index, (state, out)) in states.iter_mut().zip(chunks(&mut out, size)).enumerate() {
                let own = index % distinct * size..;
                let recurrence = &mut state.blocks[number].recurrence;
                recurrence.run(&k[own.clone()][..size], &v[own][..size], out);
            }
            observe(Attention { block: number, k: &k[..size], v: &v[..size], out: &out });
            if number == 0 {
                x = x.repeat(states.len());
                r = r.repeat(states.len());
            }
            gate(&mut out, &r);
            add(&mut x, &block.time_mix.output.apply(&out));

            let normalised = block.ln2.apply(&x);
            let inputs = states.iter_mut();
            let inputs = inputs.map(|state| &mut state.blocks[number].channel_mix_input[..]);
            let previous = shift_each(&normalised, size, inputs);
            let change = block.channel_mix.apply(&normalised, &previous);
            add(&mut x, &change);
        }
        self.ln_out.apply_in_place(&mut x);
        x
    }

    /// The logits that follow from [`Model::hidden`], `[token][vocabulary]`.
    ///
    /// # Panics
    /// If `hidden` does not hold whole tokens.
    pub fn logits(&self, hidden: &[f32]) -> Vec<f32> {
        self.head.apply(hidden)
    }

    /// The logits after each token of a chunk, `[token][vocabulary]`.
    ///
    /// # Panics
    /// As for [`Model::hidden`].
    pub fn forward(&self, tokens: &[u32], state: &mut State) -> Vec<f32> {
        self.logits(&self.hidden(tokens, state, |_| ()))
    }

    fn embed(&self, tokens: &[u32]) -> Vec<f32> {
        let channels = self.sizes.channels;
        tokens
            .iter()
            .flat_map(|&token| &self.embedding[token as usize * channels..][..channels])
            .copied()
            .collect()
    }
}

#[derive(Clone, Debug)]
struct Block {
    ln1: LayerNorm,
    ln2: LayerNorm,
    time_mix: TimeMix,
    channel_mix: ChannelMix,
}

impl Block {
    fn new(weights: &BlockWeights, sizes: Sizes) -> Self {
        Self {
            ln1: LayerNorm::new(&weights.ln1),
            ln2: LayerNorm::new(&weights.ln2),
            time_mix: TimeMix::new(&weights.time_mix, sizes.channels),
            channel_mix: ChannelMix::new(&weights.channel_mix, sizes),
        }
    }
}

/// The attention: keys, values and receptances of shifted tokens, and the recurrence.
#[derive(Clone, Debug)]
struct TimeMix {
    mix_k: Vec<f32>,
    mix_v: Vec<f32>,
    mix_r: Vec<f32>,
    key: Linear,
    value: Linear,
    receptance: Linear,
    output: Linear,
    u: Vec<f64>,
    w: Vec<f64>,
}

impl TimeMix {
    fn new(weights: &TimeMixWeights, channels: usize) -> Self {
        let square = |weights: &[f32]| Linear::new(channels, channels, weights);
        let exponents = weights.exponents;
        let key: Vec<f32> = weights.key.iter().map(|&k| exponents.base2(k) as f32).collect();
        Self {
            mix_k: weights.mix_k.clone(),
            mix_v: weights.mix_v.clone(),
            mix_r: weights.mix_r.clone(),
            key: square(&key),
            value: square(&weights.value),
            receptance: square(&weights.receptance),
            output: square(&weights.output),
            u: weights.time_first.iter().map(|&u| exponents.base2(u)).collect(),
            w: weights.time_decay.iter().map(|&decay| exponents.decay(decay)).collect(),
        }
    }

    /// Keys, values and receptances of tokens `x` after tokens `previous`.
    fn project(&self, x: &[f32], previous: &[f32]) -> Projection {
        Projection {
            k: self.key.apply(&mix(x, previous, &self.mix_k)),
            v: self.value.apply(&mix(x, previous, &self.mix_v)),
            r: self.receptance.apply(&mix(x, previous, &self.mix_r)),
        }
    }
}

/// What the recurrence and its gate take, `[token][channel]`.
struct Projection {
    k: Vec<f32>,
    v: Vec<f32>,
    r: Vec<f32>,
}

/// The feed-forward layer: a squared rectifier between two matrices, gated by a receptance.
#[derive(Clone, Debug)]
struct ChannelMix {
    mix_k: Vec<f32>,
    mix_r: Vec<f32>,
    key: Linear,
    receptance: Linear,
    value: Linear,
}

impl ChannelMix {
    fn new(weights: &ChannelMixWeights, sizes: Sizes) -> Self {
        let Sizes { channels, feed_forward, .. } = sizes;
        Self {
            mix_k: weights.mix_k.clone(),
            mix_r: weights.mix_r.clone(),
            key: Linear::new(feed_forward, channels, &weights.key),
            receptance: Linear::new(channels, channels, &weights.receptance),
            value: Linear::new(channels, feed_forward, &weights.value),
        }
    }

    /// The layer on tokens `x` after tokens `previous`.
    fn apply(&self, x: &[f32], previous: &[f32]) -> Vec<f32> {
        let mut k = self.key.apply(&mix(x, previous, &self.mix_k));
        for k in &mut k {
            *k = k.max(0.0).powi(2);
        }
        let mut out = self.value.apply(&k);
        gate(&mut out, &self.receptance.apply(&mix(x, previous, &self.mix_r)));
        out
    }
}

/// Normalises each token to mean 0 and variance 1, then scales and shifts each channel.
#[derive(Clone, Debug)]
struct LayerNorm {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl LayerNorm {
    /// Keeps the division finite for a token whose channels are all equal.
    const EPSILON: f32 = 1e-5;

    fn new(weights: &NormWeights) -> Self {
        Self { weight: weights.weight.clone(), bias: weights.bias.clone() }
    }

    fn apply(&self, x: &[f32]) -> Vec<f32> {
        let mut x = x.to_vec();
        self.apply_in_place(&mut x);
        x
    }

    fn apply_in_place(&self, x: &mut [f32]) {
        let channels = self.weight.len();
        for x in x.chunks_exact_mut(channels) {
            let mean = sum(x, |x| x) / channels as f32;
            let variance = sum(x, |x| (x - mean).powi(2)) / channels as f32;
            let scale = 1.0 / (variance + Self::EPSILON).sqrt();
            for ((x, &weight), &bias) in x.iter_mut().zip(&self.weight).zip(&self.bias) {
                *x = (*x - mean) * scale * weight + bias;
            }
        }
    }
}

/// The sum of `term` over `x`, in eight parts so that it runs in vectors.
fn sum(x: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    let mut parts = [0.0; 8];
    let (chunks, rest) = x.as_chunks::<8>();
    for chunk in chunks {
        for (part, &x) in parts.iter_mut().zip(chunk) {
            *part += term(x);
        }
    }
    parts.iter().sum::<f32>() + rest.iter().map(|&x| term(x)).sum::<f32>()
}

/// The token before each token of `x`: the last one of the chunk before comes first.
fn shift(x: &[f32], last_input: &mut [f32]) -> Vec<f32> {
    let Some(kept) = x.len().checked_sub(last_input.len()) else {
        return Vec::new();
    };
    let mut previous = Vec::with_capacity(x.len());
    previous.extend_from_slice(last_input);
    previous.extend_from_slice(&x[..kept]);
    last_input.copy_from_slice(&x[kept..]);
    previous
}

/// [`shift`] for each of several sequences of `size` elements.
fn shift_each<'a>(
    x: &[f32],
    size: usize,
    last_inputs: impl Iterator<Item = &'a mut [f32]>,
) -> Vec<f32> {
    let mut previous = Vec::with_capacity(x.len());
    for (x, last_input) in x.chunks_exact(size.max(1)).zip(last_inputs) {
        previous.extend(shift(x, last_input));
    }
    previous
}

/// Pieces of `size`, of which there may be none.
fn chunks(x: &mut [f32], size: usize) -> impl Iterator<Item = &mut [f32]> {
    x.chunks_exact_mut(size.max(1))
}

/// The share `mix` of each channel of the token itself, the rest of the previous one.
fn mix(x: &[f32], previous: &[f32], mix: &[f32]) -> Vec<f32> {
    let mut mixed = x.to_vec();
    for (mixed, previous) in mixed.chunks_exact_mut(mix.len()).zip(previous.chunks_exact(mix.len()))
    {
        for ((x, &previous), &mix) in mixed.iter_mut().zip(previous).zip(mix) {
            *x = *x * mix + previous * (1.0 - mix);
        }
    }
    mixed
}

/// Scales `x` by the logistic function of `receptance`.
fn gate(x: &mut [f32], receptance: &[f32]) {
    for (x, &receptance) in x.iter_mut().zip(receptance) {
        *x /= 1.0 + (-receptance).exp();
    }
}

fn add(x: &mut [f32], change: &[f32]) {
    for (x, &change) in x.iter_mut().zip(change) {
        *x += change;
    }
}
