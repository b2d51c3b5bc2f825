//! What a running command talks to: its reader, its files, its progress bar, and Ctrl-C.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{OutputFile, OutputFolder, is_stdout};
use crate::progress::Progress;

/// Handed to every command.
pub struct Context {
    /// The option that took standard output; text for people then goes to standard error.
    stdout_owner: OnceLock<&'static str>,
    /// Ctrl-C. Long work polls it.
    pub interrupt: Interrupt,
    lost_text: Mutex<Option<io::Error>>,
}

/// How often work on another thread is asked for.
const POLLING: Duration = Duration::from_millis(20);

impl Context {
    /// The context of this process; there is one.
    pub fn new() -> Result<Self, Failure> {
        Ok(Self {
            stdout_owner: OnceLock::new(),
            interrupt: Interrupt::listen()?,
            lost_text: Mutex::new(None),
        })
    }

    /// Opens the file that `option` names; `-` takes standard output, which one option may.
    pub fn output_file(&self, option: &'static str, path: &Path) -> Result<OutputFile, Failure> {
        if is_stdout(path)
            && let Err(option) = self.stdout_owner.set(option)
        {
            let owner = self.stdout_owner.get().unwrap_or(&option);
            return Err(Failure::input(format!(
                "{option} -: {owner} writes to standard output already; expected a file for one"
            )));
        }
        OutputFile::create(path, &self.interrupt)
    }

    /// Opens the folder that `option` names.
    pub fn output_folder(
        &self,
        option: &'static str,
        path: &Path,
    ) -> Result<OutputFolder, Failure> {
        if is_stdout(path) {
            return Err(Failure::input(format!(
                "{option} -: several files do not fit standard output; expected a folder, such as \
                 ./- for one of this name"
            )));
        }
        OutputFolder::create(path, &self.interrupt)
    }

    /// Does `work` that cannot poll on a thread of its own, which is left alone with it if the user
    /// asks to stop.
    pub fn interruptible<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let (done, result) = mpsc::channel();
        let worker = thread::spawn(move || {
            // Nobody listens once the user asked to stop.
            let _ = done.send(work());
        });
        loop {
            match result.recv_timeout(POLLING) {
                Ok(result) => return Ok(result),
                Err(mpsc::RecvTimeoutError::Timeout) => self.interrupt.check()?,
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    let panic = worker.join().expect_err("only a panic sends nothing");
                    std::panic::resume_unwind(panic);
                }
            }
        }
    }

    /// Tells the reader a line, or several.
    pub fn say(&self, text: impl Display) {
        self.say_part(format_args!("{text}\n"));
    }

    /// Tells the reader a part of a line, at once.
    pub fn say_part(&self, text: impl Display) {
        let written = if self.stdout_owner.get().is_some() {
            write_now(io::stderr(), text)
        } else {
            write_now(io::stdout(), text)
        };
        match written {
            // The reader has read enough, as `head` does.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                // Only the first error is reported.
                self.lost_text.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
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
    pub fn check_text(&self) -> Result<(), Failure> {
        match self.lost_text.lock().unwrap_or_else(PoisonError::into_inner).take() {
            None => Ok(()),
            Some(error) => Err(Failure::input(format!("standard output: {error}"))),
        }
    }
}

fn write_now(mut out: impl Write, text: impl Display) -> io::Result<()> {
    write!(out, "{text}")?;
    out.flush()
}
