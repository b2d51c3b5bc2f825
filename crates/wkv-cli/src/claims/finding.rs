//! A verdict on each published claim, by rules that are written here.

use std::fmt;

use serde::{Deserialize, Serialize};
use wkv::Arithmetic;

use super::measurement::Estimate;
use super::published::{self, Claim};
use super::synthetic::{Divided, Synthetic};
use super::{Arm, Figures};
use crate::report::notation::{counted, percent, thousands};
use crate::report::spectrum::SLOW;

/// What a claim became.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It holds here, too.
    Confirmed,
    /// It does not hold here; our figure stands instead.
    Corrected,
    /// It cannot be decided.
    Undecided,
}

impl Verdict {
    /// Whether a claim holds here.
    fn of(holds: bool) -> Self {
        if holds { Self::Confirmed } else { Self::Corrected }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Confirmed => "confirmed",
            Self::Corrected => "corrected",
            Self::Undecided => "cannot be decided",
        })
    }
}

/// A published claim, what was measured, and the verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The claim.
    pub claim: Claim,
    /// The verdict.
    pub verdict: Verdict,
    /// Our figure in a few words.
    pub brief: String,
    /// Our figures, with their intervals.
    pub ours: String,
    /// By which rule the verdict came about.
    pub rule: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { claim, verdict, ours, .. } = self;
        writeln!(f, "{verdict}: {}", wrapped(claim.wording(), 11 + verdict.to_string().len()))?;
        write!(f, "    ours: {}", wrapped(ours, 10))
    }
}

/// Lines of at most 100 characters; the first has `taken` characters already.
fn wrapped(text: &str, taken: usize) -> String {
    const WIDTH: usize = 96;
    let mut lines = String::new();
    let mut column = taken;
    for word in text.split(' ') {
        let length = word.chars().count() + 1;
        if column + length > WIDTH {
            lines.push_str("\n   ");
            column = 3;
        }
        if !lines.is_empty() {
            lines.push(' ');
        }
        lines.push_str(word);
        column += length;
    }
    lines
}

/// Judges every claim.
pub fn judge(figures: &Figures) -> Vec<Finding> {
    vec![
        equal_perplexity(figures),
        error_span(figures),
        free_saturations(figures),
        error_growth(figures),
        preset_error(figures),
        synthetic_dividers(&figures.synthetic),
        synthetic_quarters(&figures.synthetic),
        synthetic_saturations(&figures.synthetic),
        slow_channels(figures),
    ]
}

fn equal_perplexity(figures: &Figures) -> Finding {
    let decimals = published::PERPLEXITY_DECIMALS;
    let perplexity = |arm: &Arm| figures.float_perplexity * arm.perplexity_ratio.value;
    let written = |perplexity: f64| format!("{perplexity:.decimals$}");
    let float = written(figures.float_perplexity);
    let [least, greatest] = extremes(&figures.arms, |arm| arm.perplexity_ratio.value);
    let change = |arm: &Arm| {
        let change = |ratio: f64| percent(100.0 * (ratio - 1.0));
        let interval = arm.perplexity_ratio.interval.map(|ends| ends.map(change));
        let interval = interval.map_or_else(String::new, |[low, high]| format!(" [{low}, {high}]"));
        format!(
            "{} ({}, {}{interval})",
            written(perplexity(arm)),
            arm.spec,
            change(arm.perplexity_ratio.value)
        )
    };
    Finding {
        claim: Claim::EqualPerplexity,
        verdict: Verdict::of(figures.arms.iter().all(|arm| written(perplexity(arm)) == float)),
        brief: format!(
            "{float} in float, {} to {}",
            written(perplexity(least)),
            written(perplexity(greatest))
        ),
        ours: format!(
            "float {float}; the formats from {} to {}; KL from the float model from {:.1e} to {:.1e} nats \
             a token",
            change(least),
            change(greatest),
            extremes(&figures.arms, |arm| arm.kl_mean.value)[0].kl_mean.value,
            extremes(&figures.arms, |arm| arm.kl_mean.value)[1].kl_mean.value,
        ),
        rule: "confirmed if all formats and float are written alike".to_owned(),
    }
}

/// A factor.
fn times(factor: f64) -> String {
    format!("{factor:.1}")
}

