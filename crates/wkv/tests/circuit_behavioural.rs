//! The behavioural Verilog, run by Icarus Verilog, against the published circuit's vectors and
//! the integer model. Skipped where `iverilog` is not on the PATH.

mod common;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::golden;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use wkv::WkvSpec;
use wkv::circuit::behavioural::{MODULE, verilog};
use wkv::fixed::{Model, State};

use crate::common::strategies::{decay, raw};

/// What one channel gets, and what it shall give.
struct Channel {
    u: i32,
    w: i32,
    /// Key, value and output of each token.
    tokens: Vec<[i32; 3]>,
}

/// A test bench that starts each channel from the first state and prints every output.
const BENCH: &str = "
module bench;
    reg clk = 0;
    reg start;
    reg [15:0] k, v, u, w;
    wire signed [15:0] out;
    MODULE cell_ (.clk(clk), .k(k), .v(v), .u(u), .w(w), .out(out));
    reg [79:0] rows [0:ROWS - 1];
    integer i;
    initial begin
        $readmemh(\"FILE\", rows);
        for (i = 0; i < ROWS; i = i + 1) begin
            #1 {k, v, u, w} = rows[i][63:0];
            if (rows[i][64]) begin
                cell_.aa = 0;
                cell_.bb = 0;
                cell_.pp = -32768;
            end
            #1 $display(\"%0d\", out);
            #1 clk = 1;
            #1 clk = 0;
        end
        $finish;
    end
endmodule
";

/// Checks the outputs that the behavioural cell of `spec` gives.
fn check(spec: &WkvSpec, channels: &[Channel]) {
    let name = format!("behavioural-{spec}").replace([':', '=', '.'], "-");
    let mut rows = String::new();
    for Channel { u, w, tokens } in channels {
        for (token, [k, v, _]) in tokens.iter().enumerate() {
            let start = u8::from(token == 0);
            let [k, v, u, w] = [k, v, u, w].map(|&raw| raw as u16);
            writeln!(rows, "{start:04x}{k:04x}{v:04x}{u:04x}{w:04x}").expect("memory");
        }
    }
    let count = rows.lines().count();
    let rows = scratch(&format!("{name}.hex"), &rows);
    let bench = BENCH.replace("MODULE", MODULE).replace("ROWS", &count.to_string());
    let bench = bench.replace("FILE", rows.to_str().expect("a plain path"));
    let source = scratch(&format!("{name}.v"), &(verilog(spec) + &bench));
    let compiled = source.with_extension("vvp");
    let source_path = source.to_str().expect("a plain path");
    let compiled_path = compiled.to_str().expect("a plain path");
    run("iverilog", &["-g2001", "-Wall", "-Wno-timescale", "-o", compiled_path, source_path]);
    let printed = run("vvp", &["-n", compiled_path]);
    let mut outputs = printed.lines();
    for (channel, Channel { tokens, .. }) in channels.iter().enumerate() {
        for (token, [_, _, out]) in tokens.iter().enumerate() {
            let printed = outputs.next().expect("an output a token");
            assert_eq!(printed, out.to_string(), "{spec}, channel {channel}, token {token}");
        }
    }
    for file in [rows, source, compiled] {
        std::fs::remove_file(file).expect("the file is there");
    }
}

fn scratch(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("the folder for test files can be written");
    path
}

fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().expect("the program starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("the output is text")
}

fn is_skipped() -> bool {
    let skipped = Command::new("iverilog").arg("-V").output().is_err();
    if skipped {
        println!("skipped: iverilog is not on the PATH");
    }
    skipped
}

#[test]
fn streams_equal_the_published_circuit() {
    if is_skipped() {
        return;
    }
    for stream in golden::streams() {
        let channel = |channel: usize| Channel {
            u: stream.u[channel],
            w: stream.w[channel],
            tokens: (0..stream.tokens())
                .map(|token| [&stream.k, &stream.v, &stream.out].map(|it| it[channel][token]))
                .collect(),
        };
        let channels: Vec<Channel> = (0..stream.channels()).map(channel).collect();
        check(&stream.spec, &channels);
    }
}

#[test]
fn random_streams_equal_the_integer_model() {
    if is_skipped() {
        return;
    }
    for spec in [
        "classic:q8.8:div=exact",
        "classic:q14.2:lut256",
        "classic:q11.5",
        "classic:q10.6:lut4:nointerp",
        "classic:q4.12:lut256:nointerp:div=exact",
        "classic:q2.14:lut4:div=exact",
        "classic:q2.14:lut128",
    ] {
        let spec: WkvSpec = spec.parse().expect(spec);
        let model = Model::new(&spec);
        let mut runner = TestRunner::deterministic();
        let mut draw = |strategy: &dyn Fn() -> proptest::strategy::BoxedStrategy<i32>| {
            strategy().new_tree(&mut runner).expect("numbers can be drawn").current()
        };
        let channels: Vec<Channel> = (0..40)
            .map(|_| {
                let (u, w) = (draw(&|| raw().boxed()), draw(&|| decay().boxed()));
                let mut state = State::start(&spec);
                let tokens = (0..25).map(|_| {
                    let (k, v) = (draw(&|| raw().boxed()), draw(&|| raw().boxed()));
                    let step = model.step(state, k, v, u, w);
                    state = step.next;
                    [k, v, step.out]
                });
                let tokens = tokens.collect();
                Channel { u, w, tokens }
            })
            .collect();
        check(&spec, &channels);
    }
}
