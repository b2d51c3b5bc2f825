//! The units in look-up tables do what they do in gates.

use morpho::pass::find;
use morpho::prove::{Equivalence, Verdict, quiet};
use wkv::WkvSpec;
use wkv::circuit::{Unit, build};

#[test]
fn every_unit_is_the_same_after_mapping() {
    let spec: WkvSpec = "classic:q8.8".parse().expect("a spec");
    let units = [
        Unit::Compare,
        Unit::SaturatingAdd,
        Unit::Exp2,
        Unit::Multiplier,
        Unit::Divider,
        Unit::Cell,
    ];
    for unit in units {
        let gates = build(&spec, unit).expect("a unit");
        for pass in ["lut4", "lut6", "lut4-area"] {
            let mut mapped = gates.clone();
            find(pass).expect("a known pass").run(&mut mapped);
            let claim = Equivalence::new(&gates, &mapped).expect("the same ports");
            assert_eq!(claim.prove(&quiet).verdict, Verdict::Equal, "{unit} {pass}");
        }
    }
}