fn error_span(figures: &Figures) -> Finding {
    let [best, worst] = extremes(&figures.arms, |arm| arm.rms_error.value);
    let order = is(best, published::BEST) && is(worst, published::WORST);
    let span = figures.error_span;
    Finding {
        claim: Claim::ErrorSpan,
        brief: format!("{} times, {} to {}", times(span.value), best.spec, worst.spec),
        verdict: Verdict::of(order && span.agrees_with(published::ERROR_SPAN, 2)),
        ours: format!(
            "{} times, with {} best ({}) and {} worst ({}); without saturation in {} {} times",
            estimate(span, times),
            best.spec,
            estimate(best.rms_error, scientific),
            worst.spec,
            estimate(worst.rms_error, scientific),
            published::BEST,
            estimate(figures.saturations.error_span, times),
        ),
        rule: format!(
            "confirmed if best and worst are the same and {} is in the interval of the span",
            published::ERROR_SPAN
        ),
    }
}

/// Saturation is free if it costs less than this share of the format's divergence.
const FREE: f64 = 0.01;

fn free_saturations(figures: &Figures) -> Finding {
    let cost = &figures.saturations;
    let verdict = match cost.kl_difference.interval {
        _ if cost.beyond_starts() == 0 => Verdict::Undecided,
        Some([_, high]) if high <= FREE * cost.kl.value => Verdict::Confirmed,
        Some([low, _]) if low > FREE * cost.kl.value => Verdict::Corrected,
        _ => Verdict::Undecided,
    };
    let registers = cost.saturations.named().into_iter().map(|(register, count)| {
        // Each start of a document saturates this one.
        (register, if register == "ww2" { count.saturating_sub(cost.first_steps) } else { count })
    });
    let registers = registers.filter(|(_, count)| *count > 0);
    let registers: Vec<String> =
        registers.map(|(register, count)| format!("{register} {}", thousands(count))).collect();
    Finding {
        claim: Claim::FreeSaturations,
        verdict,
        brief: format!(
            "KL {} higher, of {}",
            scientific(cost.kl_difference.value),
            scientific(cost.kl.value)
        ),
        ours: format!(
            "{} saturations in {} channel-steps beside the {} starts of documents ({}); with them \
             the KL is {} nats a token higher, of {}, and the RMS error {} times as great; those of \
             the exponents ww and ww2 alone change the KL by {}",
            thousands(cost.beyond_starts()),
            thousands(cost.channel_steps),
            thousands(cost.first_steps),
            if registers.is_empty() { "none".to_owned() } else { registers.join(", ") },
            estimate(cost.kl_difference, scientific),
            scientific(cost.kl.value),
            estimate(cost.rms_ratio, |x| format!("{x:.2}")),
            estimate(cost.exponents_kl_difference, scientific),
        ),
        rule: format!(
            "beside the same steps in registers of 64 bits without clamps: confirmed if the interval of \
             the difference in KL ends below {}% of the KL, corrected if it starts above",
            100.0 * FREE
        ),
    }
}

/// A block whose error grows by less than this factor is flat.
const FLAT: f64 = 1.25;

fn error_growth(figures: &Figures) -> Finding {
    let blocks = &figures.growth.by_block;
    let growth = |block: usize| blocks.get(block).and_then(|block| block.growth);
    let flat = |growth: Estimate| (1.0 / FLAT..=FLAT).contains(&growth.value);
    let verdict = match (growth(published::FLAT_BLOCK), growth(published::GROWING_BLOCK)) {
        (Some(first), Some(last)) => {
            Verdict::of(flat(first) && last.agrees_with(published::GROWTH, 1))
        }
        _ => Verdict::Undecided,
    };
    let growths = blocks.iter().enumerate().map(|(block, figures)| match figures.growth {
        Some(growth) => format!("block {block} {} times", estimate(growth, |x| format!("{x:.2}"))),
        None => format!("block {block} unknown, no document is that long"),
    });
    Finding {
        claim: Claim::ErrorGrowth,
        verdict,
        brief: format!(
            "{} times in block {}, {} times in block {}",
            growth(published::FLAT_BLOCK).map_or("unknown".to_owned(), |x| times(x.value)),
            published::FLAT_BLOCK,
            growth(published::GROWING_BLOCK).map_or("unknown".to_owned(), |x| times(x.value)),
            published::GROWING_BLOCK,
        ),
        ours: format!(
            "from tokens 0-31 to tokens 128-255, in {}: {}",
            figures.growth.spec,
            growths.collect::<Vec<_>>().join(", ")
        ),
        rule: format!(
            "confirmed if block {} changes by less than a factor of {FLAT} and {} is in the interval of \
             block {}",
            published::FLAT_BLOCK,
            published::GROWTH,
            published::GROWING_BLOCK
        ),
    }
}

