//! The JSON of Yosys as it is written and read.

mod common;
mod format_common;
mod format_reading;
mod format_tools;

use common::recipe::{Loops, recipes};
use common::soundness::behaviour;
use format_common::{
    Scratch, adder, any_netlist, counter, latch, lost_bits, named, simulate, ties,
};
use format_reading::{assert_equal, widths};
use format_tools::yosys;
use morpho::format::{self, Format, ReadOptions, Reading};
use morpho::memory::{ReadPort, WritePort};
use morpho::{Builder, Bus, Diagnostics, Netlist};
use proptest::prelude::*;

fn read_as(text: &str, format: Format) -> Result<Reading, Diagnostics> {
    let options = ReadOptions { file: "test.json".into(), top: None };
    format::read(text.as_bytes(), format, &options)
}

#[track_caller]
fn sound(text: &str) -> Netlist {
    format_reading::sound(read_as(text, Format::YosysJson))
}

#[track_caller]
fn warnings(text: &str) -> Vec<String> {
    format_reading::warnings(read_as(text, Format::YosysJson))
}

fn problems(text: &str) -> String {
    read_as(text, Format::YosysJson).expect_err("it is refused").to_string()
}

fn written(netlist: &Netlist) -> String {
    format::to_string(netlist, Format::YosysJson)
}

/// The name of each register, with the positions and initial values of its bits.
fn registers(netlist: &Netlist) -> Vec<(&str, Vec<(usize, bool)>)> {
    let bits = |register: &morpho::Register| {
        register.bits.iter().map(|bit| (bit.index, bit.initial)).collect()
    };
    netlist.registers().iter().map(|register| (&register.name[..], bits(register))).collect()
}

#[test]
fn what_was_written_is_read_back() {
    let bits = named(&["x_0", "x[7]"], &["y_0"], &["r_0", "r_1", "s_0"]);
    for netlist in [adder(16), counter(), ties(), lost_bits(), bits] {
        let back = sound(&written(&netlist));
        assert_eq!(widths(&back), widths(&netlist));
        assert_eq!(registers(&back), registers(&netlist));
        assert_eq!(back.name(), netlist.name());
        assert_eq!(back.gates().count(), netlist.gates().count(), "{}", netlist.name());
        assert_equal(&netlist, &back);
    }
    insta::assert_snapshot!(written(&counter()));
}

proptest! {
    #[test]
    fn random_circuits_are_read_back(recipe in recipes(Loops::None)) {
        let netlist = recipe.build();
        let back = sound(&written(&netlist));
        if widths(&back) == widths(&netlist) {
            assert!(behaviour(&netlist) == behaviour(&back));
        }
    }

    #[test]
    fn names_that_collide_are_read_back(netlist in any_netlist(true)) {
        sound(&written(&netlist));
    }
}

#[test]
fn loops_are_written_and_not_read() {
    let text = problems(&written(&latch()));
    assert!(text.starts_with("a cycle crosses no register"), "{text}");
}

#[test]
fn yosys_reads_what_is_written() {
    let names = ["a b", "$x", "\\y", "clk", "q\u{fc}", "\"z\""];
    // Yosys tells no bus of one wire from a wire, so no name ends in a number here.
    let named = named(&names[..4], &names[3..], &["r", "$x", "clk"]);
    for netlist in [adder(16), counter(), ties(), lost_bits(), named] {
        let name = netlist.name();
        let json = Scratch::new(&format!("{name}.json"), &written(&netlist));
        let back = Scratch::new(&format!("{name}_back.json"), "");
        let commands = [
            format!("read_json {}", json.path()),
            "check -assert".to_string(),
            "simplemap".to_string(),
            format!("write_json {}", back.path()),
        ];
        if !yosys(&commands) {
            return;
        }
        let text = std::fs::read_to_string(back.path()).expect("Yosys wrote it");
        let back = sound(&text);
        let ours = sound(&written(&netlist));
        assert_eq!(registers(&back), registers(&ours), "{text}");
        assert_equal(&ours, &back);
    }
}

/// One module with every cell that words become, and what Yosys makes of it in gates.
const WORDS: &str = "
module leaf(input [5:2] i, input c, output reg [0:3] o, output p);
    initial o = 4'b1x01;
    always @(posedge c) o <= i;
    assign p = o[0];
