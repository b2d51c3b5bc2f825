//! Text to tokens and back, by a Hugging Face `tokenizer.json` or byte by byte.
//!
//! RWKV-v4 models use byte-level byte-pair encoding; that of the Pile models is GPT-NeoX's, in the
//! file `20B_tokenizer.json`. Other kinds are refused before the library that knows them sees
//! them: it panics on some damaged files. Small test models have the 256 bytes themselves.

use std::io;
use std::path::Path;
use std::str;

use serde_json::Value;
use tokenizers::tokenizer::DecodeStream;
use tokenizers::{
    DecoderWrapper, ModelWrapper, NormalizerWrapper, PostProcessorWrapper, PreTokenizerWrapper,
};
use wkv::file;

use crate::byte_pairs;
use crate::model::END_OF_TEXT;

/// The longest file of a tokenizer: 256 MiB.
const MOST_BYTES: u64 = 1 << 28;

/// A tokenizer that cannot be used. Every variant names the file.
#[derive(Debug, thiserror::Error)]
pub enum TokenizerError {
    /// The file cannot be opened or read.
    #[error(
        "{file}: cannot be read: {source}; expected the tokenizer.json that the model was trained with"
    )]
    Unreadable {
        /// The file.
        file: String,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The file is not a tokenizer.
    #[error(
        "{file}: not a tokenizer: {reason}; expected a Hugging Face tokenizer.json of byte-level BPE"
    )]
    Invalid {
        /// The file.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The tokenizer and the model are not made for each other.
    #[error(
        "{file}: the tokenizer has {tokenizer} tokens, but the model {model_file} has a \
         vocabulary of {model}; expected the tokenizer that the model was trained with"
    )]
    WrongVocabulary {
        /// The tokenizer's file.
        file: String,
        /// Number of tokens in the tokenizer: its highest token plus one.
        tokenizer: usize,
        /// The model's file.
        model_file: String,
        /// Number of tokens in the model.
        model: usize,
    },
    /// The tokenizer refused a text or a token.
    #[error("{file}: the tokenizer failed: {reason}")]
    Failed {
        /// The tokenizer's file.
        file: String,
        /// Its own words.
        reason: String,
    },
}

/// Turns text into tokens and tokens into text.
#[derive(Clone, Debug)]
pub struct Tokenizer {
    file: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// Each token is a byte.
    Bytes,
    /// Byte-pair encoding.
    Pairs(Box<tokenizers::Tokenizer>),
}

/// Number of tokens that are bytes.
pub const BYTES: usize = 256;

impl Tokenizer {
    /// The vocabulary of the 256 bytes of UTF-8.
    ///
    /// [`END_OF_TEXT`] is the byte 0, which text hardly has; one that is there ends a text, too.
    pub fn bytes() -> Self {
        Self { file: "the byte vocabulary".to_owned(), kind: Kind::Bytes }
    }

    /// Whether the tokens are bytes.
    pub fn is_bytes(&self) -> bool {
        matches!(self.kind, Kind::Bytes)
    }

    /// Reads a `tokenizer.json`.
    ///
    /// # Errors
    /// If the file cannot be read or is not a tokenizer.
    pub fn read(path: &Path) -> Result<Self, TokenizerError> {
        let file = path.display().to_string();
        match file::read(path, MOST_BYTES) {
            Ok(bytes) => Self::from_bytes(&file, &bytes),
            Err(source) => Err(TokenizerError::Unreadable { file, source }),
        }
    }

    /// Like [`Tokenizer::read`], from the file's content; `file` names it in errors.
    ///
    /// # Errors
    /// If the content is not a tokenizer.
    pub fn from_bytes(file: &str, bytes: &[u8]) -> Result<Self, TokenizerError> {
        let invalid = |reason: tokenizers::Error| TokenizerError::Invalid {
            file: file.to_owned(),
            reason: reason.to_string(),
        };
        byte_pairs::check(bytes).map_err(|reason| invalid(reason.into()))?;
        // What would be added around a text is not asked for.
        let mut file_parts: Value =
            serde_json::from_slice(bytes).map_err(|error| invalid(error.into()))?;
        file_parts["post_processor"] = Value::Null;
        let mut inner =
            tokenizers::Tokenizer::from_bytes(file_parts.to_string()).map_err(invalid)?;
        // A file may ask for sequences of one length; documents have their own.
        inner.with_truncation(None).map_err(invalid)?;
        inner.with_padding(None);
        Ok(Self { file: file.to_owned(), kind: Kind::Pairs(Box::new(inner)) })
    }

