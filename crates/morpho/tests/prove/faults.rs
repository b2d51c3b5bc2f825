//! Stuck-at faults and mutants: what the simulation detects, and what SAT says of the rest.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use morpho::library::build;
use morpho::prove::faults::{Campaign, Coverage, Fate, complete, minimise, stuck_faults};
use morpho::prove::mutation::mutants;
use morpho::prove::{Change, Equivalence, Limits, PinKind, Reason, Vectors, Verdict, quiet};
use morpho::{Builder, Lut, Netlist};

use crate::common::optimised;

fn cell(name: &str, numbers: &[usize]) -> Netlist {
    optimised(&build(name, numbers).expect("a cell"))
}

/// The circuits that changes are tried on: with adders, a multiplier, and registers.
pub fn circuits() -> Vec<Netlist> {
    vec![
        cell("saturating_adder", &[5, 5]),
        cell("wallace", &[4, 4]),
        cell("serial_divider", &[1, 4]),
        cell("counter", &[1, 4]),
        // Not optimised: it holds gates that do not matter.
        build("divider", &[6, 3]).expect("a cell"),
    ]
}

pub fn every_vector(netlist: &Netlist) -> Vectors {
    let mut vectors = Vectors::new(netlist);
    let pins = vectors.pins().len();
    for number in 0..1u32 << pins {
        vectors.push_values((0..pins).map(|pin| number >> pin & 1 == 1));
    }
    vectors
}

#[test]
fn fates_agree_with_equivalence_and_with_every_vector() {
    for netlist in circuits() {
        let changes: Vec<Change> =
            stuck_faults(&netlist).all.into_iter().chain(mutants(&netlist)).step_by(7).collect();
        let campaign = Campaign::new(&netlist).expect("no loops");
        let few = Vectors::random(&netlist, 3, 5);
        let fates = campaign.run(&changes, &few, Limits::default(), &quiet);
        let all = campaign.simulate(&changes, &every_vector(&netlist));
        let mut kinds = BTreeSet::new();
        for ((change, fate), found) in changes.iter().zip(&fates).zip(all) {
            let changed = change.apply(&netlist);
            let claim = Equivalence::new(&netlist, &changed).expect("the same ports");
            let same = claim.prove(&quiet).verdict == Verdict::Equal;
            assert_eq!(same, *fate == Fate::Untestable, "{}: {change:?} {fate:?}", netlist.name());
            assert_eq!(same, found.is_none(), "{}: {change:?}", netlist.name());
            kinds
                .insert(std::mem::discriminant(fate) == std::mem::discriminant(&Fate::Detected(0)));
        }
        assert_eq!(kinds.len(), 2, "{}: some are detected and some are not", netlist.name());
    }
}

#[test]
fn faults_of_one_class_are_detected_by_the_same_vectors() {
    for netlist in circuits() {
        let faults = stuck_faults(&netlist);
        let sites = netlist.gates().count() + Vectors::new(&netlist).pins().len();
        assert_eq!((faults.all.len(), faults.class.len()), (2 * sites, 2 * sites));
        assert!(faults.distinct.len() <= faults.all.len());
        let campaign = Campaign::new(&netlist).expect("no loops");
        let vectors = Vectors::random(&netlist, 700, 1);
        let of_all = campaign.matrix(&faults.all, &vectors);
        let of_classes = campaign.matrix(&faults.distinct, &vectors);
        for (detecting, &class) in std::iter::zip(of_all, &faults.class) {
            assert_eq!(detecting, of_classes[class]);
        }
    }
}

#[test]
fn completed_vectors_detect_all_that_can_be_and_few_of_them_as_much() {
    for netlist in circuits() {
        let changes = mutants(&netlist);
        let mut vectors = Vectors::random(&netlist, 2, 1);
        let fates = complete(&netlist, &changes, &mut vectors, Limits::default(), &quiet);
        let coverage = Coverage::of(&fates.expect("no loops"));
        assert_eq!((coverage.missed, coverage.undecided), (0, 0));
        let campaign = Campaign::new(&netlist).expect("no loops");
        let detected =
            |vectors: &Vectors| campaign.simulate(&changes, vectors).iter().flatten().count();
        assert_eq!(detected(&vectors), coverage.detected);
        assert_eq!(detected(&every_vector(&netlist)), coverage.detected);
        let chosen = minimise(&campaign, &changes, &vectors);
        assert_eq!(detected(&vectors.select(&chosen)), coverage.detected);
        for left_out in 0..chosen.len() {
            let mut others = chosen.clone();
            others.remove(left_out);
            assert!(detected(&vectors.select(&others)) < coverage.detected, "none is needless");
        }
    }
}

