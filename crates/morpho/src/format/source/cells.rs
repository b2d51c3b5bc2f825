//! Cells that files use without defining them: those of Yosys, and look-up tables, carries and
//! flip-flops of devices.
//!
//! Sources: Yosys, `simcells.v` and `simlib.v`, its simulation models of the iCE40, and the
//! libraries guides of the vendors.

use smallvec::SmallVec;

use super::{Cone, Cones, Instance, MAX_INPUTS, Module, Net, Register, decompose};
use crate::lut::{Lut, PROJECTION};

/// An instance of a cell and its parameters, their bits lowest first.
#[derive(Clone, Copy)]
pub(in crate::format) struct Cell<'a> {
    pub instance: &'a Instance,
    pub parameters: &'a [(String, Vec<bool>)],
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

const A: u64 = PROJECTION[0];
const B: u64 = PROJECTION[1];
const C: u64 = PROJECTION[2];
const D: u64 = PROJECTION[3];
const E: u64 = PROJECTION[4];
const F: u64 = PROJECTION[5];

const fn choose(select: u64, zero: u64, one: u64) -> u64 {
    zero & !select | one & select
}

/// Cells of one output: name, inputs, output, and the function.
type Gate = (&'static str, &'static [&'static str], &'static str, u64);

const GATES: [Gate; 24] = [
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
    ("$_MUX4_", &["A", "B", "C", "D", "S", "T"], "Y", choose(F, choose(E, A, B), choose(E, C, D))),
    ("$_AOI3_", &["A", "B", "C"], "Y", !(A & B | C)),
    ("$_OAI3_", &["A", "B", "C"], "Y", !((A | B) & C)),
    ("$_AOI4_", &["A", "B", "C", "D"], "Y", !(A & B | C & D)),
    ("$_OAI4_", &["A", "B", "C", "D"], "Y", !((A | B) & (C | D))),
    ("SB_CARRY", &["I0", "I1", "CI"], "CO", A & B | A & C | B & C),
    ("SB_GB", &["USER_SIGNAL_TO_GLOBAL_BUFFER"], "GLOBAL_BUFFER_OUTPUT", A),
    ("PFUMX", &["BLUT", "ALUT", "C0"], "Z", choose(C, A, B)),
    ("L6MUX21", &["D0", "D1", "SD"], "Z", choose(C, A, B)),
    ("MUXF7", &["I0", "I1", "S"], "O", choose(C, A, B)),
    ("MUXF8", &["I0", "I1", "S"], "O", choose(C, A, B)),
    ("MUX2_LUT5", &["I0", "I1", "S0"], "O", choose(C, A, B)),
];

/// Look-up tables: name, inputs, outputs (the one that is connected), and the parameter.
type Table = (&'static str, &'static [&'static str], &'static [&'static str], &'static str);

const LUT_INPUTS: [&str; 6] = ["I0", "I1", "I2", "I3", "I4", "I5"];

const TABLES: [Table; 8] = [
    ("SB_LUT4", LUT_INPUTS.split_at(4).0, &["O"], "LUT_INIT"),
    ("LUT1", LUT_INPUTS.split_at(1).0, &["O", "F"], "INIT"),
    ("LUT2", LUT_INPUTS.split_at(2).0, &["O", "F"], "INIT"),
    ("LUT3", LUT_INPUTS.split_at(3).0, &["O", "F"], "INIT"),
    ("LUT4", LUT_INPUTS.split_at(4).0, &["O", "F"], "INIT"),
    ("LUT5", LUT_INPUTS.split_at(5).0, &["O"], "INIT"),
    ("LUT6", &LUT_INPUTS, &["O"], "INIT"),
    // The one of the ECP5, whose pins have other names.
    ("LUT4", &["A", "B", "C", "D"], &["Z"], "INIT"),
];

/// Puts a cell into the module that it is used in.
pub(in crate::format) fn lower_cell(module: &mut Module, cell: Cell) -> Lowered {
    let name = &cell.instance.module[..];
    let outcome = if let Some(gate) = GATES.iter().find(|gate| gate.0 == name) {
        lower_gate(module, cell, gate)
    } else if let Some(table) = find_table(cell) {
        lower_table(module, cell, table)
    } else if name == "$lut" {
        lower_yosys_table(module, cell)
    } else if let Some(kind) = FlipFlop::of(name, cell) {
        kind.lower(module, cell)
    } else if let Some(word) = Word::of(name) {
        word.lower(module, cell)
    } else {
        return refused(name);
    };
    outcome.unwrap_or_else(Lowered::Wrong)
}

fn refused(name: &str) -> Lowered {
    let asynchronous = ["$_DFF_", "$_DFFE_", "$_ALDFF", "$_DFFSR", "$adff", "$aldff", "$dffsr"];
    let latch = ["$_DLATCH", "$dlatch", "$adlatch", "$_SR_", "$sr"];
    let is = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    let hint = "registers are read that change at a clock edge alone; use synchronous resets";
    if is(&latch) {
        return Lowered::Refused(format!("the latch `{name}`"), hint);
    }
    if is(&asynchronous) || name.starts_with("SB_DFF") {
        return Lowered::Refused(format!("the asynchronous set or reset of `{name}`"), hint);
    }
    if name.starts_with("$mem") || name.starts_with("SB_RAM") {
        let hint = "memories are not read; map them to registers, `memory -nomap; memory_map`";
        return Lowered::Refused(format!("the memory `{name}`"), hint);
    }
    if name.starts_with('$') {
        let hint = "map words to gates first, with `techmap` or `synth` of Yosys";
        return Lowered::Refused(format!("the cell `{name}`"), hint);
    }
    Lowered::Unknown
}

impl Cell<'_> {
    /// The nets at a pin; empty if it is not connected.
    fn pin(&self, name: &str) -> &[Net] {
        let found = self.instance.connections.iter().find(|connection| connection.port == name);
        found.map_or(&[], |connection| &connection.bits)
    }

    fn bit(&self, name: &str) -> Result<Option<Net>, String> {
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

    /// An input, which reads 0 where nothing is connected.
    fn input(&self, name: &str) -> Result<Net, String> {
        Ok(self.bit(name)?.unwrap_or(Net::constant(false)))
    }

    fn needed(&self, name: &str) -> Result<Net, String> {
        self.bit(name)?.ok_or_else(|| format!("has nothing at its pin `{name}`"))
    }

    fn parameter(&self, name: &str) -> Option<&[bool]> {
        let found = self.parameters.iter().find(|(parameter, _)| parameter == name);
        found.map(|(_, bits)| &bits[..])
    }

    /// Whether it has no pin beside these.
    fn check_pins(&self, known: &[&str]) -> Result<(), String> {
        let strange = |port: &&str| !known.contains(port);
        let mut ports = self.instance.connections.iter().map(|connection| &connection.port[..]);
        match ports.find(strange) {
            Some("") => Err("is connected by place; name its pins".to_string()),
            Some(port) => Err(format!("has no pin `{port}`")),
            None => Ok(()),
        }
    }
}

fn lower_gate(module: &mut Module, cell: Cell, gate: &Gate) -> Result<Lowered, String> {
    let &(_, inputs, output, table) = gate;
    logic(module, cell, inputs, output, table)
}

fn find_table(cell: Cell) -> Option<&'static Table> {
    let connected = |table: &&Table| table.2.iter().any(|output| !cell.pin(output).is_empty());
    let mut named = TABLES.iter().filter(|table| table.0 == cell.instance.module);
    named.clone().find(connected).or_else(|| named.next())
}

fn lower_table(module: &mut Module, cell: Cell, table: &Table) -> Result<Lowered, String> {
    let &(_, inputs, outputs, parameter) = table;
    let rows = cell.parameter(parameter).unwrap_or_default();
    let rows = rows.iter().enumerate().take(64);
    let table = rows.fold(0, |all, (at, &row)| all | u64::from(row) << at);
    let connected = outputs.iter().find(|output| !cell.pin(output).is_empty());
    logic(module, cell, inputs, connected.unwrap_or(&outputs[0]), table)
}

fn logic(
    module: &mut Module,
    cell: Cell,
    inputs: &[&str],
    output: &str,
    table: u64,
) -> Result<Lowered, String> {
    let known: SmallVec<[&str; 8]> = inputs.iter().copied().chain([output]).collect();
    cell.check_pins(&known)?;
    let inputs: Result<SmallVec<[Net; 6]>, String> =
        inputs.iter().map(|input| cell.input(input)).collect();
    let inputs = inputs?;
    if let Some(output) = cell.bit(output)? {
        module.gate(Lut::new(inputs.len(), table), &inputs, output, cell.instance.position);
    }
    Ok(Lowered::Logic)
}

/// `$lut` of Yosys: input `A` of any width.
fn lower_yosys_table(module: &mut Module, cell: Cell) -> Result<Lowered, String> {
    cell.check_pins(&["A", "Y"])?;
    let (inputs, rows) = (cell.pin("A"), cell.parameter("LUT").unwrap_or_default());
    let Some(output) = cell.bit("Y")? else { return Ok(Lowered::Logic) };
    if inputs.len() > MAX_INPUTS {
        return Err(format!("has {} inputs; at most {MAX_INPUTS} are read", inputs.len()));
    }
    let mut table = vec![0; 1 << inputs.len().saturating_sub(Lut::MAX_ARITY)];
    let set = (0..1 << inputs.len()).filter(|&row| rows.get(row).copied().unwrap_or(false));
    set.for_each(|row: usize| table[row / 64] |= 1u64 << (row % 64));
    decompose(module, &table, inputs, output, cell.instance.position);
    Ok(Lowered::Logic)
}

/// A cell of Yosys on words, which works bit by bit.
#[derive(Clone, Copy)]
enum Word {
    /// `A` and `B`, widened to the width of `Y`.
    Bitwise(Lut),
    /// `A` widened, and complemented or not.
    Unary(Lut),
    /// All bits of `A`, and whether that is complemented.
    Reduce(Lut, bool),
    /// All bits of `A` and of `B` reduced by or, then this of both.
    Logical(Lut),
    /// Whether `A` and `B` are equal, or differ.
    Equal(bool),
    /// `A` or, where `S` is set, `B`.
    Choose,
}

impl Word {
    fn of(name: &str) -> Option<Word> {
        Some(match name {
            "$not" => Word::Unary(Lut::NOT),
            "$pos" | "$buf" => Word::Unary(Lut::BUFFER),
            "$and" => Word::Bitwise(Lut::AND),
            "$or" => Word::Bitwise(Lut::OR),
            "$xor" => Word::Bitwise(Lut::XOR),
            "$xnor" => Word::Bitwise(Lut::XNOR),
            "$reduce_and" => Word::Reduce(Lut::AND, false),
            "$reduce_or" | "$reduce_bool" => Word::Reduce(Lut::OR, false),
            "$reduce_xor" => Word::Reduce(Lut::XOR, false),
            "$reduce_xnor" => Word::Reduce(Lut::XOR, true),
            "$logic_not" => Word::Reduce(Lut::OR, true),
            "$logic_and" => Word::Logical(Lut::AND),
            "$logic_or" => Word::Logical(Lut::OR),
            "$eq" => Word::Equal(true),
            "$ne" => Word::Equal(false),
            "$mux" => Word::Choose,
            _ => return None,
        })
    }

    fn lower(self, module: &mut Module, cell: Cell) -> Result<Lowered, String> {
        let pins: &[&str] = match self {
            Word::Unary(_) | Word::Reduce(..) => &["A", "Y"],
            Word::Bitwise(_) | Word::Logical(_) | Word::Equal(_) => &["A", "B", "Y"],
            Word::Choose => &["A", "B", "S", "Y"],
        };
        cell.check_pins(pins)?;
        let outputs = cell.pin("Y");
        let flag = |name: &str| cell.parameter(name).is_some_and(|bits| bits.contains(&true));
        let signed = flag("A_SIGNED") && (pins.len() == 2 || flag("B_SIGNED"));
        let word = |pin: &str, width: usize| -> Vec<Cone> {
            let bits = cell.pin(pin);
            let sign = bits.last().copied().filter(|_| signed).unwrap_or(Net::constant(false));
            let bits = bits.iter().copied().chain(std::iter::repeat(sign));
            bits.take(width).map(Cone::net).collect()
        };
        let whole = |pin: &str| word(pin, cell.pin(pin).len());
        let mut cones = Cones { module, position: cell.instance.position };
        let values: Vec<Cone> = match self {
            Word::Unary(lut) => {
                let bits = word("A", outputs.len());
                bits.iter().map(|bit| cones.apply(lut, &[bit])).collect()
            }
            Word::Bitwise(lut) => {
                let pairs = std::iter::zip(word("A", outputs.len()), word("B", outputs.len()));
                pairs.map(|(a, b)| cones.apply(lut, &[&a, &b])).collect()
            }
            Word::Reduce(lut, complement) => {
                let value = fold(&mut cones, lut, whole("A"));
                vec![if complement { cones.apply(Lut::NOT, &[&value]) } else { value }]
            }
            Word::Logical(lut) => {
                let pair = ["A", "B"].map(|pin| fold(&mut cones, Lut::OR, whole(pin)));
                vec![cones.apply(lut, &[&pair[0], &pair[1]])]
            }
            Word::Equal(equal) => {
                let width = cell.pin("A").len().max(cell.pin("B").len());
                let pairs = std::iter::zip(word("A", width), word("B", width));
                let bits = pairs.map(|(a, b)| cones.apply(Lut::XNOR, &[&a, &b])).collect();
                let value = fold(&mut cones, Lut::AND, bits);
                vec![if equal { value } else { cones.apply(Lut::NOT, &[&value]) }]
            }
            Word::Choose => {
                let select = Cone::net(cell.needed("S")?);
                let pairs = std::iter::zip(word("A", outputs.len()), word("B", outputs.len()));
                pairs.map(|(a, b)| cones.apply(Lut::MUX, &[&select, &a, &b])).collect()
            }
        };
        let values = values.into_iter().chain(std::iter::repeat(Cone::constant(false)));
        std::iter::zip(outputs, values).for_each(|(&output, value)| cones.drive(output, &value));
        Ok(Lowered::Logic)
    }
}

/// All bits under one operator; without bits 0.
fn fold(cones: &mut Cones, lut: Lut, bits: Vec<Cone>) -> Cone {
    let all = bits.into_iter().reduce(|all, bit| cones.apply(lut, &[&all, &bit]));
    all.unwrap_or(Cone::constant(false))
}

/// How a flip-flop, or a row of them, stores.
struct FlipFlop {
    data: &'static str,
    output: &'static str,
    clock: Option<&'static str>,
    falling: bool,
    /// The pin that lets it store, and its level.
    enable: Option<(&'static str, bool)>,
    /// The pin that makes it store `value` instead, and its level.
    reset: Option<(&'static str, bool)>,
    value: Vec<bool>,
    /// Whether the reset waits for the enable.
    reset_waits: bool,
    initial: Option<bool>,
}

impl FlipFlop {
    fn of(name: &str, cell: Cell) -> Option<FlipFlop> {
        if let Some(letters) = name.strip_prefix("SB_DFF") {
            return FlipFlop::of_ice40(letters);
        }
        if let Some(rest) = name.strip_prefix("$_") {
            return FlipFlop::of_gate(rest.strip_suffix('_')?);
        }
        FlipFlop::of_word(name.strip_prefix('$')?, cell)
    }

    fn plain(data: &'static str, clock: &'static str) -> FlipFlop {
        FlipFlop {
            data,
            output: "Q",
            clock: Some(clock),
            falling: false,
            enable: None,
            reset: None,
            value: vec![false],
            reset_waits: false,
            initial: None,
        }
    }

    /// `SB_DFF` and what stands behind that: `N` falling, `E` enable, `SR` and `SS` reset and set.
    fn of_ice40(letters: &str) -> Option<FlipFlop> {
        let mut kind = FlipFlop { initial: Some(false), ..FlipFlop::plain("D", "C") };
        let falling = letters.strip_prefix('N');
        kind.falling = falling.is_some();
        let letters = falling.unwrap_or(letters);
        let enabled = letters.strip_prefix('E');
        kind.enable = enabled.map(|_| ("E", true));
        kind.reset_waits = true;
        match enabled.unwrap_or(letters) {
            "" => (),
            "SR" => kind.reset = Some(("R", true)),
            "SS" => (kind.reset, kind.value) = (Some(("S", true)), vec![true]),
            _ => return None,
        }
        Some(kind)
    }

    /// `DFF_P`, `DFFE_PP`, `SDFF_PP0`, `SDFFE_PP0P`, `SDFFCE_PP0P`: the levels of the clock, the
    /// reset with its value, and the enable. `FF` has no clock.
    fn of_gate(name: &str) -> Option<FlipFlop> {
        if name == "FF" {
            return Some(FlipFlop { clock: None, ..FlipFlop::plain("D", "C") });
        }
        let (kind, letters) = name.split_once('_')?;
        let level = |at: usize| match letters.as_bytes().get(at)? {
            b'P' | b'1' => Some(true),
            b'N' | b'0' => Some(false),
            _ => None,
        };
        let length = match kind {
            "DFF" => 1,
            "DFFE" => 2,
            "SDFF" => 3,
            "SDFFE" | "SDFFCE" => 4,
            _ => return None,
        };
        if letters.len() != length {
            return None;
        }
        let mut flop = FlipFlop { falling: !level(0)?, ..FlipFlop::plain("D", "C") };
        if kind.ends_with('E') {
            flop.enable = Some(("E", level(length - 1)?));
        }
        if kind.starts_with('S') {
            (flop.reset, flop.value) = (Some(("R", level(1)?)), vec![level(2)?]);
        }
        flop.reset_waits = kind == "SDFFCE";
        Some(flop)
    }

    /// `dff`, `dffe`, `sdff`, `sdffe` and `sdffce`, whose levels are parameters.
    fn of_word(name: &str, cell: Cell) -> Option<FlipFlop> {
        let level = |name: &str| cell.parameter(name).is_none_or(|bits| bits.contains(&true));
        if name == "ff" {
            return Some(FlipFlop { clock: None, ..FlipFlop::plain("D", "CLK") });
        }
        if !matches!(name, "dff" | "dffe" | "sdff" | "sdffe" | "sdffce") {
            return None;
        }
        let mut flop = FlipFlop { falling: !level("CLK_POLARITY"), ..FlipFlop::plain("D", "CLK") };
        if name.ends_with('e') {
            flop.enable = Some(("EN", level("EN_POLARITY")));
        }
        if name.starts_with('s') {
            flop.reset = Some(("SRST", level("SRST_POLARITY")));
            flop.value = cell.parameter("SRST_VALUE").unwrap_or_default().to_vec();
        }
        flop.reset_waits = name == "sdffce";
        Some(flop)
    }

    fn lower(&self, module: &mut Module, cell: Cell) -> Result<Lowered, String> {
        let position = cell.instance.position;
        let pins = [Some(self.data), Some(self.output), self.clock];
        let pins = pins.into_iter().chain([self.enable, self.reset].map(|pin| Some(pin?.0)));
        cell.check_pins(&pins.flatten().collect::<SmallVec<[&str; 5]>>())?;
        let clock = self.clock.map(|clock| cell.needed(clock)).transpose()?;
        let (data, outputs) = (cell.pin(self.data), cell.pin(self.output));
        if !outputs.is_empty() && data.len() != outputs.len() {
            let (given, wanted) = (data.len(), outputs.len());
            return Err(format!("has {given} bits at its pin `{}` for {wanted}", self.data));
        }
        let mut registers = Vec::new();
        let mut cones = Cones { module, position };
        let level = |cones: &mut Cones, pin: Option<(&str, bool)>| match pin {
            None => Ok(None),
            Some((name, level)) => {
                let cone = Cone::net(cell.needed(name)?);
                let cone = if level { cone } else { cones.apply(Lut::NOT, &[&cone]) };
                Ok::<_, String>(Some(cone))
            }
        };
        let (enable, reset) = (level(&mut cones, self.enable)?, level(&mut cones, self.reset)?);
        for (at, (&data, &output)) in std::iter::zip(data, outputs).enumerate() {
            let hold = Cone::net(output);
            let value = Cone::constant(self.value.get(at).copied().unwrap_or(false));
            let mut next = Cone::net(data);
            let mut stages = [(&enable, &hold, false), (&reset, &value, true)];
            if self.reset_waits {
                stages.reverse();
            }
            for (pin, other, when_set) in stages {
                let Some(pin) = pin else { continue };
                let (zero, one) = if when_set { (&next, other) } else { (other, &next) };
                next = cones.apply(Lut::MUX, &[pin, zero, one]);
            }
            let next = cones.net(&next);
            registers.push(Register { next, output, initial: false, clock, position });
        }
        Ok(Lowered::Registers { registers, falling: self.falling, initial: self.initial })
    }
}
