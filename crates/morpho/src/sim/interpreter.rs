//! The plain simulator: one gate after another on 64 lanes, no tricks.
//!
//! It is the reference that the compiled [`Simulator`](super::Simulator) is tested against.

use std::borrow::Cow;

use super::{Oscillation, SETTLING_ROUNDS};
use crate::memory::Memory;
use crate::netlist::{Netlist, Node, Port, Wire};

/// A netlist with the values of its wires on 64 lanes.
pub struct Interpreter<'n> {
    netlist: Cow<'n, Netlist>,
    /// The value of each wire, one lane per bit.
    values: Vec<u64>,
    memories: Vec<MemoryLanes>,
}

/// The words of a memory on 64 lanes, `words[address][bit]` with one lane per bit.
struct MemoryLanes {
    words: Vec<Vec<u64>>,
}

impl<'n> Interpreter<'n> {
    /// The circuit before the first clock edge, all inputs 0.
    pub fn new(netlist: &'n Netlist) -> Interpreter<'n> {
        Interpreter::of(Cow::Borrowed(netlist))
    }

    /// As [`Interpreter::new`], of a circuit that it keeps.
    pub fn owning(netlist: Netlist) -> Interpreter<'static> {
        Interpreter::of(Cow::Owned(netlist))
    }

    /// The circuit.
    pub fn netlist(&self) -> &Netlist {
        &self.netlist
    }

    fn of(netlist: Cow<'n, Netlist>) -> Interpreter<'n> {
        let mut values = vec![0; netlist.nodes().len()];
        for (value, node) in std::iter::zip(&mut values, netlist.nodes()) {
            if *node == Node::Constant(true) {
                *value = u64::MAX;
            }
        }
        for bit in netlist.register_bits() {
            values[bit.output.index()] = if bit.initial { u64::MAX } else { 0 };
        }
        let memories = netlist.memories().iter().map(MemoryLanes::new).collect();
        Interpreter { netlist, values, memories }
    }

    /// Sets an input port: one number per lane, up to 64 of them; other lanes become 0.
    ///
    /// # Panics
    /// If there is no such port.
    pub fn set(&mut self, port: &str, numbers: &[u128]) {
        let port = find(self.netlist.inputs(), port);
        for (bit, wire) in port.wires.iter().enumerate() {
            let lane = |(lane, number): (usize, &u128)| ((number >> bit & 1) as u64) << lane;
            self.values[wire.index()] = numbers.iter().enumerate().map(lane).sum();
        }
    }

    /// Sets a wire of an input port, one lane per bit.
    ///
    /// # Panics
    /// If it is no wire of an input port.
    pub fn set_wire(&mut self, wire: Wire, lanes: u64) {
        assert_eq!(*self.netlist.node(wire), Node::Input, "only inputs are set");
        self.values[wire.index()] = lanes;
    }

    /// The value of a wire as of the last evaluation, one lane per bit.
    pub fn wire(&self, wire: Wire) -> u64 {
        self.values[wire.index()]
    }

    /// The value of every wire as of the last evaluation, by its index, one lane per bit.
    pub fn values(&self) -> &[u64] {
        &self.values
    }

    /// Brings every gate up to date.
    ///
    /// # Errors
    /// If an asynchronous loop does not settle.
    pub fn evaluate(&mut self) -> Result<(), Oscillation> {
        let mut done = 0;
        for index in 0..self.netlist.loops().len() {
            let range = self.netlist.loops()[index].clone();
            (done..range.start).for_each(|node| _ = self.update(node));
            done = range.end;
            self.settle(range)?;
        }
        (done..self.values.len()).for_each(|node| _ = self.update(node));
        Ok(())
    }

    fn settle(&mut self, gates: std::ops::Range<usize>) -> Result<(), Oscillation> {
        for _ in 0..SETTLING_ROUNDS {
            if !gates.clone().fold(false, |changed, node| self.update(node) | changed) {
                return Ok(());
            }
        }
        Err(Oscillation { gates: gates.len() })
    }

    /// Evaluates one gate; true if it changed.
    fn update(&mut self, node: usize) -> bool {
        let Node::Gate(gate) = &self.netlist.nodes()[node] else { return false };
        let mut arguments = [0; 6];
        for (argument, wire) in std::iter::zip(&mut arguments, gate.inputs()) {
            *argument = self.values[wire.index()];
        }
        let value = gate.lut().evaluate(&arguments);
        std::mem::replace(&mut self.values[node], value) != value
    }

    /// Evaluates, then stores the next value in every register and memory.
    ///
    /// # Errors
    /// If an asynchronous loop does not settle.
    pub fn step(&mut self) -> Result<(), Oscillation> {
        self.evaluate()?;
        let next: Vec<u64> =
            self.netlist.register_bits().map(|bit| self.values[bit.next.index()]).collect();
        let mut read = Vec::new();
        for (memory, lanes) in std::iter::zip(self.netlist.memories(), &mut self.memories) {
            lanes.step(memory, &self.values, &mut read);
        }
        read.into_iter().for_each(|(wire, value)| self.values[wire.index()] = value);
        for (bit, value) in std::iter::zip(self.netlist.register_bits(), next) {
            self.values[bit.output.index()] = value;
        }
        Ok(())
    }

    /// The numbers at an output port, one for each of the first `lanes` lanes.
    ///
    /// # Panics
    /// If there is no such port.
    pub fn get(&self, port: &str, lanes: usize) -> Vec<u128> {
        let port = find(self.netlist.outputs(), port);
        let bit = |lane: usize, bit: usize| self.values[port.wires[bit].index()] >> lane & 1;
        let number = |lane| (0..port.wires.len()).map(|i| u128::from(bit(lane, i)) << i).sum();
        (0..lanes).map(number).collect()
    }
}

impl MemoryLanes {
    fn new(memory: &Memory) -> MemoryLanes {
        let bit = |word: u128, bit: usize| if word >> bit & 1 == 1 { u64::MAX } else { 0 };
        let word = |&word: &u128| (0..memory.width()).map(|index| bit(word, index)).collect();
        MemoryLanes { words: memory.initial.iter().map(word).collect() }
    }

