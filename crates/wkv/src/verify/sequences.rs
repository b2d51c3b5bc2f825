//! The step over vectors, the cell and banks over streams.

use std::sync::Arc;

use morpho::sim::{Input, Output, Program, RegisterPort, Simulator};
use rayon::prelude::*;

use super::raw_numbers::RawNumbers;
use super::{Progress, Tally};
use crate::fixed::{Bank, Model, State, Step};
use crate::spec::WkvSpec;

/// Vectors, or channels, that run together.
const LANES: usize = 4096;

/// Blocks of vectors for the step.
const BLOCKS: usize = 256;

/// Simulators of [`LANES`] streams for the cell, and the tokens of each stream.
const BANKS: usize = 8;
const TOKENS: usize = 512;

/// Streams for each channel of a bank, and the tokens of each.
const BANK_LANES: usize = 512;
const BANK_TOKENS: usize = 64;

/// A port or register, and what the model says of it.
type Column<T> = (&'static str, fn(T) -> i32);

const STEP_INPUTS: [&str; 7] = ["aa", "bb", "pp", "k", "v", "u", "w"];

/// The step from random states with `bb >= 0`, rails and ties among them.
pub(super) fn check_steps<'p>(
    program: Program,
    spec: &WkvSpec,
    progress: Progress<'p>,
) -> Tally<'p> {
    let tally = Tally::new((BLOCKS * LANES) as u64, progress);
    let (program, model) = (Arc::new(program), Model::new(spec));
    (0..BLOCKS).into_par_iter().for_each(|block| {
        if tally.applied(0) {
            check_step_block(&program, &model, block, &tally);
            tally.applied(LANES as u64);
        }
    });
    tally
}

fn check_step_block(program: &Arc<Program>, model: &Model, block: usize, tally: &Tally) {
    let mut random = RawNumbers::new(block as u64);
    let rows: Vec<[i32; 7]> = (0..LANES).map(|_| step_row(&mut random)).collect();
    let mut simulator = Simulator::new(Arc::clone(program), LANES);
    for (column, name) in STEP_INPUTS.iter().enumerate() {
        let port =
            program.input(name).unwrap_or_else(|| panic!("the circuit has no input `{name}`"));
        let numbers: Vec<i32> = rows.iter().map(|row| row[column]).collect();
        simulator.set(port, &numbers);
    }
    simulator.evaluate().expect("the step has no asynchronous loops");
    let steps: Vec<_> = rows
        .iter()
        .map(|&[aa, bb, pp, k, v, u, w]| model.step(State { aa, bb, pp }, k, v, u, w))
        .collect();
    let columns: [Column<&Step>; 4] = [
        ("out", |step| step.out),
        ("aa_next", |step| step.next.aa),
        ("bb_next", |step| step.next.bb),
        ("pp_next", |step| step.next.pp),
    ];
    for (name, column) in columns {
        let port =
            program.output(name).unwrap_or_else(|| panic!("the circuit has no output `{name}`"));
        let got: Vec<i32> = simulator.get(port);
        let expected: Vec<i32> = steps.iter().map(column).collect();
        tally.compare((block * LANES) as u64, &got, &expected, |case| {
            let inputs = std::iter::zip(STEP_INPUTS, rows[case]);
            let inputs: Vec<String> = inputs.map(|(name, raw)| format!("{name} = {raw}")).collect();
            format!("{name} at {}", inputs.join(", "))
        });
    }
}

/// A state and a token. One in eight ties the exponents of the output or of the update.
fn step_row(random: &mut RawNumbers) -> [i32; 7] {
    let [aa, pp, k, v, u] = std::array::from_fn(|_| random.raw());
    let (bb, w) = (random.magnitude(), -random.magnitude());
    match random.word() & 15 {
        0 => [aa, bb, (u + k).clamp(-32768, 32767), k, v, u, w],
        1 => [aa, bb, pp, (pp + w).clamp(-32768, 32767), v, u, w],
        _ => [aa, bb, pp, k, v, u, w],
    }
}

/// The cell on random streams from the start, every lane a channel with constants of its own.
pub(super) fn check_cell<'p>(
    program: Program,
    spec: &WkvSpec,
    progress: Progress<'p>,
) -> Tally<'p> {
    let tally = Tally::new((BANKS * LANES * TOKENS) as u64, progress);
    let program = Arc::new(program);
    let cell = [Channel::of_cell(&program)];
    (0..BANKS).into_par_iter().for_each(|bank| {
        Streams { program: &program, spec, seed: bank, lanes: LANES, tokens: TOKENS }
            .check(&cell, &tally);
    });
    tally
}

/// A bank on random streams, different ones for each channel and lane.
pub(super) fn check_bank<'p>(
    program: Program,
    spec: &WkvSpec,
    channels: usize,
    progress: Progress<'p>,
) -> Tally<'p> {
    let tally = Tally::new((channels * BANK_LANES * BANK_TOKENS) as u64, progress);
    let program = Arc::new(program);
    let channels: Vec<Channel> = (0..channels).map(|c| Channel::of_bank(&program, c)).collect();
    Streams { program: &program, spec, seed: 0, lanes: BANK_LANES, tokens: BANK_TOKENS }
        .check(&channels, &tally);
    tally
}