#[test]
fn a_redundant_gate_is_untestable() {
    // a or (a and b) is a: whether b arrives does not matter.
    let netlist = Builder::build("absorption", |n| {
        let (a, b) = (n.input("a", 1), n.input("b", 1));
        let both = n.and(&a, &b)?;
        let y = n.or(&a, &both)?;
        n.output("y", &y);
        Ok(())
    })
    .expect("a circuit");
    let faults = stuck_faults(&netlist);
    let campaign = Campaign::new(&netlist).expect("no loops");
    let fates = campaign.run(&faults.all, &every_vector(&netlist), Limits::default(), &quiet);
    let wire = |gate: usize| netlist.gates().nth(gate).expect("a gate").0;
    let fate = |wire, value| {
        let change = Change::Stuck { wire, value };
        &fates[faults.all.iter().position(|&fault| fault == change).expect("a fault")]
    };
    assert_eq!(*fate(wire(0), false), Fate::Untestable);
    assert!(matches!(fate(wire(0), true), Fate::Detected(_)));
    let b = netlist.inputs()[1].wires[0];
    assert_eq!((fate(b, false), fate(b, true)), (&Fate::Untestable, &Fate::Untestable));
}

#[test]
fn a_held_register_is_seen_at_its_next_value() {
    let netlist = cell("counter", &[1, 2]);
    let held = Change::Held { register: 0, bit: 1 };
    let campaign = Campaign::new(&netlist).expect("no loops");
    let name = &netlist.registers()[0].name;
    let mut vectors = Vectors::new(&netlist);
    vectors.push_numbers(&[(PinKind::Port, "enable", 1)]);
    vectors.push_numbers(&[(PinKind::Port, "enable", 1), (PinKind::Register, name, 1)]);
    assert_eq!(vectors.number(1, PinKind::Register, name), Some(1));
    assert_eq!(campaign.simulate(&[held], &vectors), [Some(1)]);
    assert_eq!(held.apply(&netlist).registers()[0].bits[1].next, morpho::Wire::ZERO);
}

#[test]
fn mutants_are_other_functions() {
    let netlist = cell("full_adder", &[1, 1, 1]);
    for change in mutants(&netlist) {
        let Change::Gate { wire, lut } = change else { panic!("no registers") };
        let gate = netlist.gate(wire).expect("a gate");
        assert_eq!(lut.arity(), gate.lut().arity());
        assert_ne!(lut, gate.lut());
    }
    // A sum and a carry of three inputs: eight flips and two sticks each, and no exchange matters.
    assert_eq!(mutants(&netlist).len(), 2 * (8 + 2));
    assert!(netlist.gates().any(|(_, gate)| gate.lut() == Lut::XOR3));
}

#[test]
fn what_is_cancelled_is_undecided() {
    let netlist = cell("wallace", &[4, 4]);
    let campaign = Campaign::new(&netlist).expect("no loops");
    let cancel = |_, _| ControlFlow::Break(());
    let changes = mutants(&netlist);
    let fates = campaign.run(&changes, &Vectors::new(&netlist), Limits::default(), &cancel);
    assert!(fates.iter().all(|fate| *fate == Fate::Undecided(Reason::Cancelled)));
    assert_eq!(Coverage::of(&fates).undecided, changes.len());
    let latch = build("sr_latch", &[1, 1]).expect("a latch");
    assert!(Campaign::new(&latch).is_err());
    let empty = Vectors::new(&netlist);
    assert!(empty.is_empty() && empty.number(0, PinKind::Port, "none").is_none());
}
