//! Cones that are too hard for the SAT solver, run exhaustively above a narrow cut.

use std::time::Duration;

use morpho::bus::cat;
use morpho::library::adder::ripple_adder;
use morpho::library::multiplier::wallace;
use morpho::library::reduce;
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
        let row = cat([Bus::constant(0, shift), row]).zero_extend(width);
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

/// `a b` by a tree, but for one product, whose highest bit is flipped. If it is one of two primes, the
/// solver would have to find its factors.
fn wrong_for(n: &mut Builder, a: &Bus, b: &Bus, number: u64) -> Fits<Bus> {
    let product = wallace(n, a, b)?;
    let differs = n.xor(&product, &Bus::constant(number, product.width()))?;
    let differs = reduce::any(n, &differs)?;
    let wrong = n.not(&differs)?;
    let high = product.width() - 1;
    let flipped = n.xor(&product.skip(high), &wrong)?;
    Ok(cat([product.low(high), flipped]))
}

/// Neither random inputs nor the solver find it, so that it is the run which must. Ten bits an operand
/// are run as the gates come, eleven after that.
#[test]
fn a_product_that_is_wrong_once_is_found() {
    for (width, number) in [(10, 857 * 743), (11, 1697 * 1531)] {
        let of = |product: &dyn Fn(&mut Builder, &Bus, &Bus) -> Fits<Bus>| {
            let built = Builder::build("product", |n| {
                let [a, b] = ["a", "b"].map(|name| n.input(name, width));
                let product = product(n, &a, &b)?;
                n.output("y", &product);
                Ok(())
            });
            built.expect("the widths fit")
        };
        let right = of(&|n, a, b| wallace(n, a, b));
        let wrong = of(&|n, a, b| wrong_for(n, a, b, number));
        let bits = |exhaustive_bits| Limits { exhaustive_bits, ..FEW };
        let rows = of(&shift_and_add);
        assert_eq!(prove(&rows, &right, bits(2 * width)).verdict, Verdict::Equal);
        let proof = prove(&rows, &wrong, bits(2 * width));
        assert!(matches!(proof.verdict, Verdict::Different(_)), "{width}: {proof:?}");
        let without = prove(&rows, &wrong, bits(0));
        assert!(matches!(without.verdict, Verdict::Undecided { .. }), "{width}: {without:?}");
    }
}

/// No sum of two bytes is 511, so that a product of sums which is wrong for 511 times 511 is right.
#[test]
fn values_that_never_come_up_do_not_count() {
    let of_sums = |product: &dyn Fn(&mut Builder, &Bus, &Bus) -> Fits<Bus>| {
        circuit(|n, a, b| {
            let nine = |n: &mut Builder, sum: &Bus, byte: &str| -> Fits<Bus> {
                let byte = n.input(byte, 8);
                let (sum, carry) = ripple_adder(n, sum, &byte, &Bus::zero())?;
                Ok(cat([sum, carry]))
            };
            let (left, right) = (nine(n, a, "e")?, nine(n, b, "f")?);
            product(n, &left, &right)
        })
    };
    let limits = Limits { exhaustive_bits: 18, ..FEW };
    let rows = of_sums(&shift_and_add);
    let unreached = of_sums(&|n, a, b| wrong_for(n, a, b, 511 * 511));
    assert_eq!(prove(&rows, &unreached, limits).verdict, Verdict::Equal);
    let reached = of_sums(&|n, a, b| wrong_for(n, a, b, 397 * 389));
    let proof = prove(&rows, &reached, limits);
    assert!(matches!(proof.verdict, Verdict::Different(_)), "{proof:?}");
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

/// A number of values has 64 bits; more wires were taken to be as many as it has.
#[test]
fn more_exhaustive_bits_than_a_number_has_are_as_many_as_it_has() {
    let of = |product: &dyn Fn(&mut Builder, &Bus, &Bus) -> Fits<Bus>| {
        let built = Builder::build("product", |n| {
            let [a, b] = ["a", "b"].map(|name| n.input(name, 40));
            let product = product(n, &a, &b)?;
            n.output("y", &product.bit(79)?);
            Ok(())
        });
        built.expect("the widths fit")
    };
    let time = Duration::from_secs(1);
    let limits = Limits { exhaustive_bits: usize::MAX, time, ..FEW };
    let proof =
        prove(&of(&|n, a, b| shift_and_add(n, a, b)), &of(&|n, a, b| wallace(n, a, b)), limits);
    assert!(matches!(proof.verdict, Verdict::Undecided { .. }), "{proof:?}");
}
