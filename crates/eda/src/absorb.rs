//! Registers that the blocks of an ECP5 have themselves.
//!
//! Yosys 0.70 leaves the registers behind block memories and around multipliers in logic cells. The
//! blocks have registers at the same places, and are much faster with them: a memory gives its word
//! 5.7 ns after the clock edge without one. So between Yosys and nextpnr flip-flops move into the
//! block that they follow or precede. Only plain ones do: no enable, no reset, 0 at first, and of
//! the clock of all others there.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A netlist as Yosys writes it; what is not needed here stays as it is.
#[derive(Deserialize, Serialize)]
struct Design {
    modules: BTreeMap<String, Module>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Deserialize, Serialize)]
struct Module {
    ports: BTreeMap<String, Port>,
    cells: BTreeMap<String, Cell>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Deserialize, Serialize)]
struct Port {
    bits: Vec<Bit>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Deserialize, Serialize)]
struct Cell {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    parameters: Map<String, Value>,
    #[serde(default)]
    port_directions: BTreeMap<String, String>,
    connections: BTreeMap<String, Vec<Bit>>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// A net by its number, or a constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(untagged)]
enum Bit {
    Net(u64),
    Constant(String),
}

/// Moves flip-flops of the netlist into the memories and multipliers beside them; gives the netlist,
/// and how many flip-flops are gone.
///
/// # Errors
/// If `json` is no netlist of Yosys.
pub fn absorb(json: &str) -> Result<(String, usize), serde_json::Error> {
    let mut design: Design = serde_json::from_str(json)?;
    let gone = design.modules.values_mut().map(absorb_in).sum();
    Ok((serde_json::to_string(&design)?, gone))
}

fn absorb_in(module: &mut Module) -> usize {
    let before = module.cells.len();
    let blocks = |kind: &str| -> Vec<String> {
        let cells = module.cells.iter().filter(|(_, cell)| cell.kind == kind);
        cells.map(|(name, _)| name.clone()).collect()
    };
    let (memories, multipliers) = (blocks("DP16KD"), blocks("MULT18X18D"));
    let mut absorber = Absorber::new(module);
    memories.iter().for_each(|name| absorber.memory(name));
    multipliers.iter().for_each(|name| absorber.multiplier(name));
    absorber.remove_unread();
    before - module.cells.len()
}

/// Bits of an operand and of a product.
const OPERAND: usize = 18;
const PRODUCT: usize = 36;

/// Bits of a word that takes the outputs of both sides of a memory.
const WIDE: u64 = 36;

struct Absorber<'m> {
    module: &'m mut Module,
    /// The cells and ports that read each net; no cell for an output of the module.
    readers: HashMap<Bit, Vec<(Option<String>, String)>>,
    /// The flip-flop that drives each net.
    flip_flops: HashMap<Bit, String>,
}

impl<'m> Absorber<'m> {
    fn new(module: &'m mut Module) -> Self {
        let mut readers: HashMap<Bit, Vec<(Option<String>, String)>> = HashMap::new();
        let mut flip_flops = HashMap::new();
        for (name, cell) in &module.cells {
            for (port, bits) in &cell.connections {
                let reads = cell.port_directions.get(port).is_some_and(|way| way != "output");
                for bit in bits.iter().filter(|_| reads) {
                    readers
                        .entry(bit.clone())
                        .or_default()
                        .push((Some(name.clone()), port.clone()));
                }
            }
            if cell.clock_of_plain().is_some() {
                flip_flops.insert(cell.connections["Q"][0].clone(), name.clone());
            }
        }
        for (name, port) in &module.ports {
            for bit in &port.bits {
                readers.entry(bit.clone()).or_default().push((None, name.clone()));
            }
        }
        Self { module, readers, flip_flops }
    }

    /// Absorbs the registers behind the words that a memory gives. A word of 36 bits comes out at
    /// both sides, and its register is on if that of both is, as nextpnr sets it for a PDPW16KD.
    fn memory(&mut self, name: &str) {
        let width = |side: &str| self.module.cells[name].number(&format!("DATA_WIDTH_{side}"));
        match [width("A"), width("B")].contains(&Some(WIDE)) {
            true => self.word(name, &["A", "B"], &["B"]),
            false => ["A", "B"].iter().for_each(|side| self.word(name, &[side], &[side])),
        }
    }

