//! Value change dumps show the right values at the right times.

mod format_common;

use insta::assert_snapshot;
use morpho::format::vcd;
use morpho::{Netlist, Wire};

fn dump(netlist: &Netlist, steps: &[&dyn Fn(Wire) -> bool]) -> String {
    let mut writer = vcd::Writer::new(netlist, Vec::new()).expect("writing to memory succeeds");
    for value in steps {
        writer.step(value).expect("writing to memory succeeds");
    }
    String::from_utf8(writer.finish().expect("writing to memory succeeds")).expect("it is text")
}

#[test]
fn counter_that_pauses_for_a_step() {
    let counter = format_common::counter();
    let enable = counter.inputs()[0].wires[0];
    let step = |enabled: bool, count: usize| {
        let registers = counter.registers();
        move |wire: Wire| match registers[0].bits.iter().find(|bit| bit.output == wire) {
            Some(bit) => count >> bit.index & 1 == 1,
            None => wire == enable && enabled,
        }
    };
    let steps = [step(true, 5), step(false, 6), step(true, 6), step(true, 7)];
    let steps = steps.each_ref().map(|step| step as &dyn Fn(Wire) -> bool);
    assert_snapshot!(dump(&counter, &steps), @r#"
    $timescale 1 ns $end
    $scope module counter $end
    $var wire 1 ! clk $end
    $var wire 1 " enable $end
    $var wire 3 # count [2:0] $end
    $var reg 3 $ count_reg [2:0] $end
    $upscope $end
    $enddefinitions $end
    #0
    0!
    1"
    b101 #
    b101 $
    #10
    1!
    0"
    b110 #
    b110 $
    #15
    0!
    #20
    1!
    1"
    #25
    0!
    #30
    1!
    b111 #
    b111 $
    #35
    0!
    #40
    "#);
}

#[test]
fn lost_bits_are_unknown() {
    assert_snapshot!(dump(&format_common::lost_bits(), &[&|_| true]), @r#"
    $timescale 1 ns $end
    $scope module lost_bits $end
    $var wire 1 ! clk $end
    $var wire 4 " x [3:0] $end
    $var wire 3 # y [2:0] $end
    $var reg 1 $ one [3:3] $end
    $var reg 3 % two [3:1] $end
    $upscope $end
    $enddefinitions $end
    #0
    0!
    b1111 "
    b111 #
    1$
    b1x1 %
    #10
    "#);
}

#[test]
fn a_circuit_without_registers_has_no_clock() {
    let netlist = format_common::named(&["a b", ""], &["y"], &[]);
    let first = netlist.inputs()[0].wires[0];
    assert_snapshot!(dump(&netlist, &[&|_| false, &|wire| wire == first]), @r#"
    $timescale 1 ns $end
    $scope module dut $end
    $var wire 1 ! a_b $end
    $var wire 1 " unnamed $end
    $var wire 1 # y $end
    $upscope $end
    $enddefinitions $end
    #0
    0!
    0"
    0#
    #10
    1!
    #20
    "#);
}

#[test]
fn every_variable_has_its_own_code() {
    let names: Vec<String> = (0..10_000).map(|index| format!("x{index}")).collect();
    let names: Vec<&str> = names.iter().map(|name| &name[..]).collect();
    let text = dump(&format_common::named(&names, &[], &[]), &[]);
    let variables = text.lines().filter(|line| line.starts_with("$var"));
    let mut codes: Vec<&str> =
        variables.map(|line| line.split(' ').nth(3).expect("a code")).collect();
    codes.sort();
    codes.dedup();
    assert_eq!(codes.len(), 10_000);
}
