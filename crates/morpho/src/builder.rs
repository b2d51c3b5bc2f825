//! A circuit under construction.

mod embed;
mod memory;

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use crate::bus::Bus;
use crate::cell::{Fits, Misfit, Substitution};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::graph;
use crate::hierarchy::{Hierarchy, Instance};
use crate::lut::Lut;
use crate::memory::Memory;
use crate::netlist::{Gate, Netlist, Node, Port, Register, RegisterBit, Wire};
use crate::operator::{Function, Operator};
use crate::signal::Signal;

/// Grows a circuit; [`finish`](Builder::finish) checks it and gives the [`Netlist`].
///
/// Mistakes that need not stop the growth, such as a register driven twice, are gathered and
/// reported together at the end.
pub struct Builder {
    name: String,
    nodes: Vec<DraftNode>,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    declarations: Vec<Declaration>,
    bindings: Vec<Binding>,
    memories: Vec<Memory>,
    problems: Vec<Diagnostic>,
    prefix: String,
    loops_allowed: bool,
    pub(crate) hierarchy: Hierarchy,
    pub(crate) instance: Instance,
    pub(crate) substitutions: Vec<Substitution>,
    operators: Vec<Operator>,
    signals: Vec<Signal>,
}

/// What drives a wire before late bindings are resolved.
#[derive(Clone, Copy)]
enum DraftNode {
    Done(Node),
    Declared { declaration: u32, bit: u32 },
}

/// A bus that is declared first and bound to its value later.
struct Declaration {
    kind: DeclarationKind,
    name: String,
    bits: Vec<DeclaredBit>,
    origin: Instance,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DeclarationKind {
    Register,
    Forward,
}

#[derive(Clone, Copy)]
struct DeclaredBit {
    wire: Wire,
    initial: bool,
    value: Option<Wire>,
}

/// A late binding that was made, kept so that a failed cell can be taken back.
#[derive(Clone, Copy)]
struct Binding {
    declaration: u32,
    bit: u32,
}

/// How much there was before a cell began to grow.
pub(crate) struct Checkpoint {
    nodes: usize,
    inputs: usize,
    outputs: usize,
    declarations: usize,
    bindings: usize,
    memories: usize,
    problems: usize,
    instances: usize,
    operators: usize,
    signals: usize,
}

impl DeclarationKind {
    fn noun(self) -> &'static str {
        match self {
            DeclarationKind::Register => "register",
            DeclarationKind::Forward => "forward wire",
        }
    }

    fn verb(self) -> &'static str {
        match self {
            DeclarationKind::Register => "driven",
            DeclarationKind::Forward => "tied",
        }
    }
}

