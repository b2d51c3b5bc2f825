//! What each arithmetic of the recurrence costs the model.

mod arm;
pub mod error;
mod table;

use std::iter;

use rwkv::eval::{self, ArmResult, Comparison, DocumentResult, PositionErrors};
use serde::{Deserialize, Serialize};
use wkv::stats::{Counts, ErrorStats};
use wkv::{Arithmetic, Numerics};

pub use self::arm::{Arm, FEWEST_DOCUMENTS};
use crate::context::Context;
use crate::engine::Engine;
use crate::failure::Failure;
use crate::report::subject::Subject;

/// The arms that the published page measured.
pub const PUBLISHED_ARMS: [&str; 7] = [
    "float",
    "classic:q8.8",
    "classic:q8.8:lut64",
    "classic:q8.8:nointerp",
    "classic:q8.8:div=exact",
    "classic:q6.10",
    "classic:q10.6",
];

/// Arithmetics beside the float model on one text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// The model.
    pub model: String,
    /// The text.
    pub text: String,
    /// Number of documents.
    pub documents: usize,
    /// Number of predicted tokens.
    pub tokens: u64,
    /// Tokens that each arm took, counted once for every channel of every block.
    pub channel_steps: u64,
    /// How many of these came first in their document. `ww2` saturates at each of them, because
    /// the state starts at the least exponent.
    pub first_steps: u64,
    /// Perplexity of the float model.
    pub float_perplexity: f64,
    /// Root of the mean squared output of the recurrence in the float model.
    pub signal_rms: f64,
    /// The arms, in the order asked for.
    pub arms: Vec<Arm>,
}

impl Sweep {
    /// Measures `arithmetics` on `subject`, with progress shown. `engine` computes those in fixed
    /// point.
    pub fn run(
        subject: &Subject,
        arithmetics: &[Arithmetic],
        engine: Engine,
        context: &Context,
    ) -> Result<Self, Failure> {
        let engine_of = |arithmetic: &Arithmetic| match arithmetic {
            Arithmetic::Float => Engine::Float,
            Arithmetic::Fixed(_) => engine,
        };
        let fixed = arithmetics.iter().filter(|&&arithmetic| arithmetic != Arithmetic::Float);
        let numerics = fixed
            .map(|arithmetic| Ok((arithmetic.to_string(), engine.numerics(*arithmetic)?)))
            .collect::<Result<Vec<_>, Failure>>()?;
        let comparison = compare(subject, &numerics, context)?;

        let float = float_result(&comparison);
        let mut measured = comparison.arms.iter();
        let arms = arithmetics.iter().map(|arithmetic| {
            let result = match arithmetic {
                Arithmetic::Float => &float,
                Arithmetic::Fixed(_) => measured.next().expect("every fixed arm was measured"),
            };
            Arm::of(*arithmetic, engine_of(arithmetic), &comparison, result)
        });
        Ok(Self {
            model: subject.model.clone(),
            text: subject.text.clone(),
            documents: subject.documents.len(),
            tokens: comparison.predicted_tokens(),
            channel_steps: comparison.predicted_tokens() * subject.channels(),
            first_steps: subject.documents.len() as u64 * subject.channels(),
            float_perplexity: comparison.reference_perplexity(),
            signal_rms: comparison.signal_rms(),
            arms: arms.collect(),
        })
    }

    /// The arms in fixed point.
    pub fn fixed_arms(&self) -> impl Iterator<Item = &Arm> {
        self.arms.iter().filter(|arm| arm.spec != Arithmetic::Float)
    }

    /// The arm of an arithmetic.
    pub fn arm(&self, spec: impl Into<Arithmetic>) -> Option<&Arm> {
        let spec = spec.into();
        self.arms.iter().find(|arm| arm.spec == spec)
    }
}

fn compare(
    subject: &Subject,
    numerics: &[(String, Box<dyn Numerics>)],
    context: &Context,
) -> Result<Comparison, Failure> {
    let arms: Vec<eval::Arm> = numerics
        .iter()
        .map(|(label, numerics)| eval::Arm { label, numerics: &**numerics })
        .collect();
    let progress = context.progress("sweep: predicted tokens", 0);
    let comparison = eval::compare(
        &subject.language_model.model,
        &Arithmetic::Float,
        &arms,
        &subject.documents,
        &|eval::Progress { done, total }| progress.set_of(done, total),
    );
    comparison.map_err(|error| subject.failure(&error))
}

/// The reference as an arm: it agrees with itself.
fn float_result(comparison: &Comparison) -> ArmResult {
    let documents = iter::zip(&comparison.reference_nll, &comparison.tokens);
    let blocks = comparison.signal.len();
    let count_only = |size: &ErrorStats| ErrorStats { count: size.count, ..ErrorStats::default() };
    ArmResult {
        label: String::new(),
        documents: documents
            .map(|(&nll, &tokens)| DocumentResult {
                nll,
                top1_agreements: tokens,
                ..DocumentResult::default()
            })
            .collect(),
        errors: comparison
            .signal
            .iter()
            .map(|positions: &PositionErrors| positions.each_ref().map(count_only))
            .collect(),
        counts: vec![Counts::default(); blocks],
    }
}
