//! The serial cell: one adder, to which all else is added, for many channels in turn.
//!
//! A micro-program in a read-only memory runs a step in so many clocks, [`clocks`]. In each clock an
//! operand is added to the accumulator, and the sum may be halved, which multiplies by the bits of a
//! factor, or doubled, which divides by restoring. The factor's bits are taken from the place that
//! the whole part of its exponent says, so `2^-x` needs no shifter. State, constants, tables and
//! tokens are in memories.
//!
//! Relies on what holds in every stream with `w <= 0`: from the first token on `bb` is at least 1,
//! so the denominator is above 1 and the quotient fits.

mod divider;
mod program;

use morpho::bus::cat;
use morpho::library::adder::ripple_adder;
use morpho::library::argument::{A, B, C, D};
use morpho::library::compare::equal;
use morpho::library::mux::mux;
use morpho::library::reduce::any;
use morpho::memory::{ReadPort, WritePort};
use morpho::{Builder, Bus, Diagnostic, Diagnostics, Fits, Lut, Netlist, cell, pass};

pub(super) use self::program::Divider;
use self::program::{CHANNEL, CONSTANT, ChannelWord, Program, Signal, TOKEN, constants};
use super::WIDTH;
use crate::fixed::{State, exp2_table};
use crate::spec::{Division, WkvSpec};

/// Words that a channel has in the memory of channels.
const CHANNEL_WORDS: usize = ChannelWord::Next as usize;

/// The serial cell of `channels` channels.
///
/// A token moves in at a clock edge where `valid` and `ready` are set: `k`, `v` \[16\] are those of
/// the next channel in turn, and `first` \[1\] says that they begin a stream. With `load` \[1\] they
/// are instead its `u` and `w`, and make no output; a load takes its channel's turn too. An output
/// `out` \[16\] moves out where `out_valid` and `out_ready` are set, before or as the next token
/// moves in.
///
/// # Errors
/// If there is no channel.
pub fn build(spec: &WkvSpec, channels: usize) -> Result<Netlist, Diagnostics> {
    build_with(Divider::InAdder, spec, channels)
}

/// The cell with this divider.
pub(super) fn build_with(
    divider: Divider,
    spec: &WkvSpec,
    channels: usize,
) -> Result<Netlist, Diagnostics> {
    let form = match divider {
        Divider::InAdder => "serial",
        Divider::Beside => "shared",
    };
    let grow = |n: &mut Builder| serial_cell(n, divider, spec, channels);
    let mut cell = Builder::build(format!("wkv_{form}_{channels}"), grow)?;
    pass::optimise(&mut cell);
    Ok(cell)
}

/// Clocks from one token to the next, if each output is taken at once. The first token of a stream
/// takes a few more.
pub fn clocks(spec: &WkvSpec) -> usize {
    clocks_with(Divider::InAdder, spec)
}

/// As [`clocks`], of the cell with this divider.
pub(super) fn clocks_with(divider: Divider, spec: &WkvSpec) -> usize {
    Program::new(spec, divider).clocks()
}

