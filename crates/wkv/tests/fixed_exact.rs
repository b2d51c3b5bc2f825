//! The exact exponential, and the integer model on it.

use wkv::fixed::Model;
use wkv::fixed::exact::{ExactExponential, exp2neg};
use wkv::{Numerics, WkvSpec};

#[test]
fn exponentials_are_the_nearest() {
    for fraction_bits in [2, 8, 10, 14] {
        for x in 0..=0xffff {
            let exact = 65536.0 * (-f64::from(x) / f64::from(1 << fraction_bits)).exp2();
            let error = (f64::from(exp2neg(x, fraction_bits)) - exact).abs();
            assert!(error <= 0.5, "2^-x at raw x = {x}, {fraction_bits} fraction bits");
        }
    }
}

/// A table with an entry for every fraction is exact but for the floor of its shift.
#[test]
fn a_full_table_is_at_most_one_below() {
    let model = Model::new(&"classic:q8.8:lut256".parse().expect("a spec"));
    for x in 0..=0xffff {
        let below = exp2neg(x, 8) - model.exp2neg(x);
        assert!((0..=1).contains(&below), "raw x = {x}");
    }
}

/// Where all exponents are whole and small, any table is exact.
#[test]
fn whole_exponents_give_what_the_table_gives() {
    let spec: WkvSpec = "classic:q8.8".parse().expect("a spec");
    let (u, w) = ([0.0, 1.0, -2.0], [-1.0, -2.0, -1.0]);
    let (mut exact, mut table) = (ExactExponential(spec).bank(&u, &w), spec.bank(&u, &w));
    let k: Vec<f32> = (0..90).map(|i| ((i * 7) % 5) as f32 - 2.0).collect();
    let v: Vec<f32> = (0..90).map(|i| ((i * 37) % 101) as f32 / 9.0 - 5.0).collect();
    let (mut out, mut expected) = (vec![0.0; 90], vec![0.0; 90]);
    exact.run(&k, &v, &mut out);
    table.run(&k, &v, &mut expected);
    assert_eq!(out, expected);
    assert_eq!(exact.counts(), table.counts());
    exact.reset();
    let mut again = vec![0.0; 90];
    exact.run(&k, &v, &mut again);
    assert_eq!(again, out);
}
