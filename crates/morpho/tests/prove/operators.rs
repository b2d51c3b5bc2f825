//! Operators: those of the library are true, before and after every pass, and a wrong one is found.

use morpho::bus::cat;
use morpho::library::{self, adder::ripple_adder, build};
use morpho::operator::Function;
use morpho::prove::{Limits, Verdict, operators, quiet};
use morpho::{Builder, Bus, Netlist, pass};

use crate::common::optimised;

fn verdicts(netlist: &Netlist) -> Vec<Verdict> {
    operators::prove(netlist, Limits::default(), &quiet).expect("a synchronous circuit")
}

fn all_hold(netlist: &Netlist) -> bool {
    verdicts(netlist).iter().all(|verdict| *verdict == Verdict::Equal)
}

#[test]
fn every_operator_of_the_library_holds_before_and_after_optimisation() {
    for entry in library::table() {
        let numbers: Vec<usize> = entry.example.iter().map(|number| number.div_ceil(2)).collect();
        let Ok(raw) = build(entry.name, &numbers) else { continue };
        if raw.loops().is_empty() {
            assert!(all_hold(&raw), "{} {numbers:?}", entry.name);
            assert!(all_hold(&optimised(&raw)), "{} {numbers:?}, optimised", entry.name);
        }
    }
}

#[test]
fn the_outermost_cell_claims() {
    let adder = build("ripple_adder", &[16, 16, 1]).expect("it fits");
    assert_eq!(adder.operators().len(), 1);
    assert_eq!(adder.operators()[0].function(), Function::Add);
    let product = build("wallace", &[8, 8]).expect("it fits");
    let functions: Vec<Function> = product.operators().iter().map(|o| o.function()).collect();
    assert_eq!(functions, [Function::Multiply { a_signed: false, b_signed: false }]);
}

#[test]
fn a_wrong_claim_is_found() {
    let wrong = Builder::build("wrong", |n| {
        let (a, b) = (n.input("a", 8), n.input("b", 8));
        let (sum, carry) = ripple_adder(n, &a, &b, &Bus::zero())?;
        n.claim(Function::Subtract, &[&a, &b, &Bus::zero()], &[&sum, &carry])?;
        n.output("sum", &sum);
        Ok(())
    });
    let verdicts = verdicts(&wrong.expect("it fits"));
    assert!(verdicts.iter().any(|verdict| matches!(verdict, Verdict::Different(_))));
}

#[test]
fn operators_survive_inverters_and_lost_bits() {
    let mut netlist = Builder::build("survivor", |n| {
        let (a, b) = (n.input("a", 8), n.input("b", 8));
        let negative = n.not(&b)?;
        let (sum, _) = ripple_adder(n, &a, &negative, &Bus::one())?;
        let shown = n.not(&sum.low(5))?;
        n.output("sum", &cat([shown, Bus::zero()]));
        Ok(())
    })
    .expect("it fits");
    pass::optimise(&mut netlist);
    let [operator] = netlist.operators() else { panic!("{:?}", netlist.operators()) };
    assert_eq!(operator.result().iter().flatten().count(), 5);
    assert!(operator.operands()[1].iter().all(|bit| bit.complemented));
    assert!(all_hold(&netlist));
}
