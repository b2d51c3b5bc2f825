//! Which format is committed, by a rule.
//!
//! Perplexity hardly tells the formats apart, so the rule goes by the divergence from the float
//! model (KL): take the formats whose KL is near the lowest, with confidence, and of these the one
//! with the fewest gates.

use serde::{Deserialize, Serialize};
use wkv::circuit::{Unit, build};
use wkv::{Arithmetic, WkvSpec};

use super::notation::{counted, percent, scientific, thousands};
use crate::failure::Failure;
use crate::published::Size;
use crate::sizes::size;
use crate::sweep::{Arm, FEWEST_DOCUMENTS, Sweep};

/// A candidate's KL may be this many times the lowest.
pub const KL_FACTOR: f64 = 2.0;

/// A candidate may raise the perplexity by this many percent.
pub const PERPLEXITY_LIMIT: f64 = 0.5;

/// How often the test that tells a circuit from the float model may take one for the other, each
/// way: false alarms, and misses.
pub const ERRORS: f64 = 0.05;

/// The standard normal distribution exceeds this with probability [`ERRORS`].
const NORMAL_QUANTILE: f64 = 1.644_853_626_951_472_7;

/// The committed format, and how it was chosen.
#[derive(Clone, Debug, Serialize)]
pub struct Choice {
    /// The format.
    pub committed: WkvSpec,
    /// The rule in words.
    pub rule: String,
    /// What it made of the candidates, in words.
    pub why: String,
    /// The greatest KL that passes, in nats a token.
    pub kl_limit: f64,
    /// The greatest rise in perplexity that passes, in percent.
    pub perplexity_limit: f64,
    /// Every format of the sweep.
    pub candidates: Vec<Candidate>,
}

/// A format that could be committed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Candidate {
    /// The format.
    pub spec: WkvSpec,
    /// Its cell.
    pub cell: Size,
    /// Mean KL to the float model, in nats a token.
    pub kl_mean: f64,
    /// Upper end of its 95% interval; the mean if there is no interval.
    pub kl_high: f64,
    /// Upper end of the 95% interval of the rise in perplexity, in percent; the rise itself if there
    /// is no interval.
    pub perplexity_high: f64,
    /// Whether the KL is near the lowest.
    pub kl_passes: bool,
    /// Whether the perplexity is near that of float.
    pub perplexity_passes: bool,
}

impl Candidate {
    /// Whether it may be committed.
    pub fn passes(&self) -> bool {
        self.kl_passes && self.perplexity_passes
    }

    /// What candidates are ordered by: gates, then depth.
    fn cost(&self) -> (usize, usize) {
        (self.cell.gates, self.cell.depth)
    }
}

impl Choice {
    /// Applies the rule to the arms of a sweep that have a circuit.
    pub fn make(sweep: &Sweep) -> Result<Self, Failure> {
        let circuits = || {
            sweep.arms.iter().filter_map(|arm| match arm.spec {
                Arithmetic::Float | Arithmetic::Exact(_) => None,
                Arithmetic::Fixed(spec) => Some((spec, arm)),
            })
        };
        let lowest = circuits().map(|(_, arm)| arm.kl_mean).fold(f64::INFINITY, f64::min);
        let kl_limit = KL_FACTOR * lowest;
        let fixed = circuits().map(|(spec, arm)| candidate(arm, spec, kl_limit));
        let candidates: Vec<Candidate> = fixed.collect::<Result<_, _>>()?;
        let committed = choose(&candidates).expect("every report measures fixed-point formats");
        Ok(Self {
            committed: committed.spec,
            rule: rule(),
            why: why(committed, &candidates, kl_limit, sweep),
            kl_limit,
            perplexity_limit: PERPLEXITY_LIMIT,
            candidates,
        })
    }

    /// The candidate that is committed.
    pub fn winner(&self) -> &Candidate {
        let is_committed = |candidate: &&Candidate| candidate.spec == self.committed;
        self.candidates.iter().find(is_committed).expect("a candidate is committed")
    }
}

/// The cheapest candidate that passes; if there is none, the one with the lowest KL.
fn choose(candidates: &[Candidate]) -> Option<&Candidate> {
    let passing = candidates.iter().filter(|candidate| candidate.passes());
    let cheapest = passing.min_by_key(|candidate| candidate.cost());
    cheapest.or_else(|| candidates.iter().min_by(|a, b| a.kl_mean.total_cmp(&b.kl_mean)))
}

