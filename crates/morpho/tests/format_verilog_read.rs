//! Verilog as it is read, and the netlists that come of it.

mod common;
mod format_common;
mod format_reading;

use std::fmt::Write;
use std::path::Path;

use common::recipe::{Loops, recipes};
use common::soundness::{assert_well_formed, behaviour};
use format_common::{Noise, adder, any_netlist};
use format_reading::{assert_gates_are_read_back, widths};
use morpho::format::{self, Format, ReadOptions, Reading};
use morpho::prove::{Equivalence, Verdict, quiet};
use morpho::sim::Interpreter;
use morpho::{Diagnostics, Netlist};
use proptest::prelude::*;

fn read(text: &str) -> Result<Reading, Diagnostics> {
    let options = ReadOptions { file: "test.v".into(), top: None };
    format::read(text.as_bytes(), Format::Verilog, &options)
}

#[track_caller]
fn sound(text: &str) -> Netlist {
    format_reading::sound(read(text))
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
    let mut noise = Noise(7);
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
    assert_gates_are_read_back(Format::Verilog, sound);
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

/// A module of random expressions over ports of every kind: `outputs` of them, 1 to 9 bits wide.
fn random_module(seed: u64, outputs: usize) -> String {
    let mut noise = Noise(seed | 1);
    let mut ports = String::from("module dut (clk, a, b, c, d, e");
    let mut body = String::from(
        "input clk; input [3:0] a; input b; input signed [2:0] c; input [0:4] d; input [6:5] e;\n",
    );
    for output in 0..outputs {
        let high = noise.below(9);
        write!(ports, ", y{output}").unwrap();
        writeln!(body, "output [{high}:0] y{output};").unwrap();
        if output % 4 == 3 {
            let start = noise.below(1 << (high + 1).min(3));
            writeln!(body, "reg [{high}:0] r{output} = {start};").unwrap();
            writeln!(body, "always @(posedge clk)").unwrap();
            statement(&mut noise, 3, &format!("r{output}"), high, &mut body);
            writeln!(body, "assign y{output} = r{output};").unwrap();
        } else {
            writeln!(body, "assign y{output} = {};", expression(&mut noise, 4)).unwrap();
        }
    }
    format!("{ports});\n{body}endmodule\n")
}

fn statement(noise: &mut Noise, depth: usize, name: &str, high: usize, text: &mut String) {
    match noise.below(if depth == 0 { 2 } else { 5 }) {
        0 => writeln!(text, "{name} <= {};", expression(noise, 2)).unwrap(),
        1 => {
            let bit = noise.below(high + 1);
            writeln!(text, "{name}[{bit}] <= {};", expression(noise, 2)).unwrap();
        }
        2 => {
            writeln!(text, "begin").unwrap();
            statement(noise, depth - 1, name, high, text);
            statement(noise, depth - 1, name, high, text);
            writeln!(text, "end").unwrap();
        }
        choice => {
            writeln!(text, "if ({})", expression(noise, 2)).unwrap();
            // An `else` must not be taken by an inner `if`.
            writeln!(text, "begin").unwrap();
            statement(noise, depth - 1, name, high, text);
            writeln!(text, "end").unwrap();
            if choice == 3 {
                writeln!(text, "else").unwrap();
                statement(noise, depth - 1, name, high, text);
            }
        }
    }
}

fn expression(noise: &mut Noise, depth: usize) -> String {
    const LEAVES: [&str; 14] = [
        "a", "b", "c", "d", "e", "a[2]", "a[2:1]", "d[1:3]", "d[0]", "e[6]", "4'b1010", "3'sb101",
        "a[1+:2]", "6'h2e",
    ];
    const UNARY: [&str; 9] = ["~", "!", "&", "|", "^", "~&", "~|", "~^", "^~"];
    const BINARY: [&str; 9] = ["&", "|", "^", "~^", "^~", "==", "!=", "&&", "||"];
    let leaf = |noise: &mut Noise| LEAVES[noise.below(LEAVES.len())].to_string();
    if depth == 0 {
        return leaf(noise);
    }
    let inner = |noise: &mut Noise| expression(noise, depth - 1);
    match noise.below(12) {
        0 => leaf(noise),
        1 | 2 => {
            let operator = UNARY[noise.below(UNARY.len())];
            format!("{operator}({})", inner(noise))
        }
        3 => format!("~{}", leaf(noise)),
        4..=6 => {
            let operator = BINARY[noise.below(BINARY.len())];
            format!("({}) {operator} {}", inner(noise), leaf(noise))
        }
        7 => format!("{} ? {} : {}", leaf(noise), inner(noise), inner(noise)),
        8 => format!("{{{}, {}}}", inner(noise), inner(noise)),
        9 => format!("{{{}{{{}}}}}", 1 + noise.below(3), inner(noise)),
        10 => {
            let operator = ["<<", ">>"][noise.below(2)];
            format!("({}) {operator} {}", inner(noise), noise.below(5))
        }
        _ => format!("16'h{:x} >> {{{}, {}}}", noise.below(1 << 16), leaf(noise), leaf(noise)),
    }
}

/// Widths, signs, precedence and the order of assignments are those of Icarus Verilog.
#[test]
fn expressions_mean_what_icarus_makes_of_them() {
    for seed in 0..12 {
        let text = random_module(seed * 77 + 5, 60);
        let netlist = sound(&text);
        assert_eq!(netlist.outputs().len(), 60);
        format_common::check_verilog(&format!("expressions{seed}"), &netlist, text, seed);
    }
}

#[test]
fn depth_costs_no_stack() {
    const DEPTH: usize = 100_000;
    let wrapped = |open: &str, close: &str| {
        let (open, close) = (open.repeat(DEPTH), close.repeat(DEPTH));
        let text = format!(
            "module m (input a, input b, output y);\nassign y = {open}a{close};\nendmodule\n"
        );
        sound(&text)
    };
    for (open, close) in [
        ("(", ")"),
        ("~", ""),
        ("{", "}"),
        ("b ^ (", ")"),
        ("b ? a : ", ""),
        ("", " ^ b"),
        ("(b ? ", " : a)"),
        ("& {2{", "}}"),
    ] {
        wrapped(open, close);
    }
    let statements = |open: &str, inner: &str, close: &str| {
        let (open, close) = (open.repeat(DEPTH), close.repeat(DEPTH));
        let text = format!(
            "module m (input c, input a, input b, output reg y = 0);\n\
             always @(posedge c) {open}{inner}{close}\nendmodule\n"
        );
        sound(&text)
    };
    statements("begin ", "y <= a;", " end");
    statements("if (b) ", "y <= a;", "");
    statements("if (b) y <= a; else ", "y <= b;", "");
    let open = "(".repeat(DEPTH);
    let text = format!("module m (output y); assign y = {open}; endmodule");
    read(&text).expect_err("it is not closed");
}

/// Generates and reads a file of a million gates; run with
/// `cargo test -p morpho --test format_verilog_read million -- --ignored --nocapture`.
#[test]
#[ignore = "takes seconds"]
fn a_million_gates_are_read_in_seconds() {
    const GATES: usize = 1_000_000;
    let mut assigns = String::from("module m (input clk, input [15:0] a, output y);\n");
    let mut cells = assigns.clone();
    let operators = ["&", "|", "^", "& ~", "~^"];
    let kinds = ["$_AND_", "$_OR_", "$_XOR_", "$_ANDNOT_", "$_XNOR_"];
    let mut noise = Noise(3);
    for gate in 0..GATES {
        let mut operand = |from: usize| match gate {
            0..17 => format!("a[{}]", from + noise.below(8)),
            _ => format!("n{}", gate - 1 - from - noise.below(8)),
        };
        let (x, y) = (operand(0), operand(8));
        writeln!(assigns, "  wire n{gate};\n  assign n{gate} = {x} {} {y};", operators[gate % 5])
            .unwrap();
        let kind = kinds[gate % 5];
        writeln!(cells, "  wire n{gate};\n  \\{kind}  g{gate} (\n    .A({x}),\n    .B({y}),\n    .Y(n{gate})\n  );").unwrap();
    }
    for (name, mut text) in [("assignments", assigns), ("cells", cells)] {
        writeln!(text, "  assign y = n{};\nendmodule", GATES - 1).unwrap();
        let start = std::time::Instant::now();
        let reading = read(&text).expect("it is sound");
        println!("{name}: {} bytes in {:?}", text.len(), start.elapsed());
        assert_eq!(reading.netlist.gates().count(), GATES);
    }
}

#[test]
fn constructs_that_are_rare_in_netlists() {
    let text = "`timescale 1ns/1ps\n`default_nettype none\n\
        module m (input wire [3:0] a, input b, c, output y, output wire [3:0] z, w, output reg [1:0] q);\n\
        supply0 gnd; supply1 vdd;\n\
        wire t = a[0] & b, u = ~t;\n\
        wire [3:0] \\odd name ; // the name ends at the space\n\
        endmodule";
    read(text).expect_err("`name` stands where a comma should");
    let text = "module m (input wire [3:0] a, input b, c, output y, output wire [3:0] z, w, output reg [1:0] q);\n\
        supply0 gnd; supply1 vdd; tri t = a[0] & b; wire u = ~t, v;\n\
        and g (y, t, u, b), (v, a[1], /* inside */ vdd);\n\
        nor #(.X(1)) never (y);\n\
        endmodule";
    read(text).expect_err("a gate has no parameters");
    let text = "module m (input wire [3:0] a, input b, c, output y, output wire [3:0] z, w, output reg [1:0] q);\n\
        supply0 gnd; supply1 vdd; tri t = a[0] & b; wire u = ~t, v;\n\
        and g (y, t, u, b), (v, a[1], /* inside */ vdd);\n\
        buf (z[0], z[1], v); not n (z[2], v); xnor (z[3], a[0], a[1], a[2], gnd);\n\
        (* keep *) wire [3:0] \\odd[3] , \\w.x ;\n\
        assign {\\odd[3] [3:2], \\odd[3] [1:0]} = ~a, \\w.x  = \\odd[3] ;\n\
        sub #() s1 (a[3:2], w[1:0]), s2 (.o(w[3:2]), .i(a[1:0]));\n\
        always_ff @(posedge c) begin : named q[1:0] <= {q[0], b}; end\n\
        initial begin q = 2'b01; end\n\
        endmodule\n\
        module sub (i, o); input [1:0] i; output [1:0] o; assign o = {i[0], i[1]}; endmodule\n";
    let netlist = sound(text);
    assert_eq!(widths(&netlist), [("a", 4), ("b", 1), ("y", 1), ("z", 4), ("w", 4), ("q", 2)]);
    let of = |a: u128, b: u128| {
        let mut interpreter = Interpreter::new(&netlist);
        interpreter.set("a", &[a]);
        interpreter.set("b", &[b]);
        interpreter.evaluate().expect("there are no loops");
        ["y", "z", "w", "q"].map(|port| interpreter.get(port, 1)[0])
    };
    assert_eq!(of(0b0110, 1), [0, 0b1011, 0b0110, 1]);
}
