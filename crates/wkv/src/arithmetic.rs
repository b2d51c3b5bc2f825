//! The name of any arithmetic for the recurrence: floating point, or a fixed-point spec.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::float::Float;
use crate::recurrence::{Numerics, Recurrence};
use crate::spec::{SpecError, WkvSpec};

/// `float`, or a fixed-point spec. As text, and in JSON, one string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Arithmetic {
    /// The f64 reference.
    Float,
    /// The integer model of a spec.
    Fixed(WkvSpec),
}

impl Arithmetic {
    /// What a command line names: `float`, a spec, or the path of a spec ending in `.toml`.
    ///
    /// # Errors
    /// As [`WkvSpec::resolve`].
    pub fn resolve(argument: &str) -> Result<Self, SpecError> {
        match argument {
            "float" => Ok(Self::Float),
            _ => WkvSpec::resolve(argument).map(Self::Fixed),
        }
    }
}

impl Numerics for Arithmetic {
    fn bank(&self, u: &[f64], w: &[f64]) -> Box<dyn Recurrence> {
        match self {
            Self::Float => Float.bank(u, w),
            Self::Fixed(spec) => spec.bank(u, w),
        }
    }
}

impl fmt::Display for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Float => f.write_str("float"),
            Self::Fixed(spec) => spec.fmt(f),
        }
    }
}

impl FromStr for Arithmetic {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        match text {
            "float" => Ok(Self::Float),
            _ => text.parse().map(Self::Fixed),
        }
    }
}

impl From<Arithmetic> for String {
    fn from(arithmetic: Arithmetic) -> Self {
        arithmetic.to_string()
    }
}

impl TryFrom<String> for Arithmetic {
    type Error = SpecError;

    fn try_from(text: String) -> Result<Self, SpecError> {
        text.parse()
    }
}