fn candidate(arm: &Arm, spec: WkvSpec, kl_limit: f64) -> Result<Candidate, Failure> {
    let upper_end =
        |figure: f64, interval: Option<[f64; 2]>| interval.map_or(figure, |[_, high]| high);
    let kl_high = upper_end(arm.kl_mean, arm.kl_mean_interval);
    let (change, change_interval) = arm.perplexity_change();
    let perplexity_high = upper_end(change, change_interval);
    Ok(Candidate {
        spec,
        cell: size(&build(&spec, Unit::Cell)?),
        kl_mean: arm.kl_mean,
        kl_high,
        perplexity_high,
        kl_passes: kl_high <= kl_limit,
        perplexity_passes: perplexity_high <= PERPLEXITY_LIMIT,
    })
}

/// About how many tokens the best test needs to tell the circuit's predictions from the float
/// model's, with so many false alarms and so many misses as [`ERRORS`] says. To two digits; none
/// if the predictions are the same.
///
/// The best test goes by the log-likelihood ratio (Neyman and Pearson). If the distributions are
/// near, the ratio of a token has about the mean `KL` under one and `-KL` under the other, and the
/// variance `2 KL` under both. The sum over n tokens is about normal: its means are `2 n KL` apart,
/// which must be two quantiles `z` of deviation `sqrt(2 n KL)`. So `n = (2 z)^2 / (2 KL)`.
pub fn tokens_to_tell_apart(kl: f64) -> Option<u64> {
    if kl <= 0.0 {
        return None;
    }
    let tokens = (2.0 * NORMAL_QUANTILE).powi(2) / 2.0 / kl;
    let unit = 10f64.powf((tokens.log10().floor() - 1.0).max(0.0));
    Some(((tokens / unit).round() * unit) as u64)
}

fn rule() -> String {
    format!(
        "A format may be committed if its KL to the float model is at most {KL_FACTOR} times the \
         lowest in the sweep and it raises the perplexity by at most {PERPLEXITY_LIMIT}%, both by \
         the upper end of the 95% interval over documents, or by the figure itself for fewer than \
         {FEWEST_DOCUMENTS} documents. Of these, the cell with the fewest gates is committed; equal gates are decided by depth. If none qualifies, the lowest KL is."
    )
}

fn why(committed: &Candidate, candidates: &[Candidate], kl_limit: f64, sweep: &Sweep) -> String {
    let passing: Vec<&Candidate> = candidates.iter().filter(|c| c.passes()).collect();
    let of_all = format!("Of {} formats, {} may be committed", candidates.len(), passing.len());
    let limits = format!(
        "KL at most {} nats a token, perplexity at most {PERPLEXITY_LIMIT}% above float",
        scientific(kl_limit)
    );
    let gates = |candidate: &Candidate| {
        format!("{} with {} gates", candidate.spec, thousands(candidate.cell.gates as u64))
    };
    let others = passing.iter().filter(|candidate| candidate.spec != committed.spec);
    let next = others.min_by_key(|candidate| candidate.cost());
    let verdict = match (passing.is_empty(), next) {
        (true, _) => format!("{} has the lowest KL", gates(committed)),
        (false, None) => format!("it is {}", gates(committed)),
        (false, Some(next)) => {
            format!("the cheapest is {}, the next {}", gates(committed), gates(next))
        }
    };
    let arm = sweep.arm(Arithmetic::Fixed(committed.spec)).expect("the committed arm is measured");
    format!("{of_all} ({limits}); {verdict}. {}", consequences(arm, sweep))
}

