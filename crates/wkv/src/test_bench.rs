//! Self-checking test benches in Verilog-2001 for circuits whose channels take turns.
//!
//! [`pipeline`](crate::circuit::pipeline), [`serial`](crate::circuit::serial) and
//! [`shared`](crate::circuit::shared) have the same ports: tokens come in by `valid` and `ready`, outputs
//! leave by `out_valid` and `out_ready`. A bench loads the constants of every channel, gives the tokens and
//! compares each output with the integer model's. First both sides go at full rate, then they rest at random.
//! Nothing is driven but `x` while no token is offered, so a circuit that looks then is found out.

use std::io::{self, Write};

use morpho::random::Random;

use crate::fixed::{Model, State};
use crate::spec::WkvSpec;

/// Clocks without an output or an accepted token after which a bench gives up.
const PATIENCE: usize = 20_000;

/// Mismatches that a bench prints.
const PRINTED: usize = 10;

/// What comes to a circuit; raw numbers of its spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turns {
    /// `u` and `w` of each channel.
    pub constants: Vec<[i32; 2]>,
    /// The tokens, of the first channel, the second, and so on in turn.
    pub tokens: Vec<Token>,
}

/// A token of one channel; raw numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The key.
    pub k: i32,
    /// The value.
    pub v: i32,
    /// Whether a stream begins with it.
    pub first: bool,
}

impl Turns {
    /// So many tokens of each channel, the same ones each time; no decay is positive. Every fourth turn
    /// is of large numbers, and a stream begins anew now and then.
    pub fn random(channels: usize, turns: usize) -> Turns {
        let mut random = Random::new(1);
        let mut raw = move |bits: u32| i32::from(random.word() as i16 >> (16 - bits));
        let constants = (0..channels).map(|_| [raw(12), -raw(9).abs()]).collect();
        let token = |index: usize| {
            let bits = if (index / channels) % 4 == 3 { 16 } else { 11 };
            Token { k: raw(bits), v: raw(bits), first: index < channels || raw(16) & 31 == 0 }
        };
        Turns { constants, tokens: (0..turns * channels).map(token).collect() }
    }

    /// What the integer model makes of each token.
    ///
    /// # Panics
    /// If there are tokens, and no channels.
    pub fn outputs(&self, spec: &WkvSpec) -> Vec<i32> {
        let model = Model::new(spec);
        let mut states = vec![State::start(spec); self.constants.len()];
        let output = |(index, &Token { k, v, first }): (usize, &Token)| {
            let channel = index % states.len();
            let [u, w] = self.constants[channel];
            let state = if first { State::start(spec) } else { states[channel] };
            let step = model.step(state, k, v, u, w);
            states[channel] = step.next;
            step.out
        };
        self.tokens.iter().enumerate().map(output).collect()
    }

    /// What is offered, as digits: `load`, `first`, then `k` or `u`, then `v` or `w`.
    fn rows(&self) -> impl Iterator<Item = String> {
        let row = |head: u32, [a, b]: [i32; 2]| format!("{head:x}{:04x}{:04x}", a as u16, b as u16);
        let loads = self.constants.iter().map(move |&constants| row(2, constants));
        let token = move |&Token { k, v, first }: &Token| row(u32::from(first), [k, v]);
        loads.chain(self.tokens.iter().map(token))
    }
}

/// Writes a bench for the module `circuit`, a circuit of `spec` with as many channels as `turns` has, in
/// module `<circuit>_tb`. It prints the first outputs that are wrong and `PASS` or `FAIL`, and ends.
///
/// # Errors
/// What `out` reports.
///
/// # Panics
/// If there are no tokens.
pub fn write(circuit: &str, spec: &WkvSpec, turns: &Turns, out: &mut impl Write) -> io::Result<()> {
    let outputs = turns.outputs(spec);
    assert!(!outputs.is_empty(), "a bench without tokens tests nothing");
    let text = BENCH
        .replace("CIRCUIT", circuit)
        .replace("LAST_ROW", &(turns.constants.len() + turns.tokens.len() - 1).to_string())
        .replace("LAST_OUTPUT", &(outputs.len() - 1).to_string())
        .replace("OUTPUTS", &outputs.len().to_string())
        .replace("PATIENCE", &PATIENCE.to_string())
        .replace("PRINTED", &PRINTED.to_string());
    out.write_all(text.as_bytes())?;
    for (index, row) in turns.rows().enumerate() {
        writeln!(out, "        rows[{index}] = 34'h{row};")?;
    }
    for (index, output) in outputs.iter().enumerate() {
        writeln!(out, "        expected[{index}] = 16'h{:04x};", *output as u16)?;
    }
    writeln!(out, "    end\nendmodule")
}

const BENCH: &str = "`timescale 1ns / 1ns
module CIRCUIT_tb;
    reg clk = 1'b0;
    reg offers = 1'b0;
    reg out_ready = 1'b0;
    reg [33:0] rows [0:LAST_ROW];
    reg [15:0] expected [0:LAST_OUTPUT];
    wire ready;
    wire out_valid;
    wire [15:0] out;
    integer sent;
    integer seen;
    integer failures;
    integer quiet;
    integer seed;
    wire [33:0] row = offers ? rows[sent] : 34'hx;
    CIRCUIT circuit (
        .clk(clk),
        .valid(offers),
        .first(row[32]),
        .load(row[33]),
        .k(row[31:16]),
        .v(row[15:0]),
        .out_ready(out_ready),
        .ready(ready),
        .out_valid(out_valid),
        .out(out)
    );
    initial begin
        #1;
        sent = 0;
        seen = 0;
        failures = 0;
        quiet = 0;
        seed = 1;
        while (seen < OUTPUTS && quiet < PATIENCE) begin
            offers = sent <= LAST_ROW && (2 * seen < OUTPUTS || $random(seed) % 4 != 0);
            out_ready = 2 * seen < OUTPUTS || $random(seed) % 4 != 0;
            #1;
            quiet = quiet + 1;
            if (ready === 1'bx || out_valid === 1'bx) begin
                $display(\"FAIL: ready or out_valid is unknown before output %0d\", seen);
                $finish;
            end
            if (out_valid && out_ready) begin
                if (out !== expected[seen]) begin
                    failures = failures + 1;
                    if (failures <= PRINTED)
                        $display(\"output %0d: %h, expected %h\", seen, out, expected[seen]);
                end
                seen = seen + 1;
                quiet = 0;
            end
            if (offers && ready) begin
                quiet = 0;
                #1 clk = 1'b1;
                #1 sent = sent + 1;
            end else begin
                #1 clk = 1'b1;
                #1;
            end
            clk = 1'b0;
        end
        if (seen < OUTPUTS && failures == 0)
            $display(\"FAIL: output %0d of OUTPUTS did not come\", seen);
        else if (failures == 0) $display(\"PASS: OUTPUTS outputs\");
        else $display(\"FAIL: %0d of OUTPUTS outputs\", failures);
        $finish;
    end
    initial begin
";
