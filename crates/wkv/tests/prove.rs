//! Proofs about the circuits, and that they fail for circuits that are wrong.

use std::ops::ControlFlow;

use morpho::bus::cat;
use morpho::library::negate::increment;
use morpho::prove::faults::{Campaign, Coverage, Fate, stuck_faults};
use morpho::prove::mutation::mutants;
use morpho::prove::{Change, Equivalence, Limits, PinKind, Proof, Verdict, quiet};
use morpho::{Builder, Bus, Fits, Netlist};
use wkv::WkvSpec;
use wkv::circuit::{Unit, build, build_unoptimised};
use wkv::fixed::{Model, State};
use wkv::prove::composition;
use wkv::prove::coverage::{LIMITS, coverage, decide};
use wkv::prove::invariants::Claim;
use wkv::prove::stimuli::stimuli;
use wkv::prove::vectors::test_set;
use wkv::verify::{Effort, verify_netlist};

const UNITS: [Unit; 5] =
    [Unit::SaturatingAdd, Unit::Compare, Unit::Exp2, Unit::Multiplier, Unit::Divider];

fn classic() -> WkvSpec {
    "classic:q8.8".parse().expect("a spec")
}

fn unit(unit: Unit) -> Netlist {
    build(&classic(), unit).expect("a unit")
}

fn prove(left: &Netlist, right: &Netlist) -> Proof {
    Equivalence::new(left, right).expect("the same ports").prove(&quiet)
}

/// Every `step`-th mutant of a circuit.
fn some_mutants(netlist: &Netlist, step: usize) -> Vec<Netlist> {
    let all: Vec<Change> = mutants(netlist);
    all.iter().step_by(step).map(|change| change.apply(netlist)).collect()
}

#[test]
fn every_unit_is_the_same_after_optimisation() {
    let same = |spec: &WkvSpec, unit| {
        let raw = build_unoptimised(spec, unit).expect("a unit");
        let proof = prove(&raw, &build(spec, unit).expect("a unit"));
        println!("{spec} {unit}: {:?}", proof.effort);
        assert_eq!(proof.verdict, Verdict::Equal, "{spec} {unit}");
    };
    Unit::ALL.into_iter().for_each(|unit| same(&classic(), unit));
    for spec in ["classic:q6.10", "classic:q10.6", "classic:q8.8:lut256:div=exact"] {
        same(&spec.parse().expect(spec), Unit::Cell);
    }
}

#[test]
fn a_mutant_of_exp2_is_equal_if_and_only_if_it_is_right_for_every_input() {
    let exp2 = unit(Unit::Exp2);
    let quiet = |_, _| ControlFlow::Continue(());
    let mut equal = 0;
    for mutant in some_mutants(&exp2, 67) {
        let check = verify_netlist(&mutant, &classic(), Unit::Exp2, Effort::Vectors, &quiet);
        let mismatches = check.expect("not broken off").mismatches;
        match prove(&exp2, &mutant).verdict {
            Verdict::Equal => assert_eq!(mismatches, 0),
            Verdict::Different(counterexample) => {
                assert!(mismatches > 0, "{counterexample}");
            }
            undecided => panic!("{undecided:?}"),
        }
        equal += usize::from(mismatches == 0);
    }
    assert!(equal > 0, "some mutants cannot be told from the unit");
}

#[test]
fn mutants_of_every_unit_are_different_or_hard() {
    let limits = Limits { conflicts_per_target: 2000, ..Limits::default() };
    for unit in [Unit::SaturatingAdd, Unit::Compare, Unit::Multiplier, Unit::Divider, Unit::Cell] {
        let good = self::unit(unit);
        let few = mutants(&good).len() / 12;
        let mutants = some_mutants(&good, few);
        let different = mutants.iter().filter(|mutant| {
            let claim = Equivalence::new(&good, mutant).expect("the same ports").limits(limits);
            matches!(claim.prove(&quiet).verdict, Verdict::Different(_))
        });
        assert!(different.count() >= mutants.len() / 2, "{unit}");
    }
}

