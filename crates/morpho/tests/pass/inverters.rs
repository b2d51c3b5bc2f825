use morpho::Lut;

use super::{after, live_tables};
use crate::common::{circuit, optimised};

#[test]
fn readers_absorb_an_inverter() {
    let netlist = circuit(&[1; 2], |n, i| {
        let inverted = n.not(&i[0])?;
        Ok(vec![n.and(&inverted, &i[1])?, n.xor(&inverted, &i[1])?])
    });
    let expected = [Lut::AND.complement_input(0), Lut::XNOR];
    assert_eq!(live_tables(&after("inverters", &netlist)), expected);
}

#[test]
fn the_gate_before_absorbs_an_inverter_that_an_output_needs() {
    let netlist = circuit(&[1; 3], |n, i| {
        let and = n.and(&i[0], &i[1])?;
        Ok(vec![n.not(&and)?, n.or(&and, &i[2])?])
    });
    let expected = [Lut::AND.complement(), Lut::OR.complement_input(0)];
    after("inverters", &netlist);
    let tables: Vec<Lut> = optimised(&netlist).gates().map(|(_, gate)| gate.lut()).collect();
    assert_eq!(tables, expected);
}

#[test]
fn readers_of_a_complemented_gate_and_of_its_inverter_tell_them_apart() {
    let netlist = circuit(&[1; 3], |n, i| {
        let and = n.and(&i[0], &i[1])?;
        let inverted = n.not(&and)?;
        Ok(vec![n.xor(&and, &i[2])?, n.or(&inverted, &i[2])?, inverted])
    });
    after("inverters", &netlist);
    assert_eq!(optimised(&netlist).gates().count(), 3);
}

#[test]
fn a_complemented_buffer_is_an_inverter() {
    let netlist = circuit(&[1; 2], |n, i| {
        let buffer = n.lut(Lut::BUFFER, &[&i[0]])?;
        Ok(vec![n.not(&buffer)?, n.or(&buffer, &i[1])?])
    });
    after("inverters", &netlist);
    assert_eq!(optimised(&netlist).gates().count(), 2);
}

#[test]
fn two_inverters_cancel() {
    let netlist = circuit(&[1], |n, i| {
        let once = n.not(&i[0])?;
        Ok(vec![n.not(&once)?])
    });
    assert_eq!(live_tables(&after("inverters", &netlist)), []);
}

#[test]
fn an_inverter_between_an_input_and_an_output_stays() {
    let netlist = circuit(&[1], |n, i| Ok(vec![n.not(&i[0])?, i[0].clone()]));
    let tables: Vec<Lut> = optimised(&netlist).gates().map(|(_, gate)| gate.lut()).collect();
    assert_eq!(tables, [Lut::NOT]);
}

#[test]
fn a_gate_seen_on_both_sides_of_an_inverter_keeps_it() {
    let netlist = circuit(&[1; 2], |n, i| {
        let and = n.and(&i[0], &i[1])?;
        Ok(vec![n.not(&and)?, and])
    });
    assert_eq!(optimised(&netlist).gates().count(), 2);
}
