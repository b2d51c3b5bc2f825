//! The published claims about the numerics, measured: on a model and a text, on synthetic streams,
//! and on the decays of the model.

pub mod finding;
mod input_scale;
pub mod measurement;
pub mod page;
pub mod published;
pub mod synthetic;
mod unclamped;

use std::fmt;

use serde::{Deserialize, Serialize};
use wkv::arithmetic::PUBLISHED;
use wkv::stats::{InputSaturations, Saturations};
use wkv::{Arithmetic, Numerics};

use self::finding::Finding;
use self::input_scale::InputScale;
use self::measurement::{Estimate, Measurement, Select};
use self::synthetic::{PARTS, Synthetic};
use self::unclamped::Unclamped;
use crate::context::Context;
use crate::engine::Engine;
use crate::failure::Failure;
use crate::machine::Machine;
use crate::report::notation::counted;
use crate::report::spectrum::Spectrum;
use crate::report::subject::Subject;

/// Positions that growth along a document is measured between: the first and the last tokens of a
/// published context.
const FIRST_TOKENS: [usize; 2] = [0, 32];
const LAST_TOKENS: [usize; 2] = [128, published::CONTEXT];

/// All claims on one model and text.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Claims {
    /// The model's name.
    pub model: String,
    /// The text's name.
    pub text: String,
    /// Number of documents.
    pub documents: usize,
    /// Number of predicted tokens.
    pub tokens: u64,
    /// The command line that measures it again.
    pub command: String,
    /// What the claims became; judged anew where results are read.
    #[serde(skip_deserializing)]
    pub findings: Vec<Finding>,
    /// What they are judged by.
    pub figures: Figures,
    /// Where and when.
    pub measured: Place,
}

/// The machine and the time of a measurement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Model of the processor.
    pub cpu: String,
    /// Cores that could be used.
    pub cores: usize,
    /// The day, in UTC.
    pub date: String,
}

/// What the claims are judged by.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Figures {
    /// Perplexity of the float model.
    pub float_perplexity: f64,
    /// RMS of the output of the recurrence in the float model.
    pub signal_rms: f64,
    /// RMS of what goes into it.
    pub inputs: InputScale,
    /// The published formats.
    pub arms: Vec<Arm>,
    /// RMS error of the worst format divided by that of the best.
    pub error_span: Estimate,
    /// The error along a document.
    pub growth: Growth,
    /// Saturations in the format in which they are said to cost nothing.
    pub saturations: SaturationCost,
    /// The RMS error in the published format on the first tokens of each document.
    pub preset_error: Option<Estimate>,
    /// How long the channels remember.
    pub spectrum: Spectrum,
    /// The error on synthetic streams.
    pub synthetic: Vec<Synthetic>,
}

/// One format on the text.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Arm {
    /// The arithmetic.
    pub spec: Arithmetic,
    /// The perplexity divided by the float model's; its interval is paired.
    pub perplexity_ratio: Estimate,
    /// Mean divergence from the float model, in nats a token.
    pub kl_mean: Estimate,
    /// RMS error at the output of the recurrence.
    pub rms_error: Estimate,
}

/// How the error of the published format grows along a document.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Growth {
    /// The format.
    pub spec: Arithmetic,
    /// The blocks, first to last.
    pub by_block: Vec<BlockGrowth>,
}

/// How it grows in one block; figures are missing if no document is that long.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BlockGrowth {
    /// RMS error at the first tokens.
    pub first: Option<Estimate>,
    /// RMS error at the last tokens.
    pub last: Option<Estimate>,
    /// The latter divided by the former.
    pub growth: Option<Estimate>,
}