#[test]
fn the_cell_is_the_composition_of_its_units() {
    for spec in ["classic:q8.8", "classic:q6.10", "classic:q10.6", "classic:q8.8:div=exact"] {
        let proof = composition::prove(&spec.parse().expect(spec), Limits::default(), &quiet);
        println!("{spec}: {:?}", proof.effort);
        assert_eq!(proof.verdict, Verdict::Equal, "{spec}");
        assert_eq!(proof.effort.cuts_dropped, 0, "{spec}");
    }
}

/// Every `step`-th mutant of the cell, `count` of them at most, against the composition: how many
/// are different. Each counterexample is put to the integer model too.
fn mutants_that_are_no_composition(step: usize, count: usize, limits: Limits) -> usize {
    let (spec, cell) = (classic(), unit(Unit::Cell));
    let different = some_mutants(&cell, step).into_iter().take(count).filter(|mutant| {
        let proof = composition::prove_cell(mutant, &spec, limits, &quiet);
        println!("{:?}", proof.effort);
        let Verdict::Different(found) = proof.verdict else { return false };
        let raw = |kind, name| found.number(kind, name).map(|bits| i32::from(bits as u16 as i16));
        let port = |name| raw(PinKind::Port, name).expect("a port");
        let register = |name| raw(PinKind::Register, name).expect("a register");
        let state = State { aa: register("aa"), bb: register("bb"), pp: register("pp") };
        let [k, v, u, w] = ["k", "v", "u", "w"].map(port);
        let step = Model::new(&spec).step(state, k, v, u, w);
        let expected = match (found.output.kind, &found.output.name[..]) {
            (PinKind::Port, _) => step.out,
            (PinKind::Register, "aa") => step.next.aa,
            (PinKind::Register, "bb") => step.next.bb,
            (PinKind::Register, _) => step.next.pp,
        };
        // For a negative `bb` the model's output means nothing.
        if state.bb >= 0 || found.output.kind == PinKind::Register {
            assert_ne!(expected >> found.output.bit & 1 == 1, found.left, "{found}");
        }
        true
    });
    different.count()
}

#[test]
fn a_mutant_of_the_cell_is_no_composition() {
    let all = mutants(&unit(Unit::Cell)).len();
    assert_eq!(mutants_that_are_no_composition(all / 6, 4, Limits::default()), 4);
}

/// Takes minutes: `cargo test -p wkv --release --test prove -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn many_mutants_of_the_cell_are_no_composition() {
    let all = mutants(&unit(Unit::Cell)).len();
    let limits = Limits { time: std::time::Duration::from_secs(20), ..Limits::default() };
    let different = mutants_that_are_no_composition(all / 30, 30, limits);
    println!("{different} of 30 are different; the others are equal or undecided");
    assert!(different >= 20);
}

/// Takes minutes: `cargo test -p wkv --release --test prove -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn every_fault_and_mutant_of_every_unit_is_detected_or_proven_equivalent() {
    for unit in UNITS {
        let coverage = coverage(&classic(), unit, LIMITS, &quiet).expect("not broken off");
        println!("{coverage:#?}");
        assert_eq!((coverage.stuck_at.undecided, coverage.mutants.undecided), (0, 0), "{unit}");
    }
}

/// Takes minutes: `cargo test -p wkv --release --test prove -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn every_fault_and_mutant_of_the_cell_is_detected_or_proven_equivalent() {
    let coverage = coverage(&classic(), Unit::Cell, LIMITS, &quiet).expect("not broken off");
    println!("{coverage:#?}");
    assert_eq!((coverage.stuck_at.undecided, coverage.mutants.undecided), (0, 0));
}

