//! What the formats do to the model.

use maud::{Markup, html};
use wkv::stats::Saturations;
use wkv::{Arithmetic, WkvSpec};

use super::figure;
use super::marks::{Scale, interval};
use crate::report::Report;
use crate::report::choice::{Candidate, ERRORS, tokens_to_tell_apart};
use crate::report::notation::{counted, minus, percent, scientific, thousands};
use crate::report::plot;
use crate::sweep::{Arm, FEWEST_DOCUMENTS};

/// Below this, resampling documents says little.
const FEW_DOCUMENTS: usize = 20;

/// Perplexity and KL of every format.
pub fn formats(report: &Report) -> Markup {
    let Report { sweep, choice, .. } = report;
    let kl = Scale::of(sweep.arms.iter().map(|arm| arm.kl_mean));
    let caption = html! {
        "Points with 95% intervals: percentile bootstrap over documents, paired with the float "
        "model. Dashed: the limits of the rule below. In bold: the committed format."
    };
    html! {
        section #formats {
            h2 { "Which format costs what" }
            p {
                "Each format took the place of the f64 recurrence in every block of the model. The "
                "float model has perplexity " (format!("{:.4}", sweep.float_perplexity)) " on "
                (counted(sweep.documents as u64, "document")) " with "
                (counted(sweep.tokens, "predicted token")) ". "
                "Perplexity hardly tells the formats apart; the divergence of the predictions from "
                "those of the float model (KL) does."
            }
            (figure(
                &plot::formats(sweep, choice),
                caption,
            ))
            div.scroll { table {
                thead {
                    tr {
                        th {} th colspan="3" { "perplexity" } th colspan="3" { "KL from float" }
                        th { "same" } th colspan="2" { "error at the output" }
                    }
                    tr {
                        th { "format" } th { "value" } th { "vs float, %" } th { "95% interval" }
                        th { (kl.unit()) " nats" } th { "95% interval" } th { "worst, nats" }
                        th { "top-1, %" } th { "RMS" } th { "worst" }
                    }
                }
                tbody { @for arm in &sweep.arms { (cost(arm, choice.committed, kl)) } }
            } }
            p.note {
                "KL is the mean over predicted tokens, in nats a token. Same top-1: tokens for "
                "which both models hold the same one most likely. Errors are of the recurrence's "
                "output on the float model's keys and values; that output has an RMS of "
                (format!("{:.3}", sweep.signal_rms)) "."
                @if sweep.documents < FEWEST_DOCUMENTS {
                    " There are no intervals: they need at least " (FEWEST_DOCUMENTS) " documents."
                } @else if sweep.documents < FEW_DOCUMENTS {
                    " With only " (sweep.documents) " documents the intervals say little."
                }
            }
        }
    }
}

