//! The whole text through the model with the circuit's gates in it.

use std::iter;

use rwkv::eval::{Progress, evaluate};
use serde::{Deserialize, Serialize};
use wkv::WkvSpec;
use wkv::circuit::gates::Gates;

use super::subject::Subject;
use crate::context::Context;
use crate::failure::Failure;
use crate::sweep::Arm;

/// How the model with the gates compares with the same model on the integer model, bit for bit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModelRun {
    /// Number of documents.
    pub documents: usize,
    /// Number of predicted tokens.
    pub tokens: u64,
    /// Steps of the simulated cell.
    pub channel_steps: u64,
    /// Documents whose likelihood differs in any bit.
    pub mismatches: usize,
    /// Perplexity with the gates.
    pub perplexity: f64,
}

impl ModelRun {
    /// Runs the gates of `spec` in the model and compares with `arm`, measured on the same
    /// documents by the integer model.
    pub fn run(
        subject: &Subject,
        spec: &WkvSpec,
        arm: &Arm,
        context: &Context,
    ) -> Result<Self, Failure> {
        let progress = context.progress("gates in the model: tokens", 0);
        let evaluation = evaluate(
            &subject.language_model.model,
            &Gates::new(spec),
            &subject.documents,
            &|Progress { done, total }| progress.set_of(done, total),
        )
        .map_err(|error| subject.failure(&error))?;
        let documents = iter::zip(&evaluation.nll, &arm.documents);
        Ok(Self {
            documents: evaluation.nll.len(),
            tokens: evaluation.predicted_tokens(),
            channel_steps: evaluation.predicted_tokens() * subject.channels(),
            mismatches: documents
                .filter(|(gates, fixed)| gates.to_bits() != fixed.nll.to_bits())
                .count(),
            perplexity: evaluation.perplexity(),
        })
    }
}
