//! Ctrl-C.

use std::ops::ControlFlow;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::{self, Failure};

/// Whether the user asked to stop. Clones share the answer.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Starts to listen for Ctrl-C: the first asks work to stop, the second ends the process.
    pub fn listen() -> Result<Self, Failure> {
        let interrupt = Self::default();
        let asked = Arc::clone(&interrupt.0);
        ctrlc::set_handler(move || {
            if asked.swap(true, Ordering::Relaxed) {
                process::exit(failure::INTERRUPTED.into());
            }
        })?;
        Ok(interrupt)
    }

    /// Whether the user asked to stop.
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
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
