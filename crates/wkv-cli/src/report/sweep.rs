//! What each arithmetic of the recurrence costs the model.

use std::fmt;
use std::iter;

use rwkv::eval::{
    self, ArmResult, Bootstrap, Comparison, DocumentResult, Interval, POSITION_BUCKETS,
    PositionErrors,
};
use serde::Serialize;
use wkv::stats::{Counts, ErrorStats, InputSaturations, Saturations, Underflows};
use wkv::{Arithmetic, Numerics};

use super::notation::counted;
use super::subject::Subject;
use crate::context::Context;
use crate::engine::Engine;
use crate::failure::Failure;
use crate::table::Table;

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

/// With fewer documents than this, resampling them says nothing, and there are no intervals.
pub const FEWEST_DOCUMENTS: usize = 10;

/// Arithmetics beside the float model on one text.
#[derive(Clone, Debug, Serialize)]
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

/// What one arithmetic costs. Intervals are of 95%, by bootstrap over documents; there are none for
/// fewer than [`FEWEST_DOCUMENTS`].
#[derive(Clone, Debug, Serialize)]
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
    /// Error of the recurrence's output on the keys and values of the float model.
    pub rms_error: f64,
    /// The greatest such error.
    pub max_error: f64,
    /// Saturations of registers and sums.
    pub saturations: Saturations,
    /// Saturations of the quantised inputs.
    pub input_saturations: InputSaturations,
    /// Exponentials that became 0.
    pub underflows: u64,
    /// The same by exponential.
    pub underflows_by_exponential: Underflows,
    /// The error of each block.
    pub by_block: Vec<BlockError>,
    /// The error by the place of a token in its document.
    pub by_position: Vec<PositionError>,
    /// What it predicted on each document.
    #[serde(skip)]
    pub documents: Vec<DocumentResult>,
}

/// The error of one block's output.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct BlockError {
    /// Number of the block, from 0.
    pub block: usize,
    /// Root of the mean squared error.
    pub rms_error: f64,
    /// The greatest error.
    pub max_error: f64,
    /// Saturations of all registers and sums in the block.
    pub saturations: u64,
}

/// The error at some places of a document.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PositionError {
    /// The first place, from 0.
    pub from: usize,
    /// The place after the last; none if there is no end.
    pub to: Option<usize>,
    /// Root of the mean squared error; 0 if no document is that long.
    pub rms_error: f64,
    /// The greatest error.
    pub max_error: f64,
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

