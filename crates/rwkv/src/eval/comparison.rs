//! What arms gave beside the reference, in parts that add up, and the figures made of them.

use std::borrow::Borrow;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};
use wkv::stats::{Counts, ErrorStats};

use super::bootstrap::{Bootstrap, Interval};

/// First position of each bucket of positions; token 0 at the start of a document has position 0.
/// The last bucket has no end.
pub const POSITION_BUCKETS: [usize; 12] =
    [0, 32, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536];

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

/// What the reference gave on one sequence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReferencePart {
    /// Number of predicted tokens.
    pub tokens: u64,
    /// Negative log likelihood, summed over predicted tokens, in nats.
    pub nll: f64,
    /// Size of the recurrence's output per block and bucket of positions, that is, its difference
    /// from zero.
    pub signal: Vec<PositionErrors>,
}

/// What one arm gave on one sequence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArmPart {
    /// What it predicted.
    pub result: DocumentResult,
    /// Error of the recurrence's output per block and bucket of positions, when it is fed the keys
    /// and values of the reference model.
    pub errors: Vec<PositionErrors>,
    /// Saturations and underflows per block, with the arm inside the model.
    pub counts: Vec<Counts>,
}

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

impl Comparison {
    /// Nothing compared yet, of arms with these names.
    pub fn new<'a>(labels: impl IntoIterator<Item = &'a str>) -> Self {
        let arm = |label: &str| ArmResult {
            label: label.to_owned(),
            documents: Vec::new(),
            errors: Vec::new(),
            counts: Vec::new(),
        };
        Self {
            tokens: Vec::new(),
            reference_nll: Vec::new(),
            signal: Vec::new(),
            arms: labels.into_iter().map(arm).collect(),
        }
    }

    /// Appends a document, or another sequence: what the reference gave on it, and every arm.
    ///
    /// Sums depend on the order of the documents in their last bits.
    ///
    /// # Panics
    /// If there is not one part for every arm.
    pub fn push(&mut self, reference: &ReferencePart, arms: &[impl Borrow<ArmPart>]) {
        assert_eq!(self.arms.len(), arms.len(), "a part for every arm");
        self.tokens.push(reference.tokens);
        self.reference_nll.push(reference.nll);
        add_errors(&mut self.signal, &reference.signal);
        for (arm, part) in self.arms.iter_mut().zip(arms) {
            let ArmPart { result, errors, counts } = part.borrow();
            arm.documents.push(*result);
            add_errors(&mut arm.errors, errors);
            arm.counts.resize(counts.len(), Counts::default());
            add(&mut arm.counts, counts);
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

    /// Size of the output of the reference's recurrence, over all blocks and positions.
    pub fn signal(&self) -> ErrorStats {
        overall(&self.signal)
    }

    /// Root of the mean squared output of the reference's recurrence, over all blocks.
    pub fn signal_rms(&self) -> f64 {
        self.signal().rms()
    }

    /// Size of each block's output in the reference, over all positions.
    pub fn signal_by_block(&self) -> Vec<ErrorStats> {
        by_block(&self.signal)
    }

    /// Size of the reference's output in each bucket of positions, over all blocks.
    pub fn signal_by_position(&self) -> PositionErrors {
        by_position(&self.signal)
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
        by_block(&self.errors)
    }

    /// Error in each bucket of positions over all blocks.
    pub fn errors_by_position(&self) -> PositionErrors {
        by_position(&self.errors)
    }
}

/// The sum over all blocks and positions.
fn overall(errors: &[PositionErrors]) -> ErrorStats {
    errors.iter().flatten().copied().sum()
}

fn by_block(errors: &[PositionErrors]) -> Vec<ErrorStats> {
    errors.iter().map(|positions| positions.iter().copied().sum()).collect()
}

fn by_position(errors: &[PositionErrors]) -> PositionErrors {
    let mut sums = PositionErrors::default();
    for positions in errors {
        add(&mut sums, positions);
    }
    sums
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
            arm.counts.resize(other.counts.len(), Counts::default());
            add(&mut arm.counts, &other.counts);
        }
    }
}

fn add_errors(sums: &mut Vec<PositionErrors>, others: &[PositionErrors]) {
    sums.resize(others.len(), PositionErrors::default());
    for (sum, other) in sums.iter_mut().zip(others) {
        add(sum, other);
    }
}
