//! A loop that oscillates only where an input is 0, and no lane in use has a 0 there.

use morpho::sim::{Oscillation, Program, Simulator};
use morpho::{Builder, Lut};

#[test]
fn only_lanes_in_use_must_settle() {
    let netlist = Builder::build("ring", |n| {
        n.allow_loops();
        let (held, ring) = (n.input("held", 1), n.forward("ring", 1));
        let next = n.lut(Lut::NOR, &[&ring, &held])?;
        n.tie(&ring, &next);
        n.output("y", &next);
        Ok(())
    })
    .expect("loops are allowed");
    let program = Program::compile(&netlist);
    let (held, y) = (program.input("held").expect("held"), program.output("y").expect("y"));
    for lanes in [1, 64, 513] {
        let mut simulator = Simulator::new(program.clone(), lanes);
        let mut numbers = vec![1u8; lanes];
        simulator.set(held, &numbers);
        simulator.evaluate().expect("every lane is held");
        assert_eq!(simulator.get::<u8>(y), vec![0; lanes]);
        numbers[lanes - 1] = 0;
        simulator.set(held, &numbers);
        assert_eq!(simulator.evaluate(), Err(Oscillation { gates: 1 }), "{lanes} lanes");
    }
}
