//! The proofs by SAT as checks, beside those of [`verify`](crate::verify).

use std::time::Instant;

use morpho::prove::{Limits, Proof, Reason, Verdict};

use super::composition;
use super::invariants::Claim;
use crate::circuit::{Unit, build};
use crate::spec::WkvSpec;
use crate::verify::{self, Check, Method};

/// The name of the check that the cell is the composition of its units.
pub const COMPOSITION: &str = "composition";

/// The name of the check of what the cell's state can be.
pub const INVARIANTS: &str = "invariants";

/// Proves that the cell of `spec` is the composition of its units, and the invariants of its state.
/// `None` if `progress` broke it off.
pub fn check(spec: &WkvSpec, progress: verify::Progress) -> Option<[Check; 2]> {
    let cell = verify::digest(&build(spec, Unit::Cell).expect("every spec has a cell"));
    let composition = || composition::prove(spec, Limits::default(), progress);
    let claims = Claim::ALL.into_iter().filter(|claim| claim.is_expected(spec));
    let invariants = claims.map(|claim| claim.prove(spec, Limits::default(), progress));
    Some([
        gather(COMPOSITION, &cell, std::iter::once_with(composition))?,
        gather(INVARIANTS, &cell, invariants)?,
    ])
}

/// One check out of several proofs about the cell with this digest.
fn gather(name: &str, cell: &str, proofs: impl Iterator<Item = Proof>) -> Option<Check> {
    let start = Instant::now();
    let mut check = Check {
        unit: name.to_string(),
        method: Method::Sat,
        netlist: cell.to_string(),
        cases: 0,
        mismatches: 0,
        undecided: 0,
        seconds: 0.0,
        first_mismatch: None,
    };
    for proof in proofs {
        check.cases += 1;
        let words = match proof.verdict {
            Verdict::Equal => continue,
            Verdict::Undecided { reason: Reason::Cancelled, .. } => return None,
            Verdict::Different(counterexample) => {
                check.mismatches += 1;
                counterexample.to_string()
            }
            Verdict::Undecided { open, reason } => {
                check.undecided += 1;
                format!("{} pins are undecided: {reason}", open.len())
            }
        };
        check.first_mismatch.get_or_insert(words);
    }
    check.seconds = start.elapsed().as_secs_f64();
    Some(check)
}