fn serial_cell(n: &mut Builder, divider: Divider, spec: &WkvSpec, channels: usize) -> Fits<()> {
    if channels == 0 {
        return Err(Diagnostic::new("a serial cell of no channels").into());
    }
    let [valid, first, load] = ["valid", "first", "load"].map(|name| n.input(name, 1));
    let token = ["k", "v"].map(|name| n.input(name, WIDTH));
    let out_ready = n.input("out_ready", 1);

    let registers = Registers::new(n);
    let running = n.reg("running", &Bus::zero());
    let shown = n.reg("shown", &Bus::zero());
    // Before its first read the memory of the program may show anything, an address too.
    let awake = n.reg("awake", &Bus::zero());
    n.drive(&awake, &Bus::one());
    let ready = n.lut(READY, &[&awake, &running, &shown, &out_ready])?;
    let accepted = n.and(&valid, &ready)?;

    let program = Program::new(spec, divider);
    let control = sequencer(n, &program, [&accepted, &running, &first, &load])?;
    let finish = Signal::Finish.of(&control);
    let goes_on = n.lut(Lut::AND_NOT, &[&running, &finish])?;
    let goes_on = n.or(&goes_on, &accepted)?;
    n.drive(&running, &goes_on);

    let saturated = saturate(n, &registers.accumulator)?;
    let stored = Stored { k: &token[0], v: &token[1], saturated: &saturated };
    let memories =
        memories(n, &control, &registers, [&accepted, &running], stored, spec, channels)?;
    let (divide, out, show) = match divider {
        Divider::InAdder => {
            let out = registers.accumulator.low(WIDTH);
            (Signal::Divide.of(&control), out, Signal::Show.of(&control))
        }
        Divider::Beside => {
            let Registers { accumulator, negative, .. } = &registers;
            let load = n.and(&Signal::Divide.of(&control), &running)?;
            let (out, last) =
                divider::divider(n, &control, &load, &saturated, accumulator, negative, spec)?;
            (Bus::zero(), out, last)
        }
    };
    datapath(n, &control, &registers, &memories, &divide, spec)?;
    let stays = n.lut(STAYS, &[&shown, &out_ready, &show])?;
    n.drive(&shown, &stays);

    n.output("ready", &ready);
    n.output("out_valid", &shown);
    n.output("out", &out);
    Ok(())
}

/// Arguments `awake`, `running`, `shown`, `out_ready`.
const READY: Lut = Lut::new(4, A & !B & (!C | D));
/// Arguments `shown`, `out_ready`, `show`.
const STAYS: Lut = Lut::new(3, C | A & !B);

/// The registers of the data path.
struct Registers {
    /// Sums, two's complement, or twice a remainder, \[17\].
    accumulator: Bus,
    /// What is added next, \[17\].
    operand: Bus,
    /// Whether one is added too, \[1\].
    carry: Bus,
    /// The factor of a product, or digits of a numerator and quotient, \[16\].
    factor: Bus,
    /// The bit of the factor that is next, \[4\].
    index: Bus,
    /// Whether the bits before it were passed, \[1\].
    passed: Bus,
    /// Whether the factor underflows, \[1\].
    underflow: Bus,
    /// Whether the token's exponent is the larger one, \[1\].
    token_leads: Bus,
    /// Whether the numerator is negative, \[1\].
    negative: Bus,
}

impl Registers {
    fn new(n: &mut Builder) -> Registers {
        let mut register = |name, width| n.reg(name, &Bus::constant(0, width));
        Registers {
            accumulator: register("accumulator", WIDTH + 1),
            operand: register("operand", WIDTH + 1),
            carry: register("carry", 1),
            factor: register("factor", WIDTH),
            index: register("index", 4),
            passed: register("passed", 1),
            underflow: register("underflow", 1),
            token_leads: register("token_leads", 1),
            negative: register("negative", 1),
        }
    }
}

/// The control word: whether a token is accepted, whether the program is running, `first`, `load`:
/// \[1\] -> the word of this clock.
#[cell]
fn sequencer(n: &mut Builder, program: &Program, events: [&Bus; 4]) -> Fits<Bus> {
    let [accepted, running, first, load] = events;
    let width = address_bits(program.words.len());
    let counter = n.reg("counter", &Bus::constant(0, width));
    let entry = |word: usize| Bus::constant(word as u64, width);
    let begin = n.select(first, &entry(program.token), &entry(program.first))?;
    let begin = n.select(load, &begin, &entry(program.load))?;
    let (next, _) = ripple_adder(n, &counter, &Bus::constant(0, width), &Bus::one())?;
    let next = n.and(&next, running)?;
    let next = n.select(accepted, &next, &begin)?;
    n.drive(&counter, &next);
    let never = WritePort::never(width, Signal::WIDTH);
    let read = ReadPort { enable: Bus::one(), address: counter };
    let word = n.memory("program", Signal::WIDTH, &program.words, &never, &[read])?.remove(0);
    // Before its first read the memory may show anything.
    let (any_time, while_running) = word.hslice(&Bus::constant(0, Signal::WHILE_RUNNING))?;
    Ok(cat([any_time, n.and(&while_running, running)?]))
}