endmodule
module top(input clk, input en, input rst, input [3:0] a, input signed [4:0] b, input signed [2:0] c,
           input [1:0] s, output [3:0] logic_, output [5:0] reduced, output [7:0] ordered,
           output signed [7:0] sum, output [7:0] difference, output [7:0] negated, output [4:0] same,
           output [3:0] chosen, output reg [2:0] q, output reg [3:0] r, output reg [1:0] e,
           output reg [2:0] t, output [3:0] of_leaf, output reg [2:0] cased, output pass);
    always @* case (a) 1: cased = s; 2: cased = c; 7: cased = b; default: cased = q; endcase
    assign logic_ = {a && s, a || s, !a, a[0] ? s[1] : s[0]};
    assign reduced = {&a, |a, ^a, ~^a, !a, ~(&b)};
    assign ordered = {a < s, a <= s, b < c, b <= c, a > s, a >= s, b > c, b >= c};
    assign sum = b + c;
    assign difference = a - s;
    assign negated = -c;
    assign same = {a == s, a != s, b == c, b != c, a === {s, s}};
    assign chosen = s == 0 ? a & {4{en}} : s == 1 ? a | b[3:0] : s == 2 ? a ^ ~b[4:1] : a ~^ {c, rst};
    initial q = 5;
    initial t = 3'b011;
    always @(posedge clk) q <= q + a;
    always @(posedge clk) if (rst) r <= 9; else if (en) r <= a;
    always @(posedge clk) if (!en) e <= s;
    always @(posedge clk) if (!rst) t <= 6; else t <= c;
    wire [3:0] shown;
    leaf first(.i(a), .c(clk), .o(shown), .p(pass));
    leaf second(.i(shown), .c(clk), .o(of_leaf), .p());
endmodule";

#[test]
fn cells_of_yosys_do_what_its_gates_do() {
    let source = Scratch::new("words.v", WORDS);
    // The value of what has none is 0 here, and anything there.
    let front =
        format!("read_verilog {}; hierarchy -top top; proc; setundef -init -zero", source.path());
    let words = "opt_dff; opt_clean".to_string();
    let flat = "flatten; techmap; opt_clean".to_string();
    let stages: [&[String]; 5] = [
        std::slice::from_ref(&words),
        &[words.clone(), "simplemap".to_string()],
        &["techmap; opt; dfflegalize -cell $_DFF_P_ 01; opt_clean".to_string()],
        &["techmap; opt; abc -g cmos,MUX,NMUX; opt_clean".to_string()],
        &["techmap; opt; abc -lut 6; opt_clean".to_string()],
    ];
    let blif = Scratch::new("words.blif", "");
    let blif_commands = [
        front.clone(),
        flat.clone(),
        "dfflegalize -cell $_DFF_P_ 01".to_string(),
        format!("write_blif {}", blif.path()),
    ];
    if !yosys(&blif_commands) {
        return;
    }
    let text = std::fs::read_to_string(blif.path()).expect("Yosys wrote it");
    let gates =
        read_as(&text, Format::Blif).unwrap_or_else(|problems| panic!("{problems}")).netlist;
    let mut seen = std::collections::BTreeSet::new();
    for (at, stage) in stages.into_iter().enumerate() {
        let json = Scratch::new(&format!("words_{at}.json"), "");
        let write = format!("write_json {}", json.path());
        assert!(yosys(&[std::slice::from_ref(&front), stage, &[write]].concat()));
        let text = std::fs::read_to_string(json.path()).expect("Yosys wrote it");
        let types = text.lines().filter_map(|line| line.trim().strip_prefix("\"type\": \""));
        seen.extend(types.map(|kind| kind.trim_end_matches("\",").to_string()));
        let netlist = sound(&text);
        assert_eq!(widths(&netlist), widths(&gates), "stage {at}");
        assert!(behaviour(&netlist) == behaviour(&gates), "stage {at}");
    }
    for kind in ["$pmux", "$eqx", "$sdffe", "$_SDFFE_PP0P_", "$_DFFE_PN_", "$lut", "leaf"] {
        assert!(seen.contains(kind), "no {kind} among {seen:?}");
    }
}

