//! A module while its cells are added.

use rustc_hash::FxHashMap;

use super::document::Bit;
use crate::format::source::{Module, Net, Position, Register, Tally};

/// A module and what the numbers of its nets stand for.
pub(super) struct Body<'c> {
    pub module: Module,
    nets: FxHashMap<u64, Net>,
    initial: FxHashMap<Net, bool>,
    pub counts: &'c mut Counts,
}

/// What is told once for a whole file.
#[derive(Default)]
pub(super) struct Counts {
    /// Bits that are `x` or `z`.
    pub unknown: Tally,
    /// Register bits without an initial value.
    pub uninitialised: Tally,
    /// Flip-flops that store at the falling edge.
    pub falling: Tally,
}

impl<'c> Body<'c> {
    pub fn new(module: Module, counts: &'c mut Counts) -> Body<'c> {
        Body { module, nets: FxHashMap::default(), initial: FxHashMap::default(), counts }
    }

    /// The net of a bit; one that is first met here has no name.
    pub fn net(&mut self, bit: Bit, position: Position) -> Net {
        match bit {
            Bit::Net(number) => {
                *self.nets.entry(number).or_insert_with(|| self.module.net(position))
            }
            Bit::Constant(value) => Net::constant(value),
            Bit::Unknown => {
                self.counts.unknown.add(position);
                Net::constant(false)
            }
        }
    }

    /// Names bits that have no name yet, as the bits of a bus or as one wire.
    pub fn name(&mut self, name: &str, bits: &[Bit], bus: bool, position: Position) {
        let mut known = None;
        for (place, &bit) in bits.iter().enumerate() {
            let Bit::Net(number) = bit else { continue };
            if let std::collections::hash_map::Entry::Vacant(entry) = self.nets.entry(number) {
                let name = *known.get_or_insert_with(|| self.module.name(name));
                let place = bus.then_some(place as u32);
                entry.insert(self.module.bit(name, place, position));
            }
        }
    }

    /// Notes the value that a register shows first; false if another one is noted already.
    pub fn start(&mut self, bit: Bit, value: bool, position: Position) -> bool {
        let net = self.net(bit, position);
        *self.initial.entry(net).or_insert(value) == value
    }

    /// Counts a flip-flop if it does not store at the rising edge.
    pub fn edge(&mut self, rising: bool, position: Position) {
        if !rising {
            self.counts.falling.add(position);
        }
    }

    /// A register bit; without a noted initial value it has the one given, or any.
    pub fn register(&mut self, register: Register, initial: Option<bool>) {
        let initial = self.initial.get(&register.output).copied().or(initial);
        if initial.is_none() {
            self.counts.uninitialised.add(register.position);
        }
        self.module.register(Register { initial: initial.unwrap_or(false), ..register });
    }
}