/// The ports and registers of one channel of a circuit.
struct Channel {
    name: String,
    k: Input,
    v: Input,
    u: Input,
    w: Input,
    out: Output,
    state: [RegisterPort; 3],
}

impl Channel {
    fn of_cell(program: &Program) -> Channel {
        Channel::named(program, String::new(), String::new())
    }

    fn of_bank(program: &Program, channel: usize) -> Channel {
        Channel::named(program, channel.to_string(), format!("channel{channel}."))
    }

    fn named(program: &Program, suffix: String, prefix: String) -> Channel {
        let input = |name: &str| {
            let name = format!("{name}{suffix}");
            program.input(&name).unwrap_or_else(|| panic!("the circuit has no input `{name}`"))
        };
        let register = |name: &str| {
            let name = format!("{prefix}{name}");
            program.register(&name).unwrap_or_else(|| panic!("there is no register `{name}`"))
        };
        let out = format!("out{suffix}");
        Channel {
            k: input("k"),
            v: input("v"),
            u: input("u"),
            w: input("w"),
            out: program.output(&out).unwrap_or_else(|| panic!("there is no output `{out}`")),
            state: ["aa", "bb", "pp"].map(register),
            name: out,
        }
    }
}

/// Random streams for the channels of a circuit, on every lane.
struct Streams<'a> {
    program: &'a Arc<Program>,
    spec: &'a WkvSpec,
    seed: usize,
    lanes: usize,
    tokens: usize,
}

impl Streams<'_> {
    fn check(&self, channels: &[Channel], tally: &Tally) {
        let Streams { lanes, tokens, seed, .. } = *self;
        let mut random = RawNumbers::new(seed as u64);
        let mut simulator = Simulator::new(Arc::clone(self.program), lanes);
        let mut models: Vec<Bank> = channels
            .iter()
            .map(|channel| self.start(channel, &mut random, &mut simulator))
            .collect();
        let mut inputs = vec![(Vec::new(), Vec::new()); channels.len()];
        let mut expected = vec![0; lanes];
        for token in 0..tokens {
            for (channel, (k, v)) in std::iter::zip(channels, &mut inputs) {
                *k = (0..lanes).map(|lane| wander(&mut random, lane)).collect();
                *v = (0..lanes).map(|lane| wander(&mut random, lane / 2)).collect();
                simulator.set(channel.k, k);
                simulator.set(channel.v, v);
            }
            simulator.step().expect("the circuit has no asynchronous loops");
            let position = ((seed * tokens + token) * lanes) as u64;
            for ((channel, model), (k, v)) in std::iter::zip(channels, &mut models).zip(&inputs) {
                model.run_raw(k, v, &mut expected).expect("random raw numbers are in range");
                let got: Vec<i32> = simulator.get(channel.out);
                tally.compare(position, &got, &expected, |lane| {
                    format!("{} at stream {seed}.{lane}, token {token}", channel.name)
                });
            }
            if !tally.applied((channels.len() * lanes) as u64) {
                return;
            }
        }
        for (channel, model) in std::iter::zip(channels, &models) {
            self.check_state(channel, &simulator, model, tally);
        }
    }

    /// Gives a channel constants on every lane, and the model that has the same.
    fn start(&self, channel: &Channel, random: &mut RawNumbers, simulator: &mut Simulator) -> Bank {
        let u: Vec<i32> = (0..self.lanes).map(|_| random.raw()).collect();
        let w: Vec<i32> = (0..self.lanes).map(|lane| decay(random, lane)).collect();
        simulator.set(channel.u, &u);
        simulator.set(channel.w, &w);
        Bank::from_raw(self.spec, &u, &w).expect("random raw numbers are in range")
    }

    fn check_state(&self, channel: &Channel, simulator: &Simulator, model: &Bank, tally: &Tally) {
        let Streams { lanes, tokens, seed, .. } = *self;
        let columns: [Column<State>; 3] =
            [("aa", |state| state.aa), ("bb", |state| state.bb), ("pp", |state| state.pp)];
        for ((name, column), register) in std::iter::zip(columns, channel.state) {
            let got: Vec<i32> = simulator.get_register(register);
            let expected: Vec<i32> = (0..lanes).map(|lane| column(model.state(lane))).collect();
            let position = ((seed + 1) * tokens * lanes) as u64 - 1;
            tally.compare(position, &got, &expected, |lane| {
                format!("{name} behind {} at stream {seed}.{lane}, at the end", channel.name)
            });
        }
    }
}

/// A decay: a quarter of the lanes forget slowly, the rest at any rate.
pub(super) fn decay(random: &mut RawNumbers, lane: usize) -> i32 {
    match lane % 4 {
        0 => -((random.word() % 8) as i32),
        _ => -random.magnitude(),
    }
}

/// A key or value: near the middle of the range as in a model, or anywhere.
pub(super) fn wander(random: &mut RawNumbers, lane: usize) -> i32 {
    match lane % 4 {
        3 => random.raw(),
        _ => (random.raw() >> 3).clamp(-2048, 2047),
    }
}
