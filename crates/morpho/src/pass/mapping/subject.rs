//! The subject graph: the gates of a circuit as conjunctions and exclusive ors of two inputs, with
//! complements on the wires and each function of the same inputs once.

use rustc_hash::FxHashMap;

use crate::hierarchy::Instance;
use crate::lut::Lut;
use crate::netlist::{Netlist, Node, Wire};

/// The value of a node of the subject graph, or its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signal(u32);

impl Signal {
    /// The constant 0, which is node 0.
    pub const FALSE: Signal = Signal(0);

    fn of(node: usize) -> Signal {
        Signal((node as u32) << 1)
    }

    /// The node.
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether its complement is meant.
    pub fn complemented(self) -> bool {
        self.0 & 1 == 1
    }

    /// The complement where `complement` is set, else the same.
    fn complement_if(self, complement: bool) -> Signal {
        Signal(self.0 ^ complement as u32)
    }
}

/// What gives a node its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// A wire that no mapped gate drives: an input, a register, a memory, a gate of a loop.
    Source(Wire),
    /// Both inputs.
    And([Signal; 2]),
    /// One input but not both; neither is complemented.
    Xor([Signal; 2]),
}

impl Function {
    /// What the node reads.
    pub fn inputs(&self) -> &[Signal] {
        match self {
            Function::Source(_) => &[],
            Function::And(inputs) | Function::Xor(inputs) => inputs,
        }
    }
}

/// The nodes that one gate of the circuit stands for: a cut that its maker chose.
#[derive(Clone, Debug)]
pub struct Given {
    /// The node with the value of the gate.
    pub root: usize,
    /// The nodes of its inputs.
    pub leaves: Vec<usize>,
}

/// A circuit as a subject graph. Nodes stand after what they read.
pub struct Subject {
    functions: Vec<Function>,
    /// The cell instance that a node comes from.
    origins: Vec<Instance>,
    levels: Vec<u32>,
    known: FxHashMap<Function, usize>,
    of_wire: Vec<Signal>,
    given: Vec<Given>,
    origin: Instance,
}

