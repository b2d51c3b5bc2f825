//! Trained RWKV-v4 weights, as stored.
//!
//! A container format is read into named tensors; every tensor is then taken by BlinkDL's name
//! for it, with its shape, type and values checked. All sizes come from the file.

mod error;
mod safetensors;
mod tensors;

use std::collections::BTreeSet;
use std::path::Path;

use tensors::Tensors;
use wkv::file;

use crate::model;

pub use error::CheckpointError;

/// The sizes of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Sizes {
    /// Number of blocks (layers).
    pub blocks: usize,
    /// Number of channels: the width of the residual stream and of the attention.
    pub channels: usize,
    /// Number of tokens in the vocabulary.
    pub vocabulary: usize,
    /// Width of the hidden layer of the channel mix.
    pub feed_forward: usize,
}

/// Scale and shift of a layer normalisation, one of each a channel.
#[derive(Clone, Debug, PartialEq)]
pub struct NormWeights {
    /// Scale.
    pub weight: Vec<f32>,
    /// Shift.
    pub bias: Vec<f32>,
}

/// Weights of a time mix, RWKV's attention. Matrices are `[output][input]`, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeMixWeights {
    /// Decay of each channel as trained: the state shrinks by `e^(-e^time_decay)` a token.
    pub time_decay: Vec<f32>,
    /// Bonus of each channel for the current token, a natural exponent.
    pub time_first: Vec<f32>,
    /// Share of the current token, not the previous one, in the key's input.
    pub mix_k: Vec<f32>,
    /// The same for the value.
    pub mix_v: Vec<f32>,
    /// The same for the receptance.
    pub mix_r: Vec<f32>,
    /// Key matrix, `channels` by `channels`.
    pub key: Vec<f32>,
    /// Value matrix, `channels` by `channels`.
    pub value: Vec<f32>,
    /// Receptance matrix, `channels` by `channels`.
    pub receptance: Vec<f32>,
    /// Output matrix, `channels` by `channels`.
    pub output: Vec<f32>,
}

/// Weights of a channel mix, RWKV's feed-forward. Matrices are `[output][input]`, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelMixWeights {
    /// Share of the current token, not the previous one, in the key's input.
    pub mix_k: Vec<f32>,
    /// The same for the receptance.
    pub mix_r: Vec<f32>,
    /// Key matrix, `feed_forward` by `channels`.
    pub key: Vec<f32>,
    /// Receptance matrix, `channels` by `channels`.
    pub receptance: Vec<f32>,
    /// Value matrix, `channels` by `feed_forward`.
    pub value: Vec<f32>,
}

/// Weights of one block.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockWeights {
    /// Normalisation before the time mix.
    pub ln1: NormWeights,
    /// Normalisation before the channel mix.
    pub ln2: NormWeights,
    /// The attention.
    pub time_mix: TimeMixWeights,
    /// The feed-forward.
    pub channel_mix: ChannelMixWeights,
}

/// All weights of a model, converted to f32 and otherwise as stored; all are finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The sizes that all shapes follow.
    pub sizes: Sizes,
    /// Embedding, `[token][channel]`.
    pub embedding: Vec<f32>,
    /// Normalisation of the embedding (`blocks.0.ln0`).
    pub ln0: NormWeights,
    /// The blocks, first to last.
    pub blocks: Vec<BlockWeights>,
    /// Normalisation before the head.
    pub ln_out: NormWeights,
    /// Head, `[token][channel]`; equal to the embedding in a tied model.
    pub head: Vec<f32>,
}

impl Checkpoint {
    /// Reads a safetensors file with BlinkDL's tensor names and F16, BF16 or F32 elements.
    ///
    /// # Errors
    /// If the file cannot be read, is no safetensors file or is cut; if a tensor is missing, is
    /// not part of the model, or has a wrong shape, a wrong type or a value that is not finite.
    pub fn read(path: &Path) -> Result<Self, CheckpointError> {
        let file = path.display().to_string();
        match file::read(path, MOST_BYTES) {
            Ok(bytes) => Self::from_bytes(&file, &bytes),
            Err(source) => Err(CheckpointError::Unreadable { file, source }),
        }
    }

    /// Like [`Checkpoint::read`], from the file's content; `file` names it in errors.
    ///
    /// # Errors
    /// As for [`Checkpoint::read`].
    pub fn from_bytes(file: &str, bytes: &[u8]) -> Result<Self, CheckpointError> {
        Self::from_tensors(safetensors::read(file, bytes)?)
    }