impl Arm {
    fn of(spec: Arithmetic, engine: Engine, comparison: &Comparison, result: &ArmResult) -> Self {
        let bootstrap = Bootstrap::default();
        let enough = comparison.tokens.len() >= FEWEST_DOCUMENTS;
        let ratio = enough.then(|| ends(comparison.perplexity_ratio_interval(result, bootstrap)));
        let float_perplexity = comparison.reference_perplexity();
        let counts: Counts = result.counts.iter().copied().sum();
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
            rms_error: result.error().rms(),
            max_error: result.error().max_abs,
            saturations: counts.saturations,
            input_saturations: counts.inputs,
            underflows: counts.underflows.total(),
            underflows_by_exponential: counts.underflows,
            by_block: by_block(result),
            by_position: by_position(result),
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

fn by_block(result: &ArmResult) -> Vec<BlockError> {
    let blocks = iter::zip(result.errors_by_block(), &result.counts).enumerate();
    blocks
        .map(|(block, (error, counts))| BlockError {
            block,
            rms_error: error.rms(),
            max_error: error.max_abs,
            saturations: counts.saturations.total(),
        })
        .collect()
}

fn by_position(result: &ArmResult) -> Vec<PositionError> {
    let buckets = result.errors_by_position().into_iter().enumerate();
    buckets
        .map(|(bucket, error)| PositionError {
            from: POSITION_BUCKETS[bucket],
            to: POSITION_BUCKETS.get(bucket + 1).copied(),
            rms_error: error.rms(),
            max_error: error.max_abs,
        })
        .collect()
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to {
            Some(to) => write!(f, "{}-{}", self.from, to - 1),
            None => write!(f, "{} on", self.from),
        }
    }
}

/// Columns of figures beside a spec in a table that still fits a terminal.
const COLUMNS: usize = 8;

impl fmt::Display for Sweep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, text, documents, tokens, float_perplexity, .. } = self;
        let size = [(*documents as u64, "document"), (*tokens, "predicted token")];
        let [documents, tokens] = size.map(|(number, noun)| counted(number, noun));
        writeln!(f, "{model} on {text}: {documents}, {tokens}")?;
        writeln!(f, "perplexity of the float model {float_perplexity:.4}\n")?;
        writeln!(f, "{}", self.cost_table())?;
        if self.documents < FEWEST_DOCUMENTS {
            writeln!(f, "no intervals: they need at least {FEWEST_DOCUMENTS} documents")?;
        }
        writeln!(f)?;
        writeln!(f, "saturations in {} channel-steps\n{}", self.channel_steps, self.range_table())?;
        let rms = self.signal_rms;
        write!(f, "\nRMS error at the wkv output, whose own RMS is {rms:.3}, by block")?;
        let blocks = self.arms.first().map_or(0, |arm| arm.by_block.len());
        for start in (0..blocks).step_by(COLUMNS) {
            let columns: Vec<usize> = (start..blocks.min(start + COLUMNS)).collect();
            let headings = columns.iter().map(|block| block.to_string());
            let cell = |arm: &Arm, column: usize| arm.by_block[columns[column]].rms_error;
            write!(f, "\n{}", self.error_table(headings.collect(), cell))?;
        }
        write!(f, "\n\nRMS error by position in the document")?;
        let headings = self.arms.first().map_or(&[][..], |arm| &arm.by_position);
        let headings = headings.iter().map(PositionError::to_string).collect();
        write!(
            f,
            "\n{}",
            self.error_table(headings, |arm, column| arm.by_position[column].rms_error)
        )
    }
}

impl Sweep {
    fn cost_table(&self) -> Table {
        let mut table = Table::new([
            "spec",
            "perplexity",
            "vs float, % (95%)",
            "KL mean",
            "KL max",
            "top-1",
            "RMS error",
        ]);
        for arm in &self.arms {
            let (change, interval) = arm.perplexity_change();
            let interval = interval
                .map_or_else(|| "–".to_owned(), |[low, high]| format!("[{low:+.2}, {high:+.2}]"));
            table.row([
                arm.spec.to_string(),
                format!("{:.4}", arm.perplexity),
                format!("{change:+.2} {interval}"),
                format!("{:.2e}", arm.kl_mean),
                format!("{:.2e}", arm.kl_max),
                format!("{:.4}", arm.top1_agreement),
                format!("{:.2e}", arm.rms_error),
            ]);
        }
        table
    }

    fn range_table(&self) -> Table {
        let registers = Saturations::default().named().map(|(register, _)| register);
        let others = ["inputs", "underflows"];
        let mut table = Table::new(iter::once("spec").chain(registers).chain(others));
        for arm in &self.arms {
            let counts = arm.saturations.named().map(|(_, count)| count);
            let others = [arm.input_saturations.total(), arm.underflows];
            let counts = counts.into_iter().chain(others).map(|count| count.to_string());
            table.row(iter::once(arm.spec.to_string()).chain(counts));
        }
        table
    }

    fn error_table(&self, headings: Vec<String>, cell: impl Fn(&Arm, usize) -> f64) -> Table {
        let columns = headings.len();
        let mut table = Table::new(iter::once("spec".to_owned()).chain(headings));
        for arm in &self.arms {
            let cells = (0..columns).map(|column| format!("{:.2e}", cell(arm, column)));
            table.row(iter::once(arm.spec.to_string()).chain(cells));
        }
        table
    }
}