fn cost(arm: &Arm, committed: WkvSpec, kl: Scale) -> Markup {
    let (change, change_interval) = arm.perplexity_change();
    let signed = |number: f64| minus(&format!("{number:+.2}"));
    html! {
        tr.chosen[is(arm, committed)] {
            th { (arm.spec) }
            td { (format!("{:.4}", arm.perplexity)) }
            @if arm.spec == Arithmetic::Float {
                @for _ in 0..8 { td { "–" } }
            } @else {
                td { (signed(change)) }
                td.interval { (interval(change_interval, signed)) }
                td { (kl.number(arm.kl_mean)) }
                td.interval { (interval(arm.kl_mean_interval, |end| kl.number(end))) }
                td { (format!("{:.4}", arm.kl_max)) }
                td { (format!("{:.2}", 100.0 * arm.top1_agreement)) }
                td { (format!("{:.4}", arm.rms_error)) }
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
    let caption = html! {
        "RMS error of the recurrence's output on the float model's keys and values, logarithmic. "
        "Left: by block, over all positions. Right: by the position of the token in its document, "
        "over all blocks."
    };
    let along = html! {
        "The same along the documents, block by block, for the published and for the committed "
        "format. A point stands for the tokens from the one written below it up to the next."
    };
    html! {
        section #errors {
            h2 { "Error by block and by position" }
            (figure(
                &plot::errors(sweep, choice.committed),
                caption,
            ))
            @if let Some(worst) = worst {
                p {
                    (choice.committed) " errs most in block " (worst.block) ": RMS "
                    (format!("{:.4}", worst.rms_error)) ", at most "
                    (format!("{:.3}", worst.max_error)) "."
                }
            }
            (figure(&plot::positions(sweep, choice.committed), along))
        }
    }
}

/// What left its range.
pub fn range(report: &Report) -> Markup {
    let Report { sweep, choice, .. } = report;
    let registers = Saturations::default().named().map(|(register, _)| register);
    let map = html! {
        "Saturations by block and register, without those at the starts of documents. Shading is by "
        "the logarithm of their share of the steps; an empty field had none, nor had "
        "the formats without options that are not shown."
    };
    html! {
        section #range {
            h2 { "Saturations by register and format" }
            p {
                "How often each register or sum left its range and was clamped, in "
                (thousands(sweep.channel_steps)) " channel-steps. Inputs are quantised keys, "
                "values, bonuses and decays that did not fit; underflows are exponentials that "
                "became 0."
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
                "Shading is logarithmic. ww2 saturates at the first token of every document in "
                "every channel, " (thousands(sweep.first_steps)) " times here, because the state "
                "starts at the least exponent; nothing is lost by it. A step takes four "
                "exponentials."
            }
            (figure(&plot::saturations(sweep, choice.committed), map))
        }
    }
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
    let kl = Scale::of(choice.candidates.iter().map(|candidate| candidate.kl_mean));
    let mut candidates: Vec<_> = choice.candidates.iter().collect();
    candidates.sort_by_key(|candidate| (!candidate.passes(), candidate.cell.gates));
    html! {
        section #committed {
            h2 { "The committed format, and why" }
            p { strong { (choice.committed) "." } " " (choice.why) }
            p { strong { "The rule." } " " (choice.rule) }
            div.scroll { table {
                thead {
                    tr {
                        th {} th colspan="2" { "cell" } th colspan="3" { "KL, " (kl.unit()) " nats" }
                        th colspan="2" { "perplexity" } th { "tokens" }
                    }
                    tr {
                        th { "format" } th { "gates" } th { "depth" }
                        th { "mean" } th { "upper end" } th { "≤ " (kl.number(choice.kl_limit)) }
                        th { "upper end" } th { "≤ " (percent(choice.perplexity_limit)) }
                        th { "to tell apart" }
                    }
                }
                tbody { @for candidate in candidates {
                    (candidate_row(candidate, choice.committed, kl))
                } }
            } }
            p.note {
                "Gates and depth are of the whole cell. Tokens to tell apart: about what the best "
                "statistical test needs to tell the circuit from the float model, by the normal "
                "approximation of the log-likelihood ratio, with " (ERRORS * 100.0) "% false alarms "
                "and " (ERRORS * 100.0) "% misses."
            }
        }
    }
}

fn candidate_row(candidate: &Candidate, committed: WkvSpec, kl: Scale) -> Markup {
    let yes = |passes| html! { @if passes { span.good { "yes" } } @else { "no" } };
    html! {
        tr.chosen[candidate.spec == committed] {
            th { (candidate.spec) }
            td { (thousands(candidate.cell.gates as u64)) }
            td { (candidate.cell.depth) }
            td { (kl.number(candidate.kl_mean)) }
            td { (kl.number(candidate.kl_high)) }
            td { (yes(candidate.kl_passes)) }
            td { (percent(candidate.perplexity_high)) }
            td { (yes(candidate.perplexity_passes)) }
            td { (tokens_to_tell_apart(candidate.kl_mean).map_or_else(|| "–".to_owned(), thousands)) }
        }
    }
}

/// What interpolation would buy, if the committed unit has none and the sweep measured both.
pub fn interpolation(report: &Report) -> Markup {
    let [unit, interpolated, ..] = &report.exp2[..] else { return html! {} };
    let candidate = |spec| report.choice.candidates.iter().find(|other| other.spec == spec);
    let (Some(with), false) = (candidate(interpolated.spec), unit.spec.exp2.interpolate) else {
        return html! {};
    };
    let without = report.choice.winner();
    html! {
        p {
            "With interpolation the unit would be "
            (format!("{:.0}", unit.worst / interpolated.worst)) " times as exact, and the cell "
            "would have " (thousands(with.cell.gates as u64)) " gates instead of "
            (thousands(without.cell.gates as u64)) ". The model would have a KL of "
            (scientific(with.kl_mean)) " instead of " (scientific(without.kl_mean)) " nats a token"
            @if with.kl_mean >= without.kl_mean {
                ": the table is not what limits this format."
            } @else { "." }
        }
    }
}

fn is(arm: &Arm, committed: WkvSpec) -> bool {
    arm.spec == Arithmetic::Fixed(committed)
}
