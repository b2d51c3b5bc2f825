//! Checks of the circuits against the integer model.
//!
//! The gates run on thousands of lanes at once; the other side is [`Model`](crate::fixed::Model).
//! The circuits are not derived from it; what both read is the table of the exponential, of which
//! every entry is tested by itself.

mod operands;
mod raw_numbers;
mod sequences;
mod turns;

use std::io;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use morpho::Netlist;
use morpho::format::{self, Format};
use sha2::{Digest, Sha256};

pub(crate) use operands::Space;

use crate::circuit::Unit;
use crate::spec::WkvSpec;

/// How much of the input space a check covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// `exp2` over its whole input space; units of two operands over all values of one and chosen
    /// values of the other; step and cell over vectors and streams.
    Vectors,
    /// Every unit of one or two operands over its whole input space; step and cell over vectors
    /// and streams, because theirs is too large.
    Exhaustive,
}

/// How a unit was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Every input that the unit can be given.
    Exhaustive,
    /// Chosen and random inputs, rails and ties among them.
    Vectors,
    /// Every input and state, by a SAT solver.
    Sat,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Check {
    /// The unit, as on a command line.
    pub unit: String,
    /// How it was checked.
    pub method: Method,
    /// [`digest`] of the circuit that was checked.
    pub netlist: String,
    /// Inputs that were applied; for a proof by SAT, claims.
    pub cases: u64,
    /// Inputs on which the gates and the integer model differ; for a proof by SAT, false claims.
    pub mismatches: u64,
    /// Claims that SAT could not decide within its limits.
    pub undecided: u64,
    /// Wall time.
    pub seconds: f64,
    /// The first mismatch, or what was not decided, in words.
    pub first_mismatch: Option<String>,
}

impl Check {
    /// Whether it covers every input there is, so that it proves what it finds.
    pub fn is_proof(&self) -> bool {
        self.method != Method::Vectors
    }

    /// Whether everything that was checked holds.
    pub fn held(&self) -> bool {
        self.mismatches == 0 && self.undecided == 0
    }
}

/// The SHA-256 of a circuit written as BLIF, or Verilog if it has memories, in hexadecimal: a proof holds for the circuit with this
/// digest and for no other.
pub fn digest(netlist: &Netlist) -> String {
    let format = if netlist.memories().is_empty() { Format::Blif } else { Format::Verilog };
    let mut hasher = Hasher(Sha256::new());
    format::write(netlist, format, &mut hasher).expect("hashing succeeds");
    hasher.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Hashes what is written to it: the text of a bank is too long to be kept.
struct Hasher(Sha256);

impl io::Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is told cases done and cases in all, now and then and from any thread. If it breaks, the
/// check stops.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) -> ControlFlow<()> + Sync);

/// How many inputs an exhaustive check of `unit` applies; `None` if it cannot be exhaustive.
pub fn exhaustive_cases(unit: Unit) -> Option<u64> {
    operands::exhaustive_cases(unit)
}

/// Checks one unit of `spec`, as [`build`](crate::circuit::build) gives it. `None` if `progress`
/// broke it off.
pub fn verify(spec: &WkvSpec, unit: Unit, effort: Effort, progress: Progress) -> Option<Check> {
    let netlist = crate::circuit::build(spec, unit).expect("every spec has its units");
    verify_netlist(&netlist, spec, unit, effort, progress)
}

/// Checks a circuit that claims to be `unit` of `spec`: its ports and registers must be those of
/// [`Unit`].
///
/// # Panics
/// If a port or register is missing.
pub fn verify_netlist(
    netlist: &Netlist,
    spec: &WkvSpec,
    unit: Unit,
    effort: Effort,
    progress: Progress,
) -> Option<Check> {
    let start = Instant::now();
    let program = morpho::sim::Program::compile(netlist);
    let (method, tally) = match unit {
        Unit::SaturatingAdd
        | Unit::Compare
        | Unit::Exp2
        | Unit::Multiplier
        | Unit::Divider
        | Unit::Reciprocal => operands::check(program, spec, unit, effort, progress),
        Unit::Step => (Method::Vectors, sequences::check_steps(program, spec, progress)),
        Unit::Cell | Unit::ProbedCell => {
            (Method::Vectors, sequences::check_cell(program, spec, progress))
        }
        Unit::Bank(channels) => {
            (Method::Vectors, sequences::check_bank(program, spec, channels, progress))
        }
        Unit::Serial(channels) | Unit::Shared(channels) => {
            (Method::Vectors, turns::check(program, spec, channels, progress))
        }
    };
    let first = tally.first.into_inner().expect("no thread panicked");
    (!tally.stopped.into_inner()).then(|| Check {
        unit: unit.to_string(),
        method,
        netlist: digest(netlist),
        cases: tally.cases.into_inner(),
        mismatches: tally.mismatches.into_inner(),
        undecided: 0,
        seconds: start.elapsed().as_secs_f64(),
        first_mismatch: first.map(|(_, text)| text),
    })
}

/// What the threads of a check have found so far.
struct Tally<'a> {
    total: u64,
    progress: Progress<'a>,
    cases: AtomicU64,
    mismatches: AtomicU64,
    stopped: AtomicBool,
    /// The position and description of the first mismatch.
    first: Mutex<Option<(u64, String)>>,
}

impl<'a> Tally<'a> {
    fn new(total: u64, progress: Progress<'a>) -> Tally<'a> {
        Tally {
            total,
            progress,
            cases: AtomicU64::new(0),
            mismatches: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            first: Mutex::new(None),
        }
    }

    /// Adds cases that were applied; false if the check is to stop.
    fn applied(&self, cases: u64) -> bool {
        let done = self.cases.fetch_add(cases, Ordering::Relaxed) + cases;
        if (self.progress)(done, self.total).is_break() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        !self.stopped.load(Ordering::Relaxed)
    }

    /// Compares what the gates gave with what the model gives, case by case from number `start`.
    fn compare(
        &self,
        start: u64,
        got: &[i32],
        expected: &[i32],
        describe: impl Fn(usize) -> String,
    ) {
        if got == expected {
            return;
        }
        let differs = |&case: &usize| got[case] != expected[case];
        let all = (0..got.len()).filter(differs).count();
        self.mismatches.fetch_add(all as u64, Ordering::Relaxed);
        let case = (0..got.len()).find(differs).expect("the slices differ");
        let mut first = self.first.lock().expect("no thread panicked");
        let position = start + case as u64;
        if first.as_ref().is_none_or(|(earlier, _)| position < *earlier) {
            let (got, expected) = (got[case], expected[case]);
            let text = format!("{}: gates {got}, model {expected}", describe(case));
            *first = Some((position, text));
        }
    }
}
