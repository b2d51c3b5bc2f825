//! The pipelined bank: one step for all channels, a token each clock, channels in turn.
//!
//! The step is cut into stages by [`morpho::pipeline`]. Channel `c` enters at one clock, the next
//! channel at the next; the state of a channel waits in a memory until its next token, by when the
//! one before has left the part of the pipeline that computes the state.
//!
//! Nothing stalls inside. A token is accepted only if its output is sure to find a place in the
//! queue behind the pipeline, so the registers need no clock enable.

pub mod divide;
pub mod exp2;
pub mod multiply;
mod step;
mod text;

use morpho::bus::cat;
use morpho::library::adder::ripple_adder;
use morpho::library::compare::equal;
use morpho::library::reduce::any;
use morpho::memory::{ReadPort, WritePort};
use morpho::pipeline::Target;
use morpho::{Builder, Bus, Diagnostic, Diagnostics, Fits, Lut, Misfit, Netlist, pass};

use self::step::PipelinedStep;
pub use self::text::PipelineError;
use super::WIDTH;
use crate::fixed::State;
use crate::spec::WkvSpec;

/// What a pipelined bank is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// The number of channels.
    pub channels: usize,
    /// How the step is cut: the number of stages, or the delay of one.
    pub target: Target,
    /// What multiplies.
    pub multipliers: Multipliers,
}

/// What multiplies in a pipelined bank. The numbers are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Multipliers {
    /// Rows of digits and adders with carry chains; stages are cut for a Lattice iCE40 HX.
    #[default]
    Chains,
    /// Products for multiplier blocks with registers; stages are cut for a Lattice ECP5.
    Dsp,
}

impl Multipliers {
    /// The delay of a stage unless said otherwise, in picoseconds.
    pub fn stage_delay(self) -> u32 {
        match self {
            Multipliers::Chains => 6000,
            Multipliers::Dsp => 3100,
        }
    }
}

impl Pipeline {
    /// A bank of `channels` channels with stages of [that](Multipliers::stage_delay) delay.
    pub fn new(channels: usize, multipliers: Multipliers) -> Pipeline {
        Pipeline { channels, target: Target::Delay(multipliers.stage_delay()), multipliers }
    }
}

/// The pipelined bank.
///
/// A token moves in at a clock edge where `valid` and `ready` are set: `k`, `v` \[16\] are those of
/// the next channel in turn, and `first` \[1\] says that they begin a stream. With `load` \[1\] they
/// are instead `u` and `w` of the next channel in a turn of its own, and make no output. An output
/// `out` \[16\] moves out where `out_valid` and `out_ready` are set; outputs come in the order of the
/// tokens.
///
/// # Errors
/// If there are so few channels that one would come round before its state is stored.
pub fn build(spec: &WkvSpec, pipeline: Pipeline) -> Result<Netlist, Diagnostics> {
    let channels = pipeline.channels;
    let step = PipelinedStep::of(spec, pipeline.target, pipeline.multipliers)?;
    let name = format!("wkv_pipeline_{channels}");
    let mut bank = Builder::build(name, |n| pipelined_bank(n, &step, channels, spec))?;
    pass::optimise(&mut bank);
    Ok(bank)
}

