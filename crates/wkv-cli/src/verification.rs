//! Checks of the units of a spec against the integer model.

use std::fmt;

use serde::Serialize;
use wkv::WkvSpec;
use wkv::circuit::Unit;
use wkv::verify::{Check, Effort, Method, verify};

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
        let held = units.iter().all(|check| check.mismatches == 0);
        Ok(Self { spec: *spec, held, units })
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
                write!(f, "\nfirst mismatch of {}: {mismatch}", check.unit)?;
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
            cases: 100,
            mismatches: 1,
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
