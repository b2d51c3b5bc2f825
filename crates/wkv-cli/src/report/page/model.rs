//! What the formats do to the model.

use maud::{Markup, html};
use wkv::stats::Saturations;
use wkv::{Arithmetic, WkvSpec};

use super::marks::{interval, percent, scientific};
use super::{figure, section};
use crate::report::Report;
use crate::report::choice::tokens_to_tell_apart;
use crate::report::notation::thousands;
use crate::report::plot;
use crate::report::sweep::Arm;

/// Perplexity and KL of every format.
pub fn formats(report: &Report) -> Markup {
    let Report { sweep, choice, .. } = report;
    section(
        "formats",
        "Which format costs what",
        html! {
            p {
                "Each format took the place of the f64 recurrence in every block of the model. The "
                "float model has perplexity " (format!("{:.4}", sweep.float_perplexity)) " on "
                (sweep.documents) " documents with " (thousands(sweep.tokens)) " predicted tokens. "
                "Perplexity hardly tells the formats apart; the divergence of the predictions from "
                "those of the float model (KL) does."
            }
            (figure(
                &plot::formats(sweep, choice),
                "Rise in perplexity and KL from the float model, by format, with 95% intervals",
                html! {
                    "Points with 95% intervals: percentile bootstrap over documents, paired with the "
                    "float model. Dashed: the limits of the rule below. The committed format in bold."
                },
            ))
            div.scroll { table {
                thead { tr {
                    th { "format" } th { "perplexity" } th { "vs float" } th { "95% interval" }
                    th { "KL, nats a token" } th { "95% interval" } th { "KL, worst token" }
                    th { "top-1 agreement" } th { "RMS error" } th { "worst error" }
                } }
                tbody { @for arm in &sweep.arms { (cost(arm, choice.committed)) } }
            } }
            p.note {
                "Errors are of the recurrence's output on the float model's keys and values; that "
                "output has an RMS of " (format!("{:.3}", sweep.signal_rms)) ". Top-1 agreement is "
                "the share of tokens for which both models hold the same one most likely."
            }
        },
    )
}

fn cost(arm: &Arm, committed: WkvSpec) -> Markup {
    let (change, change_interval) = arm.perplexity_change();
    html! {
        tr.chosen[is(arm, committed)] {
            th { (arm.spec) }
            td { (format!("{:.4}", arm.perplexity)) }
            @if arm.spec == Arithmetic::Float {
                @for _ in 0..8 { td { "–" } }
            } @else {
                td { (percent(change)) }
                td.interval { (interval(change_interval, percent)) }
                td { (scientific(arm.kl_mean)) }
                td.interval { (interval(arm.kl_mean_interval, scientific)) }
                td { (scientific(arm.kl_max)) }
                td { (format!("{:.2}%", 100.0 * arm.top1_agreement)) }
                td { (scientific(arm.rms_error)) }
                td { (format!("{:.3}", arm.max_error)) }
            }
        }
    }
}

/// The error by block and position.
pub fn errors(report: &Report) -> Markup {
    let Report { sweep, choice, .. } = report;
    let worst = report.committed_arm().by_block.iter();
    let worst = worst.max_by(|a, b| a.rms_error.total_cmp(&b.rms_error));
    section(
        "errors",
        "Error by block and by position",
        html! {
            (figure(
                &plot::errors(sweep, choice.committed),
                "RMS error at the output of the recurrence, by block and by position",
                html! {
                    "RMS error of the recurrence's output on the float model's keys and values, "
                    "logarithmic. Left: by block, over all positions. Right: by the position of the "
                    "token in its document, over all blocks."
                },
            ))
            @if let Some(worst) = worst {
                p {
                    (choice.committed) " errs most in block " (worst.block) ": RMS "
                    (scientific(worst.rms_error)) ", at most " (format!("{:.3}", worst.max_error)) "."
                }
            }
        },
    )
}

/// What left its range.
pub fn range(report: &Report) -> Markup {
    let Report { sweep, choice, .. } = report;
    let registers = Saturations::default().named().map(|(register, _)| register);
    section(
        "range",
        "Saturations by register and format",
        html! {
            p {
                "How often each register or sum left its range and was clamped, in "
                (thousands(sweep.channel_steps)) " channel-steps; inputs are quantised keys and values "
                "that did not fit; underflows are exponentials that became 0."
            }
            div.scroll { table {
                thead { tr {
                    th { "format" }
                    @for register in registers { th { (register) } }
                    th { "inputs" } th { "underflows" }
                } }
                tbody { @for arm in sweep.fixed_arms() {
                    tr.chosen[is(arm, choice.committed)] {
                        th { (arm.spec) }
                        @for (_, count) in arm.saturations.named() {
                            (heat(count, sweep.channel_steps))
                        }
                        (heat(arm.input_saturations.total(), sweep.channel_steps))
                        (heat(arm.underflows, sweep.channel_steps))
                    }
                } }
            } }
            p.note {
                "Shading is logarithmic. " code { "ww2" } " saturates at the first token of every "
                "document in every channel, " (thousands(sweep.first_steps)) " times here, because "
                "the state starts at the least exponent; nothing is lost by it. Four exponentials are "
                "taken in a step."
            }
        },
    )
}

/// A count, shaded by its logarithm.
fn heat(count: u64, of: u64) -> Markup {
    let share = ((count + 1) as f64).ln() / ((of + 1) as f64).ln();
    let style = format!("--share: {:.0}%", 70.0 * share.min(1.0));
    html! { td.heat style=(style) { (thousands(count)) } }
}

/// The rule, and what it made of the candidates.
pub fn choice(report: &Report) -> Markup {
    let choice = &report.choice;
    let mut candidates: Vec<_> = choice.candidates.iter().collect();
    candidates.sort_by_key(|candidate| (!candidate.passes(), candidate.cell.gates));
    section(
        "committed",
        "The committed format, and why",
        html! {
            p { strong { (choice.committed) "." } " " (choice.why) }
            p { "The rule. " (choice.rule) }
            div.scroll { table {
                thead { tr {
                    th { "format" } th { "gates" } th { "depth" } th { "KL" }
                    th { "upper end" } th { "at most " (scientific(choice.kl_limit)) }
                    th { "perplexity, upper end" } th { "at most +" (choice.perplexity_limit) "%" }
                    th { "tokens to tell apart" }
                } }
                tbody { @for candidate in candidates {
                    tr.chosen[candidate.spec == choice.committed] {
                        th { (candidate.spec) }
                        td { (thousands(candidate.cell.gates as u64)) }
                        td { (candidate.cell.depth) }
                        td { (scientific(candidate.kl_mean)) }
                        td { (scientific(candidate.kl_high)) }
                        td { (yes(candidate.kl_passes)) }
                        td { (percent(candidate.perplexity_high)) }
                        td { (yes(candidate.perplexity_passes)) }
                        td { (thousands(tokens_to_tell_apart(candidate.kl_mean).round() as u64)) }
                    }
                } }
            } }
            p.note {
                "Gates and depth are of the whole cell. Tokens to tell apart: about what the best "
                "statistical test needs to tell the circuit from the float model on the float model's "
                "own text, right 95 times in 100 (Stein's lemma: ln 20 / KL)."
            }
        },
    )
}

fn yes(passes: bool) -> Markup {
    html! { @if passes { span.good { "yes" } } @else { "no" } }
}

fn is(arm: &Arm, committed: WkvSpec) -> bool {
    arm.spec == Arithmetic::Fixed(committed)
}
