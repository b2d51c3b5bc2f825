//! Inverters, absorbed by the gates around them.

use super::rule::rewrite_gates;
use super::{Pass, Rewrite};
use crate::lut::Lut;
use crate::netlist::{Netlist, Wire};
use crate::operator::Literal;

/// Lets the readers of an inverter read what it inverts, with complemented tables. Where an output
/// or register needs the inverter itself, and nothing but gates reads what it inverts, the gate
/// before it is complemented instead.
pub struct Inverters;

impl Pass for Inverters {
    fn name(&self) -> &'static str {
        "inverters"
    }

    fn description(&self) -> &'static str {
        "absorb inverters into the tables of the gates around them"
    }

    fn run(&self, netlist: &mut Netlist) -> usize {
        let complemented = gates_to_complement(netlist);
        let mut absorbed = 0;
        let mut inverted_by: Vec<Option<Wire>> = vec![None; netlist.nodes.len()];
        rewrite_gates(netlist, |wire, gate| {
            let mut result = *gate;
            for input in 0..gate.inputs().len() {
                let source = gate.inputs()[input];
                if let Some(inverted) = inverted_by[source.index()] {
                    result.inputs_mut()[input] = inverted;
                }
                if inverted_by[source.index()].is_some() != complemented[source.index()] {
                    result.set_lut(result.lut().complement_input(input));
                }
            }
            if complemented[wire.index()] {
                result.set_lut(result.lut().complement());
            }
            if result.lut() == Lut::NOT {
                inverted_by[wire.index()] = Some(result.inputs()[0]);
            }
            if result == *gate {
                return Rewrite::Keep;
            }
            absorbed += 1;
            // Readers know of a wire whether it is complemented, so only a like one replaces it.
            let like = |read: &Wire| complemented[read.index()] == complemented[wire.index()];
            match result.inputs() {
                [read] if result.lut() == Lut::BUFFER && like(read) => Rewrite::Wire(*read),
                _ => Rewrite::Gate(result),
            }
        });
        netlist.map_annotations(|bit| {
            let flipped = bit.complemented != complemented[bit.wire.index()];
            match inverted_by[bit.wire.index()] {
                Some(wire) => Literal { wire, complemented: !flipped },
                None => Literal { complemented: flipped, ..bit },
            }
        });
        absorbed
    }
}

/// Gates that only gates read, one of them an inverter that an output, register or loop needs.
fn gates_to_complement(netlist: &Netlist) -> Vec<bool> {
    let mut observed = vec![false; netlist.nodes.len()];
    let looped = netlist.loops.iter().cloned().flatten();
    let in_loops = looped.filter_map(|node| netlist.gate(Wire::from_index(node)));
    let read_in_loops = in_loops.flat_map(|gate| gate.inputs().iter().copied());
    netlist.sinks().chain(read_in_loops).for_each(|wire| observed[wire.index()] = true);
    for range in &netlist.loops {
        observed[range.clone()].fill(true);
    }
    let mut complement = vec![false; netlist.nodes.len()];
    for (wire, gate) in netlist.gates() {
        if gate.lut() == Lut::NOT && observed[wire.index()] {
            let source = gate.inputs()[0];
            let inner = netlist.gate(source).is_some_and(|gate| gate.lut() != Lut::NOT);
            complement[source.index()] = inner && !observed[source.index()];
        }
    }
    complement
}
