//! What a running command talks to: its reader, its progress bar, and Ctrl-C.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::sync::OnceLock;

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::progress::Progress;

/// Handed to every command.
pub struct Context {
    /// Standard output is taken by the JSON result; text for people goes to standard error.
    result_on_stdout: bool,
    /// Ctrl-C. Long work polls it.
    pub interrupt: Interrupt,
    lost_text: OnceLock<io::Error>,
}

impl Context {
    /// The context of this process; there is one.
    pub fn new(result_on_stdout: bool) -> Result<Self, Failure> {
        Ok(Self { result_on_stdout, interrupt: Interrupt::listen()?, lost_text: OnceLock::new() })
    }

    /// Tells the reader a line, or several.
    pub fn say(&self, text: impl Display) {
        self.say_part(format_args!("{text}\n"));
    }

    /// Tells the reader a part of a line, at once.
    pub fn say_part(&self, text: impl Display) {
        let written = if self.result_on_stdout {
            write_now(io::stderr(), text)
        } else {
            write_now(io::stdout(), text)
        };
        match written {
            // The reader has read enough, as `head` does.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                // Only the first error is reported.
                let _ = self.lost_text.set(error);
            }
            _ => {}
        }
    }

    /// Tells the user something on the side, on standard error.
    pub fn note(&self, text: impl Display) {
        // A note that nobody reads is no failure.
        let _ = write_now(io::stderr(), format_args!("note: {text}\n"));
    }

    /// A progress bar over `total` of what `what` names, gone when dropped; none if standard error
    /// is no terminal.
    pub fn progress(&self, what: impl Into<String>, total: u64) -> Progress {
        Progress::new(what.into(), total, self.interrupt.clone())
    }

    /// Reports text that was lost, to a full disk for example.
    pub fn finish(mut self) -> Result<(), Failure> {
        match self.lost_text.take() {
            None => Ok(()),
            Some(error) => Err(Failure::input(format!("standard output: {error}"))),
        }
    }
}

fn write_now(mut out: impl Write, text: impl Display) -> io::Result<()> {
    write!(out, "{text}")?;
    out.flush()
}
