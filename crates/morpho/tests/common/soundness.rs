//! What holds for every finished circuit, and whether two circuits do the same.

use std::collections::HashSet;
use std::hash::Hash;

use morpho::graph::strongly_connected;
use morpho::sim::{Interpreter, Oscillation, Program, Simulator};
use morpho::{Gate, Netlist, Node, Port, Wire};

use super::{Random, Values};

const LANES: usize = 64;
const STEPS: usize = 6;

/// Fails unless every invariant of a [`Netlist`] holds.
#[track_caller]
pub fn assert_well_formed(netlist: &Netlist) {
    assert_eq!(constants(netlist), [(0, false), (1, true)]);
    let inputs = netlist.inputs().iter().flat_map(|port| port.wires.iter().copied());
    let registers = netlist.register_bits().map(|bit| bit.output);
    assert_drives(netlist, inputs.collect(), |node| *node == Node::Input);
    let reads = netlist.memories().iter().flat_map(|memory| &memory.reads);
    let words = reads.flat_map(|read| read.data.iter().copied());
    assert_drives(netlist, registers.collect(), |node| *node == Node::Register);
    assert_drives(netlist, words.collect(), |node| *node == Node::Memory);
    assert_distinct(netlist.memories().iter().map(|memory| &memory.name));
    assert_distinct(netlist.inputs().iter().map(|port| &port.name));
    assert_distinct(netlist.outputs().iter().map(|port| &port.name));
    assert_distinct(netlist.registers().iter().map(|register| &register.name));
    for register in netlist.registers() {
        assert!(register.bits.is_sorted_by_key(|bit| bit.index), "{register:?}");
        assert_distinct(register.bits.iter().map(|bit| bit.index));
    }
    assert!(netlist.sinks().all(|wire| wire.index() < netlist.nodes().len()));
    for (wire, gate) in netlist.gates() {
        let range = netlist.loops().iter().find(|range| range.contains(&wire.index()));
        let end = range.map_or(wire.index(), |range| range.end);
        assert!(gate.inputs().iter().all(|input| input.index() < end), "{wire:?}: {gate:?}");
        assert!(gate.origin().index() < netlist.hierarchy().len());
    }
    assert_eq!(cycles(netlist), netlist.loops());
    for instance in netlist.hierarchy().instances().skip(1) {
        assert!(netlist.hierarchy().parent(instance) < instance);
    }
}

fn constants(netlist: &Netlist) -> Vec<(usize, bool)> {
    let constant = |(index, node): (usize, &Node)| match node {
        Node::Constant(value) => Some((index, *value)),
        _ => None,
    };
    netlist.nodes().iter().enumerate().filter_map(constant).collect()
}

/// `wires` are driven by the nodes of one kind, one each, and there are no others.
#[track_caller]
fn assert_drives(netlist: &Netlist, wires: Vec<Wire>, kind: impl Fn(&Node) -> bool) {
    assert_distinct(wires.iter());
    assert!(wires.iter().all(|wire| kind(netlist.node(*wire))));
    assert_eq!(wires.len(), netlist.nodes().iter().filter(|node| kind(node)).count());
}

#[track_caller]
fn assert_distinct<T: Eq + Hash + std::fmt::Debug>(things: impl Iterator<Item = T>) {
    let mut seen = HashSet::new();
    for thing in things {
        let text = format!("{thing:?}");
        assert!(seen.insert(thing), "there is another {text}");
    }
}

/// The cycles through gates alone, found anew, as ranges of nodes.
fn cycles(netlist: &Netlist) -> Vec<std::ops::Range<usize>> {
    let inputs = |node: usize| match &netlist.nodes()[node] {
        Node::Gate(gate) => gate.inputs(),
        _ => &[],
    };
    let reads_itself = |node: usize| inputs(node).iter().any(|input| input.index() == node);
    let mut cycles: Vec<_> = strongly_connected(netlist.nodes().len(), inputs)
        .into_iter()
        .filter(|members| members.len() > 1 || reads_itself(members[0]))
        .map(|members| {
            let start = *members.iter().min().expect("a component has a member");
            assert!(members.iter().all(|node| *node < start + members.len()), "{members:?}");
            start..start + members.len()
        })
        .collect();
    cycles.sort_by_key(|range| range.start);
    cycles
}

