//! The name of any arithmetic for the recurrence: floating point, or a fixed-point spec.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::fixed::exact::ExactExponential;
use crate::float::Float;
use crate::recurrence::{Numerics, Recurrence};
use crate::spec::{Exp2, SpecError, WkvSpec};

/// The arithmetics that the published page compared, as text.
pub const PUBLISHED: [&str; 8] = [
    "float",
    "classic:q8.8",
    "classic:q8.8:lut64",
    "classic:q8.8:nointerp",
    "classic:q8.8:exp2=exact",
    "classic:q8.8:div=exact",
    "classic:q6.10",
    "classic:q10.6",
];

/// The option of a spec that has no circuit: the exponential is exact.
const EXACT: &str = "exp2=exact";

/// `float`, a fixed-point spec, or one with an exact exponential. As text, and in JSON, one string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Arithmetic {
    /// The f64 reference.
    Float,
    /// The integer model of a spec.
    Fixed(WkvSpec),
    /// The integer model of a spec with an [exact exponential](crate::fixed::exact), which has no
    /// circuit: the text of the spec with the option `exp2=exact`. Its table is the default one.
    Exact(WkvSpec),
}

impl Arithmetic {
    /// What a command line names: `float`, a spec, or the path of a spec ending in `.toml`.
    ///
    /// # Errors
    /// As [`WkvSpec::resolve`].
    pub fn resolve(argument: &str) -> Result<Self, SpecError> {
        Self::read(argument, WkvSpec::resolve)
    }

    /// Reads a name; `spec` reads the name of a spec.
    fn read(
        text: &str,
        spec: impl Fn(&str) -> Result<WkvSpec, SpecError>,
    ) -> Result<Self, SpecError> {
        if text == "float" {
            return Ok(Self::Float);
        }
        let options: Vec<&str> = text.split(':').collect();
        let others: Vec<&str> = options.iter().copied().filter(|&part| part != EXACT).collect();
        match options.len() - others.len() {
            0 => spec(text).map(Self::Fixed),
            1 => {
                let spec: WkvSpec = others.join(":").parse()?;
                match spec.exp2 == Exp2::default() {
                    true => Ok(Self::Exact(spec)),
                    false => Err(twice(text)),
                }
            }
            _ => Err(twice(text)),
        }
    }
}

impl Numerics for Arithmetic {
    fn bank(&self, u: &[f64], w: &[f64]) -> Box<dyn Recurrence> {
        match self {
            Self::Float => Float.bank(u, w),
            Self::Fixed(spec) => spec.bank(u, w),
            Self::Exact(spec) => ExactExponential(*spec).bank(u, w),
        }
    }
}

impl fmt::Display for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Float => f.write_str("float"),
            Self::Fixed(spec) => spec.fmt(f),
            Self::Exact(spec) => write!(f, "{spec}:{EXACT}"),
        }
    }
}

impl FromStr for Arithmetic {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        Self::read(text, str::parse)
    }
}

fn twice(text: &str) -> SpecError {
    SpecError::Repeated { spec: text.to_owned(), field: "the exponential" }
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
