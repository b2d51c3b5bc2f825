//! The compiled simulator against the plain interpreter, and against numbers.

mod common;

use std::sync::Arc;

use morpho::bus::cat;
use morpho::library::adder::ripple_adder;
use morpho::sim::{Interpreter, Oscillation, Program, Simulator};
use morpho::{Builder, Bus, Lut, Netlist, pass};
use proptest::prelude::*;

use common::small::{Shape, gate_seeds, netlist};

/// Any circuit with inputs `a` \[6\] and `b` \[1\], a register of five bits and an output `y`.
fn any_netlist() -> impl Strategy<Value = Netlist> {
    let picks = prop::collection::vec(any::<prop::sample::Index>(), 5 + 8);
    (gate_seeds(0..=6usize, 1..300), picks, any::<u64>()).prop_map(|(gates, picks, initial)| {
        let shape = Shape { inputs: &[("a", 6), ("b", 1)], state: 5, initial };
        netlist(&shape, &gates, &picks)
    })
}

proptest! {
    #[test]
    fn any_circuit_agrees_with_the_interpreter(
        netlist in any_netlist(),
        a in prop::collection::vec(prop::collection::vec(0..64u128, 64), 6),
        b in prop::collection::vec(prop::collection::vec(0..2u128, 64), 6),
    ) {
        let program = Arc::new(Program::compile(&netlist));
        let mut simulator = Simulator::new(Arc::clone(&program), 64);
        let mut interpreter = Interpreter::new(&netlist);
        for (a, b) in std::iter::zip(&a, &b) {
            for (name, numbers) in [("a", a), ("b", b)] {
                interpreter.set(name, numbers);
                simulator.set(program.input(name).expect("an input"), numbers);
            }
            // The outputs of a step stay readable after its clock edge.
            interpreter.evaluate().expect("no loops");
            simulator.step().expect("no loops");
            let got: Vec<u128> = simulator.get(program.output("y").expect("an output"));
            prop_assert_eq!(got, interpreter.get("y", 64));
            interpreter.step().expect("no loops");
        }
    }
}

/// `y = a * 3 + count`, where `count` counts steps, at a width beyond one word.
fn wide() -> Netlist {
    let mut netlist = Builder::build("wide", |n| {
        let a = n.input("a", 100);
        let count = n.reg("count", &Bus::constant(5, 100));
        let (next, _) = ripple_adder(n, &count, &Bus::constant(1, 100), &Bus::zero())?;
        n.drive(&count, &next);
        let twice = cat([&Bus::zero(), &a.low(99)]);
        let (triple, _) = ripple_adder(n, &a, &twice, &Bus::zero())?;
        let (y, _) = ripple_adder(n, &triple, &count, &Bus::zero())?;
        n.output("y", &y);
        Ok(())
    })
    .expect("a circuit");
    pass::optimise(&mut netlist);
    netlist
}

#[test]
fn every_number_of_lanes() {
    let program = Arc::new(Program::compile(&wide()));
    let (a, y) = (program.input("a").expect("a"), program.output("y").expect("y"));
    let count = program.register("count").expect("count");
    for lanes in [0, 1, 63, 64, 65, 511, 512, 513, 2047, 2048, 4096, 4097, 10_000] {
        let mut simulator = Simulator::new(Arc::clone(&program), lanes);
        assert_eq!(simulator.lanes(), lanes);
        let numbers: Vec<u128> = (0..lanes as u128).map(|i| (i << 70) | (i * i)).collect();
        simulator.set(a, &numbers);
        for step in 5..8 {
            simulator.step().expect("no loops");
            let expected: Vec<u128> = numbers.iter().map(|a| (a * 3 + step) % (1 << 100)).collect();
            assert_eq!(simulator.get::<u128>(y), expected, "{lanes} lanes");
        }
        assert_eq!(simulator.get_register::<u64>(count), vec![8; lanes]);
        let counts: Vec<u128> = (0..lanes as u128).map(|lane| lane << 80).collect();
        simulator.set_register(count, &counts);
        simulator.evaluate().expect("no loops");
        let expected: Vec<u128> =
            std::iter::zip(&numbers, &counts).map(|(a, c)| (a * 3 + c) % (1 << 100)).collect();
        assert_eq!(simulator.get::<u128>(y), expected, "{lanes} lanes");
        simulator.reset();
        assert_eq!(simulator.get_register::<u64>(count), vec![5; lanes]);
    }
}

#[test]
fn one_number_on_every_lane() {
    let program = Arc::new(Program::compile(&wide()));
    let (a, y) = (program.input("a").expect("a"), program.output("y").expect("y"));
    let mut simulator = Simulator::new(program, 3000);
    for block in simulator.blocks_mut() {
        block.set_all(a, -1i128);
    }
    simulator.evaluate().expect("no loops");
    assert_eq!(simulator.get::<i128>(y), vec![2; 3000]);
}

