//! The error on keys and values drawn at random over the whole range of decays.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use wkv::WkvSpec;
use wkv::spec::Division;
use wkv::stats::{Counts, ErrorStats};
use wkv::synthetic::{Course, Distribution, Measured};

use super::measurement::{Errors, Estimate};
use super::published::{CONTEXT, SPEC};
use super::unclamped::Unclamped;
use crate::context::Context;
use crate::failure::Failure;

/// Banks of channels that are drawn from each distribution; intervals are by bootstrap over them.
pub const DRAWS: usize = 16;

/// Channels in a bank.
pub const CHANNELS: usize = 256;

/// Parts of a stream that are looked at apart.
pub const PARTS: usize = 4;

/// The scales of keys that are tried: RMS, base 2.
const KEY_SCALES: [f64; 3] = [0.3, 1.0, 3.0];

/// The scales of values that are tried: RMS.
const VALUE_SCALES: [f64; 4] = [0.25, 0.5, 1.0, 4.0];

/// What one distribution gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Synthetic {
    /// The distribution.
    pub distribution: Distribution,
    /// With a quotient that is not rounded at all, in registers that do not saturate.
    pub unrounded: Divided,
    /// With division rounded to nearest.
    pub nearest: Divided,
    /// With the restoring divider.
    pub restoring: Divided,
}

/// What one divider gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Divided {
    /// RMS error at the output.
    pub rms_error: Estimate,
    /// The same in each quarter of the streams.
    pub quarters: Vec<Estimate>,
    /// Everything that saturated or underflowed.
    pub counts: Counts,
    /// Saturations that are no start of a stream: `ww2` saturates at each, because the state
    /// starts at the least exponent.
    pub saturations: u64,
}

/// Measures every distribution.
pub fn measure(context: &Context) -> Result<Vec<Synthetic>, Failure> {
    let distributions = distributions();
    let progress = context.progress("claims: synthetic streams", distributions.len() as u64);
    let measured = distributions.into_iter().map(|distribution| {
        let synthetic = Synthetic::measure(distribution);
        progress.advance(1);
        context.interrupt.check().map(|()| synthetic)
    });
    measured.collect()
}

/// All combinations of course and scales.
fn distributions() -> Vec<Distribution> {
    let courses = [Course::Independent, Course::Wandering].into_iter();
    let keys = courses.flat_map(|course| KEY_SCALES.map(|key_scale| (course, key_scale)));
    keys.flat_map(|(course, key_scale)| {
        VALUE_SCALES.map(|value_scale| Distribution { course, key_scale, value_scale })
    })
    .collect()
}

impl Synthetic {
    fn measure(distribution: Distribution) -> Self {
        let restoring: WkvSpec = SPEC.parse().expect("a spec");
        let mut nearest = restoring;
        nearest.division = Division::Exact;
        let unrounded = Unclamped { spec: restoring, rounds: false, clamps_exponents: false };
        let draws: Vec<[Measured<PARTS>; 3]> = (0..DRAWS as u64)
            .into_par_iter()
            .map(|seed| {
                let streams = distribution.draw(CHANNELS, CONTEXT, seed);
                streams.measure([&unrounded, &nearest, &restoring])
            })
            .collect();
        let divided = |arm: usize| Divided::of(draws.iter().map(|draw| &draw[arm]));
        Self { distribution, unrounded: divided(0), nearest: divided(1), restoring: divided(2) }
    }
}

impl Divided {
    fn of<'a>(draws: impl Iterator<Item = &'a Measured<PARTS>> + Clone) -> Self {
        let rms = |errors: &dyn Fn(&Measured<PARTS>) -> ErrorStats| {
            let errors: Errors = draws.clone().map(errors).collect();
            errors.rms().expect("streams have tokens")
        };
        let counts: Counts = draws.clone().map(|draw| draw.counts).sum();
        let everything = counts.saturations.total() + counts.inputs.total();
        Self {
            rms_error: rms(&|draw| draw.errors.iter().copied().sum()),
            quarters: (0..PARTS).map(|part| rms(&|draw| draw.errors[part])).collect(),
            saturations: everything.saturating_sub((DRAWS * CHANNELS) as u64),
            counts,
        }
    }
}
