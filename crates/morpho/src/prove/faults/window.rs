//! A part of a circuit as a circuit of its own, in which changes are easier to decide.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::hierarchy::{Hierarchy, Instance};
use crate::lut::Lut;
use crate::netlist::{Gate, Netlist, Node, Port, Wire};
use crate::prove::change::Change;

/// An input port of a [`Window`].
#[derive(Clone, Debug)]
pub struct WindowPort {
    /// The name of the port.
    pub name: &'static str,
    /// For each bit, the wires of the whole circuit that have its value, and whether they have the
    /// complement of it. Several wires of a bit belong to several numbers, each with its own place
    /// in the bits, that are given the same values.
    pub bits: Vec<Vec<(Wire, bool)>>,
}

/// The gates of a circuit whose values follow from those of some of its wires.
///
/// Wires that anything outside reads, or that are observed, are the outputs. So a change to a gate
/// of the window that shows on none of its outputs, whatever the ports are given, shows nowhere in
/// the circuit, in no state and for no input. The converse does not hold: the ports may never be
/// given what shows it, and what is outside may hide it.
///
/// What follows from wires at several places of the bits of a port is left out, because such a port
/// does not give them different numbers.
pub struct Window {
    netlist: Netlist,
    outputs: Vec<Wire>,
    wires: FxHashMap<Wire, Wire>,
    held: FxHashMap<(usize, usize), (Wire, bool)>,
}

/// A wire of the window, and at which places of their bits the wires stand that it follows from.
#[derive(Clone, Copy)]
struct Known {
    inner: Wire,
    places: u8,
}

impl Window {
    /// What follows in `netlist` from `ports` and from wires that always have the given value.
    ///
    /// # Panics
    /// If a bit of a port has more than eight wires.
    pub fn new(netlist: &Netlist, ports: &[WindowPort], constants: &[(Wire, bool)]) -> Window {
        let mut growing = Growing::default();
        growing.nodes.extend([Wire::ZERO, Wire::ONE].map(|wire| *netlist.node(wire)));
        let constants = constants.iter().map(|&(wire, value)| (wire, Wire::constant(value)));
        let always = [Wire::ZERO, Wire::ONE].map(|wire| (wire, wire)).into_iter().chain(constants);
        growing.known.extend(always.map(|(wire, inner)| (wire, Known { inner, places: 0 })));
        let inputs = ports.iter().map(|port| growing.port(port)).collect();
        let given: FxHashSet<Wire> = growing.known.keys().copied().collect();
        for (wire, gate) in netlist.gates() {
            if !given.contains(&wire) {
                growing.follow(wire, gate);
            }
        }
        let held = growing.next_values(netlist);
        let outputs = growing.read_outside(netlist, &given);
        let read = outputs.iter().map(|wire| growing.known[wire].inner);
        let port = |wire: Wire| Port { name: wire.index().to_string(), wires: vec![wire] };
        let ports = read.chain(held.values().map(|&(wire, _)| wire)).map(port).collect();
        growing.known.retain(|wire, _| !given.contains(wire));
        let netlist = Netlist {
            name: "window".to_string(),
            nodes: growing.nodes,
            inputs,
            outputs: ports,
            registers: Vec::new(),
            memories: Vec::new(),
            hierarchy: Hierarchy::new(),
            loops: Vec::new(),
            operators: Vec::new(),
            signals: Vec::new(),
        };
        let wires = growing.known.into_iter().map(|(wire, known)| (wire, known.inner)).collect();
        Window { netlist, outputs, wires, held }
    }

    /// The part as a circuit without registers. Its outputs have one bit each.
    pub fn netlist(&self) -> &Netlist {
        &self.netlist
    }

    /// The wires of the whole circuit that the first output ports of [`Window::netlist`] are, in their
    /// order: what gates outside read, or what is observed. After them come next values again.
    pub fn outputs(&self) -> &[Wire] {
        &self.outputs
    }

    /// A change to the whole circuit as one to [`Window::netlist`]; none if it is not to a gate or
    /// next value of the window.
    pub fn inner(&self, change: Change) -> Option<Change> {
        let inner = |wire| self.wires.get(&wire).copied();
        Some(match change {
            Change::Gate { wire, lut } => Change::Gate { wire: inner(wire)?, lut },
            Change::Stuck { wire, value } => Change::Stuck { wire: inner(wire)?, value },
            Change::Held { register, bit } => {
                let &(wire, value) = self.held.get(&(register, bit))?;
                Change::Stuck { wire, value }
            }
        })
    }
}

/// A window that is being made.
#[derive(Default)]
struct Growing {
    nodes: Vec<Node>,
    known: FxHashMap<Wire, Known>,
}

impl Growing {
    fn add(&mut self, node: Node) -> Wire {
        self.nodes.push(node);
        Wire::from_index(self.nodes.len() - 1)
    }

    fn gate(&mut self, lut: Lut, inputs: &[Wire]) -> Wire {
        self.add(Node::Gate(Gate::new(lut, inputs, Instance::TOP)))
    }

    fn port(&mut self, port: &WindowPort) -> Port {
        let shared = port.bits.iter().any(|bit| bit.len() > 1);
        let wires = port.bits.iter().map(|bit| {
            let input = self.add(Node::Input);
            for (place, &(wire, complemented)) in bit.iter().enumerate() {
                let inner = if complemented { self.gate(Lut::NOT, &[input]) } else { input };
                let places = if shared { 1 << place } else { 0 };
                self.known.insert(wire, Known { inner, places });
            }
            input
        });
        Port { name: port.name.to_string(), wires: wires.collect() }
    }

    /// Adds a gate if it follows from what is known.
    fn follow(&mut self, wire: Wire, gate: &Gate) {
        let inputs: Option<Vec<Known>> =
            gate.inputs().iter().map(|input| self.known.get(input).copied()).collect();
        let Some(inputs) = inputs else { return };
        let places = inputs.iter().fold(0, |places, input| places | input.places);
        if places.count_ones() > 1 {
            return;
        }
        let inputs: Vec<Wire> = inputs.iter().map(|input| input.inner).collect();
        let inner = self.gate(gate.lut(), &inputs);
        self.known.insert(wire, Known { inner, places });
    }

    /// A buffer for each next value that is known, by register and bit, and the initial value.
    fn next_values(&mut self, netlist: &Netlist) -> FxHashMap<(usize, usize), (Wire, bool)> {
        let mut held = FxHashMap::default();
        for (number, register) in netlist.registers().iter().enumerate() {
            for (index, bit) in register.bits.iter().enumerate() {
                if let Some(&Known { inner, .. }) = self.known.get(&bit.next) {
                    held.insert((number, index), (self.gate(Lut::BUFFER, &[inner]), bit.initial));
                }
            }
        }
        held
    }

    /// The wires of the window that gates outside read, or that are observed.
    fn read_outside(&self, netlist: &Netlist, given: &FxHashSet<Wire>) -> Vec<Wire> {
        // Gates that drive a given wire are outside: the window does not follow them.
        let inside = |wire: &Wire| self.known.contains_key(wire) && !given.contains(wire);
        let outside = netlist.gates().filter(|(wire, _)| !inside(wire));
        let read = outside.flat_map(|(_, gate)| gate.inputs().iter().copied());
        let mut wires: Vec<Wire> = read.chain(netlist.sinks()).filter(inside).collect();
        wires.sort();
        wires.dedup();
        wires
    }
}
