//! Circuits whose ports and registers have other names.

use morpho::library::adder::ripple_adder;
use morpho::prove::{Equivalence, Mismatch, Verdict, quiet, with_names_of};
use morpho::{Builder, Bus, Netlist};

/// Two registers of 8 bits: a sum of what came so far, and what came last. Named as told, and with
/// registers in one order or the other.
fn accumulator([data, sum, last, out]: [&str; 4], last_first: bool, start: u64) -> Netlist {
    let built = Builder::build("accumulator", |n| {
        let data = n.input(data, 8);
        let mut register = |name, value| n.reg(name, &Bus::constant(value, 8));
        let (sum, last) = if last_first {
            let last = register(last, start);
            (register(sum, 0), last)
        } else {
            (register(sum, 0), register(last, start))
        };
        let (next, _) = ripple_adder(n, &sum, &last, &Bus::zero())?;
        n.drive(&sum, &next);
        n.drive(&last, &data);
        n.output(out, &next);
        Ok(())
    });
    built.expect("the widths fit")
}

const OURS: [&str; 4] = ["data", "sum", "last", "out"];
const THEIRS: [&str; 4] = ["d", "r1", "r0", "q"];

#[test]
fn registers_are_matched_by_what_they_store() {
    let (ours, theirs) = (accumulator(OURS, false, 0), accumulator(THEIRS, true, 0));
    let named = with_names_of(&ours, &theirs).expect("no loops");
    let names: Vec<&str> =
        named.registers().iter().map(|register| register.name.as_str()).collect();
    assert_eq!(names, ["last", "sum"]);
    let proof = Equivalence::new(&ours, &named).expect("the same ports").prove(&quiet);
    assert_eq!(proof.verdict, Verdict::Equal);
}

/// A namesake is a partner, whatever it stores: names are believed first.
#[test]
fn names_come_before_what_is_stored() {
    let ours = accumulator(OURS, false, 0);
    let crossed = accumulator(["data", "last", "sum", "out"], false, 0);
    let named = with_names_of(&ours, &crossed).expect("no loops");
    let proof = Equivalence::new(&ours, &named).expect("the same ports").prove(&quiet);
    assert!(matches!(proof.verdict, Verdict::Different(_)), "{proof:?}");
}

/// Where a register starts is seen after the first step only through what it drives.
#[test]
fn what_starts_elsewhere_stays_a_mismatch() {
    let (ours, theirs) = (accumulator(OURS, false, 0), accumulator(THEIRS, false, 1));
    let named = with_names_of(&ours, &theirs).expect("no loops");
    assert!(matches!(Equivalence::new(&ours, &named), Err(Mismatch::Initial { .. })));
}

#[test]
fn a_port_of_another_width_stays_a_mismatch() {
    let narrow = Builder::build("narrow", |n| {
        let data = n.input("d", 7);
        n.output("q", &data);
        Ok(())
    });
    let ours = accumulator(OURS, false, 0);
    let named = with_names_of(&ours, &narrow.expect("wires")).expect("no loops");
    assert!(matches!(Equivalence::new(&ours, &named), Err(Mismatch::Port { .. })));
}