#[test]
fn cells_of_the_ice40_do_what_they_were_made_from() {
    let source = Scratch::new("ice40.v", WORDS);
    let json = Scratch::new("ice40.json", "");
    let blif = Scratch::new("ice40.blif", "");
    let front =
        format!("read_verilog {}; hierarchy -top top; proc; setundef -init -zero", source.path());
    let gates = format!(
        "flatten; techmap; dfflegalize -cell $_DFF_P_ 01; opt_clean; write_blif {}",
        blif.path()
    );
    if !yosys(&[front.clone(), gates]) {
        return;
    }
    let ice40 = format!("synth_ice40 -top top -json {}", json.path());
    assert!(yosys(&[front, ice40]));
    let [json, blif] =
        [&json, &blif].map(|file| std::fs::read_to_string(file.path()).expect("Yosys wrote it"));
    assert!(json.contains("SB_CARRY") && json.contains("SB_DFFESR"));
    let gates =
        read_as(&blif, Format::Blif).unwrap_or_else(|problems| panic!("{problems}")).netlist;
    assert!(behaviour(&sound(&json)) == behaviour(&gates));
}

/// The outputs `y` of one cell for each number at its pins, which are given with their widths, the
/// first one lowest.
fn table_of(kind: &str, parameters: &str, pins: &[(&str, usize)], width: usize) -> Vec<u128> {
    let mut net = 2;
    let mut bits = |width: usize| {
        let bits: Vec<String> = (net..net + width).map(|bit| bit.to_string()).collect();
        net += width;
        bits.join(", ")
    };
    let inputs: Vec<(&str, String)> = pins.iter().map(|&(pin, width)| (pin, bits(width))).collect();
    let all: Vec<&str> = inputs.iter().map(|(_, bits)| &bits[..]).collect();
    let (all, y) = (all.join(", "), bits(width));
    let connected: String =
        inputs.iter().map(|(pin, bits)| format!("\"{pin}\": [{bits}], ")).collect();
    let text = format!(
        "{{\"modules\": {{\"m\": {{\"ports\": {{\"a\": {{\"direction\": \"input\", \"bits\": [{all}]}}, \
         \"y\": {{\"direction\": \"output\", \"bits\": [{y}]}}}}, \"cells\": {{\"c\": {{\"type\": \"{kind}\", \
         \"parameters\": {{{parameters}}}, \"connections\": {{{connected}\"Y\": [{y}]}}}}}}}}}}}}"
    );
    let netlist = sound(&text);
    let numbers: Vec<u128> = (0..1 << netlist.inputs()[0].wires.len()).collect();
    let mut interpreter = morpho::sim::Interpreter::new(&netlist);
    let mut outputs = |numbers: &[u128]| {
        interpreter.set("a", numbers);
        interpreter.evaluate().expect("there are no loops");
        interpreter.get("y", numbers.len())
    };
    numbers.chunks(64).flat_map(&mut outputs).collect()
}

#[test]
fn choices_take_what_their_selects_say() {
    let letters = ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P"];
    let selects = ["S", "T", "U", "V"];
    for (kind, bits) in [("$_MUX4_", 2), ("$_MUX8_", 3), ("$_MUX16_", 4)] {
        let count = 1 << bits;
        let pins: Vec<(&str, usize)> =
            letters[..count].iter().chain(&selects[..bits]).map(|&pin| (pin, 1)).collect();
        let expected = (0..1u128 << (count + bits)).map(|row| row >> (row >> count) & 1);
        assert!(table_of(kind, "", &pins, 1).into_iter().eq(expected), "{kind}");
    }
    let bmux = table_of("$bmux", "", &[("A", 8), ("S", 2)], 2);
    let expected = (0..1u128 << 10).map(|row| (row & 255) >> (2 * (row >> 8)) & 3);
    assert!(bmux.into_iter().eq(expected));
    let bwmux = table_of("$bwmux", "", &[("A", 3), ("B", 3), ("S", 3)], 3);
    let expected = (0..1u128 << 9).map(|row| {
        let (a, b, s) = (row & 7, row >> 3 & 7, row >> 6);
        a & !s | b & s
    });
    assert!(bwmux.into_iter().eq(expected));
    let pmux = table_of("$pmux", "", &[("A", 2), ("B", 4), ("S", 2)], 2);
    for (row, y) in (0u128..).zip(pmux) {
        let expected = match row >> 6 {
            0 => row & 3,
            1 => row >> 2 & 3,
            2 => row >> 4 & 3,
            _ => continue,
        };
        assert_eq!(y, expected, "{row:b}");
    }
}

#[test]
fn wide_tables_become_several_gates() {
    let rows: u128 = 0x9b1e_55aa_0f3c_7781_2468_ace0_1357_9bdf;
    let parameters = format!("\"LUT\": \"{rows:0128b}\", \"WIDTH\": 7");
    let expected = (0..128).map(|row| rows >> row & 1);
    assert!(table_of("$lut", &parameters, &[("A", 7)], 1).into_iter().eq(expected));
}

