//! Every tensor of a model: its name, its shape, and where its values go.
//!
//! Reader and writers both follow this one list. Names are BlinkDL's.

use super::element::BLOCK;
use super::{BlockWeights, ChannelMixWeights, Checkpoint, NormWeights, Sizes, TimeMixWeights};

/// The shape that a tensor must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One number a channel.
    Vector(usize),
    /// The same, stored with two leading dimensions of 1 by BlinkDL and Hugging Face.
    Mix(usize),
    /// `[output][input]`.
    Matrix(usize, usize),
}

/// A place for a tensor's values.
pub(super) struct Place<'a> {
    /// BlinkDL's name.
    pub name: String,
    /// The shape.
    pub shape: Shape,
    /// The values, row-major.
    pub values: &'a mut Vec<f32>,
}

impl Shape {
    /// Whether each row fills blocks of quantised elements.
    pub(super) fn fills_blocks(self) -> bool {
        matches!(self, Self::Matrix(_, columns) if columns.is_multiple_of(BLOCK))
    }

    /// Whether a stored shape is this one. Vectors may have leading dimensions of 1.
    pub(super) fn fits(self, stored: &[usize]) -> bool {
        match self {
            Self::Matrix(rows, columns) => stored == [rows, columns],
            Self::Vector(length) | Self::Mix(length) => match stored {
                [ones @ .., last] => *last == length && ones.iter().all(|&one| one == 1),
                [] => false,
            },
        }
    }

    /// The shape as BlinkDL stores it.
    pub(super) fn stored(self) -> Vec<usize> {
        match self {
            Self::Vector(length) => vec![length],
            Self::Mix(length) => vec![1, 1, length],
            Self::Matrix(rows, columns) => vec![rows, columns],
        }
    }

    /// The shape without leading ones, as errors and rwkv.cpp have it.
    pub(super) fn plain(self) -> Vec<usize> {
        match self {
            Self::Vector(length) | Self::Mix(length) => vec![length],
            Self::Matrix(rows, columns) => vec![rows, columns],
        }
    }
}

/// The places of all tensors, in the order of the model.
pub(super) fn places(checkpoint: &mut Checkpoint) -> Vec<Place<'_>> {
    let Checkpoint { sizes, embedding, ln0, blocks, ln_out, head } = checkpoint;
    let Sizes { channels, vocabulary, .. } = *sizes;
    let table = Shape::Matrix(vocabulary, channels);
    let mut places = vec![Place { name: "emb.weight".to_owned(), shape: table, values: embedding }];
    places.extend(norm(ln0, "blocks.0.ln0", channels));
    for (number, block) in blocks.iter_mut().enumerate() {
        let BlockWeights { ln1, ln2, time_mix, channel_mix } = block;
        let prefix = format!("blocks.{number}");
        places.extend(norm(ln1, &format!("{prefix}.ln1"), channels));
        places.extend(norm(ln2, &format!("{prefix}.ln2"), channels));
        places.extend(self::time_mix(time_mix, &format!("{prefix}.att"), channels));
        places.extend(self::channel_mix(channel_mix, &format!("{prefix}.ffn"), *sizes));
    }
    places.extend(norm(ln_out, "ln_out", channels));
    places.push(Place { name: "head.weight".to_owned(), shape: table, values: head });
    places
}

fn norm<'a>(weights: &'a mut NormWeights, prefix: &str, channels: usize) -> [Place<'a>; 2] {
    let NormWeights { weight, bias } = weights;
    [("weight", weight), ("bias", bias)].map(|(name, values)| Place {
        name: format!("{prefix}.{name}"),
        shape: Shape::Vector(channels),
        values,
    })
}

fn time_mix<'a>(weights: &'a mut TimeMixWeights, prefix: &str, channels: usize) -> [Place<'a>; 9] {
    let TimeMixWeights { time_decay, time_first, mix_k, mix_v, mix_r, .. } = weights;
    let TimeMixWeights { key, value, receptance, output, .. } = weights;
    let square = Shape::Matrix(channels, channels);
    [
        ("time_decay", Shape::Vector(channels), time_decay),
        ("time_first", Shape::Vector(channels), time_first),
        ("time_mix_k", Shape::Mix(channels), mix_k),
        ("time_mix_v", Shape::Mix(channels), mix_v),
        ("time_mix_r", Shape::Mix(channels), mix_r),
        ("key.weight", square, key),
        ("value.weight", square, value),
        ("receptance.weight", square, receptance),
        ("output.weight", square, output),
    ]
    .map(|(name, shape, values)| Place { name: format!("{prefix}.{name}"), shape, values })
}

fn channel_mix<'a>(
    weights: &'a mut ChannelMixWeights,
    prefix: &str,
    sizes: Sizes,
) -> [Place<'a>; 5] {
    let Sizes { channels, feed_forward, .. } = sizes;
    let ChannelMixWeights { mix_k, mix_r, key, receptance, value } = weights;
    [
        ("time_mix_k", Shape::Mix(channels), mix_k),
        ("time_mix_r", Shape::Mix(channels), mix_r),
        ("key.weight", Shape::Matrix(feed_forward, channels), key),
        ("receptance.weight", Shape::Matrix(channels, channels), receptance),
        ("value.weight", Shape::Matrix(channels, feed_forward), value),
    ]
    .map(|(name, shape, values)| Place { name: format!("{prefix}.{name}"), shape, values })
}