/// Bits of an address of so many words.
fn address_bits(words: usize) -> usize {
    (usize::BITS - (words - 1).leading_zeros()).max(1) as usize
}

/// What the memories store.
#[derive(Clone, Copy)]
struct Stored<'a> {
    k: &'a Bus,
    v: &'a Bus,
    /// The accumulator, \[16\].
    saturated: &'a Bus,
}

/// What the memories show.
struct Memories {
    channel: Bus,
    token: Bus,
    constant: Bus,
}

/// The memories, of channels, of the token, and of constants and tables; a token is `accepted`, the
/// program is `running`: \[1\].
fn memories(
    n: &mut Builder,
    control: &Bus,
    registers: &Registers,
    [accepted, running]: [&Bus; 2],
    Stored { k, v, saturated }: Stored,
    spec: &WkvSpec,
    channels: usize,
) -> Fits<Memories> {
    let address = channel_address(n, control, channels)?;
    let write = WritePort {
        enable: Signal::StoreChannel.of(control),
        address: address.clone(),
        data: saturated.clone(),
    };
    let words = start_words(spec, channels);
    let channel = memory(n, "channels", &words, &write, address)?;

    let address = TOKEN.of(control);
    let write = WritePort {
        enable: n.or(accepted, &Signal::StoreToken.of(control))?,
        address: address.clone(),
        data: n.select(running, k, saturated)?,
    };
    let token = memory(n, "token", &[], &write, address)?;

    let (words, index_bits) = tables(spec);
    let index = table_index(&registers.factor, spec).zero_extend(index_bits);
    let (fall, entry) = (Signal::Fall.of(control), Signal::Entry.of(control));
    let in_table = n.or(&fall, &entry)?;
    let constant = CONSTANT.of(control).zero_extend(index_bits);
    let address = cat([n.select(&in_table, &constant, &index)?, fall, entry]);
    let write = WritePort {
        enable: n.or(accepted, &Signal::StoreFactor.of(control))?,
        address: constant.zero_extend(address.width()),
        data: n.select(running, v, &registers.factor)?,
    };
    let constant = memory(n, "constants", &words, &write, address)?;
    Ok(Memories { channel, token, constant })
}

/// A memory of raw numbers that is read at each clock. The program waits before it uses a word that
/// it has stored.
fn memory(
    n: &mut Builder,
    name: &str,
    words: &[i32],
    write: &WritePort,
    address: Bus,
) -> Fits<Bus> {
    let words: Vec<u128> = words.iter().map(|&raw| u128::from(raw as u16)).collect();
    let read = ReadPort { enable: Bus::one(), address };
    Ok(n.memory_apart(name, WIDTH, &words, write, &[read])?.remove(0))
}

/// The channels before the first token.
fn start_words(spec: &WkvSpec, channels: usize) -> Vec<i32> {
    let State { aa, bb, pp } = State::start(spec);
    [aa, bb, pp, 0, 0].repeat(channels)
}

/// The memory of constants: the constants, the falls between entries, negative, and the entries
/// modulo `2^16`; and the bits of an index into each.
fn tables(spec: &WkvSpec) -> (Vec<i32>, usize) {
    let entries = exp2_table(spec);
    let falls: Vec<i32> = entries.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let constants = constants(spec);
    let index_bits = address_bits(falls.len());
    let mut words = Vec::new();
    for (part, table) in [&constants[..], &falls, &entries[..falls.len()]].iter().enumerate() {
        words.resize(part << index_bits, 0);
        words.extend_from_slice(table);
    }
    (words, index_bits)
}

/// The index into the table of the exponential of `x`: \[16\].
fn table_index(x: &Bus, spec: &WkvSpec) -> Bus {
    let point = spec.format.fraction_bits() as usize;
    let index_bits = spec.exp2.entries().ilog2() as usize;
    let padding = Bus::constant(0, index_bits.saturating_sub(point));
    cat([padding, x.slice(point.saturating_sub(index_bits)..point)])
}

