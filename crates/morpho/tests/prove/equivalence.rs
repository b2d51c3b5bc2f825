//! Equivalence: what is equal is proven so, what is not gives an input that shows it.

use std::ops::ControlFlow;
use std::time::Duration;

use morpho::library;
use morpho::prove::{
    Counterexample, Cut, CutFinder, Equivalence, Limits, Mismatch, PinKind, Proof, Reason, Verdict,
    quiet,
};
use morpho::{Builder, Bus, Lut, Netlist};
use proptest::prelude::*;

use crate::common::optimised;

fn prove(left: &Netlist, right: &Netlist) -> Proof {
    Equivalence::new(left, right).expect("the same ports").prove(&quiet)
}

fn counterexample(proof: Proof) -> Counterexample {
    match proof.verdict {
        Verdict::Different(counterexample) => *counterexample,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_library_cell_is_the_same_after_optimisation() {
    for entry in library::table() {
        for scale in [1, 2, 3] {
            let numbers: Vec<usize> = entry.example.iter().map(|n| (n * scale).div_ceil(2)).collect();
            let Ok(raw) = library::build(entry.name, &numbers) else { continue };
            let started = std::time::Instant::now();
            match Equivalence::new(&raw, &optimised(&raw)) {
                Ok(claim) => {
                    let proof = claim.prove(&quiet);
                    eprintln!("{} {numbers:?} {:?} {:?}", entry.name, started.elapsed(), proof.effort);
                    assert_eq!(proof.verdict, Verdict::Equal, "{} {numbers:?}", entry.name);
                }
                Err(mismatch) => assert!(!raw.loops().is_empty(), "{}: {mismatch}", entry.name),
            }
        }
    }
}
