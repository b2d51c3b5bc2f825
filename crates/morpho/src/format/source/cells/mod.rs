//! Cells that files use without defining them: those of Yosys, and look-up tables, carries, buffers and
//! flip-flops of devices. One table for every format that has cells.
//!
//! Sources: Yosys, `simcells.v`, `simlib.v` and its simulation models of the iCE40, the ECP5 and
//! Gowin's devices; AMD UG953, the libraries guide of the 7 series.

mod carry;
mod device_flip_flop;
mod flip_flop;
mod gate;
mod memory;
mod table;
mod word;

use super::{Instance, Module, Net, Register};

/// An instance of a cell, and its parameters.
#[derive(Clone, Copy)]
pub(in crate::format) struct Cell<'a> {
    pub instance: &'a Instance,
    pub parameter: &'a dyn Fn(&str) -> Option<Parameter>,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::format) enum Parameter {
    /// Lowest first; unknown ones are 0.
    Bits(Vec<bool>),
    Text(String),
}

/// What became of a cell.
pub(in crate::format) enum Lowered {
    /// It is in the module as gates.
    Logic,
    /// Its gates are in the module, and these registers are to be added. The cell says how they
    /// start, or the nets of their outputs do.
    Registers { registers: Vec<Register>, falling: bool, initial: Option<bool> },
    /// It is known and not read: what it is, and what helps.
    Refused(String, &'static str),
    /// It is not connected as it must be: what is wrong.
    Wrong(String),
    /// There is no such cell.
    Unknown,
}

/// Puts a cell into the module that it is used in.
pub(in crate::format) fn lower_cell(module: &mut Module, cell: Cell) -> Lowered {
    // They say something about the design, and do nothing in it.
    const SILENT: [&str; 6] = ["$scopeinfo", "$print", "$check", "$assert", "$assume", "$cover"];
    if SILENT.contains(&cell.kind()) {
        return Lowered::Logic;
    }
    let lowered = table::lower(module, cell)
        .or_else(|| gate::lower(module, cell))
        .or_else(|| flip_flop::lower(module, cell))
        .or_else(|| word::lower(module, cell))
        .or_else(|| carry::lower(module, cell))
        .or_else(|| memory::lower(module, cell));
    match lowered {
        Some(outcome) => outcome.unwrap_or_else(Lowered::Wrong),
        None => refused(cell.kind()),
    }
}

/// Whether a cell of this name is read, so that it needs no module.
pub(in crate::format) fn is_known(name: &str) -> bool {
    let device = ["SB_DFF", "SB_LUT4", "SB_CARRY"];
    device.iter().any(|family| name.starts_with(family))
}

const EDGES: &str = "registers are read that change at a clock edge alone; use synchronous resets";

fn refused(name: &str) -> Lowered {
    let is = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    if is(&["$_DLATCH", "$dlatch", "$adlatch", "$_SR_", "$sr", "LDCE", "LDPE", "DLC", "DLP", "DL_"])
    {
        return Lowered::Refused(format!("the latch `{name}`"), EDGES);
    }
    if is(&["$_DFF_", "$_DFFE_", "$_ALDFF", "$_DFFSR", "$adff", "$aldff", "$dffsr"]) {
        return asynchronous(name);
    }
    if is(&["$mem", "SB_RAM", "RAMB", "DP16KD", "PDPW16KD", "DPB", "SDPB", "TRELLIS_DPR"]) {
        let hint = "memories are not read; map them to registers, `memory -nomap; memory_map`";
        return Lowered::Refused(format!("the memory `{name}`"), hint);
    }
    if is(&["DSP48", "SB_MAC16", "MULT18X18D", "ALU54B", "MULT9X9", "MULT18X18", "SRL", "RAM"]) {
        let hint = "synthesise without it, for Yosys with `-nodsp` or `-nosrl`";
        return Lowered::Refused(format!("the block `{name}`"), hint);
    }
    if name.starts_with('$') {
        let hint = "map it to gates first, with `techmap`, `simplemap` or `synth` of Yosys; flip-flops \
                    with `dfflegalize`";
        return Lowered::Refused(format!("the cell `{name}`"), hint);
    }
    Lowered::Unknown
}

/// The refusal of a flip-flop that changes without a clock edge.
fn asynchronous(name: &str) -> Lowered {
    Lowered::Refused(format!("the asynchronous set or reset of `{name}`"), EDGES)
}

/// What is wrong with a cell, or what became of it.
type Outcome = Result<Lowered, String>;

impl<'a> Cell<'a> {
    fn kind(self) -> &'a str {
        &self.instance.module
    }

    /// Whether it is one of a device, whose open inputs have a value.
    fn is_of_device(self) -> bool {
        !self.kind().starts_with('$')
    }

    /// The nets at a pin; empty if it is not connected.
    fn pin(self, name: &str) -> &'a [Net] {
        let found = self.instance.connections.iter().find(|connection| connection.port == name);
        found.map_or(&[], |connection| &connection.bits)
    }

    fn bit(self, name: &str) -> Result<Option<Net>, String> {
        match *self.pin(name) {
            [] => Ok(None),
            [net] => Ok(Some(net)),
            // A number without a width.
            [net, ..] if self.pin(name).iter().all(|net| net.as_constant().is_some()) => {
                Ok(Some(net))
            }
            _ => Err(format!("has {} bits at its pin `{name}`", self.pin(name).len())),
        }
    }

    /// An input; where nothing is connected that of a device reads `open`.
    fn input_or(self, name: &str, open: bool) -> Result<Net, String> {
        match self.bit(name)? {
            Some(net) => Ok(net),
            None if self.is_of_device() => Ok(Net::constant(open)),
            None => Err(format!("has nothing at its pin `{name}`")),
        }
    }

    fn input(self, name: &str) -> Result<Net, String> {
        self.input_or(name, false)
    }

    fn needed(self, name: &str) -> Result<Net, String> {
        self.bit(name)?.ok_or_else(|| format!("has nothing at its pin `{name}`"))
    }

    /// The bits of a parameter.
    fn bits(self, name: &str) -> Option<Vec<bool>> {
        match (self.parameter)(name)? {
            Parameter::Bits(bits) => Some(bits),
            Parameter::Text(_) => None,
        }
    }

    /// Whether a parameter is not 0; `default` if it is not given.
    fn flag(self, name: &str, default: bool) -> bool {
        self.bits(name).map_or(default, |bits| bits.contains(&true))
    }

    /// A parameter as a text; digits of a binary number without zeros before them.
    fn text(self, name: &str) -> Option<String> {
        Some(match (self.parameter)(name)? {
            Parameter::Text(text) => text.trim().to_string(),
            Parameter::Bits(bits) => {
                let highest = bits.iter().rposition(|&bit| bit).unwrap_or(0);
                let digits = bits.iter().take(highest + 1).rev();
                digits.map(|&bit| if bit { '1' } else { '0' }).collect()
            }
        })
    }

    /// Whether a parameter is this text.
    fn is_text(self, name: &str, text: &str) -> bool {
        self.text(name).is_some_and(|value| value == text)
    }

    /// Whether it has no pin beside these, but for open ones.
    fn check_pins<'p>(
        self,
        known: impl IntoIterator<Item = &'p str> + Clone,
    ) -> Result<(), String> {
        let mut pins = self.instance.connections.iter();
        let strange = pins.find(|pin| !known.clone().into_iter().any(|name| name == pin.port));
        match strange.map(|pin| &pin.port[..]) {
            Some("") => Err("is connected by place; name its pins".to_string()),
            Some(port) => Err(format!("has no pin `{port}`")),
            None => Ok(()),
        }
    }
}
