//! What is needed to repeat it.

use maud::{Markup, html};

use crate::report::Report;

/// Machine, date, version and command lines.
pub fn repeat(report: &Report) -> Markup {
    let machine = &report.machine;
    html! {
        section #repeat {
            h2 { "To repeat it" }
            p {
                "wkv " (machine.version) ", " (machine.date) ", " (machine.cpu) ", "
                (machine.cores) " cores, " (machine.instruction_set) "; the whole report took "
                (format!("{:.1}", report.seconds)) " seconds. All figures are in "
                a href=(Report::JSON) { (Report::JSON) } ". "
                code { "wkv site --report DIR" } ", with the folder of this page, tells the story of the "
                "project’s pages with them."
            }
            pre { @for command in &report.commands { (command) "\n" } }
            p.note {
                "Everything but times is the same on every run on one machine. On another, the "
                "last bits of the network's own floating-point sums may differ, and with them the "
                "last digits of the figures."
            }
        }
    }
}
