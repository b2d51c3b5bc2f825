//! A finished circuit: gates, registers, ports and the hierarchy they came from.

use crate::graph;
use crate::hierarchy::{Hierarchy, Instance};
use crate::lut::Lut;
use crate::memory::Memory;
use crate::operator::Operator;
use crate::signal::Signal;

/// A wire, which is also the node that drives it: an index into [`Netlist::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Wire(pub(crate) u32);

impl Wire {
    /// The wire that is always 0.
    pub const ZERO: Wire = Wire(0);
    /// The wire that is always 1.
    pub const ONE: Wire = Wire(1);

    /// The constant wire of this value.
    pub const fn constant(value: bool) -> Wire {
        Wire(value as u32)
    }

    /// The value of a constant wire.
    pub const fn as_constant(self) -> Option<bool> {
        match self.0 {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    /// The index of the node that drives this wire.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn from_index(index: usize) -> Wire {
        Wire(u32::try_from(index).expect("a netlist has fewer than 2^32 wires"))
    }
}

/// A look-up table and the wires it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    lut: Lut,
    inputs: [Wire; Lut::MAX_ARITY],
    origin: Instance,
}

impl Gate {
    /// A gate that applies `lut` to `inputs`, built by the cell instance `origin`.
    ///
    /// # Panics
    /// If the number of inputs is not the arity of `lut`.
    pub fn new(lut: Lut, inputs: &[Wire], origin: Instance) -> Gate {
        assert_eq!(inputs.len(), lut.arity(), "a gate has as many inputs as its look-up table");
        let mut all = [Wire::ZERO; Lut::MAX_ARITY];
        all[..inputs.len()].copy_from_slice(inputs);
        Gate { lut, inputs: all, origin }
    }

    /// The function of the gate.
    pub fn lut(&self) -> Lut {
        self.lut
    }

    /// The wires it reads; argument `j` of the table is wire `j`.
    pub fn inputs(&self) -> &[Wire] {
        &self.inputs[..self.lut.arity()]
    }

    /// The cell instance that built it.
    pub fn origin(&self) -> Instance {
        self.origin
    }

    pub(crate) fn inputs_mut(&mut self) -> &mut [Wire] {
        &mut self.inputs[..self.lut.arity()]
    }

    pub(crate) fn with_origin(self, origin: Instance) -> Gate {
        Gate { origin, ..self }
    }

    pub(crate) fn set_lut(&mut self, lut: Lut) {
        debug_assert_eq!(lut.arity(), self.lut.arity());
        self.lut = lut;
    }

    /// The same gate without argument `input`, computing `lut` of the others.
    pub(crate) fn without(&self, input: usize, lut: Lut) -> Gate {
        let mut inputs = self.inputs;
        inputs.copy_within(input + 1.., input);
        inputs[Lut::MAX_ARITY - 1] = Wire::ZERO;
        Gate { lut, inputs, origin: self.origin }
    }
}

/// What drives a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// One of the two constants, [`Wire::ZERO`] and [`Wire::ONE`].
    Constant(bool),
    /// A wire of an input port.
    Input,
    /// The output of a register.
    Register,
    /// A bit of a word read from a memory.
    Memory,
    /// A look-up table.
    Gate(Gate),
}

/// A named bus at the border of a circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// The name, unique among the ports of the circuit.
    pub name: String,
    /// Its wires, low bit first.
    pub wires: Vec<Wire>,
}

/// One bit of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterBit {
    /// The position in the register as it was declared, 0 lowest.
    pub index: usize,
    /// The wire that carries the stored value.
    pub output: Wire,
    /// The wire whose value is stored at the clock edge.
    pub next: Wire,
    /// The value before the first clock edge.
    pub initial: bool,
}

/// A named register. Bits that nothing reads are dropped by dead code removal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// The name, unique among the registers of the circuit.
    pub name: String,
    /// The bits that are left, lowest first.
    pub bits: Vec<RegisterBit>,
}

/// A finished circuit.
///
/// Every wire is driven by exactly one node. Gates stand after the gates they read, except inside
/// the asynchronous [`loops`](Netlist::loops) that the builder was told to allow.
#[derive(Clone, Debug)]
pub struct Netlist {
    pub(crate) name: String,
    pub(crate) nodes: Vec<Node>,
    pub(crate) inputs: Vec<Port>,
    pub(crate) outputs: Vec<Port>,
    pub(crate) registers: Vec<Register>,
    pub(crate) memories: Vec<Memory>,
    pub(crate) hierarchy: Hierarchy,
    pub(crate) loops: Vec<std::ops::Range<usize>>,
    pub(crate) operators: Vec<Operator>,
    pub(crate) signals: Vec<Signal>,
}

impl Netlist {
    /// The name of the circuit.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Every node, indexed by the wire it drives.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node that drives `wire`.
    pub fn node(&self, wire: Wire) -> &Node {
        &self.nodes[wire.index()]
    }

    /// The gate that drives `wire`, if one does.
    pub fn gate(&self, wire: Wire) -> Option<&Gate> {
        match self.node(wire) {
            Node::Gate(gate) => Some(gate),
            _ => None,
        }
    }

    /// Every gate with the wire it drives, in an order of evaluation.
    pub fn gates(&self) -> impl Iterator<Item = (Wire, &Gate)> {
        self.nodes.iter().enumerate().filter_map(|(index, node)| match node {
            Node::Gate(gate) => Some((Wire::from_index(index), gate)),
            _ => None,
        })
    }

    /// The input ports, in the order of their declaration.
    pub fn inputs(&self) -> &[Port] {
        &self.inputs
    }

    /// The output ports, in the order of their declaration.
    pub fn outputs(&self) -> &[Port] {
        &self.outputs
    }

    /// The registers, in the order of their declaration.
    pub fn registers(&self) -> &[Register] {
        &self.registers
    }

    /// Every bit of every register.
    pub fn register_bits(&self) -> impl Iterator<Item = &RegisterBit> {
        self.registers.iter().flat_map(|register| &register.bits)
    }

    /// The cell instances that the circuit grew from.
    pub fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }

    /// Ranges of nodes that form cycles through gates alone; empty for a synchronous circuit.
    pub fn loops(&self) -> &[std::ops::Range<usize>] {
        &self.loops
    }

    /// What is claimed of wires: arithmetic functions that the gates compute.
    pub fn operators(&self) -> &[Operator] {
        &self.operators
    }

    /// Named buses inside the circuit, in the order in which they were named.
    pub fn signals(&self) -> &[Signal] {
        &self.signals
    }

    /// The number of gates on the longest path from an input or register to an output or
    /// register. Gates of an asynchronous loop count as if the loop were cut where it closes.
    pub fn depth(&self) -> usize {
        let levels = graph::levels(self);
        self.sinks().map(|wire| levels[wire.index()] as usize).max().unwrap_or(0)
    }

    /// The number of gates of each arity; entry `k` counts gates of `k` inputs.
    pub fn gates_by_arity(&self) -> [usize; Lut::MAX_ARITY + 1] {
        self.gates().fold([0; Lut::MAX_ARITY + 1], |mut counts, (_, gate)| {
            counts[gate.lut().arity()] += 1;
            counts
        })
    }

    /// The wires that are observed from outside a clock step: outputs, next register values, and
    /// what memories read.
    pub fn sinks(&self) -> impl Iterator<Item = Wire> {
        let outputs = self.outputs.iter().flat_map(|port| port.wires.iter().copied());
        let memories = self.memories.iter().flat_map(Memory::sinks);
        outputs.chain(self.register_bits().map(|bit| bit.next)).chain(memories)
    }
}
