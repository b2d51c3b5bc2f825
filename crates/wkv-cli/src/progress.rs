//! Progress of long work, drawn on a terminal and silent elsewhere.

use std::ops::ControlFlow;

use indicatif::{ProgressBar, ProgressStyle};

use crate::interrupt::Interrupt;

/// A progress bar on standard error that also hears Ctrl-C; it vanishes when dropped.
pub struct Progress {
    bar: ProgressBar,
    interrupt: Interrupt,
}

impl Progress {
    /// A bar over `total` of what `what` names. `indicatif` draws nothing if standard error is no
    /// terminal.
    pub fn new(what: String, total: u64, interrupt: Interrupt) -> Self {
        let style = ProgressStyle::with_template(
            "{msg:32} [{wide_bar}] {human_pos}/{human_len}, {eta} left",
        )
        .expect("the template is valid")
        .progress_chars("=> ");
        let bar = ProgressBar::new(total).with_style(style).with_message(what);
        Self { bar, interrupt }
    }

    /// Shows that `done` are done; may be called from any thread. Answers whether to go on.
    pub fn set(&self, done: u64) -> ControlFlow<()> {
        self.bar.set_position(done);
        self.interrupt.flow()
    }

    /// Like [`set`](Self::set), where the total becomes known on the way.
    pub fn set_of(&self, done: u64, total: u64) -> ControlFlow<()> {
        // Setting the length draws at once, however often.
        if self.bar.length() != Some(total) {
            self.bar.set_length(total);
        }
        self.set(done)
    }

    /// Shows that `more` have been done.
    pub fn advance(&self, more: u64) {
        self.bar.inc(more);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
