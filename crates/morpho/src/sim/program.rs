//! A netlist compiled to a straight line of operations.

use std::ops::Range;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::decompose::{Step, Value, decompose};
use super::kernel::{Operation, Run, TABLES};
use crate::lut::Lut;
use crate::netlist::{Gate, Netlist, Node, Port, Wire};

/// An input port of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input(pub(super) usize);

/// An output port of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output(pub(super) usize);

/// A register of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterPort(pub(super) usize);

/// A netlist compiled for the [`Simulator`](super::Simulator).
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) segments: Vec<Segment>,
    pub(super) slots: usize,
    pub(super) inputs: Vec<Pins>,
    pub(super) outputs: Vec<Pins>,
    pub(super) registers: Vec<Pins>,
    pub(super) clock: Vec<Transfer>,
    pub(super) memories: Vec<MemorySlots>,
}

/// A named bus: its slots, low bit first.
#[derive(Clone, Debug)]
pub(super) struct Pins {
    pub name: String,
    pub slots: Vec<u32>,
}

/// What one register bit does at the clock edge, and its value before the first one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer {
    pub register: u32,
    pub next: u32,
    pub initial: bool,
}

/// The slots that a memory reads and drives at the clock edge.
#[derive(Clone, Debug)]
pub(super) struct MemorySlots {
    pub initial: Vec<u128>,
    pub apart: bool,
    pub write: PortSlots,
    pub reads: Vec<PortSlots>,
}

/// The slots of one port of a memory; those of the data are read by a write port, and driven by
/// a read port.
#[derive(Clone, Debug)]
pub(super) struct PortSlots {
    pub enable: u32,
    pub address: Vec<u32>,
    pub data: Vec<u32>,
}

/// Operations that run once, or, for an asynchronous loop, until its slots keep their values.
#[derive(Clone, Debug, Default)]
pub(super) struct Segment {
    pub runs: Vec<Run>,
    pub operations: Vec<Operation>,
    pub settle: Vec<u32>,
    pub gates: usize,
}

/// How many operations the scheduler may look at to lengthen a run. More make longer runs, which
/// the processor predicts better, but keep more slots alive, which the cache holds less well.
const WINDOW: usize = 128;

impl Program {
    /// Compiles a netlist.
    pub fn compile(netlist: &Netlist) -> Program {
        let mut draft = Draft::new(netlist);
        let mut done = 0;
        for range in netlist.loops() {
            draft.gates(done..range.start, None);
            draft.gates(range.clone(), Some(range.clone()));
            done = range.end;
        }
        draft.gates(done..netlist.nodes().len(), None);
        draft.buffers();
        draft.finish()
    }

    /// The input port of this name.
    pub fn input(&self, name: &str) -> Option<Input> {
        position(&self.inputs, name).map(Input)
    }

    /// The output port of this name.
    pub fn output(&self, name: &str) -> Option<Output> {
        position(&self.outputs, name).map(Output)
    }

    /// The register of this name.
    pub fn register(&self, name: &str) -> Option<RegisterPort> {
        position(&self.registers, name).map(RegisterPort)
    }

    /// Number of wires of an output port.
    pub fn output_width(&self, port: Output) -> usize {
        self.outputs[port.0].slots.len()
    }

    /// Number of operations in one step.
    pub fn operations(&self) -> usize {
        self.segments.iter().map(|segment| segment.operations.len()).sum()
    }

    /// Number of slots: the wires that are alive at once, inputs and registers included.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Number of runs of operations of one function in one step.
    pub fn runs(&self) -> usize {
        self.segments.iter().map(|segment| segment.runs.len()).sum()
    }
}

fn position(pins: &[Pins], name: &str) -> Option<usize> {
    pins.iter().position(|pins| pins.name == name)
}

/// An operation on values: a value is a wire of the netlist, or a temporary after the last wire.
#[derive(Clone, Copy)]
struct ValueOperation {
    table: u8,
    inputs: [u32; 3],
    output: u32,
}

/// A part of the program before slots are assigned.
struct DraftSegment {
    operations: Vec<ValueOperation>,
    looped: Option<Range<usize>>,
}

struct Draft<'n> {
    netlist: &'n Netlist,
    segments: Vec<DraftSegment>,
    values: u32,
    /// For wires that must outlive the step: the value that holds a copy.
    copies: FxHashMap<Wire, u32>,
    decomposed: FxHashMap<Lut, Vec<Step>>,
    /// The value that an operation outside loops gave.
    known: FxHashMap<(u8, [u32; 3]), u32>,
}

