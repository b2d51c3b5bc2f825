//! Verilog as it is read, and the netlists that come of it.

mod common;
mod format_common;

use std::path::Path;

use common::recipe::{Loops, recipes};
use common::soundness::{assert_well_formed, behaviour};
use format_common::{adder, any_netlist, counter, lost_bits, ties};
use morpho::format::{self, Format, ReadOptions, Reading};
use morpho::prove::{Equivalence, Verdict, quiet};
use morpho::sim::Interpreter;
use morpho::{Diagnostics, Netlist};
use proptest::prelude::*;

fn read(text: &str) -> Result<Reading, Diagnostics> {
    let options = ReadOptions { file: "test.v".into(), top: None };
    format::read(text.as_bytes(), Format::Verilog, &options)
}

fn sound(text: &str) -> Netlist {
    let reading = read(text).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    assert_well_formed(&reading.netlist);
    reading.netlist
}

fn widths(netlist: &Netlist) -> Vec<(&str, usize)> {
    let ports = netlist.inputs().iter().chain(netlist.outputs());
    ports.map(|port| (&port.name[..], port.wires.len())).collect()
}

fn fixture(name: &str, format: Format) -> Reading {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    let bytes = std::fs::read(&path).expect("the fixture is there");
    let options = ReadOptions { file: name.into(), top: None };
    let reading = format::read(&bytes, format, &options);
    let reading = reading.unwrap_or_else(|problems| panic!("{problems}"));
    assert_well_formed(&reading.netlist);
    reading
}

/// What `mixed.v` means, written by hand: the outputs `q`, `z` and `p` for inputs `rst`, `en`, `a`
/// and `sel`.
fn mixed(inputs: &[[u128; 4]]) -> Vec<[u128; 3]> {
    let (mut q, mut p) = (5, 1);
    let step = |&[rst, en, a, sel]: &[u128; 4]| {
        // The range of `sel` is [0:2], so `sel[0]` is the highest bit.
        let z = (a & 3) << 2 | (sel >> 2 & sel >> 1 & 1) << 1 | (!sel & 1);
        let shown = [q, z, p];
        q = match (rst, en) {
            (1, _) => 0,
            (_, 1) => (q + (a ^ 15)) & 15,
            _ => q,
        };
        p = u128::from(a.count_ones() % 2);
        shown
    };
    inputs.iter().map(step).collect()
}

fn check_mixed(name: &str, netlist: &Netlist, ports: [&str; 7]) {
    let mut noise = format_common::Noise(7);
    let inputs: Vec<[u128; 4]> = (0..200)
        .map(|_| [4, 2, 16, 8].map(|limit| u128::from(noise.next() >> 32) % limit))
        .map(|[rst, en, a, sel]| [u128::from(rst == 0), en, a, sel])
        .collect();
    let mut interpreter = Interpreter::new(netlist);
    for (inputs, outputs) in std::iter::zip(&inputs, mixed(&inputs)) {
        std::iter::zip(&ports[..4], inputs)
            .for_each(|(port, &value)| interpreter.set(port, &[value]));
        interpreter.evaluate().expect("there are no loops");
        let shown = [4, 5, 6].map(|port| interpreter.get(ports[port], 1)[0]);
        assert_eq!(shown, outputs, "{name}");
        interpreter.step().expect("there are no loops");
    }
}

/// The forms in which Yosys writes one circuit.
#[test]
fn what_yosys_writes_is_read() {
    for name in [
        "mixed_gates.v",
        "mixed_noattr.v",
        "mixed_cells.v",
        "mixed_lut.v",
        "mixed_lut_cells.v",
        "mixed_ice40.v",
        "mixed_sv.v",
        "mixed_words.v",
        "mixed_word_cells.v",
    ] {
        let Reading { netlist, warnings, .. } = fixture(name, Format::Verilog);
        assert_eq!(warnings, [], "{name}");
        let expected = [("rst", 1), ("en", 1), ("a", 4), ("sel", 3), ("q", 4), ("z", 4), ("p", 1)];
        assert_eq!(widths(&netlist), expected, "{name}");
        check_mixed(name, &netlist, ["rst", "en", "a", "sel", "q", "z", "p"]);
    }
}

#[test]
fn what_abc_writes_is_read() {
    for name in ["adder_abc.v", "adder_abc_lut.v"] {
        let netlist = fixture(name, Format::Verilog).netlist;
        let adder = adder(16);
        let proof = Equivalence::new(&adder, &netlist).expect("the ports agree").prove(&quiet);
        assert_eq!(proof.verdict, Verdict::Equal, "{name}");
    }
    // It takes our clock for an input and adds its own.
    let Reading { netlist, warnings, .. } = fixture("counter_abc.v", Format::Verilog);
    assert_eq!(widths(&netlist), [("clk", 1), ("enable", 1), ("count", 3)]);
    assert_eq!(warnings, []);
    let mut interpreter = Interpreter::new(&netlist);
    interpreter.set("enable", &[1]);
    for count in [5, 6, 7, 0, 1] {
        interpreter.evaluate().expect("there are no loops");
        assert_eq!(interpreter.get("count", 1), [count]);
        interpreter.step().expect("there are no loops");
    }
}

#[test]
fn what_was_written_is_read_back() {
    for netlist in [adder(16), counter(), ties()] {
        let back = sound(&format::to_string(&netlist, Format::Verilog));
        assert_eq!(back.gates().count(), netlist.gates().count(), "{}", netlist.name());
        assert_eq!(widths(&back), widths(&netlist));
        assert_eq!(back.name(), netlist.name());
        // The register of the counter has another name in the file, as its output has its own.
        if netlist.name() != "counter" {
            let proof = Equivalence::new(&netlist, &back).expect("the ports agree").prove(&quiet);
            assert_eq!(proof.verdict, Verdict::Equal, "{}", netlist.name());
        }
        assert!(behaviour(&netlist) == behaviour(&back));
    }
    sound(&format::to_string(&lost_bits(), Format::Verilog));
}

proptest! {
    #[test]
    fn random_circuits_are_read_back(recipe in recipes(Loops::None)) {
        let netlist = recipe.build();
        let back = sound(&format::to_string(&netlist, Format::Verilog));
        if widths(&back) == widths(&netlist) {
            assert!(behaviour(&netlist) == behaviour(&back));
        }
    }

    #[test]
    fn names_that_collide_are_read_back(netlist in any_netlist(true)) {
        sound(&format::to_string(&netlist, Format::Verilog));
    }
}
