//! Ctrl-C, and the other signals that ask a process to end.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::{self, Failure};
use crate::output;

/// Whether the user asked to stop. Clones share the answer.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Starts to listen for Ctrl-C, SIGTERM and SIGHUP: the first asks work to stop, the second
    /// ends the process, which leaves no file behind either.
    pub fn listen() -> Result<Self, Failure> {
        let interrupt = Self::default();
        let asked = Arc::clone(&interrupt.0);
        ctrlc::set_handler(move || {
            if asked.swap(true, Ordering::Relaxed) {
                output::abandon_all(failure::INTERRUPTED.into());
            }
        })?;
        Ok(interrupt)
    }

    /// Whether the user asked to stop.
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Forgets that the user asked to stop: the answer was given.
    pub fn forget(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Fails if the user asked to stop.
    pub fn check(&self) -> Result<(), Failure> {
        if self.requested() { Err(Failure::Interrupted) } else { Ok(()) }
    }

    /// What a progress callback answers: go on, or stop.
    pub fn flow(&self) -> ControlFlow<()> {
        if self.requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Writing that fails as soon as the user asks to stop.
pub struct Interruptible<'a> {
    /// Where it goes.
    pub out: &'a mut dyn Write,
    /// What to ask.
    pub interrupt: &'a Interrupt,
}

impl Write for Interruptible<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.interrupt.requested() {
            // Not `ErrorKind::Interrupted`, after which writers try again.
            return Err(io::Error::other("the user asked to stop"));
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
