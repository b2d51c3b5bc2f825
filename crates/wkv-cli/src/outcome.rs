//! What a command that came to its end has to show.

use std::process::ExitCode;

use serde::Serialize;

use crate::output::OutputFile;

/// The result of a command, as `--json` writes it, and whether everything held.
pub struct Outcome {
    held: bool,
    result: String,
    files: Vec<OutputFile>,
    last_words: String,
}

impl Outcome {
    /// Done, and everything held.
    pub fn held(result: impl Serialize) -> Self {
        Self::checked(true, result)
    }

    /// Done; `held` tells whether every check held, and the result says which did not.
    pub fn checked(held: bool, result: impl Serialize) -> Self {
        let result = serde_json::to_string(&result).expect("results have text for keys and paths");
        Self { held, result, files: Vec::new(), last_words: String::new() }
    }

    /// Leaves `files` to be put in their places, together with the result.
    pub fn with_files(self, files: Vec<OutputFile>) -> Self {
        Self { files, ..self }
    }

    /// Leaves lines to be said once all files are in their places.
    pub fn with_last_words(self, last_words: String) -> Self {
        Self { last_words, ..self }
    }

    /// The machine-readable result, in JSON.
    pub fn result(&self) -> &str {
        &self.result
    }

    /// The files and the words that were left.
    pub fn take_files(&mut self) -> (Vec<OutputFile>, String) {
        (std::mem::take(&mut self.files), std::mem::take(&mut self.last_words))
    }

    /// The exit code of the process.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(u8::from(!self.held))
    }
}
