//! What `wkv bench` measures.

use std::hint::black_box;
use std::iter;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use morpho::sim::{Input, Lanes, Output, Program, Simulator};
use rayon::prelude::*;
use rwkv::LanguageModel;
use rwkv::generate::{Options, generate};
use wkv::circuit::gates::Gates;
use wkv::circuit::{Unit, build};
use wkv::fixed::Bank;
use wkv::float::Float;
use wkv::{Numerics, WkvSpec};

use super::{Measurement, Reference};
use crate::embedded;
use crate::failure::Failure;

/// How much work one run is.
#[derive(Clone, Copy)]
pub struct Size {
    /// Clock steps of the simulator.
    steps: usize,
    /// Times that the integer model runs its tokens.
    repeats: usize,
    /// Tokens of a story.
    story: usize,
}

/// Enough work for figures that mean something.
pub const FULL: Size = Size { steps: 2048, repeats: 64, story: 128 };

/// As little work as there is, to try the command.
pub const QUICK: Size = Size { steps: 2, repeats: 1, story: 2 };

/// Everything that is measured, in the order of the result.
pub fn all(spec: &WkvSpec, size: Size) -> Result<Vec<Measurement>, Failure> {
    let mut all = simulator(spec, size)?;
    all.push(integer_model(spec, size));
    all.extend(compiler(*spec));
    all.extend(stories(*spec, size)?);
    Ok(all)
}

/// The original simulates 384 channels over 256 tokens in 15 s.
const ORIGINAL_CHANNEL_STEPS: f64 = 384.0 * 256.0 / 15.0;

/// The original compiles the cell in so many seconds.
const ORIGINAL_COMPILE_CELL: f64 = 0.17;

/// The time that `work` takes, in seconds.
fn seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64()
}

/// Lanes that one core works on.
const LANES: usize = 4096;

/// Different tokens that the lanes get, over and over.
const STIMULI: usize = 16;

/// The compiled cell, with tokens for it.
struct Cell {
    program: Arc<Program>,
    gates: usize,
    k: Input,
    v: Input,
    u: Input,
    w: Input,
    out: Output,
    keys: Vec<i16>,
    values: Vec<i16>,
}

impl Cell {
    fn new(spec: &WkvSpec) -> Result<Self, Failure> {
        let netlist = build(spec, Unit::Cell)?;
        let program = Arc::new(Program::compile(&netlist));
        let input = |name| program.input(name).expect("the cell has this port");
        Ok(Self {
            gates: netlist.gates().count(),
            k: input("k"),
            v: input("v"),
            u: input("u"),
            w: input("w"),
            out: program.output("out").expect("the cell has this port"),
            keys: waves(spec, 2.0, 1.7, STIMULI * LANES),
            values: waves(spec, 2.0, 2.3, STIMULI * LANES),
            program,
        })
    }

    /// A simulator with lanes for so many cores, its constants set.
    fn simulator(&self, spec: &WkvSpec, cores: usize) -> Simulator {
        let lanes = cores * LANES;
        let mut simulator = Simulator::new(Arc::clone(&self.program), lanes);
        let decays = waves(spec, 2.0, 0.7, lanes).into_iter().map(|w| -w.abs());
        simulator.set(self.u, &waves(spec, 1.0, 0.3, lanes));
        simulator.set(self.w, &decays.collect::<Vec<i16>>());
        simulator
    }

    /// Clocks a block with every input set and every output read in every step.
    fn run(&self, block: &mut Lanes, steps: usize) {
        let mut out = vec![0i16; block.lanes()];
        let tokens = iter::zip(self.keys.chunks(LANES), self.values.chunks(LANES));
        for (k, v) in tokens.cycle().take(steps) {
            block.set(self.k, &k[..block.lanes()]);
            block.set(self.v, &v[..block.lanes()]);
            clock(block);
            block.get(self.out, &mut out);
            black_box(&out);
        }
    }
}