/// Where the addressed word of the present channel is. At the end the distance of channels is
/// addressed, so the address is the place of the next channel.
#[cell]
fn channel_address(n: &mut Builder, control: &Bus, channels: usize) -> Fits<Bus> {
    let width = address_bits(channels * CHANNEL_WORDS).max(3);
    let place = n.reg("place", &Bus::constant(0, width));
    let word = CHANNEL.of(control).zero_extend(width);
    let (address, _) = ripple_adder(n, &place, &word, &Bus::zero())?;
    let last = (channels - 1) * CHANNEL_WORDS;
    let is_last = equal(n, &place, &Bus::constant(last as u64, width))?;
    let next = n.lut(Lut::AND_NOT, &[&address, &is_last])?;
    let next = n.select(&Signal::Finish.of(control), &place, &next)?;
    n.drive(&place, &next);
    Ok(address)
}

/// The nearest number of 16 bits: \[17\] -> \[16\].
#[cell]
fn saturate(n: &mut Builder, number: &Bus) -> Fits<Bus> {
    let (high, sign) = (number.bit(WIDTH - 1)?, number.bit(WIDTH)?);
    Ok(cat([n.lut(SATURATE, &[&high, &sign, &number.low(WIDTH - 1)])?, sign]))
}

/// Arguments `high`, `sign`, `bit`: the bit, or that of the limit where the two high bits differ.
const SATURATE: Lut = Lut::new(3, (A ^ B) & !B | !(A ^ B) & C);

fn datapath(
    n: &mut Builder,
    control: &Bus,
    registers: &Registers,
    memories: &Memories,
    divide: &Bus,
    spec: &WkvSpec,
) -> Fits<()> {
    let bit = factor_bit(n, control, registers, spec)?;
    select_operand(n, control, registers, memories, &bit)?;
    let Registers { accumulator, operand, carry, negative, token_leads, factor, .. } = registers;
    let (sum, _) = ripple_adder(n, accumulator, operand, carry)?;
    let less = sum.high_bit()?;
    accumulate(n, control, registers, &sum, divide)?;

    let (lead, sign) = (Signal::Lead.of(control), Signal::Sign.of(control));
    let leads = n.lut(LEADS, &[&lead, token_leads, &less])?;
    n.drive(token_leads, &leads);
    let is_negative = n.select(&sign, negative, &accumulator.high_bit()?)?;
    n.drive(negative, &is_negative);

    let digit = match spec.division {
        Division::Restoring | Division::Newton => n.not(&less)?,
        Division::Exact => n.lut(Lut::XNOR, &[&less, negative])?,
    };
    let shifted = cat([&digit, &factor.low(WIDTH - 1)]);
    let next = n.select(divide, factor, &shifted)?;
    let next = n.select(&Signal::LoadFactor.of(control), &next, &accumulator.low(WIDTH))?;
    n.drive(factor, &next);
    Ok(())
}

/// Arguments `lead`, `leads`, `less`.
const LEADS: Lut = Lut::new(3, !A & B | A & !C);

/// The bit of the factor that counts now, \[1\].
///
/// A factor is 16 bits of `y`, from 1/2 to 1, of which `2^-16` lets only 1 itself have 0 in the
/// highest. Bits below the place are passed over; above the highest there are a one, if `y` is 1, and
/// zeros.
#[cell]
fn factor_bit(n: &mut Builder, control: &Bus, registers: &Registers, spec: &WkvSpec) -> Fits<Bus> {
    let Registers { factor, index, passed, underflow, .. } = registers;
    let [count, by_factor, load, place] =
        [Signal::Count, Signal::ByFactor, Signal::LoadFactor, Signal::Place]
            .map(|signal| signal.of(control));
    let point = spec.format.fraction_bits() as usize;
    let begin = n.and(&factor.slice(point..point + 4).zero_extend(4), &place)?;
    let (counted, wraps) = ripple_adder(n, index, &Bus::constant(0, 4), &count)?;
    let next = n.select(&load, &counted, &begin)?;
    n.drive(index, &next);
    let now_passed = n.lut(PASSED, &[passed, &wraps, &by_factor])?;
    n.drive(passed, &now_passed);

    let excess = factor.skip(point + 4);
    let excess = if excess.width() == 0 { Bus::zero() } else { any(n, &excess)? };
    let excess = n.and(&excess, &place)?;
    let underflows = n.select(&load, underflow, &excess)?;
    n.drive(underflow, &underflows);

    let within = mux(n, factor, index)?;
    let at_start = equal(n, index, &Bus::constant(0, 4))?;
    let above = n.lut(Lut::AND_NOT, &[&at_start, &factor.high_bit()?])?;
    n.lut(FACTOR_BIT, &[underflow, passed, &within, &above])
}

