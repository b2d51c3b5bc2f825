//! Gates, registers and memories that no output depends on.

use rustc_hash::FxHashMap;

use super::Pass;
use crate::memory::{Memory, MemoryRead};
use crate::netlist::{Netlist, Node, Wire};

/// Removes every gate, register bit, read port and memory that no output depends on, in this step or a later one.
pub struct DeadCode;

impl Pass for DeadCode {
    fn name(&self) -> &'static str {
        "dead-code"
    }

    fn description(&self) -> &'static str {
        "remove gates and registers that no output depends on, through registers"
    }

    fn run(&self, netlist: &mut Netlist) -> usize {
        let live = live_nodes(netlist);
        let removed = live.iter().filter(|live| !**live).count();
        if removed > 0 {
            for register in &mut netlist.registers {
                register.bits.retain(|bit| live[bit.output.index()]);
            }
            netlist.registers.retain(|register| !register.bits.is_empty());
            for memory in &mut netlist.memories {
                memory.reads.retain(|read| live[read.data[0].index()]);
            }
            netlist.memories.retain(|memory| !memory.reads.is_empty());
            let order: Vec<usize> = (0..live.len()).filter(|&node| live[node]).collect();
            move_loops(netlist, &live);
            netlist.reorder(&order);
        }
        removed
    }
}

/// Which nodes stay: constants, input ports, and all that an output depends on.
fn live_nodes(netlist: &Netlist) -> Vec<bool> {
    let mut next_of_register = vec![Wire::ZERO; netlist.nodes.len()];
    for bit in netlist.register_bits() {
        next_of_register[bit.output.index()] = bit.next;
    }
    let ports = read_ports(netlist);
    let mut live = vec![false; netlist.nodes.len()];
    for port in &netlist.inputs {
        port.wires.iter().for_each(|wire| live[wire.index()] = true);
    }
    live[..2].fill(true);
    let mut reached: Vec<Wire> = netlist.outputs.iter().flat_map(|p| p.wires.clone()).collect();
    while let Some(wire) = reached.pop() {
        if !std::mem::replace(&mut live[wire.index()], true) {
            match &netlist.nodes[wire.index()] {
                Node::Gate(gate) => reached.extend(gate.inputs()),
                Node::Register => reached.push(next_of_register[wire.index()]),
                Node::Memory => {
                    let (memory, read) = ports[&wire];
                    reached.extend(memory.write.sinks());
                    reached.push(read.enable);
                    reached.extend(read.address.iter().chain(&read.data));
                }
                Node::Input | Node::Constant(_) => (),
            }
        }
    }
    live
}

/// The memory and port that each word bit is read from. A port lives or dies whole.
fn read_ports(netlist: &Netlist) -> FxHashMap<Wire, (&Memory, &MemoryRead)> {
    let mut ports = FxHashMap::default();
    for memory in &netlist.memories {
        for read in &memory.reads {
            ports.extend(read.data.iter().map(|&wire| (wire, (memory, read))));
        }
    }
    ports
}

/// Loops live or die whole, for every gate of one depends on every other.
fn move_loops(netlist: &mut Netlist, live: &[bool]) {
    let mut before = vec![0; live.len() + 1];
    for (node, &live) in live.iter().enumerate() {
        before[node + 1] = before[node] + live as usize;
    }
    netlist.loops.retain(|range| live[range.start]);
    for range in &mut netlist.loops {
        *range = before[range.start]..before[range.end];
    }
}
