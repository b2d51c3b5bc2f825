//! Copies of finished circuits inside others.

use morpho::library::sequential::counter;
use morpho::sim::{Program, Simulator};
use morpho::{Builder, Bus, Lut, Netlist};

fn held() -> Netlist {
    Builder::build("held", |n| {
        n.allow_loops();
        let (set, reset) = (n.input("set", 1), n.input("reset", 1));
        let q = n.forward("q", 1);
        let low = n.lut(Lut::NOR, &[&set, &q])?;
        let high = n.lut(Lut::NOR, &[&reset, &low])?;
        n.tie(&q, &high);
        let count = counter(n, &high, 4)?;
        n.output("count", &count);
        n.output("held", &high);
        Ok(())
    })
    .expect("a circuit")
}

#[test]
fn registers_loops_and_hierarchy_come_along() {
    let part = held();
    let outer = Builder::build("two", |n| {
        n.allow_loops();
        for name in ["first", "second"] {
            let (set, reset) =
                (n.input(format!("{name}_set"), 1), n.input(format!("{name}_reset"), 1));
            let outputs = n.named(name, |n| n.embed(&part, &[&set, &reset]))?;
            n.output(format!("{name}_count"), &outputs[0]);
        }
        Ok(())
    })
    .expect("a circuit");
    assert_eq!(outer.gates().count(), 2 * part.gates().count());
    assert_eq!(outer.loops().len(), 2);
    let names: Vec<&str> = outer.registers().iter().map(|register| &register.name[..]).collect();
    assert!(names[0].starts_with("first.") && names[1].starts_with("second."), "{names:?}");
    let count = |netlist: &Netlist| -> usize {
        netlist.hierarchy().counts().iter().map(|line| line.count).sum()
    };
    assert_eq!(count(&outer), 2 * count(&part));

    let program = Program::compile(&outer);
    let set = program.input("second_set").expect("a port");
    let [first, second] =
        ["first_count", "second_count"].map(|name| program.output(name).expect("a port"));
    let mut simulator = Simulator::new(program, 1);
    for step in 0..5 {
        simulator.set(set, &[u8::from(step == 1)]);
        simulator.step().expect("settles");
    }
    // The latch holds from step 1 on, so steps 1 to 3 were counted before step 4.
    assert_eq!(simulator.get::<u8>(second), [3]);
    assert_eq!(simulator.get::<u8>(first), [0]);
}

#[test]
fn inputs_of_another_width_are_refused() {
    let part = held();
    let refused = Builder::build("wrong", |n| {
        n.embed(&part, &[&Bus::zero(), &Bus::constant(0, 2)])?;
        Ok(())
    });
    let problem = refused.expect_err("widths differ").to_string();
    assert!(problem.contains("[1, 1]") && problem.contains("[1, 2]"), "{problem}");
}
