//! How well a model predicts text, and what an arithmetic changes about it.
//!
//! Each document is a [`Sequence`] of its own: token 0, the document's tokens, token 0; or documents
//! are strung together. Every token but the first is predicted. Sequences run in parallel; each
//! runs in chunks with the state carried on, so memory does not grow with their length. Results do
//! not depend on the number of threads.

mod bootstrap;
mod compare;
mod comparison;
mod sequence;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use wkv::Numerics;

use crate::model::Model;
use crate::softmax::{Prediction, log_sum_exp, surprise};

pub use bootstrap::{Bootstrap, Interval};
pub use compare::{Arm, Part, Task, compare, measure};
pub use comparison::{
    ArmPart, ArmResult, Comparison, DocumentResult, POSITION_BUCKETS, PositionErrors, ReferencePart,
};
pub use sequence::Sequence;

/// Tokens of a sequence that [`evaluate`] takes through the model together.
pub const CHUNK: usize = 256;

/// An evaluation that gave no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// There is nothing to predict.
    #[error("no documents to evaluate; expected at least one")]
    NoDocuments,
    /// The predictions on a document are infinite, not a number, or too far off for a perplexity.
    #[error(
        "the perplexity{} on document {document} is not finite; expected a model with weights of \
         the usual size",
        .arm.as_ref().map_or_else(String::new, |arm| format!(" of {arm}"))
    )]
    NotFinite {
        /// The document, counted from 1.
        document: usize,
        /// The label of the arm; none for the reference, or if there is only one arithmetic.
        arm: Option<String>,
    },
    /// The progress callback asked to stop.
    #[error("the evaluation was stopped")]
    Stopped,
}

/// How far an evaluation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Tokens predicted so far, by every arm.
    pub done: u64,
    /// Tokens to predict.
    pub total: u64,
}

/// Called after each chunk, from several threads; `Break` stops the evaluation.
pub type OnProgress<'a> = &'a (dyn Fn(Progress) -> ControlFlow<()> + Sync);

/// How well a model predicts a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Number of predicted tokens of each document.
    pub tokens: Vec<u64>,
    /// Negative log likelihood of each document, summed over its predicted tokens, in nats.
    pub nll: Vec<f64>,
}

impl Evaluation {
    /// Number of predicted tokens.
    pub fn predicted_tokens(&self) -> u64 {
        self.tokens.iter().sum()
    }

    /// e to the mean negative log likelihood over all predicted tokens.
    pub fn perplexity(&self) -> f64 {
        (self.nll.iter().sum::<f64>() / self.predicted_tokens() as f64).exp()
    }
}

/// The perplexity of `model` with `numerics` on tokenized documents.
///
/// # Errors
/// If there are no documents, a perplexity is not finite, or `on_progress` asked to stop.
///
/// # Panics
/// If a token is outside the model's vocabulary.
pub fn evaluate(
    model: &Model,
    numerics: &dyn Numerics,
    documents: &[Vec<u32>],
    on_progress: OnProgress,
) -> Result<Evaluation, EvalError> {
    let sequences = Sequence::of_documents(documents);
    let meter = Meter::new(&sequences, on_progress)?;
    let nll = sequences
        .par_iter()
        .enumerate()
        .map(|(number, sequence)| sequence_nll(model, numerics, sequence, number + 1, &meter))
        .collect::<Result<_, _>>()?;
    Ok(Evaluation { tokens: sequences.iter().map(Sequence::predicted_tokens).collect(), nll })
}

fn sequence_nll(
    model: &Model,
    numerics: &dyn Numerics,
    sequence: &Sequence,
    number: usize,
    meter: &Meter,
) -> Result<f64, EvalError> {
    let mut state = model.start(numerics);
    let mut nll = 0.0;
    for (inputs, targets) in sequence.chunks(CHUNK) {
        let logits = model.forward(inputs, &mut state);
        for (logits, &target) in logits.chunks_exact(model.sizes().vocabulary).zip(targets) {
            nll += surprise(logits, log_sum_exp(logits), target);
        }
        meter.advance(inputs.len())?;
    }
    check_perplexity(nll, sequence.predicted_tokens(), number, None)?;
    Ok(nll)
}

/// Refuses the negative log likelihood of a document unless its perplexity is finite; then that of
/// all documents together is.
fn check_perplexity(
    nll: f64,
    tokens: u64,
    document: usize,
    arm: Option<&str>,
) -> Result<(), EvalError> {
    if (nll / tokens as f64).exp().is_finite() {
        return Ok(());
    }
    Err(EvalError::NotFinite { document, arm: arm.map(str::to_owned) })
}

/// The Kullback-Leibler divergence of the prediction `logits` from the `reference`, in nats.
pub fn divergence(reference: &[f32], logits: &[f32]) -> f64 {
    Prediction::new(reference, log_sum_exp(reference)).divergence(logits, log_sum_exp(logits))
}

/// The first documents that together have at least `predicted_tokens` tokens to predict, or all.
pub fn first_documents(documents: &[Vec<u32>], at_least: u64) -> &[Vec<u32>] {
    let mut tokens = 0;
    let count = documents
        .iter()
        .take_while(|document| {
            let wanted = tokens < at_least;
            tokens += predicted_tokens(document);
            wanted
        })
        .count();
    &documents[..count]
}

/// Tokens to predict in a document: its own and the one that ends it.
pub fn predicted_tokens(document: &[u32]) -> u64 {
    document.len() as u64 + 1
}

/// Counts predicted tokens over all threads and asks whether to go on.
struct Meter<'a> {
    done: AtomicU64,
    total: u64,
    on_progress: OnProgress<'a>,
}

impl<'a> Meter<'a> {
    fn new<'s>(
        sequences: impl IntoIterator<Item = &'s Sequence>,
        on_progress: OnProgress<'a>,
    ) -> Result<Self, EvalError> {
        // A sequence without a token to predict would have no perplexity.
        let total = sequences.into_iter().map(Sequence::predicted_tokens).sum();
        match total {
            0 => Err(EvalError::NoDocuments),
            _ => Ok(Self { done: AtomicU64::new(0), total, on_progress }),
        }
    }

    fn advance(&self, tokens: usize) -> Result<(), EvalError> {
        let tokens = tokens as u64;
        let done = self.done.fetch_add(tokens, Ordering::Relaxed) + tokens;
        let total = self.total;
        match (self.on_progress)(Progress { done, total }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(EvalError::Stopped),
        }
    }
}