/// What saturations cost: the format beside the same steps in registers that cannot overflow.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SaturationCost {
    /// The format.
    pub spec: Arithmetic,
    /// Its saturations by register.
    pub saturations: Saturations,
    /// Its inputs that did not fit; these are clamped in both.
    pub inputs: InputSaturations,
    /// Starts of documents in all channels, at each of which `ww2` saturates.
    pub first_steps: u64,
    /// Steps of all channels.
    pub channel_steps: u64,
    /// Mean divergence from the float model with saturation, in nats a token.
    pub kl: Estimate,
    /// The same less that without saturation; the interval is paired.
    pub kl_difference: Estimate,
    /// That of the exponents `ww` and `ww2` alone.
    pub exponents_kl_difference: Estimate,
    /// RMS error at the output divided by that without saturation.
    pub rms_ratio: Estimate,
    /// RMS error of the worst format divided by that of this one without saturation.
    pub error_span: Estimate,
}

impl Place {
    /// This machine, today.
    pub fn here() -> Self {
        let Machine { cpu, cores, date, .. } = Machine::here();
        let date = date.split('T').next().unwrap_or_default().to_owned();
        Self { cpu, cores, date }
    }
}

impl Claims {
    /// Measures everything on `subject`, with progress shown.
    pub fn measure(
        subject: &Subject,
        command: String,
        measured: Place,
        context: &Context,
    ) -> Result<Self, Failure> {
        let figures = Figures::measure(subject, context)?;
        Ok(Self {
            model: subject.model.clone(),
            text: subject.text.clone(),
            documents: subject.documents.len(),
            tokens: subject.predicted_tokens(),
            command,
            findings: finding::judge(&figures),
            figures,
            measured,
        })
    }
}

impl Figures {
    /// Whether there is something to judge every claim by.
    fn are_whole(&self) -> bool {
        let parts = |row: &Synthetic| {
            [&row.unrounded, &row.restoring].iter().all(|divided| divided.quarters.len() == PARTS)
        };
        !self.arms.is_empty() && !self.synthetic.is_empty() && self.synthetic.iter().all(parts)
    }

    fn measure(subject: &Subject, context: &Context) -> Result<Self, Failure> {
        let specs = specs();
        let mut arms = specs
            .iter()
            .map(|spec| Ok((spec.to_string(), Engine::Fixed.numerics(*spec)?)))
            .collect::<Result<Vec<(String, Box<dyn Numerics>)>, Failure>>()?;
        let unclamped = |clamps_exponents| -> Box<dyn Numerics> {
            let spec = published::BEST.parse().expect("a spec");
            Box::new(Unclamped { spec, rounds: true, clamps_exponents })
        };
        arms.push((format!("{} without saturation", published::BEST), unclamped(false)));
        arms.push((format!("{} that saturates in exponents", published::BEST), unclamped(true)));
        let measurement = Measurement::run(subject, &arms, context)?;
        let number = |spec: &str| {
            let spec: Arithmetic = spec.parse().expect("a spec");
            specs.iter().position(|arm| *arm == spec).expect("the spec is among the arms")
        };
        let context_only = Select { to: Some(published::CONTEXT), ..Select::default() };
        let saturating = number(published::BEST);
        Ok(Self {
            float_perplexity: measurement.total.reference_perplexity(),
            signal_rms: measurement.total.signal_rms(),
            inputs: InputScale::of(subject, context)?,
            error_span: error_span(&measurement, specs.len()),
            arms: specs.iter().enumerate().map(|arm| Arm::of(&measurement, arm)).collect(),
            growth: Growth::of(
                &measurement,
                number(published::SPEC),
                specs[number(published::SPEC)],
            ),
            saturations: SaturationCost::of(
                &measurement,
                (saturating, specs[saturating]),
                specs.len(),
                subject,
            ),
            preset_error: measurement.errors(number(published::SPEC), context_only).rms(),
            spectrum: Spectrum::of(&subject.language_model.model),
            synthetic: synthetic::measure(context)?,
        })
    }
}

/// The published arms in fixed point.
fn specs() -> Vec<Arithmetic> {
    let arms = PUBLISHED.iter().map(|arm| arm.parse().expect("published arms are specs"));
    arms.filter(|arm| *arm != Arithmetic::Float).collect()
}