fn preset_error(figures: &Figures) -> Finding {
    Finding {
        claim: Claim::PresetError,
        verdict: match figures.preset_error {
            Some(error) => Verdict::of(error.agrees_with(published::PRESET_ERROR, 2)),
            None => Verdict::Undecided,
        },
        brief: figures.preset_error.map_or("unknown".to_owned(), |error| scientific(error.value)),
        ours: format!(
            "{} at the output of all blocks, whose own RMS is {:.2}",
            figures.preset_error.map_or_else(String::new, |error| estimate(error, scientific)),
            figures.signal_rms,
        ),
        rule: "confirmed if the published figure is in the interval".to_owned(),
    }
}

fn synthetic_dividers(synthetic: &[Synthetic]) -> Finding {
    let nearest = nearest(synthetic);
    let [unrounded, restoring] = [
        |row: &Synthetic| row.unrounded.rms_error.value,
        |row: &Synthetic| row.restoring.rms_error.value,
    ];
    let possible = holds(ends(synthetic, unrounded), published::SYNTHETIC_EXACT)
        && holds(ends(synthetic, restoring), published::SYNTHETIC_RESTORING);
    let range = |figure| {
        let [low, high] = ends(synthetic, figure);
        format!("from {} to {}", scientific(low), scientific(high))
    };
    Finding {
        claim: Claim::SyntheticDividers,
        verdict: if possible { Verdict::Undecided } else { Verdict::Corrected },
        brief: format!(
            "{} and {} at one scale",
            scientific(nearest.unrounded.rms_error.value),
            scientific(nearest.restoring.rms_error.value)
        ),
        ours: format!(
            "nearest: {} unrounded, {} rounded to nearest, {} restoring, with {}; over all scales tried {} \
             unrounded and {} restoring",
            estimate(nearest.unrounded.rms_error, precise),
            estimate(nearest.nearest.rms_error, precise),
            estimate(nearest.restoring.rms_error, precise),
            described(nearest),
            range(unrounded),
            range(restoring),
        ),
        rule: "the published distribution is not stated: cannot be decided if both figures lie within \
               what ours give, corrected if not; exact division is taken for a quotient that is not \
               rounded"
            .to_owned(),
    }
}

fn synthetic_quarters(synthetic: &[Synthetic]) -> Finding {
    let growth = |divided: &Divided| {
        let [first, .., last] = &divided.quarters[..] else { return f64::NAN };
        last.value / first.value
    };
    let growths: Vec<f64> =
        synthetic.iter().flat_map(|row| [&row.unrounded, &row.restoring].map(growth)).collect();
    let [low, high] = ends(&growths, |growth| *growth);
    let nearest = nearest(synthetic);
    let least =
        synthetic.iter().map(|row| row.unrounded.quarters[0].value).fold(f64::INFINITY, f64::min);
    let published = published::SYNTHETIC_LAST_QUARTER / published::SYNTHETIC_FIRST_QUARTER;
    Finding {
        claim: Claim::SyntheticQuarters,
        verdict: if holds([low, high], published) {
            Verdict::Undecided
        } else {
            Verdict::Corrected
        },
        brief: format!("growth of {low:.2} to {high:.2} times, by scale"),
        ours: format!(
            "nearest as above: {} unrounded and {} restoring; over all scales tried the last quarter has \
             from {low:.2} to {high:.2} times the error of the first, published {published:.2} times, \
             and the least first quarter is {}",
            quarters(&nearest.unrounded),
            quarters(&nearest.restoring),
            scientific(least),
        ),
        rule: format!(
            "as above, by the growth; the mean square over all quarters is that of the whole, so that \
             quarters from {} to {} do not belong to a whole of {} unless the middle ones are greater \
             than both",
            scientific(published::SYNTHETIC_FIRST_QUARTER),
            scientific(published::SYNTHETIC_LAST_QUARTER),
            scientific(published::SYNTHETIC_EXACT)
        ),
    }
}

/// The RMS error in each quarter of the streams.
pub fn quarters(divided: &Divided) -> String {
    let quarters = divided.quarters.iter().map(|quarter| scientific(quarter.value));
    quarters.collect::<Vec<_>>().join(", ")
}

