//! The model and the text that are part of the program, and those that the user names instead.

use std::path::Path;

use rwkv::{LanguageModel, text};

use crate::failure::Failure;

/// The name of the embedded model.
pub const MODEL: &str = "stories-1.5m";

/// The name of the embedded text.
pub const TEXT: &str = "stories.txt";

const WEIGHTS: &[u8] = include_bytes!("../../../models/stories-1.5m/model.safetensors");
const TOKENIZER: &[u8] = include_bytes!("../../../models/stories-1.5m/tokenizer.json");
const STORIES: &[u8] = include_bytes!("../../../text/stories.txt");

/// The model at `path`, a folder or a safetensors file; without a path, the embedded one. With its
/// name.
pub fn language_model(path: Option<&Path>) -> Result<(String, LanguageModel), Failure> {
    Ok(match path {
        Some(path) => (path.display().to_string(), LanguageModel::read(path)?),
        None => (MODEL.to_owned(), LanguageModel::from_bytes(MODEL, WEIGHTS, TOKENIZER)?),
    })
}

/// The documents of the text at `path`; without a path, the embedded stories. With its name.
pub fn documents(path: Option<&Path>) -> Result<(String, Vec<String>), Failure> {
    Ok(match path {
        Some(path) => (path.display().to_string(), text::read(path)?),
        None => (TEXT.to_owned(), text::documents(TEXT, STORIES)?),
    })
}
