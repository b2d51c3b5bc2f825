//! Buses: ordered wires, low bit first, and the operations that take them apart.

use std::borrow::Borrow;
use std::ops::Range;

use smallvec::SmallVec;

use crate::cell::{Fits, Misfit};
use crate::netlist::Wire;

/// A list of wires, low bit first. Its width comes from the call, never from a declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bus(SmallVec<[Wire; 8]>);

impl Bus {
    /// The empty bus, MorphoHDL's `VOID`.
    pub fn void() -> Bus {
        Bus::default()
    }

    /// The constant `value`, `width` wires wide; bits of `value` past the width are dropped.
    pub fn constant(value: u64, width: usize) -> Bus {
        (0..width).map(|bit| Wire::constant(bit < 64 && value >> bit & 1 == 1)).collect()
    }

    /// One wire that is always 0.
    pub fn zero() -> Bus {
        Bus::constant(0, 1)
    }

    /// One wire that is always 1.
    pub fn one() -> Bus {
        Bus::constant(1, 1)
    }

    /// Number of wires.
    pub fn width(&self) -> usize {
        self.0.len()
    }

    /// The wires, low bit first.
    pub fn wires(&self) -> &[Wire] {
        &self.0
    }

    /// The low `floor(width / 2)` wires and the rest. Needs two wires.
    pub fn split(&self) -> Fits<(Bus, Bus)> {
        match self.width() {
            0 | 1 => Err(self.misfit("split")),
            width => Ok(self.cut(width / 2)),
        }
    }

    /// As many low wires as `reference` has, and the rest. Needs that many.
    pub fn lslice(&self, reference: &Bus) -> Fits<(Bus, Bus)> {
        match self.width().checked_sub(reference.width()) {
            None => Err(self.misfit("lslice")),
            Some(_) => Ok(self.cut(reference.width())),
        }
    }

    /// The rest, and as many high wires as `reference` has. Needs that many.
    pub fn hslice(&self, reference: &Bus) -> Fits<(Bus, Bus)> {
        match self.width().checked_sub(reference.width()) {
            None => Err(self.misfit("hslice")),
            Some(rest) => Ok(self.cut(rest)),
        }
    }

    /// Each wire repeated `reference.width()` times in place; one wire becomes that many copies.
    pub fn repeat(&self, reference: &Bus) -> Bus {
        let copies = reference.width();
        self.0.iter().flat_map(|&wire| std::iter::repeat_n(wire, copies)).collect()
    }

    /// Wire `index` as a bus of one. The wire must exist.
    pub fn bit(&self, index: usize) -> Fits<Bus> {
        self.0.get(index).map(|&wire| Bus::from(wire)).ok_or_else(|| self.misfit("bit"))
    }

    /// The highest wire. The bus must not be empty.
    pub fn high_bit(&self) -> Fits<Bus> {
        self.0.last().map(|&wire| Bus::from(wire)).ok_or_else(|| self.misfit("high_bit"))
    }

    /// The wires in `range`; a range past the end is clipped, and the result may be empty.
    pub fn slice(&self, range: Range<usize>) -> Bus {
        let end = range.end.min(self.width());
        Bus::from(&self.0[range.start.min(end)..end])
    }

    /// The lowest `width` wires, or all of them if there are fewer.
    pub fn low(&self, width: usize) -> Bus {
        self.slice(0..width)
    }

    /// The wires from `start` up.
    pub fn skip(&self, start: usize) -> Bus {
        self.slice(start..self.width())
    }

    /// The wires in the opposite order.
    pub fn reversed(&self) -> Bus {
        self.0.iter().rev().copied().collect()
    }

    /// Exactly `width` wires: cut at the high end, or filled up there with copies of `fill`.
    pub fn resize(&self, width: usize, fill: Wire) -> Bus {
        let missing = width.saturating_sub(self.width());
        self.0.iter().copied().take(width).chain(std::iter::repeat_n(fill, missing)).collect()
    }

    /// Exactly `width` wires, zeros added at the high end: the same unsigned number if it fits.
    pub fn zero_extend(&self, width: usize) -> Bus {
        self.resize(width, Wire::ZERO)
    }

    /// Exactly `width` wires, the high bit repeated: the same signed number if it fits.
    ///
    /// An empty bus is extended with zeros.
    pub fn sign_extend(&self, width: usize) -> Bus {
        self.resize(width, self.0.last().copied().unwrap_or(Wire::ZERO))
    }

    fn cut(&self, at: usize) -> (Bus, Bus) {
        let (low, high) = self.0.split_at(at);
        (Bus::from(low), Bus::from(high))
    }

    fn misfit(&self, operation: &'static str) -> Misfit {
        Misfit::DoesNotFit { operation, width: self.width() }
    }
}

/// Buses joined into one, the first one lowest.
pub fn cat<B: Borrow<Bus>>(buses: impl IntoIterator<Item = B>) -> Bus {
    let mut wires = SmallVec::new();
    for bus in buses {
        wires.extend_from_slice(&bus.borrow().0);
    }
    Bus(wires)
}

impl From<Wire> for Bus {
    fn from(wire: Wire) -> Bus {
        Bus(SmallVec::from_slice(&[wire]))
    }
}

impl From<&[Wire]> for Bus {
    fn from(wires: &[Wire]) -> Bus {
        Bus(SmallVec::from_slice(wires))
    }
}

impl FromIterator<Wire> for Bus {
    fn from_iter<I: IntoIterator<Item = Wire>>(wires: I) -> Bus {
        Bus(wires.into_iter().collect())
    }
}
