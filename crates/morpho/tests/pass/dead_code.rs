use morpho::{Bus, Fits};

use super::after;
use crate::common::circuit;

#[test]
fn gates_that_nothing_reads_go() {
    let netlist = circuit(&[1; 2], |n, i| {
        let unread = n.and(&i[0], &i[1])?;
        n.not(&unread)?;
        Ok(vec![n.or(&i[0], &i[1])?])
    });
    assert_eq!(after("dead-code", &netlist).gates().count(), 1);
}

#[test]
fn registers_go_with_what_feeds_them() {
    let netlist = circuit(&[1], |n, i| {
        // A register that only feeds itself, and one that an output shows two steps later.
        let (idle, first, second) = (
            n.reg("idle", &Bus::one()),
            n.reg("first", &Bus::zero()),
            n.reg("second", &Bus::one()),
        );
        let toggled = n.xor(&idle, &i[0])?;
        n.drive(&idle, &toggled);
        let inverted = n.not(&i[0])?;
        n.drive(&first, &inverted);
        n.drive(&second, &first);
        Ok(vec![second])
    });
    let result = after("dead-code", &netlist);
    let names: Vec<&str> = result.registers().iter().map(|r| &r.name[..]).collect();
    assert_eq!(names, ["first", "second"]);
    assert_eq!(result.gates().count(), 1);
}

#[test]
fn bits_of_a_register_keep_their_place() {
    let netlist = circuit(&[4], |n, i| {
        let register = n.reg("r", &Bus::constant(0b1010, 4));
        n.drive(&register, &i[0]);
        Ok(vec![morpho::bus::cat([register.bit(1)?, register.bit(3)?])])
    });
    let result = after("dead-code", &netlist);
    let bits: Vec<(usize, bool)> =
        result.registers()[0].bits.iter().map(|bit| (bit.index, bit.initial)).collect();
    assert_eq!(bits, [(1, true), (3, true)]);
}

#[test]
fn input_ports_stay_even_if_unread() {
    let netlist = circuit(&[3, 2], |n, i| {
        n.not(&i[0])?;
        Ok(vec![])
    });
    let result = after("dead-code", &netlist);
    assert_eq!(result.inputs().iter().map(|port| port.wires.len()).collect::<Vec<_>>(), [3, 2]);
    assert_eq!(result.gates().count(), 0);
}

#[test]
fn an_unread_loop_goes_and_a_read_one_stays() {
    let netlist = circuit(&[2], |n, i| {
        n.allow_loops();
        let mut hold = |bit: usize| -> Fits<Bus> {
            let held = n.forward("held", 1);
            let value = n.or(&held, &i[0].bit(bit)?)?;
            n.tie(&held, &value);
            Ok(value)
        };
        hold(0)?;
        Ok(vec![hold(1)?])
    });
    assert_eq!(netlist.loops().len(), 2);
    let result = after("dead-code", &netlist);
    assert_eq!((result.loops().len(), result.gates().count()), (1, 1));
}
