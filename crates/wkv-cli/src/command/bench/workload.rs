//! What `wkv bench` measures.

use std::hint::black_box;
use std::sync::Arc;

use morpho::sim::{Program, Simulator};
use rayon::prelude::*;
use rwkv::checkpoint::Sizes;
use wkv::WkvSpec;
use wkv::circuit::{Unit, build};
use wkv::fixed::Bank;

use super::cell::{Cell, LANES, clock, seconds, waves};
use super::{Measurement, Ratio, Reference};

/// How much work one run is.
#[derive(Clone, Copy)]
pub struct Size {
    /// Clock steps of the simulator.
    pub steps: usize,
    /// Channels that Verilator runs through so many steps: on the netlist, and on operators.
    pub structural_channels: usize,
    pub behavioural_channels: usize,
    /// Times that the integer model runs its tokens.
    repeats: usize,
    /// Tokens of a story, and of a text to read.
    pub story: usize,
    pub prompt: usize,
    /// Bytes that are read from memory; the model that fits no cache, and its tokens.
    pub buffer: usize,
    pub large: Sizes,
    pub large_tokens: usize,
}

/// Enough work for figures that mean something.
pub const FULL: Size = Size {
    steps: 2048,
    structural_channels: 16,
    behavioural_channels: 1024,
    repeats: 64,
    story: 128,
    prompt: 1024,
    buffer: 256 << 20,
    large: Sizes { blocks: 12, channels: 768, vocabulary: 50_277, feed_forward: 3072 },
    large_tokens: 16,
};

/// As little work as there is, to try the command.
pub const QUICK: Size = Size {
    steps: 2,
    structural_channels: 8,
    behavioural_channels: 8,
    repeats: 1,
    story: 2,
    prompt: 8,
    buffer: 1 << 20,
    large: Sizes { blocks: 1, channels: 64, vocabulary: 64, feed_forward: 64 },
    large_tokens: 2,
};

/// Everything that is measured, in the order of the result.
pub fn all(cell: &Arc<Cell>, spec: &WkvSpec, size: Size) -> Vec<Measurement> {
    let mut all = simulator(cell, spec, size);
    all.push(integer_model(spec, size));
    all.extend(compiler(*spec));
    all
}

/// The original simulates 384 channels over 256 tokens in 15 s.
const ORIGINAL_CHANNEL_STEPS: f64 = 384.0 * 256.0 / 15.0;

/// The original compiles the cell in so many seconds.
const ORIGINAL_COMPILE_CELL: f64 = 0.17;

/// What is derived from two figures of the same round.
pub const RATIOS: [Ratio; 2] = [
    Ratio {
        name: "simulate-cell-scaling",
        about: "simulate-cell-all-cores by simulate-cell-1-core",
        numerator: "simulate-cell-all-cores",
        denominator: "simulate-cell-1-core",
    },
    Ratio {
        name: "clock-cell-of-ceiling",
        about: "clock-cell-1-core by ceiling-cell-1-core",
        numerator: "clock-cell-1-core",
        denominator: "ceiling-cell-1-core",
    },
];