    /// Number of tokens: the highest one plus one.
    pub fn vocabulary(&self) -> usize {
        match &self.kind {
            Kind::Bytes => BYTES,
            Kind::Pairs(inner) => {
                let highest = inner.get_vocab(true).into_values().max();
                highest.map_or(0, |token| token as usize + 1)
            }
        }
    }

    /// Checks that the tokenizer is made for a model of `vocabulary` tokens, read from `model_file`.
    ///
    /// # Errors
    /// If the two numbers of tokens differ; the error names both.
    pub fn check_vocabulary(
        &self,
        model_file: &str,
        vocabulary: usize,
    ) -> Result<(), TokenizerError> {
        let tokenizer = self.vocabulary();
        if tokenizer == vocabulary {
            return Ok(());
        }
        Err(TokenizerError::WrongVocabulary {
            file: self.file.clone(),
            tokenizer,
            model_file: model_file.to_owned(),
            model: vocabulary,
        })
    }

    /// The tokens of a text; nothing is added before or after.
    ///
    /// # Errors
    /// If the tokenizer has no token for a part of the text.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>, TokenizerError> {
        match &self.kind {
            Kind::Bytes => Ok(text.bytes().map(u32::from).collect()),
            Kind::Pairs(inner) => match inner.encode_fast(text, false) {
                Ok(encoding) => Ok(encoding.get_ids().to_vec()),
                Err(reason) => Err(self.failed(reason)),
            },
        }
    }

    /// The text of tokens. Special tokens have none; bytes that form no character become U+FFFD.
    ///
    /// # Errors
    /// If the tokenizer's decoder fails.
    pub fn decode(&self, tokens: &[u32]) -> Result<String, TokenizerError> {
        match &self.kind {
            Kind::Bytes => {
                let bytes: Vec<u8> = tokens.iter().copied().filter_map(text_byte).collect();
                Ok(String::from_utf8_lossy(&bytes).into_owned())
            }
            Kind::Pairs(inner) => inner.decode(tokens, true).map_err(|reason| self.failed(reason)),
        }
    }

    /// A decoder for tokens that come one by one.
    pub fn stream(&self) -> TextStream<'_> {
        let stream = match &self.kind {
            Kind::Bytes => Stream::Bytes(Vec::new()),
            Kind::Pairs(inner) => Stream::Pairs(Box::new(inner.decode_stream(true))),
        };
        TextStream { tokenizer: self, stream }
    }

    fn failed(&self, reason: tokenizers::Error) -> TokenizerError {
        TokenizerError::Failed { file: self.file.clone(), reason: reason.to_string() }
    }
}

/// Decodes tokens one by one and holds back characters that are not complete yet.
pub struct TextStream<'a> {
    tokenizer: &'a Tokenizer,
    stream: Stream<'a>,
}

enum Stream<'a> {
    /// The bytes of a character that is not complete.
    Bytes(Vec<u8>),
    Pairs(Box<PairStream<'a>>),
}

type PairStream<'a> = DecodeStream<
    'a,
    ModelWrapper,
    NormalizerWrapper,
    PreTokenizerWrapper,
    PostProcessorWrapper,
    DecoderWrapper,
>;

/// The byte of a token that has text.
fn text_byte(token: u32) -> Option<u8> {
    u8::try_from(token).ok().filter(|_| token != END_OF_TEXT)
}

/// Takes the characters that are complete from `bytes`.
fn take_complete(bytes: &mut Vec<u8>) -> String {
    let waiting = match str::from_utf8(bytes) {
        // Only the end can lack bytes: what came before was taken with every push.
        Err(error) if error.error_len().is_none() => bytes.split_off(error.valid_up_to()),
        _ => Vec::new(),
    };
    let complete = std::mem::replace(bytes, waiting);
    String::from_utf8_lossy(&complete).into_owned()
}

impl TextStream<'_> {
    /// The text that `token` completes; empty while a character still lacks bytes.
    ///
    /// # Errors
    /// If the tokenizer's decoder fails.
    pub fn push(&mut self, token: u32) -> Result<String, TokenizerError> {
        match &mut self.stream {
            Stream::Bytes(bytes) => {
                bytes.extend(text_byte(token));
                Ok(take_complete(bytes))
            }
            Stream::Pairs(stream) => match stream.step(token) {
                Ok(text) => Ok(text.unwrap_or_default()),
                Err(reason) => Err(self.tokenizer.failed(reason)),
            },
        }
    }
}
