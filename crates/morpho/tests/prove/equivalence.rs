//! Equivalence: what is equal is proven so, what is not gives an input that shows it.

use std::ops::ControlFlow;
use std::time::Duration;

use morpho::bus::cat;
use morpho::library::{self, adder::ripple_adder, build, multiplier::wallace};
use morpho::prove::{
    Counterexample, Cut, CutFinder, Equivalence, Limits, Mismatch, PinKind, Proof, Reason, Verdict,
    quiet,
};
use morpho::{Builder, Bus, Lut, Netlist, Wire};
use proptest::prelude::*;

use crate::common::optimised;
use crate::common::small::{BYTE, gate_seeds, netlist, table};

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
        for scale in 1..=3 {
            let numbers: Vec<usize> =
                entry.example.iter().map(|number| (number * scale).div_ceil(2)).collect();
            let Ok(raw) = build(entry.name, &numbers) else { continue };
            match Equivalence::new(&raw, &optimised(&raw)) {
                Ok(claim) => {
                    let verdict = claim.prove(&quiet).verdict;
                    assert_eq!(verdict, Verdict::Equal, "{} {numbers:?}", entry.name);
                }
                Err(Mismatch::Loop { .. }) => assert!(!raw.loops().is_empty(), "{}", entry.name),
                Err(mismatch) => panic!("{}: {mismatch}", entry.name),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// One flipped row of one gate: the verdict is that of the exhaustive comparison, and the
    /// counterexample is one of the inputs that differ.
    #[test]
    fn verdicts_agree_with_exhaustive_comparison(
        gates in gate_seeds(1..=6usize, 1..60),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 3 + 4),
        gate: prop::sample::Index,
        row in 0..64u32,
    ) {
        let left = netlist(&BYTE, &gates, &picks);
        let mut mutated = gates.clone();
        let place = gate.index(gates.len());
        mutated[place].1 ^= 1u64 << (row % (1 << mutated[place].0));
        let right = netlist(&BYTE, &mutated, &picks);
        let (left_table, right_table) = (table(&left), table(&right));
        let same = left_table == right_table;
        match prove(&left, &right).verdict {
            Verdict::Equal => prop_assert!(same),
            Verdict::Different(counterexample) => {
                let number = |kind, name| counterexample.number(kind, name).unwrap_or(0) as usize;
                let row = number(PinKind::Register, "state") << 8 | number(PinKind::Port, "a");
                prop_assert_ne!(left_table[row], right_table[row]);
            }
            undecided => prop_assert!(false, "{:?}", undecided),
        }
        if same {
            prop_assert_eq!(prove(&left, &optimised(&right)).verdict, Verdict::Equal);
        }
    }
}

/// `a` times `b` \[2N\], or `b` times `a`.
fn product(width: usize, swapped: bool) -> Netlist {
    Builder::build("product", |n| {
        let (a, b) = (n.input("a", width), n.input("b", width));
        let product = if swapped { wallace(n, &b, &a)? } else { wallace(n, &a, &b)? };
        n.output("y", &product);
        Ok(())
    })
    .expect("a multiplier")
}

#[test]
fn different_structures_of_one_function_are_equal() {
    let ripple = build("ripple_adder", &[32, 32, 1]).expect("an adder");
    let lookahead = build("brent_kung_adder", &[32, 32, 1]).expect("an adder");
    let proof = prove(&ripple, &lookahead);
    assert_eq!(proof.verdict, Verdict::Equal);
    assert!(proof.effort.merged > 0, "the structures differ");
    assert_eq!(prove(&product(4, false), &product(4, true)).verdict, Verdict::Equal);
}

/// `x` as it is, with `lut` of it and whether `a` is the one number 0xDEADBEEF in its place.
fn disturbed(lut: Option<Lut>) -> Netlist {
    Builder::build("disturbed", |n| {
        let (a, x) = (n.input("a", 32), n.input("x", 1));
        let hit = library::compare::equal(n, &a, &Bus::constant(0xDEAD_BEEF, 32))?;
        let y = lut.map_or(Ok(x.clone()), |lut| n.lut(lut, &[&x, &hit]))?;
        n.output("y", &y);
        Ok(())
    })
    .expect("a circuit")
}

