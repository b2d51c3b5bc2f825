//! Walks over the gates of a netlist; none of them recurses.

use std::ops::Range;

use crate::netlist::{Netlist, Node, Wire};
use crate::operator::Literal;

/// The number of gates on the longest path to each wire; 0 for inputs, registers,
/// memories and constants.
///
/// Inside an asynchronous loop, a wire that comes later in the order counts as level 0.
pub fn levels(netlist: &Netlist) -> Vec<u32> {
    let mut levels = vec![0; netlist.nodes().len()];
    for (wire, gate) in netlist.gates() {
        let deepest = gate.inputs().iter().map(|input| levels[input.index()]).max();
        levels[wire.index()] = 1 + deepest.unwrap_or(0);
    }
    levels
}

/// The number of gate inputs, outputs and register inputs that read each wire.
pub fn fanouts(netlist: &Netlist) -> Vec<u32> {
    let mut fanouts = vec![0; netlist.nodes().len()];
    let reads = netlist.gates().flat_map(|(_, gate)| gate.inputs().iter().copied());
    for wire in reads.chain(netlist.sinks()) {
        fanouts[wire.index()] += 1;
    }
    fanouts
}

/// The wires of one longest path, from an input or register to a sink.
pub fn critical_path(netlist: &Netlist) -> Vec<Wire> {
    let levels = levels(netlist);
    let level = |wire: &Wire| levels[wire.index()];
    let mut path: Vec<Wire> = netlist.sinks().max_by_key(level).into_iter().collect();
    while let Some(gate) = path.last().and_then(|&wire| netlist.gate(wire)) {
        match gate.inputs().iter().copied().max_by_key(level) {
            Some(input) if level(&input) < level(path.last().expect("not empty")) => {
                path.push(input)
            }
            _ => break,
        }
    }
    path.reverse();
    path
}

/// Strongly connected components of the graph with an edge from each node to its `successors`,
/// in reverse topological order: successors first. Tarjan's algorithm with an explicit stack.
pub fn strongly_connected<'a>(
    count: usize,
    successors: impl Fn(usize) -> &'a [Wire],
) -> Vec<Vec<usize>> {
    const UNSEEN: u32 = u32::MAX;
    const CLOSED: u32 = u32::MAX - 1;
    // While a node is open, `low` is the oldest open node it is known to reach.
    let mut low = vec![UNSEEN; count];
    let (mut components, mut open, mut walk) = (Vec::new(), Vec::new(), Vec::new());
    for root in 0..count {
        if low[root] != UNSEEN {
            continue;
        }
        let enter = |node: usize, low: &mut Vec<u32>, open: &mut Vec<usize>| {
            low[node] = open.len() as u32;
            open.push(node);
            (node, 0, low[node])
        };
        walk.push(enter(root, &mut low, &mut open));
        while let Some(&mut (node, ref mut edge, number)) = walk.last_mut() {
            if let Some(next) = successors(node).get(*edge).map(|wire| wire.index()) {
                *edge += 1;
                match low[next] {
                    UNSEEN => walk.push(enter(next, &mut low, &mut open)),
                    CLOSED => (),
                    reached => low[node] = low[node].min(reached),
                }
                continue;
            }
            walk.pop();
            let reached = low[node];
            if let Some(&(parent, ..)) = walk.last() {
                low[parent] = low[parent].min(reached);
            }
            if reached == number {
                let component = open.split_off(number as usize);
                component.iter().for_each(|&member| low[member] = CLOSED);
                components.push(component);
            }
        }
    }
    components
}

/// Puts the gates of a netlist in an order of evaluation, drops nodes that nothing names, and
/// stores the ranges of nodes that form cycles through gates. Gives the wire that each node drove
/// before.
pub(crate) fn sort(netlist: &mut Netlist) -> Vec<Wire> {
    let count = netlist.nodes.len();
    let components = strongly_connected(count, |node| match &netlist.nodes[node] {
        Node::Gate(gate) => gate.inputs(),
        _ => &[],
    });
    let reads_itself = |node: usize| match &netlist.nodes[node] {
        Node::Gate(gate) => gate.inputs().contains(&Wire::from_index(node)),
        _ => false,
    };
    // Constants keep their places; forward wires, which no register owns any more, go.
    let mut keep = vec![false; count];
    keep[..2].fill(true);
    let ports = netlist.inputs.iter().flat_map(|port| &port.wires);
    let registers = netlist.register_bits().map(|bit| &bit.output);
    let reads = netlist.memories.iter().flat_map(|memory| &memory.reads);
    let data = reads.flat_map(|read| &read.data);
    ports.chain(registers).chain(data).for_each(|wire| keep[wire.index()] = true);
    let mut order: Vec<usize> = (0..count).filter(|&node| keep[node]).collect();
    let mut loops: Vec<Range<usize>> = Vec::new();
    for mut component in components {
        // As they were built: then a loop is evaluated along its gates, and settles soonest.
        component.sort_unstable();
        if matches!(netlist.nodes[component[0]], Node::Gate(_)) {
            if component.len() > 1 || reads_itself(component[0]) {
                loops.push(order.len()..order.len() + component.len());
            }
            order.extend(component);
        }
    }
    netlist.reorder(&order);
    netlist.loops = loops;
    order.into_iter().map(Wire::from_index).collect()
}

impl Netlist {
    /// Replaces every wire that something reads; the wires of ports and registers stay.
    pub(crate) fn replace_wires(&mut self, replacement: impl Fn(Wire) -> Wire) {
        for node in &mut self.nodes {
            if let Node::Gate(gate) = node {
                gate.inputs_mut().iter_mut().for_each(|input| *input = replacement(*input));
            }
        }
        self.map_annotations(|bit| Literal { wire: replacement(bit.wire), ..bit });
        let outputs = self.outputs.iter_mut().flat_map(|port| &mut port.wires);
        let bits = self.registers.iter_mut().flat_map(|register| &mut register.bits);
        let memories = self.memories.iter_mut().flat_map(|memory| memory.sinks_mut());
        outputs
            .chain(bits.map(|bit| &mut bit.next))
            .chain(memories)
            .for_each(|wire| *wire = replacement(*wire));
    }

    /// Rewrites every literal of operators and signals.
    pub(crate) fn map_annotations(&mut self, rewrite: impl Fn(Literal) -> Literal) {
        self.operators.iter_mut().for_each(|operator| operator.map(&rewrite));
        self.signals.iter_mut().for_each(|signal| signal.map(&rewrite));
    }

    /// Keeps the nodes listed in `order`, in that order. The constants must come first, and every
    /// node that something reads must be listed. Operators forget the others. Loops are left to the
    /// caller.
    pub(crate) fn reorder(&mut self, order: &[usize]) {
        let mut place = vec![Wire::ZERO; self.nodes.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = Wire::from_index(new);
        }
        self.nodes = order.iter().map(|&old| self.nodes[old]).collect();
        let listed = |wire: Wire| wire == Wire::ZERO || place[wire.index()] != Wire::ZERO;
        self.operators.retain_mut(|operator| operator.restrict(listed));
        self.signals.retain_mut(|signal| signal.restrict(listed));
        self.replace_wires(|wire| place[wire.index()]);
        let ports = self.inputs.iter_mut().flat_map(|port| &mut port.wires);
        let bits = self.registers.iter_mut().flat_map(|register| &mut register.bits);
        let memories = self.memories.iter_mut().flat_map(|memory| memory.data_mut());
        ports
            .chain(bits.map(|bit| &mut bit.output))
            .chain(memories)
            .for_each(|wire| *wire = place[wire.index()]);
    }
}