/// Outside the divider, which is run over more inputs than a quick test has time for.
#[test]
fn changes_to_the_cell_that_vectors_leave_are_decided_in_windows() {
    let (spec, cell) = (classic(), unit(Unit::Cell));
    let outside = |change: &Change| {
        let gate = change.place().and_then(|wire| cell.gate(wire));
        gate.is_none_or(|gate| !cell.hierarchy().path(gate.origin()).contains("divide"))
    };
    let few = stimuli(&spec, Unit::Cell, &cell, 1 << 16);
    let campaign = Campaign::new(&cell).expect("no loop");
    let all: Vec<Change> = mutants(&cell).into_iter().filter(outside).collect();
    let first = campaign.simulate(&all, &few);
    let left = std::iter::zip(all, first).filter(|(_, first)| first.is_none());
    let left: Vec<Change> = left.map(|(change, _)| change).step_by(240).collect();
    let mut vectors = few.clone();
    // SAT has no time: what is decided is decided by running the windows.
    let limits = Limits { time: std::time::Duration::ZERO, ..LIMITS };
    let fates = decide(&spec, Unit::Cell, &cell, &left, &mut vectors, limits, &quiet);
    let coverage = Coverage::of(&fates);
    println!("{coverage:?}");
    assert!(coverage.detected > 2 && coverage.untestable > 2);
    assert!(coverage.undecided <= 2, "what only SAT decides");
    for (&change, fate) in std::iter::zip(&left, &fates) {
        if let Fate::Detected(vector) = *fate {
            let shown = campaign.simulate(&[change], &vectors.select(&[vector]));
            assert_eq!(shown, [Some(0)], "{change:?}");
        }
    }
}

#[test]
fn the_denominator_may_be_zero_only_without_a_guard() {
    let spec = "classic:q8.8:noguard".parse().expect("a spec");
    for claim in Claim::ALL {
        let proof = claim.prove(&spec, Limits::default(), &quiet);
        assert_eq!(proof.verdict == Verdict::Equal, claim.is_expected(&spec), "{claim}");
    }
    let cell = composition::prove(&spec, Limits::default(), &quiet);
    assert_eq!(cell.verdict, Verdict::Equal);
}

#[test]
fn the_claims_hold_but_the_one_about_any_decay() {
    for spec in ["classic:q8.8", "classic:q6.10", "classic:q10.6"] {
        let spec = spec.parse().expect(spec);
        for claim in Claim::ALL {
            let proof = claim.prove(&spec, Limits::default(), &quiet);
            println!("{spec} {claim}: {:?}", proof.effort);
            match (claim, proof.verdict) {
                (Claim::GuardIsRemovableForAnyDecay, Verdict::Different(found)) => {
                    let number = |name| found.number(PinKind::Port, name).expect("a port");
                    let [k0, v0, k1, v1, u, w] = ["k0", "v0", "k1", "v1", "u", "w"]
                        .map(|name| i32::from(number(name) as u16 as i16));
                    assert!(w > 0, "{found}");
                    let model = Model::new(&spec);
                    let first = model.step(State::start(&spec), k0, v0, u, w).next;
                    assert_eq!(first.bb, 0, "{found}");
                    println!("{found}, out = {}", model.step(first, k1, v1, u, w).out);
                }
                (_, verdict) => assert_eq!(verdict, Verdict::Equal, "{spec}: {claim}"),
            }
        }
    }
}

