//! Arithmetics of the recurrence against the reference, in one pass over the text.

use std::ops::AddAssign;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use wkv::stats::{Counts, ErrorStats};
use wkv::{Numerics, Recurrence};

use super::bootstrap::{Bootstrap, Interval};
use super::{EvalError, Meter, OnProgress, Sequence, predicted_tokens};
use crate::model::{Attention, Model, State};
use crate::softmax::{Prediction, log_sum_exp, most_likely, surprise};

/// First position of each bucket of positions; token 0 at the start of a document has position 0.
pub const POSITION_BUCKETS: [usize; 4] = [0, 32, 128, 256];

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

/// What one arm predicted on one document, and how far from the reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DocumentResult {
    /// Negative log likelihood, summed over predicted tokens, in nats.
    pub nll: f64,
    /// Kullback-Leibler divergence of the arm's predictions from the reference's, summed over
    /// predicted tokens, in nats.
    pub kl: f64,
    /// The greatest divergence at a predicted token.
    pub kl_max: f64,
    /// Predicted tokens for which arm and reference hold the same token most likely.
    pub top1_agreements: u64,
}

/// Errors of one block in each bucket of positions.
pub type PositionErrors = [ErrorStats; POSITION_BUCKETS.len()];

/// What one arm gave on a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArmResult {
    /// The arm's name.
    pub label: String,
    /// One result a document.
    pub documents: Vec<DocumentResult>,
    /// Error of the recurrence's output per block and bucket of positions, when it is fed the keys
    /// and values of the reference model.
    pub errors: Vec<PositionErrors>,
    /// Saturations and underflows per block, with the arm inside the model.
    pub counts: Vec<Counts>,
}

/// Arms against the reference on one text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Number of predicted tokens of each document.
    pub tokens: Vec<u64>,
    /// The reference's negative log likelihood of each document, in nats.
    pub reference_nll: Vec<f64>,
    /// Size of the reference's output per block and bucket of positions, that is, its difference
    /// from zero.
    pub signal: Vec<PositionErrors>,
    /// The arms, in the order given.
    pub arms: Vec<ArmResult>,
}