fn clock(block: &mut Lanes) {
    block.step().expect("a cell has no asynchronous loops");
}

/// Raw numbers that swing between plus and minus `scale`.
fn waves(spec: &WkvSpec, scale: f64, speed: f64, count: usize) -> Vec<i16> {
    let wave = |i| spec.format.quantise(scale * (i as f64 * speed).sin()).0 as i16;
    (0..count).map(wave).collect()
}

fn simulator(spec: &WkvSpec, size: Size) -> Result<Vec<Measurement>, Failure> {
    let cell = Arc::new(Cell::new(spec)?);
    let steps = size.steps;
    let channel_steps = move |lanes: usize| (lanes * steps) as f64;
    let gates = cell.gates as f64;
    // Runs one core without input and output; gives channel-steps a second.
    let bare = || {
        let mut simulator = cell.simulator(spec, 1);
        move || {
            let block = &mut simulator.blocks_mut()[0];
            channel_steps(block.lanes()) / seconds(|| (0..steps).for_each(|_| clock(block)))
        }
    };
    let (bare_steps, mut bare_gates) = (bare(), bare());
    let (one, all) = (Arc::clone(&cell), Arc::clone(&cell));
    let (mut simulator_of_one, cores) = (cell.simulator(spec, 1), rayon::current_num_threads());
    let mut simulator_of_all = cell.simulator(spec, cores);
    Ok(vec![
        Measurement {
            name: "simulate-cell-1-core",
            unit: "channel-steps/s",
            about: "the gates, inputs set and output read in every step; independent lanes",
            reference: Some(Reference::new(ORIGINAL_CHANNEL_STEPS)),
            run: Box::new(move || {
                let block = &mut simulator_of_one.blocks_mut()[0];
                channel_steps(block.lanes()) / seconds(|| one.run(block, steps))
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
                channel_steps(lanes) / seconds(|| blocks.for_each(|block| all.run(block, steps)))
            }),
        },
        Measurement {
            name: "clock-cell-1-core",
            unit: "channel-steps/s",
            about: "the cell clocked on one core, without input and output",
            reference: None,
            run: Box::new(bare_steps),
        },
        Measurement {
            name: "clock-gates-1-core",
            unit: "lane-gates/s",
            about: "the same, counted in gates of the cell on every lane",
            reference: None,
            run: Box::new(move || gates * bare_gates()),
        },
    ])
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
            (size.repeats * steps) as f64 / time
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
            run: Box::new(move || compile(Unit::Cell)),
        },
        Measurement {
            name: "compile-bank-384",
            unit: "s",
            about: "384 cells as one circuit, built and compiled for the simulator",
            reference: None,
            run: Box::new(move || compile(Unit::Bank(384))),
        },
    ]
}

fn stories(spec: WkvSpec, size: Size) -> Result<[Measurement; 3], Failure> {
    let (_, model) = embedded::language_model(None)?;
    let model = Arc::new(model);
    let story = |name, about, numerics: Box<dyn Numerics>| {
        let model = Arc::clone(&model);
        let run = Box::new(move || tell(&model, &*numerics, size.story));
        Measurement { name, unit: "tokens/s", about, reference: None, run }
    };
    Ok([
        story("generate-float", "a story by the embedded model, attention in f64", Box::new(Float)),
        story("generate-fixed", "the same, attention by the integer model", Box::new(spec)),
        story("generate-gates", "the same, attention by the gates", Box::new(Gates::new(&spec))),
    ])
}

/// Tells a story; gives tokens a second.
fn tell(model: &LanguageModel, numerics: &dyn Numerics, tokens: usize) -> f64 {
    let options = Options { tokens, ..Options::default() };
    generate(model, numerics, "Once upon a time", options, |_| ControlFlow::Continue(()))
        .expect("the options are in range and the prompt has tokens")
        .tokens_per_second()
}
