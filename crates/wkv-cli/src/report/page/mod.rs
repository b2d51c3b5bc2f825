//! The report as one HTML page that needs nothing else.
//!
//! Every number on it comes from the [`Report`].

mod circuit;
mod marks;
mod model;
mod repeat;
mod spectrum;
mod stories;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use self::marks::{interval, verdict};
use super::Report;
use super::notation::{percent, scientific, thousands};
use super::plot;

const STYLE: &str = include_str!("style.css");

/// The page.
pub fn page(report: &Report) -> String {
    let title = format!("{} as a circuit", report.sweep.model);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · wkv report" }
                style { (PreEscaped(STYLE)) (PreEscaped(plot::STYLE)) }
            }
            body {
                (header(report, &title))
                main {
                    (model::formats(report))
                    (model::errors(report))
                    (spectrum::spectrum(report))
                    (model::range(report))
                    (model::choice(report))
                    (circuit::sizes(report))
                    (circuit::exp2(report))
                    (circuit::verification(report))
                    (circuit::netlists(report))
                    (stories::stories(report))
                    (repeat::repeat(report))
                }
            }
        }
    }
    .into_string()
}

fn header(report: &Report, title: &str) -> Markup {
    let Report { sweep, choice, build, verify, model_run, exp2, .. } = report;
    let arm = report.committed_arm();
    let (change, change_interval) = arm.perplexity_change();
    let cases: u64 = verify.units.iter().map(|check| check.cases).sum();
    html! {
        header {
            h1 { (title) }
            p.lead {
                "The attention of the RWKV-v4 model " (sweep.model) ", in fixed point: what each "
                "format costs, which one is committed, and its circuit down to the gates. "
                "Measured on " (thousands(sweep.tokens)) " tokens of " (sweep.text) "."
            }
            dl.facts {
                (fact("Committed format", html! { (choice.committed) }, html! {
                    "of " (choice.candidates.len()) " that circuits compute"
                }))
                (fact("KL from the float model", html! { (scientific(arm.kl_mean)) }, html! {
                    "nats a token " (interval(arm.kl_mean_interval, scientific))
                }))
                (fact("Perplexity", html! { (percent(change)) }, html! {
                    "against float " (interval(change_interval, percent))
                }))
                (fact("Cell", html! { (thousands(build.summary.gates as u64)) " gates" }, html! {
                    (build.summary.registers) " flip-flops, depth " (build.summary.depth)
                }))
                @if let Some(deviation) = exp2.first() {
                    (fact("Worst deviation of exp2", html! { (scientific(deviation.worst)) }, html! {
                        "at x = " (deviation.worst_x)
                    }))
                }
                (fact("Gates against the integer model", verdict(report.held()), html! {
                    (thousands(cases)) " cases, and the whole text: "
                    (thousands(model_run.channel_steps)) " steps"
                }))
            }
        }
    }
}

fn fact(name: &str, value: Markup, more: Markup) -> Markup {
    html! { div { dt { (name) } dd { (value) small { (more) } } } }
}

/// A plot, which holds its own words for those who cannot see it, with its caption.
fn figure(svg: &str, caption: Markup) -> Markup {
    html! {
        figure {
            div { (PreEscaped(svg)) }
            figcaption { (caption) }
        }
    }
}
