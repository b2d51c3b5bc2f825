//! What is synthesised, and how it is written.

use std::fmt;
use std::path::Path;

use eda::yosys::Language;
use morpho::format::{self, Format};
use morpho::pass::{Mapping, Pass};
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
        /// The look-up tables that it is mapped to.
        #[serde(skip_serializing_if = "Option::is_none")]
        map: Option<&'static str>,
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
        let design = Self::Circuit { spec: *spec, unit: unit.to_string(), style, map: None };
        Ok((design, Source { text, language: Language::Verilog, top }))
    }

    /// A circuit of ours in look-up tables, which stay.
    pub fn mapped(
        spec: &WkvSpec,
        unit: &Circuit,
        style: Style,
        mapping: Mapping,
    ) -> Result<(Self, Source), Failure> {
        let refuse = |why: &str| {
            let map = mapping.name();
            Failure::input(format!("--map {map} --unit {unit} --style {style}: {why}"))
        };
        let mut netlist = match unit.build_in(style, spec)? {
            Written::Netlist(netlist) => netlist,
            Written::Text(_) => return Err(refuse("it has no gates; expected --style gates")),
        };
        mapping.run(&mut netlist);
        let mut text = Vec::new();
        format::write(&netlist, Format::Blif, &mut text)
            .map_err(|error| refuse(&error.to_string()))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let map = Some(mapping.name());
        let design = Self::Circuit { spec: *spec, unit: unit.to_string(), style, map };
        Ok((design, Source { text, language: Language::Tables, top: None }))
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
            Self::Circuit { spec, unit, style, map } => {
                write!(f, "{unit} of {spec}")?;
                match style {
                    Style::Gates => (),
                    _ => write!(f, ", {style}")?,
                }
                map.map_or(Ok(()), |map| write!(f, ", {map}"))
            }
            Self::File { file } => f.write_str(file),
        }
    }
}
