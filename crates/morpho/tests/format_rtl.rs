//! Verilog with operators: its text, and what Icarus Verilog makes of it.

mod format_common;

use format_common::check_verilog;
use morpho::format::{Format, to_string};
use morpho::library::{self, build};
use morpho::{Builder, Bus, pass};

fn text(name: &str, numbers: &[usize]) -> String {
    let mut netlist = build(name, numbers).expect("it fits");
    pass::optimise(&mut netlist);
    to_string(&netlist, Format::Rtl)
}

#[test]
fn an_adder_is_a_sum() {
    assert!(text("ripple_adder", &[4, 4, 1]).contains(" + "));
}

#[test]
fn a_divider_row_is_written_as_gates() {
    let text = text("divider", &[4, 4]);
    assert!(!text.contains("word"), "{text}");
}

#[test]
fn a_product_is_a_product() {
    assert!(text("wallace_signed_unsigned", &[4, 3]).contains(" * "));
}

#[test]
fn the_library_with_operators_means_what_its_gates_mean() {
    for entry in library::table().iter().filter(|entry| entry.name != "sr_latch") {
        let part = build(entry.name, entry.example).expect("the example fits");
        let mut dut = Builder::build("dut", |n| {
            let inputs: Vec<Bus> =
                part.inputs().iter().map(|port| n.input(&port.name, port.wires.len())).collect();
            let outputs = n.embed(&part, &inputs.iter().collect::<Vec<_>>())?;
            for (port, bus) in std::iter::zip(part.outputs(), outputs) {
                n.output(&port.name, &bus);
            }
            Ok(())
        })
        .expect("the part fits");
        assert_eq!(dut.operators().len(), part.operators().len());
        pass::optimise(&mut dut);
        check_verilog("rtl", &dut, to_string(&dut, Format::Rtl), 7);
    }
}
