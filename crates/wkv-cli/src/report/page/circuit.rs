//! The circuit: its size, its exp2 unit, how it was verified, and its netlists.

use maud::{Markup, html};

use wkv::verify::{Check, Method};

use super::marks::{scientific, verdict};
use super::{figure, section};
use crate::circuit::UnitSize;
use crate::report::Report;
use crate::report::notation::thousands;
use crate::report::plot;
use crate::report::published::{self, Size};

/// Gates, flip-flops and depth by unit.
pub fn sizes(report: &Report) -> Markup {
    let build = &report.build;
    let summary = &build.summary;
    section(
        "circuit",
        "Gates, flip-flops and depth",
        html! {
            p {
                "The cell of " (build.spec) ": " strong {
                    (thousands(summary.gates as u64)) " gates, " (summary.registers)
                    " flip-flops, depth " (summary.depth)
                } ". It takes one channel of one block and one token a clock. " (arities(report))
            }
            h3 { "Where the gates of the cell are" }
            div.scroll { table {
                thead { tr { th { "unit" } th { "instances" } th { "gates" } th { "share" } th {} } }
                tbody { @for line in &summary.inventory { (inventory(line, summary.gates)) } }
                tfoot { tr {
                    td { "cell" } td {} td { (thousands(summary.gates as u64)) } td { "100%" } td {}
                } }
            } }
            p.note {
                "Flip-flops: " (summary.registers) ", the registers aa, bb and pp. In each pair of "
                "exponentials one is exactly 1, so a step takes two exp2 units and four multipliers."
            }
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
                "Published: " (published::SOURCE) ". There, as here, a gate is a look-up table, of at "
                "most four inputs. Depth is the number of gates on the longest path."
            }
        },
    )
}

/// How many gates there are of each number of inputs.
fn arities(report: &Report) -> Markup {
    let by_arity: Vec<_> =
        report.build.summary.by_arity.iter().filter(|(_, count)| **count > 0).collect();
    html! {
        "A gate is a look-up table: "
        @for (number, (arity, count)) in by_arity.iter().enumerate() {
            @if number > 0 { ", " }
            (thousands(**count as u64)) " of " (arity) @if **arity == 1 { " input" } @else { " inputs" }
        }
        "."
    }
}

fn inventory(line: &UnitSize, gates: usize) -> Markup {
    let share = 100.0 * line.gates as f64 / gates.max(1) as f64;
    html! {
        tr {
            th { (line.unit) }
            td { @if line.instances > 0 { (line.instances) } }
            td { (thousands(line.gates as u64)) }
            td { (format!("{share:.1}%")) }
            td.bar { i style=(format!("width: {share:.1}%")) {} }
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
    section(
        "exp2",
        "The exp2 unit against the true value",
        html! {
            p {
                "The gates of the unit ran over all of their inputs, and every result was compared "
                "with 2" sup { "−x" } " in double precision."
            }
            div.scroll { table {
                thead { tr {
                    th { "format" } th { "inputs" } th { "worst deviation" } th { "at x" }
                    th { "raw input" } th { "result" } th { "published" }
                } }
                tbody { @for deviation in &report.exp2 {
                    tr.chosen[deviation.spec == report.choice.committed] {
                        th { (deviation.spec) }
                        td { (thousands(deviation.inputs.into())) }
                        td { (scientific(deviation.worst)) }
                        td { (deviation.worst_x) }
                        td { (deviation.worst_raw) }
                        td { (format!("{:.6}", deviation.worst_result)) }
                        td {
                            @if deviation.spec.to_string() == published::SPEC {
                                (scientific(published::EXP2_WORST_DEVIATION))
                            } @else { "–" }
                        }
                    }
                } }
            } }
            (figure(
                &plot::exp2(&report.exp2),
                "Greatest deviation of the exp2 units from the true value, over their input",
                html! {
                    "Greatest absolute deviation in each of "
                    (report.exp2.first().map_or(0, |deviation| deviation.profile.len()))
                    " parts of the input's range, logarithmic. The results have 16 fraction bits, so a "
                    "step of one is " (scientific(1.0 / 65536.0)) "."
                },
            ))
        },
    )
}

/// How the circuit was verified.
pub fn verification(report: &Report) -> Markup {
    let Report { verify, model_run, .. } = report;
    section(
        "verification",
        "How it was verified",
        html! {
            p {
                "The integer model is the contract; the tests of this project hold it, bit for bit, to "
                "vectors that the published circuit gave. The gates of each unit were simulated and "
                "compared with it: they " (verdict(verify.held)) "."
            }
            div.scroll { table {
                thead { tr {
                    th { "unit" } th.words { "inputs" } th { "cases" } th { "mismatches" }
                    th { "seconds" }
                } }
                tbody { @for check in &verify.units {
                    tr {
                        th { (check.unit) }
                        td.words { (method(check)) }
                        td { (thousands(check.cases)) }
                        td { (thousands(check.mismatches)) }
                        td { (format!("{:.2}", check.seconds)) }
                    }
                } }
            } }
            @for mismatch in verify.units.iter().filter_map(|check| check.first_mismatch.as_ref()) {
                p.bad { "First mismatch: " (mismatch) }
            }
            p {
                "Then the gates took their place in the model: all " (model_run.documents)
                " documents, " (thousands(model_run.tokens)) " tokens, "
                (thousands(model_run.channel_steps)) " steps of the simulated cell. The likelihood of "
                (thousands(model_run.mismatches as u64)) " documents differs in any bit from that with "
                "the integer model; the perplexity is " (format!("{:.4}", model_run.perplexity)) "."
            }
            p.note {
                "Only where the table says “every input” is agreement proven; elsewhere it was tested."
            }
        },
    )
}

/// What a unit was given.
fn method(check: &Check) -> &'static str {
    match (check.method, check.unit.as_str()) {
        (Method::Exhaustive, _) => "every input there is",
        (Method::Vectors, "step") => {
            "random states with bb ≥ 0 and random tokens, rails and ties among them"
        }
        (Method::Vectors, "cell") => "random streams from the start, state compared at their end",
        (Method::Vectors, _) => {
            "every value of one operand with chosen and random ones of the other"
        }
    }
}

/// Where the netlists are.
pub fn netlists(report: &Report) -> Markup {
    section(
        "netlists",
        "The netlists",
        html! {
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
        },
    )
}
