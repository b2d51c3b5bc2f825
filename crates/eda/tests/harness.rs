//! The harness.

use eda::harness::{Harness, Port, Sides, Style};
use insta::assert_snapshot;

fn port(name: &str, width: usize, input: bool) -> Port {
    Port { name: name.to_owned(), width, input }
}

fn ports() -> Vec<Port> {
    vec![
        port("clk", 1, true),
        port("a", 16, true),
        port("b[0]", 1, true),
        port("y", 9, false),
        port("done", 1, false),
    ]
}

#[test]
fn registers_on_both_sides() {
    let harness = Harness::new("adder", ports(), 100, Sides::Both).expect("it has outputs");
    assert_eq!((harness.style(), harness.inputs(), harness.outputs()), (Style::Parallel, 17, 10));
    assert_snapshot!(harness.verilog());
}

#[test]
fn registers_before_inputs_only() {
    let harness = Harness::new("adder", ports(), 100, Sides::Inputs).expect("it has outputs");
    assert_eq!(harness.output_registers(), 0);
    assert_snapshot!(harness.verilog());
}

#[test]
fn shift_registers_where_pins_are_few() {
    let style = |pins| Harness::new("adder", ports(), pins, Sides::Both).expect("fits").style();
    assert_eq!((style(28), style(27)), (Style::Parallel, Style::Serial));
    let harness = Harness::new("adder", ports(), 4, Sides::Both).expect("it has outputs");
    assert_snapshot!(harness.verilog());
}

#[test]
fn refuses_what_has_no_outputs_or_too_many() {
    let refusal = |ports, pins, sides| {
        Harness::new("m", ports, pins, sides).expect_err("it is refused").to_string()
    };
    let refusals = [
        refusal(vec![port("a", 1, true)], 100, Sides::Both),
        refusal(vec![port("clk", 2, true), port("y", 1, false)], 100, Sides::Both),
        refusal(ports(), 10, Sides::Inputs),
    ];
    assert_snapshot!(refusals.join("\n"));
}
