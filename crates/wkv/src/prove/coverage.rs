//! What becomes of every fault and every mutant of a unit.
//!
//! Three ways, each for what the one before leaves: [`stimuli`](super::stimuli) are simulated; the
//! SAT solver looks for an input that shows the change, or proves that there is none; and units of
//! one or two operands are run over every input that the cell can give them, with a circuit beside
//! them that says which changes show. A change that shows on no input within the unit's
//! [`domain`] is equivalent there, whatever it does elsewhere.
//!
//! The cell has too many inputs for that. What its stimuli leave is decided in windows of it
//! first, which are treated as units are, and then by SAT in the whole cell.

mod justification;
mod windows;

use std::time::{Duration, Instant};

use morpho::Netlist;
use morpho::prove::faults::{Campaign, Coverage, Fate, stuck_faults};
use morpho::prove::mutation::mutants;
use morpho::prove::{Change, Limits, PinKind, Progress, Reason, Vectors};

use super::stimuli::{domain, stimuli};
use crate::circuit::{Unit, build};
use crate::spec::WkvSpec;
use crate::verify::Space;

/// Inputs that every change is simulated on.
const STIMULI: usize = 1 << 18;

/// Limits under which the units are decided in full: SAT takes what is easy, and the rest is run
/// over all inputs.
pub const LIMITS: Limits = Limits {
    exhaustive_bits: 0,
    conflicts_per_pair: 100,
    conflicts_per_target: 1000,
    time: Duration::from_secs(600),
};

/// The most changes that are run over all inputs at once: each brings a part of the unit with it.
const AT_ONCE: usize = 64;

/// What became of the faults and mutants of a unit.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct UnitCoverage {
    /// The unit, as on a command line.
    pub unit: String,
    /// Inputs that were simulated.
    pub stimuli: usize,
    /// Stuck-at faults: each input, stored value and gate at 0 and at 1.
    pub stuck_at: Counts,
    /// Mutants: each row of each table flipped, inputs exchanged, gates stuck, registers held.
    pub mutants: Counts,
    /// The gates with a fault or mutant that is undecided, as `gate in instance: changes`.
    pub undecided: Vec<String>,
    /// Wall time.
    pub seconds: f64,
}

/// How many changes had which fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Changes in all.
    pub all: usize,
    /// An input is known that shows the change.
    pub detected: usize,
    /// No input shows it: proven.
    pub equivalent: usize,
    /// Neither.
    pub undecided: usize,
}

impl Counts {
    fn of<'f>(fates: impl Iterator<Item = &'f Fate>) -> Counts {
        let Coverage { detected, untestable, missed, undecided } = Coverage::of(fates);
        let all = detected + untestable + missed + undecided;
        Counts { all, detected: detected + missed, equivalent: untestable, undecided }
    }
}

