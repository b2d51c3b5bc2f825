//! What is synthesised, and how it is written.

use std::fmt;
use std::path::Path;

use eda::yosys::Language;
use morpho::format::{self, Format};
use serde::Serialize;
use wkv::circuit::behavioural;
use wkv::{WkvSpec, file};

use crate::arguments::{Circuit, Style, Written};
use crate::failure::Failure;

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
        let is_pipeline = matches!(unit, Circuit::Pipeline(_));
        let (text, top) = match unit.build_in(style, spec)? {
            // Operators in place of gates become carry chains.
            Written::Netlist(netlist) if style == Style::Carry || is_pipeline => {
                (format::to_string(&netlist, Format::Rtl), None)
            }
            Written::Netlist(netlist) => (format::to_string(&netlist, Format::Verilog), None),
            Written::Text(text) => (text, Some(behavioural::MODULE)),
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
            Self::Circuit { spec, unit, style } => {
                write!(f, "{unit} of {spec}, {style}")
            }
            Self::File { file } => f.write_str(file),
        }
    }
}
