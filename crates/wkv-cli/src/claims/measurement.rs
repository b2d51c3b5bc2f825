//! One pass over the text, kept apart by document, so that every figure has its interval.

use std::iter;
use std::slice;

use rayon::prelude::*;
use rwkv::eval::{self, ArmResult, Bootstrap, Comparison, EvalError, Interval, POSITION_BUCKETS};
use serde::{Deserialize, Serialize};
use wkv::stats::{Counts, ErrorStats};
use wkv::{Arithmetic, Numerics};

use crate::context::Context;
use crate::failure::Failure;
use crate::report::subject::Subject;
use crate::sweep::FEWEST_DOCUMENTS;

/// A figure with its interval of 95%, by bootstrap over documents; there is none for fewer than
/// [`FEWEST_DOCUMENTS`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// The interval.
    pub interval: Option<[f64; 2]>,
}

impl Estimate {
    /// The figure that `figure` makes of how often each of so many items is drawn.
    pub fn over(items: usize, figure: impl Fn(&[u32]) -> f64) -> Self {
        let enough = items >= FEWEST_DOCUMENTS;
        Self {
            value: figure(&vec![1; items]),
            interval: enough
                .then(|| ends(Bootstrap::default().interval(items, figure)))
                // Draws of documents none of which is long enough have no figure.
                .filter(|ends| ends.iter().all(|end| end.is_finite())),
        }
    }

    /// Whether a number lies in the interval, or is the figure itself when both are written with so
    /// many significant digits.
    pub fn agrees_with(&self, number: f64, digits: usize) -> bool {
        let rounded = |x: f64| format!("{x:.*e}", digits.saturating_sub(1));
        self.interval.is_some_and(|[low, high]| (low..=high).contains(&number))
            || rounded(self.value) == rounded(number)
    }
}

fn ends(interval: Interval) -> [f64; 2] {
    [interval.low, interval.high]
}

/// Errors of the same values in every document.
pub struct Errors(Vec<ErrorStats>);

impl Errors {
    /// The RMS error, and its interval; none if nothing was compared.
    pub fn rms(&self) -> Option<Estimate> {
        self.any().then(|| Estimate::over(self.0.len(), |times| self.drawn(times)))
    }

    /// How many times the RMS error of others this one is; none if nothing was compared.
    pub fn ratio(&self, others: &Self) -> Option<Estimate> {
        let ratio = |times: &[u32]| self.drawn(times) / others.drawn(times);
        (self.any() && others.any()).then(|| Estimate::over(self.0.len(), ratio))
    }

    fn any(&self) -> bool {
        self.0.iter().any(|error| error.count > 0)
    }

    /// The RMS error of a draw of documents.
    fn drawn(&self, times: &[u32]) -> f64 {
        let (mut squares, mut count) = (0.0, 0.0);
        for (error, &times) in iter::zip(&self.0, times) {
            squares += f64::from(times) * error.sum_of_squares;
            count += f64::from(times) * error.count as f64;
        }
        (squares / count).sqrt()
    }
}

impl FromIterator<ErrorStats> for Errors {
    fn from_iter<I: IntoIterator<Item = ErrorStats>>(errors: I) -> Self {
        Self(errors.into_iter().collect())
    }
}

/// Arms beside the float model on every document.
pub struct Measurement {
    documents: Vec<Comparison>,
    /// All documents together.
    pub total: Comparison,
}

impl Measurement {
    /// Runs the float model and the arms, each with its name, over the documents of `subject`.
    pub fn run(
        subject: &Subject,
        arms: &[(String, Box<dyn Numerics>)],
        context: &Context,
    ) -> Result<Self, Failure> {
        let arms: Vec<eval::Arm> = arms
            .iter()
            .map(|(label, numerics)| eval::Arm { label, numerics: &**numerics })
            .collect();
        let tokens = subject.predicted_tokens();
        let progress = context.progress("claims: predicted tokens", tokens);
        let documents: Result<Vec<Comparison>, EvalError> = subject
            .documents
            .par_iter()
            .enumerate()
            .map(|(number, document)| {
                let comparison = eval::compare(
                    &subject.language_model.model,
                    &Arithmetic::Float,
                    &arms,
                    slice::from_ref(document),
                    &|_| context.interrupt.flow(),
                );
                progress.advance(eval::predicted_tokens(document));
                comparison.map_err(|error| in_document(error, number + 1))
            })
            .collect();
        let documents = documents.map_err(|error| subject.failure(&error))?;
        let total = documents.iter().cloned().reduce(|mut sum, document| {
            sum += document;
            sum
        });
        let total = total.ok_or_else(|| subject.failure(&EvalError::NoDocuments))?;
        Ok(Self { documents, total })
    }

    /// The errors of an arm in each document: at the output of the `blocks`, at `positions` in the
    /// document.
    pub fn errors(&self, arm: usize, select: Select) -> Errors {
        let selected = |document: &Comparison| select.errors(&document.arms[arm]);
        self.documents.iter().map(selected).collect()
    }

    /// An arm's divergence from the float model less another arm's, in nats a token.
    pub fn kl_difference(&self, arm: usize, other: usize) -> Estimate {
        let kl = |document: &Comparison, arm: usize| document.arms[arm].documents[0].kl;
        Estimate::over(self.documents.len(), |times| {
            let drawn = iter::zip(&self.documents, times);
            let (mut sum, mut tokens) = (0.0, 0.0);
            for (document, &times) in drawn {
                sum += f64::from(times) * (kl(document, arm) - kl(document, other));
                tokens += f64::from(times) * document.predicted_tokens() as f64;
            }
            sum / tokens
        })
    }

    /// What an arm made of the text.
    pub fn arm(&self, arm: usize) -> &ArmResult {
        &self.total.arms[arm]
    }

    /// Saturations and underflows of an arm.
    pub fn counts(&self, arm: usize) -> Counts {
        self.arm(arm).counts.iter().copied().sum()
    }

    /// An estimate of the evaluation itself.
    pub fn estimate(
        &self,
        value: f64,
        interval: impl FnOnce(&Comparison, Bootstrap) -> Interval,
    ) -> Estimate {
        let enough = self.documents.len() >= FEWEST_DOCUMENTS;
        let interval = enough.then(|| ends(interval(&self.total, Bootstrap::default())));
        Estimate { value, interval }
    }
}

/// Which errors of an arm.
#[derive(Clone, Copy, Debug, Default)]
pub struct Select {
    /// Of one block only.
    pub block: Option<usize>,
    /// At positions from here.
    pub from: usize,
    /// And before there.
    pub to: Option<usize>,
}

impl Select {
    fn errors(self, arm: &ArmResult) -> ErrorStats {
        let blocks = arm.errors.iter().enumerate();
        let blocks = blocks.filter(|(block, _)| self.block.is_none_or(|only| only == *block));
        let buckets = blocks.flat_map(|(_, positions)| iter::zip(POSITION_BUCKETS, positions));
        let within = |first: usize| first >= self.from && self.to.is_none_or(|to| first < to);
        buckets.filter(|(first, _)| within(*first)).map(|(_, error)| *error).sum()
    }
}

/// An error on the only document, with its number in the text.
fn in_document(error: EvalError, number: usize) -> EvalError {
    match error {
        EvalError::NotFinite { arm, .. } => EvalError::NotFinite { document: number, arm },
        other => other,
    }
}
