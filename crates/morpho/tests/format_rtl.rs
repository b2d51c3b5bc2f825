//! Verilog with operators: its text, and what Icarus Verilog makes of it.

mod format_common;

use morpho::format::{Format, to_string};
use morpho::library::{self, build};
use morpho::{Netlist, pass};
use proptest::prelude::*;

fn text(name: &str, numbers: &[usize]) -> String {
    let mut netlist = build(name, numbers).expect("it fits");
    pass::optimise(&mut netlist);
    to_string(&netlist, Format::Rtl)
}

#[test]
fn an_adder_is_a_sum() {
    insta::assert_snapshot!(text("ripple_adder", &[4, 4, 1]));
}

#[test]
fn a_divider_row_is_written_as_gates() {
    let text = text("divider", &[4, 4]);
    assert!(!text.contains("word"), "{text}");
}

#[test]
fn a_product_is_a_product() {
    insta::assert_snapshot!(text("wallace_signed_unsigned", &[4, 3]));
}