fn synthetic_saturations(synthetic: &[Synthetic]) -> Finding {
    let saturating: Vec<&Synthetic> =
        synthetic.iter().filter(|row| row.restoring.saturations > 0).collect();
    let free = |row: &Synthetic| row.restoring.saturations == 0;
    Finding {
        claim: Claim::SyntheticSaturations,
        verdict: if saturating.is_empty() {
            Verdict::Confirmed
        } else if free(nearest(synthetic)) {
            Verdict::Undecided
        } else {
            Verdict::Corrected
        },
        brief: format!(
            "none in {} of {} distributions",
            synthetic.len() - saturating.len(),
            synthetic.len()
        ),
        ours: format!(
            "none in {} of {} distributions, among them the nearest as above: {}; otherwise {}",
            synthetic.len() - saturating.len(),
            synthetic.len(),
            if free(nearest(synthetic)) { "yes" } else { "no" },
            if saturating.is_empty() {
                "none".to_owned()
            } else {
                let rows = saturating.iter();
                let rows = rows.map(|row| {
                    format!("{} with {}", thousands(row.restoring.saturations), described(row))
                });
                rows.collect::<Vec<_>>().join("; ")
            }
        ),
        rule: "confirmed if nothing saturates at any scale, corrected if something does at the nearest"
            .to_owned(),
    }
}

fn slow_channels(figures: &Figures) -> Finding {
    let spectrum = &figures.spectrum;
    let same_size = spectrum.channels == published::CHANNELS;
    let counts = [spectrum.slow_by_half_life, spectrum.slow_by_e_life];
    Finding {
        claim: Claim::SlowChannels,
        verdict: if same_size {
            Verdict::of(counts.contains(&published::SLOW_CHANNELS))
        } else {
            Verdict::Undecided
        },
        brief: format!(
            "{} by half-life, {} by 1/e",
            thousands(spectrum.slow_by_half_life as u64),
            thousands(spectrum.slow_by_e_life as u64)
        ),
        ours: format!(
            "of {}, those with a half-life of more than {SLOW} tokens: {}; those that keep more than 1/e \
             for that long: {}",
            counted(spectrum.channels as u64, "channel"),
            thousands(spectrum.slow_by_half_life as u64),
            thousands(spectrum.slow_by_e_life as u64),
        ),
        rule: "for a model with as many channels: confirmed if one does, by either measure; what \
               remembering means is not stated"
            .to_owned(),
    }
}

/// The items of the least and of the greatest figure.
fn extremes<T>(items: &[T], figure: impl Fn(&T) -> f64) -> [&T; 2] {
    let by = |a: &&T, b: &&T| figure(a).total_cmp(&figure(b));
    let least = items.iter().min_by(by).expect("something was measured");
    let greatest = items.iter().max_by(by).expect("something was measured");
    [least, greatest]
}

/// The least and the greatest figure.
pub fn ends<T>(items: &[T], figure: impl Fn(&T) -> f64) -> [f64; 2] {
    extremes(items, &figure).map(figure)
}

fn holds([low, high]: [f64; 2], number: f64) -> bool {
    (low..=high).contains(&number)
}

fn is(arm: &Arm, spec: &str) -> bool {
    spec.parse::<Arithmetic>().is_ok_and(|spec| arm.spec == spec)
}

/// The distribution whose errors are nearest to the published ones, by their logarithms.
pub fn nearest(synthetic: &[Synthetic]) -> &Synthetic {
    let distance = |row: &Synthetic| {
        let off = |ours: Estimate, published: f64| (ours.value / published).ln().powi(2);
        off(row.unrounded.rms_error, published::SYNTHETIC_EXACT)
            + off(row.restoring.rms_error, published::SYNTHETIC_RESTORING)
    };
    extremes(synthetic, distance)[0]
}

/// A distribution in words.
pub fn described(Synthetic { distribution, .. }: &Synthetic) -> String {
    let (course, key, value) =
        (distribution.course, distribution.key_scale, distribution.value_scale);
    format!("{course} keys of RMS {key} and values of RMS {value}")
}

/// A figure with its interval in brackets.
pub fn estimate(estimate: Estimate, number: impl Fn(f64) -> String) -> String {
    match estimate.interval {
        Some([low, high]) => {
            format!("{} [{}, {}]", number(estimate.value), number(low), number(high))
        }
        None => number(estimate.value),
    }
}

/// Three significant digits and a power of ten: `5.70e-3`.
pub fn precise(number: f64) -> String {
    format!("{number:.2e}")
}

/// Two significant digits and a power of ten: `5.7e-3`.
pub fn scientific(number: f64) -> String {
    if number == 0.0 { "0".to_owned() } else { format!("{number:.1e}") }
}
