//! The circuits on an FPGA, placed and routed: published beside ours, and what goes beyond.

use maud::{Markup, html};

use super::picture::source;
use super::sources::Origin;
use crate::command::docs::silicon::{Figures, Row};
use crate::published;
use crate::report::notation::thousands;

/// The device that the published circuit was measured on.
const DEVICE: &str = "hx8k";

/// The columns of the comparison: whose, and how it is written.
const SOURCES: [&str; 3] = ["published", "gates", "carry"];

/// A row of the comparison: a circuit, and whether paths to outputs count.
type Circuit<'a> = (&'a str, bool);

/// The rows of the published numerics on a device.
fn rows(silicon: &Origin<Vec<Row>>) -> impl Iterator<Item = &Row> {
    silicon.results.iter().filter(|row| row.spec.is_none_or(|spec| spec == published::spec()))
}

fn find<'a>(
    silicon: &'a Origin<Vec<Row>>,
    (circuit, registered): Circuit,
    source: &str,
) -> Option<&'a Figures> {
    let mut rows = rows(silicon).filter(|row| row.device == DEVICE && row.source() == source);
    rows.find(|row| row.circuit() == circuit && row.is_registered() == registered)?.figures.as_ref()
}

/// Published beside ours, of the same numerics, through the same tools.
pub fn beside(silicon: &Origin<Vec<Row>>) -> Markup {
    let published = rows(silicon).filter(|row| row.source() == "published" && row.device == DEVICE);
    let circuits: Vec<Circuit> =
        published.map(|row| (row.circuit(), row.is_registered())).collect();
    html! {
        div.scroll tabindex="0" role="region" aria-label="Placed and routed, published beside ours" { table {
            caption {
                "Logic cells and clock on an iCE40 HX8K: the median of " (seeds(silicon)) " placement seeds. "
                "Published: the netlists of the MorphoHDL contributors through the same tools. "
                "Gates: ours, gate by gate. Carry: ours with carry chains. " (source(silicon)) " " (tools(silicon))
            }
            thead {
                tr {
                    th rowspan="2" scope="col" { "circuit" }
                    @for source in SOURCES { th.number colspan="2" scope="colgroup" { (source) } }
                }
                tr { @for _ in SOURCES {
                    th.number scope="col" { "cells" } th.number scope="col" { "MHz" }
                } }
            }
            tbody { @for circuit in circuits {
                tr {
                    th scope="row" { code { (circuit.0) } @if !circuit.1 { ", state update alone" } }
                    @for source in SOURCES {
                        @if let Some(figures) = find(silicon, circuit, source) {
                            td.number { (thousands(figures.cells as u64)) }
                            td.number { (mhz(figures)) }
                        } @else { td.number { "–" } td.number { "–" } }
                    }
                }
            } }
        } }
    }
}

/// The forms that many channels share.
pub fn shared(silicon: &Origin<Vec<Row>>) -> Markup {
    let shared = rows(silicon).filter(|row| row.circuit().contains('='));
    html! {
        div.scroll tabindex="0" role="region" aria-label="Circuits that many channels share" { table {
            caption {
                "Circuits that channels go through in turn; the number is that of the channels. "
                (source(silicon)) " One row again: "
                code { "wkv synth --unit NAME --style carry --device DEVICE" } "."
            }
            thead { tr {
                th scope="col" { "circuit" } th scope="col" { "device" }
                th.number scope="col" { "cells" } th.number scope="col" { "flip-flops" }
                th.number scope="col" { "RAM blocks" } th.number scope="col" { "MHz" }
                th.number scope="col" { "least to greatest" }
            } }
            tbody { @for row in shared { @if let Some(figures) = &row.figures {
                tr {
                    th scope="row" { code { (row.circuit()) } }
                    td { (row.device) }
                    td.number { (thousands(figures.cells as u64)) }
                    td.number { (thousands(figures.registers as u64)) }
                    td.number { (figures.ram_blocks) }
                    td.number { (mhz(figures)) }
                    td.number { (format!("{:.1} to {:.1}", figures.mhz.min, figures.mhz.max)) }
                }
            } } }
        } }
    }
}

/// A clock as text.
pub fn mhz(figures: &Figures) -> String {
    format!("{:.1}", figures.mhz.median)
}

/// The figures of the pipelined bank on the device of the comparison.
pub fn pipeline(silicon: &Origin<Vec<Row>>) -> Option<(&str, &Figures)> {
    let mut rows = rows(silicon).filter(|row| row.device == DEVICE);
    let row = rows.find(|row| row.circuit().starts_with("pipeline="))?;
    Some((row.circuit(), row.figures.as_ref()?))
}

/// How many seeds the rows of the comparison have, at least.
fn seeds(silicon: &Origin<Vec<Row>>) -> usize {
    let figures =
        rows(silicon).filter(|row| row.device == DEVICE).filter_map(|row| row.figures.as_ref());
    figures.map(|figures| figures.seeds.len()).min().unwrap_or(0)
}

/// The tools, and where and when they ran.
fn tools(silicon: &Origin<Vec<Row>>) -> Markup {
    let figures =
        rows(silicon).filter(|row| row.device == DEVICE).find_map(|row| row.figures.as_ref());
    html! { @if let Some(Figures { tools, machine, .. }) = figures {
        @for (number, (tool, version)) in tools.iter().enumerate() {
            @if number > 0 { ", " }
            @if version.to_lowercase().starts_with(tool.as_str()) { (version) } @else { (tool) " " (version) }
        }
        "; " (machine.cpu) ", " (machine.cores) " cores, "
        (machine.date.split('T').next().unwrap_or_default()) "."
    } }
}
