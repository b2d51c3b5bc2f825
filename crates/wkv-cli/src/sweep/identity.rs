//! What a sweep measures, told apart by digests: results of one model and text do not mix with
//! those of another.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rwkv::eval::Sequence;
use rwkv::language_model::weights_file;
use rwkv::linear::Weights;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::embedded;
use crate::failure::Failure;

/// A model and the sequences that it is measured on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The model's name.
    pub model: String,
    /// SHA-256 of its weights as stored, the first 16 digits.
    pub model_digest: String,
    /// The text's name.
    pub text: String,
    /// SHA-256 of the tokens of all sequences, the first 16 digits.
    pub text_digest: String,
    /// Number of documents of the text.
    pub documents: usize,
    /// Predicted tokens of a sequence; none if each document is one.
    pub context: Option<usize>,
    /// Number of sequences.
    pub sequences: usize,
    /// Predicted tokens of all sequences.
    pub tokens: u64,
    /// Number of the model's blocks.
    pub blocks: usize,
    /// Channels of the recurrence in all blocks together.
    pub channels: u64,
}

/// Digits of a digest that are kept.
const DIGITS: usize = 16;

/// Feeds a digest.
#[derive(Default)]
struct Hasher(Sha256);

impl Hasher {
    fn finish(self) -> String {
        let digest = self.0.finalize();
        let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        digits[..DIGITS].to_owned()
    }
}

/// The digest of the tokens of `sequences`, their bounds included.
pub fn text_digest(sequences: &[Sequence]) -> String {
    let mut hasher = Hasher::default();
    for sequence in sequences {
        hasher.0.update((sequence.tokens().len() as u64).to_le_bytes());
        for token in sequence.tokens() {
            hasher.0.update(token.to_le_bytes());
        }
    }
    hasher.finish()
}

/// The digest of several texts.
pub fn digest_of(texts: &[&str]) -> String {
    let mut hasher = Hasher::default();
    for text in texts {
        hasher.0.update((text.len() as u64).to_le_bytes());
        hasher.0.update(text);
    }
    hasher.finish()
}

/// The digest of the weights of the model at `path`, of the embedded one without a path, and of how
/// they are kept.
pub fn model_digest(path: Option<&Path>, kept: Weights) -> Result<String, Failure> {
    let mut hasher = Hasher::default();
    match path {
        None => hasher.0.update(embedded::WEIGHTS),
        Some(path) => {
            let file = weights_file(path)?;
            File::open(&file).and_then(|open| feed(&mut hasher, open)).map_err(|error| {
                Failure::input(format!("{}: cannot be read: {error}", file.display()))
            })?;
        }
    }
    if kept != Weights::default() {
        hasher.0.update(kept.to_string());
    }
    Ok(hasher.finish())
}

fn feed(hasher: &mut Hasher, mut file: File) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(()),
            count => hasher.0.update(&buffer[..count]),
        }
    }
}
