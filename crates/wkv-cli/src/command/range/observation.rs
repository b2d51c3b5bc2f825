//! What the model's channels take and do on a text.

use std::iter;

use rayon::prelude::*;
use rwkv::Model;
use rwkv::eval::CHUNK;
use rwkv::model::Attention;
use rwkv::model::END_OF_TEXT;
use serde::Serialize;
use wkv::range::Interval;
use wkv::stats::Saturations;
use wkv::{WkvSpec, fixed, float};

use crate::context::Context;
use crate::failure::Failure;
use crate::report::subject::Subject;

/// The float model on every document, and the integer models on the same keys and values.
pub struct Observation {
    /// Number of tokens that every channel took.
    pub tokens: u64,
    /// Number of tokens of the longest document.
    pub longest_document: u64,
    /// The channels, by block.
    pub blocks: Vec<Vec<Observed>>,
}

/// What one channel took and did.
#[derive(Clone, Debug, Serialize)]
pub struct Observed {
    /// The least and the greatest key, base 2.
    pub k: Interval,
    /// The least and the greatest value.
    pub v: Interval,
    /// The same of the numerator state, in f64.
    pub aa: Interval,
    /// The same of the denominator state, in f64.
    pub bb: Interval,
    /// Saturations of the integer model of each spec. Those of `ww2` include the first token of
    /// every document.
    pub saturations: Vec<Saturations>,
}

impl Observation {
    /// Runs the documents of `subject`, on all cores, with progress shown.
    pub fn of(subject: &Subject, specs: &[WkvSpec], context: &Context) -> Result<Self, Failure> {
        let model = &subject.language_model.model;
        let models: Vec<fixed::Model> = specs.iter().map(fixed::Model::new).collect();
        let progress = context.progress("range: documents", subject.documents.len() as u64);
        let document = |(number, document): (usize, &Vec<u32>)| {
            let observation = Run::new(model, &models).document(document, context)?;
            if !observation.is_finite() {
                return Err(Failure::input(format!(
                    "{} on {}: keys or values on document {} are not finite; expected a model with \
                     weights of the usual size",
                    subject.model,
                    subject.text,
                    number + 1
                )));
            }
            progress.advance(1);
            Ok(observation)
        };
        let none = || Self::none(model, &models);
        let merge = |a: Self, b: Self| Ok(a.merge(b));
        subject.documents.par_iter().enumerate().map(document).try_reduce(none, merge)
    }

    fn none(model: &Model, models: &[fixed::Model]) -> Self {
        let sizes = model.sizes();
        let nothing = Interval { low: f64::INFINITY, high: f64::NEG_INFINITY };
        let channel = Observed {
            k: nothing,
            v: nothing,
            aa: nothing,
            bb: nothing,
            saturations: vec![Saturations::default(); models.len()],
        };
        let blocks = vec![vec![channel; sizes.channels]; sizes.blocks];
        Self { tokens: 0, longest_document: 0, blocks }
    }

    fn is_finite(&self) -> bool {
        let intervals = |channel: &Observed| [channel.k, channel.v, channel.aa, channel.bb];
        let mut all = self.blocks.iter().flatten().flat_map(intervals);
        all.all(|Interval { low, high }| low.is_finite() && high.is_finite())
    }

    fn merge(mut self, other: Self) -> Self {
        self.tokens += other.tokens;
        self.longest_document = self.longest_document.max(other.longest_document);
        let channels = self.blocks.iter_mut().flatten();
        for (channel, other) in channels.zip(other.blocks.into_iter().flatten()) {
            channel.merge(other);
        }
        self
    }
}

impl Observed {
    fn merge(&mut self, other: Self) {
        for (interval, other) in [
            (&mut self.k, other.k),
            (&mut self.v, other.v),
            (&mut self.aa, other.aa),
            (&mut self.bb, other.bb),
        ] {
            include(interval, other.low);
            include(interval, other.high);
        }
        for (saturations, other) in iter::zip(&mut self.saturations, other.saturations) {
            *saturations += other;
        }
    }
}

fn include(interval: &mut Interval, x: f64) {
    // What is not a number stays visible.
    interval.low = if x < interval.low || x.is_nan() { x } else { interval.low };
    interval.high = if x > interval.high || x.is_nan() { x } else { interval.high };
}

/// One document on its way through the model.
struct Run<'a> {
    model: &'a Model,
    models: &'a [fixed::Model],
    observation: Observation,
    channels: Vec<Vec<ChannelRun>>,
}

/// One channel in every arithmetic.
#[derive(Clone)]
struct ChannelRun {
    u: f64,
    w: f64,
    float: float::State,
    fixed: Vec<fixed::State>,
}

impl<'a> Run<'a> {
    fn new(model: &'a Model, models: &'a [fixed::Model]) -> Self {
        let channel = |(&u, &w): (&f64, &f64)| ChannelRun {
            u,
            w,
            float: float::State::START,
            fixed: models.iter().map(|model| fixed::State::start(model.spec())).collect(),
        };
        let blocks = model.bonus_and_decay();
        Self {
            model,
            models,
            observation: Observation::none(model, models),
            channels: blocks.map(|(u, w)| iter::zip(u, w).map(channel).collect()).collect(),
        }
    }

    fn document(mut self, document: &[u32], context: &Context) -> Result<Observation, Failure> {
        let tokens = [&[END_OF_TEXT], document].concat();
        self.observation.tokens = tokens.len() as u64;
        self.observation.longest_document = tokens.len() as u64;
        let mut state = self.model.start(&float::Float);
        for chunk in tokens.chunks(CHUNK) {
            context.interrupt.check()?;
            self.model.hidden(chunk, &mut state, |attention| {
                observe(
                    self.models,
                    &mut self.channels[attention.block],
                    &mut self.observation.blocks[attention.block],
                    attention,
                );
            });
        }
        Ok(self.observation)
    }
}

fn observe(
    models: &[fixed::Model],
    channels: &mut [ChannelRun],
    observed: &mut [Observed],
    Attention { k, v, .. }: Attention<'_>,
) {
    let width = channels.len();
    for (number, (channel, observed)) in iter::zip(channels, observed).enumerate() {
        let mine = |all: &[f32]| -> Vec<f64> {
            all.iter().skip(number).step_by(width).copied().map(f64::from).collect()
        };
        let (k, v) = (mine(k), mine(v));
        channel.run_float(&k, &v, observed);
        for (number, model) in models.iter().enumerate() {
            let (state, saturations) =
                (&mut channel.fixed[number], &mut observed.saturations[number]);
            run_fixed(model, (channel.u, channel.w), state, &k, &v, saturations);
        }
    }
}

impl ChannelRun {
    fn run_float(&mut self, k: &[f64], v: &[f64], observed: &mut Observed) {
        for (&k, &v) in iter::zip(k, v) {
            (_, self.float) = float::step(self.float, k, v, self.u, self.w);
            include(&mut observed.k, k);
            include(&mut observed.v, v);
            include(&mut observed.aa, self.float.aa);
            include(&mut observed.bb, self.float.bb);
        }
    }
}

fn run_fixed(
    model: &fixed::Model,
    (u, w): (f64, f64),
    state: &mut fixed::State,
    k: &[f64],
    v: &[f64],
    saturations: &mut Saturations,
) {
    let raw = |x: f64| model.spec().format.quantise(x).0;
    let (u, w) = (raw(u), raw(w));
    for (&k, &v) in iter::zip(k, v) {
        let step = model.step(*state, raw(k), raw(v), u, w);
        *state = step.next;
        *saturations += step.counts.saturations;
    }
}
