//! The words of a memory on a block of lanes.

use super::kernel::{Chunk, LANES};
use super::program::{MemorySlots, PortSlots};

/// The words of a memory: all addresses of the first lane, then of the second.
///
/// Lanes may have different addresses, so each lane reads and writes for itself.
pub(super) struct Words {
    words: Vec<u128>,
    lanes: usize,
}

impl Words {
    pub fn new(memory: &MemorySlots, lanes: usize) -> Words {
        Words { words: memory.initial.repeat(lanes), lanes }
    }

    /// Back to the initial words.
    pub fn reset(&mut self, memory: &MemorySlots) {
        for lane in self.words.chunks_mut(memory.initial.len()) {
            lane.copy_from_slice(&memory.initial);
        }
    }

    /// One clock edge: every read port takes its word, then the write port stores its own.
    pub fn step(&mut self, memory: &MemorySlots, slots: &mut [Chunk], chunks: usize) {
        let depth = memory.initial.len();
        for lane in 0..self.lanes {
            let at = Lane { chunks, lane };
            let words = &mut self.words[lane * depth..][..depth];
            let PortSlots { enable, address, data } = &memory.write;
            let written = at.bit(slots, *enable).then(|| at.number(slots, address));
            let data_written = at.number(slots, data);
            for PortSlots { enable, address, data } in &memory.reads {
                if at.bit(slots, *enable) {
                    let place = at.number(slots, address);
                    let word = words[place as usize];
                    let collides = memory.apart && written == Some(place);
                    at.set_number(slots, data, if collides { !word } else { word });
                }
            }
            if let Some(place) = written {
                words[place as usize] = data_written;
            }
        }
    }
}

/// Where one lane is in the chunks of a slot.
#[derive(Clone, Copy)]
struct Lane {
    chunks: usize,
    lane: usize,
}

impl Lane {
    fn word(self, slot: u32) -> (usize, usize, usize) {
        let within = self.lane % LANES;
        (slot as usize * self.chunks + self.lane / LANES, within / 64, within % 64)
    }

    fn bit(self, slots: &[Chunk], slot: u32) -> bool {
        let (chunk, word, bit) = self.word(slot);
        slots[chunk].0[word] >> bit & 1 == 1
    }

    fn number(self, slots: &[Chunk], bus: &[u32]) -> u128 {
        let bits = bus.iter().enumerate();
        bits.fold(0, |number, (bit, &slot)| number | u128::from(self.bit(slots, slot)) << bit)
    }

    fn set_number(self, slots: &mut [Chunk], bus: &[u32], number: u128) {
        for (index, &slot) in bus.iter().enumerate() {
            let (chunk, word, bit) = self.word(slot);
            let place = &mut slots[chunk].0[word];
            *place = *place & !(1 << bit) | ((number >> index & 1) as u64) << bit;
        }
    }
}
