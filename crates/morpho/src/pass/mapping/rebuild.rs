//! The look-up tables of a cover, in the place of the gates that they cover.

use super::cover::Cover;
use super::cut::Cut;
use super::subject::{Function, Signal, Subject};
use crate::lut::{Lut, PROJECTION};
use crate::netlist::{Gate, Netlist, Node, Wire};
use crate::operator::Literal;

/// Replaces the gates of `netlist`. `phases` says of each node whether its value is needed outside of
/// gates, and its complement: a complement has a look-up table of its own, as deep as the other.
pub fn rebuild(netlist: &mut Netlist, subject: &Subject, cover: &Cover, phases: &[[bool; 2]]) {
    let mut rebuild = Rebuild {
        order: vec![Wire::ZERO.index(), Wire::ONE.index()],
        late: Vec::new(),
        inside_loop: inside_loops(netlist),
        netlist,
        subject,
        drivers: vec![Driver::default(); subject.len()],
        cone: Cone { values: vec![None; subject.len()] },
    };
    rebuild.drivers[Signal::FALSE.node()].wires = [Some(Wire::ZERO), Some(Wire::ONE)];
    for (node, &phases) in phases.iter().enumerate().skip(1) {
        match (subject.function(node), cover.cut(node)) {
            (Function::Source(wire), _) => rebuild.source(node, *wire, phases[1]),
            (_, Some(cut)) => rebuild.look_up_table(node, cut, phases),
            _ => (),
        }
    }
    rebuild.flush();
    rebuild.finish();
}

/// Removes gates that nothing reads; registers stay.
pub fn drop_unread(netlist: &mut Netlist) {
    let mut read: Vec<bool> =
        netlist.nodes.iter().map(|node| !matches!(node, Node::Gate(_))).collect();
    netlist.loops.iter().for_each(|range| read[range.clone()].fill(true));
    let sinks: Vec<Wire> = netlist.sinks().collect();
    sinks.iter().for_each(|wire| read[wire.index()] = true);
    for index in (0..read.len()).rev() {
        if let (true, Node::Gate(gate)) = (read[index], &netlist.nodes[index]) {
            gate.inputs().iter().for_each(|input| read[input.index()] = true);
        }
    }
    let order: Vec<usize> = (0..read.len()).filter(|&node| read[node]).collect();
    reorder(netlist, &order);
}

/// Keeps the nodes listed, and all loops, which the order leaves whole.
fn reorder(netlist: &mut Netlist, order: &[usize]) {
    let mut place = vec![0; netlist.nodes.len()];
    order.iter().enumerate().for_each(|(new, &old)| place[old] = new);
    for range in &mut netlist.loops {
        let start = place[range.start];
        *range = start..start + range.len();
    }
    netlist.reorder(order);
}

/// The gates of loops but the first of each.
fn inside_loops(netlist: &Netlist) -> Vec<bool> {
    let mut inside = vec![false; netlist.nodes.len()];
    netlist.loops.iter().for_each(|range| inside[range.start + 1..range.end].fill(true));
    inside
}

/// The wires of a node.
#[derive(Clone, Copy, Default)]
struct Driver {
    /// Of its value and of its complement.
    wires: [Option<Wire>; 2],
    /// Which of them look-up tables read.
    read: usize,
}

struct Rebuild<'a> {
    netlist: &'a mut Netlist,
    subject: &'a Subject,
    drivers: Vec<Driver>,
    /// The nodes of the netlist that stay, in their new order.
    order: Vec<usize>,
    /// Inverters of gates of a loop, which stand behind the whole loop.
    late: Vec<Wire>,
    inside_loop: Vec<bool>,
    cone: Cone,
}