/// Decides every stuck-at fault and every mutant of a unit of `spec`, as far as `limits` go. `None`
/// if `progress` broke it off.
///
/// # Panics
/// Never for the specs that there are.
pub fn coverage(
    spec: &WkvSpec,
    unit: Unit,
    limits: Limits,
    progress: Progress,
) -> Option<UnitCoverage> {
    let start = Instant::now();
    let netlist = build(spec, unit).expect("every spec has its units");
    let faults = stuck_faults(&netlist);
    let of_faults = faults.distinct.len();
    let changes: Vec<Change> = faults.distinct.into_iter().chain(mutants(&netlist)).collect();
    let mut vectors = stimuli(spec, unit, &netlist, STIMULI);
    let simulated = vectors.len();
    let fates = decide(spec, unit, &netlist, &changes, &mut vectors, limits, progress);
    let cancelled = |fate: &Fate| *fate == Fate::Undecided(Reason::Cancelled);
    if fates.iter().any(cancelled) {
        return None;
    }
    Some(UnitCoverage {
        unit: unit.to_string(),
        stimuli: simulated,
        stuck_at: Counts::of(faults.class.iter().map(|&class| &fates[class])),
        mutants: Counts::of(fates[of_faults..].iter()),
        undecided: sites(&netlist, &changes, &fates),
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// What becomes of each change to a unit within its domain; vectors are added for those that the
/// given ones do not show.
///
/// # Panics
/// If `netlist` is not what [`build`] gives for the unit.
pub fn decide(
    spec: &WkvSpec,
    unit: Unit,
    netlist: &Netlist,
    changes: &[Change],
    vectors: &mut Vectors,
    limits: Limits,
    progress: Progress,
) -> Vec<Fate> {
    let domain = domain(unit);
    if unit == Unit::Cell {
        let campaign = campaign(netlist, domain.as_ref());
        return windows::decide(spec, &campaign, netlist, changes, vectors, limits, progress);
    }
    let space = Space::of(spec, unit);
    let subject = Subject { netlist, domain: domain.as_ref(), space: space.as_ref() };
    subject.decide(changes, vectors, limits, progress)
}

fn campaign<'n>(netlist: &'n Netlist, domain: Option<&'n Netlist>) -> Campaign<'n> {
    let campaign = match domain {
        Some(domain) => Campaign::within(netlist, domain),
        None => Campaign::new(netlist),
    };
    campaign.expect("no unit has an asynchronous loop")
}

/// A circuit and the inputs that it can be given.
struct Subject<'n> {
    netlist: &'n Netlist,
    domain: Option<&'n Netlist>,
    /// The same as numbers, if they are not too many.
    space: Option<&'n Space>,
}

impl Subject<'_> {
    /// What becomes of each change; vectors are added for those that the given ones do not show.
    fn decide(
        &self,
        changes: &[Change],
        vectors: &mut Vectors,
        limits: Limits,
        progress: Progress,
    ) -> Vec<Fate> {
        let campaign = campaign(self.netlist, self.domain);
        let mut fates = campaign.complete(changes, vectors, limits, progress);
        if let Some(space) = self.space {
            let open: Vec<usize> =
                (0..fates.len()).filter(|&index| is_open(&fates[index])).collect();
            for open in open.chunks(AT_ONCE) {
                let open_changes: Vec<Change> = open.iter().map(|&index| changes[index]).collect();
                let decided = exhaust(space, &campaign, &open_changes, vectors, progress);
                for (&index, fate) in std::iter::zip(open, decided) {
                    fates[index] = fate;
                }
            }
        }
        fates
    }
}

fn is_open(fate: &Fate) -> bool {
    matches!(fate, Fate::Undecided(reason) if *reason != Reason::Cancelled)
}

/// Runs a circuit over a space, which decides every change.
fn exhaust(
    space: &Space,
    campaign: &Campaign,
    changes: &[Change],
    vectors: &mut Vectors,
    progress: Progress,
) -> Vec<Fate> {
    let detector = campaign.detector(changes);
    let Some(shown) = space.shows(&detector, changes.len(), progress) else {
        return vec![Fate::Undecided(Reason::Cancelled); changes.len()];
    };
    let fate = |inputs| match inputs {
        None => Fate::Untestable,
        Some(inputs) => {
            vectors.push_numbers(&ports(inputs));
            Fate::Detected(vectors.len() - 1)
        }
    };
    shown.into_iter().map(fate).collect()
}

/// Numbers for ports, as a vector takes them.
fn ports<'a>(numbers: impl IntoIterator<Item = (&'a str, i32)>) -> Vec<(PinKind, &'a str, u128)> {
    let port = |(name, number)| (PinKind::Port, name, number as u32 as u128);
    numbers.into_iter().map(port).collect()
}

/// The gates that undecided changes are to, with the cell instance that each belongs to.
fn sites(netlist: &Netlist, changes: &[Change], fates: &[Fate]) -> Vec<String> {
    let mut sites: Vec<(String, usize)> = Vec::new();
    for (change, fate) in std::iter::zip(changes, fates) {
        if !is_open(fate) {
            continue;
        }
        let place = change.place().and_then(|wire| {
            let gate = netlist.gate(wire)?;
            Some(format!("gate {} in {}", wire.index(), netlist.hierarchy().path(gate.origin())))
        });
        let place = place.unwrap_or_else(|| "an input or register".to_string());
        match sites.iter_mut().find(|(site, _)| *site == place) {
            Some((_, count)) => *count += 1,
            None => sites.push((place, 1)),
        }
    }
    sites.into_iter().map(|(site, count)| format!("{site}: {count}")).collect()
}
