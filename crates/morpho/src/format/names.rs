//! Names in a file: legal, and no two things under one.

use std::fmt;

use rustc_hash::FxHashMap;

use crate::netlist::{Netlist, Node, Port, Register, Wire};

/// Gives out names, each one once.
///
/// Holds every name given, and the number last put behind it to make another.
#[derive(Default)]
pub(super) struct Taken(FxHashMap<String, usize>);

impl Taken {
    /// `wanted` if it is free, else `wanted` with `suffix`, else that with `_2`, `_3` ...
    pub fn claim(&mut self, wanted: &str, suffix: &str) -> String {
        if self.insert(wanted) {
            return wanted.to_string();
        }
        let base = format!("{wanted}{suffix}");
        if self.insert(&base) {
            return base;
        }
        loop {
            let number = self.0.get_mut(&base).expect("it was found taken, or has just been");
            *number += 1;
            let candidate = format!("{base}_{number}");
            if self.insert(&candidate) {
                return candidate;
            }
        }
    }

    fn insert(&mut self, name: &str) -> bool {
        let free = !self.0.contains_key(name);
        if free {
            self.0.insert(name.to_string(), 1);
        }
        free
    }

    /// `prefix`, made longer until no name given is that with just a number behind it.
    pub fn free_prefix(&self, prefix: &str) -> String {
        let numbered = |name: &String, prefix: &str| {
            let number = name.strip_prefix(prefix).unwrap_or_default();
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        };
        let mut prefix = prefix.to_string();
        while self.0.keys().any(|name| numbered(name, &prefix)) {
            prefix.push('_');
        }
        prefix
    }
}

/// `name` with an underscore for every character that is not `legal`; `unnamed` if it is empty.
/// Icarus Verilog 11 takes `#` and `@`, even escaped, for words of its own where they stand alone.
pub(super) fn legalise(name: &str, legal: impl Fn(char) -> bool) -> String {
    match name {
        "" => "unnamed".to_string(),
        "#" | "@" => "_".to_string(),
        _ => name.chars().map(|c| if legal(c) { c } else { '_' }).collect(),
    }
}

/// A port or register under the name that it has in the file.
pub(super) struct Signal {
    pub name: String,
    /// The bits that it has, lowest first, by their position in the bus.
    pub bits: Vec<(usize, Wire)>,
}

impl Signal {
    fn of_port(port: &Port, name: String) -> Signal {
        Signal { name, bits: port.wires.iter().copied().enumerate().collect() }
    }

    fn of_register(register: &Register, name: String) -> Signal {
        Signal { name, bits: register.bits.iter().map(|bit| (bit.index, bit.output)).collect() }
    }

    /// The positions of the lowest and the highest bit; `None` if it has no bits.
    pub fn span(&self) -> Option<(usize, usize)> {
        Some((self.bits.first()?.0, self.bits.last()?.0))
    }

    /// Whether it is one wire rather than a vector. One wire is a vector if its name alone would
    /// read as that of a bit: readers put such bits together again.
    pub fn is_scalar(&self) -> bool {
        self.span() == Some((0, 0)) && !reads_as_bit(&self.name)
    }
}

/// Whether a name is `a[3]` or `a_3` for some `a`.
pub(super) fn reads_as_bit(name: &str) -> bool {
    let bracketed = name.strip_suffix(']').unwrap_or(name);
    let stem = bracketed.trim_end_matches(|c: char| c.is_ascii_digit());
    let separator = if bracketed.len() < name.len() { '[' } else { '_' };
    stem.len() < bracketed.len() && stem.ends_with(separator)
}

/// The names of a netlist's ports, registers and clock in a file.
pub(super) struct Names {
    pub model: String,
    pub inputs: Vec<Signal>,
    pub outputs: Vec<Signal>,
    pub registers: Vec<Signal>,
    /// The names of the memories.
    pub memories: Vec<String>,
    /// The words of the read ports, memory by memory.
    pub reads: Vec<Signal>,
    /// The clock, if there are registers or memories.
    pub clock: Option<String>,
    pub taken: Taken,
}

impl Names {
    /// Names of `legal` characters. On a collision an output gets `_out` behind its name, the
    /// circuit `_module`, a register `_reg`, a memory `_memory` and anything else a number.
    ///
    /// Not every format minds that a port or register is named as the circuit, but Verilator does.
    pub fn new(netlist: &Netlist, legal: impl Fn(char) -> bool) -> Names {
        let mut taken = Taken::default();
        let mut claim = |name: &str, suffix| taken.claim(&legalise(name, &legal), suffix);
        let inputs = netlist.inputs().iter();
        let inputs = inputs.map(|port| Signal::of_port(port, claim(&port.name, ""))).collect();
        let outputs = netlist.outputs().iter();
        let outputs =
            outputs.map(|port| Signal::of_port(port, claim(&port.name, "_out"))).collect();
        let model = claim(netlist.name(), "_module");
        let clocked = netlist.register_bits().next().is_some() || !netlist.memories().is_empty();
        let clock = clocked.then(|| claim("clk", ""));
        let registers = netlist.registers().iter();
        let registers = registers
            .map(|register| Signal::of_register(register, claim(&register.name, "_reg")))
            .collect();
        let memories: Vec<String> =
            netlist.memories().iter().map(|memory| claim(&memory.name, "_memory")).collect();
        let reads = std::iter::zip(netlist.memories(), &memories).flat_map(|(memory, name)| {
            memory.reads.iter().map(move |read| (format!("{name}_read"), &read.data))
        });
        let reads = reads
            .map(|(name, data)| Signal {
                name: claim(&name, ""),
                bits: data.iter().copied().enumerate().collect(),
            })
            .collect();
        Names { model, inputs, outputs, registers, memories, reads, clock, taken }
    }
}

