//! What a finished circuit says about itself.

mod common;

use common::circuit;
use morpho::{Bus, Lut, Node, Wire};

fn mixed() -> morpho::Netlist {
    circuit(&[2, 1], |n, i| {
        let count = n.reg("count", &Bus::constant(0b10, 2));
        let flipped = n.not(&i[0])?;
        let next = n.lut(Lut::XOR3, &[&flipped, &count, &i[1]])?;
        n.drive(&count, &next);
        Ok(vec![n.and(&count, &i[0])?])
    })
}

#[test]
fn counts_and_depth() {
    let netlist = mixed();
    assert_eq!(netlist.gates().count(), 6);
    assert_eq!(netlist.gates_by_arity(), [0, 2, 2, 2, 0, 0, 0]);
    assert_eq!(netlist.depth(), 2);
    assert_eq!(netlist.register_bits().count(), 2);
    assert_eq!(netlist.sinks().count(), 4);
    assert!(netlist.loops().is_empty());
}

#[test]
fn registers_keep_name_place_and_start() {
    let netlist = mixed();
    let [register] = netlist.registers() else { panic!("one register") };
    assert_eq!(register.name, "count");
    let bits: Vec<(usize, bool)> = register.bits.iter().map(|b| (b.index, b.initial)).collect();
    assert_eq!(bits, [(0, false), (1, true)]);
    assert!(register.bits.iter().all(|bit| *netlist.node(bit.output) == Node::Register));
}

#[test]
fn gates_come_after_what_they_read() {
    for (wire, gate) in mixed().gates() {
        assert!(gate.inputs().iter().all(|input| input < &wire));
    }
}

#[test]
fn the_first_two_nodes_are_the_constants() {
    let netlist = mixed();
    assert_eq!(netlist.nodes()[..2], [Node::Constant(false), Node::Constant(true)]);
    assert_eq!((Wire::constant(true), Wire::ONE.as_constant()), (Wire::ONE, Some(true)));
}