#[test]
fn one_input_in_four_billion_is_found() {
    for lut in [Lut::XOR, Lut::OR, Lut::AND_NOT] {
        let (plain, disturbed) = (disturbed(None), disturbed(Some(lut)));
        let found = counterexample(prove(&plain, &disturbed));
        assert_eq!(found.number(PinKind::Port, "a"), Some(0xDEAD_BEEF), "{lut:?}");
        assert_eq!(found.number(PinKind::Port, "x"), Some(found.left.into()));
        assert_eq!(found.number(PinKind::Port, "b"), None);
        let other_way = counterexample(prove(&disturbed, &plain));
        assert_eq!(other_way.number(PinKind::Port, "a"), Some(0xDEAD_BEEF), "{lut:?}");
        assert_eq!(other_way.number(PinKind::Port, "x"), Some((!other_way.left).into()));
    }
    let text = counterexample(prove(&disturbed(None), &disturbed(Some(Lut::OR)))).to_string();
    assert_eq!(
        text,
        "a = 0b11011110101011011011111011101111, x = 0b0: \
         y[0] is 0 in one circuit and 1 in the other"
    );
}

/// The sum of three numbers, and the wires of the sum of the first two.
fn sum_of_three(first: &str) -> (Netlist, Vec<Wire>) {
    let adder = build(first, &[16, 16, 1]).expect("an adder");
    let mut middle = Vec::new();
    let netlist = Builder::build("sum", |n| {
        let [a, b, c] = ["a", "b", "c"].map(|name| n.input(name, 16));
        let sum = n.embed(&adder, &[&a, &b, &Bus::zero()])?.swap_remove(0);
        middle = sum.wires().to_vec();
        let (sum, _) = ripple_adder(n, &sum, &c, &Bus::zero())?;
        n.output("sum", &sum);
        Ok(())
    });
    (netlist.expect("a circuit"), middle)
}

#[test]
fn cuts_are_proven_and_then_free() {
    let (left, left_middle) = sum_of_three("ripple_adder");
    let (right, right_middle) = sum_of_three("brent_kung_adder");
    let claim = || Equivalence::new(&left, &right).expect("the same ports");
    let cut = Cut::new(&left_middle, &right_middle);
    let proof = claim().cut(cut.clone()).prove(&quiet);
    assert_eq!((proof.verdict, proof.effort.cuts_dropped), (Verdict::Equal, 0));

    let found = CutFinder::new(&left, &right).expect("the same ports").cut(&right_middle);
    let proof = claim().cut(found.expect("partners")).prove(&quiet);
    assert_eq!((proof.verdict, proof.effort.cuts_dropped), (Verdict::Equal, 0));

    let cases = Cut::new(&left_middle[..2], &right_middle[..2]).by_cases();
    let proof = claim().cut(cases).cut(cut).prove(&quiet);
    assert_eq!((proof.verdict, proof.effort.cuts_dropped), (Verdict::Equal, 0));
}

#[test]
fn a_wrong_cut_is_not_used() {
    let (left, left_middle) = sum_of_three("ripple_adder");
    let (right, mut right_middle) = sum_of_three("brent_kung_adder");
    right_middle.reverse();
    let claim = Equivalence::new(&left, &right).expect("the same ports");
    let proof = claim.cut(Cut::new(&left_middle, &right_middle)).prove(&quiet);
    assert_eq!((proof.verdict, proof.effort.cuts_dropped), (Verdict::Equal, 1));
}

/// `x` is `a` and `b`; the output is `x` and not one of them, which is never 1.
fn never(which: usize) -> (Netlist, Vec<Wire>) {
    let mut wires = Vec::new();
    let netlist = Builder::build("never", |n| {
        let inputs = ["a", "b"].map(|name| n.input(name, 1));
        let x = n.and(&inputs[0], &inputs[1])?;
        wires = x.wires().to_vec();
        let y = n.lut(Lut::AND_NOT, &[&x, &inputs[which]])?;
        n.output("y", &y);
        Ok(())
    });
    (netlist.expect("a circuit"), wires)
}