/// Runs the reference and every arm over tokenized documents.
///
/// The reference runs once. Each arm runs twice: inside the model, for its predictions, and on the
/// keys and values of the reference model, for the error of its output alone. The reference's
/// output is rounded to f32 before it is compared.
///
/// # Errors
/// If there are no documents, or `on_progress` asked to stop.
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
    for batch in documents.chunks(BATCH) {
        let results: Vec<Comparison> = batch
            .par_iter()
            .map(|document| compare_document(model, reference, arms, document, &meter))
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
    meter: &Meter,
) -> Result<Comparison, EvalError> {
    let mut run = DocumentRun::new(model, reference, arms);
    for (inputs, targets) in Sequence::new(document).chunks() {
        run.advance(inputs, targets);
        meter.advance(inputs.len())?;
    }
    Ok(run.finish(predicted_tokens(document)))
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

impl Comparison {
    /// Nothing compared yet.
    fn new(blocks: usize, arms: &[Arm]) -> Self {
        let errors = vec![PositionErrors::default(); blocks];
        Self {
            tokens: Vec::new(),
            reference_nll: Vec::new(),
            signal: errors.clone(),
            arms: arms
                .iter()
                .map(|arm| ArmResult {
                    label: arm.label.to_owned(),
                    documents: Vec::new(),
                    errors: errors.clone(),
                    counts: vec![Counts::default(); blocks],
                })
                .collect(),
        }
    }

    /// Number of predicted tokens.
    pub fn predicted_tokens(&self) -> u64 {
        self.tokens.iter().sum()
    }

    /// The reference's perplexity.
    pub fn reference_perplexity(&self) -> f64 {
        self.mean(|document| self.reference_nll[document]).exp()
    }

    /// The interval of the reference's perplexity.
    pub fn reference_perplexity_interval(&self, bootstrap: Bootstrap) -> Interval {
        self.interval(bootstrap, f64::exp, |document| self.reference_nll[document])
    }

    /// Root of the mean squared output of the reference's recurrence, over all blocks.
    pub fn signal_rms(&self) -> f64 {
        overall(&self.signal).rms()
    }

    /// An arm's perplexity.
    pub fn perplexity(&self, arm: &ArmResult) -> f64 {
        self.mean(|document| arm.documents[document].nll).exp()
    }

    /// The interval of an arm's perplexity.
    pub fn perplexity_interval(&self, arm: &ArmResult, bootstrap: Bootstrap) -> Interval {
        self.interval(bootstrap, f64::exp, |document| arm.documents[document].nll)
    }

    /// An arm's perplexity divided by the reference's.
    pub fn perplexity_ratio(&self, arm: &ArmResult) -> f64 {
        self.mean(|document| self.nll_change(arm, document)).exp()
    }

    /// The paired interval of [`Comparison::perplexity_ratio`].
    pub fn perplexity_ratio_interval(&self, arm: &ArmResult, bootstrap: Bootstrap) -> Interval {
        self.interval(bootstrap, f64::exp, |document| self.nll_change(arm, document))
    }

    /// Mean divergence of an arm from the reference at a predicted token, in nats.
    pub fn kl_mean(&self, arm: &ArmResult) -> f64 {
        self.mean(|document| arm.documents[document].kl)
    }

    /// The interval of [`Comparison::kl_mean`].
    pub fn kl_mean_interval(&self, arm: &ArmResult, bootstrap: Bootstrap) -> Interval {
        self.interval(bootstrap, |mean| mean, |document| arm.documents[document].kl)
    }

    /// Share of predicted tokens for which arm and reference hold the same token most likely.
    pub fn top1_agreement(&self, arm: &ArmResult) -> f64 {
        self.mean(|document| arm.documents[document].top1_agreements as f64)
    }

    /// The interval of [`Comparison::top1_agreement`].
    pub fn top1_agreement_interval(&self, arm: &ArmResult, bootstrap: Bootstrap) -> Interval {
        let agreements = |document: usize| arm.documents[document].top1_agreements as f64;
        self.interval(bootstrap, |mean| mean, agreements)
    }

    fn nll_change(&self, arm: &ArmResult, document: usize) -> f64 {
        arm.documents[document].nll - self.reference_nll[document]
    }

    /// A document's `sum` over predicted tokens, averaged over all of them.
    fn mean(&self, sum: impl Fn(usize) -> f64) -> f64 {
        (0..self.tokens.len()).map(sum).sum::<f64>() / self.predicted_tokens() as f64
    }

    /// The interval of a function of such a mean.
    fn interval(
        &self,
        bootstrap: Bootstrap,
        figure: impl Fn(f64) -> f64,
        sum: impl Fn(usize) -> f64,
    ) -> Interval {
        bootstrap.interval(self.tokens.len(), |times| {
            let (mut total, mut tokens) = (0.0, 0.0);
            for (document, &times) in times.iter().enumerate() {
                total += f64::from(times) * sum(document);
                tokens += f64::from(times) * self.tokens[document] as f64;
            }
            figure(total / tokens)
        })
    }
}

impl ArmResult {
    /// The greatest divergence from the reference at a predicted token, in nats.
    pub fn kl_max(&self) -> f64 {
        self.documents.iter().fold(0.0, |greatest, document| document.kl_max.max(greatest))
    }

    /// Error of the recurrence's output over all blocks and positions.
    pub fn error(&self) -> ErrorStats {
        overall(&self.errors)
    }

    /// Error of each block's output over all positions.
    pub fn errors_by_block(&self) -> Vec<ErrorStats> {
        self.errors.iter().map(|positions| positions.iter().copied().sum()).collect()
    }

    /// Error in each bucket of positions over all blocks.
    pub fn errors_by_position(&self) -> PositionErrors {
        let mut sums = PositionErrors::default();
        for positions in &self.errors {
            add(&mut sums, positions);
        }
        sums
    }
}

/// The sum over all blocks and positions.
fn overall(errors: &[PositionErrors]) -> ErrorStats {
    errors.iter().flatten().copied().sum()
}

/// Adds element by element.
fn add<T: AddAssign + Copy>(sums: &mut [T], others: &[T]) {
    for (sum, &other) in sums.iter_mut().zip(others) {
        *sum += other;
    }
}

impl AddAssign for Comparison {
    /// Appends the documents of another comparison of the same arms.
    fn add_assign(&mut self, other: Self) {
        self.tokens.extend(other.tokens);
        self.reference_nll.extend(other.reference_nll);
        add_errors(&mut self.signal, &other.signal);
        for (arm, other) in self.arms.iter_mut().zip(other.arms) {
            arm.documents.extend(other.documents);
            add_errors(&mut arm.errors, &other.errors);
            add(&mut arm.counts, &other.counts);
        }
    }
}

fn add_errors(sums: &mut [PositionErrors], others: &[PositionErrors]) {
    for (sum, other) in sums.iter_mut().zip(others) {
        add(sum, other);
    }
}
