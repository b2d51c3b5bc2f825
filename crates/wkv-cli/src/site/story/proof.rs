//! What is proven, and of which circuits.

use maud::{Markup, html};
use wkv::prove;
use wkv::verify::Method;

use super::picture::source;
use super::sources::Origin;
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
        Method::Vectors if unit == "step" => "random states and tokens",
        Method::Vectors => "random streams",
        Method::Sat if unit == prove::COMPOSITION => {
            "SAT: the cell is its units, wired as the model says"
        }
        Method::Sat => "SAT, by induction over any stream",
    }
}