#[test]
fn a_difference_that_only_the_cut_allows_is_none() {
    let ((left, x), (right, other_x)) = (never(0), never(1));
    let claim = Equivalence::new(&left, &right).expect("the same ports");
    let proof = claim.cut(Cut::new(&x, &other_x)).prove(&quiet);
    assert_eq!((proof.verdict, proof.effort.cuts_dropped), (Verdict::Equal, 0));
}

#[test]
fn a_proof_that_does_not_finish_says_why() {
    let (left, right) = (product(12, false), product(12, true));
    let claim = |limits| Equivalence::new(&left, &right).expect("the same ports").limits(limits);
    let reason = |proof: Proof| match proof.verdict {
        Verdict::Undecided { open, reason } => {
            assert!(!open.is_empty());
            reason
        }
        other => panic!("{other:?}"),
    };
    let few = Limits {
        conflicts_per_pair: 10,
        conflicts_per_target: 10,
        exhaustive_bits: 0,
        ..Limits::default()
    };
    assert_eq!(reason(claim(few).prove(&quiet)), Reason::Conflicts);
    let no_time = Limits { time: Duration::ZERO, ..Limits::default() };
    assert_eq!(reason(claim(no_time).prove(&quiet)), Reason::Time);
    let cancel = |_, _| ControlFlow::Break(());
    assert_eq!(reason(claim(Limits::default()).prove(&cancel)), Reason::Cancelled);
}

#[test]
fn progress_reaches_the_end() {
    let left = optimised(&product(8, false));
    let right = left.clone();
    let seen = std::cell::Cell::new((0, 0));
    let watch = |done, total| {
        assert!(done <= total && done >= seen.get().0);
        seen.set((done, total));
        ControlFlow::Continue(())
    };
    Equivalence::new(&left, &right).expect("the same ports").prove(&watch);
    let gates = left.gates().count() as u64;
    assert_eq!(seen.get().1, 2 * gates);
    assert!(seen.get().0 > gates, "{:?}", seen.get());
}

#[test]
fn circuits_that_cannot_be_compared_are_refused() {
    let refuse = |left: &Netlist, right: &Netlist| {
        Equivalence::new(left, right).err().expect("no claim").to_string()
    };
    let adder = |width| build("ripple_adder", &[width, width, 1]).expect("an adder");
    assert_eq!(
        refuse(&adder(4), &adder(5)),
        "the input port `a` has 4 wires in one circuit and 5 in the other"
    );
    let register = |initial| {
        Builder::build("toggle", |n| {
            let bit = n.reg("bit", &Bus::constant(initial, 1));
            let next = n.not(&bit)?;
            n.drive(&bit, &next);
            n.output("bit", &bit);
            Ok(())
        })
        .expect("a circuit")
    };
    assert_eq!(
        refuse(&register(0), &register(1)),
        "register bit[0] starts with different values in the two circuits"
    );
    let latch = build("sr_latch", &[1, 1]).expect("a latch");
    assert!(refuse(&latch, &latch).contains("asynchronous loop"), "{}", refuse(&latch, &latch));
}

#[test]
fn registers_are_inputs_and_their_next_values_outputs() {
    let counter = |lut| {
        Builder::build("counter", |n| {
            let enable = n.input("enable", 1);
            let count = n.reg("count", &Bus::constant(0, 2));
            let spare = n.reg("spare", &Bus::constant(0, 3));
            let low = n.lut(lut, &[&count.bit(0)?, &enable])?;
            let high = n.xor(&count.bit(1)?, &count.bit(0)?)?;
            n.drive(&count, &cat([low, high]));
            n.drive(&spare, &spare);
            n.output("high", &count.bit(1)?);
            Ok(())
        })
        .expect("a circuit")
    };
    let right = optimised(&counter(Lut::XOR));
    assert_eq!(right.registers().len(), 1, "nothing reads the spare register");
    assert_eq!(prove(&counter(Lut::XOR), &right).verdict, Verdict::Equal);
    let found = counterexample(prove(&counter(Lut::OR), &right));
    assert_eq!(found.output.to_string(), "register count[0]");
    assert_eq!(found.number(PinKind::Port, "enable"), Some(1));
    assert_eq!(found.number(PinKind::Register, "count").map(|count| count & 1), Some(1));
}