impl Subject {
    /// Takes the gates of `netlist` apart; those for which `source` holds are left whole.
    pub fn of(netlist: &Netlist, source: impl Fn(Wire) -> bool) -> Subject {
        let mut subject = Subject {
            functions: vec![Function::Source(Wire::ZERO)],
            origins: vec![Instance::TOP],
            levels: vec![0],
            known: FxHashMap::default(),
            of_wire: Vec::with_capacity(netlist.nodes().len()),
            given: Vec::new(),
            origin: Instance::TOP,
        };
        for (index, node) in netlist.nodes().iter().enumerate() {
            let wire = Wire::from_index(index);
            let signal = match node {
                Node::Constant(value) => Signal::FALSE.complement_if(*value),
                Node::Gate(gate) if !source(wire) => {
                    subject.origin = gate.origin();
                    let inputs = gate.inputs().iter().map(|input| subject.signal(*input)).collect();
                    subject.take_apart(gate.lut(), inputs)
                }
                _ => Signal::of(subject.append(Function::Source(wire), 0)),
            };
            subject.of_wire.push(signal);
        }
        subject
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    /// What gives node `node` its value.
    pub fn function(&self, node: usize) -> &Function {
        &self.functions[node]
    }

    /// The cell instance that node `node` comes from.
    pub fn origin(&self, node: usize) -> Instance {
        self.origins[node]
    }

    /// The value of a wire of the circuit.
    pub fn signal(&self, wire: Wire) -> Signal {
        self.of_wire[wire.index()]
    }

    /// The gates as they were, as cuts, in the order of their roots.
    pub fn given(&self) -> &[Given] {
        &self.given
    }

    fn append(&mut self, function: Function, level: u32) -> usize {
        self.functions.push(function);
        self.origins.push(self.origin);
        self.levels.push(level);
        self.functions.len() - 1
    }

    fn take_apart(&mut self, lut: Lut, inputs: Vec<Signal>) -> Signal {
        let before = self.len();
        let (lut, inputs) = normalise(lut, inputs);
        let leaves = inputs.iter().map(|input| input.node()).collect();
        let signal = self.grow(lut, inputs);
        // A root that was there before has a cut from its first maker.
        if signal.node() >= before {
            self.given.push(Given { root: signal.node(), leaves });
        }
        signal
    }

    /// The value of `lut` of these signals, none of them complemented, equal or ignored. Pairs of
    /// inputs that matter only by a function of the two are joined, the earliest first; where there
    /// are none, the latest input chooses between two functions of the others.
    ///
    /// Recursion is bounded by the arity.
    fn grow(&mut self, lut: Lut, mut inputs: Vec<Signal>) -> Signal {
        if lut.arity() <= 1 {
            let first = inputs.first().copied().unwrap_or(Signal::FALSE);
            return first.complement_if(lut.row(0));
        }
        let level = |input: usize| self.levels[inputs[input].node()];
        let pairs = (1..lut.arity()).flat_map(|b| (0..b).map(move |a| (a, b)));
        let joined = pairs.filter_map(|(a, b)| Some((a, b, join(lut, a, b)?)));
        if let Some((a, b, (pair, rest))) = joined.min_by_key(|&(a, b, _)| level(a).max(level(b))) {
            let value = self.binary(pair, inputs[a], inputs[b]);
            inputs.remove(b);
            inputs.remove(a);
            inputs.push(value);
            let (rest, inputs) = normalise(rest, inputs);
            return self.grow(rest, inputs);
        }
        let peels = |input: usize| {
            let [zero, one] = [false, true].map(|value| lut.cofactor(input, value));
            zero.constant().is_some() || one.constant().is_some() || zero == one.complement()
        };
        let chooser = (0..lut.arity()).max_by_key(|&input| (peels(input), level(input)));
        let chooser = chooser.expect("two inputs at least");
        let by = inputs.remove(chooser);
        let cofactors = [false, true].map(|value| lut.cofactor(chooser, value));
        let mut value_of = |cofactor: Lut| {
            let (lut, inputs) = normalise(cofactor, inputs.clone());
            self.grow(lut, inputs)
        };
        let zero = value_of(cofactors[0]);
        if cofactors[0] == cofactors[1].complement() {
            return self.xor(by, zero);
        }
        let one = value_of(cofactors[1]);
        let (zeros, ones) = (cofactors[0].table(), cofactors[1].table());
        let not_by = by.complement_if(true);
        // Where one implies the other it needs no choice.
        let low = if zeros & !ones == 0 { zero } else { self.and(not_by, zero) };
        let high = if ones & !zeros == 0 { one } else { self.and(by, one) };
        self.or(low, high)
    }

    /// The function of two signals with this table.
    fn binary(&mut self, pair: Lut, a: Signal, b: Signal) -> Signal {
        let ones = pair.table().count_ones();
        if ones == 2 {
            return self.xor(a, b).complement_if(pair.row(0));
        }
        let row = (0..4).find(|&row| pair.row(row) == (ones == 1)).expect("one row differs");
        self.and(a.complement_if(row & 1 == 0), b.complement_if(row & 2 == 0))
            .complement_if(ones == 3)
    }

    fn or(&mut self, a: Signal, b: Signal) -> Signal {
        self.and(a.complement_if(true), b.complement_if(true)).complement_if(true)
    }

    fn and(&mut self, a: Signal, b: Signal) -> Signal {
        let (a, b) = (a.min(b), a.max(b));
        if a == Signal::FALSE || a == b {
            return a;
        }
        if a.node() == 0 {
            return b;
        }
        match a.node() == b.node() {
            true => Signal::FALSE,
            false => self.find_or_append(Function::And([a, b])),
        }
    }

    fn xor(&mut self, a: Signal, b: Signal) -> Signal {
        let complemented = a.complemented() != b.complemented();
        let [a, b] = [a, b].map(|signal| Signal::of(signal.node()));
        let (a, b) = (a.min(b), a.max(b));
        let value = if a == b {
            Signal::FALSE
        } else if a == Signal::FALSE {
            b
        } else {
            self.find_or_append(Function::Xor([a, b]))
        };
        value.complement_if(complemented)
    }

    fn find_or_append(&mut self, function: Function) -> Signal {
        if let Some(&node) = self.known.get(&function) {
            return Signal::of(node);
        }
        let level = 1 + function.inputs().iter().map(|s| self.levels[s.node()]).max().unwrap_or(0);
        let node = self.append(function, level);
        self.known.insert(function, node);
        Signal::of(node)
    }
}

/// The same function of fewer and simpler signals: none is constant, complemented, twice there or
/// ignored.
fn normalise(mut lut: Lut, mut inputs: Vec<Signal>) -> (Lut, Vec<Signal>) {
    let mut input = 0;
    while input < inputs.len() {
        if inputs[input].complemented() {
            lut = lut.complement_input(input);
            inputs[input] = inputs[input].complement_if(true);
        }
        let signal = inputs[input];
        let smaller = match inputs[..input].iter().position(|other| *other == signal) {
            Some(first) => lut.identify(first, input),
            None if signal == Signal::FALSE || !lut.depends_on(input) => lut.cofactor(input, false),
            None => {
                input += 1;
                continue;
            }
        };
        lut = smaller;
        inputs.remove(input);
        // The others may be ignored now.
        input = 0;
    }
    (lut, inputs)
}

/// The function of inputs `a` < `b` by which alone they matter to `lut`, if there is one, and the
/// function of the other inputs and, last, of its value.
fn join(lut: Lut, a: usize, b: usize) -> Option<(Lut, Lut)> {
    let cofactor = |row: usize| lut.cofactor(b, row & 2 != 0).cofactor(a, row & 1 != 0);
    let zero = cofactor(0);
    let (pair, mut one) = (Lut::from_fn(2, |row| cofactor(row) != zero), zero);
    for row in 1..4 {
        match (pair.row(row), one == zero) {
            (true, true) => one = cofactor(row),
            (true, false) if cofactor(row) != one => return None,
            _ => (),
        }
    }
    let high = 1 << zero.arity();
    let rest = Lut::from_fn(zero.arity() + 1, |row| match row & high == 0 {
        true => zero.row(row),
        false => one.row(row & !high),
    });
    Some((pair, rest))
}
