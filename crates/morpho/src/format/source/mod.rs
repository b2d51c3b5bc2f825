//! What a netlist file says, before it is a circuit: modules of named nets, gates, registers and
//! instances, every item with its place in the file.
//!
//! A reader fills a [`Design`] and reports to [`Problems`]; [`elaborate`] flattens the hierarchy,
//! checks what is driven and read, and builds the netlist. Nothing here depends on a format.

pub(super) mod cells;
mod cone;
mod decompose;
mod elaborate;
mod flatten;
mod group;
mod link;
mod problems;
mod resolve;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

pub(super) use cone::{Cone, Cones};
pub(super) use decompose::{MAX_INPUTS, decompose, multiplexer};
pub(super) use elaborate::elaborate;
pub(super) use problems::{Problems, Tally};

use crate::lut::Lut;

/// A place in a file, both counted from 1; line 0 is the file as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position {
    pub line: u32,
    /// In bytes.
    pub column: u32,
}

/// One bit inside a module: an index into its nets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Net(pub u32);

impl Net {
    /// The net of a constant; every module has both.
    pub fn constant(value: bool) -> Net {
        Net(value as u32)
    }

    pub fn as_constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self.0 == 1)
    }
}

/// A file: its modules, and the one that it says is the circuit, if it says so.
#[derive(Default)]
pub(super) struct Design {
    pub modules: Vec<Module>,
    pub top: Option<String>,
}

/// A name inside a module: an index into its names.
#[derive(Clone, Copy)]
pub(super) struct Name(u32);

/// The name of a net: that of its bus, and its position there unless it is no part of one.
#[derive(Clone, Copy)]
struct NetName {
    /// An index into the names of the module; [`NetName::NONE`] for a net without a name.
    name: u32,
    bit: Option<u32>,
    position: Position,
}

impl NetName {
    const NONE: u32 = u32::MAX;
}

/// A module as the file has it.
pub(super) struct Module {
    pub name: String,
    pub position: Position,
    names: Vec<Box<str>>,
    nets: Vec<NetName>,
    ports: Vec<Port>,
    gates: Vec<Gate>,
    aliases: Vec<Alias>,
    registers: Vec<Register>,
    memories: Vec<Memory>,
    instances: Vec<Instance>,
}

/// Which way a port goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Input,
    Output,
}

/// A port of a module.
pub(super) struct Port {
    pub name: String,
    pub direction: Direction,
    /// Low bit first.
    pub bits: Vec<Net>,
    /// Whether it is declared as a vector; a scalar may be grouped with others by its name.
    pub vector: bool,
    pub position: Position,
}

struct Gate {
    lut: Lut,
    inputs: SmallVec<[Net; 4]>,
    output: Net,
    position: Position,
}

/// `output` shows what `input` carries.
struct Alias {
    output: Net,
    input: Net,
    position: Position,
}

/// One bit of a register. Its name is that of the net `output`.
pub(super) struct Register {
    pub next: Net,
    pub output: Net,
    pub initial: bool,
    /// The net that clocks it; `None` where the format leaves the clock of the circuit unnamed.
    pub clock: Option<Net>,
    pub position: Position,
}

/// A memory of `2^A` words of `W` bits, as in [`memory`](crate::memory).
pub(super) struct Memory {
    pub name: String,
    /// A word for each address.
    pub initial: Vec<u128>,
    /// Constant 0 in a memory that is only read.
    pub write_enable: Net,
    /// \[A\].
    pub write_address: Vec<Net>,
    /// \[W\].
    pub write_data: Vec<Net>,
    pub reads: Vec<MemoryRead>,
    pub clock: Net,
    pub position: Position,
}

/// A port that takes the word at `address`, \[A\], at the clock edge and shows it at `data`, \[W\].
pub(super) struct MemoryRead {
    pub enable: Net,
    pub address: Vec<Net>,
    pub data: Vec<Net>,
}

/// A module used inside another.
pub(super) struct Instance {
    pub module: String,
    pub name: String,
    pub connections: Vec<Connection>,
    pub position: Position,
}

/// What one port of an instance is connected to.
pub(super) struct Connection {
    /// The name of the port.
    pub port: String,
    /// Low bit first; empty if the port is left open.
    pub bits: Vec<Net>,
    pub position: Position,
}

impl Module {
    pub fn new(name: impl Into<String>, position: Position) -> Module {
        let constant = NetName { name: NetName::NONE, bit: None, position };
        Module {
            name: name.into(),
            position,
            names: Vec::new(),
            nets: vec![constant; 2],
            ports: Vec::new(),
            gates: Vec::new(),
            aliases: Vec::new(),
            registers: Vec::new(),
            memories: Vec::new(),
            instances: Vec::new(),
        }
    }

    /// A net without a name.
    pub fn net(&mut self, position: Position) -> Net {
        self.add(NetName { name: NetName::NONE, bit: None, position })
    }

    /// A net with a name of its own. Names are not looked up here: a reader keeps its own table.
    pub fn named(&mut self, name: &str, position: Position) -> Net {
        let name = self.intern(name);
        self.add(NetName { name, bit: None, position })
    }

    /// A net that is `bit` of the bus of that name, or all of it.
    pub fn bit(&mut self, name: Name, bit: Option<u32>, position: Position) -> Net {
        self.add(NetName { name: name.0, bit, position })
    }

    /// A name for [`bit`](Module::bit).
    pub fn name(&mut self, name: &str) -> Name {
        Name(self.intern(name))
    }

    /// The first of the nets of a vector, which follow one another; each is named as the bit of
    /// `name` at its place in `bits`.
    pub fn vector(
        &mut self,
        name: &str,
        bits: impl Iterator<Item = u32>,
        position: Position,
    ) -> Net {
        let (name, first) = (self.intern(name), Net(self.nets.len() as u32));
        for bit in bits {
            self.add(NetName { name, bit: Some(bit), position });
        }
        first
    }

    /// A port; its nets exist already.
    pub fn port(&mut self, port: Port) {
        self.ports.push(port);
    }

    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// A gate of at most six inputs. One that only passes its input on is an alias.
    pub fn gate(&mut self, lut: Lut, inputs: &[Net], output: Net, position: Position) {
        match (lut, lut.constant()) {
            (_, Some(value)) => self.alias(output, Net::constant(value), position),
            (Lut::BUFFER, _) => self.alias(output, inputs[0], position),
            _ => self.gates.push(Gate { lut, inputs: inputs.into(), output, position }),
        }
    }

    pub fn alias(&mut self, output: Net, input: Net, position: Position) {
        self.aliases.push(Alias { output, input, position });
    }

    /// The nets that only show a constant.
    pub fn constants(&self) -> FxHashMap<Net, bool> {
        let constant = |alias: &Alias| Some((alias.output, alias.input.as_constant()?));
        self.aliases.iter().filter_map(constant).collect()
    }

    pub fn register(&mut self, register: Register) {
        self.registers.push(register);
    }

    pub fn memory(&mut self, memory: Memory) {
        self.memories.push(memory);
    }

    pub fn instance(&mut self, instance: Instance) {
        self.instances.push(instance);
    }

    /// How many nets there are, the two constants included.
    pub fn net_count(&self) -> usize {
        self.nets.len()
    }

    fn intern(&mut self, name: &str) -> u32 {
        self.names.push(name.into());
        self.names.len() as u32 - 1
    }

    fn add(&mut self, name: NetName) -> Net {
        self.nets.push(name);
        Net(u32::try_from(self.nets.len() - 1).expect("a file names fewer than 2^32 bits"))
    }
}
