//! Whether the checks can fail: what becomes of every fault and mutant of the units.

use std::fmt;
use std::time::Duration;

use morpho::prove::Limits;
use serde::Serialize;
use wkv::WkvSpec;
use wkv::circuit::Unit;
use wkv::prove::coverage::{LIMITS, UnitCoverage, coverage};
use wkv::verify::exhaustive_cases;

use crate::context::Context;
use crate::failure::Failure;
use crate::table::Table;
use crate::verification::all_units;

/// Places of undecided changes that are shown to people; `--json` has all of them.
const PLACES: usize = 10;

/// The units that are looked at where none is named: all that can be decided in full.
pub fn units(spec: &WkvSpec) -> impl Iterator<Item = Unit> + use<> {
    all_units(spec).filter(|&unit| exhaustive_cases(unit).is_some())
}

/// What became of the faults and mutants of units of a spec.
#[derive(Clone, Debug, Serialize)]
pub struct Coverages {
    /// The spec.
    pub spec: WkvSpec,
    /// Whether every fault and mutant is detected or proven equivalent.
    pub held: bool,
    /// One a unit.
    pub units: Vec<UnitCoverage>,
}

impl Coverages {
    /// Decides the changes to `units`, one unit after another; SAT has `seconds` for each.
    pub fn run(
        spec: &WkvSpec,
        units: &[Unit],
        seconds: u64,
        context: &Context,
    ) -> Result<Self, Failure> {
        if let Some(bank) = units.iter().find(|unit| matches!(unit, Unit::Bank(_))) {
            return Err(Failure::input(format!(
                "--coverage --unit {bank}: the cells of a bank share nothing; expected --unit cell"
            )));
        }
        if let Some(serial) =
            units.iter().find(|unit| matches!(unit, Unit::Serial(_) | Unit::Shared(_)))
        {
            return Err(Failure::input(format!(
                "--coverage --unit {serial}: circuits with memories have no coverage; expected --unit \
                 cell"
            )));
        }
        let limits = Limits { time: Duration::from_secs(seconds), ..LIMITS };
        let of = |&unit: &Unit| {
            let progress = context.progress(format!("faults and mutants of {unit}"), 0);
            coverage(spec, unit, limits, &|done, total| progress.set_of(done, total))
                .ok_or(Failure::Interrupted)
        };
        let units = units.iter().map(of).collect::<Result<Vec<UnitCoverage>, _>>()?;
        let held = units.iter().all(|unit| unit.stuck_at.undecided + unit.mutants.undecided == 0);
        Ok(Self { spec: *spec, held, units })
    }
}

impl fmt::Display for Coverages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new([
            "unit",
            "changes",
            "all",
            "detected",
            "equivalent",
            "undecided",
            "seconds",
        ]);
        for unit in &self.units {
            let kinds = [("stuck-at", unit.stuck_at), ("mutants", unit.mutants)];
            for (kind, counts) in kinds {
                let seconds = match kind {
                    "mutants" => format!("{:.1}", unit.seconds),
                    _ => String::new(),
                };
                table.row([
                    unit.unit.clone(),
                    kind.to_owned(),
                    counts.all.to_string(),
                    counts.detected.to_string(),
                    counts.equivalent.to_string(),
                    counts.undecided.to_string(),
                    seconds,
                ]);
            }
        }
        write!(f, "{table}")?;
        for unit in self.units.iter().filter(|unit| !unit.undecided.is_empty()) {
            write!(f, "\nundecided in {}:", unit.unit)?;
            for place in unit.undecided.iter().take(PLACES) {
                write!(f, "\n  {place}")?;
            }
            if let Some(more) = unit.undecided.len().checked_sub(PLACES).filter(|&more| more > 0) {
                write!(f, "\n  and {more} more places, all of them in --json")?;
            }
        }
        let verdict = match self.held {
            true => "every fault and mutant is detected, or proven equivalent",
            false => "NOT every fault and mutant is decided",
        };
        write!(f, "\n{}: {verdict}", self.spec)
    }
}