    /// Absorbs the registers behind one word, which comes out at `sides`. The registers of those
    /// that are `read` must take it at each edge; at the others the port only writes, and whether
    /// its register takes anything was of no account.
    fn word(&mut self, name: &str, sides: &[&str], read: &[&str]) {
        let cell = &self.module.cells[name];
        let all = |port: &str, sides: &[&str], value: &str| {
            sides.iter().all(|side| cell.is_constant(&format!("{port}{side}"), value))
        };
        let free = sides.iter().all(|side| cell.is_set(&format!("REGMODE_{side}"), "NOREG"))
            && all("OCE", read, "1")
            && all("RST", sides, "0");
        let clock = |side: &&str| Some(cell.connections.get(&format!("CLK{side}"))?[0].clone());
        let clocks: Option<HashSet<Bit>> = sides.iter().map(clock).collect();
        let ports = sides.iter().flat_map(|side| (0..OPERAND).map(move |n| format!("DO{side}{n}")));
        let ports: Vec<String> = ports.collect();
        let behind = self.behind(name, &ports).map(|clock| HashSet::from([clock]));
        if free && behind.is_some() && behind == clocks {
            self.shift_out(name, &ports);
            for side in sides {
                self.set(name, &format!("REGMODE_{side}"), "OUTREG");
                let enable = vec![Bit::Constant("1".to_owned())];
                self.cell(name).connections.insert(format!("OCE{side}"), enable);
            }
        }
    }

    /// Absorbs one or two registers behind the product, and those of each operand.
    fn multiplier(&mut self, name: &str) {
        let ports: Vec<String> = (0..PRODUCT).map(|bit| format!("P{bit}")).collect();
        let mut clock = None;
        for register in ["REG_OUTPUT_CLK", "REG_PIPELINE_CLK"] {
            let found = self.behind(name, &ports);
            if found.is_none() || clock.is_some() && found != clock {
                break;
            }
            self.shift_out(name, &ports);
            self.set(name, register, "CLK0");
            clock = found;
        }
        for side in ["A", "B"] {
            let ports: Vec<String> = (0..OPERAND).map(|bit| format!("{side}{bit}")).collect();
            let found = self.before(name, &ports);
            if found.is_some() && (clock.is_none() || found == clock) {
                self.shift_in(name, &ports);
                self.set(name, &format!("REG_INPUT{side}_CLK"), "CLK0");
                clock = found;
            }
        }
        let Some(clock) = clock else { return };
        self.set(name, "GSR", "DISABLED");
        let constant = |value: &str| Bit::Constant(value.to_owned());
        for (port, bit) in [("CLK0", clock), ("CE0", constant("1")), ("RST0", constant("0"))] {
            let cell = self.cell(name);
            cell.connections.insert(port.to_owned(), vec![bit]);
            cell.port_directions.insert(port.to_owned(), "input".to_owned());
        }
    }

    /// The clock of the flip-flops behind these outputs, if each bit that is read has one and no
    /// other reader.
    fn behind(&self, name: &str, ports: &[String]) -> Option<Bit> {
        let mut clock = None;
        for (_, flip_flop) in self.next(name, ports)? {
            let of = self.module.cells[&flip_flop].clock_of_plain()?;
            if *clock.get_or_insert(of) != of {
                return None;
            }
        }
        clock.cloned()
    }

    /// The output ports that are read, each with the one flip-flop behind it.
    fn next(&self, name: &str, ports: &[String]) -> Option<Vec<(String, String)>> {
        let mut next = Vec::new();
        for (port, bit) in self.nets(name, ports) {
            match self.readers.get(&bit).map_or(&[][..], Vec::as_slice) {
                [] => (),
                [(Some(cell), input)] if input == "DI" => next.push((port, cell.clone())),
                _ => return None,
            }
        }
        Some(next)
    }

