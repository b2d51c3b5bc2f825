//! Copies of finished circuits inside a circuit under construction.

use super::{Builder, DraftNode};
use crate::bus::Bus;
use crate::cell::Fits;
use crate::diagnostic::Diagnostic;
use crate::hierarchy::{Hierarchy, Instance};
use crate::memory::Memory;
use crate::netlist::{Netlist, Node, Port, Register, Wire};

/// Where each wire of the embedded circuit is in the outer one.
struct Places(Vec<Option<Wire>>);

impl Places {
    fn bind<'w>(&mut self, inner: impl IntoIterator<Item = &'w Wire>, outer: &Bus) {
        for (inner, &outer) in std::iter::zip(inner, outer.wires()) {
            self.0[inner.index()] = Some(outer);
        }
    }

    fn of(&self, inner: Wire) -> Wire {
        self.0[inner.index()].expect("gates stand after what they read")
    }

    fn bus<'w>(&self, inner: impl IntoIterator<Item = &'w Wire>) -> Bus {
        inner.into_iter().map(|&wire| self.of(wire)).collect()
    }
}

impl Builder {
    /// A copy of a finished circuit, its input ports bound to `inputs` in order; gives its output
    /// ports in order. The names of registers and memories and the hierarchy come along.
    ///
    /// # Errors
    /// Refused if `inputs` do not match the ports in number or width.
    pub fn embed(&mut self, part: &Netlist, inputs: &[&Bus]) -> Fits<Vec<Bus>> {
        check_inputs(part, inputs)?;
        let mut places = Places(vec![None; part.nodes().len()]);
        places.bind(&[Wire::ZERO, Wire::ONE], &Bus::constant(0b10, 2));
        for (port, bus) in std::iter::zip(part.inputs(), inputs) {
            places.bind(&port.wires, bus);
        }
        let registers: Vec<Bus> = part
            .registers()
            .iter()
            .map(|register| self.copy_register(register, &mut places))
            .collect();
        let first_memory = self.memories.len();
        for memory in part.memories() {
            let copy = self.copy_memory(memory);
            for (inner, outer) in std::iter::zip(&memory.reads, &copy.reads) {
                places.bind(&inner.data, &Bus::from(&outer.data[..]));
            }
        }
        for range in part.loops() {
            let wires: Vec<Wire> = range.clone().map(Wire::from_index).collect();
            places.bind(&wires, &self.forward("loop", wires.len()));
        }
        self.copy_gates(part, &mut places);
        for (register, bus) in std::iter::zip(part.registers(), registers) {
            let next = places.bus(register.bits.iter().map(|bit| &bit.next));
            self.drive(&bus, &next);
        }
        let copies = self.memories[first_memory..].iter_mut();
        copies.flat_map(Memory::sinks_mut).for_each(|wire| *wire = places.of(*wire));
        Ok(part.outputs().iter().map(|port| places.bus(&port.wires)).collect())
    }

    fn copy_register(&mut self, register: &Register, places: &mut Places) -> Bus {
        let initial: Bus = register.bits.iter().map(|bit| Wire::constant(bit.initial)).collect();
        let bus = self.reg(&register.name, &initial);
        places.bind(register.bits.iter().map(|bit| &bit.output), &bus);
        bus
    }

    fn copy_gates(&mut self, part: &Netlist, places: &mut Places) {
        let instances = self.adopt(part.hierarchy());
        for (inner, gate) in part.gates() {
            let mut gate = gate.with_origin(instances[gate.origin().index()]);
            gate.inputs_mut().iter_mut().for_each(|input| *input = places.of(*input));
            let outer = self.add(DraftNode::Done(Node::Gate(gate)));
            match places.0[inner.index()] {
                // A gate of a loop: what reads it was promised a forward wire.
                Some(forward) => self.tie(&Bus::from(forward), &Bus::from(outer)),
                None => places.0[inner.index()] = Some(outer),
            }
        }
    }

    /// Adds the instances of `part` below the current one; for each of them, which it became.
    fn adopt(&mut self, part: &Hierarchy) -> Vec<Instance> {
        let mut adopted = vec![self.instance];
        for instance in part.instances().skip(1) {
            let parent = adopted[part.parent(instance).index()];
            let copy = self.hierarchy.add(part.cell(instance), part.widths(instance), parent);
            adopted.push(copy);
        }
        adopted
    }
}

fn check_inputs(part: &Netlist, inputs: &[&Bus]) -> Fits<()> {
    let width = |port: &Port| port.wires.len();
    let expected: Vec<usize> = part.inputs().iter().map(width).collect();
    let given: Vec<usize> = inputs.iter().map(|bus| bus.width()).collect();
    match expected == given {
        true => Ok(()),
        false => {
            let name = part.name();
            let text =
                format!("`{name}` has inputs of widths {expected:?} and was given {given:?}");
            Err(Diagnostic::new(text).into())
        }
    }
}
