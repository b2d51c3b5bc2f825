//! Running a program on many lanes.

use std::sync::Arc;

use pulp::Arch;
use rayon::prelude::*;

use super::kernel::{Chunk, LANES, execute};
use super::memory::Words;
use super::program::{Input, Output, Pins, Program, RegisterPort, Segment};
use super::transpose::{Number, Pack, Unpack};
use super::{Oscillation, SETTLING_ROUNDS};
use crate::netlist::Wire;

/// Chunks in a block when there are lanes enough to fill it.
const WIDE: usize = 8;

/// From this many lanes on, blocks are wide.
const WIDE_FROM: usize = 4 * LANES;

/// Any number of lanes of a program.
///
/// Lanes are independent stimuli of the same circuit: channels of a bank, or test vectors.
pub struct Simulator {
    blocks: Vec<Lanes>,
    lanes_per_block: usize,
    lanes: usize,
}

impl Simulator {
    /// `lanes` lanes before the first clock edge, all inputs 0.
    pub fn new(program: impl Into<Arc<Program>>, lanes: usize) -> Simulator {
        let program = program.into();
        let chunks = if lanes >= WIDE_FROM { WIDE } else { 1 };
        let lanes_per_block = chunks * LANES;
        let starts = (0..lanes).step_by(lanes_per_block);
        let block =
            |start| Lanes::new(Arc::clone(&program), chunks, lanes_per_block.min(lanes - start));
        Simulator { blocks: starts.map(block).collect(), lanes_per_block, lanes }
    }

    /// The blocks of lanes, for work that stays on one block for many steps.
    pub fn blocks_mut(&mut self) -> &mut [Lanes] {
        &mut self.blocks
    }

    /// Number of lanes.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Number of lanes in each block but the last, which may have fewer.
    pub fn lanes_per_block(&self) -> usize {
        self.lanes_per_block
    }

    /// Back to the state before the first clock edge; inputs stay.
    pub fn reset(&mut self) {
        self.blocks.par_iter_mut().for_each(Lanes::reset);
    }

    /// Sets an input port, one number per lane; bits past the width of the port are dropped.
    ///
    /// # Panics
    /// If the number of numbers is not the number of lanes.
    pub fn set<T: Number + Sync>(&mut self, port: Input, numbers: &[T]) {
        self.each_with(numbers, |block, numbers| block.set(port, numbers));
    }

    /// Sets a register, one number per lane.
    ///
    /// # Panics
    /// If the number of numbers is not the number of lanes.
    pub fn set_register<T: Number + Sync>(&mut self, register: RegisterPort, numbers: &[T]) {
        self.each_with(numbers, |block, numbers| block.set_register(register, numbers));
    }

    /// Brings the outputs up to date with the inputs and registers.
    ///
    /// # Errors
    /// If an asynchronous loop does not settle.
    pub fn evaluate(&mut self) -> Result<(), Oscillation> {
        self.blocks.par_iter_mut().try_for_each(Lanes::evaluate)
    }

    /// Evaluates, then lets every register take its next value. The outputs keep showing the
    /// values from before the clock edge.
    ///
    /// # Errors
    /// If an asynchronous loop does not settle.
    pub fn step(&mut self) -> Result<(), Oscillation> {
        self.blocks.par_iter_mut().try_for_each(Lanes::step)
    }

    /// An output port as of the last evaluation, one number per lane; signed types sign-extend.
    pub fn get<T: Number + Send>(&self, port: Output) -> Vec<T> {
        self.collect(|block, numbers| block.get(port, numbers))
    }

    /// A register, one number per lane; signed types sign-extend.
    pub fn get_register<T: Number + Send>(&self, register: RegisterPort) -> Vec<T> {
        self.collect(|block, numbers| block.get_register(register, numbers))
    }

    fn each_with<T: Sync>(&mut self, numbers: &[T], set: impl Fn(&mut Lanes, &[T]) + Sync) {
        assert_eq!(numbers.len(), self.lanes, "one number per lane");
        let chunks = numbers.par_chunks(self.lanes_per_block);
        self.blocks.par_iter_mut().zip(chunks).for_each(|(block, numbers)| set(block, numbers));
    }

