//! The pipelined bank: one step for all channels, a token each clock, channels in turn.
//!
//! The step is cut into stages by [`morpho::pipeline`]. Channel `c` enters at one clock, the next
//! channel at the next; the state of a channel waits in a memory until its next token, by when the
//! one before has left the part of the pipeline that computes the state.
//!
//! Nothing stalls inside. A token is accepted only if its output is sure to find a place in the
//! queue behind the pipeline, so the registers need no clock enable.

use morpho::bus::cat;
use morpho::library::adder::ripple_adder;
use morpho::library::compare::equal;
use morpho::library::reduce::any;
use morpho::memory::{ReadPort, WritePort};
use morpho::pipeline::{Options, Pipelined, Target, pipeline};
use morpho::{Builder, Bus, Diagnostic, Diagnostics, Fits, Lut, Misfit, Netlist, pass};

use super::{Unit, WIDTH};
use crate::fixed::State;
use crate::spec::WkvSpec;

/// The delay of a stage that the pipeline is cut for, in picoseconds.
const STAGE_DELAY: u32 = 7000;

/// The output ports of the step that make the next state.
const NEXT: &[&str] = &["aa_next", "bb_next", "pp_next"];

/// The pipelined bank of `channels` channels.
///
/// A token moves in at a clock edge where `valid` and `ready` are set: `k`, `v` \[16\] are those of
/// the next channel in turn, and `first` \[1\] says that they begin a stream. With `load` \[1\] they
/// are instead `u` and `w` of the next channel in a turn of its own, and make no output. An output
/// `out` \[16\] moves out where `out_valid` and `out_ready` are set; outputs come in the order of the
/// tokens.
///
/// # Errors
/// If there are so few channels that one would come round before its state is stored.
pub fn build(spec: &WkvSpec, channels: usize) -> Result<Netlist, Diagnostics> {
    let step = super::build(spec, Unit::Step)?;
    let name = format!("wkv_pipeline_{channels}");
    let mut bank = Builder::build(name, |n| pipelined_bank(n, &cut(&step)?, channels, spec))?;
    pass::optimise(&mut bank);
    Ok(bank)
}

fn pipelined_bank(n: &mut Builder, step: &Pipelined, channels: usize, spec: &WkvSpec) -> Fits<()> {
    let (out_latency, state_latency) = (step.latencies[0], step.latencies[1]);
    check_channels(channels, state_latency)?;
    let [valid, first, load] = ["valid", "first", "load"].map(|name| n.input(name, 1));
    let [k, v] = ["k", "v"].map(|name| n.input(name, WIDTH));
    let out_ready = n.input("out_ready", 1);

    let ready = n.forward("ready", 1);
    let moves = n.and(&valid, &ready)?;
    let loads = n.and(&moves, &load)?;
    let accepted = n.lut(Lut::AND_NOT, &[&moves, &load])?;

    let channel = turn(n, "channel", &accepted, channels)?;
    let constants = parameters(n, &channel, &loads, &cat([&k, &v]), channels)?;
    let entered = delay(n, "entered", &accepted, 1);
    let [k, v, first] =
        [("k", &k), ("v", &v), ("first", &first)].map(|(name, bus)| delay(n, name, bus, 1));

    let next = n.forward("next", 3 * WIDTH);
    let stored = delay(n, "stored", &entered, state_latency);
    let place = turn(n, "place", &stored, channels)?;
    let write = WritePort { enable: stored, address: place, data: next.clone() };
    let start = start_word(spec);
    let read = ReadPort { enable: Bus::one(), address: channel };
    let state = n.memory("state", 3 * WIDTH, &vec![start; channels], &write, &[read])?.remove(0);
    let start = Bus::constant(start as u64, 3 * WIDTH);
    let state = n.select(&first, &state, &start)?;
    let (u, w) = (constants.low(WIDTH), constants.skip(WIDTH));
    let (aa, bb, pp) = (state.low(WIDTH), state.slice(WIDTH..2 * WIDTH), state.skip(2 * WIDTH));
    let results = n.embed(&step.netlist, &[&aa, &bb, &pp, &k, &v, &u, &w])?;
    n.tie(&next, &cat(&results[1..]));

    let done = delay(n, "done", &entered, out_latency);
    let free = queue(n, &results[0], [&accepted, &done, &out_ready], out_latency)?;
    n.tie(&ready, &free);
    n.output("ready", &free);
    Ok(())
}

fn cut(step: &Netlist) -> Fits<Pipelined> {
    let options = Options { tables: &["lookup"], groups: &[NEXT], ..Options::default() };
    pipeline(step, Target::Delay(STAGE_DELAY), &options)
        .map_err(|refusal| Diagnostic::new(refusal.to_string()).into())
}

/// The state is read a clock before it enters the pipeline and written a clock after it leaves.
fn check_channels(channels: usize, state_latency: usize) -> Fits<()> {
    let least = state_latency + 2;
    if channels >= least {
        return Ok(());
    }
    let text = format!("a pipeline of {channels} channels reads a state before it is written");
    Err(Misfit::from(Diagnostic::new(text).hint(format!("take {least} channels or more"))))
}

/// A word of the state memory before the first token: `aa`, `bb`, `pp`, low bits first.
fn start_word(spec: &WkvSpec) -> u128 {
    let State { aa, bb, pp } = State::start(spec);
    [aa, bb, pp].iter().rev().fold(0, |word, &raw| word << WIDTH | u128::from(raw as u16))
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
    Ok(n.memory("parameters", 2 * WIDTH, &[], &write, &[read])?.remove(0))
}

/// A counter from 0 to `count - 1` and round again, one on where `enable`, \[1\], is set.
fn turn(n: &mut Builder, name: &str, enable: &Bus, count: usize) -> Fits<Bus> {
    let width = (usize::BITS - (count - 1).leading_zeros()).max(1) as usize;
    let counter = n.reg(name, &Bus::constant(0, width));
    let last = equal(n, &counter, &Bus::constant(count as u64 - 1, width))?;
    let (next, _) = ripple_adder(n, &counter, &Bus::constant(0, width), enable)?;
    let wraps = n.and(&last, enable)?;
    let next = n.lut(Lut::AND_NOT, &[&next, &wraps])?;
    n.drive(&counter, &next);
    Ok(counter)
}

/// A bus some clocks later; 0 before.
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
    let words = n.memory("queue", WIDTH, &[], &write, &[read])?;
    n.output("out_valid", &shown);
    n.output("out", &words[0]);
    let promised = level(n, "promised", bits + 1, accepted, &leaves)?;
    n.not(&promised.high_bit()?)
}