/// Arguments `passed`, `wraps`, `by_factor`.
const PASSED: Lut = Lut::new(3, (A | B) & C);
/// Arguments `underflow`, `passed`, `within`, `above`.
const FACTOR_BIT: Lut = Lut::new(4, !A & (!B & C | B & D));

/// Drives the operand; `bit`: \[1\], that of the factor.
fn select_operand(
    n: &mut Builder,
    control: &Bus,
    registers: &Registers,
    memories: &Memories,
    bit: &Bus,
) -> Fits<()> {
    let of = |signal: Signal| signal.of(control);
    let swaps = n.and(&of(Signal::Swapped), &registers.token_leads)?;
    let from_channel = n.xor(&of(Signal::FromChannel), &swaps)?;
    let from_token = n.lut(Lut::AND_NOT, &[&of(Signal::FromToken), &from_channel])?;
    let given = n.lut(GIVEN, &[&of(Signal::Always), &of(Signal::ByFactor), bit])?;
    let changes = n.and(&of(Signal::BySign), &registers.negative)?;
    let complement = n.or(&of(Signal::Complement), &changes)?;

    let Memories { channel, token, constant } = memories;
    let operand = n.lut(SELECT_GIVEN, &[&from_channel, constant, channel, &given])?;
    let operand = n.lut(SELECT_COMPLEMENT, &[&from_token, &operand, token, &complement])?;
    let sign = n.select(&of(Signal::Signed), &operand.high_bit()?, &registers.negative)?;
    n.drive(&registers.operand, &cat([&operand, &sign]));
    let carry = n.lut(CARRY, &[&of(Signal::Complete), &complement, &of(Signal::Signed)])?;
    n.drive(&registers.carry, &carry);
    Ok(())
}

/// Arguments `complete`, `complement`, `signed`.
const CARRY: Lut = Lut::new(3, A & B | C);
/// Arguments `always`, `by_factor`, `bit`.
const GIVEN: Lut = Lut::new(3, A | B & C);
/// Arguments `select`, `zero`, `one`, `given`: one of the two, or 0.
const SELECT_GIVEN: Lut = Lut::new(4, D & (!A & B | A & C));
/// Arguments `select`, `zero`, `one`, `complement`: one of the two, or its complement.
const SELECT_COMPLEMENT: Lut = Lut::new(4, (!A & B | A & C) ^ D);

/// Drives the accumulator; `sum`: \[17\].
fn accumulate(
    n: &mut Builder,
    control: &Bus,
    registers: &Registers,
    sum: &Bus,
    divide: &Bus,
) -> Fits<()> {
    let Registers { accumulator, factor, .. } = registers;
    let [halve, clear] = [Signal::Halve, Signal::Clear].map(|signal| signal.of(control));
    let halved = sum.skip(1).sign_extend(WIDTH + 1);
    let sum_or_half = n.select(&halve, sum, &halved)?;
    let remainder = n.select(&sum.high_bit()?, sum, accumulator)?;
    let doubled = cat([&factor.high_bit()?, &remainder.low(WIDTH)]);
    let next = n.lut(SELECT_OR_CLEAR, &[divide, &sum_or_half, &doubled, &clear])?;
    n.drive(accumulator, &next);
    Ok(())
}

/// Arguments `select`, `zero`, `one`, `clear`: one of the two, or 0.
const SELECT_OR_CLEAR: Lut = Lut::new(4, (!A & B | A & C) & !D);