impl<'n> Draft<'n> {
    fn new(netlist: &'n Netlist) -> Draft<'n> {
        Draft {
            netlist,
            segments: Vec::new(),
            values: netlist.nodes().len() as u32,
            copies: FxHashMap::default(),
            decomposed: FxHashMap::default(),
            known: FxHashMap::default(),
        }
    }

    fn gates(&mut self, nodes: Range<usize>, looped: Option<Range<usize>>) {
        let mut operations = Vec::new();
        for index in nodes {
            if let Node::Gate(gate) = &self.netlist.nodes()[index] {
                self.gate(index as u32, gate, looped.is_some(), &mut operations);
            }
        }
        let operations = if looped.is_some() { operations } else { schedule(operations) };
        self.segments.push(DraftSegment { operations, looped });
    }

    /// Appends the operations of a gate. Outside loops, a step that some operation computed before
    /// is not computed again.
    fn gate(&mut self, wire: u32, gate: &Gate, looped: bool, operations: &mut Vec<ValueOperation>) {
        let steps = self.decomposed.entry(gate.lut()).or_insert_with(|| decompose(gate.lut()));
        let mut results: SmallVec<[u32; 16]> = SmallVec::new();
        for (number, step) in steps.iter().enumerate() {
            let inputs = step.inputs.map(|value| match value {
                Value::Input(j) => gate.inputs().get(j).map_or(0, |wire| wire.0),
                Value::Step(step) => results[step],
            });
            let last = number + 1 == steps.len();
            let output = if last { wire } else { self.values };
            let operation = ValueOperation { table: step.table, inputs, output }.canonical();
            let key = (operation.table, operation.inputs);
            if !last
                && !looped
                && let Some(&known) = self.known.get(&key)
            {
                results.push(known);
                continue;
            }
            self.values += !last as u32;
            if !looped {
                self.known.insert(key, output);
            }
            results.push(output);
            operations.push(operation);
        }
    }

    /// Copies outputs and next values that are inputs, registers or memories, so that the clock edge does
    /// not change what they show.
    fn buffers(&mut self) {
        let mut operations = Vec::new();
        for wire in self.netlist.sinks() {
            if matches!(self.netlist.node(wire), Node::Input | Node::Register | Node::Memory) {
                let copy = *self.copies.entry(wire).or_insert_with(|| {
                    self.values += 1;
                    self.values - 1
                });
                let buffer = ValueOperation { table: 0xAA, inputs: [wire.0; 3], output: copy };
                operations.push(buffer.canonical());
            }
        }
        self.segments.push(DraftSegment { operations, looped: None });
    }

    fn finish(self) -> Program {
        let observed = |wire: Wire| self.copies.get(&wire).copied().unwrap_or(wire.0);
        let mut slots = Slots::new(&self, observed);
        let mut segments = Vec::new();
        for segment in &self.segments {
            segments.push(slots.segment(segment));
        }
        let pins = |name: &str, slots: Vec<u32>| Pins { name: name.to_string(), slots };
        let port = |port: &Port, value: &dyn Fn(Wire) -> u32| {
            pins(&port.name, port.wires.iter().map(|&wire| slots.of(value(wire))).collect())
        };
        let inputs = self.netlist.inputs().iter().map(|p| port(p, &|wire| wire.0)).collect();
        let outputs = self.netlist.outputs().iter().map(|p| port(p, &observed)).collect();
        let registers = self.netlist.registers().iter().map(|register| {
            // Bits that were removed as dead read as 0.
            let width = register.bits.last().map_or(0, |bit| bit.index + 1);
            let mut wires = vec![Wire::ZERO.0; width];
            for bit in &register.bits {
                wires[bit.index] = slots.of(bit.output.0);
            }
            pins(&register.name, wires)
        });
        let clock = self.netlist.register_bits().map(|bit| Transfer {
            register: slots.of(bit.output.0),
            next: slots.of(observed(bit.next)),
            initial: bit.initial,
        });
        let read = |wires: &[Wire]| wires.iter().map(|&w| slots.of(observed(w))).collect();
        let memories = self.netlist.memories().iter().map(|memory| MemorySlots {
            initial: memory.initial.clone(),
            apart: memory.apart,
            write: PortSlots {
                enable: slots.of(observed(memory.write.enable)),
                address: read(&memory.write.address),
                data: read(&memory.write.data),
            },
            reads: memory
                .reads
                .iter()
                .map(|port| PortSlots {
                    enable: slots.of(observed(port.enable)),
                    address: read(&port.address),
                    data: port.data.iter().map(|wire| slots.of(wire.0)).collect(),
                })
                .collect(),
        });
        Program {
            memories: memories.collect(),
            inputs,
            outputs,
            registers: registers.collect(),
            clock: clock.collect(),
            segments,
            slots: slots.count as usize,
        }
    }
}

impl ValueOperation {
    /// The same operation with its inputs in the order that has an instruction.
    fn canonical(self) -> ValueOperation {
        const ORDERS: [[usize; 3]; 6] =
            [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let reordered = |order: [usize; 3]| {
            let table = (0..8u8).fold(0, |table, row| {
                let old = (0..3).fold(0, |old, j| old | (row >> j & 1) << order[j]);
                table | (self.table >> old & 1) << row
            });
            ValueOperation { table, inputs: order.map(|j| self.inputs[j]), ..self }
        };
        let all = ORDERS.map(reordered);
        let least = all.into_iter().min_by_key(|operation| operation.table);
        let least = least.expect("there are six orders");
        debug_assert!(TABLES.contains(&least.table));
        least
    }
}

/// Reorders operations so that equal functions follow each other, within windows of [`WINDOW`].
fn schedule(operations: Vec<ValueOperation>) -> Vec<ValueOperation> {
    let mut scheduled = Vec::with_capacity(operations.len());
    let mut position = FxHashMap::default();
    for window in operations.chunks(WINDOW) {
        position.clear();
        position.extend(window.iter().enumerate().map(|(index, op)| (op.output, index)));
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); window.len()];
        let mut waiting = vec![0; window.len()];
        for (index, operation) in window.iter().enumerate() {
            for input in operation.inputs {
                if let Some(&source) = position.get(&input) {
                    readers[source].push(index);
                    waiting[index] += 1;
                }
            }
        }
        let mut ready: Vec<Vec<usize>> = vec![Vec::new(); 256];
        for index in (0..window.len()).filter(|&index| waiting[index] == 0) {
            ready[window[index].table as usize].push(index);
        }
        while let Some(table) = (0..256).max_by_key(|&table| ready[table].len())
            && !ready[table].is_empty()
        {
            // In order of arrival, while more of the same function become ready.
            let mut next = 0;
            while next < ready[table].len() {
                let index = ready[table][next];
                next += 1;
                scheduled.push(window[index]);
                for &reader in &readers[index] {
                    waiting[reader] -= 1;
                    if waiting[reader] == 0 {
                        ready[window[reader].table as usize].push(reader);
                    }
                }
            }
            ready[table].clear();
        }
    }
    scheduled
}

