//! Runs arithmetics of the recurrence beside the reference, in one pass over the text.

use std::iter;
use std::ops::ControlFlow;
use std::sync::Mutex;

use rayon::prelude::*;
use wkv::stats::ErrorStats;
use wkv::{Numerics, Recurrence};

use super::comparison::{
    ArmPart, Comparison, DocumentResult, POSITION_BUCKETS, PositionErrors, ReferencePart,
};
use super::{EvalError, Meter, OnProgress, Sequence, check_perplexity};
use crate::model::{Attention, Model, Together};
use crate::softmax::{Prediction, log_sum_exp, most_likely, surprise};

/// Sequences whose results [`compare`] keeps apart until it adds them up in order.
const BATCH: usize = 1024;

/// Tokens of all arithmetics together that go through a matrix at once: many enough to make good
/// use of the weights that were read, few enough to stay in the cache.
const ROWS: usize = 576;

/// An arithmetic to be compared with the reference.
#[derive(Clone, Copy)]
pub struct Arm<'a> {
    /// Its name in the result.
    pub label: &'a str,
    /// The arithmetic.
    pub numerics: &'a dyn Numerics,
}

/// Arms to be measured on one sequence.
#[derive(Clone, Debug)]
pub struct Task<'a> {
    /// Number of the sequence, from 0.
    pub number: usize,
    /// The sequence.
    pub sequence: &'a Sequence,
    /// The arms, by their place in a list; there may be none.
    pub arms: Vec<usize>,
}

/// What a [`Task`] gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Number of the sequence.
    pub number: usize,
    /// The reference.
    pub reference: ReferencePart,
    /// The arms of the task, each with its place in the list.
    pub arms: Vec<(usize, ArmPart)>,
}

/// Runs the reference and every arm over tokenized documents, each alone.
///
/// # Errors
/// As for [`measure`], or if there are no documents.
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
    let sequences = Sequence::of_documents(documents);
    let tasks: Vec<Task> = iter::zip(0.., &sequences)
        .map(|(number, sequence)| Task { number, sequence, arms: (0..arms.len()).collect() })
        .collect();
    let meter = Meter::new(&sequences, on_progress)?;
    let mut comparison = Comparison::new(arms.iter().map(|arm| arm.label));
    for batch in tasks.chunks(BATCH) {
        let parts = Mutex::new(Vec::with_capacity(batch.len()));
        run(model, reference, arms, batch, &meter, &|part| {
            parts.lock().expect("nobody panics with it").push(part);
            ControlFlow::Continue(())
        })?;
        let mut parts = parts.into_inner().expect("nobody panics with it");
        parts.sort_by_key(|part| part.number);
        for Part { reference, arms, .. } in &parts {
            comparison.push(reference, &arms.iter().map(|(_, part)| part).collect::<Vec<_>>());
        }
    }
    Ok(comparison)
}

/// Measures what `tasks` ask for, on all cores.
///
/// The reference runs once in each task. Each arm runs twice: inside the model, for its
/// predictions, and on the keys and values of the reference model, for the error of its output
/// alone. The reference's output is rounded to f32 before it is compared. What an arm gives does
/// not depend on the arms beside it.
///
/// `on_part` sees every result as soon as it is there, in any order and from several threads;
/// `Break` stops.
///
/// # Errors
/// If there are no tasks, a perplexity is not finite, or a callback asked to stop.
///
/// # Panics
/// If a token is outside the model's vocabulary, or there is no such arm.
pub fn measure(
    model: &Model,
    reference: &dyn Numerics,
    arms: &[Arm],
    tasks: &[Task],
    on_progress: OnProgress,
    on_part: &(dyn Fn(Part) -> ControlFlow<()> + Sync),
) -> Result<(), EvalError> {
    let meter = Meter::new(tasks.iter().map(|task| task.sequence), on_progress)?;
    run(model, reference, arms, tasks, &meter, on_part)
}

fn run(
    model: &Model,
    reference: &dyn Numerics,
    arms: &[Arm],
    tasks: &[Task],
    meter: &Meter,
    on_part: &(dyn Fn(Part) -> ControlFlow<()> + Sync),
) -> Result<(), EvalError> {
    tasks.par_iter().try_for_each(|task| {
        let arms: Vec<Arm> = task.arms.iter().map(|&arm| arms[arm]).collect();
        let mut run = SequenceRun::new(model, reference, &arms);
        let chunk = (ROWS / (1 + arms.len())).max(1);
        for (inputs, targets) in task.sequence.chunks(chunk) {
            run.advance(inputs, targets);
            meter.advance(inputs.len())?;
        }
        match on_part(run.finish(task)?) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(EvalError::Stopped),
        }
    })
}

