//! What each arithmetic of the recurrence costs the model.

mod arm;
pub mod error;
pub mod identity;
mod measured;
pub mod merge;
mod name;
pub mod records;
pub mod request;
pub mod shard;
mod table;

use std::iter;

use rwkv::eval::{ArmResult, Comparison, DocumentResult, PositionErrors};
use serde::{Deserialize, Serialize};
use wkv::Arithmetic;
use wkv::stats::{Counts, ErrorStats};

pub use self::arm::{Arm, FEWEST_DOCUMENTS};
use self::identity::Identity;
use self::measured::Measured;
pub use self::name::ArmName;
use self::request::Request;
use self::shard::Shard;
use crate::context::Context;
use crate::engine::Engine;
use crate::failure::Failure;
use crate::report::subject::Subject;

/// Arithmetics beside the float model on one text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// The model.
    pub model: String,
    /// The text.
    pub text: String,
    /// Predicted tokens of a sequence of documents; none if each document is measured alone.
    pub context: Option<usize>,
    /// Number of documents.
    pub documents: usize,
    /// Number of sequences that were measured: the documents, or less if they are strung together.
    pub sequences: usize,
    /// Number of predicted tokens.
    pub tokens: u64,
    /// Tokens that each arm took, counted once for every channel of every block.
    pub channel_steps: u64,
    /// How many of these came first in their sequence. `ww2` saturates at each of them, because
    /// the state starts at the least exponent.
    pub first_steps: u64,
    /// Perplexity of the float model.
    pub float_perplexity: f64,
    /// Root of the mean squared output of the recurrence in the float model.
    pub signal_rms: f64,
    /// The arms, in the order asked for.
    pub arms: Vec<Arm>,
}

/// The gates beside the integer model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// The spec of both.
    pub spec: Arithmetic,
    /// Whether they agree in every figure and on every document.
    pub held: bool,
}

impl Sweep {
    /// Measures `arithmetics` on the documents of `subject`, with progress shown.
    pub fn run(
        subject: &Subject,
        arithmetics: &[Arithmetic],
        context: &Context,
    ) -> Result<Self, Failure> {
        let arms = arithmetics.iter().copied().map(ArmName::usual).collect();
        Request { arms, sequence_length: None, shard: Shard::WHOLE, records: None }
            .run(subject, context)
    }

    /// The figures of `arms` on the sequences at `places`; none if one was not measured.
    fn of(
        identity: &Identity,
        arms: &[ArmName],
        places: &[usize],
        measured: &Measured,
    ) -> Option<Self> {
        let comparison = measured.comparison(places.iter().copied(), &measurable(arms))?;
        let float = float_result(&comparison);
        let mut results = comparison.arms.iter();
        let mut arm_of = |&name: &ArmName| {
            let result = match name.spec {
                Arithmetic::Float => &float,
                _ => results.next().expect("every other arm was measured"),
            };
            Arm::of(name.spec, name.engine, &comparison, result)
        };
        let tokens = comparison.predicted_tokens();
        Some(Self {
            model: identity.model.clone(),
            text: identity.text.clone(),
            context: identity.context,
            documents: identity.context.map_or(places.len(), |_| identity.documents),
            sequences: places.len(),
            tokens,
            channel_steps: tokens * identity.channels,
            first_steps: places.len() as u64 * identity.channels,
            float_perplexity: comparison.reference_perplexity(),
            signal_rms: comparison.signal_rms(),
            arms: arms.iter().map(&mut arm_of).collect(),
        })
    }

    /// Whether the gates and the integer model of each spec that was measured on both agree in
    /// every figure.
    pub fn agreements(&self) -> Vec<Agreement> {
        let gates = self.arms.iter().filter(|arm| arm.engine == Engine::Gates);
        let pairs = gates.filter_map(|gates| {
            let fixed = self
                .arms
                .iter()
                .find(|arm| (arm.spec, arm.engine) == (gates.spec, Engine::Fixed))?;
            let held = *gates == Arm { engine: Engine::Gates, ..fixed.clone() };
            Some(Agreement { spec: gates.spec, held })
        });
        pairs.collect()
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

/// The arms that are measured beside the float model.
fn measurable(arms: &[ArmName]) -> Vec<ArmName> {
    arms.iter().copied().filter(|arm| arm.spec != Arithmetic::Float).collect()
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
