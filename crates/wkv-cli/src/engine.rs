//! What computes the recurrence.

use std::fmt;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use wkv::circuit::gates::Gates;
use wkv::{Arithmetic, Numerics};

use crate::failure::Failure;

/// What computes the recurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// The f64 reference
    Float,
    /// The integer model
    Fixed,
    /// The gates of the circuit
    Gates,
}

impl Engine {
    /// What computes `arithmetic` if no engine is named.
    pub fn of(arithmetic: Arithmetic) -> Self {
        match arithmetic {
            Arithmetic::Float => Self::Float,
            Arithmetic::Fixed(_) | Arithmetic::Exact(_) => Self::Fixed,
        }
    }

    /// The recurrence in `arithmetic`, computed by this engine.
    pub fn numerics(self, arithmetic: Arithmetic) -> Result<Box<dyn Numerics>, Failure> {
        match (self, arithmetic) {
            (Self::Float, _) => Ok(Box::new(Arithmetic::Float)),
            (Self::Fixed, Arithmetic::Fixed(_) | Arithmetic::Exact(_)) => Ok(Box::new(arithmetic)),
            (Self::Gates, Arithmetic::Fixed(spec)) => Ok(Box::new(Gates::new(&spec))),
            (Self::Gates, Arithmetic::Exact(_)) => Err(Failure::input(format!(
                "{arithmetic}: no circuit computes an exact exponential; expected --engine fixed \
                 with it, or a spec without exp2=exact"
            ))),
            (Self::Fixed | Self::Gates, Arithmetic::Float) => Err(Failure::input(
                "the spec float has neither an integer model nor gates; expected --engine float \
                 with it, or a fixed-point spec such as classic:q8.8",
            )),
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Float => "float",
            Self::Fixed => "fixed",
            Self::Gates => "gates",
        })
    }
}
