//! The circuit: its size, its exp2 unit, how it was verified, and its netlists.

use maud::{Markup, html};
use wkv::prove;
use wkv::verify::{Check, Method};

use super::figure;
use super::marks::verdict;
use super::model::interpolation;
use crate::circuit::UnitSize;
use crate::published::{self, Size};
use crate::report::Report;
use crate::report::exp2::Exp2Deviation;
use crate::report::model_run::ModelRun;
use crate::report::notation::{raised, scientific, thousands};
use crate::report::plot;

/// Gates, flip-flops and depth by unit.
pub fn sizes(report: &Report) -> Markup {
    let build = &report.build;
    let summary = &build.summary;
    html! {
        section #circuit {
            h2 { "Gates, flip-flops and depth" }
            p {
                "The cell of " (build.spec) ": " strong {
                    (thousands(summary.gates as u64)) " gates, " (summary.registers)
                    " flip-flops, depth " (summary.depth)
                } ". It is one channel of one block, and takes a token a clock. " (arities(report))
            }
            h3 { "Where the gates of the cell are" }
            div.scroll { table {
                thead { tr {
                    th { "unit" } th { "instances" } th { "flip-flops" } th { "gates" }
                    th { "share of gates" } th {}
                } }
                tbody {
                    @for line in &summary.inventory { (inventory_row(line, summary.gates)) }
                    tr {
                        th { "registers aa, bb, pp" } td { "3" } td { (summary.registers) }
                        td {} td {} td {}
                    }
                }
                tfoot { tr {
                    td { "cell" } td {} td { (summary.registers) }
                    td { (thousands(summary.gates as u64)) } td {} td {}
                } }
            } }
            p.note {
                "In each pair of exponentials one is exactly 1, so a step takes two exp2 units and "
                "four multipliers."
            }
            (units(report))
        }
    }
}

/// How many gates there are of each number of inputs.
fn arities(report: &Report) -> Markup {
    let by_arity = report.build.summary.by_arity.iter().filter(|(_, count)| **count > 0);
    let inputs = |arity| if arity == 1 { "input" } else { "inputs" };
    let parts: Vec<String> = by_arity
        .map(|(&arity, &count)| format!("{} of {arity} {}", thousands(count as u64), inputs(arity)))
        .collect();
    html! { "A gate is a look-up table: " (parts.join(", ")) "." }
}

fn inventory_row(line: &UnitSize, gates: usize) -> Markup {
    let share = 100.0 * line.gates as f64 / gates.max(1) as f64;
    html! {
        tr {
            th { (line.unit) }
            td { @if line.instances > 0 { (line.instances) } }
            td {}
            td { (thousands(line.gates as u64)) }
            td { (format!("{share:.1}%")) }
            td.bar { i style=(format!("width: {share:.1}%")) {} }
        }
    }
}

/// Each unit beside the published one.
fn units(report: &Report) -> Markup {
    let build = &report.build;
    html! {
        h3 { "Each unit alone, beside the published circuit" }
        div.scroll { table {
            thead {
                tr {
                    th {}
                    th colspan="3" { "published, " (published::SPEC) }
                    th colspan="3" { "ours, " (published::SPEC) }
                    th colspan="3" { "committed, " (build.spec) }
                }
                tr {
                    th { "unit" }
                    @for _ in 0..3 { th { "gates" } th { "FF" } th { "depth" } }
                }
            }
            tbody { @for unit in &build.units {
                tr {
                    th { (unit.unit) }
                    (size(unit.published)) (size(Some(unit.same_spec))) (size(Some(unit.committed)))
                }
            } }
        } }
        p.note {
            "Published: " (published::SOURCE) ". There, as here, a gate is a look-up table of at "
            "most four inputs. Depth is the number of gates on the longest path."
        }
    }
}

fn size(size: Option<Size>) -> Markup {
    html! {
        @if let Some(Size { gates, registers, depth }) = size {
            td { (thousands(gates as u64)) } td { (registers) } td { (depth) }
        } @else {
            td { "–" } td { "–" } td { "–" }
        }
    }
}