    /// One clock edge: appends what the read ports take, then writes.
    fn step(&mut self, memory: &Memory, values: &[u64], read: &mut Vec<(Wire, u64)>) {
        // The lanes on which a bus is this address.
        let selected = |bus: &[Wire], address: usize| {
            bus.iter().enumerate().fold(u64::MAX, |lanes, (bit, wire)| {
                let value = values[wire.index()];
                lanes & if address >> bit & 1 == 1 { value } else { !value }
            })
        };
        for port in &memory.reads {
            let enable = values[port.enable.index()];
            let equal =
                |lanes, (a, b): (&Wire, &Wire)| lanes & !(values[a.index()] ^ values[b.index()]);
            let collides = std::iter::zip(&port.address, &memory.write.address)
                .fold(values[memory.write.enable.index()], equal);
            let collides = if memory.apart { collides } else { 0 };
            for (bit, &wire) in port.data.iter().enumerate() {
                let words = self.words.iter().enumerate();
                let taken = words
                    .map(|(address, word)| word[bit] & selected(&port.address, address))
                    .fold(collides, |all, word| all ^ word);
                read.push((wire, taken & enable | values[wire.index()] & !enable));
            }
        }
        let enable = values[memory.write.enable.index()];
        for (address, word) in self.words.iter_mut().enumerate() {
            let lanes = enable & selected(&memory.write.address, address);
            for (bit, wire) in std::iter::zip(word, &memory.write.data) {
                *bit = values[wire.index()] & lanes | *bit & !lanes;
            }
        }
    }
}

fn find<'p>(ports: &'p [Port], name: &str) -> &'p Port {
    ports.iter().find(|port| port.name == name).unwrap_or_else(|| panic!("no port named `{name}`"))
}
