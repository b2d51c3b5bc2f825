//! AIGER: and-inverter graphs with latches, for ABC, model checkers and SAT solvers.
//!
//! Arguments that stand beside the rest of a gate (`a ^ ..`) are taken off one at a time; the rest
//! is a sum of the products of its cover, or of its complement's, whichever is smaller. Equal
//! structure is stored once. A register bit is a latch with its initial value. The clock is
//! not written: every latch stores once in each step. Every input, latch and output has a symbol,
//! in which bit `i` of a bus `a` is `a[i]`, and a bus of one wire is `a`, unless that would itself
//! read as a bit. A register that is named as the output which shows it keeps its name. The comment
//! holds the name of the circuit.
//!
//! The file is binary ([`write()`]) or text ([`write_ascii`]).
//!
//! Source: A. Biere, "The AIGER And-Inverter Graph (AIG) Format", 2007, and A. Biere, K. Heljanko,
//! S. Wieringa, "AIGER 1.9 And Beyond", 2011.

use std::io::{self, Write};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::blif::bit_name;
use super::cover::{Cube, cover, widen};
use super::names::Names;
use crate::lut::Lut;
use crate::netlist::{Netlist, Wire};

/// Writes `netlist` as a binary file (`.aig`).
///
/// # Errors
/// What `out` reports; unsupported if the circuit has a memory or an asynchronous loop.
pub fn write(netlist: &Netlist, out: &mut impl Write) -> io::Result<()> {
    let graph = Graph::of(netlist)?;
    graph.header("aig", netlist, out)?;
    for bit in netlist.register_bits() {
        writeln!(out, "{}{}", graph.of_wire(bit.next), initial(bit.initial))?;
    }
    graph.outputs(netlist, out)?;
    for (&[high, low], at) in std::iter::zip(&graph.gates, graph.first_gate..) {
        write_delta(2 * at - high, out)?;
        write_delta(high - low, out)?;
    }
    symbols(netlist, out)
}

/// Writes `netlist` as text (`.aag`).
///
/// # Errors
/// As [`write()`].
pub fn write_ascii(netlist: &Netlist, out: &mut impl Write) -> io::Result<()> {
    let graph = Graph::of(netlist)?;
    graph.header("aag", netlist, out)?;
    for wire in netlist.inputs().iter().flat_map(|port| &port.wires) {
        writeln!(out, "{}", graph.of_wire(*wire))?;
    }
    for bit in netlist.register_bits() {
        let (output, next) = (graph.of_wire(bit.output), graph.of_wire(bit.next));
        writeln!(out, "{output} {next}{}", initial(bit.initial))?;
    }
    graph.outputs(netlist, out)?;
    for ([high, low], at) in std::iter::zip(&graph.gates, graph.first_gate..) {
        writeln!(out, "{} {high} {low}", 2 * at)?;
    }
    symbols(netlist, out)
}

/// A latch starts at 0 unless its line says otherwise.
fn initial(value: bool) -> &'static str {
    if value { " 1" } else { "" }
}

/// A number in groups of seven bits, the lowest first; the high bit of a byte says that more follow.
fn write_delta(mut delta: u32, out: &mut impl Write) -> io::Result<()> {
    while delta > 0x7f {
        out.write_all(&[delta as u8 | 0x80])?;
        delta >>= 7;
    }
    out.write_all(&[delta as u8])
}

fn symbols(netlist: &Netlist, out: &mut impl Write) -> io::Result<()> {
    let mut names = Names::new(netlist, |c| !c.is_control());
    names.share_registers(netlist);
    let groups = [('i', &names.inputs), ('l', &names.registers), ('o', &names.outputs)];
    for (kind, signals) in groups {
        let bits = signals
            .iter()
            .flat_map(|signal| signal.bits.iter().map(move |&(index, _)| bit_name(signal, index)));
        for (at, name) in bits.enumerate() {
            writeln!(out, "{kind}{at} {name}")?;
        }
    }
    writeln!(out, "c\ncircuit {}", names.model)
}

/// The gates of a circuit as conjunctions. A literal is twice the number of a variable, plus 1 for
/// its complement; variable 0 is the constant 0.
struct Graph {
    /// The literal of each wire.
    literals: Vec<u32>,
    /// The number of the first conjunction.
    first_gate: u32,
    /// The two literals of each conjunction, the greater one first.
    gates: Vec<[u32; 2]>,
    known: FxHashMap<[u32; 2], u32>,
    forms: FxHashMap<Lut, Arc<Form>>,
}

const FALSE: u32 = 0;
const TRUE: u32 = 1;

