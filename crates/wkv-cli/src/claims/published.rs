//! What is published about the numerics, in one place: the figures and the wording.

use serde::{Deserialize, Serialize};

/// The format whose figures are published where no other is named.
pub const SPEC: &str = crate::published::SPEC;

/// Perplexity is said to be equal to so many decimals.
pub const PERPLEXITY_DECIMALS: usize = 3;

/// How many times the worst format's RMS error is the best format's.
pub const ERROR_SPAN: f64 = 12.0;

/// The format with the least error, in which saturations are said to cost nothing.
pub const BEST: &str = "classic:q6.10";

/// The format with the greatest error.
pub const WORST: &str = "classic:q10.6";

/// The error is said to stay the same along a document in this block.
pub const FLAT_BLOCK: usize = 0;

/// The error is said to grow along a document in this block.
pub const GROWING_BLOCK: usize = 5;

/// How many times the error grows there.
pub const GROWTH: f64 = 6.0;

/// RMS error on trained presets over the first tokens of a document.
pub const PRESET_ERROR: f64 = 5.7e-3;

/// Length of a document in the published figures, in tokens.
pub const CONTEXT: usize = 256;

/// RMS error on synthetic keys and values with exact division.
pub const SYNTHETIC_EXACT: f64 = 2.6e-3;

/// The same with the restoring divider.
pub const SYNTHETIC_RESTORING: f64 = 3.5e-3;

/// The same in the first quarter of [`CONTEXT`] tokens.
pub const SYNTHETIC_FIRST_QUARTER: f64 = 1.8e-3;

/// The same in the last quarter.
pub const SYNTHETIC_LAST_QUARTER: f64 = 2.5e-3;

/// Channels of the published model that remember more than a hundred tokens.
pub const SLOW_CHANNELS: usize = 1;

/// Channels of the published model.
pub const CHANNELS: usize = 2_304;

/// A published claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// Perplexity does not depend on the format.
    EqualPerplexity,
    /// How far the errors of the formats lie apart.
    ErrorSpan,
    /// Saturations in [`BEST`] cost nothing.
    FreeSaturations,
    /// The error along a document by block.
    ErrorGrowth,
    /// The error on trained presets.
    PresetError,
    /// The error on synthetic streams by divider.
    SyntheticDividers,
    /// The error on synthetic streams along the stream.
    SyntheticQuarters,
    /// Saturations on synthetic streams.
    SyntheticSaturations,
    /// Channels that remember long.
    SlowChannels,
}

impl Claim {
    /// Whether it is about synthetic streams, and so about no model.
    pub fn is_synthetic(self) -> bool {
        matches!(
            self,
            Self::SyntheticDividers | Self::SyntheticQuarters | Self::SyntheticSaturations
        )
    }

    /// The claim in words.
    pub fn wording(self) -> &'static str {
        match self {
            Self::EqualPerplexity => "perplexity is equal to three decimals in every format",
            Self::ErrorSpan => {
                "the RMS error at the output spans 12x, with Q6.10 best and Q10.6 worst"
            }
            Self::FreeSaturations => "saturations in Q6.10 cost nothing",
            Self::ErrorGrowth => {
                "along a document the error is flat in block 0 and grows about 6x in block 5"
            }
            Self::PresetError => "RMS error 5.7e-3 on trained presets over 256 steps, in Q8.8",
            Self::SyntheticDividers => {
                "on synthetic keys and values over the whole range of decays, RMS error 2.6e-3 with \
                 exact division and 3.5e-3 with the restoring divider"
            }
            Self::SyntheticQuarters => {
                "on these, 1.8e-3 in the first quarter of 256 steps and 2.5e-3 in the last"
            }
            Self::SyntheticSaturations => "on these, no saturation in Q8.8",
            Self::SlowChannels => "one channel in 2,304 remembers more than 100 tokens",
        }
    }
}
