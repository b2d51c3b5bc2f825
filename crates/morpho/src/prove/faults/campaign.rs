//! The simulation of many changes to one circuit.

use std::collections::BTreeSet;
use std::time::Duration;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::Fate;
use super::doubts::Doubts;
use crate::lut::Lut;
use crate::netlist::{Netlist, Wire};
use crate::prove::Mismatch;
use crate::prove::budget::{Budget, Limits, Progress, quiet};
use crate::prove::change::Change;
use crate::prove::pin::{refuse_memories, sources};
use crate::prove::vectors::Vectors;

/// Words in a chunk of vectors.
const WORDS: usize = 8;

/// Vectors in a chunk.
const LANES: usize = 64 * WORDS;

/// For what is only simulated.
const UNLIMITED: Limits = Limits {
    time: Duration::MAX,
    exhaustive_bits: 0,
    conflicts_per_pair: 0,
    conflicts_per_target: 0,
};

/// One wire on 512 vectors.
type Chunk = [u64; WORDS];

/// A circuit prepared for the simulation of changes.
pub struct Campaign<'n> {
    pub(super) netlist: &'n Netlist,
    sources: Vec<Wire>,
    /// The gates that read each wire.
    pub(super) readers: Vec<Vec<Wire>>,
    pub(super) observed: Vec<bool>,
    pub(super) domain: Option<&'n Netlist>,
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
        Ok(Campaign { netlist, sources, readers, observed, domain: None })
    }

    /// The same, for a circuit that is only given inputs and stored values on which `domain` is 1:
    /// a change that shows nowhere else is [`Fate::Untestable`].
    ///
    /// `domain` has one output of one bit; its ports and registers are named as the circuit's.
    /// Vectors that are simulated are the caller's to choose within it.
    ///
    /// # Errors
    /// As [`Campaign::new`].
    pub fn within(netlist: &'n Netlist, domain: &'n Netlist) -> Result<Campaign<'n>, Mismatch> {
        if !domain.loops().is_empty() {
            return Err(Mismatch::Loop { circuit: domain.name().to_string() });
        }
        Ok(Campaign { domain: Some(domain), ..Campaign::new(netlist)? })
    }

    /// The first vector that detects each change, if one does.
    pub fn simulate(&self, changes: &[Change], vectors: &Vectors) -> Vec<Option<usize>> {
        self.first(changes, vectors, &Budget::new(UNLIMITED, &quiet))
    }

    /// As [`simulate`](Campaign::simulate); `None` if `progress` broke it off.
    pub fn simulate_until(
        &self,
        changes: &[Change],
        vectors: &Vectors,
        progress: Progress,
    ) -> Option<Vec<Option<usize>>> {
        let budget = Budget::new(UNLIMITED, progress);
        budget.expect(changes.len() as u64);
        let first = self.first(changes, vectors, &budget);
        budget.stopped().is_none().then_some(first)
    }

    /// As [`simulate`](Campaign::simulate), until the budget stops.
    pub(super) fn first(
        &self,
        changes: &[Change],
        vectors: &Vectors,
        budget: &Budget,
    ) -> Vec<Option<usize>> {
        let mut first = vec![None; changes.len()];
        let mut left = self.by_place(changes);
        for chunk in 0..vectors.len().div_ceil(LANES) {
            if budget.poll() {
                break;
            }
            let (good, valid) = self.good(vectors, chunk);
            let found: Vec<Vec<Option<usize>>> = left
                .par_iter()
                .map_init(
                    || Disturbed::new(self.netlist),
                    |disturbed, group| {
                        let group = group.iter().map(|&change| changes[change]);
                        self.detect_group(group, &good, &valid, disturbed)
                    },
                )
                .collect();
            for (&change, lane) in left.iter().flatten().zip(found.into_iter().flatten()) {
                first[change] = lane.map(|lane| chunk * LANES + lane);
            }
            for group in &mut left {
                group.retain(|&change| first[change].is_none());
            }
            left.retain(|group| !group.is_empty());
        }
        first
    }

    /// The numbers of the changes, those to one wire together.
    fn by_place(&self, changes: &[Change]) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut group_of: FxHashMap<Wire, usize> = FxHashMap::default();
        for (index, change) in changes.iter().enumerate() {
            let group = change.place().map(|wire| *group_of.entry(wire).or_insert(groups.len()));
            match group.and_then(|group| groups.get_mut(group)) {
                Some(group) => group.push(index),
                None => groups.push(vec![index]),
            }
        }
        groups
    }

    /// The first lane on which each of some changes to one wire shows. What the wire's complement
    /// shows is simulated once for all of them.
    fn detect_group(
        &self,
        changes: impl Iterator<Item = Change>,
        good: &[Chunk],
        valid: &Chunk,
        disturbed: &mut Disturbed,
    ) -> Vec<Option<usize>> {
        let differing: Vec<(Option<Wire>, Chunk)> =
            changes.map(|change| self.difference(change, good)).collect();
        let place = differing[0].0;
        let any = differing.iter().fold([0; WORDS], |any, (_, lanes)| {
            std::array::from_fn(|word| any[word] | lanes[word] & valid[word])
        });
        let shown = self.shown(place, any, good, disturbed);
        let lane = |(_, lanes): &(_, Chunk)| first_lane(lanes, &shown);
        differing.iter().map(lane).collect()
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
        let budget = Budget::new(limits, progress);
        let first = self.first(changes, vectors, &budget);
        let mut doubts = Doubts::new(self, &budget);
        let fate = |(&change, first): (&Change, Option<usize>)| match first {
            Some(vector) => Fate::Detected(vector),
            None => doubts.decide(change),
        };
        std::iter::zip(changes, first).map(fate).collect()
    }

    /// Adds vectors until every change that can be detected is, as far as SAT can tell in these
    /// limits; gives what became of each change.
    pub fn complete(
        &self,
        changes: &[Change],
        vectors: &mut Vectors,
        limits: Limits,
        progress: Progress,
    ) -> Vec<Fate> {
        let budget = Budget::new(limits, progress);
        budget.expect(changes.len() as u64);
        let first = self.first(changes, vectors, &budget);
        budget.spend(first.iter().flatten().count() as u64);
        let mut doubts = Doubts::new(self, &budget);
        let given = vectors.len();
        let mut added = Vectors::new(self.netlist);
        let fates = std::iter::zip(changes, first).map(|(&change, first)| {
            if let Some(vector) = first {
                return Fate::Detected(vector);
            }
            budget.spend(1);
            let later = || self.simulate(&[change], &added)[0].map(|vector| given + vector);
            if let Some(vector) = later() {
                return Fate::Detected(vector);
            }
            match doubts.decide(change) {
                Fate::Missed(values) => {
                    added.push_values(values);
                    Fate::Detected(given + added.len() - 1)
                }
                fate => fate,
            }
        });
        let fates = fates.collect();
        vectors.append(&added);
        fates
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
        let (place, lanes) = self.difference(change, good);
        self.shown(place, lanes, good, disturbed)
    }

    /// The wire that a change is made to, and the lanes on which it then differs. A next value that
    /// is held is no wire: it differs where it shows.
    fn difference(&self, change: Change, good: &[Chunk]) -> (Option<Wire>, Chunk) {
        let lanes = match change {
            Change::Held { register, bit } => {
                let bit = self.netlist.registers()[register].bits[bit];
                let initial = if bit.initial { u64::MAX } else { 0 };
                good[bit.next.index()].map(|word| word ^ initial)
            }
            Change::Stuck { wire, value } => {
                let value = if value { u64::MAX } else { 0 };
                good[wire.index()].map(|word| word ^ value)
            }
            Change::Gate { wire, lut } => {
                let gate = self.netlist.gate(wire).expect("the change is of a gate");
                let rows = Lut::new(lut.arity(), lut.table() ^ gate.lut().table());
                evaluate(rows, gate.inputs().iter().map(|w| good[w.index()]))
            }
        };
        (change.place(), lanes)
    }

    /// The lanes on which it shows that a wire is complemented on `lanes`.
    fn shown(
        &self,
        place: Option<Wire>,
        lanes: Chunk,
        good: &[Chunk],
        disturbed: &mut Disturbed,
    ) -> Chunk {
        let Some(place) = place else { return lanes };
        let usual = good[place.index()];
        let value = std::array::from_fn(|word| usual[word] ^ lanes[word]);
        let mut shown = [0; WORDS];
        disturbed.start();
        let mut waiting: BTreeSet<Wire> = BTreeSet::new();
        let mut next = Some((place, value));
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
