//! Checks of the units of a spec against the integer model.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use wkv::circuit::{Unit, UnitError, build};
use wkv::prove;
use wkv::spec::Division;
use wkv::verify::{Check, Effort, Method, digest, exhaustive_cases, verify};
use wkv::{WkvSpec, file};

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

/// A result of `wkv verify` that was kept: what was checked, how, and of which circuits.
#[derive(Debug, Deserialize)]
pub struct Kept {
    spec: WkvSpec,
    units: Vec<Check>,
}

/// Whether the circuits that are built now are the ones that a kept result is about.
#[derive(Clone, Debug, Serialize)]
pub struct Recheck {
    /// The spec.
    pub spec: WkvSpec,
    /// Whether every circuit is the one that was checked, and everything held.
    pub held: bool,
    /// One line a check.
    pub units: Vec<RecheckedUnit>,
    /// Units of the spec that the kept result does not tell of.
    pub missing: Vec<String>,
}

/// A line of a [`Recheck`].
#[derive(Clone, Debug, Serialize)]
pub struct RecheckedUnit {
    /// What the kept result says.
    #[serde(flatten)]
    pub check: Check,
    /// The digest of the circuit that is built now.
    pub built: String,
}

impl RecheckedUnit {
    /// Whether the circuit that is built now is the one that was checked.
    pub fn is_same(&self) -> bool {
        self.check.netlist == self.built
    }
}

impl Kept {
    /// Reads a result of `wkv verify --json`.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let refuse = |reason: String| {
            Failure::input(format!(
                "--proof {}: {reason}; expected a file that `wkv verify --json` wrote",
                path.display()
            ))
        };
        let text =
            file::read_text(path, file::MOST_BYTES).map_err(|error| refuse(error.to_string()))?;
        Self::parse(&text).map_err(refuse)
    }

    /// A result of `wkv verify --json`; if it is none, why not.
    pub fn parse(text: &str) -> Result<Self, String> {
        if !text.trim_start().starts_with('{') {
            return Err("it holds no JSON object".to_owned());
        }
        let kept: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        kept.fault().map_or(Ok(kept), Err)
    }

    /// Why its checks cannot be repeated, if they cannot.
    fn fault(&self) -> Option<String> {
        if self.units.is_empty() {
            return Some("it tells of no unit".to_owned());
        }
        let mut names = HashSet::new();
        self.units.iter().find_map(|check| match circuit_of(check) {
            Err(error) => Some(error.to_string()),
            Ok(_) if !names.insert(&check.unit) => {
                Some(format!("it tells of {} twice", check.unit))
            }
            Ok(_) => None,
        })
    }

    /// Builds each circuit again and compares digests.
    pub fn recheck(self) -> Result<Recheck, Failure> {
        let Self { spec, units } = self;
        let missing =
            all_checks(&spec).filter(|name| units.iter().all(|check| check.unit != *name));
        let missing: Vec<String> = missing.collect();
        let recheck = |check: Check| -> Result<RecheckedUnit, Failure> {
            let built = digest(&build(&spec, circuit_of(&check)?)?);
            Ok(RecheckedUnit { check, built })
        };
        let units = units.into_iter().map(recheck).collect::<Result<Vec<_>, _>>()?;
        let held = units.iter().all(|unit| unit.is_same() && unit.check.held());
        Ok(Recheck { spec, held, units, missing })
    }
}

/// The circuit that a check is about.
fn circuit_of(check: &Check) -> Result<Unit, UnitError> {
    match &check.unit[..] {
        prove::COMPOSITION | prove::INVARIANTS => Ok(Unit::Cell),
        name => name.parse(),
    }
}

impl fmt::Display for Recheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(["unit", "was", "by", "cases", "held", "circuit"]);
        for unit in &self.units {
            let check = &unit.check;
            table.row([
                check.unit.clone(),
                if check.is_proof() { "proven" } else { "tested" }.to_owned(),
                method_name(check.method).to_owned(),
                check.cases.to_string(),
                if check.held() { "yes" } else { "NO" }.to_owned(),
                if unit.is_same() { "the same" } else { "ANOTHER" }.to_owned(),
            ]);
        }
        write!(f, "{table}")?;
        if !self.missing.is_empty() {
            write!(f, "\nthe file does not tell of: {}", self.missing.join(", "))?;
        }
        let verdict = match self.held {
            true => "these are the circuits that were checked, and all held",
            false => "these are NOT all the circuits that were checked, or not all held",
        };
        write!(f, "\n{}: {verdict}", self.spec)
    }
}

fn method_name(method: Method) -> &'static str {
    match method {
        Method::Exhaustive => "exhaustive",
        Method::Vectors => "vectors",
        Method::Sat => "sat",
    }
}

/// The names of all checks of a spec.
fn all_checks(spec: &WkvSpec) -> impl Iterator<Item = String> {
    let cell = [prove::COMPOSITION, prove::INVARIANTS].map(str::to_owned);
    all_units(spec).map(|unit| unit.to_string()).chain(cell)
}

/// Every unit that is checked where none is named: those that the cell of the spec is made of.
pub fn all_units(spec: &WkvSpec) -> impl Iterator<Item = Unit> + use<> {
    let has_reciprocal = spec.division == Division::Newton;
    Unit::ALL.into_iter().filter(move |&unit| match unit {
        Unit::ProbedCell => false,
        Unit::Reciprocal => has_reciprocal,
        _ => true,
    })
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(["unit", "method", "cases", "mismatches", "seconds"]);
        for check in &self.units {
            table.row([
                check.unit.clone(),
                method_name(check.method).to_owned(),
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
