//! AIGER as it is written and read.

mod common;
mod format_common;
mod format_reading;
mod format_tools;

use common::recipe::{Loops, recipes};
use common::soundness::behaviour;
use format_common::{
    Scratch, adder, any_netlist, counter, latch, lost_bits, named, run, ties, tool,
};
use format_reading::{assert_equal, widths};
use format_tools::yosys;
use morpho::format::{self, Format, ReadOptions, Reading};
use morpho::library::build;
use morpho::prove::{Equivalence, Verdict, quiet};
use morpho::{Diagnostics, Lut, Netlist};
use proptest::prelude::*;

fn read(bytes: &[u8], format: Format) -> Result<Reading, Diagnostics> {
    format::read(bytes, format, &ReadOptions { file: "dir/test.aig".into(), top: None })
}

#[track_caller]
fn sound(bytes: &[u8]) -> Netlist {
    format_reading::sound(read(bytes, Format::Aiger))
}

#[track_caller]
fn warnings(text: &str) -> Vec<String> {
    format_reading::warnings(read(text.as_bytes(), Format::AigerAscii))
}

/// The name of each register, with the initial values of its bits.
fn registers(netlist: &Netlist) -> Vec<(&str, Vec<bool>)> {
    let bits = |register: &morpho::Register| register.bits.iter().map(|bit| bit.initial).collect();
    netlist.registers().iter().map(|register| (&register.name[..], bits(register))).collect()
}

const BOTH: [Format; 2] = [Format::Aiger, Format::AigerAscii];

#[test]
fn what_was_written_is_read_back() {
    let names = ["a b", "$x", "\\y", "clk", "q\u{fc}", "\"z\"", "x_0"];
    let named = named(&names[..4], &names[3..], &["r_0", "$x", "clk"]);
    for netlist in [adder(16), counter(), ties(), named] {
        for format in BOTH {
            let back = sound(&format::to_bytes(&netlist, format));
            assert_eq!(back.name(), netlist.name());
            if netlist.name() == "dut" {
                // An output and a register that are named as inputs have another name.
                assert!(behaviour(&netlist) == behaviour(&back));
                continue;
            }
            assert_eq!(widths(&back), widths(&netlist));
            assert_eq!(registers(&back), registers(&netlist));
            assert_equal(&netlist, &back);
        }
    }
    let lost = lost_bits();
    assert!(behaviour(&lost) == behaviour(&sound(&format::to_bytes(&lost, Format::Aiger))));
    insta::assert_snapshot!(format::to_string(&counter(), Format::AigerAscii));
}

proptest! {
    #[test]
    fn random_circuits_are_read_back(recipe in recipes(Loops::None)) {
        let netlist = recipe.build();
        for format in BOTH {
            let back = sound(&format::to_bytes(&netlist, format));
            if widths(&back) == widths(&netlist) {
                assert!(behaviour(&netlist) == behaviour(&back));
            }
        }
    }

    #[test]
    fn names_that_collide_are_read_back(netlist in any_netlist(true)) {
        sound(&format::to_bytes(&netlist, Format::Aiger));
    }

    #[test]
    fn functions_of_six_inputs(table: u64) {
        let netlist = morpho::Builder::build("table", |n| {
            let a = n.input("a", 6);
            let bits: Vec<_> = (0..6).map(|bit| a.bit(bit)).collect::<Result<_, _>>()?;
            let y = n.lut(Lut::new(6, table), &bits.iter().collect::<Vec<_>>())?;
            n.output("y", &y);
            Ok(())
        }).expect("the circuit is sound");
        assert_equal(&netlist, &sound(&format::to_bytes(&netlist, Format::Aiger)));
    }
}

#[test]
fn equal_structure_is_written_once() {
    let gates = |name: &str, numbers: &[usize]| {
        let netlist = build(name, numbers).expect("a cell");
        sound(&format::to_bytes(&netlist, Format::Aiger))
            .gates()
            .filter(|(_, gate)| gate.lut().arity() == 2)
            .count()
    };
    // A full adder is two exclusive ors, the first of which its carry could share.
    assert!(gates("ripple_adder", &[16, 16, 1]) <= 16 * 11);
}

#[test]
fn what_the_format_cannot_hold_is_refused() {
    let error = format::write(&latch(), Format::Aiger, Vec::new()).expect_err("it has a loop");
    assert_eq!(error.to_string(), "AIGER has no asynchronous loops, and the circuit has one");
}

