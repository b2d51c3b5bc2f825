//! The speed limit of a program: the same work on values that are always near.

use super::kernel::Operation;
use super::program::{Program, Segment, Transfer};
use crate::netlist::Wire;

/// Slots that operations read, and slots that they write, after those of the two constants. All of
/// them, on a wide block, take 4 KiB: an eighth of the smallest first-level cache in use.
const READ: u32 = 4;
const WRITTEN: u32 = 4;

impl Program {
    /// A program of the same operations in the same runs, and as many register bits, with perfect
    /// locality: operations read four slots in turn and write four others, so that every value
    /// is in the first-level cache and no operation waits for another.
    ///
    /// It has no ports and computes nothing of use. Its speed is what the inner loop reaches
    /// on this mix of functions if operands cost nothing but a load from the nearest cache; a
    /// measured speed can be given as a share of it. Asynchronous loops run once, as if settled.
    pub fn with_perfect_locality(&self) -> Program {
        let read = |number: u32| Wire::ONE.0 + 1 + number % READ;
        let written = |number: u32| Wire::ONE.0 + 1 + READ + number % WRITTEN;
        let segment = |segment: &Segment| Segment {
            runs: segment.runs.clone(),
            operations: (0..segment.operations.len() as u32)
                .map(|i| Operation {
                    output: written(i),
                    inputs: [read(i), read(i + 1), read(i + 2)],
                })
                .collect(),
            ..Segment::default()
        };
        let transfer = |(i, transfer): (u32, &Transfer)| Transfer {
            register: read(i),
            next: written(i),
            ..*transfer
        };
        Program {
            memories: Vec::new(),
            segments: self.segments.iter().map(segment).collect(),
            slots: (Wire::ONE.0 + 1 + READ + WRITTEN) as usize,
            inputs: Vec::new(),
            outputs: Vec::new(),
            registers: Vec::new(),
            clock: (0..).zip(&self.clock).map(transfer).collect(),
        }
    }
}
