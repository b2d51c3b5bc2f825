//! Netlists as files for other tools, one module a format.
//!
//! ```
//! use morpho::format::{self, Format};
//! use morpho::{Builder, Lut};
//!
//! let carry = Builder::build("carry", |n| {
//!     let x = n.input("x", 3);
//!     let y = n.lut(Lut::MAJORITY, &[&x.bit(0)?, &x.bit(1)?, &x.bit(2)?])?;
//!     n.output("y", &y);
//!     Ok(())
//! })?;
//! let text = format::to_string(&carry, "blif".parse()?);
//! assert!(text.contains(".names x[0] x[1] x[2] y\n11- 1\n1-1 1\n-11 1\n"));
//! assert_eq!(Format::Verilog.extension(), "v");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A name of the circuit is kept wherever the format can express it, and changed only where it is
//! illegal there or taken; inputs come first, then outputs, the circuit itself, the clock and
//! registers.

pub mod aiger;
pub mod blif;
pub mod dot;
pub mod rtl;
pub mod test_bench;
pub mod vcd;
pub mod verilog;
pub mod yosys_json;

mod aiger_read;
mod blif_read;
mod cover;
mod expression;
mod keywords;
mod names;
mod read;
mod source;
mod verilog_read;
mod yosys_json_read;

use std::fmt;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::str::FromStr;

pub use read::{ReadOptions, Reading, read};

use crate::lut::Lut;
use crate::netlist::Netlist;

/// The function of a look-up table as a formula in Verilog's notation, argument `j` by the name
/// `names[j]`.
///
/// # Panics
/// If the table depends on an argument that has no name.
///
/// ```
/// use morpho::{Lut, format::formula};
///
/// assert_eq!(formula(Lut::AND_NOT, &["a", "b"]), "a & ~b");
/// ```
pub fn formula(lut: Lut, names: &[&str]) -> String {
    let tokens = expression::Expression::new(lut).tokens();
    let text = tokens.iter().map(|token| match *token {
        expression::Token::Text(text) => text,
        expression::Token::Input(input) => names[input],
    });
    text.collect()
}

/// A file format that a netlist can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Berkeley Logic Interchange Format, see [`blif`].
    Blif,
    /// Structural Verilog-2001, see [`verilog`].
    Verilog,
    /// Verilog-2001 with operators, see [`rtl`].
    Rtl,
    /// The JSON of Yosys, see [`yosys_json`].
    YosysJson,
    /// Binary AIGER, see [`aiger`].
    Aiger,
    /// AIGER as text, see [`aiger`].
    AigerAscii,
    /// A drawing for Graphviz, see [`dot`].
    Dot,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 7] = [
        Format::Blif,
        Format::Verilog,
        Format::Rtl,
        Format::YosysJson,
        Format::Aiger,
        Format::AigerAscii,
        Format::Dot,
    ];

    /// The name, as given on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Blif => "blif",
            Format::Verilog => "verilog",
            Format::Rtl => "rtl",
            Format::YosysJson => "yosys-json",
            Format::Aiger => "aiger",
            Format::AigerAscii => "aiger-ascii",
            Format::Dot => "dot",
        }
    }

    /// The usual ending of a file's name, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Blif => "blif",
            Format::Verilog => "v",
            Format::Rtl => "rtl.v",
            Format::YosysJson => "json",
            Format::Aiger => "aig",
            Format::AigerAscii => "aag",
            Format::Dot => "dot",
        }
    }

    /// The format that a file has by the ending of its name, in any case; `None` if no format has
    /// that ending.
    pub fn of_file(path: &Path) -> Option<Format> {
        match &path.extension()?.to_str()?.to_ascii_lowercase()[..] {
            "blif" => Some(Format::Blif),
            "json" => Some(Format::YosysJson),
            "aig" => Some(Format::Aiger),
            "aag" => Some(Format::AigerAscii),
            "v" | "sv" => Some(Format::Verilog),
            "dot" => Some(Format::Dot),
            _ => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Format, UnknownFormat> {
        let known = Format::ALL.into_iter().find(|format| format.name() == name);
        known.ok_or_else(|| UnknownFormat(name.to_string()))
    }
}

/// A name that no [`Format`] has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a netlist format; the formats are {list}", list = Format::ALL.map(Format::name).join(", "))]
pub struct UnknownFormat(pub String);

/// Writes `netlist` to `out`, through a buffer.
///
/// # Errors
/// What `out` reports; unsupported if the circuit has a memory or an asynchronous loop and the
/// format has none.
pub fn write(netlist: &Netlist, format: Format, out: impl Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    match format {
        Format::Blif => blif::write(netlist, &mut out)?,
        Format::Verilog => verilog::write(netlist, &mut out)?,
        Format::Rtl => rtl::write(netlist, &mut out)?,
        Format::YosysJson => yosys_json::write(netlist, &mut out)?,
        Format::Aiger => aiger::write(netlist, &mut out)?,
        Format::AigerAscii => aiger::write_ascii(netlist, &mut out)?,
        Format::Dot => dot::write(netlist, dot::DEFAULT_DEPTH, &mut out)?,
    }
    out.flush()
}

/// `netlist` as the bytes of a file.
///
/// # Panics
/// If the format cannot hold the circuit, see [`write()`].
pub fn to_bytes(netlist: &Netlist, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(netlist, format, &mut bytes).unwrap_or_else(|error| panic!("{error}"));
    bytes
}

/// `netlist` as a string.
///
/// # Panics
/// As [`to_bytes`]; if the format is no text, which binary AIGER is not.
pub fn to_string(netlist: &Netlist, format: Format) -> String {
    String::from_utf8(to_bytes(netlist, format)).expect("the format is text")
}