/// Assigns slots to values, reusing a slot once its value was read for the last time.
struct Slots {
    slot: Vec<u32>,
    /// The operation that reads a value last; [`Slots::FOREVER`] for values that must stay.
    last_use: Vec<u32>,
    free: Vec<u32>,
    /// Slots that are no longer needed but not free yet.
    released: Vec<u32>,
    count: u32,
    spare: u32,
    now: u32,
}

impl Slots {
    const UNASSIGNED: u32 = u32::MAX;
    const FOREVER: u32 = u32::MAX;

    fn new(draft: &Draft, observed: impl Fn(Wire) -> u32) -> Slots {
        let values = draft.values as usize;
        let mut slots = Slots {
            slot: vec![Slots::UNASSIGNED; values],
            last_use: vec![0; values],
            free: Vec::new(),
            released: Vec::new(),
            count: 0,
            spare: 0,
            now: 0,
        };
        let operations = draft.segments.iter().flat_map(|segment| &segment.operations);
        for (time, operation) in operations.enumerate() {
            for input in operation.inputs {
                slots.last_use[input as usize] = time as u32;
            }
        }
        let netlist = draft.netlist;
        for wire in netlist.sinks() {
            slots.last_use[observed(wire) as usize] = Slots::FOREVER;
        }
        let fixed = netlist.nodes().iter().enumerate();
        let fixed = fixed.filter(|(_, node)| !matches!(node, Node::Gate(_))).map(|(i, _)| i);
        for value in fixed.chain(netlist.loops().iter().cloned().flatten()) {
            slots.last_use[value] = Slots::FOREVER;
            slots.slot[value] = slots.count;
            slots.count += 1;
        }
        slots.spare = slots.count;
        slots.count += 1;
        slots
    }

    fn of(&self, value: u32) -> u32 {
        let slot = self.slot[value as usize];
        debug_assert_ne!(slot, Slots::UNASSIGNED);
        slot
    }

    fn segment(&mut self, draft: &DraftSegment) -> Segment {
        let mut segment = Segment::default();
        for operation in &draft.operations {
            let inputs = operation.inputs.map(|value| self.of(value));
            for value in operation.inputs {
                self.release(value);
            }
            // A loop reads its inputs again in the next round: what it releases is free after it.
            if draft.looped.is_none() {
                self.free.append(&mut self.released);
            }
            let output = self.assign(operation.output);
            segment.operations.push(Operation { output, inputs });
            match segment.runs.last_mut() {
                Some(run) if run.table == operation.table => run.length += 1,
                _ => segment.runs.push(Run { table: operation.table, length: 1 }),
            }
            self.now += 1;
        }
        if let Some(looped) = &draft.looped {
            segment.settle = looped.clone().map(|value| self.of(value as u32)).collect();
            segment.gates = looped.len();
        }
        self.free.append(&mut self.released);
        segment
    }

    fn release(&mut self, value: u32) {
        let last_use = &mut self.last_use[value as usize];
        if *last_use == self.now {
            // Not twice if the operation reads the value twice.
            *last_use = Slots::FOREVER;
            self.released.push(self.slot[value as usize]);
        }
    }

    fn assign(&mut self, value: u32) -> u32 {
        let unread = self.last_use[value as usize] == 0;
        let slot = &mut self.slot[value as usize];
        if *slot == Slots::UNASSIGNED {
            *slot = match self.free.pop() {
                // A value that nothing reads needs a place only while it is written.
                _ if unread => self.spare,
                Some(free) => free,
                None => {
                    self.count += 1;
                    self.count - 1
                }
            };
        }
        *slot
    }
}
