//! Memories: words that are read and written at the clock edge.
//!
//! A memory has `2^A` words of `W` bits, one write port, and any number of read ports. At a clock
//! edge a read port whose enable is set takes the word at its address, and shows it until it is
//! enabled again; the write port, if enabled, stores its data at its address. A read at the edge
//! of a write to the same word gives the old word. This is what the block memories of small FPGAs
//! do: a read port is registered, and reads before it writes.
//!
//! Some do so at a cost, as two ports of a block need not agree on an order. A circuit that uses no
//! word read at the edge of a write to it says so, [`Memory::apart`]; in simulation such a word is
//! then the complement of the old one, so that its use is found out.
//!
//! Before its first read a read port shows 0 in simulation; hardware may show anything.
//!
//! ```
//! use morpho::memory::{ReadPort, WritePort};
//! use morpho::{Builder, Bus, sim::Interpreter};
//!
//! let squares: Vec<u128> = (0..16).map(|x| x * x).collect();
//! let rom = Builder::build("squares", |n| {
//!     let address = n.input("x", 4);
//!     let read = ReadPort { enable: Bus::one(), address };
//!     let data = n.memory("table", 8, &squares, &WritePort::never(4, 8), &[read])?;
//!     n.output("y", &data[0]);
//!     Ok(())
//! })?;
//! let mut simulator = Interpreter::new(&rom);
//! simulator.set("x", &[3, 15]);
//! simulator.step()?;
//! simulator.evaluate()?;
//! assert_eq!(simulator.get("y", 2), [9, 225]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::bus::Bus;
use crate::netlist::{Netlist, Wire};

/// The widest word of a memory, in bits.
pub const MAX_WIDTH: usize = 128;

/// The most address bits of a memory.
pub const MAX_ADDRESS_BITS: usize = 24;

/// A read port to be built.
#[derive(Clone, Debug)]
pub struct ReadPort {
    /// Whether the port takes a word at the clock edge, \[1\].
    pub enable: Bus,
    /// Which word, \[A\], unsigned.
    pub address: Bus,
}

/// The write port to be built.
#[derive(Clone, Debug)]
pub struct WritePort {
    /// Whether the data is stored at the clock edge, \[1\].
    pub enable: Bus,
    /// Which word it becomes, \[A\], unsigned.
    pub address: Bus,
    /// The word, \[W\].
    pub data: Bus,
}

impl WritePort {
    /// The write port of a memory that is only read, of `2^address_bits` words of `width` bits.
    pub fn never(address_bits: usize, width: usize) -> WritePort {
        let [address, data] = [address_bits, width].map(|width| Bus::constant(0, width));
        WritePort { enable: Bus::zero(), address, data }
    }
}

/// A read port of a finished memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryRead {
    /// Whether the port takes a word at the clock edge.
    pub enable: Wire,
    /// Which word, low bit first.
    pub address: Vec<Wire>,
    /// The word taken last, low bit first; each wire is driven by a
    /// [`Node::Memory`](crate::Node::Memory).
    pub data: Vec<Wire>,
}

/// The write port of a finished memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryWrite {
    /// Whether the data is stored at the clock edge; constant 0 in a memory that is only read.
    pub enable: Wire,
    /// Which word it becomes, low bit first.
    pub address: Vec<Wire>,
    /// The word, low bit first.
    pub data: Vec<Wire>,
}

/// A memory of a finished circuit. Read ports that nothing reads are dropped by dead code
/// removal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The name, unique among the memories of the circuit.
    pub name: String,
    /// The words before the first clock edge, one for each address.
    pub initial: Vec<u128>,
    /// Whether no word is used that was read at the edge of a write to it.
    pub apart: bool,
    /// The write port.
    pub write: MemoryWrite,
    /// The read ports that are left.
    pub reads: Vec<MemoryRead>,
}

impl Memory {
    /// Bits of an address.
    pub fn address_bits(&self) -> usize {
        self.write.address.len()
    }

    /// Bits of a word.
    pub fn width(&self) -> usize {
        self.write.data.len()
    }

    /// Number of words.
    pub fn depth(&self) -> usize {
        self.initial.len()
    }

    /// Whether it is only read.
    pub fn is_rom(&self) -> bool {
        self.write.enable == Wire::ZERO
    }

    /// The wires that it reads at the clock edge.
    pub fn sinks(&self) -> impl Iterator<Item = Wire> {
        let reads = self
            .reads
            .iter()
            .flat_map(|read| std::iter::once(read.enable).chain(read.address.iter().copied()));
        self.write.sinks().chain(reads)
    }

    pub(crate) fn sinks_mut(&mut self) -> impl Iterator<Item = &mut Wire> {
        let MemoryWrite { enable, address, data } = &mut self.write;
        let write = std::iter::once(enable).chain(address).chain(data);
        let reads = self
            .reads
            .iter_mut()
            .flat_map(|read| std::iter::once(&mut read.enable).chain(&mut read.address));
        write.chain(reads)
    }

    pub(crate) fn data_mut(&mut self) -> impl Iterator<Item = &mut Wire> {
        self.reads.iter_mut().flat_map(|read| &mut read.data)
    }
}

impl MemoryWrite {
    /// The wires that it reads at the clock edge.
    pub fn sinks(&self) -> impl Iterator<Item = Wire> {
        std::iter::once(self.enable)
            .chain(self.address.iter().copied())
            .chain(self.data.iter().copied())
    }
}

impl Netlist {
    /// The memories, in the order of their declaration.
    pub fn memories(&self) -> &[Memory] {
        &self.memories
    }
}