/// All arms on one sequence, some way into it.
struct SequenceRun<'a> {
    model: &'a Model,
    /// The reference and the arms inside the model.
    together: Together,
    /// Position of the next token.
    position: usize,
    nll: f64,
    signal: Vec<PositionErrors>,
    arms: Vec<ArmRun<'a>>,
}

struct ArmRun<'a> {
    label: &'a str,
    /// The arm outside the model, on the reference's keys and values; one bank a block.
    banks: Vec<Box<dyn Recurrence>>,
    result: DocumentResult,
    errors: Vec<PositionErrors>,
}

impl<'a> SequenceRun<'a> {
    fn new(model: &'a Model, reference: &'a dyn Numerics, arms: &[Arm<'a>]) -> Self {
        let numerics = iter::once(reference).chain(arms.iter().map(|arm| arm.numerics));
        let numerics: Vec<&dyn Numerics> = numerics.collect();
        let errors = vec![PositionErrors::default(); model.sizes().blocks];
        let arm_run = |arm: &Arm<'a>| ArmRun {
            label: arm.label,
            banks: model.banks(arm.numerics),
            result: DocumentResult::default(),
            errors: errors.clone(),
        };
        Self {
            model,
            together: model.start_together(&numerics),
            position: 0,
            nll: 0.0,
            signal: errors.clone(),
            arms: arms.iter().map(arm_run).collect(),
        }
    }

    fn advance(&mut self, inputs: &[u32], targets: &[u32]) {
        let Self { model, together, position, nll, signal, arms } = self;
        let sizes = model.sizes();
        let size = inputs.len() * sizes.channels;
        let hidden = model.hidden_together(inputs, together, |attention| {
            let Attention { block, k, v, out } = attention;
            let (reference, outputs) = out.split_at(size);
            let zeros = vec![0.0; size];
            record(&mut signal[block], *position, sizes.channels, &zeros, reference);
            let mut on_reference = zeros;
            for (arm, in_model) in arms.iter_mut().zip(outputs.chunks_exact(size)) {
                // In block 0 the arm inside the model has the reference's keys and values.
                let output = if block == 0 {
                    in_model
                } else {
                    arm.banks[block].run(k, v, &mut on_reference);
                    &on_reference
                };
                record(&mut arm.errors[block], *position, sizes.channels, reference, output);
            }
        });
        let logits = model.logits(&hidden);
        let (reference, others) = logits.split_at(inputs.len() * sizes.vocabulary);
        let predictions: Vec<Prediction> = iter::zip(tokens(reference, sizes.vocabulary), targets)
            .map(|(logits, &target)| {
                let log_sum_exp = log_sum_exp(logits);
                *nll += surprise(logits, log_sum_exp, target);
                Prediction::new(logits, log_sum_exp)
            })
            .collect();
        for (arm, logits) in arms.iter_mut().zip(others.chunks_exact(reference.len())) {
            let logits = tokens(logits, sizes.vocabulary);
            for ((logits, &target), prediction) in logits.zip(targets).zip(&predictions) {
                arm.result.record(logits, target, prediction);
            }
        }
        *position += inputs.len();
    }

    fn finish(self, task: &Task) -> Result<Part, EvalError> {
        let tokens = task.sequence.predicted_tokens();
        let document = task.number + 1;
        check_perplexity(self.nll, tokens, document, None)?;
        let mut counts = self.together.counts();
        counts.next();
        let arms = iter::zip(&task.arms, iter::zip(self.arms, counts));
        let arms = arms.map(|(&place, (arm, counts))| {
            let ArmRun { label, result, errors, .. } = arm;
            // An infinite logit of another token than the target shows in the divergence alone.
            let nll = if result.kl.is_finite() { result.nll } else { f64::NAN };
            check_perplexity(nll, tokens, document, Some(label))?;
            Ok((place, ArmPart { result, errors, counts }))
        });
        Ok(Part {
            number: task.number,
            arms: arms.collect::<Result<_, EvalError>>()?,
            reference: ReferencePart { tokens, nll: self.nll, signal: self.signal },
        })
    }
}

impl DocumentResult {
    /// Sets the prediction of one token beside the reference's.
    fn record(&mut self, logits: &[f32], target: u32, reference: &Prediction) {
        let log_sum_exp = log_sum_exp(logits);
        let kl = reference.divergence(logits, log_sum_exp);
        let agrees = most_likely(logits) == reference.most_likely;
        self.nll += surprise(logits, log_sum_exp, target);
        self.kl += kl;
        self.kl_max = self.kl_max.max(kl);
        self.top1_agreements += u64::from(agrees);
    }
}

/// What belongs to each token, `width` numbers.
fn tokens(values: &[f32], width: usize) -> impl Iterator<Item = &[f32]> {
    values.chunks_exact(width)
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
