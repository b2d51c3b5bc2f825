use morpho::Lut;

use super::{after, live_tables};
use crate::common::circuit;

#[test]
fn inputs_that_read_one_wire_become_one() {
    let netlist = circuit(&[1, 1], |n, i| {
        let majority = n.lut(Lut::MAJORITY, &[&i[0], &i[1], &i[0]])?;
        Ok(vec![majority, n.lut(Lut::XOR3, &[&i[1], &i[1], &i[1]])?])
    });
    let result = after("duplicate-inputs", &netlist);
    assert_eq!(live_tables(&result), [Lut::new(2, 0b1010), Lut::BUFFER]);
}
