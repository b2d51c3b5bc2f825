//! What a command that came to its end has to show.

use std::process::ExitCode;

use serde::Serialize;

/// The result of a command, as `--json` writes it, and whether everything held.
#[derive(Debug)]
pub struct Outcome {
    held: bool,
    result: String,
}

impl Outcome {
    /// Done, and everything held.
    pub fn held(result: impl Serialize) -> Self {
        Self::checked(true, result)
    }

    /// Done; `held` tells whether every check held, and the result says which did not.
    pub fn checked(held: bool, result: impl Serialize) -> Self {
        let result = serde_json::to_string(&result).expect("results have text for keys");
        Self { held, result }
    }

    /// The machine-readable result, in JSON.
    pub fn result(&self) -> &str {
        &self.result
    }

    /// The exit code of the process.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(u8::from(!self.held))
    }
}