fn pipelined_bank(
    n: &mut Builder,
    step: &PipelinedStep,
    channels: usize,
    spec: &WkvSpec,
) -> Fits<()> {
    check_channels(channels, step)?;
    let [valid, first, load] = ["valid", "first", "load"].map(|name| n.input(name, 1));
    let [k, v] = ["k", "v"].map(|name| n.input(name, WIDTH));
    let out_ready = n.input("out_ready", 1);

    let ready = n.forward("ready", 1);
    let moves = n.and(&valid, &ready)?;
    let loads = n.and(&moves, &load)?;
    let accepted = n.lut(Lut::AND_NOT, &[&moves, &load])?;

    // A token is at address `channel` of every memory; the address goes along with it.
    let channel = turn(n, "channel", &accepted, channels)?;
    let constants = parameters(n, &channel, &loads, &cat([&k, &v]), channels)?;
    let token = Token { channel, accepted: accepted.clone(), first };
    let late = token.later(n, "late", step.sums_late)?;
    let v = delay_line(n, "v", &v, step.sums_late + 1)?;
    let [k, entered] =
        [("k", &k), ("first", &token.first)].map(|(name, bus)| delay(n, name, bus, 1));
    let late_first = delay(n, "late_first", &late.first, 1);

    let exponent_stored = token.later(n, "exponent", step.exponent_latency + 1)?;
    let sums_stored = late.later(n, "sums", step.sums_latency + 1 - step.sums_late)?;
    let exponents = n.forward("exponents", WIDTH);
    let sums = n.forward("sums", 2 * WIDTH);
    let State { aa, bb, pp } = State::start(spec);
    let start = [aa, bb].iter().rev().fold(0, |word, &raw| word << WIDTH | u128::from(raw as u16));
    let pp = state(
        n,
        "exponent",
        &token,
        &exponent_stored,
        &exponents,
        &vec![pp as u16 as u128; channels],
    )?;
    let aabb = state(n, "sums", &late, &sums_stored, &sums, &vec![start; channels])?;
    let (u, w) = (constants.low(WIDTH), constants.skip(WIDTH));
    let (aa, bb) = (aabb.low(WIDTH), aabb.skip(WIDTH));
    let inputs = [&aa, &bb, &pp, &k, &v, &u, &w, &entered, &late_first];
    let results = n.embed(&step.netlist, &inputs)?;
    n.tie(&sums, &cat(&results[1..3]));
    n.tie(&exponents, &results[3]);

    let left = step.out_latency - step.sums_latency;
    let done = delay_line(n, "done", &sums_stored.accepted, left)?;
    let done = settled(n, &done, left)?;
    let free = queue(n, &results[0], [&accepted, &done, &out_ready], step.out_latency)?;
    n.tie(&ready, &free);
    n.output("ready", &free);
    Ok(())
}

/// What goes along with a token through the pipeline.
struct Token {
    /// Its channel.
    channel: Bus,
    /// Whether there is a token at all, \[1\].
    accepted: Bus,
    /// Whether it is the first of a stream, \[1\].
    first: Bus,
}

impl Token {
    fn later(&self, n: &mut Builder, name: &str, clocks: usize) -> Fits<Token> {
        let all = delay_line(n, name, &cat([&self.accepted, &self.first, &self.channel]), clocks)?;
        let accepted = settled(n, &all.bit(0)?, clocks)?;
        Ok(Token { accepted, first: all.bit(1)?, channel: all.skip(2) })
    }
}

/// A memory of a part of the state, the words of the channels at first `initial`: read for one token,
/// written after another.
fn state(
    n: &mut Builder,
    name: &str,
    read: &Token,
    stored: &Token,
    next: &Bus,
    initial: &[u128],
) -> Fits<Bus> {
    let write = WritePort {
        enable: stored.accepted.clone(),
        address: stored.channel.clone(),
        data: next.clone(),
    };
    let read = ReadPort { enable: Bus::one(), address: read.channel.clone() };
    Ok(n.memory_apart(name, next.width(), initial, &write, &[read])?.remove(0))
}

/// A channel's state is written a clock after it leaves the pipeline, and read a clock before its next token
/// enters.
fn check_channels(channels: usize, step: &PipelinedStep) -> Fits<()> {
    let sums = step.sums_latency - step.sums_late;
    let least = sums.max(step.exponent_latency) + 2;
    if channels >= least {
        return Ok(());
    }
    let text = format!("a pipeline of {channels} channels reads a state before it is written");
    Err(Misfit::from(Diagnostic::new(text).hint(format!("take {least} channels or more"))))
}

/// `u` and `w` of a channel: `channel`, where to read; `loads`: \[1\], `word`: \[32\], what to store for
/// the next channel -> \[32\], a clock later.
fn parameters(
    n: &mut Builder,
    channel: &Bus,
    loads: &Bus,
    word: &Bus,
    channels: usize,
) -> Fits<Bus> {
    let address = turn(n, "load", loads, channels)?;
    let write = WritePort { enable: loads.clone(), address, data: word.clone() };
    let read = ReadPort { enable: Bus::one(), address: channel.clone() };
    Ok(n.memory_apart("parameters", 2 * WIDTH, &[], &write, &[read])?.remove(0))
}

/// A counter from 0 to `count - 1` and round again, one on where `enable`, \[1\], is set.
fn turn(n: &mut Builder, name: &str, enable: &Bus, count: usize) -> Fits<Bus> {
    Ok(turning(n, name, enable, count)?.0)
}

