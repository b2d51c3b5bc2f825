//! The step over vectors and the cell over streams.

use std::sync::Arc;

use morpho::sim::{Program, Simulator};
use rayon::prelude::*;

use super::random::Random;
use super::{Progress, Tally};
use crate::fixed::{Bank, Model, State, Step};
use crate::spec::WkvSpec;

/// Vectors, or channels, that run together.
const LANES: usize = 4096;

/// Blocks of vectors for the step.
const BLOCKS: usize = 256;

/// Banks of channels for the cell, and the tokens that each of them takes.
const BANKS: usize = 8;
const TOKENS: usize = 512;

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
    let mut random = Random::new(block as u64);
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
fn step_row(random: &mut Random) -> [i32; 7] {
    let [aa, pp, k, v, u] = std::array::from_fn(|_| random.raw());
    let (bb, w) = (random.magnitude(), -random.magnitude());
    match random.next() & 15 {
        0 => [aa, bb, (u + k).clamp(-32768, 32767), k, v, u, w],
        1 => [aa, bb, pp, (pp + w).clamp(-32768, 32767), v, u, w],
        _ => [aa, bb, pp, k, v, u, w],
    }
}

/// The cell on random streams from the start, every channel with constants of its own.
pub(super) fn check_streams<'p>(
    program: Program,
    spec: &WkvSpec,
    progress: Progress<'p>,
) -> Tally<'p> {
    let tally = Tally::new((BANKS * LANES * TOKENS) as u64, progress);
    let program = Arc::new(program);
    (0..BANKS).into_par_iter().for_each(|bank| check_bank(&program, spec, bank, &tally));
    tally
}

fn check_bank(program: &Arc<Program>, spec: &WkvSpec, bank: usize, tally: &Tally) {
    let mut random = Random::new(bank as u64);
    let u: Vec<i32> = (0..LANES).map(|_| random.raw()).collect();
    let w: Vec<i32> = (0..LANES).map(|channel| decay(&mut random, channel)).collect();
    let input = |name: &str| {
        program.input(name).unwrap_or_else(|| panic!("the circuit has no input `{name}`"))
    };
    let out = program.output("out").expect("the circuit has no output `out`");
    let mut model = Bank::from_raw(spec, &u, &w).expect("random raw numbers are in range");
    let mut simulator = Simulator::new(Arc::clone(program), LANES);
    simulator.set(input("u"), &u);
    simulator.set(input("w"), &w);
    let mut expected = vec![0; LANES];
    for token in 0..TOKENS {
        let k: Vec<i32> = (0..LANES).map(|channel| wander(&mut random, channel)).collect();
        let v: Vec<i32> = (0..LANES).map(|channel| wander(&mut random, channel / 2)).collect();
        simulator.set(input("k"), &k);
        simulator.set(input("v"), &v);
        simulator.step().expect("the cell has no asynchronous loops");
        model.run_raw(&k, &v, &mut expected).expect("random raw numbers are in range");
        let position = ((bank * TOKENS + token) * LANES) as u64;
        let got: Vec<i32> = simulator.get(out);
        tally.compare(position, &got, &expected, |channel| {
            format!("out at bank {bank}, channel {channel}, token {token}")
        });
        if !tally.applied(LANES as u64) {
            return;
        }
    }
    check_final_states(program, &simulator, &model, bank, tally);
}

fn check_final_states(
    program: &Program,
    simulator: &Simulator,
    model: &Bank,
    bank: usize,
    tally: &Tally,
) {
    let columns: [Column<State>; 3] =
        [("aa", |state| state.aa), ("bb", |state| state.bb), ("pp", |state| state.pp)];
    for (name, column) in columns {
        let register = program
            .register(name)
            .unwrap_or_else(|| panic!("the circuit has no register `{name}`"));
        let got: Vec<i32> = simulator.get_register(register);
        let expected: Vec<i32> = (0..LANES).map(|channel| column(model.state(channel))).collect();
        tally.compare(((bank + 1) * TOKENS * LANES) as u64 - 1, &got, &expected, |channel| {
            format!("{name} at bank {bank}, channel {channel}, after {TOKENS} tokens")
        });
    }
}

/// A decay: a quarter of the channels forget slowly, the rest at any rate.
fn decay(random: &mut Random, channel: usize) -> i32 {
    match channel % 4 {
        0 => -((random.next() % 8) as i32),
        _ => -random.magnitude(),
    }
}

/// A key or value: near the middle of the range as in a model, or anywhere.
fn wander(random: &mut Random, channel: usize) -> i32 {
    match channel % 4 {
        3 => random.raw(),
        _ => (random.raw() >> 3).clamp(-2048, 2047),
    }
}
