//! What the cell is made of, and each unit beside the published one.

use maud::{Markup, html};

use super::circuits::Circuits;
use super::picture::computed;
use crate::published::{self, Size};
use crate::report::notation::{minus, thousands};

/// Gates of the cell by unit.
pub fn inventory(circuits: &Circuits) -> Markup {
    let cell = &circuits.cell;
    let greatest = cell.inventory.iter().map(|line| line.gates).max().unwrap_or(1);
    html! {
        div.scroll tabindex="0" role="region" aria-label="Gates of the cell by unit" { table {
            caption {
                "The " (thousands(cell.gates as u64)) " gates of one cell by unit. "
                (computed("from the netlist", &format!("wkv build --spec {} --unit cell", circuits.spec)))
            }
            thead { tr {
                th scope="col" { "unit" } th.number scope="col" { "instances" }
                th.number scope="col" { "gates" } th.number scope="col" { "share" }
                th aria-hidden="true" {}
            } }
            tbody { @for line in &cell.inventory {
                tr {
                    th scope="row" { (line.unit) }
                    td.number { @if line.instances > 0 { (line.instances) } @else { "–" } }
                    td.number { (thousands(line.gates as u64)) }
                    td.number { (format!("{:.0}%", 100.0 * line.gates as f64 / cell.gates as f64)) }
                    td.bar aria-hidden="true" { (bar(line.gates as f64 / greatest as f64)) }
                }
            } }
            tfoot { tr {
                th scope="row" { "cell, with " (cell.registers) " flip-flops" } td.number {}
                td.number { (thousands(cell.gates as u64)) } td.number {} td {}
            } }
        } }
    }
}

/// A bar that is so much of a cell of a table wide.
pub fn bar(share: f64) -> Markup {
    let width = format!("{:.1}", 100.0 * share);
    html! {
        svg.bar viewBox="0 0 100 10" preserveAspectRatio="none" {
            rect.circuit width=(width) height="10" {}
        }
    }
}

/// Each unit alone: published, and ours of the same spec.
pub fn units(circuits: &Circuits) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Each unit beside the published one" { table {
            caption {
                "Each unit as a circuit of its own, numerics " code { (circuits.spec) }
                ". Depth is the number of gates on the longest path. Published: " (published::SOURCE) ". "
                (computed("from the netlists", "wkv docs"))
            }
            thead {
                tr {
                    th rowspan="2" scope="col" { "unit" }
                    th.number colspan="2" scope="colgroup" { "published" }
                    th.number colspan="2" scope="colgroup" { "ours" }
                    th.number rowspan="2" scope="col" { "change in gates" }
                }
                tr {
                    @for _ in 0..2 {
                        th.number scope="col" { "gates" } th.number scope="col" { "depth" }
                    }
                }
            }
            tbody { @for unit in &circuits.units {
                tr {
                    th scope="row" { (unit.unit) }
                    @if let Some(published) = unit.published {
                        (size(published)) (size(unit.same_spec))
                        td.number { (change(unit.same_spec, published)) }
                    } @else {
                        td.number { "–" } td.number { "–" } (size(unit.same_spec)) td.number { "–" }
                    }
                }
            } }
        } }
    }
}

fn size(size: Size) -> Markup {
    html! {
        td.number { (thousands(size.gates as u64)) }
        td.number { (size.depth) }
    }
}

/// How many percent more gates ours has.
fn change(ours: Size, published: Size) -> String {
    let change = 100.0 * (ours.gates as f64 / published.gates as f64 - 1.0);
    format!("{}%", minus(&format!("{change:+.0}")))
}
