//! What can be wrong with a checkpoint.

use std::io;

use super::format::Format;

/// Problems that are told at once; the rest is counted.
const MOST_TOLD: usize = 20;

fn lines(problems: &[CheckpointError]) -> String {
    let mut lines: Vec<String> = problems.iter().take(MOST_TOLD).map(ToString::to_string).collect();
    if problems.len() > MOST_TOLD {
        lines.push(format!("{} more problems are not shown", problems.len() - MOST_TOLD));
    }
    lines.join("\n")
}

/// A checkpoint that cannot be used. Every variant names the file.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file cannot be opened or read.
    #[error(
        "{file}: cannot be read: {source}; expected RWKV-v4 weights, or a folder with \
         model.safetensors and tokenizer.json"
    )]
    Unreadable {
        /// The file.
        file: String,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The file is of no format that is known here.
    #[error(
        "{file}: no checkpoint: {found}; expected RWKV-v4 weights in safetensors, in what \
         torch.save writes, or in rwkv.cpp's format"
    )]
    NoCheckpoint {
        /// The file.
        file: String,
        /// What was found instead.
        found: &'static str,
    },
    /// The file is damaged, or uses what its format has for other purposes.
    #[error("{file}: not usable as {format} file: {found}")]
    Unusable {
        /// The file.
        file: String,
        /// Its format, by its first bytes.
        format: Format,
        /// What is wrong, and what was expected.
        found: String,
    },
    /// Several things are wrong; never empty.
    #[error("{}", lines(.0))]
    Several(Vec<CheckpointError>),
    /// Two names of the file mean one tensor.
    #[error("{file}: tensor `{tensor}` is in it twice, under BlinkDL's name and Hugging Face's")]
    Twice {
        /// The file.
        file: String,
        /// The second name.
        tensor: String,
    },
    /// The sizes that the file tells are not those of its tensors.
    #[error("{file}: declares {declared} {what}, but its tensors are of {found}")]
    WrongHeader {
        /// The file.
        file: String,
        /// What is counted.
        what: &'static str,
        /// The number in the header.
        declared: usize,
        /// The number by the tensors.
        found: usize,
    },
    /// The file marks its exponents as of a form that is not known.
    #[error("{file}: its exponents are marked as {found:?}; expected \"base2\" or no mark")]
    UnknownExponents {
        /// The file.
        file: String,
        /// The mark.
        found: String,
    },
    /// The file ends before its tensors do, or goes on after them.
    #[error(
        "{file}: {found} bytes long, but its header describes {expected}; the file is {}",
        if found < expected { "truncated: copy or download it again" } else { "followed by bytes of no tensor" }
    )]
    WrongLength {
        /// The file.
        file: String,
        /// Its length in bytes.
        found: u64,
        /// The length that its header describes; a lower bound if the header itself is cut.
        expected: u64,
    },
    /// A tensor that the model needs is not there.
    #[error("{file}: tensor `{tensor}` is missing; expected it with shape {expected}")]
    Missing {
        /// The file.
        file: String,
        /// The tensor's name.
        tensor: String,
        /// Its shape; a size that the file leaves open has a letter.
        expected: String,
    },
    /// The model is of another version.
    #[error("{file}: tensor `{tensor}` tells RWKV of version 5 or later; expected version 4")]
    OtherVersion {
        /// The file.
        file: String,
        /// A tensor that version 4 does not have.
        tensor: String,
    },
    /// A block between others is not there.
    #[error(
        "{file}: block {block} is missing (no tensors `blocks.{block}.*`), but there are tensors \
         of block {last}; expected blocks without a gap"
    )]
    MissingBlock {
        /// The file.
        file: String,
        /// The first block that is missing, from 0.
        block: usize,
        /// The last block that there is.
        last: usize,
    },
    /// A tensor that is no part of the model.
    #[error(
        "{file}: tensor `{tensor}` is no part of an RWKV-v4 model of {blocks} blocks; \
         expected only BlinkDL's or Hugging Face's tensor names"
    )]
    Unexpected {
        /// The file.
        file: String,
        /// The tensor's name.
        tensor: String,
        /// Number of blocks found in the file.
        blocks: usize,
    },
    /// A tensor's shape does not fit the other tensors.
    #[error("{file}: tensor `{tensor}` has shape {found:?}; expected {expected}")]
    WrongShape {
        /// The file.
        file: String,
        /// The tensor's name.
        tensor: String,
        /// Its shape in the file.
        found: Vec<usize>,
        /// The shape that fits.
        expected: String,
    },
    /// A tensor's elements are no floating-point numbers of 16 or 32 bits.
    #[error("{file}: tensor `{tensor}` has elements of type {found}; expected F16, BF16 or F32")]
    WrongType {
        /// The file.
        file: String,
        /// The tensor's name.
        tensor: String,
        /// Its element type in the file.
        found: String,
    },
    /// A tensor's declared shape and type do not fill its bytes.
    #[error(
        "{file}: tensor `{tensor}` is declared as {declared}, \
         but {found} bytes are set aside for it; expected {expected}"
    )]
    WrongSize {
        /// The file.
        file: String,
        /// The tensor's name.
        tensor: String,
        /// Its element type and its shape in the file.
        declared: String,
        /// Bytes between its offsets.
        found: usize,
        /// Bytes that shape and element type need.
        expected: String,
    },
    /// A weight is infinite or not a number.
    #[error("{file}: tensor `{tensor}` holds {value} at element {index}; expected finite numbers")]
    NotFinite {
        /// The file.
        file: String,
        /// The tensor's name.
        tensor: String,
        /// Place of the first such element, in row-major order.
        index: usize,
        /// The element.
        value: f32,
    },
    /// A weight is finite but not in the form that it is to be written in.
    #[error(
        "{file}: tensor `{tensor}` holds {value} at element {index}, which {target} cannot hold"
    )]
    NotHeld {
        /// The file.
        file: String,
        /// The tensor's name.
        tensor: String,
        /// Place of the first such element, in row-major order.
        index: usize,
        /// The element.
        value: f32,
        /// The element type, or the form of exponents.
        target: String,
    },
    /// A weight is finite but what the model makes of it is not.
    #[error(
        "{file}: tensor `{tensor}` holds {value} in channel {channel}, which is too large: {what}"
    )]
    TooLarge {
        /// The file.
        file: String,
        /// The tensor's name.
        tensor: String,
        /// The channel: the place in a vector, the row of a matrix.
        channel: usize,
        /// The weight.
        value: f32,
        /// What comes of it.
        what: &'static str,
    },
}