    fn collect<T: Number + Send>(&self, get: impl Fn(&Lanes, &mut [T]) + Sync) -> Vec<T> {
        let mut numbers = vec![T::default(); self.lanes];
        let chunks = numbers.par_chunks_mut(self.lanes_per_block);
        self.blocks.par_iter().zip(chunks).for_each(|(block, numbers)| get(block, numbers));
        numbers
    }
}

/// One block of lanes of a program, run by one thread.
pub struct Lanes {
    program: Arc<Program>,
    arch: Arch,
    lanes: usize,
    chunks: usize,
    /// `chunks` chunks for each slot.
    slots: Vec<Chunk>,
    memories: Vec<Words>,
}

impl Lanes {
    fn new(program: Arc<Program>, chunks: usize, lanes: usize) -> Lanes {
        let slots = vec![Chunk::splat(false); program.slots * chunks];
        let memories = program.memories.iter().map(|memory| Words::new(memory, lanes)).collect();
        let mut block = Lanes { program, arch: Arch::new(), lanes, chunks, slots, memories };
        slot_mut(&mut block.slots, chunks, Wire::ONE.0).fill(Chunk::splat(true));
        block.reset();
        block
    }

    /// Number of lanes.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Back to the state before the first clock edge; inputs stay, loops start from 0.
    pub fn reset(&mut self) {
        let Lanes { program, slots, chunks, memories, .. } = self;
        for (memory, words) in std::iter::zip(&program.memories, memories) {
            words.reset(memory);
            for &slot in memory.reads.iter().flat_map(|read| &read.data) {
                slot_mut(slots, *chunks, slot).fill(Chunk::splat(false));
            }
        }
        for transfer in &program.clock {
            slot_mut(slots, *chunks, transfer.register).fill(Chunk::splat(transfer.initial));
        }
        for &slot in program.segments.iter().flat_map(|segment| &segment.settle) {
            slot_mut(slots, *chunks, slot).fill(Chunk::splat(false));
        }
    }

    /// Sets an input port, one number per lane; bits past the width of the port are dropped.
    ///
    /// # Panics
    /// If there are more numbers than lanes; missing ones are 0.
    pub fn set<T: Number>(&mut self, port: Input, numbers: &[T]) {
        self.write(|program| &program.inputs[port.0], numbers);
    }

    /// Sets an input port to the same number on every lane.
    pub fn set_all<T: Number>(&mut self, port: Input, number: T) {
        let Lanes { program, slots, chunks, .. } = self;
        for (bit, &slot) in program.inputs[port.0].slots.iter().enumerate() {
            let set = number.word(bit / 64) >> (bit % 64) & 1 == 1;
            slot_mut(slots, *chunks, slot).fill(Chunk::splat(set));
        }
    }

    /// Sets a register, one number per lane.
    ///
    /// # Panics
    /// If there are more numbers than lanes; missing ones are 0.
    pub fn set_register<T: Number>(&mut self, register: RegisterPort, numbers: &[T]) {
        self.write(|program| &program.registers[register.0], numbers);
    }

    /// Reads an output port as of the last evaluation, one number per lane.
    ///
    /// # Panics
    /// If there are more numbers than lanes.
    pub fn get<T: Number>(&self, port: Output, numbers: &mut [T]) {
        self.read(&self.program.outputs[port.0], numbers);
    }

    /// Reads a register, one number per lane.
    ///
    /// # Panics
    /// If there are more numbers than lanes.
    pub fn get_register<T: Number>(&self, register: RegisterPort, numbers: &mut [T]) {
        self.read(&self.program.registers[register.0], numbers);
    }

    /// Brings the outputs up to date with the inputs and registers.
    ///
    /// # Errors
    /// If an asynchronous loop does not settle.
    pub fn evaluate(&mut self) -> Result<(), Oscillation> {
        let Lanes { program, arch, slots, chunks, lanes, .. } = self;
        for segment in &program.segments {
            match segment.settle.is_empty() {
                true => run(segment, slots, *chunks, *arch),
                false => settle(segment, slots, *chunks, *lanes, *arch)?,
            }
        }
        Ok(())
    }

    /// Evaluates, then lets every register take its next value. The outputs keep showing the
    /// values from before the clock edge.
    ///
    /// # Errors
    /// If an asynchronous loop does not settle.
    pub fn step(&mut self) -> Result<(), Oscillation> {
        self.evaluate()?;
        for (memory, words) in std::iter::zip(&self.program.memories, &mut self.memories) {
            words.step(memory, &mut self.slots, self.chunks);
        }
        for transfer in &self.program.clock {
            let (next, chunks) = (transfer.next as usize * self.chunks, self.chunks);
            self.slots.copy_within(next..next + chunks, transfer.register as usize * chunks);
        }
        Ok(())
    }

