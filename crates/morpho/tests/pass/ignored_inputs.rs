use morpho::Lut;

use super::{after, live_tables};
use crate::common::circuit;

#[test]
fn an_input_without_effect_is_removed() {
    // Of the four arguments only the second and the last matter.
    let lut = Lut::from_fn(4, |row| row >> 1 & 1 == 1 && row >> 3 & 1 == 1);
    let netlist = circuit(&[1; 4], |n, i| Ok(vec![n.lut(lut, &[&i[0], &i[1], &i[2], &i[3]])?]));
    let result = after("ignored-inputs", &netlist);
    assert_eq!(live_tables(&result), [Lut::AND]);
    let (_, gate) = result.gates().next().expect("one gate");
    assert_eq!(gate.inputs(), [result.inputs()[1].wires[0], result.inputs()[3].wires[0]]);
}
