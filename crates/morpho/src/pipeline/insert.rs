//! The registers and memories of a schedule.

use rustc_hash::FxHashMap;

use super::Pipelined;
use super::blocks::{Block, Kind};
use super::schedule::Schedule;
use crate::memory::{Memory, MemoryRead, MemoryWrite};
use crate::netlist::{Netlist, Node, Register, RegisterBit, Wire};

pub(super) fn insert(netlist: &Netlist, blocks: &[Block], schedule: &Schedule) -> Pipelined {
    let mut inserter = Inserter::new(netlist, blocks, schedule);
    for (number, block) in blocks.iter().enumerate() {
        match block.kind {
            Kind::Logic => inserter.block(number, block),
            Kind::Table => inserter.table(number, block),
            Kind::Product(clocks) => inserter.product(number, block, clocks),
        }
    }
    for (port, &latency) in std::iter::zip(netlist.outputs(), &schedule.latencies) {
        let wires = port.wires.iter().map(|&wire| inserter.at(wire, latency)).collect();
        inserter.result.outputs.push(crate::Port { name: port.name.clone(), wires });
    }
    inserter.operators();
    let delay = schedule.delay;
    Pipelined { netlist: inserter.result, latencies: schedule.latencies.clone(), delay }
}

struct Inserter<'n> {
    netlist: &'n Netlist,
    schedule: &'n Schedule,
    /// The stage of the block of each gate.
    stage: FxHashMap<Wire, usize>,
    result: Netlist,
    /// Where each wire is in the result.
    place: Vec<Wire>,
    /// The register that delays each wire, by its number.
    delay: FxHashMap<Wire, usize>,
    /// Where each wire of a product is before the registers behind it.
    product: FxHashMap<Wire, Wire>,
}