/// As [`turn`]; and what it is next.
fn turning(n: &mut Builder, name: &str, enable: &Bus, count: usize) -> Fits<(Bus, Bus)> {
    let width = (usize::BITS - (count - 1).leading_zeros()).max(1) as usize;
    let counter = n.reg(name, &Bus::constant(0, width));
    let last = equal(n, &counter, &Bus::constant(count as u64 - 1, width))?;
    let (next, _) = ripple_adder(n, &counter, &Bus::constant(0, width), &Bus::one())?;
    let next = n.lut(Lut::AND_NOT, &[&next, &last])?;
    let next = n.select(enable, &counter, &next)?;
    n.drive(&counter, &next);
    Ok((counter, next))
}

/// From so many clocks on a delay line is a memory, which a counter walks through, and a register.
const RING_CLOCKS: usize = 5;

/// A bus some clocks later. Before, it is 0, but for one clock in which a memory that was not read yet
/// may give anything: see [`settled`].
fn delay_line(n: &mut Builder, name: &str, bus: &Bus, clocks: usize) -> Fits<Bus> {
    if clocks < RING_CLOCKS {
        return Ok(delay(n, name, bus, clocks));
    }
    // What is written at an address is read when the counter is about to come back to it.
    let (address, next) = turning(n, &format!("{name}_turn"), &Bus::one(), clocks - 1)?;
    let write = WritePort { enable: Bus::one(), address, data: bus.clone() };
    let read = ReadPort { enable: Bus::one(), address: next };
    let name = format!("{name}_line");
    let word = n.memory_apart(&name, bus.width(), &[], &write, &[read])?.remove(0);
    Ok(delay(n, &name, &word, 1))
}

/// The flag, \[1\], that comes from a delay line of so many clocks; surely 0 before.
fn settled(n: &mut Builder, flag: &Bus, clocks: usize) -> Fits<Bus> {
    if clocks < RING_CLOCKS {
        return Ok(flag.clone());
    }
    let running = delay(n, "running", &Bus::one(), 2);
    n.and(flag, &running)
}

/// A bus some clocks later, in registers; 0 before.
fn delay(n: &mut Builder, name: &str, bus: &Bus, clocks: usize) -> Bus {
    let zeros = Bus::constant(0, bus.width());
    (0..clocks).fold(bus.clone(), |bus, _| {
        let register = n.reg(name, &zeros);
        n.drive(&register, &bus);
        register
    })
}

/// A counter that starts at 0 and goes up, down, or stays where both or neither is set.
fn level(n: &mut Builder, name: &str, width: usize, up: &Bus, down: &Bus) -> Fits<Bus> {
    let counter = n.reg(name, &Bus::constant(0, width));
    let (rises, falls) = (n.lut(Lut::AND_NOT, &[up, down])?, n.lut(Lut::AND_NOT, &[down, up])?);
    let (next, _) = ripple_adder(n, &counter, &falls.repeat(&counter), &rises)?;
    n.drive(&counter, &next);
    Ok(counter)
}

/// The queue of outputs, with its ports `out_valid` and `out`: `out`: \[16\]; whether a token is
/// accepted, whether `out` is one of its, whether the receiver is ready: \[1\] -> whether another
/// token may come, \[1\].
fn queue(n: &mut Builder, out: &Bus, events: [&Bus; 3], latency: usize) -> Fits<Bus> {
    let [accepted, arrives, taken] = events;
    let bits = (usize::BITS - (latency + 4).leading_zeros()) as usize;
    let shown = n.reg("shown", &Bus::zero());
    let leaves = n.and(&shown, taken)?;
    let waiting = n.forward("waiting", 1);
    let keeps = n.lut(Lut::AND_NOT, &[&shown, taken])?;
    let vacant = n.not(&keeps)?;
    let fetches = n.and(&waiting, &vacant)?;
    let count = level(n, "queued", bits + 1, arrives, &fetches)?;
    let nonempty = any(n, &count)?;
    n.tie(&waiting, &nonempty);
    let shows = n.or(&fetches, &keeps)?;
    n.drive(&shown, &shows);
    let write = WritePort {
        enable: arrives.clone(),
        address: turn(n, "queue_end", arrives, 1 << bits)?,
        data: out.clone(),
    };
    let read =
        ReadPort { enable: fetches.clone(), address: turn(n, "queue_start", &fetches, 1 << bits)? };
    let words = n.memory_apart("queue", WIDTH, &[], &write, &[read])?;
    n.output("out_valid", &shown);
    n.output("out", &words[0]);
    let promised = level(n, "promised", bits + 1, accepted, &leaves)?;
    n.not(&promised.high_bit()?)
}
