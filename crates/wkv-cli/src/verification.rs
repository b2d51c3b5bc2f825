//! Checks of the units of a spec against the integer model.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use wkv::WkvSpec;
use wkv::circuit::{Unit, build};
use wkv::prove;
use wkv::verify::{Check, Effort, Method, digest, exhaustive_cases, verify};

use crate::context::Context;
use crate::failure::Failure;
use crate::table::Table;

/// What the checks of a spec found.
#[derive(Clone, Debug, Serialize)]
pub struct Verification {
    /// The spec.
    pub spec: WkvSpec,
    /// Whether no check found a mismatch.
    pub held: bool,
    /// One check a unit.
    pub units: Vec<Check>,
}

impl Verification {
    /// Checks `units` one after another, with progress shown.
    pub fn run(
        spec: &WkvSpec,
        units: impl IntoIterator<Item = Unit>,
        effort: Effort,
        context: &Context,
    ) -> Result<Self, Failure> {
        let check = |unit: Unit| {
            let progress = context.progress(format!("verify {unit}"), 0);
            verify(spec, unit, effort, &|done, total| progress.set_of(done, total))
                .ok_or(Failure::Interrupted)
        };
        let units = units.into_iter().map(check).collect::<Result<Vec<Check>, _>>()?;
        let held = units.iter().all(Check::held);
        Ok(Self { spec: *spec, held, units })
    }

    /// Adds the proofs by SAT about the whole cell.
    pub fn prove_cell(&mut self, context: &Context) -> Result<(), Failure> {
        let progress = context.progress("prove cell", 0);
        let checks = prove::check(&self.spec, &|done, total| progress.set_of(done, total));
        self.units.extend(checks.ok_or(Failure::Interrupted)?);
        self.held = self.units.iter().all(Check::held);
        Ok(())
    }

    /// About how many seconds an exhaustive check of these units takes here, judged by a short one.
    pub fn estimate(spec: &WkvSpec, units: &[Unit], context: &Context) -> Result<f64, Failure> {
        let short = Self::run(spec, units.iter().copied(), Effort::Vectors, context)?;
        let seconds = |(check, unit): (&Check, &Unit)| {
            let cases = exhaustive_cases(*unit).unwrap_or(check.cases);
            check.seconds * cases as f64 / check.cases as f64
        };
        Ok(std::iter::zip(&short.units, units).map(seconds).sum())
    }
}

/// A result of `wkv verify` that was kept: what was proven, and of which circuits.
#[derive(Debug, Deserialize)]
pub struct Proof {
    spec: WkvSpec,
    units: Vec<ProvenUnit>,
}

#[derive(Debug, Deserialize)]
struct ProvenUnit {
    unit: String,
    netlist: String,
    mismatches: u64,
    undecided: u64,
}

/// Whether the circuits that are built now are the ones of a proof.
#[derive(Clone, Debug, Serialize)]
pub struct Recheck {
    /// The spec.
    pub spec: WkvSpec,
    /// Whether every circuit is the one that was proven, without mismatches.
    pub held: bool,
    /// One line a unit.
    pub units: Vec<RecheckedUnit>,
}

/// A unit of a [`Recheck`].
#[derive(Clone, Debug, Serialize)]
pub struct RecheckedUnit {
    /// The unit.
    pub unit: String,
    /// The digest that the proof names.
    pub proven: String,
    /// The digest of the circuit that is built now.
    pub built: String,
    /// Mismatches that the proof tells of.
    pub mismatches: u64,
    /// Claims that it left undecided.
    pub undecided: u64,
}

impl Proof {
    /// Reads a result of `wkv verify --json`.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let refuse = |reason: String| {
            Failure::input(format!(
                "--proof {}: {reason}; expected a file that `wkv verify --json` wrote",
                path.display()
            ))
        };
        let text = std::fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
        serde_json::from_str(&text).map_err(|error| refuse(error.to_string()))
    }

    /// Builds each circuit again and compares digests.
    pub fn recheck(&self) -> Result<Recheck, Failure> {
        let recheck = |proven: &ProvenUnit| -> Result<RecheckedUnit, Failure> {
            let unit = match &proven.unit[..] {
                prove::COMPOSITION | prove::INVARIANTS => Unit::Cell,
                name => name.parse()?,
            };
            Ok(RecheckedUnit {
                unit: proven.unit.clone(),
                proven: proven.netlist.clone(),
                built: digest(&build(&self.spec, unit)?),
                mismatches: proven.mismatches,
                undecided: proven.undecided,
            })
        };
        let units = self.units.iter().map(recheck).collect::<Result<Vec<_>, _>>()?;
        let holds = |unit: &RecheckedUnit| {
            unit.proven == unit.built && unit.mismatches == 0 && unit.undecided == 0
        };
        Ok(Recheck { spec: self.spec, held: units.iter().all(holds), units })
    }
}

impl fmt::Display for Recheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(["unit", "proven circuit", "built circuit", "mismatches"]);
        for unit in &self.units {
            let short = |digest: &str| digest.chars().take(16).collect::<String>();
            table.row([
                unit.unit.clone(),
                short(&unit.proven),
                short(&unit.built),
                unit.mismatches.to_string(),
            ]);
        }
        let verdict = if self.held { "are the ones" } else { "are NOT all the ones" };
        write!(f, "{table}\n{}: the circuits {verdict} that were proven", self.spec)
    }
}

/// Every unit that is checked where none is named.
pub fn all_units() -> impl Iterator<Item = Unit> {
    Unit::ALL.into_iter().filter(|&unit| unit != Unit::ProbedCell)
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(["unit", "method", "cases", "mismatches", "seconds"]);
        for check in &self.units {
            let method = match check.method {
                Method::Exhaustive => "exhaustive",
                Method::Vectors => "vectors",
                Method::Sat => "sat",
            };
            table.row([
                check.unit.clone(),
                method.to_owned(),
                check.cases.to_string(),
                check.mismatches.to_string(),
                format!("{:.2}", check.seconds),
            ]);
        }
        write!(f, "{table}")?;
        for check in &self.units {
            if let Some(mismatch) = &check.first_mismatch {
                let what = if check.mismatches > 0 { "first mismatch" } else { "undecided" };
                write!(f, "\n{what} of {}: {mismatch}", check.unit)?;
            }
        }
        let verdict = if self.held { "agree" } else { "DIFFER" };
        write!(f, "\n{}: gates and integer model {verdict}", self.spec)
    }
}

#[cfg(test)]
mod tests {
    use std::process::ExitCode;

    use super::*;
    use crate::outcome::Outcome;

    #[test]
    fn a_mismatch_is_told_and_fails() {
        let mismatch = "out at token 3: gates 5, model 6";
        let check = Check {
            unit: "cell".to_owned(),
            method: Method::Vectors,
            netlist: "00".to_owned(),
            cases: 100,
            mismatches: 1,
            undecided: 0,
            seconds: 0.5,
            first_mismatch: Some(mismatch.to_owned()),
        };
        let spec = "classic:q8.8".parse().expect("a spec");
        let verification = Verification { spec, held: false, units: vec![check] };
        let text = verification.to_string();
        assert!(text.contains(&format!("first mismatch of cell: {mismatch}")), "{text}");
        assert!(text.ends_with("classic:q8.8: gates and integer model DIFFER"), "{text}");
        let outcome = Outcome::checked(verification.held, &verification);
        assert_eq!(format!("{:?}", outcome.exit_code()), format!("{:?}", ExitCode::from(1)));
    }
}
