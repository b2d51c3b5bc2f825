//! Structural hashing: equal gates become one.

use rustc_hash::FxHashMap;

use super::rule::rewrite_gates;
use super::{Pass, Rewrite};
use crate::lut::Lut;
use crate::netlist::{Gate, Netlist, Wire};

/// Merges gates that compute the same function of the same wires, whatever the order of their
/// inputs; a gate that computes the complement of an earlier one becomes an inverter of it.
pub struct Hashing;

impl Pass for Hashing {
    fn name(&self) -> &'static str {
        "hashing"
    }

    fn description(&self) -> &'static str {
        "merge gates with the same function of the same wires, or its complement"
    }

    fn run(&self, netlist: &mut Netlist) -> usize {
        let mut merged = 0;
        let mut seen = FxHashMap::default();
        seen.reserve(netlist.nodes.len());
        rewrite_gates(netlist, |wire, gate| {
            let (function, complemented) = canonical(gate);
            let (earlier, of_earlier) = *seen.entry(function).or_insert((wire, complemented));
            if earlier == wire || gate.lut() == Lut::NOT && complemented != of_earlier {
                return Rewrite::Keep;
            }
            merged += 1;
            match complemented == of_earlier {
                true => Rewrite::Wire(earlier),
                false => Rewrite::Gate(Gate::new(Lut::NOT, &[earlier], gate.origin())),
            }
        });
        merged
    }
}

/// The gate with its inputs sorted and a table that starts with 0, and whether the table had to
/// be complemented for that.
fn canonical(gate: &Gate) -> ((Lut, [Wire; Lut::MAX_ARITY]), bool) {
    let mut lut = gate.lut();
    let mut inputs = [Wire::ZERO; Lut::MAX_ARITY];
    inputs[..lut.arity()].copy_from_slice(gate.inputs());
    for sorted in 1..lut.arity() {
        let mut at = sorted;
        while at > 0 && inputs[at - 1] > inputs[at] {
            inputs.swap(at - 1, at);
            lut = lut.swap(at - 1, at);
            at -= 1;
        }
    }
    match lut.row(0) {
        true => ((lut.complement(), inputs), true),
        false => ((lut, inputs), false),
    }
}
