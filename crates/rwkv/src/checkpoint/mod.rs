//! Trained RWKV-v4 weights, as stored.
//!
//! A container, told by its first bytes, is read into named tensors: where each lies, and how it is
//! stored. Names are brought to BlinkDL's; every tensor is then checked and read where it lies, so
//! that beside the weights in f32 no copy of the file is held. All sizes come from the file.

mod element;
mod error;
mod exponents;
mod format;
mod layout;
mod names;
mod pickle;
mod rwkv_cpp;
mod safetensors;
mod source;
mod tensors;
mod torch;
mod write;
mod zip;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use layout::places;
use source::Source;
use tensors::{Contents, EMBEDDING, Tensors};

pub use element::ElementType;
pub use error::CheckpointError;
pub use exponents::Exponents;
pub use format::Format;
pub use names::Names;
pub use write::{Prepared, Target, TargetError};

/// The sizes of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NormWeights {
    /// Scale.
    pub weight: Vec<f32>,
    /// Shift.
    pub bias: Vec<f32>,
}

/// Weights of a time mix, RWKV's attention. Matrices are `[output][input]`, row-major.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeMixWeights {
    /// The form of `time_decay`, `time_first` and `key`.
    pub exponents: Exponents,
    /// Decay of each channel; as trained, the state shrinks by `e^(-e^time_decay)` a token.
    pub time_decay: Vec<f32>,
    /// Bonus of each channel for the current token, an exponent.
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
#[derive(Clone, Debug, Default, PartialEq)]
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
#[derive(Clone, Debug, Default, PartialEq)]
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
#[derive(Clone, Debug, Default, PartialEq)]
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
    /// Reads a checkpoint of any [`Format`], with the [`Names`] of BlinkDL or of Hugging Face.
    ///
    /// # Errors
    /// If the file cannot be read, is of no known format, or is damaged; if a tensor is missing, is
    /// not part of the model, or has a wrong shape, a wrong type or a value that is not finite.
    pub fn read(path: &Path) -> Result<Self, CheckpointError> {
        CheckpointFile::read(path).map(|file| file.checkpoint)
    }

    /// Like [`Checkpoint::read`], from the file's content; `file` names it in errors.
    ///
    /// # Errors
    /// As for [`Checkpoint::read`].
    pub fn from_bytes(file: &str, bytes: &[u8]) -> Result<Self, CheckpointError> {
        CheckpointFile::from_bytes(file, bytes).map(|file| file.checkpoint)
    }
}

/// A checkpoint, and how its file had it.
#[derive(Clone, Debug)]
pub struct CheckpointFile {
    /// The container.
    pub format: Format,
    /// Who named the tensors.
    pub names: Names,
    /// How each tensor's elements were stored, by BlinkDL's names.
    pub element_types: BTreeMap<String, ElementType>,
    /// The weights.
    pub checkpoint: Checkpoint,
}

impl CheckpointFile {
    /// As [`Checkpoint::read`].
    ///
    /// # Errors
    /// As for [`Checkpoint::read`].
    pub fn read(path: &Path) -> Result<Self, CheckpointError> {
        Self::read_watched(path, &|_, _| ())
    }

    /// As [`CheckpointFile::read`]; `watch` is told how many tensors of how many have been read.
    ///
    /// # Errors
    /// As for [`Checkpoint::read`].
    pub fn read_watched(path: &Path, watch: &dyn Fn(u64, u64)) -> Result<Self, CheckpointError> {
        let file = path.display().to_string();
        match Source::open(path) {
            Ok(source) => Self::from_source(&file, &source, watch),
            Err(source) => Err(CheckpointError::Unreadable { file, source }),
        }
    }

    /// As [`Checkpoint::from_bytes`].
    ///
    /// # Errors
    /// As for [`Checkpoint::read`].
    pub fn from_bytes(file: &str, bytes: &[u8]) -> Result<Self, CheckpointError> {
        Self::from_source(file, &Source::Bytes(bytes), &|_, _| ())
    }

    fn from_source(
        file: &str,
        source: &Source,
        watch: &dyn Fn(u64, u64),
    ) -> Result<Self, CheckpointError> {
        let start = source
            .bytes(0, format::START)
            .map_err(|source| CheckpointError::Unreadable { file: file.to_owned(), source })?;
        let format = format::detect(&start)
            .map_err(|found| CheckpointError::NoCheckpoint { file: file.to_owned(), found })?;
        let mut declared = None;
        let Contents { tensors, exponents } = match format {
            Format::Safetensors => safetensors::read(file, source)?,
            Format::Pytorch => torch::read(file, source)?,
            Format::RwkvCpp => {
                let (header, contents) = rwkv_cpp::read(file, source)?;
                declared = Some(header);
                contents
            }
        };
        let exponents = match (format, exponents.as_deref()) {
            (Format::RwkvCpp, _) => Exponents::Rate,
            (_, None) => Exponents::Trained,
            (_, Some(BASE2)) => Exponents::Base2,
            (_, Some(found)) => {
                let (file, found) = (file.to_owned(), found.to_owned());
                return Err(CheckpointError::UnknownExponents { file, found });
            }
        };
        let tensors = Tensors::new(file, source, tensors)?;
        let (names, element_types) = (tensors.naming(), tensors.element_types());
        let checkpoint = fill(file, tensors, exponents, watch)?;
        if let Some(declared) = declared {
            check_header(file, declared, checkpoint.sizes)?;
        }
        Ok(Self { format, names, element_types, checkpoint })
    }
}

