//! Verilog is what it should look like, is legal, and means what the netlist means.

mod format_common;

use format_common::{any_netlist, check_verilog, icarus};
use insta::assert_snapshot;
use morpho::Netlist;
use morpho::format::verilog::keywords;
use morpho::format::{Format, to_string};
use proptest::prelude::*;

fn verilog(netlist: &Netlist) -> String {
    to_string(netlist, Format::Verilog)
}

#[test]
fn full_adder() {
    assert_snapshot!(verilog(&format_common::adder(1)), @r"
    module adder (
        input wire a,
        input wire b,
        input wire carry,
        output wire sum,
        output wire out
    );
        assign sum = a ^ b ^ carry;
        assign out = a & b | a & carry | b & carry;
    endmodule
    ");
}

#[test]
fn counter_whose_register_is_named_as_its_output() {
    assert_snapshot!(verilog(&format_common::counter()), @r"
    module counter (
        input wire clk,
        input wire enable,
        output wire [2:0] count
    );
        reg [2:0] count_reg = 3'b101;
        wire n6 = count_reg[0] ^ enable;
        wire n7 = count_reg[0] & enable;
        wire n8 = count_reg[1] ^ n7;
        wire n9 = count_reg[1] & n7;
        wire n10 = count_reg[2] ^ n9;
        assign count[0] = count_reg[0];
        assign count[1] = count_reg[1];
        assign count[2] = count_reg[2];
        always @(posedge clk) begin
            count_reg[0] <= n6;
            count_reg[1] <= n8;
            count_reg[2] <= n10;
        end
    endmodule
    ");
}

#[test]
fn outputs_tied_to_anything() {
    assert_snapshot!(verilog(&format_common::ties()), @r"
    module ties (
        input wire clk,
        input wire [1:0] x,
        output wire [4:0] y,
        output wire again
    );
        reg held = 1'b1;
        assign y[4] = x[0] & x[1];
        assign y[0] = x[1];
        assign y[1] = held;
        assign y[2] = 1'b0;
        assign y[3] = 1'b1;
        assign again = y[4];
        always @(posedge clk) begin
            held <= 1'b0;
        end
    endmodule
    ");
}

#[test]
fn registers_keep_the_positions_of_their_bits() {
    assert_snapshot!(verilog(&format_common::lost_bits()), @r"
    module lost_bits (
        input wire clk,
        input wire [3:0] x,
        output wire [2:0] y
    );
        reg [3:3] one = 1'b1;
        reg [3:1] two = 3'b0x1;
        assign y[0] = one[3];
        assign y[1] = two[1];
        assign y[2] = two[3];
        always @(posedge clk) begin
            one[3] <= x[3];
            two[1] <= x[1];
            two[3] <= x[3];
        end
    endmodule
    ");
}

#[test]
fn asynchronous_loop() {
    assert_snapshot!(verilog(&format_common::latch()), @r"
    module latch (
        input wire set,
        input wire reset,
        output wire q
    );
        wire n4;
        assign n4 = ~set & ~q;
        assign q = ~reset & ~n4;
    endmodule
    ");
}

#[test]
fn empty_circuit() {
    assert_snapshot!(verilog(&format_common::empty()), @r"
    module unnamed (
    );
    endmodule
    ");
}

const ODD_INPUTS: [&str; 12] =
    ["a", "a[1]", "n4", "clk", "two words", "two_words", "", "reg", "3d", "$x", "x$1", "unnamed"];
const ODD_REGISTERS: [&str; 4] = ["a", "core.a", "logic", "é"];

#[test]
fn names_that_are_illegal_or_taken() {
    let netlist = format_common::named(&ODD_INPUTS, &["a", "unique0"], &ODD_REGISTERS);
    assert_snapshot!(verilog(&netlist), @r"
    module dut (
        input wire clk_2,
        input wire a,
        input wire [0:0] \a[1] ,
        input wire n4,
        input wire clk,
        input wire two_words,
        input wire [0:0] two_words_2,
        input wire unnamed,
        input wire \reg ,
        input wire \3d ,
        input wire \$x ,
        input wire x$1,
        input wire [0:0] unnamed_2,
        output wire a_out,
        output wire \unique0 
    );
        reg a_reg = 1'b1;
        reg \core.a  = 1'b1;
        reg \logic  = 1'b1;
        reg _ = 1'b1;
        wire n_3 = 1'b0 ^ a;
        wire n_5 = n_3 ^ \a[1] [0];
        wire n_7 = n_5 ^ n4;
        wire n_9 = n_7 ^ clk;
        wire n_11 = n_9 ^ two_words;
        wire n_13 = n_11 ^ two_words_2[0];
        wire n_15 = n_13 ^ unnamed;
        wire n_17 = n_15 ^ \reg ;
        wire n_19 = n_17 ^ \3d ;
        wire n_21 = n_19 ^ \$x ;
        wire n_23 = n_21 ^ x$1;
        wire n_25 = n_23 ^ unnamed_2[0];
        wire n_27 = n_25 ^ a_reg;
        wire n_29 = n_27 ^ \core.a ;
        wire n_31 = n_29 ^ \logic ;
        wire n_33 = n_31 ^ _;
        assign a_out = ~n_33;
        assign \unique0  = ~n_33;
        always @(posedge clk_2) begin
            a_reg <= n_25;
            \core.a  <= n_27;
            \logic  <= n_29;
            _ <= n_31;
        end
    endmodule
    ");
}

#[test]
fn the_table_of_reserved_words_is_sorted_and_complete() {
    let words: Vec<&str> = keywords().collect();
    assert!(words.windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!(words.len(), 248);
    let is_word = |word: &&str| word.bytes().all(|b| b.is_ascii_lowercase() || b"_01".contains(&b));
    assert!(words.iter().all(is_word));
}

fn check_meaning(name: &str, netlist: &Netlist, seed: u64) {
    check_verilog(name, netlist, verilog(netlist), seed);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, max_shrink_iters: 50, ..Default::default() })]

    #[test]
    fn means_what_the_netlist_means(netlist in any_netlist(true), seed: u64) {
        prop_assume!(!netlist.outputs().iter().all(|port| port.wires.is_empty()));
        check_meaning("random", &netlist, seed);
    }
}

#[test]
fn odd_names_mean_what_the_netlist_means() {
    let netlist = format_common::named(&ODD_INPUTS, &["a", "unique0"], &ODD_REGISTERS);
    check_meaning("names", &netlist, 1);
}

#[test]
fn every_reserved_word_can_be_the_name_of_a_port() {
    let netlist = format_common::named(&keywords().collect::<Vec<_>>(), &["y"], &[]);
    check_meaning("keywords", &netlist, 1);
}

#[test]
fn icarus_takes_loops_and_the_empty_circuit() {
    icarus("loop", &verilog(&format_common::latch()));
    icarus("empty", &verilog(&format_common::empty()));
}
