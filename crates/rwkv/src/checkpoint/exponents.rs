//! The forms in which decays, bonuses and keys are stored.

use std::f64::consts::LOG2_E;
use std::fmt;

/// How the exponents of a time mix are stored.
///
/// The decay is kept in the form that the file has it in, so that none loses a bit: in f32 there is
/// no way from `-e^x` back to the same `x`. The model takes all of them as exponents of 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Exponents {
    /// As trained, and as BlinkDL and Hugging Face store them: the state shrinks by
    /// `e^(-e^time_decay)` a token; bonus and keys are exponents of e.
    #[default]
    Trained,
    /// As rwkv.cpp stores them: the decay is the exponent `-e^time_decay` of e itself.
    Rate,
    /// Exponents of 2: the decay is `-e^time_decay log2 e`, the bonus `time_first log2 e`, and
    /// the key matrix has the factor `log2 e`.
    Base2,
}

impl Exponents {
    /// The exponent of 2 by which the state shrinks a token, of a stored decay.
    pub fn decay(self, stored: f32) -> f64 {
        match self {
            Self::Trained => -f64::from(stored).exp() * LOG2_E,
            Self::Rate => f64::from(stored) * LOG2_E,
            Self::Base2 => f64::from(stored),
        }
    }

    /// The exponent of 2 of a stored bonus, or a weight of the key matrix in base 2.
    pub fn base2(self, stored: f32) -> f64 {
        match self {
            Self::Trained | Self::Rate => f64::from(stored) * LOG2_E,
            Self::Base2 => f64::from(stored),
        }
    }

    /// What a stored decay is in another form, rounded once.
    pub(super) fn decay_in(self, to: Self, stored: f32) -> f32 {
        match to {
            to if to == self => stored,
            Self::Trained => (-self.decay(stored) / LOG2_E).ln() as f32,
            Self::Rate => (self.decay(stored) / LOG2_E) as f32,
            Self::Base2 => self.decay(stored) as f32,
        }
    }

    /// What a stored bonus or key weight is in another form, rounded once.
    pub(super) fn exponent_in(self, to: Self, stored: f32) -> f32 {
        match (self, to) {
            (Self::Trained | Self::Rate, Self::Base2) => self.base2(stored) as f32,
            (Self::Base2, Self::Trained | Self::Rate) => (f64::from(stored) / LOG2_E) as f32,
            _ => stored,
        }
    }
}

impl fmt::Display for Exponents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Trained => "as trained",
            Self::Rate => "of rwkv.cpp",
            Self::Base2 => "of base 2",
        })
    }
}