    fn write<T: Number>(&mut self, pins: impl Fn(&Program) -> &Pins, numbers: &[T]) {
        let Lanes { program, arch, lanes, chunks, slots, .. } = self;
        assert!(numbers.len() <= *lanes, "at most one number per lane");
        let mut planes = [Chunk::splat(false); 64];
        for chunk in 0..*chunks {
            let numbers = &numbers[(chunk * LANES).min(numbers.len())..];
            let numbers = &numbers[..LANES.min(numbers.len())];
            for (index, pins) in pins(program).slots.chunks(64).enumerate() {
                let (width, planes) = (pins.len(), &mut planes);
                arch.dispatch(Pack { numbers, index, width, planes });
                for (&slot, plane) in std::iter::zip(pins, planes) {
                    // Register bits that were removed as dead stand at the constant 0.
                    if slot != Wire::ZERO.0 {
                        slot_mut(slots, *chunks, slot)[chunk] = *plane;
                    }
                }
            }
        }
    }

    fn read<T: Number>(&self, pins: &Pins, numbers: &mut [T]) {
        assert!(numbers.len() <= self.lanes, "at most one number per lane");
        let mut planes = [Chunk::splat(false); 64];
        let mut words = [[0; LANES]; 2];
        let width = pins.slots.len();
        for (chunk, numbers) in numbers.chunks_mut(LANES).enumerate() {
            for (words, slots) in std::iter::zip(&mut words, pins.slots.chunks(64)) {
                for (plane, &slot) in std::iter::zip(&mut planes, slots) {
                    *plane = self.slots[slot as usize * self.chunks + chunk];
                }
                let (width, planes) = (slots.len(), &mut planes);
                self.arch.dispatch(Unpack { planes, width, words });
            }
            let [low, high] = &words;
            for (number, (&low, &high)) in std::iter::zip(numbers, std::iter::zip(low, high)) {
                *number = extend(low, high, width);
            }
        }
    }
}

fn slot_mut(slots: &mut [Chunk], chunks: usize, slot: u32) -> &mut [Chunk] {
    &mut slots[slot as usize * chunks..][..chunks]
}

fn run(segment: &Segment, slots: &mut [Chunk], chunks: usize, arch: Arch) {
    let (runs, operations) = (&segment.runs, &segment.operations);
    match chunks {
        1 => execute::<1>(runs, operations, slots.as_chunks_mut().0, arch),
        _ => execute::<WIDE>(runs, operations, slots.as_chunks_mut().0, arch),
    }
}

/// Runs an asynchronous loop until its gates keep their values on the first `lanes` lanes; the
/// rest of the last chunk holds inputs that nobody gave, and may oscillate.
fn settle(
    segment: &Segment,
    slots: &mut [Chunk],
    chunks: usize,
    lanes: usize,
    arch: Arch,
) -> Result<(), Oscillation> {
    let mut before = Vec::new();
    for _ in 0..=SETTLING_ROUNDS {
        let looped = segment.settle.iter();
        let values = looped.flat_map(|&slot| {
            let values = slots[slot as usize * chunks..][..chunks].iter().enumerate();
            values.map(|(chunk, value)| value.first(lanes.saturating_sub(chunk * LANES)))
        });
        let values: Vec<Chunk> = values.collect();
        if values == before {
            return Ok(());
        }
        before = values;
        run(segment, slots, chunks, arch);
    }
    Err(Oscillation { gates: segment.gates })
}

/// The number of `width` bits whose low and high words these are.
#[inline(always)]
fn extend<T: Number>(low: u64, high: u64, width: usize) -> T {
    let sign_extend = |word: u64, unused: u32| ((word << unused) as i64 >> unused) as u64;
    match (T::SIGNED, width) {
        (false, _) | (true, 0 | 128..) => T::from_words(low, high),
        (true, 1..=64) => {
            let low = sign_extend(low, 64 - width as u32);
            T::from_words(low, (low as i64 >> 63) as u64)
        }
        (true, _) => T::from_words(low, sign_extend(high, 128 - width as u32)),
    }
}
