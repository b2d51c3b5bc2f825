//! Circuits that take the tokens of their channels in turn, over streams.

use std::sync::Arc;

use morpho::sim::{Program, Simulator};

use super::raw_numbers::RawNumbers;
use super::sequences::{decay, wander};
use super::{Progress, Tally};
use crate::fixed::Bank;
use crate::spec::WkvSpec;

/// Streams for each channel.
const LANES: usize = 16;

/// Tokens of all channels together, at least; and of each channel, at least.
const TOKENS: usize = 512;
const TURNS: usize = 3;

/// Clocks in which something must happen.
const PATIENCE: usize = 10_000;

/// A circuit with ports `valid`, `ready`, `first`, `load`, `k`, `v`, `out_valid`, `out_ready`, `out`, on
/// random streams. All lanes keep step, so lane 0 stands for all in what is ready.
pub(super) fn check<'p>(
    program: Program,
    spec: &WkvSpec,
    channels: usize,
    progress: Progress<'p>,
) -> Tally<'p> {
    let turns = TURNS.max(TOKENS.div_ceil(channels));
    let tally = Tally::new((turns * channels * LANES) as u64, progress);
    let input = |name: &str| {
        program.input(name).unwrap_or_else(|| panic!("the circuit has no input `{name}`"))
    };
    let output = |name: &str| {
        program.output(name).unwrap_or_else(|| panic!("the circuit has no output `{name}`"))
    };
    let [valid, first, load, k, v, out_ready] =
        ["valid", "first", "load", "k", "v", "out_ready"].map(input);
    let [ready, out_valid, out] = ["ready", "out_valid", "out"].map(output);

    let mut random = RawNumbers::new(0);
    let mut numbers = |of: &dyn Fn(&mut RawNumbers, usize) -> i32| -> Vec<i32> {
        (0..LANES).map(|lane| of(&mut random, lane)).collect()
    };
    let constants: Vec<[Vec<i32>; 2]> =
        (0..channels).map(|_| [numbers(&|random, _| random.raw()), numbers(&decay)]).collect();
    let models = constants.iter().map(|[u, w]| Bank::from_raw(spec, u, w));
    let mut models: Vec<Bank> =
        models.collect::<Result<_, _>>().expect("random raw numbers are in range");
    let mut simulator = Simulator::new(Arc::new(program), LANES);
    simulator.set(valid, &[1u8; LANES]);
    simulator.set(out_ready, &[1u8; LANES]);
    let (mut entered, mut left, mut quiet) = (0, 0, 0);
    let mut expected = std::collections::VecDeque::new();
    let mut offered = constants[0].clone();
    while left < turns * channels && quiet < PATIENCE {
        let loads = entered < channels;
        simulator.set(load, &[u8::from(loads); LANES]);
        simulator.set(first, &[u8::from(entered / channels == 1); LANES]);
        simulator.set(valid, &[u8::from(entered < (turns + 1) * channels); LANES]);
        simulator.set(k, &offered[0]);
        simulator.set(v, &offered[1]);
        simulator.step().expect("the circuit has no asynchronous loops");
        quiet += 1;
        if simulator.get::<u8>(ready)[0] == 1 && entered < (turns + 1) * channels {
            if !loads {
                let mut outs = vec![0; LANES];
                let model = &mut models[entered % channels];
                model.run_raw(&offered[0], &offered[1], &mut outs).expect("they are in range");
                expected.push_back(outs);
            }
            entered += 1;
            quiet = 0;
            offered = match constants.get(entered) {
                Some(constants) => constants.clone(),
                None => [numbers(&wander), numbers(&|random, lane| wander(random, lane / 2))],
            };
        }
        if simulator.get::<u8>(out_valid)[0] == 1 {
            let outs = expected.pop_front().unwrap_or_default();
            let position = (left * LANES) as u64;
            tally.compare(position, &simulator.get::<i32>(out), &outs, |lane| {
                format!("out at stream {lane}, token {left} of all channels")
            });
            left += 1;
            quiet = 0;
            if !tally.applied(LANES as u64) {
                break;
            }
        }
    }
    if quiet == PATIENCE {
        tally.compare((left * LANES) as u64, &[0], &[1], |_| {
            format!("outputs of token {left} of all channels, in {PATIENCE} clocks")
        });
    }
    tally
}
