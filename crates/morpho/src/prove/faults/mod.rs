//! Which changes to a circuit a set of vectors detects, and which no vector can.
//!
//! A change is detected by a vector if an output, or the next value of a register, differs. Only
//! what a change disturbs is simulated again, on 512 vectors at once, from the changed place until
//! the difference dies out. What the vectors do not detect is put to the SAT solver: it proves that
//! nothing can, or gives a vector that does.

mod campaign;
mod detector;
mod doubts;
mod minimise;
mod stuck;
mod window;

pub use campaign::Campaign;
pub use detector::ANY;
pub use minimise::minimise;
pub use stuck::{StuckFaults, stuck_faults};
pub use window::{Window, WindowPort};

use super::Mismatch;
use super::budget::{Limits, Progress, Reason};
use super::change::Change;
use super::vectors::Vectors;
use crate::netlist::Netlist;

/// What becomes of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// This vector, the first one that does, detects it.
    Detected(usize),
    /// No vector detects it: proven by SAT.
    Untestable,
    /// None of the vectors detects it, but the one given does. It says the value of each of
    /// [`Vectors::pins`].
    Missed(Vec<bool>),
    /// None of the vectors detects it, and it is not known whether another one does.
    Undecided(Reason),
}

/// How many changes had which fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Changes that a vector detects.
    pub detected: usize,
    /// Changes that no vector can detect.
    pub untestable: usize,
    /// Changes that a vector could detect, but none of the given ones does.
    pub missed: usize,
    /// Changes that none of the vectors detects and that nothing is known of.
    pub undecided: usize,
}

impl Coverage {
    /// Counts fates.
    pub fn of<'f>(fates: impl IntoIterator<Item = &'f Fate>) -> Coverage {
        fates.into_iter().fold(Coverage::default(), |mut coverage, fate| {
            *match fate {
                Fate::Detected(_) => &mut coverage.detected,
                Fate::Untestable => &mut coverage.untestable,
                Fate::Missed(_) => &mut coverage.missed,
                Fate::Undecided(_) => &mut coverage.undecided,
            } += 1;
            coverage
        })
    }
}

/// Adds vectors until every change that can be detected is, as far as SAT can tell in these limits;
/// gives what became of each change.
///
/// # Errors
/// As [`Campaign::new`].
pub fn complete(
    netlist: &Netlist,
    changes: &[Change],
    vectors: &mut Vectors,
    limits: Limits,
    progress: Progress,
) -> Result<Vec<Fate>, Mismatch> {
    Ok(Campaign::new(netlist)?.complete(changes, vectors, limits, progress))
}
