//! The hierarchy of a file as one list of nets, gates and registers.

use super::link::Links;
use super::{Design, Direction, Memory, Module, Net, Position, Problems};
use crate::diagnostic::Diagnostic;
use crate::hierarchy::{self, Hierarchy, Instance};
use crate::netlist::{self, Wire};

/// What drives a net of the flat circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Driver {
    Nothing,
    Constant(bool),
    Input,
    Gate,
    Register,
    /// A word of a memory.
    Memory,
    /// It shows another net.
    Alias(u32),
}

/// One instance of a module in the flat circuit; its nets are numbered on from `base`.
struct Frame<'a> {
    module: usize,
    base: u32,
    parent: usize,
    name: &'a str,
    instance: Instance,
}

/// A register bit of the flat circuit.
pub(super) struct FlatRegister {
    pub next: u32,
    pub output: u32,
    pub initial: bool,
    pub clock: Option<u32>,
    pub position: Position,
}

/// A memory of the flat circuit: that of a module, whose nets are numbered on from `base`.
pub(super) struct FlatMemory<'a> {
    /// With the instances around it, each with a dot behind it.
    pub name: String,
    pub base: u32,
    pub memory: &'a Memory,
}

/// A flat circuit. The wires of its gates are the numbers of nets.
pub(super) struct Flat<'a> {
    design: &'a Design,
    frames: Vec<Frame<'a>>,
    pub drivers: Vec<Driver>,
    driven_at: Vec<Position>,
    /// Each gate with the net it drives.
    pub gates: Vec<(u32, netlist::Gate)>,
    pub registers: Vec<FlatRegister>,
    pub memories: Vec<FlatMemory<'a>>,
    pub hierarchy: Hierarchy,
}

/// Flattens the instances below `top`, which is known to contain no module inside itself.
pub(super) fn flatten<'a>(
    design: &'a Design,
    links: &Links,
    top: usize,
    problems: &mut Problems,
) -> Flat<'a> {
    let mut flat = Flat {
        design,
        frames: Vec::new(),
        drivers: Vec::new(),
        driven_at: Vec::new(),
        gates: Vec::new(),
        registers: Vec::new(),
        memories: Vec::new(),
        hierarchy: Hierarchy::new(),
    };
    flat.open(top, 0, "", Instance::TOP);
    for port in &design.modules[top].ports {
        if port.direction == Direction::Input {
            for bit in &port.bits {
                flat.drive(bit.0, Driver::Input, port.position, problems);
            }
        }
    }
    let mut at = 0;
    while at < flat.frames.len() {
        flat.fill(at, problems);
        for link in 0..links.0[flat.frames[at].module].len() {
            flat.instantiate(at, links, link, problems);
        }
        at += 1;
    }
    flat
}

impl<'a> Flat<'a> {
    fn open(&mut self, module: usize, parent: usize, name: &'a str, instance: Instance) {
        let base = self.drivers.len() as u32;
        let (count, position) = {
            let module = &self.design.modules[module];
            (module.net_count(), module.position)
        };
        self.frames.push(Frame { module, base, parent, name, instance });
        self.drivers.extend([Driver::Constant(false), Driver::Constant(true)]);
        self.drivers.resize(base as usize + count, Driver::Nothing);
        self.driven_at.resize(base as usize + count, position);
    }

    /// Adds the gates, aliases and registers of one frame.
    fn fill(&mut self, frame: usize, problems: &mut Problems) {
        let Frame { module, base, instance, .. } = self.frames[frame];
        let module: &'a Module = &self.design.modules[module];
        let wire = |net: Net| Wire::from_index((base + net.0) as usize);
        for gate in &module.gates {
            let inputs: smallvec::SmallVec<[Wire; 6]> =
                gate.inputs.iter().map(|&net| wire(net)).collect();
            let output = base + gate.output.0;
            self.drive(output, Driver::Gate, gate.position, problems);
            self.gates.push((output, netlist::Gate::new(gate.lut, &inputs, instance)));
        }
        for alias in &module.aliases {
            let driver = Driver::Alias(base + alias.input.0);
            self.drive(base + alias.output.0, driver, alias.position, problems);
        }
        for register in &module.registers {
            let output = base + register.output.0;
            self.drive(output, Driver::Register, register.position, problems);
            self.registers.push(FlatRegister {
                next: base + register.next.0,
                output,
                initial: register.initial,
                clock: register.clock.map(|clock| base + clock.0),
                position: register.position,
            });
        }
        for memory in &module.memories {
            for data in memory.reads.iter().flat_map(|read| &read.data) {
                self.drive(base + data.0, Driver::Memory, memory.position, problems);
            }
            let name = self.path(&self.frames[frame], &memory.name);
            self.memories.push(FlatMemory { name, base, memory });
        }
    }

