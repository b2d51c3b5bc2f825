//! The library of circuits, one file a family.
//!
//! Buses are low bit first. Numbers are unsigned or in two's complement, as each cell says.

pub mod adder;
pub mod carry_save;
pub mod compare;
pub mod divider;
pub mod growing;
pub mod multiplier;
pub mod mux;
pub mod negate;
pub mod reduce;
pub mod saturate;
pub mod sequential;
pub mod shifter;
mod table;

pub use table::{Entry, Parameter, Published, UnknownCell, build, table};

use crate::diagnostic::Diagnostic;
use crate::{Bus, Fits};

/// Refuses a bus of another width than one, `wire`, which is an argument of `cell`.
fn one_wire(cell: &str, wire: &str, bus: &Bus) -> Fits<()> {
    match bus.width() {
        1 => Ok(()),
        width => {
            Err(Diagnostic::new(format!("the {wire} of {cell} has {width} wires and not one"))
                .into())
        }
    }
}

/// Halves, of which the lower one has an even width, so that bits pair up.
fn split_in_pairs(bus: &Bus) -> (Bus, Bus) {
    let middle = bus.width().div_ceil(4) * 2;
    (bus.low(middle), bus.skip(middle))
}

/// The arguments of a look-up table as tables themselves, so that a table reads as an expression.
pub mod argument {
    /// Argument 0.
    pub const A: u64 = 0xAAAA;
    /// Argument 1.
    pub const B: u64 = 0xCCCC;
    /// Argument 2.
    pub const C: u64 = 0xF0F0;
    /// Argument 3.
    pub const D: u64 = 0xFF00;
}
