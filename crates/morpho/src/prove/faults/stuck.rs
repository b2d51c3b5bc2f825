//! Stuck-at faults.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::graph::fanouts;
use crate::netlist::{Netlist, Wire};
use crate::prove::change::Change;
use crate::prove::pin::sources;

/// Stuck-at faults of a circuit.
#[derive(Clone, Debug)]
pub struct StuckFaults {
    /// Every fault: each input, stored value and gate stuck at 0 and at 1.
    pub all: Vec<Change>,
    /// For each fault, the number in [`StuckFaults::distinct`] of one that nothing tells apart from
    /// it.
    pub class: Vec<usize>,
    /// The faults that are left when those that nothing tells apart count once.
    pub distinct: Vec<Change>,
}

/// The stuck-at faults of a circuit.
///
/// Two faults are the same if one forces the other: a wire that only one gate reads, stuck at a
/// value that determines the gate, is that gate stuck.
pub fn stuck_faults(netlist: &Netlist) -> StuckFaults {
    let fanouts = fanouts(netlist);
    let mut forced: FxHashMap<(Wire, bool), (Wire, bool)> = FxHashMap::default();
    let observed: BTreeSet<Wire> = netlist.sinks().collect();
    for (output, gate) in netlist.gates() {
        for (input, &wire) in gate.inputs().iter().enumerate() {
            if fanouts[wire.index()] == 1 && !observed.contains(&wire) {
                for value in [false, true] {
                    if let Some(result) = gate.lut().cofactor(input, value).constant() {
                        forced.insert((wire, value), (output, result));
                    }
                }
            }
        }
    }
    let gates = netlist.gates().map(|(wire, _)| wire);
    let wires = sources(netlist).into_iter().map(|(_, wire)| wire).chain(gates);
    let mut faults = StuckFaults { all: Vec::new(), class: Vec::new(), distinct: Vec::new() };
    let mut classes: FxHashMap<(Wire, bool), usize> = FxHashMap::default();
    for site in wires.flat_map(|wire| [(wire, false), (wire, true)]) {
        let mut last = site;
        while let Some(&next) = forced.get(&last) {
            last = next;
        }
        let change = |(wire, value)| Change::Stuck { wire, value };
        faults.all.push(change(site));
        faults.class.push(*classes.entry(last).or_insert_with(|| {
            faults.distinct.push(change(last));
            faults.distinct.len() - 1
        }));
    }
    faults
}
