//! The program that measures the speed limit of another one.

use morpho::bus::cat;
use morpho::library::adder::ripple_adder;
use morpho::library::multiplier::wallace;
use morpho::sim::{Program, Simulator};
use morpho::{Builder, Bus};

#[test]
fn the_ceiling_does_the_same_work_in_few_slots() {
    let accumulator = Builder::build("accumulator", |n| {
        let (a, b) = (n.input("a", 8), n.input("b", 8));
        let sum = n.reg("sum", &Bus::constant(1, 16));
        let product = wallace(n, &a, &b)?;
        let (next, carry) = ripple_adder(n, &sum, &product, &Bus::zero())?;
        n.drive(&sum, &next);
        n.output("y", &cat([&sum, &carry]));
        Ok(())
    })
    .expect("the circuit is sound");
    let program = Program::compile(&accumulator);
    let ceiling = program.with_perfect_locality();
    assert_eq!(ceiling.operations(), program.operations());
    assert_eq!(ceiling.runs(), program.runs());
    assert_eq!(ceiling.slots(), 10);
    assert!(program.slots() > 20);
    assert_eq!(ceiling.input("a"), None);
    for lanes in [1, 4096] {
        let mut simulator = Simulator::new(ceiling.clone(), lanes);
        simulator.step().expect("there are no loops");
    }
}
