//! Circuits of gates at random with few inputs, and what they do for every one of them.

use std::sync::Arc;

use morpho::bus::cat;
use morpho::sim::{Program, Simulator};
use morpho::{Builder, Bus, Lut, Netlist};
use proptest::prelude::*;

/// What decides a gate: its arity, its table and where its inputs come from.
pub type GateSeed = (usize, u64, Vec<prop::sample::Index>);

/// Seeds of gates of so many inputs.
pub fn gate_seeds(
    arity: impl Strategy<Value = usize>,
    count: std::ops::Range<usize>,
) -> impl Strategy<Value = Vec<GateSeed>> {
    let pick = any::<prop::sample::Index>();
    prop::collection::vec((arity, any::<u64>(), prop::collection::vec(pick, 6)), count)
}

/// The ports and the register of a circuit.
pub struct Shape<'a> {
    /// Names and widths of the inputs.
    pub inputs: &'a [(&'static str, usize)],
    /// The width of the register `state`.
    pub state: usize,
    /// What the register starts with.
    pub initial: u64,
}

/// Inputs `a` \[8\] and a register of three bits: what [`table`] takes.
pub const BYTE: Shape = Shape { inputs: &[("a", 8)], state: 3, initial: 5 };

/// A circuit of this shape with an output `y` of the picks that the register leaves.
pub fn netlist(shape: &Shape, gates: &[GateSeed], picks: &[prop::sample::Index]) -> Netlist {
    Builder::build("any", |n| {
        let inputs = cat(shape.inputs.iter().map(|&(name, width)| n.input(name, width)));
        let state = n.reg("state", &Bus::constant(shape.initial, shape.state));
        let mut wires = cat([&inputs, &state, &Bus::zero(), &Bus::one()]);
        for (arity, table, inputs) in gates {
            let inputs: Vec<Bus> =
                inputs[..*arity].iter().map(|pick| Bus::from(*pick.get(wires.wires()))).collect();
            let gate = n.lut(Lut::new(*arity, *table), &inputs.iter().collect::<Vec<_>>())?;
            wires = cat([wires, gate]);
        }
        let mut picked = picks.iter().map(|pick| *pick.get(wires.wires()));
        let next: Bus = picked.by_ref().take(shape.state).collect();
        n.drive(&state, &next);
        n.output("y", &picked.collect());
        Ok(())
    })
    .expect("a circuit without loops")
}

/// What a circuit of the shape [`BYTE`] shows for every input and stored value: output and next
/// value. The number of a row is the input and, above it, the stored value.
pub fn table(netlist: &Netlist) -> Vec<(u8, u8)> {
    let program = Arc::new(Program::compile(netlist));
    let mut simulator = Simulator::new(Arc::clone(&program), 1 << 11);
    let all: Vec<u16> = (0..1 << 11).collect();
    let stored: Vec<u16> = all.iter().map(|number| number >> 8).collect();
    let register = program.register("state").expect("a register");
    simulator.set(program.input("a").expect("an input"), &all);
    simulator.set_register(register, &stored);
    simulator.step().expect("no loops");
    let output: Vec<u8> = simulator.get(program.output("y").expect("an output"));
    std::iter::zip(output, simulator.get_register(register)).collect()
}