/// The exp2 unit's deviation from the true value.
pub fn exp2(report: &Report) -> Markup {
    let caption = html! {
        "The greatest absolute deviation in each of many equal parts of the input's range, "
        "logarithmic. Results have 16 fraction bits: the last place is worth "
        (scientific(1.0 / 65536.0)) "."
    };
    html! {
        section #exp2 {
            h2 { "The exp2 unit against the true value" }
            p {
                "The gates of the unit ran over all of their inputs, and every result was compared "
                "with 2" sup { "−x" } " in double precision."
            }
            div.scroll { table {
                thead { tr {
                    th { "format" } th { "gates" } th { "inputs" } th { "worst deviation" }
                    th { "at x" } th { "raw input" } th { "result" } th { "published worst" }
                } }
                tbody { @for deviation in &report.exp2 {
                    (deviation_row(deviation, deviation.spec == report.choice.committed))
                } }
            } }
            (interpolation(report))
            (figure(&plot::exp2(&report.exp2), caption))
        }
    }
}

fn deviation_row(deviation: &Exp2Deviation, committed: bool) -> Markup {
    html! {
        tr.chosen[committed] {
            th { (deviation.spec) }
            td { (thousands(deviation.gates as u64)) }
            td { (thousands(deviation.inputs.into())) }
            td { (scientific(deviation.worst)) }
            td { (deviation.worst_x) }
            td { (deviation.worst_raw) }
            td { (format!("{:.6}", deviation.worst_result)) }
            td {
                @if deviation.spec.to_string() == published::SPEC {
                    (raised(&format!("{:e}", published::EXP2_WORST_DEVIATION)))
                } @else { "–" }
            }
        }
    }
}

/// How the circuit was verified.
pub fn verification(report: &Report) -> Markup {
    let Report { verify, model_run, .. } = report;
    let mismatches = verify.units.iter().filter_map(|check| check.first_mismatch.as_ref());
    html! {
        section #verification {
            h2 { "How it was verified" }
            p {
                "The integer model is the contract; the tests of this project hold it, bit for "
                "bit, to vectors that the published circuit gave. The gates of each unit were "
                "simulated and compared with it: they " (verdict(verify.held)) "."
            }
            div.scroll { table {
                thead { tr {
                    th { "unit" } th.words { "inputs" } th { "cases" } th { "mismatches" }
                    th { "seconds" }
                } }
                tbody { @for check in &verify.units {
                    tr {
                        th { (check.unit) }
                        td.words { (inputs_of(check)) }
                        td { (thousands(check.cases)) }
                        td { (thousands(check.mismatches)) }
                        td { (format!("{:.2}", check.seconds)) }
                    }
                } }
            } }
            @for mismatch in mismatches { p.bad { "First mismatch: " (mismatch) } }
            (in_the_model(model_run))
            p.note {
                "Agreement is proven where every input was tried or decided by SAT; elsewhere it was tested. "
                code { "wkv verify --exhaustive" } " tries every pair of operands too."
            }
        }
    }
}

/// What a unit was given.
fn inputs_of(check: &Check) -> &'static str {
    match (check.method, check.unit.as_str()) {
        (Method::Exhaustive, _) => "every input there is",
        (Method::Sat, prove::COMPOSITION) => {
            "every input and state, by SAT: the cell does what the model says, if its units do"
        }
        (Method::Sat, _) => "every input and state, by SAT: bb is 0 or at least 1.0 in any stream",
        (Method::Vectors, "step") => {
            "random states with bb ≥ 0 and random tokens, rails and ties among them"
        }
        (Method::Vectors, "cell") => {
            "random streams from the start; outputs and the last state compared"
        }
        (Method::Vectors, _) => "every value of one operand, chosen and random ones of the other",
    }
}

fn in_the_model(run: &ModelRun) -> Markup {
    html! {
        p {
            "Then the gates took their place in the model: " (run.documents) " documents, "
            (thousands(run.tokens)) " tokens, " (thousands(run.channel_steps))
            " steps of the simulated cell. "
            @if run.mismatches == 0 {
                "The likelihood of every document is the same, to the last bit, as with the "
                "integer model; "
            } @else {
                span.bad {
                    "The likelihood of " (run.mismatches) " documents differs from that with the "
                    "integer model; "
                }
            }
            "the perplexity is " (format!("{:.4}", run.perplexity)) "."
        }
    }
}

/// Where the netlists are.
pub fn netlists(report: &Report) -> Markup {
    html! {
        section #netlists {
            h2 { "The netlists" }
            p { "Beside this page, for " (report.build.spec) ":" }
            div.scroll { table {
                thead { tr { th { "unit" } th.words { "files" } } }
                tbody { @for netlist in &report.build.netlists {
                    tr {
                        th { (netlist.unit) }
                        td.words { @for (number, name) in netlist.names().enumerate() {
                            @if number > 0 { ", " }
                            a href=(name) { (name) }
                        } }
                    }
                } }
            } }
        }
    }
}
