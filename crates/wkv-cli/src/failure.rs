//! How a command fails.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

/// The exit code of an interrupted command: 128 and the number of the signal.
pub const INTERRUPTED: u8 = 130;

/// Why a command gave no result.
#[derive(Debug)]
pub enum Failure {
    /// Something that the user gave cannot be used. One paragraph that names the file, row or
    /// option and says what was expected.
    Input(String),
    /// The user stopped it.
    Interrupted,
}

impl Failure {
    /// Input that cannot be used.
    pub fn input(message: impl Into<String>) -> Self {
        Self::Input(message.into())
    }

    /// The exit code of the process.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Input(_) => ExitCode::from(2),
            Self::Interrupted => ExitCode::from(INTERRUPTED),
        }
    }

    /// Tells the user, on standard error.
    pub fn print(&self) -> io::Result<()> {
        match self {
            Self::Input(message) => writeln!(io::stderr(), "error: {message}"),
            Self::Interrupted => writeln!(io::stderr(), "interrupted; nothing was written"),
        }
    }
}

/// The crates below name the file, tensor or option in their errors, and what was expected.
impl<E: Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Input(error.to_string())
    }
}

/// So that the parser of an option may fail in the same way.
impl From<Failure> for Box<dyn Error + Send + Sync> {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Input(message) => message.into(),
            Failure::Interrupted => "interrupted".into(),
        }
    }
}