/// The mark of a file whose exponents are of 2.
const BASE2: &str = "base2";

fn check_header(
    file: &str,
    declared: rwkv_cpp::Header,
    sizes: Sizes,
) -> Result<(), CheckpointError> {
    let rwkv_cpp::Header { vocabulary, channels, blocks } = declared;
    let wrong = [
        ("tokens", vocabulary, sizes.vocabulary),
        ("channels", channels, sizes.channels),
        ("blocks", blocks, sizes.blocks),
    ]
    .into_iter()
    .map(|(what, declared, found)| (what, declared as usize, found))
    .find(|(_, declared, found)| declared != found);
    wrong.map_or(Ok(()), |(what, declared, found)| {
        Err(CheckpointError::WrongHeader { file: file.to_owned(), what, declared, found })
    })
}

/// A checkpoint of the sizes that `tensors` have, with their values.
fn fill(
    file: &str,
    mut tensors: Tensors,
    exponents: Exponents,
    watch: &dyn Fn(u64, u64),
) -> Result<Checkpoint, CheckpointError> {
    check_version(file, &tensors)?;
    let sizes = infer_sizes(file, &tensors)?;
    let time_mix = TimeMixWeights { exponents, ..TimeMixWeights::default() };
    let block = BlockWeights { time_mix, ..BlockWeights::default() };
    let blocks = vec![block; sizes.blocks];
    let mut checkpoint = Checkpoint { sizes, blocks, ..Checkpoint::default() };
    let places = places(&mut checkpoint);
    let mut problems: Vec<CheckpointError> =
        places.iter().filter_map(|place| tensors.problem(&place.name, place.shape)).collect();
    let known: BTreeSet<&str> = places.iter().map(|place| &place.name[..]).collect();
    problems.extend(tensors.names().filter(|name| !known.contains(name)).map(|name| {
        let (file, tensor) = (file.to_owned(), name.to_owned());
        CheckpointError::Unexpected { file, tensor, blocks: sizes.blocks }
    }));
    gathered(problems)?;
    let mut problems = Vec::new();
    let total = places.len() as u64;
    for (done, place) in places.into_iter().enumerate() {
        watch(done as u64, total);
        match tensors.take(&place.name) {
            Ok(values) => *place.values = values,
            Err(problem) => problems.push(problem),
        }
    }
    gathered(problems)?;
    gathered(checkpoint.blocks.iter().enumerate().flat_map(|(number, block)| {
        unusable_exponents(file, number, &block.time_mix, sizes.channels)
    }))?;
    Ok(checkpoint)
}

/// The ends of names that only models of other versions have: of version 5 and later, of 6, of 7.
const OTHER_VERSIONS: [&str; 4] =
    [".att.ln_x.weight", ".att.time_faaaa", ".att.time_maa_x", ".att.x_r"];

/// Refuses models of other versions with one word instead of many.
fn check_version(file: &str, tensors: &Tensors) -> Result<(), CheckpointError> {
    let other = tensors.names().find(|name| OTHER_VERSIONS.iter().any(|end| name.ends_with(end)));
    other.map_or(Ok(()), |tensor| {
        Err(CheckpointError::OtherVersion { file: file.to_owned(), tensor: tensor.to_owned() })
    })
}

fn gathered(problems: impl IntoIterator<Item = CheckpointError>) -> Result<(), CheckpointError> {
    let mut problems: Vec<CheckpointError> = problems.into_iter().collect();
    match problems.len() {
        0 => Ok(()),
        1 => Err(problems.remove(0)),
        _ => Err(CheckpointError::Several(problems)),
    }
}

fn infer_sizes(file: &str, tensors: &Tensors) -> Result<Sizes, CheckpointError> {
    let [vocabulary, channels] = tensors.matrix_shape(EMBEDDING, "[vocabulary, channels]")?;
    let numbers: BTreeSet<usize> = tensors.names().filter_map(block_number).collect();
    let blocks = (0..).take_while(|number| numbers.contains(number)).count();
    if let Some(&last) = numbers.last().filter(|&&last| last > blocks) {
        return Err(CheckpointError::MissingBlock { file: file.to_owned(), block: blocks, last });
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

/// Finite weights whose exponents of 2 are not usable.
fn unusable_exponents(
    file: &str,
    block: usize,
    weights: &TimeMixWeights,
    channels: usize,
) -> impl Iterator<Item = CheckpointError> {
    let exponents = weights.exponents;
    let decay = |decay: f32| exponents.decay(decay).is_finite();
    let negative = |decay: f32| exponents.decay(decay) <= 0.0;
    let key = |key: f32| (exponents.base2(key) as f32).is_finite();
    let check = |name, weights: &[f32], row, what, usable: &dyn Fn(f32) -> bool| {
        let place = weights.iter().position(|&weight| !usable(weight))?;
        Some(CheckpointError::TooLarge {
            file: file.to_owned(),
            tensor: format!("blocks.{block}.att.{name}"),
            channel: place / row,
            value: weights[place],
            what,
        })
    };
    [
        check("time_decay", &weights.time_decay, 1, "-e^time_decay is not finite", &decay),
        check("time_decay", &weights.time_decay, 1, "the state would grow", &negative),
        check("key.weight", &weights.key, channels, "the weight in base 2 is not finite", &key),
    ]
    .into_iter()
    .flatten()
}
