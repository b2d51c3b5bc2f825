//! What there is to say about a netlist that was read.

use std::collections::BTreeMap;
use std::fmt;

use morpho::format::{Format, Reading};
use morpho::{Diagnostic, Netlist, Port};
use serde::Serialize;

use crate::failure::printable;
use crate::table::Table;

/// How large a circuit is.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Size {
    /// Look-up tables.
    pub gates: usize,
    /// Flip-flops.
    pub registers: usize,
    /// Gates on the longest path.
    pub depth: usize,
}

impl Size {
    /// The size of `netlist`.
    pub fn of(netlist: &Netlist) -> Self {
        Self {
            gates: netlist.gates().count(),
            registers: netlist.register_bits().count(),
            depth: netlist.depth(),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { gates, registers, depth } = self;
        write!(f, "{gates} gates, {registers} flip-flops, depth {depth}")
    }
}

/// A netlist: where it comes from, its size and its ports.
#[derive(Clone, Debug, Serialize)]
pub struct Description {
    #[serde(skip)]
    file: String,
    format: &'static str,
    top: String,
    #[serde(flatten)]
    size: Size,
    /// The size in the file, if the circuit was made smaller.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Size>,
    clock: Option<String>,
    /// Widths of the input ports.
    inputs: BTreeMap<String, usize>,
    /// Widths of the output ports.
    outputs: BTreeMap<String, usize>,
    memories: usize,
    warnings: Vec<Warning>,
    /// Name, direction and width of each port, in the order of the file.
    #[serde(skip)]
    ports: Vec<(String, &'static str, usize)>,
}

/// What was left out or taken in a way that should be known.
#[derive(Clone, Debug, Serialize)]
struct Warning {
    message: String,
    /// The line of the file; 0 for the file as a whole.
    line: u32,
    column: u32,
    #[serde(skip)]
    text: String,
}

impl Warning {
    fn of(diagnostic: &Diagnostic) -> Self {
        let place = diagnostic.source.as_ref().map(|place| (place.line, place.column));
        let (line, column) = place.unwrap_or_default();
        Self { message: diagnostic.message.clone(), line, column, text: diagnostic.to_string() }
    }
}

/// Ports that are shown; a file may have very many.
const PORTS: usize = 40;

/// The widest name that is shown, in characters.
const NAME: usize = 64;

impl Description {
    /// Describes what `file` came to; `before` is its size there, if it was made smaller since.
    pub fn of(file: String, format: Format, reading: &Reading, before: Option<Size>) -> Self {
        let netlist = &reading.netlist;
        let inputs = netlist.inputs().iter().map(|port| (port, "input"));
        let ports = inputs.chain(netlist.outputs().iter().map(|port| (port, "output")));
        Self {
            file,
            format: format.name(),
            top: netlist.name().to_owned(),
            size: Size::of(netlist),
            before,
            clock: reading.clock.clone(),
            inputs: widths(netlist.inputs()),
            outputs: widths(netlist.outputs()),
            memories: netlist.memories().len(),
            warnings: reading.warnings.iter().map(Warning::of).collect(),
            ports: ports
                .map(|(port, direction)| (port.name.clone(), direction, port.wires.len()))
                .collect(),
        }
    }
}

fn widths(ports: &[Port]) -> BTreeMap<String, usize> {
    ports.iter().map(|port| (port.name.clone(), port.wires.len())).collect()
}

/// A name of a file as one short line.
pub fn shown(name: &str) -> String {
    let name = printable(name).replace(['\n', '\t'], " ");
    match name.char_indices().nth(NAME) {
        None => name,
        Some(_) => name.chars().take(NAME - 3).chain("...".chars()).collect(),
    }
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, format, top, size, before, clock, memories, warnings, ports, .. } = self;
        writeln!(f, "{file}: {format}, top {}", shown(top))?;
        write!(f, "{size}")?;
        if let Some(before) = before {
            write!(f, " (in the file: {before})")?;
        }
        if *memories > 0 {
            write!(f, ", {memories} memories")?;
        }
        if let Some(clock) = clock {
            write!(f, ", clock {}", shown(clock))?;
        }
        let mut table = Table::new(["port", "direction", "width"]);
        for (name, direction, width) in ports.iter().take(PORTS) {
            table.row([shown(name), (*direction).to_owned(), width.to_string()]);
        }
        if !ports.is_empty() {
            write!(f, "\n\n{table}")?;
        }
        if ports.len() > PORTS {
            write!(f, "\n  and {} more", ports.len() - PORTS)?;
        }
        for warning in warnings {
            write!(f, "\nwarning: {}", printable(&warning.text))?;
        }
        Ok(())
    }
}
