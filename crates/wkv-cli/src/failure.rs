//! How a command fails.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use morpho::Diagnostics;
use morpho::format::UnknownFormat;
use morpho::library::UnknownCell;
use morpho::sim::Oscillation;
use rwkv::checkpoint::CheckpointError;
use rwkv::language_model::LoadError;
use rwkv::text::TextError;
use rwkv::tokenizer::TokenizerError;
use wkv::circuit::UnitError;
use wkv::fixed::OutOfRange;
use wkv::range::RangeError;
use wkv::spec::SpecError;

/// The exit code of an interrupted command: 128 and the number of the signal SIGINT.
pub const INTERRUPTED: u8 = 130;

/// The exit code of a fault of this program, as `sysexits.h` has it (`EX_SOFTWARE`).
pub const INTERNAL: u8 = 70;

/// Why a command gave no result.
#[derive(Debug)]
pub enum Failure {
    /// Something that the user gave cannot be used. One paragraph that names the file, row or
    /// option and says what was expected.
    Input(String),
    /// This program is at fault, whatever the user gave.
    Internal(String),
    /// The user stopped it.
    Interrupted,
    /// The user stopped it, and it can go on later: what was kept.
    Paused(String),
}

impl Failure {
    /// Input that cannot be used.
    pub fn input(message: impl Into<String>) -> Self {
        Self::Input(message.into())
    }

    /// All that is wrong with an input, at least one problem.
    pub fn all(problems: impl IntoIterator<Item = impl ToString>) -> Self {
        /// Problems after this many are counted, not told.
        const MOST: usize = 64;
        let mut problems: Vec<String> = problems.into_iter().map(|p| p.to_string()).collect();
        let more = problems.len().saturating_sub(MOST);
        problems.truncate(MOST);
        if more > 0 {
            problems.push(format!("{more} more problems are not shown"));
        }
        Self::Input(problems.join("\nerror: "))
    }

    /// The exit code of the process.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Input(_) => ExitCode::from(2),
            Self::Internal(_) => ExitCode::from(INTERNAL),
            Self::Interrupted | Self::Paused(_) => ExitCode::from(INTERRUPTED),
        }
    }

    /// Tells the user, on standard error.
    pub fn print(&self) -> io::Result<()> {
        match self {
            Self::Input(message) => writeln!(io::stderr(), "error: {}", printable(message)),
            Self::Internal(message) => {
                writeln!(io::stderr(), "error: {message}\nthis is a fault of wkv; please report it")
            }
            Self::Interrupted => writeln!(io::stderr(), "interrupted; nothing was written"),
            Self::Paused(kept) => writeln!(io::stderr(), "interrupted; {kept}"),
        }
    }
}

/// A text that may quote a stranger's file, without characters that a terminal would obey.
pub fn printable(text: &str) -> String {
    let plain = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    text.chars().map(|c| if plain(c) { c } else { '\u{fffd}' }).collect()
}

/// The widest name that is shown, in characters.
const NAME: usize = 64;

/// A name of a file as one short line.
pub fn shown(name: &str) -> String {
    let name = printable(name).replace(['\n', '\t'], " ");
    match name.char_indices().nth(NAME) {
        None => name,
        Some(_) => name.chars().take(NAME - 3).chain("...".chars()).collect(),
    }
}

/// Errors of the crates below, as failures of one kind.
macro_rules! failures {
    ($kind:ident: $($error:ty),+ $(,)?) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::$kind(error.to_string())
            }
        }
    )+};
}

// They name the file, tensor or option, and what was expected. The last is a device's: a full
// disk, for example.
failures!(Input:
    SpecError, UnitError, UnknownCell, UnknownFormat, CheckpointError, LoadError, TextError, TokenizerError, OutOfRange, RangeError,
    io::Error,
);

// Every spec has its circuits, and they have no loops.
failures!(Internal: Diagnostics, Oscillation, ctrlc::Error);

/// A tool that is missing or fails, and a design that does not fit, are not faults of this program.
impl From<eda::Error> for Failure {
    fn from(error: eda::Error) -> Self {
        match error {
            eda::Error::Stopped => Self::Interrupted,
            error => Self::Input(error.to_string()),
        }
    }
}

/// So that the parser of an option may fail in the same way.
impl From<Failure> for Box<dyn Error + Send + Sync> {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Input(message) | Failure::Internal(message) => message.into(),
            Failure::Interrupted | Failure::Paused(_) => "interrupted".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_the_program_are_not_bad_input() {
        let fault = Failure::from(Diagnostics::from(morpho::Diagnostic::new("widths differ")));
        assert_eq!(format!("{:?}", fault.exit_code()), format!("{:?}", ExitCode::from(70)));
        let input = Failure::from("q8.8".parse::<wkv::WkvSpec>().expect_err("no spec"));
        assert_eq!(format!("{:?}", input.exit_code()), format!("{:?}", ExitCode::from(2)));
    }
}
