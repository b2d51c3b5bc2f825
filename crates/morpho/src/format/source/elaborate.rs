//! The netlist of a design.

use rustc_hash::FxHashSet;

use super::flatten::{Driver, Flat, FlatMemory, FlatRegister, flatten};
use super::group::{self, group};
use super::link::{find_top, link};
use super::resolve::{resolve, walk};
use super::{Design, Direction, Module, Net, Position, Problems};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::format::names::Taken;
use crate::format::read::Reading;
use crate::graph;
use crate::memory::{Memory, MemoryRead, MemoryWrite};
use crate::netlist::{Netlist, Node, Port, Register, RegisterBit, Wire};

/// Flattens the circuit `top`, or the one that is found to be the top, and checks it.
///
/// # Errors
/// The problems gathered so far, or those of the circuit.
pub(crate) fn elaborate(
    design: Design,
    top: Option<&str>,
    mut problems: Problems,
) -> Result<Reading, Diagnostics> {
    let circuit = match problems.has_errors() {
        true => None,
        false => circuit(&design, top, &mut problems),
    };
    let warnings = problems.finish()?;
    let (netlist, clock) = circuit.expect("nothing is wrong with it");
    Ok(Reading { netlist, warnings, clock })
}

/// The circuit and the name of its clock; `None`, or one that must not be used, if there are
/// errors.
fn circuit(
    design: &Design,
    top: Option<&str>,
    problems: &mut Problems,
) -> Option<(Netlist, Option<String>)> {
    let top = find_top(design, top, problems)?;
    let links = link(design, top, problems);
    if problems.has_errors() {
        return None;
    }
    let flat = flatten(design, &links, top, problems);
    let roots = resolve(&flat, problems);
    if problems.has_errors() {
        return None;
    }
    let clock = find_clock(&flat, &roots, problems);
    // Inside the circuit its net may have another name.
    let port = |clock| {
        let bits = bits_of(&design.modules[top], Direction::Input).into_iter();
        bits.filter(|bit| bit.value == clock).map(|bit| bit.name).next()
    };
    let name = clock.map(|clock| port(clock).unwrap_or_else(|| flat.describe(clock)));
    let netlist = Assembly::new(flat, roots, clock).netlist(&design.modules[top], problems)?;
    Some((netlist, name))
}

/// The input that clocks every register.
fn find_clock(flat: &Flat, roots: &[u32], problems: &mut Problems) -> Option<u32> {
    let registers = flat.registers.iter().filter_map(|register| {
        let stored = move || flat.describe(register.output);
        Some((register.clock?, register.position, Box::new(stored) as Box<dyn Fn() -> String>))
    });
    let memories = flat.memories.iter().map(|FlatMemory { name, base, memory }| {
        let stored = move || name.clone();
        (base + memory.clock.0, memory.position, Box::new(stored) as Box<dyn Fn() -> String>)
    });
    let mut clocks = FxHashSet::default();
    let mut first: Option<u32> = None;
    for (clock, position, stored) in registers.chain(memories) {
        let clock = roots[clock as usize];
        if !clocks.insert(clock) {
            continue;
        }
        let (name, stored) = (flat.describe(clock), stored());
        if !matches!(flat.drivers[clock as usize], Driver::Input | Driver::Nothing) {
            let text =
                format!("`{stored}` is clocked by `{name}`, which is no input of the circuit");
            problems.error(position, Diagnostic::new(text).hint(ONE_CLOCK));
        } else if let Some(other) = first {
            let other = flat.describe(other);
            let text = format!("`{stored}` is clocked by `{name}`, others by `{other}`");
            problems.error(position, Diagnostic::new(text).hint(ONE_CLOCK));
        } else {
            first = Some(clock);
        }
    }
    first
}

const ONE_CLOCK: &str =
    "circuits of one clock are read, where every register stores at one edge of one input";

/// Turns nets into wires.
struct Assembly<'a> {
    flat: Flat<'a>,
    roots: Vec<u32>,
    clock: Option<u32>,
    /// The wire of each net that is driven, once its driver has a node.
    wires: Vec<Wire>,
}

/// The wire of a net that has none.
const NO_WIRE: Wire = Wire(u32::MAX);

