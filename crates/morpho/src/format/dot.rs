//! Drawings for Graphviz.
//!
//! A gate is a box with its function, a port, register or read port of a memory one node with a
//! field for each bit; each read port is drawn with the write port's edges.
//! Gates stand in nested frames, one a cell instance, down to a given depth of the hierarchy;
//! those of deeper instances stand in the innermost frame drawn. A letter at the end of an edge
//! is the argument of a gate whose arguments cannot be exchanged.

use std::fmt;
use std::io::{self, Write};

use rustc_hash::FxHashMap;

use super::expression::{Expression, Token};
use super::names::{Names, Signal};
use crate::hierarchy::{Hierarchy, Instance};
use crate::lut::Lut;
use crate::netlist::{Netlist, Node, Wire};

/// The depth of frames that [`format::write`](super::write) draws.
pub const DEFAULT_DEPTH: usize = 2;

/// Functions with a name of their own; others are labelled with their formula or table.
const FUNCTIONS: [(Lut, &str); 9] = [
    (Lut::BUFFER, "buffer"),
    (Lut::NOT, "not"),
    (Lut::AND, "and"),
    (Lut::OR, "or"),
    (Lut::XOR, "xor"),
    (Lut::NOR, "nor"),
    (Lut::XNOR, "xnor"),
    (Lut::XOR3, "xor"),
    (Lut::MAJORITY, "majority"),
];

/// A gate with a longer formula is labelled with its table.
const LONGEST_FORMULA: usize = 40;

/// The arguments of a gate in a formula.
const ARGUMENTS: [&str; Lut::MAX_ARITY] = ["a", "b", "c", "d", "e", "f"];

/// Writes a drawing of `netlist` with frames for the cells down to `depth` below the top; many
/// small writes, so `out` should have a buffer.
///
/// # Errors
/// What `out` reports.
pub fn write(netlist: &Netlist, depth: usize, out: &mut impl Write) -> io::Result<()> {
    let names = Names::new(netlist, |c| !c.is_control());
    let mut functions = FxHashMap::default();
    writeln!(out, "digraph {} {{", Quoted(&names.model))?;
    writeln!(out, "    rankdir=LR;\n    node [shape=box];")?;
    write_signals(&names, out)?;
    write_gates(netlist, depth, &mut functions, out)?;
    write_edges(netlist, &names, &mut functions, out)?;
    writeln!(out, "}}")
}

/// A string as Graphviz reads it.
struct Quoted<'t>(&'t str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

/// A string inside a label that is a table.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// One end of an edge: a node, by the letter of its kind and a number, and the field there.
#[derive(Clone, Copy)]
struct End {
    kind: char,
    number: usize,
    bit: Option<usize>,
}

impl End {
    fn node(kind: char, number: usize) -> End {
        End { kind, number, bit: None }
    }

    fn signal(kind: char, number: usize, signal: &Signal, bit: usize) -> End {
        End { kind, number, bit: (!signal.is_scalar()).then_some(bit) }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.kind, self.number)?;
        self.bit.map_or(Ok(()), |bit| write!(f, ":{bit}"))
    }
}

/// Ports and registers are tables, for Graphviz loses edges at the fields of its records.
fn write_signals(names: &Names, out: &mut impl Write) -> io::Result<()> {
    const PORT: &str = r#"style="rounded" cellborder="0""#;
    const REGISTER: &str = r#"border="2" cellborder="1""#;
    let kinds = [
        ('i', PORT, &names.inputs),
        ('o', PORT, &names.outputs),
        ('r', REGISTER, &names.registers),
        ('m', REGISTER, &names.reads),
    ];
    for (kind, look, signals) in kinds {
        for (number, signal) in signals.iter().enumerate() {
            if !signal.bits.is_empty() {
                write!(
                    out,
                    r#"    {kind}{number} [shape=plain, label=<<table {look} cellspacing="0">"#
                )?;
                write!(out, "<tr><td>{}</td></tr>", escape(&signal.name))?;
                write_fields(signal, out)?;
                writeln!(out, "</table>>];")?;
            }
        }
    }
    Ok(())
}

