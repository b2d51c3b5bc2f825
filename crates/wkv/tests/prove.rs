//! Proofs about the circuits.

use morpho::prove::{Equivalence, Verdict, quiet};
use wkv::WkvSpec;
use wkv::circuit::{Unit, build, build_unoptimised};

fn classic() -> WkvSpec {
    "classic:q8.8".parse().expect("a spec")
}

#[test]
fn every_unit_is_the_same_after_optimisation() {
    for unit in Unit::ALL {
        let raw = build_unoptimised(&classic(), unit).expect("a unit");
        let optimised = build(&classic(), unit).expect("a unit");
        let proof = Equivalence::new(&raw, &optimised).expect("the same ports").prove(&quiet);
        eprintln!("{unit}: {:?}", proof.effort);
        assert_eq!(proof.verdict, Verdict::Equal, "{unit}");
    }
}
