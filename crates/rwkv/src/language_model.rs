//! A model together with its tokenizer.

use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::linear::Weights;
use crate::model::Model;
use crate::tokenizer::{self, Tokenizer, TokenizerError};

/// A model folder that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The weights cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The tokenizer cannot be used, or not with this model.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
    /// A folder holds several files that may be the model.
    #[error("{folder}: holds {}; expected one of them as the model", files.join(", "))]
    Several {
        /// The folder.
        folder: String,
        /// The files.
        files: Vec<String>,
    },
}

/// Where the tokenizer of a model is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TokenizerSource {
    /// `tokenizer.json` or `20B_tokenizer.json` beside the weights. Without any, the bytes are the
    /// tokens of a model of 256.
    #[default]
    Beside,
    /// This file.
    File(PathBuf),
    /// The 256 bytes.
    Bytes,
}

/// The weights that a folder is searched for, the first of them first.
pub const WEIGHTS: [&str; 2] = ["model.safetensors", "pytorch_model.bin"];

/// The endings of other files that may be weights.
pub const ENDINGS: [&str; 4] = ["safetensors", "pth", "pt", "bin"];

/// The tokenizers that belong to the weights beside them, the first of them first.
const TOKENIZERS: [&str; 2] = ["tokenizer.json", "20B_tokenizer.json"];

/// The file of weights that `path` names: itself, or one in the folder.
///
/// In a folder that is `model.safetensors`, `pytorch_model.bin`, or else the only file whose ending
/// is that of a checkpoint.
///
/// # Errors
/// If the folder holds several such files.
pub fn weights_file(path: &Path) -> Result<PathBuf, LoadError> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let known = WEIGHTS.map(|name| path.join(name));
    if let Some(file) = known.iter().find(|file| file.exists()) {
        return Ok(file.clone());
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|file| {
            file.extension().is_some_and(|end| ENDINGS.iter().any(|known| end == *known))
        })
        .collect();
    files.sort();
    match &files[..] {
        [file] => Ok(file.clone()),
        // Reading it tells that it is missing.
        [] => Ok(path.join(WEIGHTS[0])),
        _ => Err(LoadError::Several {
            folder: path.display().to_string(),
            files: files
                .iter()
                .filter_map(|file| Some(file.file_name()?.display().to_string()))
                .collect(),
        }),
    }
}

/// A model and the tokenizer that it was trained with.
#[derive(Clone, Debug)]
pub struct LanguageModel {
    /// The network.
    pub model: Model,
    /// Its tokenizer; its vocabulary is the model's.
    pub tokenizer: Tokenizer,
}

impl LanguageModel {
    /// Reads the [weights](weights_file) of a folder, or a file, and the tokenizer beside it.
    ///
    /// # Errors
    /// If either file cannot be used or the tokenizer does not fit the model.
    pub fn read(path: &Path) -> Result<Self, LoadError> {
        Self::read_with(path, &TokenizerSource::Beside)
    }

    /// Like [`LanguageModel::read`], with a tokenizer from anywhere.
    ///
    /// # Errors
    /// As for [`LanguageModel::read`].
    pub fn read_with(path: &Path, tokenizer: &TokenizerSource) -> Result<Self, LoadError> {
        let weights = weights_file(path)?;
        let checkpoint = Checkpoint::read(&weights)?;
        let tokenizer = match tokenizer {
            TokenizerSource::Bytes => Tokenizer::bytes(),
            TokenizerSource::File(file) => Tokenizer::read(file)?,
            TokenizerSource::Beside => {
                let beside = TOKENIZERS.map(|name| weights.with_file_name(name));
                match beside.iter().find(|file| file.exists()) {
                    Some(file) => Tokenizer::read(file)?,
                    None if checkpoint.sizes.vocabulary == tokenizer::BYTES => Tokenizer::bytes(),
                    None => Tokenizer::read(&beside[0])?,
                }
            }
        };
        Self::new(&weights.display().to_string(), checkpoint, tokenizer)
    }

    /// Like [`LanguageModel::read`], from the content of both files, named after `name` in errors.
    ///
    /// # Errors
    /// As for [`LanguageModel::read`].
    pub fn from_bytes(name: &str, weights: &[u8], tokenizer: &[u8]) -> Result<Self, LoadError> {
        let weights_name = format!("{name}/model.safetensors");
        Self::new(
            &weights_name,
            Checkpoint::from_bytes(&weights_name, weights)?,
            Tokenizer::from_bytes(&format!("{name}/tokenizer.json"), tokenizer)?,
        )
    }

    fn new(
        weights_name: &str,
        checkpoint: Checkpoint,
        tokenizer: Tokenizer,
    ) -> Result<Self, LoadError> {
        tokenizer.check_vocabulary(weights_name, checkpoint.sizes.vocabulary)?;
        Ok(Self { model: checkpoint.into(), tokenizer })
    }

    /// The same with the model's matrices kept as `weights`.
    #[must_use]
    pub fn with_weights(self, weights: Weights) -> Self {
        Self { model: self.model.with_weights(weights), ..self }
    }

    /// The tokens of each document, on all cores.
    ///
    /// # Errors
    /// If the tokenizer has no token for a part of a document.
    pub fn encode_documents(&self, documents: &[String]) -> Result<Vec<Vec<u32>>, TokenizerError> {
        documents.par_iter().map(|document| self.tokenizer.encode(document)).collect()
    }
}