fn write_fields(signal: &Signal, out: &mut impl Write) -> io::Result<()> {
    if signal.is_scalar() {
        return Ok(());
    }
    let field = |bit| write!(out, r#"<tr><td port="{bit}">{bit}</td></tr>"#);
    signal.bits.iter().map(|(bit, _)| bit).try_for_each(field)
}

/// How the gates of one function are drawn.
struct Function {
    label: String,
    /// Whether exchanging two arguments changes the function.
    ordered: bool,
}

impl Function {
    fn new(lut: Lut) -> Function {
        let name = FUNCTIONS.iter().find(|(known, _)| *known == lut);
        let text = |token: &Token| match *token {
            Token::Text(text) => text,
            Token::Input(input) => ARGUMENTS[input],
        };
        let formula: String = Expression::new(lut).tokens().iter().map(text).collect();
        Function {
            label: match name {
                Some((_, name)) => name.to_string(),
                None if formula.len() <= LONGEST_FORMULA => formula,
                None => format!("{lut:?}"),
            },
            ordered: (1..lut.arity()).any(|input| lut.swap(0, input) != lut),
        }
    }
}

type Functions = FxHashMap<Lut, Function>;

fn function(functions: &mut Functions, lut: Lut) -> &Function {
    functions.entry(lut).or_insert_with_key(|&lut| Function::new(lut))
}

/// What stands directly in the frame of a cell instance.
#[derive(Default)]
struct Frame {
    gates: Vec<Wire>,
    inner: Vec<Instance>,
}

/// The frames down to `depth`, except those without a gate.
fn frames(netlist: &Netlist, depth: usize) -> FxHashMap<Instance, Frame> {
    let hierarchy = netlist.hierarchy();
    let frame = frame_of_instance(hierarchy, depth);
    let mut frames = FxHashMap::<Instance, Frame>::default();
    frames.insert(Instance::TOP, Frame::default());
    for (wire, gate) in netlist.gates() {
        frames.entry(frame[gate.origin().index()]).or_default().gates.push(wire);
    }
    // Children come after their parents, so backwards every frame is known when it is reached.
    let instances: Vec<Instance> = hierarchy.instances().skip(1).collect();
    for &instance in instances.iter().rev() {
        if frames.contains_key(&instance) {
            frames.entry(hierarchy.parent(instance)).or_default().inner.push(instance);
        }
    }
    frames
}

/// For each instance the one whose frame its gates stand in: itself, or its ancestor at `depth`.
fn frame_of_instance(hierarchy: &Hierarchy, depth: usize) -> Vec<Instance> {
    let mut frame = vec![Instance::TOP];
    let mut depths = vec![0];
    for instance in hierarchy.instances().skip(1) {
        let parent = hierarchy.parent(instance).index();
        depths.push(depths[parent] + 1);
        frame.push(if depths[instance.index()] <= depth { instance } else { frame[parent] });
    }
    frame
}

fn write_gates(
    netlist: &Netlist,
    depth: usize,
    functions: &mut Functions,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut frames = frames(netlist, depth);
    // The frames that are open; `inner` was collected backwards and loses what is written.
    let mut open = vec![Instance::TOP];
    write_frame_gates(netlist, &frames[&Instance::TOP].gates, 1, functions, out)?;
    while let Some(instance) = open.last() {
        let level = open.len();
        match frames.get_mut(instance).and_then(|frame| frame.inner.pop()) {
            Some(inner) => {
                write_frame_start(netlist.hierarchy(), inner, level, out)?;
                write_frame_gates(netlist, &frames[&inner].gates, level + 1, functions, out)?;
                open.push(inner);
            }
            None => {
                open.pop();
                if level > 1 {
                    writeln!(out, "{}}}", Indent(level - 1))?;
                }
            }
        }
    }
    Ok(())
}

struct Indent(usize);

impl fmt::Display for Indent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..self.0).try_for_each(|_| f.write_str("    "))
    }
}