impl<'a> Assembly<'a> {
    fn new(flat: Flat<'a>, roots: Vec<u32>, clock: Option<u32>) -> Assembly<'a> {
        let constant = |driver: &Driver| match *driver {
            Driver::Constant(value) => Wire::constant(value),
            _ => NO_WIRE,
        };
        let wires = flat.drivers.iter().map(constant).collect();
        Assembly { flat, roots, clock, wires }
    }

    fn netlist(mut self, top: &Module, problems: &mut Problems) -> Option<Netlist> {
        let mut nodes = vec![Node::Constant(false), Node::Constant(true)];
        let inputs = self.inputs(top, &mut nodes, problems);
        for register in &self.flat.registers {
            self.wires[register.output as usize] = Wire::from_index(nodes.len());
            nodes.push(Node::Register);
        }
        for FlatMemory { base, memory, .. } in &self.flat.memories {
            for data in memory.reads.iter().flat_map(|read| &read.data) {
                self.wires[(base + data.0) as usize] = Wire::from_index(nodes.len());
                nodes.push(Node::Memory);
            }
        }
        let first_gate = nodes.len();
        for (at, &(output, _)) in self.flat.gates.iter().enumerate() {
            self.wires[output as usize] = Wire::from_index(first_gate + at);
        }
        let gates = std::mem::take(&mut self.flat.gates);
        let mut outputs_of_gates = Vec::with_capacity(gates.len());
        for (output, mut gate) in gates {
            for input in gate.inputs_mut() {
                *input = self.read(input.index() as u32, self.flat.driven_at(output), problems);
            }
            outputs_of_gates.push(output);
            nodes.push(Node::Gate(gate));
        }
        let outputs = self.outputs(top, problems);
        let registers = self.registers(problems);
        let memories = self.memories(problems);
        let mut netlist = Netlist {
            name: top.name.clone(),
            nodes,
            inputs,
            outputs,
            registers,
            memories,
            operators: Vec::new(),
            signals: Vec::new(),
            hierarchy: std::mem::replace(&mut self.flat.hierarchy, crate::Hierarchy::new()),
            loops: Vec::new(),
        };
        if problems.has_errors() {
            return None;
        }
        let in_order =
            netlist.gates().all(|(wire, gate)| gate.inputs().iter().all(|input| *input < wire));
        if !in_order {
            let before = graph::sort(&mut netlist);
            let output = |wire: Wire| outputs_of_gates[before[wire.index()].index() - first_gate];
            self.refuse_loops(&netlist, output, problems);
        }
        Some(netlist)
    }

    /// Input ports of the circuit, without the clock.
    fn inputs(
        &mut self,
        top: &Module,
        nodes: &mut Vec<Node>,
        problems: &mut Problems,
    ) -> Vec<Port> {
        let bits = bits_of(top, Direction::Input);
        if let Some(clock) = self.clock {
            let port = bits.iter().find(|bit| bit.value == clock && bit.place.is_some());
            if let Some(port) = port {
                let text = format!("the clock is a bit of the bus `{}`", port.name);
                let text = Diagnostic::new(text).hint("give the clock a port of its own");
                problems.error(self.flat.declared_at(clock), text);
            }
        }
        let bits: Vec<_> = bits.into_iter().filter(|bit| Some(bit.value) != self.clock).collect();
        let mut add = |(_, net): (usize, u32)| {
            let wire = Wire::from_index(nodes.len());
            nodes.push(Node::Input);
            self.wires[net as usize] = wire;
            wire
        };
        let port = |bus: group::Bus<u32>| Port {
            name: bus.name,
            wires: bus.bits.into_iter().map(&mut add).collect(),
        };
        group(&bits).into_iter().map(port).collect()
    }

    fn outputs(&mut self, top: &Module, problems: &mut Problems) -> Vec<Port> {
        let mut ports = Vec::new();
        for bus in group(&bits_of(top, Direction::Output)) {
            let read =
                |(_, net): (usize, u32)| self.read(net, self.flat.declared_at(net), problems);
            ports.push(Port { name: bus.name, wires: bus.bits.into_iter().map(read).collect() });
        }
        ports
    }

    fn registers(&mut self, problems: &mut Problems) -> Vec<Register> {
        let named = |(at, register): (usize, &FlatRegister)| {
            let unnamed = || ("register".to_string(), None);
            let (name, place) = self.flat.name(register.output).unwrap_or_else(unnamed);
            group::Bit { name, place, value: at }
        };
        let bits: Vec<_> = self.flat.registers.iter().enumerate().map(named).collect();
        let mut registers = Vec::new();
        for bus in group(&bits) {
            let bit = |(index, at): (usize, usize)| {
                let FlatRegister { next, output, initial, position, .. } = self.flat.registers[at];
                let next = self.read(next, position, problems);
                RegisterBit { index, output: self.wires[output as usize], next, initial }
            };
            registers
                .push(Register { name: bus.name, bits: bus.bits.into_iter().map(bit).collect() });
        }
        registers
    }

    fn memories(&mut self, problems: &mut Problems) -> Vec<Memory> {
        let mut taken = Taken::default();
        let mut memories = Vec::new();
        for FlatMemory { name, base, memory } in std::mem::take(&mut self.flat.memories) {
            let mut read = |net: Net| self.read(base + net.0, memory.position, problems);
            let write = MemoryWrite {
                enable: read(memory.write_enable),
                address: memory.write_address.iter().map(|&net| read(net)).collect(),
                data: memory.write_data.iter().map(|&net| read(net)).collect(),
            };
            let port = |port: &super::MemoryRead| MemoryRead {
                enable: read(port.enable),
                address: port.address.iter().map(|&net| read(net)).collect(),
                data: port.data.iter().map(|&net| read(net)).collect(),
            };
            let reads = memory.reads.iter().map(port).collect();
            let (name, initial) = (taken.claim(&name, ""), memory.initial.clone());
            memories.push(Memory { name, initial, apart: false, write, reads });
        }
        memories
    }

    /// The wire that gives the value of a net which something at `reader` reads.
    fn read(&mut self, net: u32, reader: Position, problems: &mut Problems) -> Wire {
        let root = self.roots[net as usize];
        let wire = self.wires[root as usize];
        if wire != NO_WIRE {
            return wire;
        }
        let name = self.flat.describe(root);
        if Some(root) == self.clock {
            let text = format!("the clock `{name}` is also read as data");
            problems.error(reader, Diagnostic::new(text).hint(ONE_CLOCK));
        } else {
            let text = format!("`{name}` is read, but nothing drives it");
            let hint = format!("it is read on line {}", reader.line);
            problems.error(self.flat.declared_at(root), Diagnostic::new(text).hint(hint));
        }
        // Said once.
        self.wires[root as usize] = Wire::ZERO;
        Wire::ZERO
    }

    fn refuse_loops(&self, netlist: &Netlist, net: impl Fn(Wire) -> u32, problems: &mut Problems) {
        for range in netlist.loops() {
            let inside = |wire: &&Wire| range.contains(&wire.index());
            let driver = |wire: Wire| -> Wire {
                let gate = netlist.gate(wire).expect("a loop has gates alone");
                *gate.inputs().iter().find(inside).expect("it is on a loop")
            };
            // Against the signal until a gate comes again.
            let (mut path, mut seen) = (Vec::new(), FxHashSet::default());
            let mut at = Wire::from_index(range.start);
            while seen.insert(at) {
                path.push(at);
                at = driver(at);
            }
            let first = path.iter().position(|&wire| wire == at).expect("it has been seen");
            let nets: Vec<u32> = path[first..].iter().map(|&wire| net(wire)).collect();
            let text = format!("a cycle crosses no register: {}", walk(&self.flat, &nets));
            let text = Diagnostic::new(text).hint("put a register on the cycle");
            problems.error(self.flat.driven_at(nets[0]), text);
        }
    }
}

/// The bits of the ports that go this way.
fn bits_of(top: &Module, direction: Direction) -> Vec<group::Bit<u32>> {
    let ports = top.ports.iter().filter(|port| port.direction == direction);
    let bits = |port: &super::Port| -> Vec<group::Bit<u32>> {
        let bit = |(place, net): (usize, &super::Net)| group::Bit {
            name: port.name.clone(),
            place: port.vector.then_some(place as u32),
            value: net.0,
        };
        port.bits.iter().enumerate().map(bit).collect()
    };
    ports.flat_map(bits).collect()
}
