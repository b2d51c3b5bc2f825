//! The simulation of many changes to one circuit.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::Fate;
use super::doubts::Doubts;
use crate::lut::Lut;
use crate::netlist::{Netlist, Wire};
use crate::prove::Mismatch;
use crate::prove::budget::{Budget, Limits, Progress};
use crate::prove::change::Change;
use crate::prove::pin::{refuse_memories, sources};
use crate::prove::vectors::Vectors;

/// Words in a chunk of vectors.
const WORDS: usize = 8;

/// Vectors in a chunk.
const LANES: usize = 64 * WORDS;

/// One wire on 512 vectors.
type Chunk = [u64; WORDS];

/// A circuit prepared for the simulation of changes.
pub struct Campaign<'n> {
    pub(super) netlist: &'n Netlist,
    sources: Vec<Wire>,
    /// The gates that read each wire.
    pub(super) readers: Vec<Vec<Wire>>,
    pub(super) observed: Vec<bool>,
}

impl<'n> Campaign<'n> {
    /// Prepares a circuit.
    ///
    /// # Errors
    /// If it has an asynchronous loop or a memory.
    pub fn new(netlist: &'n Netlist) -> Result<Campaign<'n>, Mismatch> {
        if !netlist.loops().is_empty() {
            return Err(Mismatch::Loop { circuit: netlist.name().to_string() });
        }
        refuse_memories(netlist)?;
        let mut readers = vec![Vec::new(); netlist.nodes().len()];
        for (wire, gate) in netlist.gates() {
            for input in gate.inputs() {
                readers[input.index()].push(wire);
            }
        }
        let mut observed = vec![false; netlist.nodes().len()];
        netlist.sinks().for_each(|wire| observed[wire.index()] = true);
        let sources = sources(netlist).into_iter().map(|(_, wire)| wire).collect();
        Ok(Campaign { netlist, sources, readers, observed })
    }

    /// The first vector that detects each change, if one does.
    pub fn simulate(&self, changes: &[Change], vectors: &Vectors) -> Vec<Option<usize>> {
        let mut first = vec![None; changes.len()];
        let mut left: Vec<usize> = (0..changes.len()).collect();
        for chunk in 0..vectors.len().div_ceil(LANES) {
            let (good, valid) = self.good(vectors, chunk);
            let found: Vec<Option<usize>> = left
                .par_iter()
                .map_init(
                    || Disturbed::new(self.netlist),
                    |disturbed, &change| {
                        let lanes = self.detect(changes[change], &good, disturbed);
                        first_lane(&lanes, &valid).map(|lane| chunk * LANES + lane)
                    },
                )
                .collect();
            for (&change, found) in std::iter::zip(&left, found) {
                first[change] = found;
            }
            left.retain(|&change| first[change].is_none());
        }
        first
    }

    /// All the vectors that detect each change.
    pub fn matrix(&self, changes: &[Change], vectors: &Vectors) -> Vec<Vec<u32>> {
        let mut detecting = vec![Vec::new(); changes.len()];
        for chunk in 0..vectors.len().div_ceil(LANES) {
            let (good, valid) = self.good(vectors, chunk);
            detecting.par_iter_mut().zip(changes).for_each_init(
                || Disturbed::new(self.netlist),
                |disturbed, (detecting, &change)| {
                    let lanes = self.detect(change, &good, disturbed);
                    for lane in 0..LANES {
                        if lanes[lane / 64] & valid[lane / 64] & 1 << (lane % 64) != 0 {
                            detecting.push((chunk * LANES + lane) as u32);
                        }
                    }
                },
            );
        }
        detecting
    }

    /// What becomes of each change: simulated, and what is left put to the SAT solver.
    pub fn run(
        &self,
        changes: &[Change],
        vectors: &Vectors,
        limits: Limits,
        progress: Progress,
    ) -> Vec<Fate> {
        let first = self.simulate(changes, vectors);
        let budget = Budget::new(limits, progress);
        let mut doubts = Doubts::new(self, &budget);
        let fate = |(&change, first): (&Change, Option<usize>)| match first {
            Some(vector) => Fate::Detected(vector),
            None => doubts.decide(change),
        };
        std::iter::zip(changes, first).map(fate).collect()
    }

    /// The value of every wire on a chunk of vectors, and which lanes hold a vector.
    fn good(&self, vectors: &Vectors, chunk: usize) -> (Vec<Chunk>, Chunk) {
        let mut good = vec![[0; WORDS]; self.netlist.nodes().len()];
        good[Wire::ONE.index()] = [u64::MAX; WORDS];
        for (pin, wire) in self.sources.iter().enumerate() {
            good[wire.index()] =
                std::array::from_fn(|word| vectors.word(pin, chunk * WORDS + word));
        }
        for (wire, gate) in self.netlist.gates() {
            good[wire.index()] =
                evaluate(gate.lut(), gate.inputs().iter().map(|w| good[w.index()]));
        }
        let rest = vectors.len() - chunk * LANES;
        let valid = std::array::from_fn(|word| match rest.saturating_sub(word * 64) {
            0 => 0,
            lanes => u64::MAX >> (64 - lanes.min(64)),
        });
        (good, valid)
    }

    /// The lanes on which a change shows.
    fn detect(&self, change: Change, good: &[Chunk], disturbed: &mut Disturbed) -> Chunk {
        let (wire, value) = match change {
            Change::Held { register, bit } => {
                let bit = self.netlist.registers()[register].bits[bit];
                let initial = if bit.initial { u64::MAX } else { 0 };
                return good[bit.next.index()].map(|word| word ^ initial);
            }
            Change::Stuck { wire, value } => (wire, [if value { u64::MAX } else { 0 }; WORDS]),
            Change::Gate { wire, lut } => {
                let gate = self.netlist.gate(wire).expect("the change is of a gate");
                (wire, evaluate(lut, gate.inputs().iter().map(|w| good[w.index()])))
            }
        };
        let mut shown = [0; WORDS];
        disturbed.start();
        let mut waiting: BTreeSet<Wire> = BTreeSet::new();
        let mut next = Some((wire, value));
        while let Some((wire, value)) = next {
            let usual = good[wire.index()];
            if value != usual {
                disturbed.set(wire, value);
                waiting.extend(&self.readers[wire.index()]);
                if self.observed[wire.index()] {
                    shown = std::array::from_fn(|word| shown[word] | value[word] ^ usual[word]);
                }
            }
            next = waiting.pop_first().map(|reader| {
                let gate = self.netlist.gate(reader).expect("readers are gates");
                let inputs = gate.inputs().iter().map(|&input| disturbed.get(input, good));
                (reader, evaluate(gate.lut(), inputs))
            });
        }
        shown
    }
}

/// The wires that a change disturbs, and what they have instead of their good values.
struct Disturbed {
    values: Vec<Chunk>,
    /// The number of the change that a value belongs to.
    change: Vec<u32>,
    now: u32,
}

impl Disturbed {
    fn new(netlist: &Netlist) -> Disturbed {
        let wires = netlist.nodes().len();
        Disturbed { values: vec![[0; WORDS]; wires], change: vec![0; wires], now: 0 }
    }

