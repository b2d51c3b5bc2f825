//! Small mistakes at every place of a circuit, to see whether the checks find them.

use super::change::Change;
use crate::lut::Lut;
use crate::netlist::Netlist;

/// Every mutant of a circuit: each row of each gate's table flipped, each two inputs of each gate
/// exchanged, each gate stuck at 0 and at 1, each register bit held at the value it starts with.
///
/// Exchanges that leave the function as it is are left out, and so are tables that were had before.
pub fn mutants(netlist: &Netlist) -> Vec<Change> {
    let gates = netlist.gates().flat_map(|(wire, gate)| {
        let luts = other_tables(gate.lut()).into_iter();
        luts.map(move |lut| Change::Gate { wire, lut })
    });
    let registers = netlist.registers().iter().enumerate().flat_map(|(register, bits)| {
        (0..bits.bits.len()).map(move |bit| Change::Held { register, bit })
    });
    gates.chain(registers).collect()
}

/// The tables that one mistake makes of a table.
fn other_tables(lut: Lut) -> Vec<Lut> {
    let arity = lut.arity();
    let flips = (0..1 << arity).map(|row: usize| Lut::new(arity, lut.table() ^ 1 << row));
    let pairs = (0..arity).flat_map(|a| (0..a).map(move |b| (a, b)));
    let swaps = pairs.map(|(a, b)| lut.swap(a, b));
    let sticks = [0, u64::MAX].map(|table| Lut::new(arity, table));
    let mut tables: Vec<Lut> = flips.chain(swaps).chain(sticks).collect();
    tables.sort();
    tables.dedup();
    tables.retain(|&other| other != lut);
    tables
}
