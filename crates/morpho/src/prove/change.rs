//! Circuits with one thing changed.

use crate::lut::Lut;
use crate::netlist::{Netlist, Node, Wire};

/// One change to a circuit: a fault of the hardware, or a mistake of its author.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// The gate that drives `wire` computes `lut` of its inputs.
    Gate {
        /// The output of the gate.
        wire: Wire,
        /// What it computes, of as many arguments as before.
        lut: Lut,
    },
    /// `wire`, whatever drives it, always has this value.
    Stuck {
        /// The wire.
        wire: Wire,
        /// The value it has.
        value: bool,
    },
    /// A register bit keeps the value that it starts with.
    Held {
        /// The number of the register.
        register: usize,
        /// The number of the bit among those that are left of it.
        bit: usize,
    },
}

impl Change {
    /// The wire that has another value; none for a register bit that is held, whose next value is
    /// no wire of its own.
    pub fn place(self) -> Option<Wire> {
        match self {
            Change::Gate { wire, .. } | Change::Stuck { wire, .. } => Some(wire),
            Change::Held { .. } => None,
        }
    }

    /// The circuit with this change.
    ///
    /// # Panics
    /// If the circuit has no such wire, gate or register bit.
    pub fn apply(self, netlist: &Netlist) -> Netlist {
        let mut changed = netlist.clone();
        match self {
            Change::Gate { wire, lut } => match &mut changed.nodes[wire.index()] {
                Node::Gate(gate) => gate.set_lut(lut),
                other => panic!("{other:?} is no gate"),
            },
            Change::Stuck { wire, value } => {
                let stuck = Wire::constant(value);
                changed.replace_wires(|read| if read == wire { stuck } else { read });
            }
            Change::Held { register, bit } => {
                let bit = &mut changed.registers[register].bits[bit];
                bit.next = Wire::constant(bit.initial);
            }
        }
        changed
    }
}
