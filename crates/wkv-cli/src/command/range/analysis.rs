//! The bounds of every channel of a model.

use std::iter;

use rayon::prelude::*;
use rwkv::Model;
use serde::Serialize;
use wkv::WkvSpec;
use wkv::range::{Bounds, Channel, Fixed, Interval, Registers, Witness};
use wkv::stats::Saturations;

use super::observation::{Observation, Observed};
use crate::context::Context;
use crate::failure::Failure;

/// f64 arithmetic may leave a bound of real arithmetic by this part of it.
const ROUNDING: f64 = 1e-9;

/// Where the ranges of keys and values come from.
pub enum Ranges<'a> {
    /// The same for every channel.
    Given {
        /// Keys, base 2.
        k: Interval,
        /// Values.
        v: Interval,
    },
    /// Those of each channel on a text.
    Observed(&'a Observation),
}

/// The channels of one block.
#[derive(Serialize)]
pub struct Block {
    /// Number of the block, from 0.
    pub block: usize,
    /// Its channels.
    pub channels: Vec<ChannelRange>,
}

/// What is known of one channel.
#[derive(Serialize)]
pub struct ChannelRange {
    /// Its constants, and the ranges of its keys and values.
    #[serde(flatten)]
    pub channel: Channel,
    /// In real arithmetic, for streams of at most the length asked for.
    pub real: Reach,
    /// What it did on the text.
    pub observed: Option<Observed>,
    /// In each spec.
    pub specs: Vec<SpecRange>,
}

/// Bounds of registers.
#[derive(Serialize)]
pub struct Reach {
    /// The bounds, as real numbers.
    pub bounds: Bounds,
    /// Integer bits that hold them, the sign included.
    pub integer_bits: Registers<Option<u32>>,
}

/// What a channel can do in one spec.
#[derive(Serialize)]
pub struct SpecRange {
    /// The spec.
    pub spec: WkvSpec,
    /// Bounds of the integer model, for streams of at most the length asked for.
    #[serde(flatten)]
    pub reach: Reach,
    /// The first token at which a register isn't proven not to saturate, in streams of any length.
    pub first_saturation: Registers<Option<u64>>,
    /// The number of tokens after which it did in a constructed stream.
    pub witness: Witness,
}

/// Analyses every channel of `model`, on all cores, for streams of at most `length` tokens.
pub fn run(
    model: &Model,
    ranges: &Ranges<'_>,
    specs: &[WkvSpec],
    length: Option<u64>,
    context: &Context,
) -> Result<Vec<Block>, Failure> {
    let fixed: Vec<Fixed> = specs.iter().map(Fixed::new).collect();
    let block = |(block, (u, w)): (usize, (&[f64], &[f64]))| {
        context.interrupt.check()?;
        let channel = |number: usize| {
            let (k, v) = ranges.of(block, number);
            let channel = Channel::new(u[number], w[number], k, v)?;
            let observed = match ranges {
                Ranges::Given { .. } => None,
                Ranges::Observed(observation) => Some(observation.blocks[block][number].clone()),
            };
            Ok(ChannelRange {
                channel,
                real: Reach::of(channel.bounds(length)),
                observed,
                specs: fixed.iter().map(|fixed| SpecRange::of(fixed, &channel, length)).collect(),
            })
        };
        let channels = (0..u.len()).into_par_iter().map(channel).collect::<Result<_, Failure>>()?;
        Ok(Block { block, channels })
    };
    model.bonus_and_decay().enumerate().map(block).collect()
}

impl Ranges<'_> {
    fn of(&self, block: usize, channel: usize) -> (Interval, Interval) {
        match self {
            Self::Given { k, v } => (*k, *v),
            Self::Observed(observation) => {
                let Observed { k, v, .. } = observation.blocks[block][channel];
                (k, v)
            }
        }
    }
}

impl Reach {
    fn of(bounds: Bounds) -> Self {
        Self { bounds, integer_bits: bounds.map(|bound| bound.integer_bits()) }
    }
}

impl SpecRange {
    fn of(fixed: &Fixed, channel: &Channel, length: Option<u64>) -> Self {
        Self {
            spec: *fixed.spec(),
            reach: Reach::of(fixed.bounds(channel, length)),
            first_saturation: fixed.first_saturation(channel),
            witness: fixed.witness(channel),
        }
    }

    /// The first token at which `aa`, `bb`, the numerator or the denominator can saturate.
    pub fn first_of_sums(&self) -> Option<u64> {
        let Registers { aa, bb, num, den, .. } = self.first_saturation;
        [aa, bb, num, den].into_iter().flatten().min()
    }

    /// Whether a register saturated that could not have, in documents of at most `longest` tokens.
    fn excludes(&self, saturations: &Saturations, longest: u64) -> bool {
        let first = &self.first_saturation;
        [
            (saturations.ww, first.ww),
            (saturations.num, first.num),
            (saturations.den, first.den),
            (saturations.out, first.out),
            (saturations.aa, first.aa),
            (saturations.bb, first.bb),
        ]
        .into_iter()
        .any(|(count, first)| count > 0 && first.is_none_or(|first| first > longest))
    }
}

impl ChannelRange {
    fn held(&self, longest_document: u64) -> bool {
        let Some(observed) = &self.observed else { return true };
        let Registers { aa, bb, .. } = self.channel.bounds(Some(longest_document));
        holds(aa, observed.aa)
            && holds(bb, observed.bb)
            && !iter::zip(&self.specs, &observed.saturations)
                .any(|(spec, saturations)| spec.excludes(saturations, longest_document))
    }
}

impl Block {
    /// Whether the run over the text stayed within the bounds of every channel.
    pub fn held(&self, longest_document: u64) -> bool {
        self.channels.iter().all(|channel| channel.held(longest_document))
    }
}

fn holds(bound: Interval, observed: Interval) -> bool {
    let margin = |x: f64| ROUNDING * x.abs().max(1.0);
    bound.low - margin(bound.low) <= observed.low
        && observed.high <= bound.high + margin(bound.high)
}
