//! Inputs on which two circuits differ.

use std::fmt;

use super::pin::{Pin, PinKind};

/// Inputs and stored values on which two circuits differ, found by SAT and replayed on the
/// simulator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The value of each bit of each input port and register.
    pub inputs: Vec<(Pin, bool)>,
    /// An output, or next value of a register, that differs.
    pub output: Pin,
    /// What it is in the left circuit; the right one has the complement.
    pub left: bool,
}

impl Counterexample {
    /// The value of an input port or register as a number; none if there is no such port or it
    /// has more than 128 bits.
    pub fn number(&self, kind: PinKind, name: &str) -> Option<u128> {
        let mut bits = self.inputs.iter().filter(|(pin, _)| pin.kind == kind && pin.name == name);
        let number = bits.clone().try_fold(0, |number, (pin, value)| {
            (pin.bit < 128).then(|| number | u128::from(*value) << pin.bit)
        });
        bits.next().and(number)
    }
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, group) in self
            .inputs
            .chunk_by(|(a, _), (b, _)| (a.kind, &a.name) == (b.kind, &b.name))
            .enumerate()
        {
            let (pin, _) = &group[0];
            let register = if pin.kind == PinKind::Register { "register " } else { "" };
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{register}{} = 0b", pin.name)?;
            group.iter().rev().try_for_each(|(_, value)| write!(f, "{}", u8::from(*value)))?;
        }
        let (left, right) = (u8::from(self.left), u8::from(!self.left));
        write!(f, ": {} is {left} in one circuit and {right} in the other", self.output)
    }
}
