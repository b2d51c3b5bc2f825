//! Circuits in one logic graph.

use rustc_hash::{FxHashMap, FxHashSet};

use super::logic::Literal;
use super::pin::{Pin, sources};
use super::split::Splits;
use super::sweep::Sweeper;
use crate::lut::Lut;
use crate::netlist::{Netlist, Wire};

/// Wires whose literal is given.
pub(super) type Fixed = FxHashMap<Wire, Literal>;

/// A graph that circuits are inserted in; equal pins share a node.
pub(super) struct Graph<'b> {
    pub sweeper: Sweeper<'b>,
    pins: FxHashMap<Pin, Literal>,
    splits: Splits,
    /// The first node of the circuit that was inserted last.
    last: usize,
    /// The literals of all circuits that were inserted, by their wires.
    inserted: Vec<Vec<Literal>>,
}

/// A wire of one of the circuits of a graph, by the order in which they are inserted.
pub(super) type Place = (usize, Wire);

/// Wires that are known to equal one that is inserted earlier, or its complement.
pub(super) type Known = FxHashMap<Place, (Place, bool)>;

impl<'b> Graph<'b> {
    pub fn new(sweeper: Sweeper<'b>) -> Graph<'b> {
        Graph {
            sweeper,
            pins: FxHashMap::default(),
            splits: Splits::default(),
            last: 0,
            inserted: Vec::new(),
        }
    }

    /// Adds what drives `targets`, down to the inputs and the `fixed` wires; gives their literals.
    pub fn insert(
        &mut self,
        netlist: &Netlist,
        targets: impl Iterator<Item = Wire> + Clone,
        fixed: &Fixed,
    ) -> Vec<Literal> {
        self.insert_knowing(netlist, targets, fixed, &Known::default())
    }

    /// As [`insert`](Graph::insert), with what is known to be equal.
    pub fn insert_knowing(
        &mut self,
        netlist: &Netlist,
        targets: impl Iterator<Item = Wire> + Clone,
        fixed: &Fixed,
        known: &Known,
    ) -> Vec<Literal> {
        let needed = cone(netlist, targets.clone(), fixed);
        let gates = netlist.gates().filter(|(wire, _)| needed[wire.index()]).count();
        self.sweeper.expect(gates as u64);
        let mut literals = vec![Literal::FALSE; netlist.nodes().len()];
        literals[Wire::ONE.index()] = Literal::constant(true);
        for (pin, wire) in sources(netlist) {
            let sweeper = &mut self.sweeper;
            literals[wire.index()] = *self.pins.entry(pin).or_insert_with(|| sweeper.free());
        }
        for (wire, &literal) in fixed {
            literals[wire.index()] = literal;
        }
        let circuit = self.inserted.len();
        self.last = self.sweeper.nodes();
        for (wire, gate) in netlist.gates() {
            if needed[wire.index()] && !fixed.contains_key(&wire) {
                self.sweeper.spend();
                literals[wire.index()] = match known.get(&(circuit, wire)) {
                    Some(&((earlier, same), complemented)) => {
                        let literals = self.inserted.get(earlier).unwrap_or(&literals);
                        literals[same.index()].xor(complemented)
                    }
                    None => {
                        let inputs = gate.inputs().iter().map(|input| literals[input.index()]);
                        let inputs: Vec<Literal> = inputs.collect();
                        self.gate(gate.lut(), inputs)
                    }
                };
            }
        }
        let shown = targets.map(|wire| literals[wire.index()]).collect();
        self.inserted.push(literals);
        shown
    }

    /// The literal of a gate, with the tables inside its table as nodes of their own.
    fn gate(&mut self, mut lut: Lut, mut inputs: Vec<Literal>) -> Literal {
        while let Some(split) = self.splits.of(lut) {
            let (inside, outside): (Vec<usize>, Vec<usize>) =
                (0..inputs.len()).partition(|input| split.inputs >> input & 1 == 1);
            let inside: Vec<Literal> = inside.into_iter().map(|input| inputs[input]).collect();
            let inner = self.sweeper.gate(split.inner, &inside);
            inputs = [inner].into_iter().chain(outside.into_iter().map(|i| inputs[i])).collect();
            lut = split.outer;
        }
        self.sweeper.gate(lut, &inputs)
    }

    /// Pairs of a node of the last circuit and one of an earlier circuit that may be equal.
    pub fn doubts(&self) -> impl Iterator<Item = (Literal, Literal)> {
        let doubts = self.sweeper.doubts().iter().copied();
        doubts.filter(|(later, earlier)| later.node() >= self.last && earlier.node() < self.last)
    }

    /// What the wires are known to be: what the graph came to, and the `equal` pairs of literals,
    /// the one that came later in front.
    pub fn known(&self, equal: &[(Literal, Literal)]) -> Known {
        let equal: FxHashMap<usize, Literal> =
            equal.iter().map(|&(a, b)| (a.node(), b.xor(a.is_complement()))).collect();
        let mut places: FxHashMap<usize, (Place, bool)> = FxHashMap::default();
        let mut known = Known::default();
        for (circuit, literals) in self.inserted.iter().enumerate() {
            for (index, &literal) in literals.iter().enumerate() {
                let place = (circuit, Wire::from_index(index));
                let same = match equal.get(&literal.node()) {
                    Some(same) => same.xor(literal.is_complement()),
                    None => literal,
                };
                match places.get(&same.node()) {
                    Some(&(earlier, complemented)) => {
                        known.insert(place, (earlier, complemented != same.is_complement()));
                    }
                    None => _ = places.insert(same.node(), (place, same.is_complement())),
                }
            }
        }
        known
    }

    /// The values of the pins in a model, 0 where it does not matter, in the order of the ports.
    pub fn inputs(&self, model: &[(usize, bool)], circuits: &[&Netlist]) -> Vec<(Pin, bool)> {
        let values: FxHashMap<usize, bool> = model.iter().copied().collect();
        let value = |pin: &Pin| values.get(&self.pins[pin].node()).copied().unwrap_or(false);
        let mut inputs: Vec<(Pin, bool)> = Vec::new();
        let mut seen = FxHashSet::default();
        for (pin, _) in circuits.iter().flat_map(|netlist| sources(netlist)) {
            if seen.insert(pin.clone()) {
                inputs.push((pin.clone(), value(&pin)));
            }
        }
        inputs
    }
}

/// The wires that `targets` depend on, through gates that are not `fixed`.
fn cone(netlist: &Netlist, targets: impl Iterator<Item = Wire>, fixed: &Fixed) -> Vec<bool> {
    let mut needed = vec![false; netlist.nodes().len()];
    targets.for_each(|wire| needed[wire.index()] = true);
    for index in (0..needed.len()).rev() {
        let wire = Wire::from_index(index);
        if let Some(gate) = netlist.gate(wire)
            && needed[index]
            && !fixed.contains_key(&wire)
        {
            gate.inputs().iter().for_each(|input| needed[input.index()] = true);
        }
    }
    needed
}
