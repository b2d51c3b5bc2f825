use morpho::{Bus, Lut};

use super::{after, constant_output, live_tables};
use crate::common::circuit;

#[test]
fn a_constant_input_is_folded_into_the_table() {
    let netlist = circuit(&[1, 1], |n, i| {
        Ok(vec![
            n.select(&i[0], &Bus::one(), &i[1])?,
            n.lut(Lut::MAJORITY, &[&i[0], &i[1], &Bus::zero()])?,
        ])
    });
    assert_eq!(live_tables(&after("constants", &netlist)), [Lut::new(2, 0b1101), Lut::AND]);
}

#[test]
fn constants_spread_through_gates() {
    let netlist = circuit(&[1], |n, i| {
        let zero = n.and(&i[0], &Bus::zero())?;
        let one = n.lut(Lut::NOR, &[&zero, &zero])?;
        Ok(vec![n.or(&one, &i[0])?])
    });
    let result = after("constants", &netlist);
    assert_eq!(constant_output(&result), Some(true));
    assert_eq!(live_tables(&result), []);
}

#[test]
fn a_table_of_equal_rows_is_a_constant() {
    let netlist = circuit(&[1, 1], |n, i| Ok(vec![n.lut(Lut::new(2, 0b1111), &[&i[0], &i[1]])?]));
    assert_eq!(constant_output(&after("constants", &netlist)), Some(true));
}
