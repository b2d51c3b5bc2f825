//! Test benches are what they should look like, pass on the circuit, and fail on another one.

mod format_common;

use format_common::{Scratch, any_netlist, run, tool};
use insta::assert_snapshot;
use morpho::format::{Format, test_bench, to_string};
use morpho::prove::mutation::mutants;
use morpho::prove::{PinKind, Vectors};
use morpho::{Builder, Lut, Netlist};
use proptest::prelude::*;

fn bench(netlist: &Netlist, vectors: &Vectors) -> String {
    let mut text = Vec::new();
    test_bench::write(netlist, vectors, &mut text).expect("a test bench");
    String::from_utf8(text).expect("text")
}

/// What Icarus Verilog prints for a circuit under the bench of another.
fn simulate(name: &str, circuit: &Netlist, bench: &str) -> String {
    let source = Scratch::new(&format!("{name}.v"), &to_string(circuit, Format::Verilog));
    let bench = Scratch::new(&format!("{name}_tb.v"), bench);
    let program = Scratch::new(&format!("{name}.vvp"), "");
    run("iverilog", &["-g2001", "-Wall", "-o", program.path(), source.path(), bench.path()]);
    run("vvp", &["-n", program.path()])
}

#[test]
fn of_a_counter() {
    let counter = format_common::counter();
    let mut vectors = Vectors::new(&counter);
    for enable in [1, 0, 1] {
        vectors.push_numbers(&[(PinKind::Port, "enable", enable)]);
    }
    assert_snapshot!(bench(&counter, &vectors));
}

#[test]
fn passes_on_the_circuit_and_fails_on_its_mutants() {
    if tool(&["iverilog"]).is_none() {
        return;
    }
    for netlist in [format_common::adder(3), format_common::counter(), format_common::ties()] {
        let bench = bench(&netlist, &Vectors::random(&netlist, 64, 1));
        let name = format!("bench_of_{}", netlist.name());
        let passed = simulate(&name, &netlist, &bench);
        assert!(passed.ends_with("PASS: 64 steps\n"), "{passed}");
        let mutant = mutants(&netlist)[0].apply(&netlist);
        let failed = simulate(&name, &mutant, &bench);
        assert!(failed.contains("step "), "{failed}");
        assert!(failed.lines().last().is_some_and(|line| line.starts_with("FAIL: ")), "{failed}");
        assert!(failed.lines().count() <= 11, "{failed}");
    }
}

#[test]
fn circuits_that_no_bench_can_be_written_for_are_refused() {
    let wide = Builder::build("wide", |n| {
        let x = n.input("x", 129);
        n.output("y", &x.bit(0)?);
        Ok(())
    });
    let oscillator = Builder::build("oscillator", |n| {
        n.allow_loops();
        let y = n.forward("y", 1);
        let not = n.lut(Lut::NOT, &[&y])?;
        n.tie(&y, &not);
        n.output("y", &y);
        Ok(())
    });
    let [wide, oscillator] = [wide, oscillator].map(|circuit| circuit.expect("a circuit"));
    let refusal = |netlist: &Netlist, of: &Netlist| {
        let vectors = Vectors::random(of, 1, 1);
        test_bench::write(netlist, &vectors, &mut Vec::new()).expect_err("refused").to_string()
    };
    assert_snapshot!(refusal(&wide, &wide), @"port `x` has 129 bits; a test bench has 128 at most");
    assert!(refusal(&oscillator, &oscillator).contains("still changes"));
    let counter = format_common::counter();
    let text = "the vectors have no value for the port `enable`";
    assert_eq!(refusal(&counter, &oscillator), text);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn passes_whatever_the_names(netlist in any_netlist(true)) {
        prop_assume!(tool(&["iverilog"]).is_some());
        let vectors = Vectors::random(&netlist, 8, 1);
        // Some of these circuits oscillate.
        if test_bench::write(&netlist, &vectors, &mut Vec::new()).is_ok() {
            let passed = simulate("bench_of_any", &netlist, &bench(&netlist, &vectors));
            prop_assert!(passed.ends_with("PASS: 8 steps\n"), "{}", passed);
        }
    }
}