impl Arm {
    fn of(measurement: &Measurement, (arm, spec): (usize, &Arithmetic)) -> Self {
        let (total, result) = (&measurement.total, measurement.arm(arm));
        Self {
            spec: *spec,
            perplexity_ratio: measurement
                .estimate(total.perplexity_ratio(result), |total, bootstrap| {
                    total.perplexity_ratio_interval(result, bootstrap)
                }),
            kl_mean: kl_mean(measurement, arm),
            rms_error: rms_error(measurement, arm),
        }
    }
}

fn kl_mean(measurement: &Measurement, arm: usize) -> Estimate {
    let result = measurement.arm(arm);
    measurement.estimate(measurement.total.kl_mean(result), |total, bootstrap| {
        total.kl_mean_interval(result, bootstrap)
    })
}

fn rms_error(measurement: &Measurement, arm: usize) -> Estimate {
    measurement.errors(arm, Select::default()).rms().expect("every document has a token")
}

/// The greatest RMS error of the first `arms` arms divided by the least.
fn error_span(measurement: &Measurement, arms: usize) -> Estimate {
    let mut arms: Vec<usize> = (0..arms).collect();
    arms.sort_by(|&a, &b| {
        let rms = |arm: usize| measurement.arm(arm).error().rms();
        rms(a).total_cmp(&rms(b))
    });
    let errors = |arm| measurement.errors(arm, Select::default());
    let [best, worst] = [arms[0], arms[arms.len() - 1]];
    errors(worst).ratio(&errors(best)).expect("every document has a token")
}

impl Growth {
    fn of(measurement: &Measurement, arm: usize, spec: Arithmetic) -> Self {
        let by_block = (0..measurement.arm(arm).errors.len()).map(|block| {
            let errors = |[from, to]: [usize; 2]| {
                measurement.errors(arm, Select { block: Some(block), from, to: Some(to) })
            };
            let (first, last) = (errors(FIRST_TOKENS), errors(LAST_TOKENS));
            BlockGrowth { first: first.rms(), last: last.rms(), growth: last.ratio(&first) }
        });
        Self { spec, by_block: by_block.collect() }
    }
}

impl SaturationCost {
    fn of(
        measurement: &Measurement,
        (arm, spec): (usize, Arithmetic),
        unclamped: usize,
        subject: &Subject,
    ) -> Self {
        let counts = measurement.counts(arm);
        let errors = |arm| measurement.errors(arm, Select::default());
        let channels = subject.channels();
        let worst = (0..unclamped).max_by(|&a, &b| {
            let rms = |arm: usize| measurement.arm(arm).error().rms();
            rms(a).total_cmp(&rms(b))
        });
        let worst = worst.expect("formats were measured");
        Self {
            spec,
            saturations: counts.saturations,
            inputs: counts.inputs,
            first_steps: subject.documents.len() as u64 * channels,
            channel_steps: measurement.total.predicted_tokens() * channels,
            kl: kl_mean(measurement, arm),
            kl_difference: measurement.kl_difference(arm, unclamped),
            exponents_kl_difference: measurement.kl_difference(unclamped + 1, unclamped),
            rms_ratio: errors(arm).ratio(&errors(unclamped)).expect("every document has a token"),
            error_span: errors(worst)
                .ratio(&errors(unclamped))
                .expect("every document has a token"),
        }
    }

    /// Saturations other than those of the starts of documents.
    pub fn beyond_starts(&self) -> u64 {
        self.saturations.total().saturating_sub(self.first_steps)
    }
}

impl fmt::Display for Claims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, text, documents, tokens, .. } = self;
        let size = [(*documents as u64, "document"), (*tokens, "predicted token")];
        let [documents, tokens] = size.map(|(number, noun)| counted(number, noun));
        write!(f, "{model} on {text}: {documents}, {tokens}")?;
        for finding in &self.findings {
            write!(f, "\n\n{finding}")?;
        }
        Ok(())
    }
}
