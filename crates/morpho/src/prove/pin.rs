//! The border of a clock step: the wires where values enter and where they are observed.

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Mismatch;
use crate::hierarchy::Hierarchy;
use crate::netlist::{Netlist, Node, Port, Wire};
use crate::sim::{Program, Simulator};

/// What a pin belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PinKind {
    /// An input or output port.
    Port,
    /// A register: its stored value is an input of the step, its next value an output.
    Register,
}

/// One bit of a port or register.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pin {
    /// What it belongs to.
    pub kind: PinKind,
    /// The name of the port or register.
    pub name: String,
    /// The bit, 0 lowest.
    pub bit: usize,
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pin { kind, name, bit } = self;
        match kind {
            PinKind::Port => write!(f, "{name}[{bit}]"),
            PinKind::Register => write!(f, "register {name}[{bit}]"),
        }
    }
}

/// The pins where values enter a step: input ports, then stored values.
pub(super) fn sources(netlist: &Netlist) -> Vec<(Pin, Wire)> {
    let registers = register_pins(netlist).map(|(pin, bit)| (pin, bit.output));
    port_pins(netlist.inputs()).chain(registers).collect()
}

/// The pins where a step is observed: output ports, then next values.
pub(super) fn sinks(netlist: &Netlist) -> Vec<(Pin, Wire)> {
    let registers = register_pins(netlist).map(|(pin, bit)| (pin, bit.next));
    port_pins(netlist.outputs()).chain(registers).collect()
}

fn port_pins(ports: &[Port]) -> impl Iterator<Item = (Pin, Wire)> {
    ports.iter().flat_map(|port| {
        port.wires
            .iter()
            .enumerate()
            .map(|(bit, &wire)| (Pin { kind: PinKind::Port, name: port.name.clone(), bit }, wire))
    })
}

fn register_pins(netlist: &Netlist) -> impl Iterator<Item = (Pin, &crate::RegisterBit)> {
    netlist.registers().iter().flat_map(|register| {
        register.bits.iter().map(|bit| {
            let name = register.name.clone();
            (Pin { kind: PinKind::Register, name, bit: bit.index }, bit)
        })
    })
}

/// The pins that both circuits are observed at, with the wire in each.
///
/// # Errors
/// If the ports differ, if a register that both have starts with different values, or if one has
/// an asynchronous loop or a memory.
pub(super) fn common_sinks(
    left: &Netlist,
    right: &Netlist,
) -> Result<Vec<(Pin, Wire, Wire)>, Mismatch> {
    for netlist in [left, right] {
        if !netlist.loops().is_empty() {
            return Err(Mismatch::Loop { circuit: netlist.name().to_string() });
        }
        refuse_memories(netlist)?;
    }
    same_ports("input", left.inputs(), right.inputs())?;
    same_ports("output", left.outputs(), right.outputs())?;
    let initial = |netlist| register_pins(netlist).map(|(pin, bit)| (pin, bit.initial));
    let right_initial: FxHashMap<Pin, bool> = initial(right).collect();
    for (pin, value) in initial(left) {
        if right_initial.get(&pin).is_some_and(|&other| other != value) {
            return Err(Mismatch::Initial { pin });
        }
    }
    let right: FxHashMap<Pin, Wire> = sinks(right).into_iter().collect();
    let both = |(pin, wire): (Pin, Wire)| right.get(&pin).map(|&other| (pin, wire, other));
    Ok(sinks(left).into_iter().filter_map(both).collect())
}

/// # Errors
/// If there are memories, which have no pins.
pub(super) fn refuse_memories(netlist: &Netlist) -> Result<(), Mismatch> {
    match netlist.memories().first() {
        None => Ok(()),
        Some(memory) => Err(Mismatch::Memory {
            circuit: netlist.name().to_string(),
            memory: memory.name.clone(),
        }),
    }
}

fn same_ports(direction: &'static str, left: &[Port], right: &[Port]) -> Result<(), Mismatch> {
    let width = |ports: &[Port], name: &str| {
        ports.iter().find(|port| port.name == name).map(|port| port.wires.len())
    };
    for port in left.iter().chain(right) {
        let (of_left, of_right) = (width(left, &port.name), width(right, &port.name));
        if of_left != of_right {
            let name = port.name.clone();
            let [left, right] = [of_left, of_right].map(Option::unwrap_or_default);
            return Err(Mismatch::Port { direction, name, left, right });
        }
    }
    Ok(())
}

/// Values of pins, one for each lane, 0 or 1.
pub(super) type PinValues = FxHashMap<Pin, Vec<u8>>;

/// What the sinks show for these values of the sources, by the simulator; sources that are not
/// named are 0.
pub(super) fn simulate(netlist: &Netlist, values: &PinValues, lanes: usize) -> PinValues {
    let (sources, sinks) = (sources(netlist), sinks(netlist));
    let program = Arc::new(Program::compile(&combinational(netlist, &sources, &sinks)));
    let mut simulator = Simulator::new(Arc::clone(&program), lanes);
    for (index, (pin, _)) in sources.iter().enumerate() {
        let port = program.input(&index.to_string()).expect("a port for every source");
        if let Some(values) = values.get(pin) {
            simulator.set(port, values);
        }
    }
    simulator.evaluate().expect("loops are refused");
    let shown = sinks.into_iter().enumerate().map(|(index, (pin, _))| {
        let port = program.output(&index.to_string()).expect("a port for every sink");
        (pin, simulator.get::<u8>(port))
    });
    shown.collect()
}

/// The circuit with each pin as a port of its own, named by its number, and no registers.
fn combinational(netlist: &Netlist, sources: &[(Pin, Wire)], sinks: &[(Pin, Wire)]) -> Netlist {
    let ports = |pins: &[(Pin, Wire)]| {
        let port = |(index, pin): (usize, &(Pin, Wire))| Port {
            name: index.to_string(),
            wires: vec![pin.1],
        };
        pins.iter().enumerate().map(port).collect()
    };
    let node = |node: &Node| match node {
        Node::Register => Node::Input,
        other => *other,
    };
    Netlist {
        name: netlist.name.clone(),
        nodes: netlist.nodes.iter().map(node).collect(),
        inputs: ports(sources),
        outputs: ports(sinks),
        registers: Vec::new(),
        memories: Vec::new(),
        hierarchy: Hierarchy::new(),
        loops: Vec::new(),
        operators: Vec::new(),
        signals: Vec::new(),
    }
}