    /// Makes the outputs drive what the flip-flops behind them drove.
    fn shift_out(&mut self, name: &str, ports: &[String]) {
        for (port, flip_flop) in self.next(name, ports).unwrap_or_default() {
            let removed = self.module.cells.remove(&flip_flop).expect("it was found");
            self.flip_flops.remove(&removed.connections["Q"][0]);
            self.cell(name).connections.insert(port, removed.connections["Q"].clone());
        }
    }

    /// The clock of the flip-flops before these inputs, if all of them that are not 0 have one.
    fn before(&self, name: &str, ports: &[String]) -> Option<Bit> {
        let cell = &self.module.cells[name];
        let wired = |port: &&String| !cell.is_constant(port, "0");
        let mut clock = None;
        for port in ports.iter().filter(wired) {
            let flip_flop = self.flip_flops.get(cell.connections.get(port)?.first()?)?;
            let of = self.module.cells[flip_flop].clock_of_plain()?;
            if *clock.get_or_insert(of) != of {
                return None;
            }
        }
        clock.cloned()
    }

    /// Makes the inputs read what the flip-flops before them read.
    fn shift_in(&mut self, name: &str, ports: &[String]) {
        for (port, bit) in self.nets(name, ports) {
            let flip_flop = &self.flip_flops[&bit];
            let data = self.module.cells[flip_flop].connections["DI"].clone();
            if let Some(readers) = self.readers.get_mut(&bit) {
                readers.retain(|(cell, input)| cell.as_deref() != Some(name) || *input != port);
            }
            let reader = (Some(name.to_owned()), port.clone());
            self.readers.entry(data[0].clone()).or_default().push(reader);
            self.cell(name).connections.insert(port, data);
        }
    }

    /// The ports that have a net.
    fn nets(&self, name: &str, ports: &[String]) -> Vec<(String, Bit)> {
        let connections = &self.module.cells[name].connections;
        let first = |port: &String| Some((port.clone(), connections.get(port)?.first()?.clone()));
        ports.iter().filter_map(first).filter(|(_, bit)| matches!(bit, Bit::Net(_))).collect()
    }

    fn cell(&mut self, name: &str) -> &mut Cell {
        self.module.cells.get_mut(name).expect("blocks are never removed")
    }

    fn set(&mut self, name: &str, parameter: &str, value: &str) {
        self.cell(name).parameters.insert(parameter.to_owned(), value.into());
    }

    /// Flip-flops whose readers took their data instead.
    fn remove_unread(&mut self) {
        let cells = self.module.cells.values().flat_map(|cell| {
            let inputs = cell.connections.iter();
            inputs
                .filter(|(port, _)| cell.port_directions.get(*port).is_some_and(|w| w != "output"))
        });
        let ports = self.module.ports.values().flat_map(|port| &port.bits);
        let read: HashSet<Bit> = cells.flat_map(|(_, bits)| bits).chain(ports).cloned().collect();
        for (output, name) in self.flip_flops.drain() {
            if !read.contains(&output) {
                self.module.cells.remove(&name);
            }
        }
    }
}

impl Cell {
    fn is_set(&self, parameter: &str, value: &str) -> bool {
        // Yosys puts a space behind a text that could be read as bits.
        self.parameters.get(parameter).and_then(Value::as_str).map(str::trim_end) == Some(value)
    }

    /// The value of a parameter, which Yosys writes in binary digits.
    fn number(&self, parameter: &str) -> Option<u64> {
        let value = self.parameters.get(parameter)?;
        value.as_u64().or_else(|| u64::from_str_radix(value.as_str()?, 2).ok())
    }

    fn is_constant(&self, port: &str, value: &str) -> bool {
        self.connections.get(port).is_none_or(|bits| bits[..] == [Bit::Constant(value.to_owned())])
    }

    /// The clock of a flip-flop that starts at 0 and takes its data at each edge.
    fn clock_of_plain(&self) -> Option<&Bit> {
        let plain = self.kind == "TRELLIS_FF"
            && self.is_set("CLKMUX", "CLK")
            && self.is_set("CEMUX", "1")
            && self.is_set("REGSET", "RESET")
            && self.is_constant("LSR", "0")
            && self.connections.contains_key("DI");
        self.connections.get("CLK")?.first().filter(|_| plain)
    }
}