fn write_frame_start(
    hierarchy: &Hierarchy,
    instance: Instance,
    level: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    let widths: Vec<String> = hierarchy.widths(instance).map(|width| width.to_string()).collect();
    let label = format!("{} {}", hierarchy.cell(instance), widths.join(","));
    writeln!(out, "{}subgraph cluster_{} {{", Indent(level), instance.index())?;
    writeln!(out, "{}label={};", Indent(level + 1), Quoted(&label))
}

fn write_frame_gates(
    netlist: &Netlist,
    gates: &[Wire],
    level: usize,
    functions: &mut Functions,
    out: &mut impl Write,
) -> io::Result<()> {
    for &wire in gates {
        let lut = netlist.gate(wire).expect("a frame holds gates").lut();
        let label = Quoted(&function(functions, lut).label);
        writeln!(out, "{}n{} [label={label}];", Indent(level), wire.index())?;
    }
    Ok(())
}

fn write_edges(
    netlist: &Netlist,
    names: &Names,
    functions: &mut Functions,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut drawing = Edges { netlist, sources: sources(names), constant_drawn: [false; 2], out };
    for (wire, gate) in netlist.gates() {
        let ordered = function(functions, gate.lut()).ordered;
        for (argument, &input) in gate.inputs().iter().enumerate() {
            let label = ordered.then_some(ARGUMENTS[argument]);
            drawing.write(input, End::node('n', wire.index()), label)?;
        }
    }
    for (number, signal) in names.outputs.iter().enumerate() {
        for &(bit, wire) in &signal.bits {
            drawing.write(wire, End::signal('o', number, signal, bit), None)?;
        }
    }
    let registers = std::iter::zip(netlist.registers(), &names.registers);
    for (number, (register, signal)) in registers.enumerate() {
        for bit in &register.bits {
            drawing.write(bit.next, End::signal('r', number, signal, bit.index), None)?;
        }
    }
    let mut number = 0;
    for memory in netlist.memories() {
        for read in &memory.reads {
            let address = std::iter::once(read.enable).chain(read.address.iter().copied());
            for wire in address.chain(memory.write.sinks()) {
                drawing.write(wire, End::node('m', number), None)?;
            }
            number += 1;
        }
    }
    Ok(())
}

/// The nodes that the bits of inputs and registers come from.
fn sources(names: &Names) -> FxHashMap<Wire, End> {
    let mut sources = FxHashMap::default();
    let kinds = [('i', &names.inputs), ('r', &names.registers), ('m', &names.reads)];
    for (kind, signals) in kinds {
        for (number, signal) in signals.iter().enumerate() {
            let end = |&(bit, wire): &(usize, Wire)| (wire, End::signal(kind, number, signal, bit));
            sources.extend(signal.bits.iter().map(end));
        }
    }
    sources
}

struct Edges<'n, W> {
    netlist: &'n Netlist,
    sources: FxHashMap<Wire, End>,
    constant_drawn: [bool; 2],
    out: &'n mut W,
}

impl<W: Write> Edges<'_, W> {
    fn write(&mut self, wire: Wire, head: End, label: Option<&str>) -> io::Result<()> {
        let tail = match self.netlist.node(wire) {
            Node::Gate(_) => End::node('n', wire.index()),
            Node::Constant(value) => self.constant(*value)?,
            Node::Input | Node::Register | Node::Memory => self.sources[&wire],
        };
        match label {
            None => writeln!(self.out, "    {tail} -> {head};"),
            Some(label) => writeln!(self.out, "    {tail} -> {head} [headlabel={label}];"),
        }
    }

    /// The node of a constant, drawn when it is first needed.
    fn constant(&mut self, value: bool) -> io::Result<End> {
        let number = value as usize;
        if !std::mem::replace(&mut self.constant_drawn[number], true) {
            writeln!(self.out, "    c{number} [label={number}, shape=plaintext];")?;
        }
        Ok(End::node('c', number))
    }
}
