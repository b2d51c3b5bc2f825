//! How arguments that several commands share are read.

use std::fmt;
use std::str::FromStr;

use morpho::{Netlist, library, pass};
use wkv::circuit::{self, Unit, UnitError};
use wkv::{Arithmetic, WkvSpec};

use crate::failure::Failure;

/// Help for every option that takes a spec.
pub const SPEC_HELP: &str = "\
Numerics: classic:qM.F with options (lutN, nointerp, div=restoring|exact), or a .toml file";

/// Reads a spec that has a circuit, for `value_parser`.
pub fn circuit_spec(argument: &str) -> Result<WkvSpec, Failure> {
    match Arithmetic::resolve(argument)? {
        Arithmetic::Fixed(spec) => Ok(spec),
        Arithmetic::Float => Err(Failure::input(
            "float has no circuit; expected a fixed-point spec such as classic:q8.8",
        )),
    }
}

/// A circuit that `--unit` names.
#[derive(Clone, Debug)]
pub enum Circuit {
    /// A unit of a spec.
    Unit(Unit),
    /// A cell of the library, with the widths and numbers that it takes.
    Library(String, Vec<usize>),
}

impl Circuit {
    /// Builds and optimises it; a cell of the library depends on no spec.
    pub fn build(&self, spec: &WkvSpec) -> Result<Netlist, Failure> {
        match self {
            Self::Unit(unit) => Ok(circuit::build(spec, *unit)?),
            Self::Library(name, numbers) => {
                let mut netlist = library::build(name, numbers)
                    .map_err(|error| Failure::input(format!("--unit {self}: {error}")))?;
                pass::optimise(&mut netlist);
                Ok(netlist)
            }
        }
    }
}

impl fmt::Display for Circuit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unit(unit) => unit.fmt(f),
            Self::Library(name, numbers) if numbers.is_empty() => f.write_str(name),
            Self::Library(name, numbers) => {
                let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
                write!(f, "{name}:{}", numbers.join(","))
            }
        }
    }
}

impl FromStr for Circuit {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let (name, numbers) = text.split_once(':').unwrap_or((text, ""));
        let in_library = library::table().iter().any(|entry| entry.name == name);
        if !in_library && !text.contains(':') {
            return text.parse().map(Self::Unit).map_err(|error: UnitError| {
                Failure::input(format!("{error}, or a cell of the library such as {EXAMPLE}"))
            });
        }
        let number = |number: &str| {
            number.parse().map_err(|_| {
                Failure::input(format!("\"{number}\" is no number; expected a form like {EXAMPLE}"))
            })
        };
        let numbers = numbers.split(',').filter(|number| !number.is_empty()).map(number);
        Ok(Self::Library(name.to_owned(), numbers.collect::<Result<_, _>>()?))
    }
}

/// A cell of the library, for errors.
const EXAMPLE: &str = "ripple_adder:16,16,1";