    fn from_tensors(mut tensors: Tensors) -> Result<Self, CheckpointError> {
        let sizes = infer_sizes(&tensors)?;
        let Sizes { channels, vocabulary, .. } = sizes;
        let checkpoint = Self {
            sizes,
            embedding: tensors.take_matrix(EMBEDDING, vocabulary, channels)?,
            ln0: norm(&mut tensors, "blocks.0.ln0", channels)?,
            blocks: (0..sizes.blocks)
                .map(|number| block(&mut tensors, number, sizes))
                .collect::<Result<_, _>>()?,
            ln_out: norm(&mut tensors, "ln_out", channels)?,
            head: tensors.take_matrix("head.weight", vocabulary, channels)?,
        };
        tensors.finish(sizes.blocks)?;
        Ok(checkpoint)
    }
}

/// The longest file of weights: 4 GiB.
const MOST_BYTES: u64 = 1 << 32;

const EMBEDDING: &str = "emb.weight";

fn infer_sizes(tensors: &Tensors) -> Result<Sizes, CheckpointError> {
    let [vocabulary, channels] = tensors.matrix_shape(EMBEDDING, "[vocabulary, channels]")?;
    let numbers: BTreeSet<usize> = tensors.names().filter_map(block_number).collect();
    let blocks = (0..).take_while(|number| numbers.contains(number)).count();
    if let Some(&last) = numbers.last().filter(|&&last| last > blocks) {
        return Err(tensors.missing_block(blocks, last));
    }
    let [feed_forward, _] = tensors
        .matrix_shape("blocks.0.ffn.key.weight", &format!("[feed-forward width, {channels}]"))?;
    Ok(Sizes { blocks, channels, vocabulary, feed_forward })
}

/// The block that a tensor called `blocks.N.something` belongs to.
fn block_number(name: &str) -> Option<usize> {
    let (number, _) = name.strip_prefix("blocks.")?.split_once('.')?;
    number.parse().ok()
}

fn block(
    tensors: &mut Tensors,
    number: usize,
    sizes: Sizes,
) -> Result<BlockWeights, CheckpointError> {
    let prefix = format!("blocks.{number}");
    Ok(BlockWeights {
        ln1: norm(tensors, &format!("{prefix}.ln1"), sizes.channels)?,
        ln2: norm(tensors, &format!("{prefix}.ln2"), sizes.channels)?,
        time_mix: time_mix(tensors, &format!("{prefix}.att"), sizes)?,
        channel_mix: channel_mix(tensors, &format!("{prefix}.ffn"), sizes)?,
    })
}

fn norm(
    tensors: &mut Tensors,
    prefix: &str,
    channels: usize,
) -> Result<NormWeights, CheckpointError> {
    let mut vector = |name| tensors.take_vector(&format!("{prefix}.{name}"), channels);
    Ok(NormWeights { weight: vector("weight")?, bias: vector("bias")? })
}

fn time_mix(
    tensors: &mut Tensors,
    prefix: &str,
    sizes: Sizes,
) -> Result<TimeMixWeights, CheckpointError> {
    let channels = sizes.channels;
    let mut vector = |name| tensors.take_vector(&format!("{prefix}.{name}"), channels);
    let time_decay = vector("time_decay")?;
    let time_first = vector("time_first")?;
    let [mix_k, mix_v, mix_r] =
        [vector("time_mix_k")?, vector("time_mix_v")?, vector("time_mix_r")?];
    let mut matrix =
        |name| tensors.take_matrix(&format!("{prefix}.{name}.weight"), channels, channels);
    let (key, value) = (matrix("key")?, matrix("value")?);
    let (receptance, output) = (matrix("receptance")?, matrix("output")?);
    let decay = |decay| model::decay(decay).is_finite();
    tensors.check(&format!("{prefix}.time_decay"), &time_decay, 1, "-e^time_decay", decay)?;
    let base2 = |key| (model::base2(key) as f32).is_finite();
    tensors.check(
        &format!("{prefix}.key.weight"),
        &key,
        channels,
        "the weight in base 2",
        base2,
    )?;
    Ok(TimeMixWeights {
        time_decay,
        time_first,
        mix_k,
        mix_v,
        mix_r,
        key,
        value,
        receptance,
        output,
    })
}

fn channel_mix(
    tensors: &mut Tensors,
    prefix: &str,
    sizes: Sizes,
) -> Result<ChannelMixWeights, CheckpointError> {
    let Sizes { channels, feed_forward, .. } = sizes;
    let mut vector = |name| tensors.take_vector(&format!("{prefix}.{name}"), channels);
    let [mix_k, mix_r] = [vector("time_mix_k")?, vector("time_mix_r")?];
    let mut matrix = |name, rows, columns| {
        tensors.take_matrix(&format!("{prefix}.{name}.weight"), rows, columns)
    };
    Ok(ChannelMixWeights {
        mix_k,
        mix_r,
        key: matrix("key", feed_forward, channels)?,
        receptance: matrix("receptance", channels, channels)?,
        value: matrix("value", channels, feed_forward)?,
    })
}
