//! What is synthesised, and how it is written.

use std::fmt;
use std::path::Path;

use clap::ValueEnum;
use eda::yosys::Language;
use morpho::format::{self, Format};
use serde::Serialize;
use wkv::circuit::{Unit, behavioural};
use wkv::{WkvSpec, file};

use crate::arguments::Circuit;
use crate::failure::Failure;

/// How a circuit is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// The netlist, gate by gate.
    Gates,
    /// Verilog with operators, written from the formulas.
    Behavioural,
}

/// Where a design comes from.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Design {
    /// A circuit of ours.
    Circuit {
        /// Its numerics.
        spec: WkvSpec,
        /// The circuit.
        unit: String,
        /// How it is written.
        style: Style,
    },
    /// Somebody's file.
    File {
        /// Its name, without the folder.
        file: String,
    },
}

/// The text of a design.
pub struct Source {
    pub text: String,
    pub language: Language,
    /// The top module, if known.
    pub top: Option<&'static str>,
}

impl Design {
    /// A circuit of ours in Verilog.
    pub fn of(spec: &WkvSpec, unit: &Circuit, style: Style) -> Result<(Self, Source), Failure> {
        let (text, top) = match style {
            Style::Gates => (format::to_string(&unit.build(spec)?, Format::Verilog), None),
            Style::Behavioural => match unit {
                Circuit::Unit(Unit::Cell) => {
                    (behavioural::verilog(spec), Some(behavioural::MODULE))
                }
                _ => {
                    return Err(Failure::input(format!(
                        "--style behavioural --unit {unit}: only the cell is written so; expected \
                         --unit cell, or --style gates"
                    )));
                }
            },
        };
        let design = Self::Circuit { spec: *spec, unit: unit.to_string(), style };
        Ok((design, Source { text, language: Language::Verilog, top }))
    }

    /// A design in a file.
    pub fn read(path: &Path) -> Result<(Self, Source), Failure> {
        let file = path.display().to_string();
        let refuse = |problem: String| Failure::input(format!("{file}: {problem}"));
        let language = Language::of(path).ok_or_else(|| {
            refuse("not known by its name; expected Verilog or BLIF, .v, .sv or .blif".to_owned())
        })?;
        let text =
            file::read_text(path, file::MOST_BYTES).map_err(|error| refuse(error.to_string()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok((Self::File { file: name }, Source { text, language, top: None }))
    }
}

impl fmt::Display for Design {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Circuit { spec, unit, style: Style::Gates } => write!(f, "{unit} of {spec}"),
            Self::Circuit { spec, unit, style: Style::Behavioural } => {
                write!(f, "{unit} of {spec}, behavioural")
            }
            Self::File { file } => f.write_str(file),
        }
    }
}