fn simulator(cell: &Arc<Cell>, spec: &WkvSpec, size: Size) -> Vec<Measurement> {
    let steps = size.steps;
    let channel_steps = move |lanes: usize| (lanes * steps) as f64;
    let gates = cell.netlist.gates().count() as f64;
    // Clocks one core without input and output; gives channel-steps a second.
    let bare = |mut simulator: Simulator| {
        move || {
            let block = &mut simulator.blocks_mut()[0];
            channel_steps(block.lanes()) / seconds(|| (0..steps).for_each(|_| clock(block)))
        }
    };
    let mut bare_cell = bare(cell.simulator(spec, 1));
    let mut bare_gates = bare(cell.simulator(spec, 1));
    let mut ceiling = bare(Simulator::new(cell.program.with_perfect_locality(), LANES));
    let (one, all) = (Arc::clone(cell), Arc::clone(cell));
    let (mut simulator_of_one, cores) = (cell.simulator(spec, 1), rayon::current_num_threads());
    let mut simulator_of_all = cell.simulator(spec, cores);
    vec![
        Measurement {
            name: "simulate-cell-1-core",
            unit: "channel-steps/s",
            about: "the gates, inputs set and output read in every step; independent lanes",
            reference: Some(Reference::new(ORIGINAL_CHANNEL_STEPS)),
            run: Box::new(move || {
                let block = &mut simulator_of_one.blocks_mut()[0];
                Ok(channel_steps(block.lanes()) / seconds(|| one.run(block, steps, ignore)))
            }),
        },
        Measurement {
            name: "simulate-cell-all-cores",
            unit: "channel-steps/s",
            about: "the same, each core with lanes of its own",
            reference: Some(Reference::new(ORIGINAL_CHANNEL_STEPS)),
            run: Box::new(move || {
                let lanes = simulator_of_all.lanes();
                let blocks = simulator_of_all.blocks_mut().par_iter_mut();
                let run = || blocks.for_each(|block| all.run(block, steps, ignore));
                Ok(channel_steps(lanes) / seconds(run))
            }),
        },
        Measurement {
            name: "clock-cell-1-core",
            unit: "channel-steps/s",
            about: "the cell clocked on one core, without input and output",
            reference: None,
            run: Box::new(move || Ok(bare_cell())),
        },
        Measurement {
            name: "ceiling-cell-1-core",
            unit: "channel-steps/s",
            about: "as many operations of each function, in the same order and the same inner \
                    loop, but reading 4 slots and writing 4 others in turn, so that all values \
                    are in the first-level cache and no operation waits for another",
            reference: None,
            run: Box::new(move || Ok(ceiling())),
        },
        Measurement {
            name: "clock-gates-1-core",
            unit: "lane-gates/s",
            about: "clock-cell-1-core again, counted in gates of the cell on every lane",
            reference: None,
            run: Box::new(move || Ok(gates * bare_gates())),
        },
    ]
}

fn ignore(outputs: &[i16]) {
    black_box(outputs);
}

/// Channels and tokens of the integer model.
const CHANNELS: usize = 2048;
const TOKENS: usize = 64;

fn integer_model(spec: &WkvSpec, size: Size) -> Measurement {
    let raw = |scale, speed, count| -> Vec<i32> {
        waves(spec, scale, speed, count).into_iter().map(i32::from).collect()
    };
    let decays: Vec<i32> = raw(2.0, 0.7, CHANNELS).into_iter().map(|w| -w.abs()).collect();
    let mut bank = Bank::from_raw(spec, &raw(1.0, 0.3, CHANNELS), &decays).expect("waves fit");
    let steps = CHANNELS * TOKENS;
    let (k, v) = (raw(2.0, 1.7, steps), raw(2.0, 2.3, steps));
    let mut out = vec![0; steps];
    Measurement {
        name: "fixed-cell-1-core",
        unit: "channel-steps/s",
        about: "the integer model, raw numbers in and out",
        reference: None,
        run: Box::new(move || {
            let time = seconds(|| {
                for _ in 0..size.repeats {
                    bank.run_raw(black_box(&k), &v, &mut out).expect("waves fit");
                    black_box(&out);
                }
            });
            Ok((size.repeats * steps) as f64 / time)
        }),
    }
}

fn compiler(spec: WkvSpec) -> [Measurement; 2] {
    let compile = move |unit| {
        seconds(|| Program::compile(&build(&spec, unit).expect("every spec has its units")))
    };
    [
        Measurement {
            name: "compile-cell",
            unit: "s",
            about: "the cell built, optimised and compiled for the simulator",
            reference: Some(Reference::new(ORIGINAL_COMPILE_CELL)),
            run: Box::new(move || Ok(compile(Unit::Cell))),
        },
        Measurement {
            name: "compile-bank-384",
            unit: "s",
            about: "384 cells as one circuit, built and compiled for the simulator",
            reference: None,
            run: Box::new(move || Ok(compile(Unit::Bank(384)))),
        },
    ]
}