    fn start(&mut self) {
        self.now += 1;
    }

    fn set(&mut self, wire: Wire, value: Chunk) {
        self.values[wire.index()] = value;
        self.change[wire.index()] = self.now;
    }

    fn get(&self, wire: Wire, good: &[Chunk]) -> Chunk {
        let disturbed = self.change[wire.index()] == self.now;
        if disturbed { self.values[wire.index()] } else { good[wire.index()] }
    }
}

/// A look-up table on a chunk.
fn evaluate(lut: Lut, inputs: impl Iterator<Item = Chunk>) -> Chunk {
    let mut arguments = [[0; WORDS]; Lut::MAX_ARITY];
    for (argument, input) in std::iter::zip(&mut arguments, inputs) {
        *argument = input;
    }
    let constant = |row: usize| if lut.row(row) { u64::MAX } else { 0 };
    if lut.arity() == 0 {
        return [constant(0); WORDS];
    }
    // The function of argument 0 in each pair of rows, then the other arguments select.
    let mut rows = [[0; WORDS]; 1 << (Lut::MAX_ARITY - 1)];
    let mut count = 1 << (lut.arity() - 1);
    for (pair, row) in rows.iter_mut().enumerate().take(count) {
        let (zero, one) = (constant(2 * pair), constant(2 * pair + 1));
        *row = arguments[0].map(|a| zero & !a | one & a);
    }
    for select in &arguments[1..lut.arity()] {
        count /= 2;
        for row in 0..count {
            let (zero, one) = (rows[2 * row], rows[2 * row + 1]);
            rows[row] =
                std::array::from_fn(|word| zero[word] & !select[word] | one[word] & select[word]);
        }
    }
    rows[0]
}

fn first_lane(lanes: &Chunk, valid: &Chunk) -> Option<usize> {
    (0..WORDS).find_map(|word| {
        let lanes = lanes[word] & valid[word];
        (lanes != 0).then(|| word * 64 + lanes.trailing_zeros() as usize)
    })
}
