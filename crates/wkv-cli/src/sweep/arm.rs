//! What one arithmetic costs the model.

use rwkv::eval::{ArmResult, Bootstrap, Comparison, DocumentResult, Interval};
use serde::{Deserialize, Serialize};
use wkv::Arithmetic;
use wkv::stats::{Counts, InputSaturations, Saturations, Underflows};

use super::ArmName;
use super::error::{BlockError, PositionError, relative};
use crate::engine::Engine;

/// With fewer documents than this, resampling them says nothing, and there are no intervals.
pub const FEWEST_DOCUMENTS: usize = 10;

/// What one arithmetic costs. Intervals are of 95%, by bootstrap over documents; there are none for
/// fewer than [`FEWEST_DOCUMENTS`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arm {
    /// The arithmetic.
    pub spec: Arithmetic,
    /// What computed it.
    pub engine: Engine,
    /// e to the mean negative log likelihood of a predicted token.
    pub perplexity: f64,
    /// The interval of the perplexity paired with the float model: that of the ratio, times the
    /// float model's perplexity.
    pub perplexity_interval: Option<[f64; 2]>,
    /// The perplexity divided by the float model's.
    pub perplexity_ratio: f64,
    /// The paired interval of that ratio.
    pub perplexity_ratio_interval: Option<[f64; 2]>,
    /// Mean Kullback-Leibler divergence from the float model at a predicted token, in nats.
    pub kl_mean: f64,
    /// Its interval.
    pub kl_mean_interval: Option<[f64; 2]>,
    /// The greatest such divergence at any token.
    pub kl_max: f64,
    /// Share of tokens for which arm and float model hold the same token most likely.
    pub top1_agreement: f64,
    /// Root of the mean squared error of the recurrence's output on the keys and values of the
    /// float model.
    pub rms_error: f64,
    /// The greatest such error.
    pub max_error: f64,
    /// `rms_error` divided by the RMS of the float model's output.
    pub relative_rms_error: f64,
    /// `max_error` divided by the RMS of the float model's output.
    pub relative_max_error: f64,
    /// Saturations of registers and sums.
    pub saturations: Saturations,
    /// Saturations of the quantised inputs.
    pub input_saturations: InputSaturations,
    /// Exponentials that became 0.
    pub underflows: u64,
    /// The same by exponential.
    pub underflows_by_exponential: Underflows,
    /// The error and the losses of each block.
    pub by_block: Vec<BlockError>,
    /// The error by the place of a token in its document, over all blocks.
    pub by_position: Vec<PositionError>,
    /// What it predicted on each document.
    #[serde(skip)]
    pub documents: Vec<DocumentResult>,
}

impl Arm {
    /// Its name.
    pub fn name(&self) -> ArmName {
        ArmName { spec: self.spec, engine: self.engine }
    }

    /// The figures of one arm of a comparison.
    pub fn of(
        spec: Arithmetic,
        engine: Engine,
        comparison: &Comparison,
        result: &ArmResult,
    ) -> Self {
        let bootstrap = Bootstrap::default();
        let enough = comparison.tokens.len() >= FEWEST_DOCUMENTS;
        let ratio = enough.then(|| ends(comparison.perplexity_ratio_interval(result, bootstrap)));
        let float_perplexity = comparison.reference_perplexity();
        let counts: Counts = result.counts.iter().copied().sum();
        let (error, signal) = (result.error(), comparison.signal());
        Self {
            spec,
            engine,
            perplexity: comparison.perplexity(result),
            perplexity_interval: ratio.map(|ends| ends.map(|ratio| ratio * float_perplexity)),
            perplexity_ratio: comparison.perplexity_ratio(result),
            perplexity_ratio_interval: ratio,
            kl_mean: comparison.kl_mean(result),
            kl_mean_interval: enough.then(|| ends(comparison.kl_mean_interval(result, bootstrap))),
            kl_max: result.kl_max(),
            top1_agreement: comparison.top1_agreement(result),
            rms_error: error.rms(),
            max_error: error.max_abs,
            relative_rms_error: relative(error.rms(), &signal),
            relative_max_error: relative(error.max_abs, &signal),
            saturations: counts.saturations,
            input_saturations: counts.inputs,
            underflows: counts.underflows.total(),
            underflows_by_exponential: counts.underflows,
            by_block: BlockError::all(comparison, result),
            by_position: PositionError::all(
                &result.errors_by_position(),
                &comparison.signal_by_position(),
            ),
            documents: result.documents.clone(),
        }
    }

    /// How often the numerator, the denominator, the output or a register of the state saturated.
    pub fn sum_saturations(&self) -> u64 {
        let Saturations { num, den, out, aa, bb, .. } = self.saturations;
        num + den + out + aa + bb
    }

    /// How many percent its perplexity lies above the float model's, with the interval.
    pub fn perplexity_change(&self) -> (f64, Option<[f64; 2]>) {
        let percent = |ratio: f64| 100.0 * (ratio - 1.0);
        let interval = self.perplexity_ratio_interval.map(|ends| ends.map(percent));
        (percent(self.perplexity_ratio), interval)
    }
}

fn ends(interval: Interval) -> [f64; 2] {
    [interval.low, interval.high]
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use rwkv::eval::{self, compare};

    use super::*;
    use crate::embedded;

    #[test]
    fn figures_survive_json() {
        let (_, language_model) = embedded::language_model(None).expect("it is embedded");
        let spec: Arithmetic = "classic:q10.6".parse().expect("a spec");
        let arm = eval::Arm { label: "q10.6", numerics: &spec };
        let documents = [vec![5; 40]];
        let go_on = &|_| ControlFlow::Continue(());
        let comparison =
            compare(&language_model.model, &Arithmetic::Float, &[arm], &documents, go_on)
                .expect("nothing stops it");
        let arm = Arm::of(spec, Engine::Fixed, &comparison, &comparison.arms[0]);
        let text = serde_json::to_string(&arm).expect("it serialises");
        let back: Arm = serde_json::from_str(&text).expect("it parses");
        // The parser may miss the last bit of a number.
        assert!((back.kl_mean / arm.kl_mean - 1.0).abs() < 1e-14);
        assert_eq!((back.spec, back.saturations), (arm.spec, arm.saturations));
        let places = |arm: &Arm| -> Vec<_> {
            let cells = arm.by_block.iter().flat_map(|block| &block.by_position);
            cells.map(|cell| (cell.from, cell.to, cell.values)).collect()
        };
        assert_eq!(places(&back), places(&arm));
    }
}
