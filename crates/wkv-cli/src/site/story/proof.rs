//! What is proven, of which circuits, and whether the checks can fail.

use maud::{Markup, html};
use wkv::prove;
use wkv::prove::coverage::{Counts, UnitCoverage};
use wkv::verify::Method;

use super::picture::source;
use super::sources::{Coverage, Origin};
use crate::report::notation::thousands;
use crate::verification::{Recheck, RecheckedUnit};

/// Every check with its cases, and whether the circuit is still the one that was checked.
pub fn table(proof: &Origin<Recheck>) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="What is proven" { table {
            caption {
                "Numerics " code { (proof.results.spec) } ". " (source(proof))
                " Today's circuits were built and their SHA-256 compared with those that were checked when this "
                "site was written; by hand: " code { "wkv verify --proof " (proof.file) } "."
            }
            thead { tr {
                th scope="col" { "circuit" } th scope="col" { "by" }
                th.number scope="col" { "cases" } th.number scope="col" { "differ" }
                th scope="col" { "verdict" } th scope="col" { "today’s circuit" }
            } }
            tbody { @for unit in &proof.results.units { (row(unit)) } }
        } }
    }
}

fn row(unit: &RecheckedUnit) -> Markup {
    let check = &unit.check;
    html! {
        tr {
            th scope="row" { (check.unit) }
            td { (by(check.method, &check.unit)) }
            td.number { (thousands(check.cases)) }
            td.number { (thousands(check.mismatches)) }
            td { @if !check.held() { strong { "FAILED" } } @else if check.is_proof() { "proven" } @else { "tested" } }
            td { @if unit.is_same() { "the same" } @else { strong { "another" } } }
        }
    }
}

fn by(method: Method, unit: &str) -> &'static str {
    match method {
        Method::Exhaustive => "every input",
        Method::Vectors => "random streams",
        Method::Sat if unit == prove::COMPOSITION => {
            "SAT: the cell is its units, wired as the model says"
        }
        Method::Sat => "SAT, by induction over any stream",
    }
}

/// Faults and mutants by unit.
pub fn mutants(coverage: &Origin<Coverage>) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Faults and mutants by unit" { table {
            caption {
                "Circuits broken on purpose: a row of a table flipped, inputs exchanged, a wire stuck. "
                "Equivalent: proven to change nothing. " (source(coverage))
            }
            thead { tr {
                th scope="col" { "unit" } th.number scope="col" { "broken circuits" }
                th.number scope="col" { "caught" } th.number scope="col" { "equivalent" }
                th.number scope="col" { "undecided" }
            } }
            tbody { @for unit in &coverage.results.units {
                tr {
                    th scope="row" { (unit.unit) }
                    @for count in counts(unit) { td.number { (thousands(count as u64)) } }
                }
            } }
        } }
    }
}

/// Faults and mutants together: all, detected, equivalent, undecided.
pub fn counts(unit: &UnitCoverage) -> [usize; 4] {
    let sum = |of: fn(&Counts) -> usize| of(&unit.mutants) + of(&unit.stuck_at);
    [sum(|of| of.all), sum(|of| of.detected), sum(|of| of.equivalent), sum(|of| of.undecided)]
}
