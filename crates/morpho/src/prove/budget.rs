//! How much work a proof may take, and when it is to stop.

use std::cell::Cell;
use std::fmt;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// What is told work done and work in all, now and then. If it breaks, the proof stops.
pub type Progress<'a> = &'a dyn Fn(u64, u64) -> ControlFlow<()>;

/// A [`Progress`] that lets every proof run on.
pub fn quiet(_done: u64, _total: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The most wires whose values are all run: their number is one of 64 bits.
pub const MOST_EXHAUSTIVE_BITS: usize = 64;

/// How much work a proof may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Conflicts of the SAT solver for each pair of inner wires that may be equal.
    pub conflicts_per_pair: u64,
    /// Conflicts of the SAT solver for each pair of wires that is to be proven equal.
    pub conflicts_per_target: u64,
    /// Wires that two hard cones may stand on for every value of these to be run: `n` bits take
    /// `2^n` vectors. 0 for never; more than [`MOST_EXHAUSTIVE_BITS`] count as that many.
    pub exhaustive_bits: usize,
    /// Wall time of the whole proof.
    pub time: Duration,
}

impl Default for Limits {
    /// A thousand conflicts for an inner pair, a million for a target, cones on up to 32 wires run
    /// exhaustively, a minute in all.
    fn default() -> Limits {
        Limits {
            conflicts_per_pair: 1000,
            conflicts_per_target: 1_000_000,
            exhaustive_bits: 32,
            time: Duration::from_secs(60),
        }
    }
}

/// Why a proof did not finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The SAT solver came to the limit of conflicts.
    Conflicts,
    /// The time was up.
    Time,
    /// The progress callback broke it off.
    Cancelled,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Conflicts => "the limit of SAT conflicts was reached",
            Reason::Time => "the time limit was reached",
            Reason::Cancelled => "it was cancelled",
        })
    }
}

/// A budget that is being spent. Once [`stopped`](Budget::stopped), it stays so.
pub(super) struct Budget<'a> {
    pub limits: Limits,
    progress: Progress<'a>,
    deadline: Option<Instant>,
    done: Cell<u64>,
    total: Cell<u64>,
    stopped: Cell<Option<Reason>>,
}

impl<'a> Budget<'a> {
    pub fn new(limits: Limits, progress: Progress<'a>) -> Budget<'a> {
        Budget {
            limits,
            progress,
            deadline: Instant::now().checked_add(limits.time),
            done: Cell::new(0),
            total: Cell::new(0),
            stopped: Cell::new(None),
        }
    }

    /// Adds work to do.
    pub fn expect(&self, work: u64) {
        self.total.set(self.total.get() + work);
    }

    /// Counts work as done.
    pub fn spend(&self, work: u64) {
        self.done.set(self.done.get() + work);
    }

    /// Why the proof is to stop, if it is.
    pub fn stopped(&self) -> Option<Reason> {
        self.stopped.get()
    }

    /// Looks at the clock and reports progress; true if the proof is to stop.
    pub fn poll(&self) -> bool {
        if self.stopped.get().is_none() {
            if (self.progress)(self.done.get(), self.total.get()).is_break() {
                self.stopped.set(Some(Reason::Cancelled));
            } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                self.stopped.set(Some(Reason::Time));
            }
        }
        self.stopped.get().is_some()
    }
}
