//! A gate before a loop, read by the loop's first operation and by nothing after it, and a loop
//! that takes more than one round.

use morpho::sim::{Interpreter, Program, Simulator};
use morpho::{Builder, Lut, Netlist};

/// A latch whose gates take several operations each; its data come from a gate.
fn latch() -> Netlist {
    Builder::build("latch", |n| {
        n.allow_loops();
        let x = n.input("x", 6);
        let bits = (0..6).map(|bit| x.bit(bit)).collect::<Result<Vec<_>, _>>()?;
        let parity = n.lut(Lut::XOR3, &[&bits[0], &bits[1], &bits[2]])?;
        let q = n.forward("q", 1);
        // Five inputs: parity if bit 5 is set, else q, with the rest mixed in so that the gate
        // does not fall apart into fewer operations.
        let table = Lut::from_fn(5, |row| {
            let bit = |input: usize| row >> input & 1 == 1;
            if bit(2) { bit(0) ^ (bit(3) & bit(4)) } else { bit(1) }
        });
        let low = n.lut(table, &[&parity, &q, &bits[5], &bits[3], &bits[4]])?;
        let high = n.not(&low)?;
        let back = n.not(&high)?;
        n.tie(&q, &back);
        n.output("q", &back);
        Ok(())
    })
    .expect("loops are allowed")
}

#[test]
fn a_loop_reads_the_same_inputs_in_every_round() {
    let netlist = latch();
    let program = Program::compile(&netlist);
    let (x, q) = (program.input("x").expect("x"), program.output("q").expect("q"));
    let mut simulator = Simulator::new(program, 64);
    let mut interpreter = Interpreter::new(&netlist);
    for numbers in [0, 17, 33].map(|step| (0..64).map(|x| (x * step) % 64).collect::<Vec<u128>>()) {
        interpreter.set("x", &numbers);
        simulator.set(x, &numbers);
        interpreter.evaluate().expect("a latch settles");
        simulator.evaluate().expect("a latch settles");
        assert_eq!(simulator.get::<u128>(q), interpreter.get("q", 64));
    }
}
