//! Circuits in one logic graph.

use rustc_hash::{FxHashMap, FxHashSet};

use super::logic::Literal;
use super::pin::{Pin, sources};
use super::sweep::Sweeper;
use crate::netlist::{Netlist, Wire};

/// Wires whose literal is given.
pub(super) type Fixed = FxHashMap<Wire, Literal>;

/// A graph that circuits are inserted in; equal pins share a node.
pub(super) struct Graph<'b> {
    pub sweeper: Sweeper<'b>,
    pins: FxHashMap<Pin, Literal>,
}

impl<'b> Graph<'b> {
    pub fn new(sweeper: Sweeper<'b>) -> Graph<'b> {
        Graph { sweeper, pins: FxHashMap::default() }
    }

    /// Adds what drives `targets`, down to the inputs and the `fixed` wires; gives their literals.
    pub fn insert(
        &mut self,
        netlist: &Netlist,
        targets: impl Iterator<Item = Wire> + Clone,
        fixed: &Fixed,
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
        for (wire, gate) in netlist.gates() {
            if needed[wire.index()] && !fixed.contains_key(&wire) {
                let inputs: Vec<Literal> =
                    gate.inputs().iter().map(|input| literals[input.index()]).collect();
                literals[wire.index()] = self.sweeper.gate(gate.lut(), &inputs);
            }
        }
        targets.map(|wire| literals[wire.index()]).collect()
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
