//! A loop of three gates whose evaluation against the direction of its gates never settled.

use morpho::sim::Interpreter;
use morpho::{Builder, Lut};

#[test]
fn two_inverters_in_a_loop_settle() {
    let netlist = Builder::build("latch", |n| {
        n.allow_loops();
        let (data, open, q) = (n.input("data", 1), n.input("open", 1), n.forward("q", 1));
        let low = n.lut(Lut::MUX, &[&open, &q, &data])?;
        let high = n.not(&low)?;
        let back = n.not(&high)?;
        n.tie(&q, &back);
        n.output("q", &back);
        Ok(())
    })
    .expect("loops are allowed");
    let mut latch = Interpreter::new(&netlist);
    for (data, open, expected) in [(0, 0, 0), (1, 1, 1), (0, 0, 1), (0, 1, 0)] {
        latch.set("data", &[data]);
        latch.set("open", &[open]);
        latch.evaluate().expect("it settles");
        assert_eq!(latch.get("q", 1), [expected]);
    }
}