impl Rebuild<'_> {
    fn source(&mut self, node: usize, wire: Wire, complement: bool) {
        if !self.inside_loop[wire.index()] {
            self.flush();
        }
        self.order.push(wire.index());
        let inverter = complement
            .then(|| self.append(Gate::new(Lut::NOT, &[wire], self.subject.origin(node))));
        self.late.extend(inverter);
        self.drivers[node].wires = [Some(wire), inverter];
    }

    fn look_up_table(&mut self, node: usize, cut: &Cut, [value, complement]: [bool; 2]) {
        self.flush();
        let lut = self.cone.function(self.subject, node, cut, &self.drivers);
        let inputs: Vec<Wire> = cut.leaves().map(|leaf| self.drivers[leaf].wire()).collect();
        let origin = self.subject.origin(node);
        let read = usize::from(complement && !value);
        let mut wires = [None; 2];
        for (phase, lut) in [lut, lut.complement()].into_iter().enumerate() {
            if phase == read || phase == 1 && complement {
                let wire = self.append(Gate::new(lut, &inputs, origin));
                self.order.push(wire.index());
                wires[phase] = Some(wire);
            }
        }
        self.drivers[node] = Driver { wires, read };
    }

    fn append(&mut self, gate: Gate) -> Wire {
        self.netlist.nodes.push(Node::Gate(gate));
        Wire::from_index(self.netlist.nodes.len() - 1)
    }

    fn flush(&mut self) {
        self.order.extend(self.late.drain(..).map(Wire::index));
    }

    /// Lets everything read the new wires, and drops the old ones.
    fn finish(self) {
        let Self { netlist, subject, drivers, order, inside_loop, .. } = self;
        let old = inside_loop.len();
        netlist.map_annotations(|bit| {
            let signal = subject.signal(bit.wire);
            let driver = drivers[signal.node()];
            let flipped = signal.complemented() != (driver.read == 1);
            // An operator forgets a wire that the cover has not.
            let wire = driver.wires[driver.read].unwrap_or(bit.wire);
            Literal { wire, complemented: bit.complemented != flipped }
        });
        netlist.replace_wires(|wire| {
            let signal = (wire.index() < old).then(|| subject.signal(wire));
            let new = signal.and_then(|signal| {
                drivers[signal.node()].wires[usize::from(signal.complemented())]
            });
            // Nothing that stays reads a wire that has no driver.
            new.unwrap_or(wire)
        });
        reorder(netlist, &order);
    }
}

impl Driver {
    /// The wire that look-up tables read.
    fn wire(self) -> Wire {
        self.wires[self.read].expect("what is read has a driver")
    }
}

/// The nodes between a root and the leaves of its cut.
struct Cone {
    /// Their tables over the leaves, while one cone is looked at.
    values: Vec<Option<u64>>,
}

impl Cone {
    /// The table of `root` over the wires that the leaves of `cut` are read by.
    fn function(&mut self, subject: &Subject, root: usize, cut: &Cut, drivers: &[Driver]) -> Lut {
        let mut seen: Vec<usize> = cut.leaves().collect();
        for (input, &leaf) in seen.iter().enumerate() {
            let complement = if drivers[leaf].read == 1 { u64::MAX } else { 0 };
            self.values[leaf] = Some(PROJECTION[input] ^ complement);
        }
        let mut open = vec![root];
        while let Some(&node) = open.last() {
            match self.value(subject.function(node)) {
                Ok(value) => {
                    open.pop();
                    self.values[node] = Some(value);
                    seen.push(node);
                }
                Err(missing) => open.push(missing),
            }
        }
        let table = self.values[root].expect("the walk ends with the root");
        seen.into_iter().for_each(|node| self.values[node] = None);
        Lut::new(cut.leaves().len(), table)
    }

    /// The table of a function, or a node that must be known first.
    fn value(&self, function: &Function) -> Result<u64, usize> {
        let of = |signal: Signal| match self.values[signal.node()] {
            Some(value) => Ok(if signal.complemented() { !value } else { value }),
            None => Err(signal.node()),
        };
        match *function {
            Function::And([a, b]) => Ok(of(a)? & of(b)?),
            Function::Xor([a, b]) => Ok(of(a)? ^ of(b)?),
            Function::Source(_) => unreachable!("a source in a cone is a leaf"),
        }
    }
}
