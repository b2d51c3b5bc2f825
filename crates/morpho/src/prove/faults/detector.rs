//! A circuit that says which changes show.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::Campaign;
use crate::builder::Builder;
use crate::bus::Bus;
use crate::cell::Fits;
use crate::library::reduce::any;
use crate::lut::Lut;
use crate::netlist::{Gate, Netlist, Wire};
use crate::pass::optimise;
use crate::prove::change::Change;

/// The name of the output of a `Campaign::detector` that is 1 where any change shows.
pub const ANY: &str = "any";

impl Campaign<'_> {
    /// A circuit with the input ports of this one, which has no registers. Output `shown0`,
    /// `shown1`, ... says whether the change of that number shows on the inputs, and [`ANY`]
    /// whether one does. Run over all inputs, it decides what neither vectors nor SAT do.
    ///
    /// # Panics
    /// If the circuit has registers, or a change is not to a gate or input of it.
    pub fn detector(&self, changes: &[Change]) -> Netlist {
        assert!(self.netlist.registers().is_empty(), "a detector has no registers");
        let mut circuit = Builder::build("detector", |n| {
            let good = self.copy(n)?;
            let shown = changes
                .iter()
                .map(|&change| self.shows(n, &good, change))
                .collect::<Fits<Vec<_>>>()?;
            for (index, shown) in shown.iter().enumerate() {
                n.output(format!("shown{index}"), shown);
            }
            let any = any(n, &shown.iter().flat_map(|bus| bus.wires().iter().copied()).collect())?;
            n.output(ANY, &any);
            Ok(())
        })
        .expect("gates are copied as they are");
        optimise(&mut circuit);
        circuit
    }

    /// A copy of the circuit; the wire for each of its wires.
    fn copy(&self, n: &mut Builder) -> Fits<Vec<Bus>> {
        let mut copies = vec![Bus::zero(); self.netlist.nodes().len()];
        copies[Wire::ONE.index()] = Bus::one();
        for port in self.netlist.inputs() {
            let bus = n.input(&port.name, port.wires.len());
            for (index, wire) in port.wires.iter().enumerate() {
                copies[wire.index()] = bus.bit(index)?;
            }
        }
        for (wire, gate) in self.netlist.gates() {
            copies[wire.index()] = apply(n, gate, gate.lut(), |input| &copies[input.index()])?;
        }
        Ok(copies)
    }

    /// Whether a change shows -> \[1\].
    fn shows(&self, n: &mut Builder, good: &[Bus], change: Change) -> Fits<Bus> {
        let (place, value) = match change {
            Change::Stuck { wire, value } => (wire, Bus::constant(value.into(), 1)),
            Change::Gate { wire, lut } => {
                let gate = self.netlist.gate(wire).expect("the change is of a gate");
                (wire, apply(n, gate, lut, |input| &good[input.index()])?)
            }
            Change::Held { .. } => panic!("a detector has no registers"),
        };
        let mut changed = FxHashMap::from_iter([(place, value)]);
        let mut waiting: BTreeSet<Wire> = self.readers[place.index()].iter().copied().collect();
        while let Some(wire) = waiting.pop_first() {
            let gate = self.netlist.gate(wire).expect("readers are gates");
            let bus = |input: Wire| changed.get(&input).unwrap_or(&good[input.index()]);
            let value = apply(n, gate, gate.lut(), bus)?;
            changed.insert(wire, value);
            waiting.extend(&self.readers[wire.index()]);
        }
        let mut observed: Vec<Wire> =
            changed.keys().copied().filter(|wire| self.observed[wire.index()]).collect();
        observed.sort();
        let differing = observed
            .into_iter()
            .map(|wire| n.xor(&changed[&wire], &good[wire.index()]))
            .collect::<Fits<Vec<Bus>>>()?;
        any(n, &differing.iter().flat_map(|bus| bus.wires().iter().copied()).collect())
    }
}

fn apply<'b>(n: &mut Builder, gate: &Gate, lut: Lut, bus: impl Fn(Wire) -> &'b Bus) -> Fits<Bus> {
    let inputs: Vec<&Bus> = gate.inputs().iter().map(|&input| bus(input)).collect();
    n.lut(lut, &inputs)
}
