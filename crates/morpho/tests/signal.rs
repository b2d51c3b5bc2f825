//! Named buses inside a circuit, and what passes make of them.

mod common;

use common::{circuit, optimised};
use morpho::library::adder::ripple_adder;
use morpho::sim::Interpreter;
use morpho::{Bus, Netlist, Signal};
use proptest::prelude::*;

/// `(i0 + i1) > i2`, the sum named.
fn compared() -> Netlist {
    circuit(&[6, 6, 6], |n, i| {
        let (sum, _) = ripple_adder(n, &i[0], &i[1], &Bus::zero())?;
        n.signal("sum", &sum);
        let inverse = n.not(&sum)?;
        n.signal("inverse", &inverse);
        let (_, borrow) = morpho::library::adder::ripple_subtractor(n, &i[2], &sum, &Bus::zero())?;
        Ok(vec![borrow, inverse])
    })
}

fn read(interpreter: &Interpreter, signal: &Signal) -> u64 {
    let bit = |(place, bit): (usize, &Option<_>)| {
        let literal: morpho::operator::Literal = bit.expect("every bit is left");
        (interpreter.wire(literal.wire) & 1 ^ u64::from(literal.complemented)) << place
    };
    signal.bits().iter().enumerate().map(bit).sum()
}

proptest! {
    #[test]
    fn a_signal_is_what_it_was_after_all_passes(a in 0..64u128, b in 0..64u128, c in 0..64u128) {
        for netlist in [compared(), optimised(&compared())] {
            let mut interpreter = Interpreter::owning(netlist);
            for (port, number) in [("i0", a), ("i1", b), ("i2", c)] {
                interpreter.set(port, &[number]);
            }
            interpreter.evaluate().expect("there are no loops");
            let sum = (a + b) as u64 & 63;
            let signals = interpreter.netlist().signals();
            prop_assert_eq!(signals.iter().map(Signal::name).collect::<Vec<_>>(), ["sum", "inverse"]);
            prop_assert_eq!(read(&interpreter, &signals[0]), sum);
            prop_assert_eq!(read(&interpreter, &signals[1]), !sum & 63);
        }
    }
}

#[test]
fn a_signal_keeps_no_gate_alive() {
    let netlist = optimised(&circuit(&[4, 4], |n, i| {
        let (sum, _) = ripple_adder(n, &i[0], &i[1], &Bus::zero())?;
        n.signal("sum", &sum);
        n.signal("low", &sum.low(1));
        Ok(vec![sum.low(2)])
    }));
    assert_eq!(netlist.gates().count(), 3);
    let left: Vec<usize> =
        netlist.signals().iter().map(|signal| signal.bits().iter().flatten().count()).collect();
    assert_eq!(left, [2, 1]);
    assert_eq!(netlist.signals()[0].bits().len(), 4);
}

#[test]
fn a_cell_that_is_taken_back_takes_its_signals_along() {
    let netlist = circuit(&[1], |n, i| {
        let failed = n.instantiate("failed", [1], |n| {
            n.signal("gone", &i[0]);
            i[0].split()
        });
        assert!(failed.is_err());
        Ok(vec![i[0].clone()])
    });
    assert!(netlist.signals().is_empty());
}

#[test]
fn a_signal_knows_the_instance_that_named_it() {
    let netlist = circuit(&[1], |n, i| {
        n.instantiate("namer", [1], |n| {
            n.signal("x", &i[0]);
            Ok(())
        })?;
        Ok(vec![i[0].clone()])
    });
    let origin = netlist.signals()[0].origin();
    assert_eq!(netlist.hierarchy().cell(origin), "namer");
}
