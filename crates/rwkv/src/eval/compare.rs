//! Runs arithmetics of the recurrence beside the reference, in one pass over the text.

use rayon::prelude::*;
use wkv::stats::ErrorStats;
use wkv::{Numerics, Recurrence};

use super::comparison::{ArmResult, Comparison, DocumentResult, POSITION_BUCKETS, PositionErrors};
use super::{EvalError, Meter, OnProgress, Sequence, check_perplexity, predicted_tokens};
use crate::model::{Attention, Model, State};
use crate::softmax::{Prediction, log_sum_exp, most_likely, surprise};

/// Documents whose results are kept apart until they are added up in order.
const BATCH: usize = 1024;

/// An arithmetic to be compared with the reference.
#[derive(Clone, Copy)]
pub struct Arm<'a> {
    /// Its name in the result.
    pub label: &'a str,
    /// The arithmetic.
    pub numerics: &'a dyn Numerics,
}

/// Runs the reference and every arm over tokenized documents.
///
/// The reference runs once. Each arm runs twice: inside the model, for its predictions, and on the
/// keys and values of the reference model, for the error of its output alone. The reference's
/// output is rounded to f32 before it is compared.
///
/// # Errors
/// If there are no documents, a perplexity is not finite, or `on_progress` asked to stop.
///
/// # Panics
/// If a token is outside the model's vocabulary.
pub fn compare(
    model: &Model,
    reference: &dyn Numerics,
    arms: &[Arm],
    documents: &[Vec<u32>],
    on_progress: OnProgress,
) -> Result<Comparison, EvalError> {
    let meter = Meter::new(documents, on_progress)?;
    let mut comparison = Comparison::new(model.sizes().blocks, arms);
    for (batch, first) in documents.chunks(BATCH).zip((1..).step_by(BATCH)) {
        let results: Vec<Comparison> = batch
            .par_iter()
            .enumerate()
            .map(|(number, document)| {
                compare_document(model, reference, arms, document, first + number, &meter)
            })
            .collect::<Result<_, _>>()?;
        for result in results {
            comparison += result;
        }
    }
    Ok(comparison)
}

fn compare_document(
    model: &Model,
    reference: &dyn Numerics,
    arms: &[Arm],
    document: &[u32],
    number: usize,
    meter: &Meter,
) -> Result<Comparison, EvalError> {
    let mut run = DocumentRun::new(model, reference, arms);
    for (inputs, targets) in Sequence::new(document).chunks() {
        run.advance(inputs, targets);
        meter.advance(inputs.len())?;
    }
    let tokens = predicted_tokens(document);
    run.check_perplexities(tokens, number)?;
    Ok(run.finish(tokens))
}

/// All arms on one document, some way into it.
struct DocumentRun<'a> {
    model: &'a Model,
    reference: State,
    /// Position of the next token.
    position: usize,
    reference_nll: f64,
    signal: Vec<PositionErrors>,
    arms: Vec<ArmRun>,
}

struct ArmRun {
    label: String,
    /// The arm inside the model.
    state: State,
    /// The arm outside the model, on the reference's keys and values; one bank a block.
    banks: Vec<Box<dyn Recurrence>>,
    result: DocumentResult,
    errors: Vec<PositionErrors>,
}

impl<'a> DocumentRun<'a> {
    fn new(model: &'a Model, reference: &dyn Numerics, arms: &[Arm]) -> Self {
        let errors = vec![PositionErrors::default(); model.sizes().blocks];
        let arm_run = |arm: &Arm| ArmRun {
            label: arm.label.to_owned(),
            state: model.start(arm.numerics),
            banks: model.banks(arm.numerics),
            result: DocumentResult::default(),
            errors: errors.clone(),
        };
        Self {
            model,
            reference: model.start(reference),
            position: 0,
            reference_nll: 0.0,
            signal: errors.clone(),
            arms: arms.iter().map(arm_run).collect(),
        }
    }

    fn advance(&mut self, inputs: &[u32], targets: &[u32]) {
        let predictions = self.advance_reference(inputs, targets);
        for arm in &mut self.arms {
            arm.predict(self.model, inputs, targets, &predictions);
        }
        self.position += inputs.len();
    }

    /// Runs the reference, and every arm's banks on its keys and values.
    fn advance_reference(&mut self, inputs: &[u32], targets: &[u32]) -> Vec<Prediction> {
        let channels = self.model.sizes().channels;
        let (position, signal, arms) = (self.position, &mut self.signal, &mut self.arms);
        let hidden = self.model.hidden(inputs, &mut self.reference, |attention| {
            let zeros = vec![0.0; attention.out.len()];
            let Attention { block, k, v, out } = attention;
            record(&mut signal[block], position, channels, &zeros, out);
            for arm in &mut *arms {
                let mut arm_out = vec![0.0; out.len()];
                arm.banks[block].run(k, v, &mut arm_out);
                record(&mut arm.errors[block], position, channels, out, &arm_out);
            }
        });
        let logits = self.model.logits(&hidden);
        logits
            .chunks_exact(self.model.sizes().vocabulary)
            .zip(targets)
            .map(|(logits, &target)| {
                let log_sum_exp = log_sum_exp(logits);
                self.reference_nll += surprise(logits, log_sum_exp, target);
                Prediction::new(logits, log_sum_exp)
            })
            .collect()
    }

    fn check_perplexities(&self, tokens: u64, document: usize) -> Result<(), EvalError> {
        check_perplexity(self.reference_nll, tokens, document, None)?;
        self.arms.iter().try_for_each(|ArmRun { label, result, .. }| {
            // An infinite logit of another token than the target shows in the divergence alone.
            let nll = if result.kl.is_finite() { result.nll } else { f64::NAN };
            check_perplexity(nll, tokens, document, Some(label))
        })
    }

    fn finish(self, tokens: u64) -> Comparison {
        Comparison {
            tokens: vec![tokens],
            reference_nll: vec![self.reference_nll],
            signal: self.signal,
            arms: self.arms.into_iter().map(ArmRun::finish).collect(),
        }
    }
}

impl ArmRun {
    /// Runs the arm inside the model and sets its predictions beside the reference's.
    fn predict(
        &mut self,
        model: &Model,
        inputs: &[u32],
        targets: &[u32],
        predictions: &[Prediction],
    ) {
        let logits = model.forward(inputs, &mut self.state);
        let logits = logits.chunks_exact(model.sizes().vocabulary);
        for ((logits, &target), prediction) in logits.zip(targets).zip(predictions) {
            let log_sum_exp = log_sum_exp(logits);
            let kl = prediction.divergence(logits, log_sum_exp);
            let agrees = most_likely(logits) == prediction.most_likely;
            self.result.nll += surprise(logits, log_sum_exp, target);
            self.result.kl += kl;
            self.result.kl_max = self.result.kl_max.max(kl);
            self.result.top1_agreements += u64::from(agrees);
        }
    }

    fn finish(self) -> ArmResult {
        ArmResult {
            label: self.label,
            documents: vec![self.result],
            errors: self.errors,
            counts: self.state.counts(),
        }
    }
}

/// Adds the errors of whole tokens, the first of which is at `position`, to their buckets.
fn record(
    errors: &mut PositionErrors,
    position: usize,
    channels: usize,
    reference: &[f32],
    values: &[f32],
) {
    let tokens = reference.chunks_exact(channels).zip(values.chunks_exact(channels));
    for (token, (reference, values)) in tokens.enumerate() {
        let bucket = POSITION_BUCKETS.partition_point(|&first| first <= position + token) - 1;
        errors[bucket] += ErrorStats::between(reference, values);
    }
}