impl Names {
    /// Gives each register the name of an output that is named as it and shows all of it: where the
    /// names of registers and outputs need not differ.
    pub fn share_registers(&mut self, netlist: &Netlist) {
        let outputs = std::iter::zip(netlist.outputs(), &self.outputs);
        let outputs: FxHashMap<&str, &Signal> =
            outputs.map(|(port, signal)| (&port.name[..], signal)).collect();
        for (register, signal) in std::iter::zip(netlist.registers(), &mut self.registers) {
            let same = |output: &&&Signal| output.bits == signal.bits;
            if let Some(output) = outputs.get(&register.name[..]).filter(same) {
                signal.name.clone_from(&output.name);
            }
        }
    }
}

/// The name of every wire of a netlist.
///
/// An input, a register bit, and a gate that an output shows have the names of those; other gates
/// are a prefix and the number of the wire.
pub(super) struct WireNames {
    given: Vec<String>,
    /// For each wire the position in `given`, or [`WireNames::NUMBERED`].
    place: Vec<u32>,
    prefix: String,
    /// The names of output bits that are not names of wires, each with the wire to show there.
    pub aliases: Vec<(String, Wire)>,
}

impl WireNames {
    const NUMBERED: u32 = u32::MAX;

    /// The names where `constants` are those of the constant wires, and `bit` names one bit of a
    /// signal by its position.
    pub fn new(
        netlist: &Netlist,
        names: &Names,
        constants: [String; 2],
        bit: impl Fn(&Signal, usize) -> String,
    ) -> WireNames {
        let mut wires = WireNames {
            given: Vec::new(),
            place: vec![WireNames::NUMBERED; netlist.nodes().len()],
            prefix: names.taken.free_prefix("n"),
            aliases: Vec::new(),
        };
        for (wire, name) in std::iter::zip([Wire::ZERO, Wire::ONE], constants) {
            wires.name(wire, name);
        }
        for signal in names.inputs.iter().chain(&names.registers).chain(&names.reads) {
            for &(index, wire) in &signal.bits {
                wires.name(wire, bit(signal, index));
            }
        }
        for signal in &names.outputs {
            for &(index, wire) in &signal.bits {
                match netlist.node(wire) {
                    Node::Gate(_) if wires.is_numbered(wire) => {
                        wires.name(wire, bit(signal, index))
                    }
                    _ => wires.aliases.push((bit(signal, index), wire)),
                }
            }
        }
        wires
    }

    fn name(&mut self, wire: Wire, name: String) {
        self.place[wire.index()] = self.given.len() as u32;
        self.given.push(name);
    }

    /// Whether the wire is known by its number only.
    pub fn is_numbered(&self, wire: Wire) -> bool {
        self.place[wire.index()] == WireNames::NUMBERED
    }

    /// The name of `wire`.
    pub fn of(&self, wire: Wire) -> WireName<'_> {
        match self.place[wire.index()] {
            WireNames::NUMBERED => WireName::Numbered(&self.prefix, wire.index()),
            place => WireName::Given(&self.given[place as usize]),
        }
    }
}

/// A wire's name, to be printed.
pub(super) enum WireName<'n> {
    Given(&'n str),
    Numbered(&'n str, usize),
}

impl fmt::Display for WireName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WireName::Given(name) => f.write_str(name),
            WireName::Numbered(prefix, number) => write!(f, "{prefix}{number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_name_gets_the_suffix_and_then_a_number() {
        let mut taken = Taken::default();
        let mut claims = |name| taken.claim(name, "_out");
        assert_eq!(["a", "a", "a", "a"].map(&mut claims), ["a", "a_out", "a_out_2", "a_out_3"]);
        assert_eq!(
            ["b_out_2", "b", "b_out", "b"].map(&mut claims),
            ["b_out_2", "b", "b_out", "b_out_3"]
        );
    }

    #[test]
    fn a_prefix_never_meets_a_name() {
        let mut taken = Taken::default();
        assert_eq!(taken.free_prefix("n"), "n");
        ["n1x", "n"].iter().for_each(|name| _ = taken.claim(name, ""));
        assert_eq!(taken.free_prefix("n"), "n");
        ["n07", "n_3"].iter().for_each(|name| _ = taken.claim(name, ""));
        assert_eq!(taken.free_prefix("n"), "n__");
    }
}
