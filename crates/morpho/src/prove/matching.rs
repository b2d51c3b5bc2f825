//! Which ports and registers of two circuits correspond, where their names do not say so.

use std::hash::Hasher;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::Mismatch;
use super::pin::{PinKind, refuse_memories};
use super::vectors::Vectors;
use crate::netlist::{Netlist, Port, Register, RegisterBit};
use crate::sim::{Program, Simulator};

/// Streams that registers are compared on.
const STREAMS: usize = 1 << 11;

/// Clock steps of each stream.
const STEPS: usize = 24;

/// `other` with the names of `circuit`: ports that have no namesake are taken in order, those of
/// equal width together; registers that have none by what they store on random streams from reset,
/// bit for bit. What finds no partner keeps its name.
///
/// The names are a guess, and no more: a wrong one makes a proof of equality fail, it cannot make
/// one succeed.
///
/// # Errors
/// If one of them has an asynchronous loop or a memory.
pub fn with_names_of(circuit: &Netlist, other: &Netlist) -> Result<Netlist, Mismatch> {
    for netlist in [circuit, other] {
        if !netlist.loops().is_empty() {
            return Err(Mismatch::Loop { circuit: netlist.name().to_string() });
        }
        refuse_memories(netlist)?;
    }
    let mut named = other.clone();
    name_ports(&circuit.inputs, &mut named.inputs);
    name_ports(&circuit.outputs, &mut named.outputs);
    name_registers(circuit, &mut named);
    Ok(named)
}

fn name_ports(ports: &[Port], others: &mut [Port]) {
    let named: FxHashSet<String> = others.iter().map(|port| port.name.clone()).collect();
    let known: FxHashSet<&str> = ports.iter().map(|port| port.name.as_str()).collect();
    let free = ports.iter().filter(|port| !named.contains(&port.name));
    let mut waiting: Vec<&mut Port> =
        others.iter_mut().filter(|port| !known.contains(port.name.as_str())).collect();
    for port in free {
        let width = |other: &&mut Port| other.wires.len() == port.wires.len();
        if let Some(place) = waiting.iter().position(width) {
            waiting.remove(place).name.clone_from(&port.name);
        }
    }
}

/// A bit of a register: its name and index.
type BitName = (String, usize);

fn name_registers(circuit: &Netlist, named: &mut Netlist) {
    let taken: FxHashSet<BitName> = bits(named).map(|(name, _)| name).collect();
    let known: FxHashSet<BitName> = bits(circuit).map(|(name, _)| name).collect();
    if taken.iter().all(|name| known.contains(name)) {
        return;
    }
    let shown = std::iter::zip(bits(circuit), traces(circuit, circuit));
    let mut partners: FxHashMap<u64, Vec<BitName>> = FxHashMap::default();
    for ((name, _), trace) in shown.filter(|((name, _), _)| !taken.contains(name)) {
        partners.entry(trace).or_default().insert(0, name);
    }
    let traces = traces(named, circuit);
    let mut registers: Vec<Register> = Vec::new();
    for ((name, bit), trace) in std::iter::zip(bits(named).collect::<Vec<_>>(), traces) {
        let (name, index) = if known.contains(&name) {
            name
        } else {
            partners.get_mut(&trace).and_then(Vec::pop).unwrap_or(name)
        };
        let bit = RegisterBit { index, ..bit };
        match registers.iter_mut().find(|register| register.name == name) {
            Some(register) => register.bits.push(bit),
            None => registers.push(Register { name, bits: vec![bit] }),
        }
    }
    for register in &mut registers {
        register.bits.sort_by_key(|bit| bit.index);
    }
    named.registers = registers;
}

fn bits(netlist: &Netlist) -> impl Iterator<Item = (BitName, RegisterBit)> {
    netlist.registers.iter().flat_map(|register| {
        register.bits.iter().map(|bit| ((register.name.clone(), bit.index), *bit))
    })
}

/// What each register bit stores on random streams, in a few words; the streams are for the ports
/// of `inputs`.
fn traces(netlist: &Netlist, inputs: &Netlist) -> Vec<u64> {
    let single = |(number, (_, bit)): (usize, (BitName, RegisterBit))| Register {
        name: number.to_string(),
        bits: vec![RegisterBit { index: 0, ..bit }],
    };
    let registers: Vec<Register> = bits(netlist).enumerate().map(single).collect();
    let program = Arc::new(Program::compile(&Netlist { registers, ..netlist.clone() }));
    let mut simulator = Simulator::new(Arc::clone(&program), STREAMS);
    let mut hashes = vec![FxHasher::default(); bits(netlist).count()];
    let mut streams = inputs.clone();
    streams.registers.clear();
    for step in 0..STEPS {
        let vectors = Vectors::random(&streams, STREAMS, step as u64);
        for port in inputs.inputs() {
            let number = |vector| vectors.number(vector, PinKind::Port, &port.name);
            let numbers: Vec<u128> =
                (0..STREAMS).map(|vector| number(vector).unwrap_or(0)).collect();
            if let Some(input) = program.input(&port.name) {
                simulator.set(input, &numbers);
            }
        }
        simulator.step().expect("loops are refused");
        for (number, hash) in hashes.iter_mut().enumerate() {
            let register = program.register(&number.to_string()).expect("one for each bit");
            hash.write(&simulator.get_register::<u8>(register));
        }
    }
    hashes.iter().map(FxHasher::finish).collect()
}
