//! Proofs about the circuits.

use morpho::prove::{Equivalence, Limits, Verdict, quiet};
use wkv::WkvSpec;
use wkv::circuit::{Unit, build, build_unoptimised};
use wkv::prove::composition;
use wkv::prove::invariants::Claim;

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

#[test]
fn the_cell_is_the_composition_of_its_units() {
    for spec in ["classic:q8.8", "classic:q6.10", "classic:q10.6", "classic:q8.8:div=exact"] {
        let proof = composition::prove(&spec.parse().expect(spec), Limits::default(), &quiet);
        eprintln!("{spec}: {:?}", proof.effort);
        assert_eq!(proof.verdict, Verdict::Equal, "{spec}");
    }
}

#[test]
fn the_claims_hold() {
    for claim in Claim::ALL {
        let proof = claim.prove(&classic(), Limits::default(), &quiet);
        eprintln!("{claim}: {:?} {:?}", proof.verdict, proof.effort);
    }
}
