//! The serial cell, and the bank with a divider beside it, against the golden streams and the integer model, with gaps on both sides; its
//! Verilog in Icarus Verilog, skipped where `iverilog` is not on the PATH.

mod common;

use std::iter::zip;
use std::path::Path;
use std::process::Command;

use common::turns::{self, GAPS, model};
use common::{golden, strategies};
use morpho::format::{Format, to_string};
use morpho::{Diagnostics, Netlist};
use proptest::prelude::*;
use wkv::WkvSpec;
use wkv::circuit::{serial, shared};

/// How a circuit is built, and how many clocks its step takes.
type Form = (fn(&WkvSpec, usize) -> Result<Netlist, Diagnostics>, fn(&WkvSpec) -> usize);

const FORMS: [Form; 2] = [(serial::build, serial::clocks), (shared::build, shared::clocks)];

/// As [`turns::run`].
fn run(
    (build, clocks): Form,
    spec: &WkvSpec,
    uw: &[(i32, i32)],
    tokens: &[(i32, i32, bool)],
    gaps: [u64; 2],
) -> (Vec<i32>, Vec<usize>) {
    let netlist = build(spec, uw.len()).expect("a cell");
    let most = (clocks(spec) + 100) * (tokens.len() + uw.len());
    turns::run(&netlist, most, uw, tokens, gaps)
}

#[test]
fn streams_equal_the_published_circuit_whatever_the_gaps() {
    let stream = golden::streams().swap_remove(0);
    let channels = stream.channels();
    let uw: Vec<(i32, i32)> = zip(stream.u.clone(), stream.w.clone()).collect();
    let order = || (0..stream.tokens().min(30)).flat_map(|t| (0..channels).map(move |c| (t, c)));
    let tokens: Vec<_> = order().map(|(t, c)| (stream.k[c][t], stream.v[c][t], t == 0)).collect();
    let expected: Vec<i32> = order().map(|(t, c)| stream.out[c][t]).collect();
    for (form, gaps) in FORMS.into_iter().flat_map(|form| GAPS.map(|gaps| (form, gaps))) {
        let (outs, _) = run(form, &stream.spec, &uw, &tokens, gaps);
        assert!(outs == expected, "gaps {gaps:?}");
    }
}

#[test]
fn a_step_takes_the_clocks_it_says() {
    for text in ["classic:q8.8", "classic:q2.14:lut4", "classic:q14.2:lut256:div=exact"] {
        let spec: WkvSpec = text.parse().expect("a spec");
        let tokens: Vec<_> = (0..6).map(|i| (i * 50, i * 99, false)).collect();
        for form in FORMS {
            let (outs, came) = run(form, &spec, &[(3, -5)], &tokens, [0, 0]);
            assert_eq!(outs, model(&spec, &[(3, -5)], &tokens));
            let clocks = form.1(&spec);
            assert!(came.windows(2).all(|pair| pair[1] - pair[0] == clocks), "{text} {came:?}");
        }
    }
}

#[test]
fn no_channel_is_refused() {
    let spec: WkvSpec = "classic:q8.8".parse().expect("a spec");
    let refused = serial::build(&spec, 0).expect_err("it is refused").to_string();
    assert!(refused.contains("no channels"), "{refused}");
}

/// Offers rows `load first k v` and prints the outputs; both sides rest now and then.
const BENCH: &str = "
module bench;
    reg clk = 0, offers = 0, out_ready = 0;
    reg [33:0] rows [0:ROWS - 1];
    integer sent = 0, shown = 0;
    wire [33:0] row = offers ? rows[sent] : 34'hx;
    wire ready, out_valid;
    wire signed [15:0] out;
    MODULE cell_ (.clk(clk), .valid(offers), .first(row[32]), .load(row[33]), .k(row[31:16]),
        .v(row[15:0]), .out_ready(out_ready), .ready(ready), .out_valid(out_valid), .out(out));
    initial begin
        $readmemh(\"FILE\", rows);
        while (shown < OUTPUTS) begin
            #1 if (out_valid && out_ready) begin
                $display(\"%0d\", out);
                shown = shown + 1;
            end
            if (offers && ready) sent <= #1 sent + 1;
            #1 clk = 1;
            #1 clk = 0;
            offers = sent < ROWS && $random % 3 != 0;
            out_ready = $random % 3 != 0;
        end
        $finish;
    end
endmodule
";

#[test]
fn its_verilog_gives_the_same_outputs() {
    if Command::new("iverilog").arg("-V").output().is_err() {
        println!("skipped: iverilog is not on the PATH");
        return;
    }
    let uw = [(10, -30), (-500, -1), (0, 0)];
    let tokens: Vec<_> =
        (0..45).map(|i| (i * 71 % 900 - 450, i * 1234 % 9000 - 4500, i / 3 % 7 == 0)).collect();
    for (text, form) in [
        ("classic:q8.8", FORMS[0]),
        ("classic:q6.10:div=exact", FORMS[0]),
        ("classic:q4.12:lut128:nointerp", FORMS[0]),
    ] {
        let spec: WkvSpec = text.parse().expect("a spec");
        let netlist = form.0(&spec, uw.len()).expect("a cell");
        let row = |head: u64, [k, v]: [i32; 2]| {
            format!("{:09x}\n", head << 32 | u64::from(k as u16) << 16 | u64::from(v as u16))
        };
        let loads = uw.iter().map(|&(u, w)| row(2, [u, w]));
        let given = tokens.iter().map(|&(k, v, first)| row(u64::from(first), [k, v]));
        let rows: String = loads.chain(given).collect();
        let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let name = format!("serial-{text}").replace([':', '=', '.'], "-");
        let [hex, source, compiled] =
            ["hex", "v", "vvp"].map(|end| scratch.join(format!("{name}.{end}")));
        let bench = BENCH
            .replace("MODULE", netlist.name())
            .replace("ROWS", &rows.lines().count().to_string())
            .replace("OUTPUTS", &tokens.len().to_string())
            .replace("FILE", hex.to_str().expect("a plain path"));
        std::fs::write(&hex, rows).expect("written");
        std::fs::write(&source, to_string(&netlist, Format::Rtl) + &bench).expect("written");
        let mut compiler = Command::new("iverilog");
        let built = compiler.arg("-g2001").arg("-o").args([&compiled, &source]).status();
        assert!(built.expect("it starts").success());
        let printed = Command::new("vvp").arg("-n").arg(&compiled).output().expect("it starts");
        let printed = String::from_utf8(printed.stdout).expect("text");
        let outs: Vec<i32> = printed.lines().map(|line| line.parse().unwrap_or(i32::MAX)).collect();
        assert_eq!(outs, model(&spec, &uw, &tokens), "{text}");
        [hex, source, compiled].iter().for_each(|file| std::fs::remove_file(file).expect("there"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_spec_equals_its_model(
        spec in strategies::spec(),
        uw in prop::collection::vec((strategies::raw(), strategies::decay()), 1..4),
        tokens in prop::collection::vec(
            (strategies::raw(), strategies::raw(), prop::bool::weighted(0.1)), 1..40),
    ) {
        for form in FORMS {
            prop_assert_eq!(run(form, &spec, &uw, &tokens, [0, 0]).0, model(&spec, &uw, &tokens));
        }
    }
}
