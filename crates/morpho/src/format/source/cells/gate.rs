//! Cells that are one function, or a choice among more inputs.

use smallvec::SmallVec;

use super::{Cell, Lowered, Outcome};
use crate::format::source::{Module, Net, multiplexer};
use crate::lut::{Lut, PROJECTION};

const A: u64 = PROJECTION[0];
const B: u64 = PROJECTION[1];
const C: u64 = PROJECTION[2];
const D: u64 = PROJECTION[3];

const fn choose(select: u64, zero: u64, one: u64) -> u64 {
    zero & !select | one & select
}

/// Name, inputs, output, and the function.
type Gate = (&'static str, &'static [&'static str], &'static str, u64);

const GATES: [Gate; 43] = [
    ("$_BUF_", &["A"], "Y", A),
    ("$_NOT_", &["A"], "Y", !A),
    ("$_AND_", &["A", "B"], "Y", A & B),
    ("$_NAND_", &["A", "B"], "Y", !(A & B)),
    ("$_OR_", &["A", "B"], "Y", A | B),
    ("$_NOR_", &["A", "B"], "Y", !(A | B)),
    ("$_XOR_", &["A", "B"], "Y", A ^ B),
    ("$_XNOR_", &["A", "B"], "Y", !(A ^ B)),
    ("$_ANDNOT_", &["A", "B"], "Y", A & !B),
    ("$_ORNOT_", &["A", "B"], "Y", A | !B),
    ("$_MUX_", &["A", "B", "S"], "Y", choose(C, A, B)),
    ("$_NMUX_", &["A", "B", "S"], "Y", !choose(C, A, B)),
    ("$_AOI3_", &["A", "B", "C"], "Y", !(A & B | C)),
    ("$_OAI3_", &["A", "B", "C"], "Y", !((A | B) & C)),
    ("$_AOI4_", &["A", "B", "C", "D"], "Y", !(A & B | C & D)),
    ("$_OAI4_", &["A", "B", "C", "D"], "Y", !((A | B) & (C | D))),
    // The iCE40.
    ("SB_CARRY", &["I0", "I1", "CI"], "CO", A & B | A & C | B & C),
    ("SB_GB", &["USER_SIGNAL_TO_GLOBAL_BUFFER"], "GLOBAL_BUFFER_OUTPUT", A),
    // The ECP5.
    ("PFUMX", &["BLUT", "ALUT", "C0"], "Z", choose(C, A, B)),
    ("L6MUX21", &["D0", "D1", "SD"], "Z", choose(C, A, B)),
    ("VLO", &[], "Z", 0),
    ("VHI", &[], "Z", !0),
    ("IB", &["I"], "O", A),
    ("OB", &["I"], "O", A),
    // AMD, and Gowin where the names are the same.
    ("MUXF5", &["I0", "I1", "S"], "O", choose(C, A, B)),
    ("MUXF6", &["I0", "I1", "S"], "O", choose(C, A, B)),
    ("MUXF7", &["I0", "I1", "S"], "O", choose(C, A, B)),
    ("MUXF8", &["I0", "I1", "S"], "O", choose(C, A, B)),
    ("MUXF9", &["I0", "I1", "S"], "O", choose(C, A, B)),
    ("MUXCY", &["DI", "CI", "S"], "O", choose(C, A, B)),
    ("XORCY", &["CI", "LI"], "O", A ^ B),
    ("INV", &["I"], "O", !A),
    ("BUF", &["I"], "O", A),
    ("IBUF", &["I"], "O", A),
    ("OBUF", &["I"], "O", A),
    ("BUFG", &["I"], "O", A),
    ("MUX2_LUT5", &["I0", "I1", "S0"], "O", choose(C, A, B)),
    ("MUX2_LUT6", &["I0", "I1", "S0"], "O", choose(C, A, B)),
    ("MUX2_LUT7", &["I0", "I1", "S0"], "O", choose(C, A, B)),
    ("MUX2_LUT8", &["I0", "I1", "S0"], "O", choose(C, A, B)),
    // Constants, whose only pin says which.
    ("GND", &[], "G", 0),
    ("VCC", &[], "P", !0),
    ("VCC", &[], "V", !0),
];

/// Selections: name, words of one bit, and selects, the low one first.
const CHOICES: [(&str, &str, &str); 3] = [
    ("$_MUX4_", "ABCD", "ST"),
    ("$_MUX8_", "ABCDEFGH", "STU"),
    ("$_MUX16_", "ABCDEFGHIJKLMNOP", "STUV"),
];

/// `None` if it is no such cell.
pub(super) fn lower(module: &mut Module, cell: Cell) -> Option<Outcome> {
    let connected = |gate: &&Gate| !cell.pin(gate.2).is_empty();
    let mut named = GATES.iter().filter(|gate| gate.0 == cell.kind());
    if let Some(&(_, inputs, output, table)) = named.clone().find(connected).or(named.next()) {
        return Some(function(module, cell, inputs, output, table));
    }
    let choice = CHOICES.iter().find(|choice| choice.0 == cell.kind());
    choice.map(|(_, words, selects)| choose_bit(module, cell, words, selects))
}

/// One function of the pins `inputs`, input `i` of the table in bit `i` of its rows' numbers.
pub(super) fn function(
    module: &mut Module,
    cell: Cell,
    inputs: &[&str],
    output: &str,
    table: u64,
) -> Outcome {
    cell.check_pins(inputs.iter().copied().chain([output]))?;
    let nets: Result<SmallVec<[Net; 6]>, String> =
        inputs.iter().map(|input| cell.input(input)).collect();
    let nets = nets?;
    if let Some(output) = cell.bit(output)? {
        module.gate(Lut::new(nets.len(), table), &nets, output, cell.instance.position);
    }
    Ok(Lowered::Logic)
}

fn choose_bit(module: &mut Module, cell: Cell, words: &str, selects: &str) -> Outcome {
    let pins = |letters: &str| letters.chars().map(String::from).collect::<Vec<_>>();
    let (words, selects) = (pins(words), pins(selects));
    cell.check_pins(words.iter().chain(&selects).map(String::as_str).chain(["Y"]))?;
    let nets = |pins: &[String]| -> Result<Vec<Net>, String> {
        pins.iter().map(|pin| cell.input(pin)).collect()
    };
    let (mut parts, position) = (nets(&words)?, cell.instance.position);
    for select in nets(&selects)? {
        let pairs = parts.chunks_exact(2);
        parts =
            pairs.map(|pair| multiplexer(module, select, [pair[0], pair[1]], position)).collect();
    }
    if let Some(output) = cell.bit("Y")? {
        module.alias(output, parts[0], position);
    }
    Ok(Lowered::Logic)
}