    fn instantiate(&mut self, frame: usize, links: &Links, index: usize, problems: &mut Problems) {
        let Frame { module, base, instance, .. } = self.frames[frame];
        let design = self.design;
        let (link, item) = (&links.0[module][index], &design.modules[module].instances[index]);
        let inner = &design.modules[link.module];
        let widths = inner.ports.iter().filter(|port| port.direction == Direction::Input);
        let widths = widths.map(|port| port.bits.len());
        let instance = self.hierarchy.add(hierarchy::cell_name(&inner.name), widths, instance);
        self.open(link.module, frame, &item.name, instance);
        let inner_base = self.frames[self.frames.len() - 1].base;
        for &(port, connection) in &link.ports {
            let (port, connection) = (&inner.ports[port], &item.connections[connection]);
            for (inner, outer) in std::iter::zip(&port.bits, &connection.bits) {
                let (inner, outer) = (inner_base + inner.0, base + outer.0);
                let (net, driver) = match port.direction {
                    Direction::Input => (inner, Driver::Alias(outer)),
                    Direction::Output => (outer, Driver::Alias(inner)),
                };
                self.drive(net, driver, connection.position, problems);
            }
        }
    }

    fn drive(&mut self, net: u32, driver: Driver, position: Position, problems: &mut Problems) {
        let (slot, at) = (&mut self.drivers[net as usize], &mut self.driven_at[net as usize]);
        match *slot {
            Driver::Nothing => (*slot, *at) = (driver, position),
            Driver::Constant(value) => {
                let text = format!("the constant {} cannot be driven", u8::from(value));
                problems.error(position, Diagnostic::new(text));
            }
            _ => {
                let line = at.line;
                let text = format!("`{}` has more than one driver", self.describe(net));
                let text = Diagnostic::new(text).hint(format!("the first one is on line {line}"));
                problems.error(position, text);
            }
        }
    }

    /// The instances around a net from the outside in, each with a dot behind it, and the name of
    /// its bus and its bit there.
    pub fn name(&self, net: u32) -> Option<(String, Option<u32>)> {
        let frame = self.frame(net);
        let module = &self.design.modules[frame.module];
        let own = module.nets[(net - frame.base) as usize];
        let name = module.names.get(own.name as usize)?;
        Some((self.path(frame, name), own.bit))
    }

    /// A name in a frame, behind those of the instances around it.
    fn path(&self, frame: &Frame, name: &str) -> String {
        let (mut path, mut at) = (vec![name], frame);
        while at.base > 0 {
            path.push(at.name);
            at = &self.frames[at.parent];
        }
        path.reverse();
        path.join(".")
    }

    /// The name of a net for a message.
    pub fn describe(&self, net: u32) -> String {
        match self.name(net) {
            Some((name, Some(bit))) => format!("{name}[{bit}]"),
            Some((name, None)) => name,
            None => format!("a net without a name, line {}", self.declared_at(net).line),
        }
    }

    /// Where a net is declared or first named.
    pub fn declared_at(&self, net: u32) -> Position {
        let frame = self.frame(net);
        self.design.modules[frame.module].nets[(net - frame.base) as usize].position
    }

    /// Where the driver of a net stands.
    pub fn driven_at(&self, net: u32) -> Position {
        self.driven_at[net as usize]
    }

    fn frame(&self, net: u32) -> &Frame<'a> {
        &self.frames[self.frames.partition_point(|frame| frame.base <= net) - 1]
    }
}
