//! What each format costs the model, as a picture and as a table.

use maud::{Markup, html};
use wkv::{Arithmetic, WkvSpec};

use super::exp2::diamond;
use super::picture::{Picture, Scale, WIDTH, path, place, source};
use super::sources::{Origin, Report};
use crate::claims::Claims;
use crate::claims::measurement::Estimate;
use crate::report::notation::{minus, scientific, superscript, thousands};
use crate::sweep::Arm;

/// Height of a row.
const ROW: f64 = 25.0;

/// Room for names.
const NAMES: f64 = 150.0;

/// Height of what stands above the rows.
const HEAD: f64 = 40.0;

/// The arms in fixed point, the nearest to the float model first.
fn arms(report: &Report) -> Vec<&Arm> {
    let mut arms: Vec<&Arm> = report.sweep.fixed_arms().collect();
    arms.sort_by(|a, b| a.kl_mean.total_cmp(&b.kl_mean));
    arms
}

/// The spec without the word that all of them begin with.
fn short(spec: Arithmetic) -> String {
    let text = spec.to_string();
    text.strip_prefix("classic:").unwrap_or(&text).to_owned()
}

/// The divergence from the float model, by format and model.
pub fn picture(report: &Origin<Report>, claims: &Origin<Vec<Claims>>) -> Markup {
    let sweep = &report.results.sweep;
    let arms = arms(&report.results);
    // The claims are measured on the report's model, too; its own figures are newer.
    let other = claims.results.iter().find(|claims| claims.model != sweep.model);
    let others = |arm: &Arm| other.and_then(|other| of_arm(other, arm));
    let values = arms.iter().flat_map(|arm| {
        let [low, high] = arm.kl_mean_interval.unwrap_or([arm.kl_mean; 2]);
        [low, high].into_iter().chain(others(arm).map(|estimate| estimate.value))
    });
    let logarithms: Vec<f64> = values.filter(|value| *value > 0.0).map(f64::log10).collect();
    let low = logarithms.iter().copied().fold(f64::INFINITY, f64::min).floor();
    let high = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max).ceil();
    let x = Scale::new([low, high], [NAMES, WIDTH - 14.0]);
    let bottom = HEAD + ROW * arms.len() as f64;
    let told: Vec<String> =
        arms.iter().map(|arm| format!("{} {}", short(arm.spec), scientific(arm.kl_mean))).collect();
    let picture = Picture {
        id: "formats-picture",
        title: "Divergence from the float model by format".to_owned(),
        description: format!("On {}, in nats a token: {}.", sweep.model, told.join(", ")),
        height: bottom + 46.0,
        body: html! {
            (legend(&sweep.model, other))
            (axis([low, high], x, bottom))
            @for (row, arm) in arms.iter().enumerate() {
                @let y = HEAD + ROW * (row as f64 + 0.5);
                g.committed[arm.spec == Arithmetic::Fixed(report.results.committed)] {
                    text.end.mono.name x=(place(NAMES - 10.0)) y=(place(y + 4.0)) { (short(arm.spec)) }
                }
                @if let Some(estimate) = others(arm) {
                    g.input { (diamond(x.at(estimate.value.log10()), y)) }
                }
                g.circuit { (dot(arm, x, y)) }
            }
        },
    };
    picture.figure(html! {
        "Mean divergence from the float model with 95% intervals (bootstrap over documents), "
        "logarithmic; further left is nearer. Bold: the format that the report's rule chooses. "
        (source(report))
        @if let Some(other) = other { " " (other.model) ": " (source(claims)) }
    })
}

fn of_arm(claims: &Claims, arm: &Arm) -> Option<Estimate> {
    let same = claims.figures.arms.iter().find(|other| other.spec == arm.spec)?;
    Some(same.kl_mean)
}

fn legend(model: &str, other: Option<&Claims>) -> Markup {
    html! {
        g.legend {
            circle.circuit cx="18" cy="14" r="4" {}
            text x="28" y="18" { (model) }
            @if let Some(other) = other {
                g.input { (diamond(168.0, 14.0)) }
                text x="178" y="18" { (other.model) }
            }
        }
    }
}

