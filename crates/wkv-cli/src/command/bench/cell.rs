//! The compiled cell, and the streams that it and its peers run on.

use std::hint::black_box;
use std::iter;
use std::sync::Arc;
use std::time::Instant;

use morpho::Netlist;
use morpho::sim::{Input, Lanes, Output, Program, Simulator};
use wkv::WkvSpec;
use wkv::circuit::{Unit, build};

use crate::failure::Failure;

/// Lanes that one core works on.
pub const LANES: usize = 4096;

/// Keys and values that tokens are taken from.
const STIMULI: usize = 16 * LANES;

/// The compiled cell, with tokens for it.
pub struct Cell {
    pub netlist: Netlist,
    pub program: Arc<Program>,
    k: Input,
    v: Input,
    u: Input,
    w: Input,
    out: Output,
    keys: Vec<i16>,
    values: Vec<i16>,
}

/// What one lane gets.
pub struct Stream {
    pub u: i16,
    pub w: i16,
    /// Key and value of each token.
    pub tokens: Vec<[i16; 2]>,
}

impl Cell {
    /// The cell of `spec`.
    pub fn new(spec: &WkvSpec) -> Result<Self, Failure> {
        let netlist = build(spec, Unit::Cell)?;
        let program = Arc::new(Program::compile(&netlist));
        let input = |name| program.input(name).expect("the cell has this port");
        Ok(Self {
            netlist,
            k: input("k"),
            v: input("v"),
            u: input("u"),
            w: input("w"),
            out: program.output("out").expect("the cell has this port"),
            keys: waves(spec, 2.0, 1.7, STIMULI),
            values: waves(spec, 2.0, 2.3, STIMULI),
            program,
        })
    }

    /// A simulator with lanes for so many cores, its constants set.
    pub fn simulator(&self, spec: &WkvSpec, cores: usize) -> Simulator {
        let lanes = cores * LANES;
        let mut simulator = Simulator::new(Arc::clone(&self.program), lanes);
        simulator.set(self.u, &bonuses(spec, lanes));
        simulator.set(self.w, &decays(spec, lanes));
        simulator
    }

    /// Clocks a block with every input set and every output read in every step; hands the
    /// outputs of each step to `read`.
    pub fn run(&self, block: &mut Lanes, steps: usize, mut read: impl FnMut(&[i16])) {
        let mut out = vec![0i16; block.lanes()];
        for step in 0..steps {
            let (keys, values) = self.token(step);
            block.set(self.k, &keys[..block.lanes()]);
            block.set(self.v, &values[..block.lanes()]);
            clock(block);
            block.get(self.out, &mut out);
            read(&out);
        }
    }

    /// The keys and values of a step, one a lane. Each step takes them from another place: a
    /// program with branches would learn streams that repeat.
    fn token(&self, step: usize) -> (&[i16], &[i16]) {
        // Multiplicative hashing, D. Knuth, with the golden ratio in 32 bits.
        let hash = (step as u32).wrapping_mul(2_654_435_769) as usize;
        let place = (hash >> 8) % (STIMULI - LANES);
        (&self.keys[place..][..LANES], &self.values[place..][..LANES])
    }

    /// What the first `lanes` lanes get in so many steps.
    pub fn streams(&self, spec: &WkvSpec, lanes: usize, steps: usize) -> Vec<Stream> {
        let token = |lane: usize, step| {
            let (keys, values) = self.token(step);
            [keys[lane], values[lane]]
        };
        let tokens = |lane| (0..steps).map(|step| token(lane, step)).collect();
        let constants = iter::zip(bonuses(spec, lanes), decays(spec, lanes));
        let stream = |(lane, (u, w))| Stream { u, w, tokens: tokens(lane) };
        constants.enumerate().map(stream).collect()
    }
}

/// One step of a circuit without asynchronous loops.
pub fn clock(block: &mut Lanes) {
    block.step().expect("a cell has no asynchronous loops");
}

fn bonuses(spec: &WkvSpec, lanes: usize) -> Vec<i16> {
    waves(spec, 1.0, 0.3, lanes)
}

fn decays(spec: &WkvSpec, lanes: usize) -> Vec<i16> {
    waves(spec, 2.0, 0.7, lanes).into_iter().map(|w| -w.abs()).collect()
}

/// Raw numbers that swing between plus and minus `scale`.
pub fn waves(spec: &WkvSpec, scale: f64, speed: f64, count: usize) -> Vec<i16> {
    let wave = |i| spec.format.quantise(scale * (i as f64 * speed).sin()).0 as i16;
    (0..count).map(wave).collect()
}

/// The time that `work` takes, in seconds.
pub fn seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64()
}
