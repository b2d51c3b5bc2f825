//! The speed of the model itself: stories, prompts, and what memory allows.

use std::hint::black_box;
use std::iter;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use rwkv::checkpoint::{
    BlockWeights, ChannelMixWeights, Checkpoint, Exponents, NormWeights, Sizes, TimeMixWeights,
};
use rwkv::eval::CHUNK;
use rwkv::generate::{Options, generate};
use rwkv::linear::Weights;
use rwkv::{LanguageModel, Model};
use wkv::circuit::gates::Gates;
use wkv::float::Float;
use wkv::{Numerics, WkvSpec};

use super::cell::seconds;
use super::workload::Size;
use super::{Measurement, Ratio};
use crate::embedded;
use crate::failure::Failure;

/// A model that is measured, with a text for it.
pub struct Speaker {
    /// Its matrices in f32, and in int8.
    pub f32: Arc<LanguageModel>,
    pub int8: Arc<LanguageModel>,
    /// Tokens to read.
    pub tokens: Arc<Vec<u32>>,
}

impl Speaker {
    /// The model at `path`, or the embedded one, with tokens of the embedded stories.
    pub fn new(path: Option<&Path>, size: Size) -> Result<(String, Self), Failure> {
        let (name, model) = embedded::language_model(path)?;
        let (_, stories) = embedded::documents(None)?;
        let stories = model.encode_documents(&stories.texts)?.concat();
        let tokens = stories.into_iter().cycle().take(size.prompt).collect();
        let int8 = Arc::new(model.clone().with_weights(Weights::Int8));
        Ok((name, Self { f32: Arc::new(model), int8, tokens: Arc::new(tokens) }))
    }
}

/// What is derived from two figures of the same round.
pub const RATIOS: [Ratio; 2] = [
    Ratio {
        name: "large-f32-of-memory",
        about: "large-f32 by memory-large-f32",
        numerator: "large-f32",
        denominator: "memory-large-f32",
    },
    Ratio {
        name: "large-int8-of-memory",
        about: "large-int8 by memory-large-int8",
        numerator: "large-int8",
        denominator: "memory-large-int8",
    },
];

/// Everything that is measured, in the order of the result.
pub fn all(speaker: &Speaker, spec: WkvSpec, size: Size) -> Vec<Measurement> {
    let mut all = Vec::from(stories(speaker, spec, size));
    all.extend(prompts(speaker));
    all.extend(large(size));
    all
}

fn stories(speaker: &Speaker, spec: WkvSpec, size: Size) -> [Measurement; 4] {
    let story = |name, about, model: &Arc<LanguageModel>, numerics: Box<dyn Numerics>| {
        let model = Arc::clone(model);
        let run = Box::new(move || Ok(tell(&model, &*numerics, size.story)));
        Measurement { name, unit: "tokens/s", about, reference: None, run }
    };
    let Speaker { f32, int8, .. } = speaker;
    let gates = Box::new(Gates::new(&spec));
    [
        story(
            "generate-float",
            "a story, one token at a time; attention in f64",
            f32,
            Box::new(Float),
        ),
        story("generate-fixed", "the same, attention by the integer model", f32, Box::new(spec)),
        story("generate-gates", "the same, attention by the gates", f32, gates),
        story("generate-int8", "as generate-float, weights in int8", int8, Box::new(Float)),
    ]
}

/// Tells a story; gives tokens a second.
fn tell(model: &LanguageModel, numerics: &dyn Numerics, tokens: usize) -> f64 {
    let options = Options { tokens, ..Options::default() };
    generate(model, numerics, "Once upon a time", options, |_| ControlFlow::Continue(()))
        .expect("the options are in range and the prompt has tokens")
        .tokens_per_second()
}

fn prompts(speaker: &Speaker) -> [Measurement; 2] {
    let prompt = |name, about, model: &Arc<LanguageModel>| {
        let (model, tokens) = (Arc::clone(model), Arc::clone(&speaker.tokens));
        let run = Box::new(move || Ok(tokens_per_second(&model.model, &tokens, CHUNK)));
        Measurement { name, unit: "tokens/s", about, reference: None, run }
    };
    [
        prompt(
            "prompt-f32",
            "a prompt read in chunks, on one core; attention in f64",
            &speaker.f32,
        ),
        prompt("prompt-int8", "the same, weights in int8", &speaker.int8),
    ]
}