impl<'n> Inserter<'n> {
    fn new(netlist: &'n Netlist, blocks: &[Block], schedule: &'n Schedule) -> Inserter<'n> {
        let mut result = netlist.clone();
        result.nodes.truncate(2);
        result.outputs.clear();
        result.operators.clear();
        result.signals.clear();
        let mut place = vec![Wire::ZERO; netlist.nodes().len()];
        place[Wire::ONE.index()] = Wire::ONE;
        for wire in result.inputs.iter_mut().flat_map(|port| &mut port.wires) {
            place[wire.index()] = Wire::from_index(result.nodes.len());
            *wire = place[wire.index()];
            result.nodes.push(Node::Input);
        }
        let stages = std::iter::zip(blocks, &schedule.stage);
        let stage = stages.flat_map(|(block, &stage)| block.gates.iter().map(move |&w| (w, stage)));
        let stage = stage.collect();
        let (delay, product) = (FxHashMap::default(), FxHashMap::default());
        Inserter { netlist, schedule, stage, result, place, delay, product }
    }

    fn add(&mut self, node: Node) -> Wire {
        self.result.nodes.push(node);
        Wire::from_index(self.result.nodes.len() - 1)
    }

    /// The wire of the result that has the value of `wire` in this stage.
    fn at(&mut self, wire: Wire, stage: usize) -> Wire {
        let birth = self.schedule.birth[wire.index()];
        let current = self.place[wire.index()];
        if wire.as_constant().is_some() || stage == birth {
            return current;
        }
        let number = *self.delay.entry(wire).or_insert_with(|| {
            let name = format!("delay{}", wire.index());
            self.result.registers.push(Register { name, bits: Vec::new() });
            self.result.registers.len() - 1
        });
        while self.result.registers[number].bits.len() < stage - birth {
            self.lengthen(number, current);
        }
        self.result.registers[number].bits[stage - birth - 1].output
    }

    /// One more bit of a register that shifts what `from` is.
    fn lengthen(&mut self, number: usize, from: Wire) -> Wire {
        let output = self.add(Node::Register);
        let bits = &mut self.result.registers[number].bits;
        let next = bits.last().map_or(from, |bit| bit.output);
        bits.push(RegisterBit { index: bits.len(), output, next, initial: false });
        output
    }

    /// Operands come before the gates, so that an exporter can write operators in their place.
    fn block(&mut self, number: usize, block: &Block) {
        let stage = self.schedule.stage[number];
        block.inputs.iter().for_each(|&input| _ = self.at(input, stage));
        block.gates.iter().for_each(|&wire| self.gate(wire));
    }

    /// The operators whose results are all in one stage, of their operands in that stage.
    fn operators(&mut self) {
        for operator in self.netlist.operators() {
            let results = operator.result().iter().flatten();
            let mut stages = results.map(|bit| self.stage.get(&bit.wire).copied());
            let Some(Some(stage)) = stages.next() else { continue };
            let known = operator.operands().iter().flatten();
            let in_time =
                known.map(|bit| self.schedule.birth[bit.wire.index()]).all(|birth| birth <= stage);
            if !in_time || stages.any(|other| other != Some(stage)) {
                continue;
            }
            let mut copy = operator.clone();
            for bits in &mut copy.operands {
                bits.iter_mut().for_each(|bit| bit.wire = self.at(bit.wire, stage));
            }
            for bit in copy.result.iter_mut().flatten() {
                let place = self.place[bit.wire.index()];
                bit.wire = self.product.get(&bit.wire).copied().unwrap_or(place);
            }
            self.result.operators.push(copy);
        }
    }

    fn gate(&mut self, wire: Wire) {
        let stage = self.stage[&wire];
        let mut gate = *self.netlist.gate(wire).expect("a block holds gates");
        for input in gate.inputs_mut() {
            *input = self.at(*input, stage);
        }
        self.place[wire.index()] = self.add(Node::Gate(gate));
    }

    /// Gates that read nothing but registers, with `clocks` registers behind each result.
    fn product(&mut self, number: usize, block: &Block, clocks: usize) {
        let stage = self.schedule.stage[number];
        block.inputs.iter().for_each(|&input| _ = self.at(input, stage));
        for &wire in &block.gates {
            let mut gate = *self.netlist.gate(wire).expect("a block holds gates");
            for input in gate.inputs_mut() {
                let inside = self.product.get(input).copied();
                *input = inside.unwrap_or_else(|| self.at(*input, stage));
            }
            let place = self.add(Node::Gate(gate));
            self.product.insert(wire, place);
        }
        for &wire in &block.results {
            let number = self.result.registers.len();
            let name = format!("product{}", wire.index());
            self.result.registers.push(Register { name, bits: Vec::new() });
            let computed = self.product[&wire];
            self.place[wire.index()] =
                (0..clocks).fold(computed, |_, _| self.lengthen(number, computed));
        }
    }

    fn table(&mut self, number: usize, block: &Block) {
        let stage = self.schedule.stage[number];
        let address: Vec<Wire> = block.inputs.iter().map(|&input| self.at(input, stage)).collect();
        for &wire in &block.results {
            self.place[wire.index()] = self.add(Node::Memory);
        }
        let data: Vec<Wire> = block.results.iter().map(|wire| self.place[wire.index()]).collect();
        let zeros = |width| vec![Wire::ZERO; width];
        let write = MemoryWrite {
            enable: Wire::ZERO,
            address: zeros(address.len()),
            data: zeros(data.len()),
        };
        self.result.memories.push(Memory {
            name: format!("table{number}"),
            initial: words(self.netlist, block),
            apart: false,
            write,
            reads: vec![MemoryRead { enable: Wire::ONE, address, data }],
        });
    }
}

/// What the results of a block are for each number on its inputs.
fn words(netlist: &Netlist, block: &Block) -> Vec<u128> {
    let word = |address: usize| {
        let mut values: FxHashMap<Wire, bool> =
            [(Wire::ZERO, false), (Wire::ONE, true)].into_iter().collect();
        let bits = block.inputs.iter().enumerate();
        values.extend(bits.map(|(bit, &wire)| (wire, address >> bit & 1 == 1)));
        for &wire in &block.gates {
            let gate = netlist.gate(wire).expect("a block holds gates");
            let row = gate.inputs().iter().enumerate();
            let row = row.fold(0, |row, (bit, input)| row | usize::from(values[input]) << bit);
            values.insert(wire, gate.lut().row(row));
        }
        let results = block.results.iter().enumerate();
        results.fold(0, |word, (bit, wire)| word | u128::from(values[wire]) << bit)
    };
    (0..1 << block.inputs.len()).map(word).collect()
}
