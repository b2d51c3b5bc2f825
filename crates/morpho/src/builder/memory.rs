//! Memories in a circuit under construction.

use rustc_hash::FxHashMap;

use super::{Builder, DraftNode, unique, width_mismatch};
use crate::bus::Bus;
use crate::cell::Fits;
use crate::diagnostic::Diagnostic;
use crate::memory::{MAX_ADDRESS_BITS, MAX_WIDTH, Memory, MemoryRead, MemoryWrite};
use crate::memory::{ReadPort, WritePort};
use crate::netlist::Node;

impl Builder {
    /// A [memory](crate::memory) of `2^A` words of `width` bits, `A` being the width of the
    /// addresses; gives the word of each read port, \[`width`\].
    ///
    /// `initial` are its first words before the first clock edge; the others are 0. What a port
    /// reads may depend on the memory itself, through [`forward`](Builder::forward) wires. A name
    /// that is taken gets a number.
    ///
    /// # Errors
    /// Refused if the ports differ in width, if there are more initial words than addresses, if
    /// one has more than `width` bits, or beyond [`MAX_WIDTH`] and [`MAX_ADDRESS_BITS`].
    pub fn memory(
        &mut self,
        name: &str,
        width: usize,
        initial: &[u128],
        write: &WritePort,
        reads: &[ReadPort],
    ) -> Fits<Vec<Bus>> {
        check(name, width, initial, write)?;
        for read in reads {
            self.same_width("a memory's enables", &[&write.enable, &read.enable, &Bus::one()])?;
            self.same_width("a memory's addresses", &[&write.address, &read.address])?;
        }
        let mut words = initial.to_vec();
        words.resize(1 << write.address.width(), 0);
        let reads: Vec<MemoryRead> = reads
            .iter()
            .map(|read| MemoryRead {
                enable: read.enable.wires()[0],
                address: read.address.wires().to_vec(),
                data: (0..width).map(|_| self.add(DraftNode::Done(Node::Memory))).collect(),
            })
            .collect();
        let data = reads.iter().map(|read| Bus::from(&read.data[..])).collect();
        let write = MemoryWrite {
            enable: write.enable.wires()[0],
            address: write.address.wires().to_vec(),
            data: write.data.wires().to_vec(),
        };
        let name = format!("{}{name}", self.prefix);
        self.memories.push(Memory { name, initial: words, apart: false, write, reads });
        Ok(data)
    }

    /// As [`memory`](Builder::memory), in a circuit that uses no word which was read at the edge of a
    /// write to it. Hardware then need not care for the order of the two.
    ///
    /// # Errors
    /// As [`memory`](Builder::memory).
    pub fn memory_apart(
        &mut self,
        name: &str,
        width: usize,
        initial: &[u128],
        write: &WritePort,
        reads: &[ReadPort],
    ) -> Fits<Vec<Bus>> {
        let words = self.memory(name, width, initial, write, reads)?;
        self.memories.last_mut().expect("it was just added").apart = true;
        Ok(words)
    }

    /// A memory as `part` has it, its read data driven by new nodes; what its ports read is left
    /// as it is there.
    pub(super) fn copy_memory(&mut self, part: &Memory) -> &mut Memory {
        let mut copy = part.clone();
        copy.name = format!("{}{}", self.prefix, part.name);
        for wire in copy.data_mut() {
            *wire = self.add(DraftNode::Done(Node::Memory));
        }
        self.memories.push(copy);
        self.memories.last_mut().expect("it was just added")
    }

    pub(super) fn name_memories(&mut self) {
        let mut taken = FxHashMap::default();
        for memory in &mut self.memories {
            memory.name = unique(&mut taken, &memory.name);
        }
    }
}

fn check(name: &str, width: usize, initial: &[u128], write: &WritePort) -> Fits<()> {
    let refuse = |text: String| Err(Diagnostic::new(format!("memory `{name}` {text}")).into());
    let address_bits = write.address.width();
    if write.enable.width() != 1 {
        return Err(width_mismatch("a memory's enables", &[&write.enable, &Bus::one()]));
    }
    if !(1..=MAX_WIDTH).contains(&width) || address_bits > MAX_ADDRESS_BITS {
        return refuse(format!(
            "has words of {width} bits and addresses of {address_bits}: \
             a word has 1 to {MAX_WIDTH} bits, an address up to {MAX_ADDRESS_BITS}"
        ));
    }
    if write.data.width() != width {
        return refuse(format!("has words of {width} bits and is given {}", write.data.width()));
    }
    if initial.len() > 1 << address_bits {
        let words = initial.len();
        return refuse(format!("has {} words and is given {words}", 1usize << address_bits));
    }
    match initial.iter().position(|word| u128::BITS - word.leading_zeros() > width as u32) {
        Some(place) => refuse(format!("cannot hold word {place} in {width} bits")),
        None => Ok(()),
    }
}