#[test]
fn memories_are_written() {
    let words: Vec<u128> = (0..16).map(|x| x * x).collect();
    let netlist = Builder::build("memory", |n| {
        let (address, data, enable) =
            (n.input("address", 4), n.input("data", 8), n.input("enable", 1));
        let write = WritePort { enable: enable.clone(), address: address.clone(), data };
        let reads = [
            ReadPort { enable: Bus::one(), address: address.clone() },
            ReadPort { enable, address },
        ];
        let data = n.memory("table", 8, &words, &write, &reads)?;
        n.output("y", &data[0]);
        n.output("z", &data[1]);
        let rom = [ReadPort { enable: Bus::one(), address: n.input("x", 4) }];
        let data = n.memory("rom", 8, &words, &WritePort::never(4, 8), &rom)?;
        n.output("w", &data[0]);
        Ok(())
    })
    .expect("the circuit is sound");
    let text = written(&netlist);
    let back = sound(&text);
    assert_eq!(back.memories().len(), 2);
    assert_eq!(simulate(&netlist, 4, 50, 1), simulate(&back, 4, 50, 1));
    let transparent =
        text.replace("\"RD_TRANSPARENCY_MASK\": \"0", "\"RD_TRANSPARENCY_MASK\": \"1");
    let refused = problems(&transparent);
    assert!(refused.contains("the memory `$mem_v2` is not read"), "{refused}");
    let file = Scratch::new("memory.json", &text);
    let verilog = Scratch::new("memory.v", &format::to_string(&netlist, Format::Verilog));
    let commands = [
        format!("read_json {}", file.path()),
        "rename memory gate; check -assert".to_string(),
        format!("read_verilog {}", verilog.path()),
        "rename memory gold; proc; memory -nomap; memory_map; opt_clean".to_string(),
        "cd gate; memory_map; cd ..; async2sync; equiv_make gold gate equiv; cd equiv".to_string(),
        "opt_clean; equiv_simple -undef; equiv_induct -undef; equiv_status -assert".to_string(),
    ];
    yosys(&commands);
}

#[test]
fn hierarchies_constants_and_unknown_values() {
    let text = r#"{"modules": {
      "inv": {"ports": {"i": {"direction": "input", "bits": [9, 8], "upto": 1, "offset": 4},
                        "o": {"direction": "output", "bits": [7, "1", 8]}},
              "cells": {"not": {"type": "$_NOT_", "connections": {"A": [9], "Y": [7]}}}},
      "box": {"attributes": {"blackbox": 1}, "ports": {}},
      "main": {"attributes": {"top": 1},
        "ports": {"a": {"direction": "input", "bits": [2, 3]},
                  "y": {"direction": "output", "bits": [4, 5, 6, "0", 2, "x"]}},
        "cells": {"u": {"type": "inv", "connections": {"i": [2, "1"], "o": [4, 5, 6]}},
                  "s": {"type": "$scopeinfo", "connections": {}}},
        "netnames": {}}}}"#;
    let netlist = sound(text);
    assert_eq!(widths(&netlist), [("a", 2), ("y", 6)]);
    assert_eq!(netlist.name(), "main");
    assert_eq!(warnings(text), ["1 bits are x or z; they are taken for 0; the first is here"]);
    let path = netlist.gates().map(|(_, gate)| netlist.hierarchy().path(gate.origin()));
    assert_eq!(path.collect::<Vec<_>>(), ["inv:2"]);
}

/// The clock was named by a net inside the circuit, which is no port of it.
#[test]
fn the_clock_has_the_name_of_its_port() {
    let text = r#"{"modules": {"m": {
        "ports": {"clk": {"direction": "input", "bits": [2]}, "d": {"direction": "input", "bits": [3]},
                  "q": {"direction": "output", "bits": [4]}},
        "cells": {"f": {"type": "$_DFF_P_", "connections": {"C": [2], "D": [3], "Q": [4]}}},
        "netnames": {"u.clk": {"bits": [2]}, "u.d": {"bits": [3]}, "clk": {"bits": [2]}}}}}"#;
    let reading = read_as(text, Format::YosysJson).expect("it is read");
    assert_eq!(reading.clock.as_deref(), Some("clk"));
}
