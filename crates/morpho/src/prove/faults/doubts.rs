//! Changes that no vector at hand detects, put to the SAT solver.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::{Campaign, Fate};
use crate::lut::Lut;
use crate::netlist::Wire;
use crate::prove::budget::{Budget, Reason};
use crate::prove::change::Change;
use crate::prove::graph::{Fixed, Graph};
use crate::prove::logic::Literal;
use crate::prove::sweep::{Comparison, Sweeper};
use crate::prove::vectors::Vectors;

/// Decides by SAT which changes can be detected at all, in one graph with the good circuit.
pub(super) struct Doubts<'c, 'n, 'b> {
    campaign: &'c Campaign<'n>,
    budget: &'b Budget<'b>,
    graph: Graph<'b>,
    /// The literal of every wire of the good circuit.
    good: Vec<Literal>,
    /// What is known of flipping one row of a gate's table.
    rows: FxHashMap<(Wire, usize), Fate>,
}

/// The changed circuits are added to the graph until it is this many times as large as the
/// netlist; then it is built anew.
const GROWTH: usize = 8;

impl<'c, 'n, 'b> Doubts<'c, 'n, 'b> {
    pub fn new(campaign: &'c Campaign<'n>, budget: &'b Budget<'b>) -> Doubts<'c, 'n, 'b> {
        let (graph, good) = good_circuit(campaign, budget);
        Doubts { campaign, budget, graph, good, rows: FxHashMap::default() }
    }

    /// What becomes of a change that no vector at hand detects.
    ///
    /// A gate with another table differs on some rows of the table, one at a time. So a change to it
    /// can be detected if it can on one of these rows, and what is known of a row serves every
    /// change that flips it.
    pub fn decide(&mut self, change: Change) -> Fate {
        let Some((wire, rows)) = self.flipped_rows(change) else {
            return self.ask(change);
        };
        let mut fate = Fate::Untestable;
        for row in (0..1 << rows.arity()).filter(|&row| rows.row(row)) {
            let known = self.rows.get(&(wire, row)).cloned();
            let of_row = known.unwrap_or_else(|| {
                let fate = self.ask(self.flip(wire, row));
                self.rows.insert((wire, row), fate.clone());
                fate
            });
            match of_row {
                Fate::Missed(vector) => return Fate::Missed(vector),
                Fate::Untestable => (),
                undecided => fate = undecided,
            }
        }
        fate
    }

    /// The gate that a change is to, and the rows on which it differs; none for other changes.
    fn flipped_rows(&self, change: Change) -> Option<(Wire, Lut)> {
        let (wire, table) = match change {
            Change::Gate { wire, lut } => (wire, lut.table()),
            Change::Stuck { wire, value } => (wire, if value { u64::MAX } else { 0 }),
            Change::Held { .. } => return None,
        };
        let lut = self.campaign.netlist.gate(wire)?.lut();
        Some((wire, Lut::new(lut.arity(), lut.table() ^ table)))
    }

    fn flip(&self, wire: Wire, row: usize) -> Change {
        let lut = self.campaign.netlist.gate(wire).expect("rows are of gates").lut();
        Change::Gate { wire, lut: Lut::new(lut.arity(), lut.table() ^ 1 << row) }
    }

    fn ask(&mut self, change: Change) -> Fate {
        if self.budget.poll() {
            return Fate::Undecided(self.budget.stopped().expect("it was just polled"));
        }
        if self.graph.sweeper.nodes() > GROWTH * self.good.len() {
            (self.graph, self.good) = good_circuit(self.campaign, self.budget);
        }
        let fate = self.follow(change);
        // What tells one changed circuit from the good one is of no use for the next.
        self.graph.sweeper.drop_patterns();
        fate
    }

    /// Follows a change from its place to where it is observed, as long as it may matter.
    fn follow(&mut self, change: Change) -> Fate {
        let (place, changed) = match change {
            Change::Held { register, bit } => {
                let bit = self.campaign.netlist.registers()[register].bits[bit];
                let (good, held) = (self.good[bit.next.index()], Literal::constant(bit.initial));
                return self.verdict(good, held, change).unwrap_or(Fate::Untestable);
            }
            Change::Stuck { wire, value } => (wire, Literal::constant(value)),
            Change::Gate { wire, lut } => (wire, self.gate(wire, lut, &FxHashMap::default())),
        };
        // Most changes that never matter do not because their place never differs.
        match self.verdict(self.good[place.index()], changed, change) {
            None => return Fate::Untestable,
            Some(Fate::Missed(vector)) => return Fate::Missed(vector),
            Some(_) => (),
        }
        let mut literals = FxHashMap::from_iter([(place, changed)]);
        let mut waiting: BTreeSet<Wire> =
            self.campaign.readers[place.index()].iter().copied().collect();
        let mut fate = Fate::Untestable;
        if self.campaign.observed[place.index()] {
            fate = Fate::Undecided(self.reason());
        }
        while let Some(wire) = waiting.pop_first() {
            let lut = self.campaign.netlist.gate(wire).expect("readers are gates").lut();
            let (good, changed) = (self.good[wire.index()], self.gate(wire, lut, &literals));
            if changed == good {
                continue;
            }
            literals.insert(wire, changed);
            waiting.extend(&self.campaign.readers[wire.index()]);
            if self.campaign.observed[wire.index()] {
                match self.verdict(good, changed, change) {
                    None => (),
                    Some(Fate::Missed(vector)) => return Fate::Missed(vector),
                    Some(undecided) => fate = undecided,
                }
            }
        }
        fate
    }

    /// The literal of a gate with `lut` for its table, where some wires have changed.
    fn gate(&mut self, wire: Wire, lut: Lut, changed: &FxHashMap<Wire, Literal>) -> Literal {
        let gate = self.campaign.netlist.gate(wire).expect("the wire is driven by a gate");
        let literal = |input: &Wire| *changed.get(input).unwrap_or(&self.good[input.index()]);
        let inputs: Vec<Literal> = gate.inputs().iter().map(literal).collect();
        self.graph.sweeper.spend();
        self.graph.sweeper.gate(lut, &inputs)
    }

    /// What follows for a change from a wire that it changes; nothing if the wire stays the same.
    ///
    /// A wire that is not observed may differ without anything to show for it; that decides
    /// nothing.
    fn verdict(&mut self, good: Literal, changed: Literal, change: Change) -> Option<Fate> {
        match self.graph.sweeper.compare(changed, good, self.budget.limits.conflicts_per_target) {
            Comparison::Equal => None,
            Comparison::Undecided(reason) => Some(Fate::Undecided(reason)),
            Comparison::Different(model) => {
                let inputs = self.graph.inputs(&model, &[self.campaign.netlist]);
                let values: Vec<bool> = inputs.into_iter().map(|(_, value)| value).collect();
                let mut vectors = Vectors::new(self.campaign.netlist);
                vectors.push_values(values.iter().copied());
                let shown = self.campaign.simulate(&[change], &vectors)[0];
                Some(shown.map_or(Fate::Undecided(self.reason()), |_| Fate::Missed(values)))
            }
        }
    }

    fn reason(&self) -> Reason {
        self.budget.stopped().unwrap_or(Reason::Conflicts)
    }
}

/// A graph of the circuit within its domain, and the literal of every wire.
fn good_circuit<'b>(campaign: &Campaign, budget: &'b Budget<'b>) -> (Graph<'b>, Vec<Literal>) {
    let mut graph = Graph::new(Sweeper::new(budget));
    if let Some(domain) = campaign.domain {
        let holds = domain.outputs().iter().flat_map(|port| port.wires.iter().copied());
        for literal in graph.insert(domain, holds, &Fixed::default()) {
            graph.sweeper.assume(literal);
        }
    }
    let wires = (0..campaign.netlist.nodes().len()).map(Wire::from_index);
    let good = graph.insert(campaign.netlist, wires, &Fixed::default());
    graph.sweeper.keep_patterns();
    (graph, good)
}
