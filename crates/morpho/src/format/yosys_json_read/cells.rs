//! The cells that are read: what each computes from its pins.

mod flip_flop;
mod gate;
mod word;

use super::body::Body;
use super::document::{Bit, CellText};
use crate::format::source::{MAX_INPUTS, Net, Position, decompose};

/// A cell and its place in the file.
pub(super) struct Cell<'c, 't> {
    pub text: &'c CellText<'t>,
    pub position: Position,
}

/// Why a cell is not read.
pub(super) enum Refusal {
    /// No cell of this type is.
    Kind,
    /// This one is not: what is wrong with it.
    Pin(String),
}

type Added = Result<(), Refusal>;

/// Adds what a cell of Yosys or of the iCE40 does.
pub(super) fn add(body: &mut Body, cell: &Cell) -> Added {
    match cell.kind() {
        "$lut" => lut(body, cell),
        "SB_LUT4" => ice40_lut(body, cell),
        // They say something about the design, and do nothing in it.
        "$scopeinfo" | "$print" | "$check" | "$assert" | "$assume" | "$cover" => Ok(()),
        kind if kind.starts_with("SB_DFF") || is_flip_flop(kind) => flip_flop::add(body, cell),
        kind if kind.starts_with("$_") || kind == "SB_CARRY" => gate::add(body, cell),
        _ => word::add(body, cell),
    }
}

/// Whether the type is one that [`add`] knows by its family, so that it needs no module.
pub(super) fn is_primitive(kind: &str) -> bool {
    kind.starts_with("SB_DFF") || matches!(kind, "SB_LUT4" | "SB_CARRY")
}

fn is_flip_flop(kind: &str) -> bool {
    ["$dff", "$sdff", "$ff", "$_DFF", "$_SDFF", "$_FF_"]
        .iter()
        .any(|family| kind.starts_with(family))
}

impl Cell<'_, '_> {
    pub fn kind(&self) -> &str {
        &self.text.kind.0
    }

    /// The bits at a pin, lowest first; none if it is not connected.
    fn bits(&self, pin: &str) -> &[Bit] {
        self.text.connections.get(pin).map_or(&[], Vec::as_slice)
    }

    /// The nets at an input.
    fn inputs(&self, body: &mut Body, pin: &str) -> Vec<Net> {
        self.bits(pin).iter().map(|&bit| body.net(bit, self.position)).collect()
    }

    /// The net at an input of one bit.
    fn input(&self, body: &mut Body, pin: &str) -> Result<Net, Refusal> {
        match *self.bits(pin) {
            [bit] => Ok(body.net(bit, self.position)),
            [] => Err(Refusal::Pin(format!("has nothing at its input {pin}"))),
            ref bits => {
                Err(Refusal::Pin(format!("has {} bits at its input {pin} of one", bits.len())))
            }
        }
    }

    /// The net at an input of one bit, or a constant if the pin is left open.
    fn input_or(&self, body: &mut Body, pin: &str, open: bool) -> Result<Net, Refusal> {
        match self.bits(pin) {
            [] => Ok(Net::constant(open)),
            _ => self.input(body, pin),
        }
    }

    /// The nets at an output.
    fn outputs(&self, body: &mut Body, pin: &str) -> Vec<Net> {
        self.inputs(body, pin)
    }

    /// The net at an output of one bit; one that nothing reads if the pin is left open.
    fn output(&self, body: &mut Body, pin: &str) -> Result<Net, Refusal> {
        match self.bits(pin) {
            [] => Ok(body.module.net(self.position)),
            _ => self.input(body, pin),
        }
    }

    fn parameter(&self, name: &str) -> Result<u64, Refusal> {
        let value = self.text.parameters.get(name).and_then(|value| value.number());
        value.ok_or_else(|| Refusal::Pin(format!("has no number as its parameter {name}")))
    }

    /// A parameter that is set or not; `default` if it is not given.
    fn flag(&self, name: &str, default: bool) -> Result<bool, Refusal> {
        match self.text.parameters.get(name) {
            None => Ok(default),
            Some(_) => self.parameter(name).map(|value| value != 0),
        }
    }

    /// The lowest `count` bits of a parameter; those that are not known or not there are 0.
    fn parameter_bits(&self, name: &str, count: usize) -> Result<Vec<bool>, Refusal> {
        let bits = self.text.parameters.get(name).and_then(|value| value.bits());
        let mut bits: Vec<bool> = bits
            .ok_or_else(|| Refusal::Pin(format!("has no bits as its parameter {name}")))?
            .into_iter()
            .map(|bit| bit == Some(true))
            .collect();
        bits.resize(count, false);
        Ok(bits)
    }
}

/// A table of any number of inputs.
fn lut(body: &mut Body, cell: &Cell) -> Added {
    let inputs = cell.inputs(body, "A");
    let width = inputs.len();
    if width > MAX_INPUTS {
        let text = format!("has {width} inputs; at most {MAX_INPUTS} are read");
        return Err(Refusal::Pin(text));
    }
    let rows = cell.parameter_bits("LUT", 1 << width)?;
    let output = cell.output(body, "Y")?;
    decompose(&mut body.module, &words(&rows), &inputs, output, cell.position);
    Ok(())
}

/// A table of four inputs; open inputs are 0.
fn ice40_lut(body: &mut Body, cell: &Cell) -> Added {
    let mut inputs = Vec::new();
    for pin in ["I0", "I1", "I2", "I3"] {
        inputs.push(cell.input_or(body, pin, false)?);
    }
    let rows = cell.parameter_bits("LUT_INIT", 16)?;
    let output = cell.output(body, "O")?;
    decompose(&mut body.module, &words(&rows), &inputs, output, cell.position);
    Ok(())
}

/// Rows of a table, 64 a word.
fn words(rows: &[bool]) -> Vec<u64> {
    let word = |rows: &[bool]| {
        rows.iter().enumerate().fold(0, |word, (at, &row)| word | u64::from(row) << at)
    };
    rows.chunks(64).map(word).collect()
}