impl Builder {
    /// An empty circuit.
    pub fn new(name: impl Into<String>) -> Builder {
        Builder {
            name: name.into(),
            nodes: [false, true].map(|value| DraftNode::Done(Node::Constant(value))).into(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            declarations: Vec::new(),
            bindings: Vec::new(),
            memories: Vec::new(),
            problems: Vec::new(),
            prefix: String::new(),
            loops_allowed: false,
            hierarchy: Hierarchy::new(),
            instance: Instance::TOP,
            substitutions: Vec::new(),
            operators: Vec::new(),
            signals: Vec::new(),
        }
    }

    /// Grows a circuit and finishes it.
    ///
    /// # Errors
    /// A cell that does not fit, or anything that [`finish`](Builder::finish) refuses.
    pub fn build(
        name: impl Into<String>,
        grow: impl FnOnce(&mut Builder) -> Fits<()>,
    ) -> Result<Netlist, Diagnostics> {
        let mut builder = Builder::new(name);
        grow(&mut builder)?;
        builder.finish()
    }

    /// An input port of `width` wires.
    pub fn input(&mut self, name: impl Into<String>, width: usize) -> Bus {
        let wires: Vec<Wire> = (0..width).map(|_| self.add(DraftNode::Done(Node::Input))).collect();
        let bus = Bus::from(&wires[..]);
        self.inputs.push(Port { name: name.into(), wires });
        bus
    }

    /// An output port that shows `bus`.
    pub fn output(&mut self, name: impl Into<String>, bus: &Bus) {
        self.outputs.push(Port { name: name.into(), wires: bus.wires().to_vec() });
    }

    /// A gate for each wire of the widest argument; arguments of one wire are repeated.
    ///
    /// # Errors
    /// Does not fit if an argument is empty. Refused if the number of arguments is not the arity
    /// of `lut`, or if two arguments of more than one wire differ in width.
    pub fn lut(&mut self, lut: Lut, arguments: &[&Bus]) -> Fits<Bus> {
        if arguments.len() != lut.arity() {
            let (arity, given) = (lut.arity(), arguments.len());
            let text = format!("{lut:?} takes {arity} arguments and was given {given}");
            return Err(Diagnostic::new(text).into());
        }
        let width = arguments.iter().map(|bus| bus.width()).max().unwrap_or(1);
        for bus in arguments {
            match bus.width() {
                0 => return Err(Misfit::DoesNotFit { operation: "lut", width: 0 }),
                1 => (),
                other if other == width => (),
                _ => return Err(width_mismatch(&format!("{lut:?}"), arguments)),
            }
        }
        Ok((0..width).map(|bit| self.gate(lut, arguments, bit)).collect())
    }

    fn gate(&mut self, lut: Lut, arguments: &[&Bus], bit: usize) -> Wire {
        let mut inputs = [Wire::ZERO; Lut::MAX_ARITY];
        for (input, bus) in std::iter::zip(&mut inputs, arguments) {
            *input = if bus.width() == 1 { bus.wires()[0] } else { bus.wires()[bit] };
        }
        let gate = Gate::new(lut, &inputs[..lut.arity()], self.instance);
        self.add(DraftNode::Done(Node::Gate(gate)))
    }

    /// The complement of each wire.
    ///
    /// # Errors
    /// As [`lut`](Builder::lut), as are those of the next five.
    pub fn not(&mut self, a: &Bus) -> Fits<Bus> {
        self.lut(Lut::NOT, &[a])
    }

    /// `a` and `b`, wire by wire.
    pub fn and(&mut self, a: &Bus, b: &Bus) -> Fits<Bus> {
        self.lut(Lut::AND, &[a, b])
    }

    /// `a` or `b`, wire by wire.
    pub fn or(&mut self, a: &Bus, b: &Bus) -> Fits<Bus> {
        self.lut(Lut::OR, &[a, b])
    }

    /// Exactly one of `a` and `b`, wire by wire.
    pub fn xor(&mut self, a: &Bus, b: &Bus) -> Fits<Bus> {
        self.lut(Lut::XOR, &[a, b])
    }

    /// `one` where `select` is set, else `zero`, wire by wire.
    pub fn select(&mut self, select: &Bus, zero: &Bus, one: &Bus) -> Fits<Bus> {
        self.lut(Lut::MUX, &[select, zero, one])
    }

    /// Refuses the circuit unless all these buses, the arguments of `what`, have one width.
    ///
    /// # Errors
    /// Refused, naming the widths.
    pub fn same_width(&self, what: &str, buses: &[&Bus]) -> Fits<()> {
        match buses.iter().all(|bus| bus.width() == buses[0].width()) {
            true => Ok(()),
            false => Err(width_mismatch(what, buses)),
        }
    }

    /// Claims that the wires of `result`, joined, are `function` of `operands`.
    ///
    /// The claim of a cell takes the place of those of the cells inside it.
    ///
    /// # Errors
    /// Refused if the widths are not those of the function.
    pub fn claim(&mut self, function: Function, operands: &[&Bus], result: &[&Bus]) -> Fits<()> {
        let widths: Vec<usize> = operands.iter().map(|bus| bus.width()).collect();
        let wires = result.iter().flat_map(|bus| bus.wires());
        let result: Vec<_> = wires.map(|&wire| Some(wire.into())).collect();
        if function.result_width(&widths) != Some(result.len()) {
            let text = format!(
                "{function} of operands of widths {widths:?} does not give {} bits",
                result.len()
            );
            return Err(Diagnostic::new(text).into());
        }
        while self.operators.last().is_some_and(|inner| inner.origin > self.instance) {
            self.operators.pop();
        }
        let literals = |bus: &&Bus| bus.wires().iter().map(|&wire| wire.into()).collect();
        let operands = operands.iter().map(literals).collect();
        self.operators.push(Operator { function, operands, result, origin: self.instance });
        Ok(())
    }

    /// Gives a bus inside the circuit a name, by which [`Netlist::signals`] finds its wires again.
    /// That keeps no wire alive and changes no gate.
    pub fn signal(&mut self, name: impl Into<String>, bus: &Bus) {
        let bits = bus.wires().iter().map(|&wire| Some(wire.into())).collect();
        self.signals.push(Signal { name: name.into(), bits, origin: self.instance });
    }

    /// A register with this value before the first clock edge; its width is that of `initial`.
    ///
    /// `initial` must be constant. Bind the next value with [`drive`](Builder::drive), once. A
    /// name that is taken gets a number.
    pub fn reg(&mut self, name: &str, initial: &Bus) -> Bus {
        let bits: Vec<bool> =
            initial.wires().iter().filter_map(|wire| wire.as_constant()).collect();
        if bits.len() != initial.width() {
            self.problem(format!("the initial value of register `{name}` is not constant"));
        }
        let width = initial.width();
        let bits = bits.into_iter().chain(std::iter::repeat(false)).take(width);
        self.declare(DeclarationKind::Register, name, bits)
    }

    /// Binds the next value of a register, or of a part of one.
    pub fn drive(&mut self, register: &Bus, next: &Bus) {
        self.bind(DeclarationKind::Register, register, next);
    }

    /// Wires whose value is given later, with [`tie`](Builder::tie), once.
    pub fn forward(&mut self, name: &str, width: usize) -> Bus {
        self.declare(DeclarationKind::Forward, name, std::iter::repeat_n(false, width))
    }

    /// Binds the value of forward wires.
    pub fn tie(&mut self, forward: &Bus, value: &Bus) {
        self.bind(DeclarationKind::Forward, forward, value);
    }

    /// Puts `scope` and a dot before the names of the registers and forward wires of `grow`.
    pub fn named<T>(&mut self, scope: &str, grow: impl FnOnce(&mut Builder) -> T) -> T {
        let length = self.prefix.len();
        write!(self.prefix, "{scope}.").expect("writing to a string succeeds");
        let result = grow(self);
        self.prefix.truncate(length);
        result
    }

    /// Allows cycles that cross no register; they are settled to a fixed point in each step.
    pub fn allow_loops(&mut self) {
        self.loops_allowed = true;
    }

    /// Checks the circuit and gives it.
    ///
    /// # Errors
    /// Every undriven, doubly driven or width-mismatched register or forward wire, every name
    /// used for two ports, and every cycle that crosses no register unless they are allowed.
    pub fn finish(mut self) -> Result<Netlist, Diagnostics> {
        self.check_ports();
        self.check_bindings();
        let resolved = self.resolve_forwards();
        if self.problems.is_empty() {
            self.assemble(resolved)
        } else {
            Err(Diagnostics(self.problems))
        }
    }

    fn check_ports(&mut self) {
        for (ports, what) in [(&self.inputs, "input"), (&self.outputs, "output")] {
            let mut names: Vec<&str> = ports.iter().map(|port| &port.name[..]).collect();
            names.sort();
            for pair in names.windows(2).filter(|pair| pair[0] == pair[1]) {
                let text = format!("two {what} ports are named `{}`", pair[0]);
                self.problems.push(Diagnostic::new(text));
            }
        }
    }

    fn check_bindings(&mut self) {
        for declaration in &self.declarations {
            let unbound = declaration.bits.iter().filter(|bit| bit.value.is_none()).count();
            if unbound > 0 {
                let Declaration { kind, name, bits, origin } = declaration;
                let part = if unbound == bits.len() { "is never" } else { "is only partly" };
                let text = format!("{} `{name}` {part} {}", kind.noun(), kind.verb());
                let path = self.hierarchy.path(*origin);
                self.problems.push(Diagnostic::new(text).at(path));
            }
        }
    }

    /// For each wire, the wire that it stands for once forward wires are followed to their values.
    fn resolve_forwards(&mut self) -> Vec<Wire> {
        let mut resolved: Vec<Wire> = (0..self.nodes.len()).map(Wire::from_index).collect();
        if self.declarations.iter().all(|d| d.kind == DeclarationKind::Register) {
            return resolved;
        }
        for declaration in 0..self.declarations.len() {
            for bit in 0..self.declarations[declaration].bits.len() {
                let wire = self.declarations[declaration].bits[bit].wire;
                match self.follow(wire) {
                    Some(value) => resolved[wire.index()] = value,
                    None => {
                        let name = self.declarations[declaration].name.clone();
                        self.problem(format!("forward wire `{name}[{bit}]` is tied to itself"));
                    }
                }
            }
        }
        resolved
    }

    /// The first wire on the chain of forward wires from `wire` that is not one; `None` if the
    /// chain closes. Stops at an unbound one.
    fn follow(&self, wire: Wire) -> Option<Wire> {
        let mut at = wire;
        for _ in 0..=self.bindings.len() {
            match self.declared(at) {
                Some((DeclarationKind::Forward, bit)) => match bit.value {
                    Some(value) => at = value,
                    None => return Some(at),
                },
                _ => return Some(at),
            }
        }
        None
    }

    fn declared(&self, wire: Wire) -> Option<(DeclarationKind, DeclaredBit)> {
        match self.nodes[wire.index()] {
            DraftNode::Declared { declaration, bit } => {
                let declaration = &self.declarations[declaration as usize];
                Some((declaration.kind, declaration.bits[bit as usize]))
            }
            DraftNode::Done(_) => None,
        }
    }

    fn assemble(mut self, resolved: Vec<Wire>) -> Result<Netlist, Diagnostics> {
        let has_forwards = self.declarations.iter().any(|d| d.kind == DeclarationKind::Forward);
        let names = self.loop_names(&resolved);
        let registers = self.registers();
        self.name_memories();
        let nodes = self.nodes.into_iter().map(|node| match node {
            DraftNode::Done(node) => node,
            // A forward wire has no node of its own; its place is dropped by `sort`.
            DraftNode::Declared { .. } => Node::Register,
        });
        let mut netlist = Netlist {
            name: self.name,
            nodes: nodes.collect(),
            inputs: self.inputs,
            outputs: self.outputs,
            registers,
            memories: self.memories,
            hierarchy: self.hierarchy,
            loops: Vec::new(),
            operators: self.operators,
            signals: self.signals,
        };
        if has_forwards {
            netlist.replace_wires(|wire| resolved[wire.index()]);
            let before = graph::sort(&mut netlist);
            if !self.loops_allowed && !netlist.loops.is_empty() {
                let name = |wire: Wire| names.get(&before[wire.index()]);
                return Err(refuse_loops(&netlist, name));
            }
        }
        Ok(netlist)
    }

    /// The names of forward wires by the wire they stand for.
    fn loop_names(&self, resolved: &[Wire]) -> FxHashMap<Wire, String> {
        let forwards = self.declarations.iter().filter(|d| d.kind == DeclarationKind::Forward);
        forwards
            .flat_map(|declaration| {
                declaration.bits.iter().enumerate().map(|(index, bit)| {
                    (resolved[bit.wire.index()], format!("{}[{index}]", declaration.name))
                })
            })
            .collect()
    }

    fn registers(&mut self) -> Vec<Register> {
        let mut taken = FxHashMap::<String, usize>::default();
        let mut registers = Vec::new();
        for declaration in &self.declarations {
            if declaration.kind == DeclarationKind::Register {
                let name = unique(&mut taken, &declaration.name);
                let bits = declaration.bits.iter().enumerate();
                let bits = bits.map(|(index, bit)| RegisterBit {
                    index,
                    output: bit.wire,
                    next: bit.value.expect("`check_bindings` found every register driven"),
                    initial: bit.initial,
                });
                registers.push(Register { name, bits: bits.collect() });
            }
        }
        registers
    }

    fn declare(
        &mut self,
        kind: DeclarationKind,
        name: &str,
        initial: impl Iterator<Item = bool>,
    ) -> Bus {
        let declaration = self.declarations.len() as u32;
        let mut bits = Vec::new();
        for (bit, initial) in initial.enumerate() {
            let wire = self.add(DraftNode::Declared { declaration, bit: bit as u32 });
            bits.push(DeclaredBit { wire, initial, value: None });
        }
        let bus = bits.iter().map(|bit| bit.wire).collect();
        let name = format!("{}{name}", self.prefix);
        self.declarations.push(Declaration { kind, name, bits, origin: self.instance });
        bus
    }

    fn bind(&mut self, kind: DeclarationKind, target: &Bus, values: &Bus) {
        if target.width() != values.width() {
            let name = target.wires().first().map_or("(empty)".into(), |&wire| self.describe(wire));
            let (wide, given) = (target.width(), values.width());
            self.problem(format!(
                "`{name}` is {wide} wires wide and is {} by {given}",
                kind.verb()
            ));
            return;
        }
        for (&wire, &value) in std::iter::zip(target.wires(), values.wires()) {
            self.bind_bit(kind, wire, value);
        }
    }

    fn bind_bit(&mut self, kind: DeclarationKind, wire: Wire, value: Wire) {
        let DraftNode::Declared { declaration, bit } = self.nodes[wire.index()] else {
            let (name, noun) = (self.describe(wire), kind.noun());
            return self.problem(format!("`{name}` cannot be {}: it is no {noun}", kind.verb()));
        };
        let entry = &mut self.declarations[declaration as usize];
        if entry.kind != kind {
            let (name, noun) = (entry.name.clone(), kind.noun());
            return self.problem(format!("`{name}` cannot be {}: it is no {noun}", kind.verb()));
        }
        let slot = &mut entry.bits[bit as usize].value;
        if slot.is_some() {
            let name = entry.name.clone();
            return self.problem(format!(
                "{} `{name}[{bit}]` is {} twice",
                kind.noun(),
                kind.verb()
            ));
        }
        *slot = Some(value);
        self.bindings.push(Binding { declaration, bit });
    }

    /// A name for a wire in an error: that of its declaration or port, or where its gate stands.
    fn describe(&self, wire: Wire) -> String {
        match self.nodes[wire.index()] {
            DraftNode::Declared { declaration, .. } => {
                self.declarations[declaration as usize].name.clone()
            }
            DraftNode::Done(Node::Gate(gate)) => {
                format!("a gate of {}", place(&self.hierarchy, gate.origin()))
            }
            DraftNode::Done(Node::Memory) => "a word of a memory".into(),
            DraftNode::Done(Node::Constant(value)) => format!("constant {}", value as u8),
            DraftNode::Done(_) => {
                let port = self.inputs.iter().find(|port| port.wires.contains(&wire));
                port.map_or_else(|| "an input".into(), |port| port.name.clone())
            }
        }
    }

    fn problem(&mut self, message: String) {
        let place = self.hierarchy.path(self.instance);
        self.problems.push(Diagnostic::new(message).at(place));
    }

    fn add(&mut self, node: DraftNode) -> Wire {
        self.nodes.push(node);
        Wire::from_index(self.nodes.len() - 1)
    }

    #[inline(never)]
    pub(crate) fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            nodes: self.nodes.len(),
            inputs: self.inputs.len(),
            outputs: self.outputs.len(),
            declarations: self.declarations.len(),
            bindings: self.bindings.len(),
            memories: self.memories.len(),
            problems: self.problems.len(),
            instances: self.hierarchy.len(),
            operators: self.operators.len(),
            signals: self.signals.len(),
        }
    }

    /// Takes back everything built since `before`.
    pub(crate) fn rollback(&mut self, before: Checkpoint) {
        for binding in self.bindings.drain(before.bindings..) {
            let declaration = &mut self.declarations[binding.declaration as usize];
            declaration.bits[binding.bit as usize].value = None;
        }
        self.nodes.truncate(before.nodes);
        self.inputs.truncate(before.inputs);
        self.outputs.truncate(before.outputs);
        self.declarations.truncate(before.declarations);
        self.memories.truncate(before.memories);
        self.problems.truncate(before.problems);
        self.hierarchy.truncate(before.instances);
        self.operators.truncate(before.operators);
        self.signals.truncate(before.signals);
    }
}