fn axis([low, high]: [f64; 2], x: Scale, bottom: f64) -> Markup {
    html! {
        g.axis {
            @for power in low as i32..=high as i32 {
                @let at = x.at(power.into());
                path.line d=(path([(at, HEAD - 4.0), (at, bottom + 4.0)])) {}
                text.middle x=(place(at)) y=(place(bottom + 20.0)) {
                    "10" (superscript(&power.to_string()))
                }
            }
            text.end x=(place(WIDTH - 4.0)) y=(place(bottom + 40.0)) { "KL from float, nats a token" }
        }
    }
}

fn dot(arm: &Arm, x: Scale, y: f64) -> Markup {
    html! {
        @if let Some([low, high]) = arm.kl_mean_interval {
            path.trace d=(path([(x.at(low.log10()), y), (x.at(high.log10()), y)])) {}
        }
        @if arm.kl_mean > 0.0 { circle cx=(x.place(arm.kl_mean.log10())) cy=(place(y)) r="4" {} }
    }
}

/// The same and more as a table.
pub fn table(report: &Origin<Report>) -> Markup {
    let Report { sweep, committed, candidates, machine, .. } = &report.results;
    let gates = |spec: Arithmetic| {
        let candidate = candidates.iter().find(|other| Arithmetic::Fixed(other.spec) == spec);
        candidate.map(|candidate| thousands(candidate.cell.gates as u64))
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label="What each format costs the model" { table {
            caption {
                (sweep.model) " on " (thousands(sweep.tokens)) " tokens of " (sweep.text)
                ", with the attention of every block in the format; intervals of 95%. "
                (source(report)) " " (machine.cpu) ", " (machine.cores) " cores, "
                (machine.date.split('T').next().unwrap_or_default()) "."
            }
            thead { tr {
                th scope="col" { "format" }
                th.number scope="col" { "perplexity" }
                th.number scope="col" { "against float, %" }
                th.number scope="col" { "KL, nats a token" }
                th.number scope="col" { "same top token, %" }
                th.number scope="col" { "RMS error" }
                th.number scope="col" { "gates of a cell" }
            } }
            tbody {
                tr {
                    th scope="row" { code { "float" } }
                    td.number { (format!("{:.4}", sweep.float_perplexity)) }
                    @for _ in 0..5 { td.number { "–" } }
                }
                @for arm in arms(&report.results) { (row(arm, *committed, gates(arm.spec))) }
            }
        } }
    }
}

fn row(arm: &Arm, committed: WkvSpec, gates: Option<String>) -> Markup {
    let (change, interval) = arm.perplexity_change();
    let signed = |number: f64| minus(&format!("{number:+.2}"));
    html! {
        tr.committed[arm.spec == Arithmetic::Fixed(committed)] {
            th scope="row" { code { (short(arm.spec)) } }
            td.number { (format!("{:.4}", arm.perplexity)) }
            td.number { (signed(change)) (bracket(interval, signed)) }
            td.number { (scientific(arm.kl_mean)) (bracket(arm.kl_mean_interval, scientific)) }
            td.number { (format!("{:.2}", 100.0 * arm.top1_agreement)) }
            td.number { (format!("{:.4}", arm.rms_error)) }
            td.number { (gates.unwrap_or_else(|| "–".to_owned())) }
        }
    }
}

/// An interval below its figure.
fn bracket(interval: Option<[f64; 2]>, number: impl Fn(f64) -> String) -> Markup {
    html! {
        @if let Some([low, high]) = interval {
            " " span.interval { "[" (number(low)) ", " (number(high)) "]" }
        }
    }
}

/// One story, told by the float model and by the gates.
pub fn story(report: &Origin<Report>) -> Markup {
    let stories = &report.results.stories;
    let parts = &stories.circuit_parts;
    html! {
        details {
            summary {
                @if let Some(first) = stories.first_difference {
                    "The same story for " (thousands(first as u64)) " tokens: read it"
                } @else {
                    "The same story, all " (thousands(parts.tokens as u64)) " tokens: read it"
                }
            }
            blockquote { p { strong { (stories.prompt) } @for line in parts.shared.split('\n').enumerate() {
                @if line.0 > 0 { br; } (line.1)
            } @if stories.first_difference.is_some() { " …" } } }
            p.quiet {
                "By the gates of " code { (report.results.committed) } " in every block and by the float model, with the same random numbers. "
                (source(report))
            }
        }
    }
}