/// The cell from units, as one would write it; with `overwritten`, the state is updated from the
/// sums that made the output, as if `aa` and `bb` had been assigned to.
fn plain_cell(overwritten: bool) -> Netlist {
    let [add, compare, exp2, multiply, divide] = UNITS.map(unit);
    let one = |n: &mut Builder, part: &Netlist, inputs: &[&Bus]| -> Fits<Bus> {
        Ok(n.embed(part, inputs)?.swap_remove(0))
    };
    let weigh = |n: &mut Builder, state: &Bus, token: &Bus| -> Fits<[Bus; 3]> {
        let outputs = n.embed(&compare, &[state, token])?;
        let [maximum, distance, less] = &outputs[..] else { unreachable!("three outputs") };
        let more = n.not(less)?;
        let (to_state, to_token) = (n.and(distance, less)?, n.and(distance, &more)?);
        Ok([maximum.clone(), one(n, &exp2, &[&to_state])?, one(n, &exp2, &[&to_token])?])
    };
    let sums = |n: &mut Builder, aa: &Bus, bb: &Bus, v: &Bus, e1: &Bus, e2: &Bus| {
        let (a, b) = (one(n, &multiply, &[aa, e1])?, one(n, &multiply, &[v, e2])?);
        let aa = one(n, &add, &[&a, &b])?;
        let a = one(n, &multiply, &[bb, e1])?;
        let bb = one(n, &add, &[&a, &e2.skip(8).zero_extend(16)])?;
        Ok::<_, morpho::Misfit>([aa, bb])
    };
    let grow = |n: &mut Builder| {
        let [k, v, u, w] = ["k", "v", "u", "w"].map(|name| n.input(name, 16));
        let mut register = |name, raw| n.reg(name, &Bus::constant(raw, 16));
        let (aa, bb, pp) = (register("aa", 0), register("bb", 0), register("pp", 0x8000));
        let ww = one(n, &add, &[&u, &k])?;
        let [_, e1, e2] = weigh(n, &pp, &ww)?;
        let unsigned = cat([bb.low(15), Bus::zero()]);
        let [numerator, sum] = sums(n, &aa, &unsigned, &v, &e1, &e2)?;
        let denominator = increment(n, &sum, &Bus::one())?.0;
        let out = one(n, &divide, &[&numerator, &denominator])?;
        n.output("out", &out);
        let ww2 = one(n, &add, &[&pp, &w])?;
        let [maximum, f1, f2] = weigh(n, &ww2, &k)?;
        let before = if overwritten { [&numerator, &denominator] } else { [&aa, &bb] };
        let [next_aa, next_bb] = sums(n, before[0], before[1], &v, &f1, &f2)?;
        n.drive(&aa, &next_aa);
        n.drive(&bb, &next_bb);
        n.drive(&pp, &maximum);
        Ok(())
    };
    Builder::build("plain_cell", grow).expect("a cell")
}

#[test]
fn a_state_updated_from_the_sums_of_the_output_is_caught_by_every_check() {
    let (right, wrong) = (plain_cell(false), plain_cell(true));
    let composed = |cell| composition::prove_cell(cell, &classic(), Limits::default(), &quiet);
    assert_eq!(composed(&right).verdict, Verdict::Equal);
    assert!(matches!(composed(&wrong).verdict, Verdict::Different(_)));
    assert!(matches!(prove(&unit(Unit::Cell), &wrong).verdict, Verdict::Different(_)));
    let quiet = |_, _| ControlFlow::Continue(());
    let check = verify_netlist(&wrong, &classic(), Unit::Cell, Effort::Vectors, &quiet);
    let check = check.expect("not broken off");
    println!("{check:?}");
    assert!(check.mismatches > 0);
}

#[test]
fn the_test_sets_of_small_units_find_every_stuck_fault() {
    find_every_stuck_fault(&[Unit::SaturatingAdd, Unit::Compare, Unit::Exp2]);
}

/// Minutes unoptimised: `cargo test --release -p wkv --test prove -- --ignored --nocapture`.
#[test]
#[ignore = "runs units over every input that the cell can give them"]
fn the_test_set_of_every_unit_finds_every_stuck_fault() {
    find_every_stuck_fault(&UNITS);
}

fn find_every_stuck_fault(units: &[Unit]) {
    for &unit in units {
        let set = test_set(&classic(), unit, Limits::default(), &quiet);
        println!("{unit}: {} vectors, {:?}", set.vectors.len(), set.faults);
        assert_eq!((set.faults.missed, set.faults.undecided), (0, 0), "{unit}");
        let faults = stuck_faults(&set.netlist);
        let campaign = Campaign::new(&set.netlist).expect("no loops");
        let found = campaign.simulate(&faults.all, &set.vectors);
        let found = found.iter().filter(|vector| vector.is_some()).count();
        assert_eq!(found, set.faults.detected, "{unit}: the few vectors find as much");
        assert!(set.vectors.len() < 40, "{unit}: {} vectors", set.vectors.len());
    }
}
