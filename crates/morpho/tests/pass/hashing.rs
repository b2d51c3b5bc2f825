use morpho::Lut;

use super::{after, live_tables};
use crate::common::circuit;

#[test]
fn gates_with_the_same_function_become_one() {
    let netlist = circuit(&[1; 3], |n, i| {
        let first = n.lut(Lut::MUX, &[&i[0], &i[1], &i[2]])?;
        // The same multiplexer with its arguments in another order.
        let turned = Lut::MUX.swap(0, 2);
        let second = n.lut(turned, &[&i[2], &i[1], &i[0]])?;
        Ok(vec![first, second])
    });
    let result = after("hashing", &netlist);
    assert_eq!(live_tables(&result), [Lut::MUX]);
    assert_eq!(result.outputs()[0].wires, result.outputs()[1].wires);
}

#[test]
fn equal_gates_of_equal_gates_become_one_in_one_run() {
    let netlist = circuit(&[1; 3], |n, i| {
        let (a, b) = (n.and(&i[0], &i[1])?, n.and(&i[1], &i[0])?);
        Ok(vec![n.xor(&a, &i[2])?, n.xor(&i[2], &b)?])
    });
    assert_eq!(live_tables(&after("hashing", &netlist)), [Lut::AND, Lut::XOR]);
}

#[test]
fn a_complement_becomes_an_inverter() {
    let netlist = circuit(&[1; 2], |n, i| {
        Ok(vec![n.and(&i[0], &i[1])?, n.lut(Lut::AND.complement(), &[&i[0], &i[1]])?])
    });
    assert_eq!(live_tables(&after("hashing", &netlist)), [Lut::AND, Lut::NOT]);
}

#[test]
fn different_functions_and_different_inputs_stay_apart() {
    let mut netlist = circuit(&[1; 3], |n, i| {
        Ok(vec![n.and(&i[0], &i[1])?, n.or(&i[0], &i[1])?, n.and(&i[0], &i[2])?, n.not(&i[0])?])
    });
    assert_eq!(morpho::pass::find("hashing").expect("a known pass").run(&mut netlist), 0);
}