#[test]
fn signed_and_unsigned_readings() {
    let netlist = Builder::build("through", |n| {
        let a = n.input("a", 5);
        n.output("y", &a);
        Ok(())
    })
    .expect("a circuit");
    let program = Arc::new(Program::compile(&netlist));
    let (a, y) = (program.input("a").expect("a"), program.output("y").expect("y"));
    let mut simulator = Simulator::new(program, 4);
    simulator.set(a, &[-1i8, 15, 16, 7 + 32]);
    simulator.evaluate().expect("no loops");
    assert_eq!(simulator.get::<i8>(y), [-1, 15, -16, 7]);
    assert_eq!(simulator.get::<u8>(y), [31, 15, 16, 7]);
    assert_eq!(simulator.get::<i64>(y), [-1, 15, -16, 7]);
}

#[test]
fn registers_that_swap_their_values() {
    let netlist = Builder::build("swap", |n| {
        let (a, b) = (n.reg("a", &Bus::constant(1, 4)), n.reg("b", &Bus::constant(2, 4)));
        n.drive(&a, &b);
        n.drive(&b, &a);
        n.output("a", &a);
        Ok(())
    })
    .expect("a circuit");
    let program = Program::compile(&netlist);
    let a = program.output("a").expect("a");
    let mut simulator = Simulator::new(program, 1);
    let values: Vec<u8> = (0..4)
        .map(|_| {
            simulator.step().expect("no loops");
            simulator.get(a)[0]
        })
        .collect();
    assert_eq!(values, [1, 2, 1, 2]);
}

/// A latch of two NOR gates, `q` held while neither input is set.
fn latch() -> Netlist {
    Builder::build("latch", |n| {
        n.allow_loops();
        let (set, reset) = (n.input("set", 1), n.input("reset", 1));
        let q = n.forward("q", 1);
        let low = n.lut(Lut::NOR, &[&set, &q])?;
        let high = n.lut(Lut::NOR, &[&reset, &low])?;
        n.tie(&q, &high);
        n.output("q", &high);
        Ok(())
    })
    .expect("loops are allowed")
}

#[test]
fn a_latch_holds_its_value_on_each_lane() {
    let program = Program::compile(&latch());
    let [set, reset] = ["set", "reset"].map(|name| program.input(name).expect(name));
    let q = program.output("q").expect("q");
    let mut simulator = Simulator::new(program, 3);
    for (s, r, expected) in [
        ([1, 0, 0], [0, 1, 1], [1, 0, 0]),
        ([0, 0, 0], [0, 0, 0], [1, 0, 0]),
        ([0, 1, 0], [1, 0, 0], [0, 1, 0]),
        ([0, 0, 0], [0, 0, 0], [0, 1, 0]),
    ] {
        simulator.set(set, &s);
        simulator.set(reset, &r);
        simulator.evaluate().expect("a latch settles");
        assert_eq!(simulator.get::<u8>(q), expected);
    }
}

#[test]
fn an_oscillator_is_an_error() {
    let netlist = Builder::build("ring", |n| {
        n.allow_loops();
        let wire = n.forward("wire", 1);
        let inverted = n.not(&wire)?;
        n.tie(&wire, &inverted);
        n.output("y", &inverted);
        Ok(())
    })
    .expect("loops are allowed");
    let error = Err(Oscillation { gates: 1 });
    assert_eq!(Simulator::new(Program::compile(&netlist), 1).evaluate(), error);
    assert_eq!(Interpreter::new(&netlist).evaluate(), error);
}

#[test]
fn dead_register_bits_read_as_zero() {
    let mut netlist = Builder::build("partial", |n| {
        let a = n.input("a", 4);
        let held = n.reg("held", &Bus::constant(15, 4));
        n.drive(&held, &a);
        n.output("y", &cat([held.bit(1)?, held.bit(3)?]));
        Ok(())
    })
    .expect("a circuit");
    pass::optimise(&mut netlist);
    let program = Program::compile(&netlist);
    let held = program.register("held").expect("held");
    let mut simulator = Simulator::new(program, 1);
    assert_eq!(simulator.get_register::<u8>(held), [0b1010]);
    simulator.set_register(held, &[0b0111u8]);
    assert_eq!(simulator.get_register::<u8>(held), [0b0010]);
}

#[test]
#[should_panic(expected = "one number per lane")]
fn too_few_numbers_are_refused() {
    let program = Program::compile(&wide());
    let a = program.input("a").expect("a");
    Simulator::new(program, 3).set(a, &[1u64, 2]);
}
