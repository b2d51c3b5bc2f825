//! Technology mapping: a circuit as look-up tables of one size, as an FPGA has them.

mod cover;
mod cut;
mod rebuild;
mod subject;

use self::cover::Cover;
use self::rebuild::{drop_unread, rebuild};
use self::subject::Subject;
use super::rule::{self, Rule};
use super::{Buffers, Constants, DuplicateInputs, IgnoredInputs, Pass};
use crate::lut::Lut;
use crate::netlist::Netlist;

/// Covers the circuit with look-up tables of at most so many inputs: by cuts of its gates, taken apart
/// to two inputs, with the least depth, and with few tables for that depth.
///
/// Registers and memories stay where they are, and paths end there. Of an
/// [operator](Netlist::operators) stays what the cover has a wire for, unless it goes
/// [around operators](Mapping::around_operators). Gates of asynchronous loops are left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    inputs: usize,
    for_area: bool,
    around_operators: bool,
}

impl Mapping {
    /// Inputs of the narrowest look-up table.
    pub const MIN_INPUTS: usize = 2;

    /// Inputs of the widest look-up table.
    pub const MAX_INPUTS: usize = Lut::MAX_ARITY;

    /// To look-up tables of at most `inputs` inputs.
    ///
    /// # Panics
    /// If `inputs` is not in `2..=6`.
    pub const fn new(inputs: usize) -> Mapping {
        assert!(
            Mapping::MIN_INPUTS <= inputs && inputs <= Mapping::MAX_INPUTS,
            "look-up tables have 2 to 6 inputs"
        );
        Mapping { inputs, for_area: false, around_operators: false }
    }

    /// Saves look-up tables, whatever the depth.
    pub const fn for_area(self) -> Mapping {
        Mapping { for_area: true, ..self }
    }

    /// Keeps every wire of an operator, so that no look-up table reaches across one: for circuits
    /// that are written with operators.
    pub const fn around_operators(self) -> Mapping {
        Mapping { around_operators: true, ..self }
    }

    /// The most inputs of a look-up table.
    pub const fn inputs(self) -> usize {
        self.inputs
    }
}

const NAMES: [[&str; 2]; 5] = [
    ["lut2", "lut2-area"],
    ["lut3", "lut3-area"],
    ["lut4", "lut4-area"],
    ["lut5", "lut5-area"],
    ["lut6", "lut6-area"],
];

const DESCRIPTIONS: [[&str; 2]; 5] = [
    [
        "cover by look-up tables of 2 inputs, least depth first",
        "cover by few look-up tables of 2 inputs",
    ],
    [
        "cover by look-up tables of 3 inputs, least depth first",
        "cover by few look-up tables of 3 inputs",
    ],
    [
        "cover by look-up tables of 4 inputs, least depth first",
        "cover by few look-up tables of 4 inputs",
    ],
    [
        "cover by look-up tables of 5 inputs, least depth first",
        "cover by few look-up tables of 5 inputs",
    ],
    [
        "cover by look-up tables of 6 inputs, least depth first",
        "cover by few look-up tables of 6 inputs",
    ],
];

impl Pass for Mapping {
    fn name(&self) -> &'static str {
        let [for_depth, for_area] = NAMES[self.inputs - Mapping::MIN_INPUTS];
        if self.for_area { for_area } else { for_depth }
    }

    fn description(&self) -> &'static str {
        let [for_depth, for_area] = DESCRIPTIONS[self.inputs - Mapping::MIN_INPUTS];
        if self.for_area { for_area } else { for_depth }
    }

    fn run(&self, netlist: &mut Netlist) -> usize {
        let mut looped = vec![false; netlist.nodes.len()];
        netlist.loops.iter().for_each(|range| looped[range.clone()].fill(true));
        let replaced = netlist.gates().filter(|(wire, _)| !looped[wire.index()]).count();
        if replaced > 0 {
            let subject = Subject::of(netlist, |wire| looped[wire.index()]);
            let mut needs = Needs::of(netlist, &subject, &looped);
            if self.around_operators {
                needs.add_operators(netlist, &subject);
            }
            let sinks = needs.sinks();
            let cover = Cover::of(&subject, self.inputs, self.for_area, sinks, needs.opaque);
            rebuild(netlist, &subject, &cover, &needs.phases);
            // A table may turn out to be simpler than its gates were.
            let rules: [&dyn Rule; 4] = [&Constants, &DuplicateInputs, &IgnoredInputs, &Buffers];
            if rule::sweep(netlist, &rules) > 0 {
                drop_unread(netlist);
            }
        }
        replaced
    }
}

/// What the circuit needs beside its gates.
struct Needs {
    /// Whether a node's value is needed, and its complement.
    phases: Vec<[bool; 2]>,
    /// Nodes that no look-up table may cover but its own.
    opaque: Vec<bool>,
}

impl Needs {
    fn of(netlist: &Netlist, subject: &Subject, looped: &[bool]) -> Needs {
        let mut needs =
            Needs { phases: vec![[false; 2]; subject.len()], opaque: vec![false; subject.len()] };
        let in_loops = netlist.gates().filter(|(wire, _)| looped[wire.index()]);
        let by_loops = in_loops.flat_map(|(_, gate)| gate.inputs().iter().copied());
        for signal in netlist.sinks().chain(by_loops).map(|wire| subject.signal(wire)) {
            needs.phases[signal.node()][usize::from(signal.complemented())] = true;
        }
        needs
    }

    fn add_operators(&mut self, netlist: &Netlist, subject: &Subject) {
        for operator in netlist.operators() {
            let operands = operator.operands().iter().flatten();
            for bit in operands.chain(operator.result().iter().flatten()) {
                self.opaque[subject.signal(bit.wire).node()] = true;
            }
        }
    }

    fn sinks(&self) -> Vec<usize> {
        let needed = |&node: &usize| self.phases[node] != [false; 2] || self.opaque[node];
        (0..self.phases.len()).filter(needed).collect()
    }
}