impl Graph {
    fn of(netlist: &Netlist) -> io::Result<Graph> {
        let unsupported = |text: String| Err(io::Error::new(io::ErrorKind::Unsupported, text));
        if let Some(memory) = netlist.memories().first() {
            let text = format!("AIGER has no memories, and the circuit has `{}`", memory.name);
            return unsupported(text);
        }
        if !netlist.loops().is_empty() {
            return unsupported("AIGER has no asynchronous loops, and the circuit has one".into());
        }
        let mut literals = vec![FALSE; netlist.nodes().len()];
        literals[Wire::ONE.index()] = TRUE;
        let inputs = netlist.inputs().iter().flat_map(|port| port.wires.iter().copied());
        let mut count = 0;
        for wire in inputs.chain(netlist.register_bits().map(|bit| bit.output)) {
            count += 1;
            literals[wire.index()] = 2 * count;
        }
        let (gates, known, forms) = (Vec::new(), FxHashMap::default(), FxHashMap::default());
        let mut graph = Graph { literals, first_gate: count + 1, gates, known, forms };
        for (wire, gate) in netlist.gates() {
            let inputs: Vec<u32> = gate.inputs().iter().map(|&wire| graph.of_wire(wire)).collect();
            graph.literals[wire.index()] = graph.function(gate.lut(), inputs);
        }
        Ok(graph)
    }

    fn of_wire(&self, wire: Wire) -> u32 {
        self.literals[wire.index()]
    }

    /// An argument that the function complements stands beside the rest of it; what is left is a
    /// sum of products.
    fn function(&mut self, mut lut: Lut, mut inputs: Vec<u32>) -> u32 {
        let mut beside = Vec::new();
        let cover = loop {
            match Arc::clone(self.forms.entry(lut).or_insert_with_key(form)).as_ref() {
                Form::Beside(input, rest) => {
                    beside.push(inputs.remove(*input));
                    lut = *rest;
                }
                Form::Sum(cubes, complement) => {
                    let products = cubes.iter().map(|&cube| self.product(cube, &inputs)).collect();
                    break self.any(products) ^ u32::from(*complement);
                }
            }
        };
        beside.into_iter().fold(cover, |parity, literal| self.xor(parity, literal))
    }

    fn product(&mut self, cube: Cube, inputs: &[u32]) -> u32 {
        let literal =
            |(at, &input): (usize, &u32)| cube.literal(at).map(|value| input ^ u32::from(!value));
        let literals: Vec<u32> = inputs.iter().enumerate().filter_map(literal).collect();
        self.all(literals)
    }

    fn xor(&mut self, a: u32, b: u32) -> u32 {
        // Signs outside, so that a parity and its complement share their gates.
        let (sign, a, b) = ((a ^ b) & 1, a & !1, b & !1);
        let both = [self.and(a, b ^ 1), self.and(a ^ 1, b)];
        self.any(both.to_vec()) ^ sign
    }

    fn any(&mut self, literals: Vec<u32>) -> u32 {
        self.all(literals.into_iter().map(|literal| literal ^ 1).collect()) ^ 1
    }

    /// A tree of conjunctions.
    fn all(&mut self, mut literals: Vec<u32>) -> u32 {
        while literals.len() > 1 {
            let pairs = literals.chunks(2);
            literals = pairs
                .map(|pair| match *pair {
                    [a, b] => self.and(a, b),
                    _ => pair[0],
                })
                .collect();
        }
        literals.first().copied().unwrap_or(TRUE)
    }

    fn and(&mut self, a: u32, b: u32) -> u32 {
        let (high, low) = (a.max(b), a.min(b));
        match low {
            FALSE => return FALSE,
            TRUE => return high,
            _ if low == high => return low,
            _ if low == high ^ 1 => return FALSE,
            _ => (),
        }
        *self.known.entry([high, low]).or_insert_with(|| {
            self.gates.push([high, low]);
            2 * (self.first_gate + self.gates.len() as u32 - 1)
        })
    }

    fn header(&self, kind: &str, netlist: &Netlist, out: &mut impl Write) -> io::Result<()> {
        let bits = |ports: &[crate::Port]| ports.iter().map(|p| p.wires.len()).sum::<usize>();
        let (inputs, outputs) = (bits(netlist.inputs()), bits(netlist.outputs()));
        let (latches, gates) = (netlist.register_bits().count(), self.gates.len());
        let variables = inputs + latches + gates;
        writeln!(out, "{kind} {variables} {inputs} {latches} {outputs} {gates}")
    }

    fn outputs(&self, netlist: &Netlist, out: &mut impl Write) -> io::Result<()> {
        let mut wires = netlist.outputs().iter().flat_map(|port| &port.wires);
        wires.try_for_each(|&wire| writeln!(out, "{}", self.of_wire(wire)))
    }
}

/// How a function is built.
enum Form {
    /// The exclusive or of an argument and a function of the others.
    Beside(usize, Lut),
    /// A sum of products, or its complement if the flag says so.
    Sum(Vec<Cube>, bool),
}

fn form(&lut: &Lut) -> Arc<Form> {
    let beside =
        |&input: &usize| lut.cofactor(input, true) == lut.cofactor(input, false).complement();
    if let Some(input) = (0..lut.arity()).find(beside) {
        return Arc::new(Form::Beside(input, lut.cofactor(input, false)));
    }
    let [ones, zeros] = [lut, lut.complement()].map(|lut| cover(widen(lut)));
    Arc::new(match zeros.len() < ones.len() {
        true => Form::Sum(zeros, true),
        false => Form::Sum(ones, false),
    })
}