fn place(hierarchy: &Hierarchy, instance: Instance) -> String {
    match instance {
        Instance::TOP => "the circuit itself".into(),
        inner => hierarchy.path(inner),
    }
}

fn width_mismatch(what: &str, buses: &[&Bus]) -> Misfit {
    let widths: Vec<String> = buses.iter().map(|bus| bus.width().to_string()).collect();
    let text = format!("the arguments of {what} have widths {}", widths.join(", "));
    Diagnostic::new(text).hint("extend the narrower ones, or cut the wider ones").into()
}

/// `name`, or `name.1`, `name.2` ... if it was given before.
fn unique(taken: &mut FxHashMap<String, usize>, name: &str) -> String {
    let mut candidate = name.to_string();
    while let Some(count) = taken.get_mut(&candidate) {
        candidate = format!("{name}.{count}");
        *count += 1;
    }
    taken.insert(candidate.clone(), 1);
    candidate
}

fn refuse_loops<'a>(netlist: &Netlist, name: impl Fn(Wire) -> Option<&'a String>) -> Diagnostics {
    const SHOWN: usize = 8;
    let refuse = |range: &std::ops::Range<usize>| {
        let wires = range.clone().map(Wire::from_index);
        let origin = |wire| netlist.gate(wire).map(|gate| gate.origin());
        let mut listed: Vec<String> = Vec::new();
        for wire in wires {
            let text = name(wire).map(|name| format!("`{name}`")).unwrap_or_else(|| {
                let instance = origin(wire).unwrap_or(Instance::TOP);
                format!("a gate of {}", place(&netlist.hierarchy, instance))
            });
            if !listed.contains(&text) {
                listed.push(text);
            }
        }
        // Named wires first: they are what the author can change.
        listed.sort_by_key(|text| !text.starts_with('`'));
        let rest = listed.len().saturating_sub(SHOWN);
        listed.truncate(SHOWN);
        let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        Diagnostic::new(format!(
            "a cycle of {} gates crosses no register: {}{more}",
            range.len(),
            listed.join(", ")
        ))
        .hint("put a register on the cycle, or allow asynchronous loops")
    };
    Diagnostics(netlist.loops.iter().map(refuse).collect())
}