/// Reads tokens in chunks and predicts what follows each chunk; gives tokens a second.
fn tokens_per_second(model: &Model, tokens: &[u32], chunk: usize) -> f64 {
    let channels = model.sizes().channels;
    let mut state = model.start(&Float);
    let time = seconds(|| {
        for tokens in tokens.chunks(chunk) {
            let hidden = model.hidden(tokens, &mut state, |_| ());
            black_box(model.logits(&hidden[hidden.len() - channels..]));
        }
    });
    tokens.len() as f64 / time
}

/// A model whose weights fit no cache, and how often a second memory could deliver them.
fn large(size: Size) -> [Measurement; 5] {
    let model = Model::new(&random(size.large));
    let int8 = Arc::new(model.clone().with_weights(Weights::Int8));
    let f32 = Arc::new(model);
    let buffer = Arc::new(vec![1u64; size.buffer / size_of::<u64>()]);
    let tokens: Vec<u32> = (0..size.large_tokens as u32).collect();
    let step = |name, about, model: &Arc<Model>| {
        let (model, tokens) = (Arc::clone(model), tokens.clone());
        let run = Box::new(move || Ok(tokens_per_second(&model, &tokens, 1)));
        Measurement { name, unit: "tokens/s", about, reference: None, run }
    };
    let memory = |name, unit, about, bytes: usize| {
        let buffer = Arc::clone(&buffer);
        let run = Box::new(move || {
            let time = seconds(|| read(&buffer));
            Ok(size_of_val(&buffer[..]) as f64 / time / bytes as f64)
        });
        Measurement { name, unit, about, reference: None, run }
    };
    let delivered = "its weights alone, read from memory as memory-read-1-core";
    [
        memory(
            "memory-read-1-core",
            "B/s",
            "a buffer that fits no cache, summed up on one core",
            1,
        ),
        step("large-f32", "12 x 768, 50,277 tokens, random weights; one token at a time", &f32),
        memory("memory-large-f32", "tokens/s", delivered, f32.bytes()),
        step("large-int8", "the same, weights in int8", &int8),
        memory("memory-large-int8", "tokens/s", delivered, int8.bytes()),
    ]
}

/// The sum of a buffer, in parts so that it runs in vectors.
fn read(buffer: &[u64]) -> u64 {
    let mut parts = [0u64; 64];
    for chunk in buffer.as_chunks::<64>().0 {
        for (part, &number) in iter::zip(&mut parts, chunk) {
            *part = part.wrapping_add(number);
        }
    }
    parts.iter().fold(0, |sum, &part| sum.wrapping_add(part))
}

/// Weights that keep activations near 1.
fn random(sizes: Sizes) -> Checkpoint {
    let Sizes { blocks, channels, vocabulary, feed_forward } = sizes;
    let matrix = |outputs: usize, inputs: usize| {
        let scale = (3.0 / inputs as f32).sqrt();
        // Multiplicative hashing, D. Knuth, with the golden ratio in 32 bits.
        let draw = |at: u32| at.wrapping_mul(2_654_435_769) as i32 as f32 / i32::MAX as f32;
        (0..(outputs * inputs) as u32).map(|at| scale * draw(at)).collect::<Vec<f32>>()
    };
    let norm = || NormWeights { weight: vec![1.0; channels], bias: vec![0.0; channels] };
    let half = || vec![0.5; channels];
    let block = || BlockWeights {
        ln1: norm(),
        ln2: norm(),
        time_mix: TimeMixWeights {
            exponents: Exponents::Trained,
            time_decay: vec![-1.0; channels],
            time_first: half(),
            mix_k: half(),
            mix_v: half(),
            mix_r: half(),
            key: matrix(channels, channels),
            value: matrix(channels, channels),
            receptance: matrix(channels, channels),
            output: matrix(channels, channels),
        },
        channel_mix: ChannelMixWeights {
            mix_k: half(),
            mix_r: half(),
            key: matrix(feed_forward, channels),
            receptance: matrix(channels, channels),
            value: matrix(channels, feed_forward),
        },
    };
    Checkpoint {
        sizes,
        embedding: matrix(vocabulary, channels),
        ln0: norm(),
        blocks: iter::repeat_with(block).take(blocks).collect(),
        ln_out: norm(),
        head: matrix(vocabulary, channels),
    }
}
