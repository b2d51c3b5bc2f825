//! Random circuits before and after each pass.

use morpho::pass::{optimise, registry};
use morpho::{Builder, Bus, Fits, Gate, Lut, Netlist, Wire};
use proptest::prelude::*;

use crate::common::{Random, Values, clocked};

/// A random circuit as plain numbers; each pick chooses among the wires that exist by then. A gate
/// of arity 0 stands for a [`latch`] of the first two picks.
#[derive(Debug, Clone)]
struct Recipe {
    inputs: usize,
    registers: Vec<bool>,
    gates: Vec<(usize, u64, [usize; Lut::MAX_ARITY])>,
    next: Vec<usize>,
    outputs: Vec<usize>,
}

fn recipes() -> impl Strategy<Value = Recipe> {
    let pick = || any::<usize>();
    // Narrow gates are the common ones, and what most rules are about.
    let arity =
        prop_oneof![1 => Just(0usize), 4 => Just(1), 8 => Just(2), 8 => Just(3), 2 => 4..=6usize];
    let gate = (arity, any::<u64>(), prop::array::uniform6(pick()));
    (
        1..5usize,
        prop::collection::vec(any::<bool>(), 0..5),
        prop::collection::vec(gate, 0..40),
        prop::collection::vec(pick(), 5),
        prop::collection::vec(pick(), 1..6),
    )
        .prop_map(|(inputs, registers, gates, next, outputs)| Recipe {
            inputs,
            registers,
            gates,
            next,
            outputs,
        })
}

impl Recipe {
    fn build(&self) -> Netlist {
        let build = Builder::build("random", |n| {
            n.allow_loops();
            let x = n.input("x", self.inputs);
            let initial: Bus = self.registers.iter().map(|&bit| Wire::constant(bit)).collect();
            let state = n.reg("state", &initial);
            let mut wires = vec![Wire::ZERO, Wire::ONE];
            wires.extend(x.wires().iter().chain(state.wires()));
            for &(arity, table, picks) in &self.gates {
                let inputs: Vec<Bus> =
                    picks.iter().map(|pick| wires[pick % wires.len()].into()).collect();
                let output = match arity {
                    0 => latch(n, &inputs[0], &inputs[1])?,
                    _ => {
                        n.lut(Lut::new(arity, table), &inputs[..arity].iter().collect::<Vec<_>>())?
                    }
                };
                wires.extend(output.wires());
            }
            let chosen = |picks: &[usize]| -> Bus {
                picks.iter().map(|pick| wires[pick % wires.len()]).collect()
            };
            n.drive(&state, &chosen(&self.next[..state.width()]));
            n.output("y", &chosen(&self.outputs));
            Ok(())
        });
        build.expect("every register is driven")
    }
}

/// `data` where `open` is set, else what it was when that last was: a loop through no register.
fn latch(n: &mut Builder, data: &Bus, open: &Bus) -> Fits<Bus> {
    let held = n.forward("held", 1);
    let value = n.select(open, &held, data)?;
    n.tie(&held, &value);
    Ok(value)
}

/// The outputs over some steps of random inputs, the same ones for the same input ports.
fn behaviour(netlist: &Netlist) -> Vec<Values> {
    let mut random = Random::new(7);
    let mut values = |width: usize| (0..64).map(|_| random.number(width)).collect();
    let steps: Vec<Values> = (0..6)
        .map(|_| netlist.inputs().iter().map(|port| values(port.wires.len())).collect())
        .collect();
    clocked(netlist, &steps).expect("it settles")
}

/// Ports, outputs over several steps, and what is left of the registers agree.
pub fn assert_same_behaviour(before: &Netlist, after: &Netlist, pass: &str) {
    let ports = |netlist: &Netlist| -> Vec<(String, usize)> {
        let ports = netlist.inputs().iter().chain(netlist.outputs());
        ports.map(|port| (port.name.clone(), port.wires.len())).collect()
    };
    assert_eq!(ports(before), ports(after), "{pass}");
    assert!(behaviour(before) == behaviour(after), "`{pass}` changes an output");
    for register in after.registers() {
        let original = before.registers().iter().find(|other| other.name == register.name);
        let original = original.expect("passes invent no registers");
        for bit in &register.bits {
            let same = original.bits.iter().find(|other| other.index == bit.index);
            assert_eq!(same.expect("nor bits").initial, bit.initial, "{pass}");
        }
    }
}

/// The gates outside the loops.
fn settled_gates(netlist: &Netlist) -> impl Iterator<Item = (Wire, &Gate)> {
    let looped = |wire: Wire| netlist.loops().iter().any(|range| range.contains(&wire.index()));
    netlist.gates().filter(move |&(wire, _)| !looped(wire))
}

/// Gates in order of evaluation, all wires in range, loops still loops.
fn assert_well_formed(netlist: &Netlist) {
    for (wire, gate) in settled_gates(netlist) {
        assert!(gate.inputs().iter().all(|input| input < &wire));
    }
    for range in netlist.loops() {
        let wire = netlist.gates().map(|(wire, _)| wire).find(|wire| wire.index() == range.start);
        let gate = netlist.gate(wire.expect("a loop is made of gates")).expect("a gate");
        assert!(gate.inputs().iter().any(|input| range.contains(&input.index())));
    }
    assert!(netlist.sinks().all(|wire| wire.index() < netlist.nodes().len()));
}

proptest! {
    #[test]
    fn each_pass_keeps_what_a_circuit_computes(recipe in recipes()) {
        let netlist = recipe.build();
        for pass in registry() {
            let mut result = netlist.clone();
            pass.run(&mut result);
            assert_well_formed(&result);
            assert_same_behaviour(&netlist, &result, pass.name());
        }
    }

    #[test]
    fn all_passes_keep_what_a_circuit_computes(recipe in recipes()) {
        let netlist = recipe.build();
        let mut result = netlist.clone();
        optimise(&mut result);
        assert_well_formed(&result);
        assert_same_behaviour(&netlist, &result, "optimise");
        prop_assert!(result.gates().count() <= netlist.gates().count());

        let mut again = result.clone();
        optimise(&mut again);
        prop_assert_eq!(again.nodes(), result.nodes(), "nothing is left to do");
        let mut other = netlist.clone();
        optimise(&mut other);
        prop_assert_eq!(other.nodes(), result.nodes(), "the result is the same each time");
    }

    #[test]
    fn no_gate_is_left_that_a_rule_would_remove(recipe in recipes()) {
        let mut result = recipe.build();
        optimise(&mut result);
        for (_, gate) in settled_gates(&result) {
            let mut inputs = gate.inputs().to_vec();
            prop_assert!(inputs.iter().all(|input| input.as_constant().is_none()));
            prop_assert!((0..inputs.len()).all(|input| gate.lut().depends_on(input)));
            prop_assert!(gate.lut().constant().is_none() && gate.lut() != Lut::BUFFER);
            inputs.sort();
            inputs.dedup();
            prop_assert_eq!(inputs.len(), gate.inputs().len());
        }
    }
}