/// The gates outside the loops.
pub fn settled_gates(netlist: &Netlist) -> impl Iterator<Item = (Wire, &Gate)> {
    let looped = |wire: Wire| netlist.loops().iter().any(|range| range.contains(&wire.index()));
    netlist.gates().filter(move |&(wire, _)| !looped(wire))
}

/// The outputs of each step on random inputs, the same ones for the same input ports, up to the
/// first step in which a loop oscillates. Fails unless both engines agree.
pub fn behaviour(netlist: &Netlist) -> Vec<Values> {
    let mut random = Random::new(7);
    let mut numbers = |port: &Port| (0..LANES).map(|_| random.number(port.wires.len())).collect();
    let steps: Vec<Values> =
        (0..STEPS).map(|_| netlist.inputs().iter().map(&mut numbers).collect()).collect();
    let (interpreted, compiled) = (interpret(netlist, &steps), simulate(netlist, &steps));
    assert!(interpreted == compiled, "the interpreter and the simulator differ");
    interpreted.into_iter().map_while(Result::ok).collect()
}

fn interpret(netlist: &Netlist, steps: &[Values]) -> Vec<Result<Values, Oscillation>> {
    let mut interpreter = Interpreter::new(netlist);
    let step = |values: &Values| {
        for (port, numbers) in std::iter::zip(netlist.inputs(), values) {
            interpreter.set(&port.name, numbers);
        }
        interpreter.evaluate()?;
        let get = |port: &Port| interpreter.get(&port.name, LANES);
        let outputs = netlist.outputs().iter().map(get).collect();
        interpreter.step()?;
        Ok(outputs)
    };
    until_error(steps.iter().map(step))
}

fn simulate(netlist: &Netlist, steps: &[Values]) -> Vec<Result<Values, Oscillation>> {
    let program = std::sync::Arc::new(Program::compile(netlist));
    let mut simulator = Simulator::new(program.clone(), LANES);
    let step = |values: &Values| {
        for (port, numbers) in std::iter::zip(netlist.inputs(), values) {
            simulator.set(program.input(&port.name).expect("an input"), numbers);
        }
        simulator.step()?;
        let get = |port: &Port| simulator.get(program.output(&port.name).expect("an output"));
        Ok(netlist.outputs().iter().map(get).collect())
    };
    until_error(steps.iter().map(step))
}

/// Everything up to the first error; what follows one is not defined.
fn until_error<T, E>(results: impl Iterator<Item = Result<T, E>>) -> Vec<Result<T, E>> {
    let mut failed = false;
    results.take_while(|result| !std::mem::replace(&mut failed, result.is_err())).collect()
}

/// Ports, outputs over several steps, and what is left of the registers agree. Where a loop of the
/// circuit before oscillates, nothing is compared from there on.
#[track_caller]
pub fn assert_same_behaviour(before: &Netlist, after: &Netlist, pass: &str) {
    let ports = |netlist: &Netlist| -> Vec<(String, usize)> {
        let ports = netlist.inputs().iter().chain(netlist.outputs());
        ports.map(|port| (port.name.clone(), port.wires.len())).collect()
    };
    assert_eq!(ports(before), ports(after), "{pass}");
    let expected = behaviour(before);
    assert!(behaviour(after).starts_with(&expected), "`{pass}` changes an output");
    for register in after.registers() {
        let original = before.registers().iter().find(|other| other.name == register.name);
        let original = original.expect("passes invent no registers");
        for bit in &register.bits {
            let same = original.bits.iter().find(|other| other.index == bit.index);
            assert_eq!(same.expect("nor bits").initial, bit.initial, "{pass}");
        }
    }
}
