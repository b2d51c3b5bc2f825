//! A model together with its tokenizer.

use std::path::Path;

use rayon::prelude::*;

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::linear::Weights;
use crate::model::Model;
use crate::tokenizer::{Tokenizer, TokenizerError};

/// A model folder that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The weights cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The tokenizer cannot be used, or not with this model.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
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
    /// Reads `model.safetensors` and `tokenizer.json` of a folder, or a safetensors file and the
    /// `tokenizer.json` beside it.
    ///
    /// # Errors
    /// If either file cannot be used or the tokenizer does not fit the model.
    pub fn read(path: &Path) -> Result<Self, LoadError> {
        let weights = if path.is_dir() { path.join("model.safetensors") } else { path.to_owned() };
        Self::new(
            &weights.display().to_string(),
            &Checkpoint::read(&weights)?,
            Tokenizer::read(&weights.with_file_name("tokenizer.json"))?,
        )
    }

    /// Like [`LanguageModel::read`], from the content of both files, named after `name` in errors.
    ///
    /// # Errors
    /// As for [`LanguageModel::read`].
    pub fn from_bytes(name: &str, weights: &[u8], tokenizer: &[u8]) -> Result<Self, LoadError> {
        let weights_name = format!("{name}/model.safetensors");
        Self::new(
            &weights_name,
            &Checkpoint::from_bytes(&weights_name, weights)?,
            Tokenizer::from_bytes(&format!("{name}/tokenizer.json"), tokenizer)?,
        )
    }

    fn new(
        weights_name: &str,
        checkpoint: &Checkpoint,
        tokenizer: Tokenizer,
    ) -> Result<Self, LoadError> {
        tokenizer.check_vocabulary(weights_name, checkpoint.sizes.vocabulary)?;
        Ok(Self { model: Model::new(checkpoint), tokenizer })
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
