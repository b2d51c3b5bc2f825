//! Cones that are too hard for the SAT solver, run exhaustively above a narrow cut.

use std::time::Duration;

use morpho::library::adder::ripple_adder;
use morpho::library::multiplier::wallace;
use morpho::prove::{Change, Equivalence, Limits, Proof, Verdict, quiet};
use morpho::{Builder, Bus, Fits, Lut, Netlist};

/// Too few for a multiplier.
const FEW: Limits = Limits {
    conflicts_per_pair: 10,
    conflicts_per_target: 10,
    exhaustive_bits: 16,
    time: Duration::from_secs(60),
};

/// `a b`, one row of partial products after the other.
fn shift_and_add(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<Bus> {
    let width = a.width() + b.width();
    let mut sum = Bus::constant(0, width);
    for (shift, &bit) in b.wires().iter().enumerate() {
        let row = n.and(a, &bit.into())?;
        let row = morpho::bus::cat([Bus::constant(0, shift), row]).zero_extend(width);
        sum = ripple_adder(n, &sum, &row, &Bus::zero())?.0;
    }
    Ok(sum)
}

/// Operands that are sums of two numbers each, so that the product has 32 inputs below 16 wires.
fn circuit(product: impl Fn(&mut Builder, &Bus, &Bus) -> Fits<Bus>) -> Netlist {
    let built = Builder::build("product_of_sums", |n| {
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| n.input(name, 8));
        let (left, _) = ripple_adder(n, &a, &b, &Bus::zero())?;
        let (right, _) = ripple_adder(n, &c, &d, &Bus::zero())?;
        let product = product(n, &left, &right)?;
        n.output("y", &product);
        Ok(())
    });
    let mut built = built.expect("the widths fit");
    morpho::pass::optimise(&mut built);
    built
}

fn prove(left: &Netlist, right: &Netlist, limits: Limits) -> Proof {
    Equivalence::new(left, right).expect("the ports are the same").limits(limits).prove(&quiet)
}

#[test]
fn multipliers_of_different_structure_are_equal_by_running_every_pair_of_operands() {
    let (rows, tree) = (circuit(shift_and_add), circuit(wallace));
    let proof = prove(&rows, &tree, FEW);
    assert_eq!(proof.verdict, Verdict::Equal);
    assert!(proof.effort.exhausted > 0, "{:?}", proof.effort);
    let without = prove(&rows, &tree, Limits { exhaustive_bits: 0, ..FEW });
    assert!(matches!(without.verdict, Verdict::Undecided { .. }), "{without:?}");
    let narrower = prove(&rows, &tree, Limits { exhaustive_bits: 8, ..FEW });
    assert!(matches!(narrower.verdict, Verdict::Undecided { .. }), "{narrower:?}");
}

/// A product that is wrong for one pair of operands of 2^16: no random input shows it.
#[test]
fn a_product_that_is_wrong_once_is_not_proven() {
    let rows = circuit(shift_and_add);
    let wrong = circuit(|n, a, b| {
        let product = wallace(n, a, b)?;
        let operands = n.not(&morpho::bus::cat([a, b]))?;
        let both = morpho::library::reduce::any(n, &operands)?;
        let both = n.not(&both)?;
        let low = n.xor(&product.low(1), &both)?;
        Ok(morpho::bus::cat([low, product.skip(1)]))
    });
    let proof = prove(&rows, &wrong, Limits { conflicts_per_target: 100_000, ..FEW });
    assert!(!matches!(proof.verdict, Verdict::Equal), "{proof:?}");
}

/// Each table of the tree with a row flipped, some of them: never equal, as every one of these
/// gates matters.
#[test]
fn a_flipped_row_is_not_proven() {
    let (rows, tree) = (circuit(shift_and_add), circuit(wallace));
    let gates: Vec<_> = tree.gates().map(|(wire, gate)| (wire, gate.lut())).collect();
    for &(wire, lut) in gates.iter().step_by(gates.len() / 8) {
        let lut = Lut::from_fn(lut.arity(), |row| lut.row(row) != (row == 0));
        let mutant = Change::Gate { wire, lut }.apply(&tree);
        let proof = prove(&rows, &mutant, FEW);
        assert!(!matches!(proof.verdict, Verdict::Equal), "{wire:?}");
    }
}
