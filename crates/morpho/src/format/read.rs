//! Netlists from files that any tool wrote.

use super::source::{self, Design, Position, Problems};
use super::{Format, aiger_read, blif_read, verilog_read, yosys_json_read};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::netlist::Netlist;

/// What a reader should know beside the bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The module that is the circuit; `None` for the one that the format says is, or the only
    /// one that no other uses.
    pub top: Option<String>,
    /// The name of the file, for messages.
    pub file: String,
}

/// What a file came to.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The circuit, flattened, as the file has it: no pass has run.
    pub netlist: Netlist,
    /// What was left out or taken in a way that should be known.
    pub warnings: Vec<Diagnostic>,
    /// The name of the input that clocks the registers, if the file has one.
    pub clock: Option<String>,
}

/// Reads a netlist of one clock.
///
/// Bits named `a[3]` or `a_3`, all present from 0, form the bus `a`. The clock is no input of the
/// circuit. A gate of the file is a gate of the circuit, except that one which passes its input on
/// is no gate, and one of more than six inputs becomes several.
///
/// # Errors
/// Every problem found, with its line and column: text that the format does not allow or that is
/// not read, nets that are driven twice or read and not driven, cycles that cross no register,
/// unknown modules and modules inside themselves, ports of another width, several clocks, and a
/// top module that is not there or not clear.
pub fn read(bytes: &[u8], format: Format, options: &ReadOptions) -> Result<Reading, Diagnostics> {
    let mut problems = Problems::new(&options.file, bytes);
    let design = match format {
        Format::Blif => blif_read::parse(bytes, &mut problems),
        Format::Verilog => verilog_read::parse(bytes, &mut problems),
        Format::YosysJson => yosys_json_read::parse(bytes, &mut problems),
        Format::Aiger | Format::AigerAscii => {
            aiger_read::parse(bytes, &options.file, &mut problems)
        }
        Format::Rtl | Format::Dot => {
            let text = format!("{format} files are written, not read");
            problems.error(Position::default(), Diagnostic::new(text));
            Design::default()
        }
    };
    source::elaborate(design, options.top.as_deref(), problems)
}