#[test]
fn abc_agrees_with_blif() {
    let Some(abc) = tool(&["berkeley-abc", "yosys-abc", "abc"]) else { return };
    let circuits = [adder(16), ties(), counter(), build("divider", &[8, 4]).expect("a cell")];
    for netlist in circuits {
        let name = netlist.name();
        // AIGER has no clock.
        let blif = format::to_string(&netlist, Format::Blif);
        let blif = blif.replace(".inputs clk", ".inputs").replace(" re clk ", " ");
        let blif = Scratch::new(&format!("{name}_a.blif"), &blif);
        let aiger = Scratch::new(&format!("{name}.aig"), "");
        std::fs::write(aiger.path(), format::to_bytes(&netlist, Format::Aiger)).expect("writable");
        let back = Scratch::new(&format!("{name}_back.aig"), "");
        let command = if netlist.registers().is_empty() { "cec" } else { "dsec" };
        let script = format!(
            "{command} {} {}; read_aiger {}; write_aiger -s {}",
            aiger.path(),
            blif.path(),
            aiger.path(),
            back.path()
        );
        let shown = run(&abc, &["-c", &script]);
        assert!(shown.contains("Networks are equivalent"), "{shown}");
        // What ABC writes is read again.
        let bytes = std::fs::read(back.path()).expect("ABC wrote it");
        let back = sound(&bytes);
        assert_eq!(widths(&back), widths(&netlist));
        assert!(behaviour(&back) == behaviour(&netlist), "{name}");
    }
}

#[test]
fn yosys_reads_what_is_written() {
    for netlist in [adder(8), ties(), counter()] {
        let name = netlist.name();
        let aiger = Scratch::new(&format!("{name}_y.aig"), "");
        std::fs::write(aiger.path(), format::to_bytes(&netlist, Format::Aiger)).expect("writable");
        let json = Scratch::new(&format!("{name}_y.json"), "");
        let commands = [
            format!("read_aiger -module_name {name} -clk_name clk {}", aiger.path()),
            "check -assert".to_string(),
            format!("write_json {}", json.path()),
        ];
        if !yosys(&commands) {
            return;
        }
        let text = std::fs::read(json.path()).expect("Yosys wrote it");
        let back = format::read(&text, Format::YosysJson, &ReadOptions::default());
        let back = back.unwrap_or_else(|problems| panic!("{problems}")).netlist;
        let ports = |netlist: &Netlist| {
            let mut ports: Vec<(String, usize)> = widths(netlist)
                .into_iter()
                .map(|(name, width)| (name.to_string(), width))
                .collect();
            ports.sort();
            ports
        };
        assert_eq!(ports(&back), ports(&netlist));
        // The order of ports is Yosys's.
        let proof = Equivalence::new(&netlist, &back).expect("the ports agree").prove(&quiet);
        if netlist.registers().is_empty() {
            assert_eq!(proof.verdict, Verdict::Equal, "{name}");
        } else {
            assert!(behaviour(&netlist) == behaviour(&back), "{name}");
        }
    }
}

#[test]
fn files_of_other_tools() {
    // Without symbols; the output is a constant, an input and the complement of a latch.
    let text = "aag 4 1 2 4 1\n2\n4 8 1\n6 5 6\n1\n2\n5\n5\n8 3 4\n";
    let reading =
        read(text.as_bytes(), Format::Aiger).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(widths(&reading.netlist), [("i0", 1), ("o0", 1), ("o1", 1), ("o2", 1), ("o3", 1)]);
    assert_eq!(registers(&reading.netlist), [("l0", vec![true]), ("l1", vec![false])]);
    assert_eq!(reading.netlist.name(), "test");
    assert_eq!(reading.netlist.gates().count(), 2);
    let free = "1 latches start at any value; they are taken to start at 0; the first is here";
    assert_eq!(warnings(text), [free]);
    let checks = "aag 2 2 0 1 0 1 1 1 1\r\n2\r\n4\r\n2\r\n4\r\n3\r\n2\r\n2\r\n4\r\n5\r\ni0 a\r\ni1 b\r\nb0 bad\r\nj0 fair\r\nc\r\nx";
    let expected = "properties to be checked are no part of a circuit and are passed over";
    assert_eq!(warnings(checks), [expected]);
    let abc = b"aig 1 1 0 0 0 1\n3\ni0 x\nb0 y\nc\n/tmp/inverter\0\nmore";
    let netlist = sound(abc);
    assert_eq!((netlist.name(), widths(&netlist)), ("inverter", vec![("x", 1), ("y", 1)]));
    assert_eq!(netlist.gates().next().expect("a gate").1.lut(), Lut::NOT);
    assert_eq!(sound(b"aig 1 1 0 1 0\n3\ncnname\0").name(), "name");
    let nothing = sound(b"aig 0 0 0 0 0\n");
    assert_eq!(nothing.nodes().len(), 2);
}

/// A header is believed as far as the file bears it out.
#[test]
fn hostile_sizes_take_no_memory() {
    for header in [
        "aig 4294967295 4294967295 0 0 0",
        "aig 18446744073709551615 0 0 0 18446744073709551615",
        "aag 4294967295 1 0 0 0",
        "aag 9999999999 0 0 9999999999 0",
        "aig 99999999999 0 99999999999 0 0",
        "aag 0 0 0 0 0 18446744073709551615 18446744073709551615",
        "aag 18446744073709551616 0 0 0 0",
    ] {
        let error = read(format!("{header}\n").as_bytes(), Format::Aiger).expect_err(header);
        assert_eq!(error.0.len(), 1, "{header}");
    }
}
