//! Evaluation text: documents that end with a line `<|endoftext|>`.

use std::io;
use std::path::Path;
use std::str;

use wkv::file;

/// The line that ends a document.
pub const END_OF_TEXT: &str = "<|endoftext|>";

/// A text that holds nothing to evaluate. Every variant names the file.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// The file cannot be opened or read.
    #[error(
        "{file}: cannot be read: {source}; expected documents, each ended by a line {END_OF_TEXT}"
    )]
    Unreadable {
        /// The file.
        file: String,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The file is not UTF-8.
    #[error(
        "{file}: not UTF-8: the byte 0x{byte:02x} at offset {offset} starts no character; \
         expected text in UTF-8"
    )]
    NotUtf8 {
        /// The file.
        file: String,
        /// Offset of the first byte that is not part of a character.
        offset: usize,
        /// That byte.
        byte: u8,
    },
    /// The file holds nothing but white space.
    #[error("{file}: empty; expected documents, each ended by a line {END_OF_TEXT}")]
    Empty {
        /// The file.
        file: String,
    },
    /// The file holds separators only.
    #[error("{file}: no documents, only lines {END_OF_TEXT}; expected text before each")]
    NoDocuments {
        /// The file.
        file: String,
    },
}

/// The documents of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Documents {
    /// Each without outer white space; at least one, none empty.
    pub texts: Vec<String>,
    /// How many were left out because they held nothing but white space.
    pub empty: usize,
}

/// Reads the documents of a file.
///
/// # Errors
/// If the file cannot be read, is not UTF-8, is empty or has no documents.
pub fn read(path: &Path) -> Result<Documents, TextError> {
    let file = path.display().to_string();
    match file::read(path, file::MOST_BYTES) {
        Ok(bytes) => documents(&file, &bytes),
        Err(source) => Err(TextError::Unreadable { file, source }),
    }
}

/// The documents of a file's content.
///
/// A text without any separator is one document. `file` names the text in errors.
///
/// # Errors
/// If the text is not UTF-8, is empty or has no documents.
pub fn documents(file: &str, bytes: &[u8]) -> Result<Documents, TextError> {
    let file = || file.to_owned();
    let text = str::from_utf8(bytes).map_err(|error| TextError::NotUtf8 {
        file: file(),
        offset: error.valid_up_to(),
        byte: bytes[error.valid_up_to()],
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim();
    if text.is_empty() {
        return Err(TextError::Empty { file: file() });
    }
    let documents = split(text);
    if documents.texts.is_empty() {
        return Err(TextError::NoDocuments { file: file() });
    }
    Ok(documents)
}

fn split(text: &str) -> Documents {
    let lines: Vec<&str> = text.lines().collect();
    let mut documents: Vec<String> = lines
        .split(|line| line.trim() == END_OF_TEXT)
        .map(|document| document.join("\n").trim().to_owned())
        .collect();
    // Behind the last separator there need not be one.
    documents.pop_if(|last| last.is_empty());
    let all = documents.len();
    documents.retain(|document| !document.is_empty());
    Documents { empty: all - documents.len(), texts: documents }
}
