//! The model and the text that are measured.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use clap::Args;
use rwkv::LanguageModel;
use rwkv::eval::{EvalError, first_documents, predicted_tokens};
use rwkv::language_model::TokenizerSource;
use rwkv::linear::Weights;

use super::notation::counted;
use crate::arguments::{WEIGHTS_HELP, positive_number};
use crate::context::Context;
use crate::embedded;
use crate::failure::Failure;

/// Options that name a model.
#[derive(Args, Clone, Debug)]
pub struct ModelChoice {
    /// A checkpoint (safetensors, .pth, rwkv.cpp) with its tokenizer beside it, or the folder of both
    /// [default: the embedded stories-1.5m]
    #[arg(id = "model", long, value_name = "PATH")]
    pub path: Option<PathBuf>,
    /// The tokenizer, or bytes for a vocabulary of the 256 bytes [default: tokenizer.json or
    /// 20B_tokenizer.json beside the model]
    #[arg(long, value_name = "FILE", requires = "model")]
    pub tokenizer: Option<PathBuf>,
}

/// The word that stands for the vocabulary of bytes.
const BYTES: &str = "bytes";

impl ModelChoice {
    /// The model that is named, with its name.
    pub fn load(&self, context: &Context) -> Result<(String, LanguageModel), Failure> {
        let source = match &self.tokenizer {
            None => TokenizerSource::Beside,
            Some(word) if word == Path::new(BYTES) => TokenizerSource::Bytes,
            Some(file) => TokenizerSource::File(file.clone()),
        };
        let (name, language_model) = embedded::language_model_with(self.path.as_deref(), &source)?;
        if source == TokenizerSource::Beside && language_model.tokenizer.is_bytes() {
            context.note(format_args!(
                "{name} has no tokenizer beside it and 256 tokens, which are taken for the bytes"
            ));
        }
        Ok((name, language_model))
    }

    /// The tokenizer as a word of a command line.
    fn tokenizer_option(&self) -> Option<String> {
        Some(self.tokenizer.as_ref()?.display().to_string())
    }
}

/// Options that name a model and a text.
#[derive(Args, Clone, Debug)]
pub struct Source {
    #[command(flatten)]
    pub model: ModelChoice,
    #[arg(long, value_name = "KIND", help = WEIGHTS_HELP, default_value_t = Weights::F32)]
    pub weights: Weights,
    /// Documents that each end with a line <|endoftext|> [default: the embedded stories]
    #[arg(long, value_name = "FILE")]
    pub text: Option<PathBuf>,
    /// Take whole documents from the start until N tokens are predicted [default: all]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = positive_number)]
    pub tokens: Option<NonZeroU64>,
}

impl Source {
    /// The model that is named, with its name.
    pub fn language_model(&self, context: &Context) -> Result<(String, LanguageModel), Failure> {
        let (name, language_model) = self.model.load(context)?;
        let name = match self.weights {
            Weights::F32 => name,
            Weights::Int8 => format!("{name} (int8)"),
        };
        Ok((name, language_model.with_weights(self.weights)))
    }

    /// The same options as words of a command line.
    pub fn options(&self) -> Vec<String> {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        [
            ("--model", path(&self.model.path)),
            ("--tokenizer", self.model.tokenizer_option()),
            ("--weights", (self.weights != Weights::F32).then(|| self.weights.to_string())),
            ("--text", path(&self.text)),
            ("--tokens", self.tokens.map(|tokens| tokens.to_string())),
        ]
        .into_iter()
        .filter_map(|(option, value)| Some([option.to_owned(), value?]))
        .flatten()
        .collect()
    }
}

/// A model, and the tokens of the documents that it is measured on.
pub struct Subject {
    /// The model's name.
    pub model: String,
    /// The text's name.
    pub text: String,
    /// The model and its tokenizer.
    pub language_model: LanguageModel,
    /// The tokens of each document.
    pub documents: Vec<Vec<u32>>,
}

impl Subject {
    /// Loads what `source` names.
    pub fn load(source: &Source, context: &Context) -> Result<Self, Failure> {
        let (model, language_model) = source.language_model(context)?;
        let (text, documents) = embedded::documents(source.text.as_deref())?;
        context.interrupt.check()?;
        if documents.empty > 0 {
            let empty = counted(documents.empty as u64, "empty document");
            context.note(format_args!("{text}: {empty} left out"));
        }
        let documents = language_model.encode_documents(&documents.texts)?;
        let documents = match source.tokens {
            Some(tokens) => first_documents(&documents, tokens.get()).to_vec(),
            None => documents,
        };
        Ok(Self { model, text, language_model, documents })
    }

    /// What an evaluation that gave no result means here.
    pub fn failure(&self, error: &EvalError) -> Failure {
        match error {
            EvalError::Stopped => Failure::Interrupted,
            EvalError::NoDocuments => Failure::input(format!("{}: {error}", self.text)),
            EvalError::NotFinite { .. } => {
                Failure::input(format!("{} on {}: {error}", self.model, self.text))
            }
        }
    }

    /// Tokens to predict, each document alone.
    pub fn predicted_tokens(&self) -> u64 {
        self.documents.iter().map(|document| predicted_tokens(document)).sum()
    }

    /// How many channels of the recurrence take a token: those of all blocks together.
    pub fn channels(&self) -> u64 {
        let sizes = self.language_model.model.sizes();
        (sizes.blocks * sizes.channels) as u64
    }
}
