//! Local rules: rewriting one gate at a time in a single sweep.

use super::Pass;
use crate::netlist::{Gate, Netlist, Node, Wire};

/// What becomes of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// It stays as it is.
    Keep,
    /// It computes the same thing as this other, simpler gate.
    Gate(Gate),
    /// It has the same value as this wire, which comes before it.
    Wire(Wire),
}

/// A rewriting of a single gate that looks at nothing but the gate.
pub trait Rule: Sync {
    /// The name, as given on a command line.
    fn name(&self) -> &'static str;

    /// What it does, in one line.
    fn description(&self) -> &'static str;

    /// What becomes of `gate`.
    fn rewrite(&self, gate: &Gate) -> Rewrite;
}

impl<R: Rule> Pass for R {
    fn name(&self) -> &'static str {
        Rule::name(self)
    }

    fn description(&self) -> &'static str {
        Rule::description(self)
    }

    fn run(&self, netlist: &mut Netlist) -> usize {
        sweep(netlist, &[self])
    }
}

/// Applies `rules` to every gate in order until none changes it; the number of rewrites.
///
/// A gate that equals another wire stays in place, unread. Gates of asynchronous loops are left
/// alone, for a loop may hold a value that its inputs do not determine.
pub(super) fn sweep(netlist: &mut Netlist, rules: &[&dyn Rule]) -> usize {
    let mut rewrites = 0;
    rewrite_gates(netlist, |_, gate| {
        let mut gate = *gate;
        let mut changed = false;
        'again: loop {
            for rule in rules {
                match rule.rewrite(&gate) {
                    Rewrite::Keep => continue,
                    Rewrite::Gate(simpler) => gate = simpler,
                    Rewrite::Wire(wire) => {
                        rewrites += 1;
                        return Rewrite::Wire(wire);
                    }
                }
                rewrites += 1;
                changed = true;
                continue 'again;
            }
            return if changed { Rewrite::Gate(gate) } else { Rewrite::Keep };
        }
    });
    rewrites
}

/// Visits every gate outside asynchronous loops in order, its inputs already replaced by the wires
/// that earlier rewrites gave, and does what `rewrite` says.
pub(super) fn rewrite_gates(
    netlist: &mut Netlist,
    mut rewrite: impl FnMut(Wire, &Gate) -> Rewrite,
) {
    let mut alias: Vec<Wire> = (0..netlist.nodes.len()).map(Wire::from_index).collect();
    let mut loops = netlist.loops.iter().cloned().peekable();
    for index in 0..netlist.nodes.len() {
        while loops.next_if(|range| range.end <= index).is_some() {}
        let looped = loops.peek().is_some_and(|range| range.contains(&index));
        if let Node::Gate(gate) = &mut netlist.nodes[index]
            && !looped
        {
            gate.inputs_mut().iter_mut().for_each(|input| *input = alias[input.index()]);
            match rewrite(Wire::from_index(index), gate) {
                Rewrite::Keep => (),
                Rewrite::Gate(simpler) => *gate = simpler,
                Rewrite::Wire(wire) => alias[index] = wire,
            }
        }
    }
    netlist.replace_wires(|wire| alias[wire.index()]);
}
