use morpho::{Bus, Lut};

use super::{after, live_tables};
use crate::common::circuit;

#[test]
fn a_chain_of_buffers_is_its_input() {
    let netlist = circuit(&[1, 1], |n, i| {
        let once = n.lut(Lut::BUFFER, &[&i[0]])?;
        let twice = n.lut(Lut::BUFFER, &[&once])?;
        let register = n.reg("r", &Bus::zero());
        n.drive(&register, &twice);
        Ok(vec![n.and(&twice, &i[1])?, twice, register])
    });
    let result = after("buffers", &netlist);
    assert_eq!(live_tables(&result), [Lut::AND]);
    assert_eq!(result.outputs()[1].wires, result.inputs()[0].wires);
    assert_eq!(result.register_bits().next().expect("one bit").next, result.inputs()[0].wires[0]);
}
