//! Benches for circuits whose channels take turns, run on their Verilog in Icarus Verilog: golden streams and
//! random tokens. Skipped where `iverilog` is not on the PATH.

mod common;

use std::iter::zip;
use std::path::Path;
use std::process::Command;

use common::golden;
use morpho::Netlist;
use morpho::format::{Format, to_string};
use wkv::WkvSpec;
use wkv::circuit::pipeline::{self, Multipliers, Pipeline};
use wkv::circuit::{serial, shared};
use wkv::test_bench::{self, Token, Turns};

/// What Icarus Verilog prints for a text in a file of this name; none without it.
fn icarus(name: &str, text: &str) -> Option<String> {
    if Command::new("iverilog").arg("-V").output().is_err() {
        println!("skipped: iverilog is not on the PATH");
        return None;
    }
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let name = format!("{}-{name}", std::process::id()).replace([':', '=', '.'], "-");
    let [source, compiled] = ["v", "vvp"].map(|end| scratch.join(format!("{name}.{end}")));
    std::fs::write(&source, text).expect("written");
    let mut compiler = Command::new("iverilog");
    let built = compiler.arg("-g2001").arg("-o").args([&compiled, &source]).status();
    assert!(built.expect("it starts").success(), "{text}");
    let printed = Command::new("vvp").arg("-n").arg(&compiled).output().expect("it starts");
    [source, compiled].iter().for_each(|file| std::fs::remove_file(file).expect("there"));
    Some(String::from_utf8(printed.stdout).expect("text"))
}

/// What the bench over `turns` says of a circuit, written as `format`.
fn verdict(netlist: &Netlist, format: Format, spec: &WkvSpec, turns: &Turns) -> Option<String> {
    let mut text = to_string(netlist, format).into_bytes();
    test_bench::write(netlist.name(), spec, turns, &mut text).expect("memory takes all");
    let text = String::from_utf8(text).expect("text");
    icarus(&format!("{}-{format:?}-{spec}", netlist.name()), &text)
}

/// Checks that the bench passes.
fn check(netlist: &Netlist, spec: &WkvSpec, turns: &Turns) {
    for format in [Format::Rtl, Format::Verilog] {
        let Some(printed) = verdict(netlist, format, spec, turns) else { return };
        let passed = format!("PASS: {} outputs\n", turns.tokens.len());
        assert_eq!(printed, passed, "{} of {spec}, {format:?}", netlist.name());
    }
}

/// So many tokens of a golden stream, its channels repeated to this number; and what comes out.
fn golden_turns(stream: &golden::Stream, channels: usize, turns: usize) -> (Turns, Vec<i32>) {
    let of = |channel: usize| channel % stream.channels();
    let order = || (0..turns).flat_map(|t| (0..channels).map(move |c| (t, c)));
    let token = |(t, c)| Token { k: stream.k[of(c)][t], v: stream.v[of(c)][t], first: t == 0 };
    let constants = (0..channels).map(|c| [stream.u[of(c)], stream.w[of(c)]]).collect();
    let outputs = order().map(|(t, c)| stream.out[of(c)][t]).collect();
    (Turns { constants, tokens: order().map(token).collect() }, outputs)
}

fn bank(spec: &WkvSpec, channels: usize, multipliers: Multipliers) -> Netlist {
    pipeline::build(spec, Pipeline::new(channels, multipliers)).expect("a bank")
}

#[test]
fn pipelined_banks_pass_on_golden_streams() {
    let stream = golden::streams().swap_remove(0);
    let (turns, outputs) = golden_turns(&stream, 32, 8);
    assert_eq!(turns.outputs(&stream.spec), outputs);
    for multipliers in [Multipliers::Chains, Multipliers::Dsp] {
        check(&bank(&stream.spec, 32, multipliers), &stream.spec, &turns);
    }
}

/// `cargo test -p wkv --test test_bench -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn banks_of_384_channels_pass_on_golden_streams_of_every_format() {
    for stream in golden::streams() {
        let (turns, outputs) = golden_turns(&stream, 384, 5);
        assert_eq!(turns.outputs(&stream.spec), outputs);
        let bank = bank(&stream.spec, 384, Multipliers::Chains);
        let Some(printed) = verdict(&bank, Format::Rtl, &stream.spec, &turns) else { return };
        assert_eq!(printed, "PASS: 1920 outputs\n", "{}", stream.spec);
    }
}

#[test]
fn serial_and_shared_cells_pass_on_golden_streams() {
    let stream = golden::streams().swap_remove(0);
    let (turns, outputs) = golden_turns(&stream, 3, 8);
    assert_eq!(turns.outputs(&stream.spec), outputs);
    for build in [serial::build, shared::build] {
        check(&build(&stream.spec, 3).expect("a cell"), &stream.spec, &turns);
    }
}

#[test]
fn serial_and_shared_cells_of_other_specs_pass_on_random_tokens() {
    for text in ["classic:q6.10:div=exact", "classic:q4.12:lut128:nointerp"] {
        let spec: WkvSpec = text.parse().expect("a spec");
        for build in [serial::build, shared::build] {
            check(&build(&spec, 3).expect("a cell"), &spec, &Turns::random(3, 15));
        }
    }
}

#[test]
fn a_changed_circuit_fails() {
    let spec: WkvSpec = "classic:q8.8".parse().expect("a spec");
    let turns = Turns::random(3, 8);
    let netlist = serial::build(&spec, 3).expect("a cell");
    let mut other = spec;
    other.exp2 = "classic:q8.8:lut4:nointerp".parse::<WkvSpec>().expect("a spec").exp2;
    let Some(printed) = verdict(&netlist, Format::Rtl, &other, &turns) else { return };
    assert!(printed.contains("FAIL: ") && !printed.contains("PASS"), "{printed}");
    let wrong = zip(turns.outputs(&spec), turns.outputs(&other)).filter(|(a, b)| a != b).count();
    assert!(printed.contains(&format!("FAIL: {wrong} of 24 outputs")), "{printed}");
}

/// A circuit that does nothing is not waited for without end.
#[test]
fn a_circuit_that_stands_still_fails() {
    let spec: WkvSpec = "classic:q8.8".parse().expect("a spec");
    let mut text = String::from(
        "module still (input clk, valid, first, load, input [15:0] k, v, input out_ready,
            output ready, out_valid, output [15:0] out);
        assign ready = 1'b1, out_valid = 1'b0;
        endmodule\n",
    )
    .into_bytes();
    test_bench::write("still", &spec, &Turns::random(1, 2), &mut text).expect("memory takes all");
    let Some(printed) = icarus("still", &String::from_utf8(text).expect("text")) else { return };
    assert_eq!(printed, "FAIL: output 0 of 2 did not come\n");
}
