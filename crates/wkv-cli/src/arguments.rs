//! How arguments that several commands share are read.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use morpho::format::Format;
use morpho::library::{self, UnknownCell};
use morpho::pass::Mapping;
use morpho::{Netlist, pass};
use serde::Serialize;
use wkv::circuit::pipeline::{self, Pipeline, PipelineError};
use wkv::circuit::{self, Unit, UnitError, behavioural};
use wkv::{Arithmetic, WkvSpec};

use crate::failure::Failure;

/// Help for every option that takes a spec.
pub const SPEC_HELP: &str = "\
Numerics: classic:qM.F with options (lutN, nointerp, div=restoring|newton|exact, noguard), or a .toml file";

/// Help for every option that takes a kind of weights.
pub const WEIGHTS_HELP: &str = "\
Keep the model's matrices in f32, or in int8 with a scale for each output";

/// Reads a spec that has a circuit, for `value_parser`.
pub fn circuit_spec(argument: &str) -> Result<WkvSpec, Failure> {
    match Arithmetic::resolve(argument)? {
        Arithmetic::Fixed(spec) => Ok(spec),
        other => Err(Failure::input(format!(
            "{other} has no circuit; expected a fixed-point spec such as classic:q8.8"
        ))),
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

/// Reads the name of a mapping to look-up tables, for `value_parser`.
pub fn mapping(name: &str) -> Result<Mapping, Failure> {
    let (size, for_area) = match name.strip_suffix("-area") {
        Some(size) => (size, true),
        None => (name, false),
    };
    let inputs = size.strip_prefix("lut").and_then(|inputs| inputs.parse().ok());
    match inputs {
        Some(inputs @ Mapping::MIN_INPUTS..=Mapping::MAX_INPUTS) => {
            let mapping = Mapping::new(inputs);
            Ok(if for_area { mapping.for_area() } else { mapping })
        }
        _ => Err(Failure::input(format!(
            "unknown mapping \"{name}\": expected lut{} to lut{}, or lut4-area and the like",
            Mapping::MIN_INPUTS,
            Mapping::MAX_INPUTS
        ))),
    }
}

/// Help for `--map`.
pub const MAP_HELP: &str = "Cover the circuit with look-up tables: lut4, with the least depth, or \
                            lut4-area, with few tables; lut2 to lut6";

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

/// A command line for a POSIX shell.
pub fn command_line(words: &[String]) -> String {
    let quote = |word: &String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    let words: Vec<String> = words.iter().map(quote).collect();
    format!("wkv {}", words.join(" "))
}

/// How a circuit is made, as `--style` says. A pipelined bank and a cell of the library have but one
/// form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// Of the cells with the fewest gates.
    Gates,
    /// Of cells for carry chains, to be written with operators.
    Carry,
    /// Written from the formulas as Verilog with operators; the cell only.
    Behavioural,
}

impl Style {
    const NAMES: [(&str, Style); 3] =
        [("gates", Style::Gates), ("carry", Style::Carry), ("behavioural", Style::Behavioural)];

    /// The mapping of a circuit of this style: where operators are written, nothing reaches across them.
    pub fn mapping(self, mapping: Mapping) -> Mapping {
        match self {
            Style::Carry => mapping.around_operators(),
            Style::Gates | Style::Behavioural => mapping,
        }
    }

    /// Refuses a circuit that there is not, or that would be wrong, in this style.
    pub fn check(self, circuit: &Circuit) -> Result<(), Failure> {
        let why = match (circuit, self) {
            (Circuit::Unit(Unit::Cell), _) | (_, Style::Gates) => return Ok(()),
            (_, Style::Behavioural) => "only the cell is written so",
            (Circuit::Unit(Unit::Multiplier | Unit::Divider | Unit::Step), Style::Carry) => {
                "alone it would be wrong for numbers that it never gets in a cell"
            }
            (_, Style::Carry) => return Ok(()),
        };
        Err(Failure::input(format!(
            "--style {self} --unit {circuit}: {why}; expected --unit cell, or --style gates"
        )))
    }
}

impl fmt::Display for Style {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(_, style)| style == self);
        f.write_str(name.map_or("", |(name, _)| name))
    }
}

impl FromStr for Style {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let named = Self::NAMES.iter().find(|(name, _)| *name == text);
        named.map(|&(_, style)| style).ok_or_else(|| {
            Failure::input(format!(
                "unknown style \"{text}\": expected gates, carry or behavioural"
            ))
        })
    }
}

/// A circuit that is written: its netlist, or the text of a module.
pub enum Written {
    /// A netlist.
    Netlist(Box<Netlist>),
    /// The Verilog of the module [`behavioural::MODULE`].
    Text(String),
}

/// A circuit that `--unit` names.
#[derive(Clone, Debug)]
pub enum Circuit {
    /// A unit of a spec.
    Unit(Unit),
    /// A pipelined bank of a spec.
    Pipeline(Pipeline),
    /// A cell of the library, with the widths and numbers that it takes.
    Library(String, Vec<usize>),
}

impl Circuit {
    /// The number of channels, if they take turns at one set of ports.
    pub fn channels_in_turn(&self) -> Option<usize> {
        match *self {
            Self::Unit(Unit::Serial(channels) | Unit::Shared(channels)) => Some(channels),
            Self::Pipeline(Pipeline { channels, .. }) => Some(channels),
            _ => None,
        }
    }

    /// Builds and optimises it; a cell of the library depends on no spec.
    pub fn build(&self, spec: &WkvSpec) -> Result<Netlist, Failure> {
        self.netlist(circuit::Style::Gates, spec)
    }

    /// Builds it in a style that it [has](Style::check).
    pub fn build_in(&self, style: Style, spec: &WkvSpec) -> Result<Written, Failure> {
        style.check(self)?;
        let style = match style {
            Style::Gates => circuit::Style::Gates,
            Style::Carry => circuit::Style::Carry,
            Style::Behavioural => return Ok(Written::Text(behavioural::verilog(spec))),
        };
        Ok(Written::Netlist(Box::new(self.netlist(style, spec)?)))
    }

    fn netlist(&self, style: circuit::Style, spec: &WkvSpec) -> Result<Netlist, Failure> {
        match self {
            Self::Unit(unit) => Ok(circuit::build_in(style, spec, *unit)?),
            Self::Pipeline(bank) => {
                pipeline::build(spec, *bank).map_err(|problems| Failure::all(&problems.0))
            }
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
            Self::Pipeline(bank) => bank.fmt(f),
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
        if text.starts_with("pipeline=") {
            let bank =
                text.parse().map_err(|error: PipelineError| Failure::input(error.to_string()));
            return bank.map(Self::Pipeline);
        }
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
                Err(Failure::input(format!(
                    "{error}, pipeline=N, or a cell of the library such as {EXAMPLE}"
                )))
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
