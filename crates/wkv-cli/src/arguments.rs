//! How arguments that several commands share are read.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use morpho::format::Format;
use morpho::library::{self, UnknownCell};
use morpho::{Netlist, pass};
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

/// Reads a count or a seed, for `value_parser`.
pub fn whole_number<N: FromStr>(argument: &str) -> Result<N, &'static str> {
    argument.parse().map_err(|_| "expected a whole number that is not negative")
}

/// Reads a count of at least 1, for `value_parser`.
pub fn positive_number(argument: &str) -> Result<NonZeroU64, &'static str> {
    argument.parse().map_err(|_| "expected a whole number of at least 1")
}

/// Reads the name of a format of netlists, for `value_parser`.
pub fn netlist_format(name: &str) -> Result<Format, Failure> {
    Ok(name.parse()?)
}

/// The items of a list without repetitions, in their order.
pub fn distinct<T: Copy + PartialEq>(items: &[T]) -> Vec<T> {
    let mut distinct = Vec::new();
    for &item in items {
        if !distinct.contains(&item) {
            distinct.push(item);
        }
    }
    distinct
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
        self.build_in(circuit::Style::Gates, spec)
    }

    /// As [`build`](Circuit::build), of the cells of a style; those of the library have but one.
    pub fn build_in(&self, style: circuit::Style, spec: &WkvSpec) -> Result<Netlist, Failure> {
        match self {
            Self::Unit(unit) => Ok(circuit::build_in(style, spec, *unit)?),
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
        let (name, numbers) = match text.split_once(':') {
            Some((name, numbers)) => {
                (name, numbers.split(',').map(number).collect::<Result<_, _>>()?)
            }
            None => (text, Vec::new()),
        };
        let in_library = library::table().iter().any(|entry| entry.name == name);
        // A unit may have the name of a cell of the library, which takes numbers.
        match text.parse() {
            Ok(unit) => Ok(Self::Unit(unit)),
            Err(_) if in_library => Ok(Self::Library(name.to_owned(), numbers)),
            Err(_) if name.parse::<Unit>().is_ok() => Err(Failure::input(format!(
                "{name} is a unit of the spec and takes no numbers; expected --unit {name}"
            ))),
            Err(_) if text.contains(':') => Err(UnknownCell::Name { name: name.to_owned() }.into()),
            Err(error) => {
                let error: UnitError = error;
                Err(Failure::input(format!("{error}, or a cell of the library such as {EXAMPLE}")))
            }
        }
    }
}

/// Reads one of the numbers that a cell of the library takes.
fn number(text: &str) -> Result<usize, Failure> {
    let refuse =
        |_| Failure::input(format!("\"{text}\" is no number; expected a form like {EXAMPLE}"));
    text.parse().map_err(refuse)
}

/// A cell of the library, for errors.
const EXAMPLE: &str = "ripple_adder:16,16,1";