/// What the committed format does to the model.
fn consequences(arm: &Arm, sweep: &Sweep) -> String {
    let (change, change_interval) = arm.perplexity_change();
    let apart = tokens_to_tell_apart(arm.kl_mean).map_or_else(
        || "no test can tell it from the float model".to_owned(),
        |tokens| {
            format!(
                "by the normal approximation of the log-likelihood ratio, the best test needs \
                 about {} to tell it from the float model with {errors}% false alarms and \
                 {errors}% misses",
                counted(tokens, "token"),
                errors = 100.0 * ERRORS,
            )
        },
    );
    format!(
        "Its KL is {}{} nats a token: {apart}. Perplexity changes by {}{}. Sums, output and state \
         saturated {} times in {} channel-steps.",
        scientific(arm.kl_mean),
        in_brackets(arm.kl_mean_interval, scientific),
        percent(change),
        in_brackets(change_interval, percent),
        thousands(arm.sum_saturations()),
        thousands(sweep.channel_steps),
    )
}

/// An interval as an insertion after its figure; nothing if there is none.
fn in_brackets(interval: Option<[f64; 2]>, number: impl Fn(f64) -> String) -> String {
    interval.map_or_else(String::new, |ends| {
        let [low, high] = ends.map(number);
        format!(" [{low}, {high}]")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(spec: &str, gates: usize, kl_mean: f64, passes: [bool; 2]) -> Candidate {
        Candidate {
            spec: spec.parse().expect("a spec"),
            cell: Size { gates, registers: 48, depth: 300 },
            kl_mean,
            kl_high: kl_mean,
            perplexity_high: 0.0,
            kl_passes: passes[0],
            perplexity_passes: passes[1],
        }
    }

    #[track_caller]
    fn assert_chosen(candidates: &[Candidate], spec: &str) {
        assert_eq!(choose(candidates).map(|chosen| chosen.spec.to_string()), Some(spec.to_owned()));
    }

    #[test]
    fn cheapest_that_passes_is_chosen() {
        let mut candidates = vec![
            candidate("classic:q7.9", 4000, 1e-4, [true, true]),
            candidate("classic:q8.8", 3500, 2e-4, [true, true]),
            candidate("classic:q9.7", 3000, 3e-4, [true, false]),
            candidate("classic:q10.6", 3000, 9e-4, [false, true]),
        ];
        assert_chosen(&candidates, "classic:q8.8");
        let shallow = Size { gates: 3500, registers: 48, depth: 200 };
        candidates[0].cell = shallow;
        assert_chosen(&candidates, "classic:q7.9");
    }

    #[test]
    fn lowest_divergence_is_chosen_if_none_passes() {
        let candidates = [
            candidate("classic:q8.8", 3500, 2e-4, [false, true]),
            candidate("classic:q7.9", 4000, 1e-4, [true, false]),
        ];
        assert_chosen(&candidates, "classic:q7.9");
    }

    #[test]
    fn tokens_to_tell_apart_are_round() {
        let tokens = [1.5e-4, 5.4e-3, 0.5].map(tokens_to_tell_apart);
        assert_eq!(tokens, [Some(36_000), Some(1_000), Some(11)]);
    }

    #[test]
    fn the_same_predictions_are_never_told_apart() {
        assert_eq!([0.0, -1e-18].map(tokens_to_tell_apart), [None, None]);
    }

    /// The error of the test that decides by the sum of log-likelihood ratios, computed exactly for
    /// two coins that are near.
    #[test]
    fn tokens_to_tell_apart_give_the_errors_that_they_are_said_to() {
        let (p, q) = (0.5_f64, 0.52_f64);
        let kl = p * (p / q).ln() + (1.0 - p) * ((1.0 - p) / (1.0 - q)).ln();
        let n = tokens_to_tell_apart(kl).expect("they differ");
        // Heads at which both coins are as likely.
        let threshold =
            n as f64 * ((1.0 - p) / (1.0 - q)).ln() / ((q * (1.0 - p)) / (p * (1.0 - q))).ln();
        // By the recursion of binomial probabilities in logarithms.
        let at_least_threshold = |p: f64| {
            let mut log = n as f64 * (1.0 - p).ln();
            let mut above = 0.0;
            for heads in 0..=n {
                if heads as f64 >= threshold {
                    above += log.exp();
                }
                log += ((n - heads) as f64 / (heads + 1) as f64).ln() + (p / (1.0 - p)).ln();
            }
            above
        };
        let (false_alarms, misses) = (at_least_threshold(p), 1.0 - at_least_threshold(q));
        for errors in [false_alarms, misses] {
            assert!((errors - ERRORS).abs() < 0.003, "{false_alarms}, {misses}");
        }
    }
}
