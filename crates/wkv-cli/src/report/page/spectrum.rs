//! How long the channels of the model remember.

use maud::{Markup, html};

use super::figure;
use crate::report::Report;
use crate::report::notation::{counted, thousands};
use crate::report::plot;
use crate::report::spectrum::SLOW;

/// The half-lives by block.
pub fn spectrum(report: &Report) -> Markup {
    let spectrum = &report.spectrum;
    let bars = spectrum.by_block.iter().flat_map(|block| &block.histogram);
    let tallest = bars.copied().max().unwrap_or(0) as u64;
    let caption = html! {
        "Channels by half-life, the number of tokens after which half of a weight is left; bars are "
        "half an octave wide and of one scale in all blocks, on which the tallest stands for " (counted(tallest, "channel")) "."
    };
    html! {
        section #spectrum {
            h2 { "How long the channels remember" }
            p {
                "A channel whose weights decay by 2" sup { "w" } " a token keeps half after −1/w "
                "tokens. Slow channels add up errors for long. Half-lives of more than " (SLOW)
                " tokens: " (thousands(spectrum.slow_by_half_life as u64)) " of "
                (counted(spectrum.channels as u64, "channel")) "; more than 1/e left after as many: "
                (thousands(spectrum.slow_by_e_life as u64)) "."
            }
            (figure(&plot::spectrum(spectrum), caption))
        }
    }
}
