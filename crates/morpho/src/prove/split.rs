//! Look-up tables as compositions of smaller ones.
//!
//! An optimiser hides inner functions, a multiplexer of an operand in the table of a partial
//! product say. Taken apart again, they can be found equal to wires of another circuit.
//!
//! Source: R. L. Ashenhurst, "The decomposition of switching functions", 1957: some inputs can be
//! replaced by a function of them if the table, as one function of the others for each of their
//! values, shows only two functions.

use rustc_hash::FxHashMap;

use crate::lut::Lut;

/// `outer(inner(inputs in order), other inputs)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Split {
    /// The inputs that the inner table reads, as a mask.
    pub inputs: usize,
    /// The table of those inputs, the lowest first.
    pub inner: Lut,
    /// The table of the inner result and then the other inputs, the lowest first.
    pub outer: Lut,
}

/// The splits of the tables that were asked for.
#[derive(Default)]
pub(super) struct Splits(FxHashMap<Lut, Option<Split>>);

impl Splits {
    /// A split with as few inner inputs as can be; none if there is none of less than all.
    pub fn of(&mut self, lut: Lut) -> Option<Split> {
        *self.0.entry(lut).or_insert_with(|| split(lut))
    }
}

fn split(lut: Lut) -> Option<Split> {
    let arity = lut.arity();
    let mut subsets: Vec<usize> = (1..1usize << arity).collect();
    subsets.retain(|inputs| (2..arity).contains(&(inputs.count_ones() as usize)));
    subsets.sort_by_key(|inputs| inputs.count_ones());
    subsets.into_iter().find_map(|inputs| split_at(lut, inputs))
}

fn split_at(lut: Lut, inputs: usize) -> Option<Split> {
    let others = !inputs & ((1 << lut.arity()) - 1);
    let (inner_arity, other_arity) = (inputs.count_ones(), others.count_ones());
    let shown = |inner: usize| -> u64 {
        let row = |other: usize| lut.row(spread(inner, inputs) | spread(other, others));
        (0..1 << other_arity).map(|other| u64::from(row(other)) << other).sum()
    };
    let functions: Vec<u64> = (0..1 << inner_arity).map(shown).collect();
    let first = functions[0];
    let second = functions.iter().copied().find(|&function| function != first)?;
    if functions.iter().any(|&function| function != first && function != second) {
        return None;
    }
    Some(Split {
        inputs,
        inner: Lut::from_fn(inner_arity as usize, |row| functions[row] == second),
        outer: Lut::from_fn(1 + other_arity as usize, |row| {
            let function = if row & 1 == 1 { second } else { first };
            function >> (row >> 1) & 1 == 1
        }),
    })
}

/// The low bits of `number` at the places of `mask`.
fn spread(number: usize, mask: usize) -> usize {
    let places = (0..usize::BITS).filter(|place| mask >> place & 1 == 1);
    places.enumerate().map(|(bit, place)| (number >> bit & 1) << place).sum()
}
