//! Which changes to a circuit a set of vectors detects, and which no vector can.
//!
//! A change is detected by a vector if an output, or the next value of a register, differs. Only
//! what a change disturbs is simulated again, on 512 vectors at once, from the changed place until
//! the difference dies out. What the vectors do not detect is put to the SAT solver: it proves that
//! nothing can, or gives a vector that does.

use std::collections::BTreeSet;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::budget::{Budget, Limits, Progress, Reason};
use super::change::Change;
use super::equivalence::{Fixed, Graph};
use super::logic::Literal;
use super::pin::sources;
use super::sweep::{Comparison, Sweeper};
use super::vectors::Vectors;
use super::Mismatch;
use crate::graph::fanouts;
use crate::lut::Lut;
use crate::netlist::{Netlist, Wire};

/// Words in a chunk of vectors.
const WORDS: usize = 8;

/// Vectors in a chunk.
const LANES: usize = 64 * WORDS;

/// One wire on 512 vectors.
type Chunk = [u64; WORDS];

/// What becomes of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// This vector, the first one that does, detects it.
    Detected(usize),
    /// No vector detects it: proven by SAT.
    Untestable,
    /// None of the vectors detects it, but the one given does. It says the value of each of
    /// [`Vectors::pins`].
    Missed(Vec<bool>),
    /// None of the vectors detects it, and it is not known whether another one does.
    Undecided(Reason),
}

/// How many changes had which fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Changes that a vector detects.
    pub detected: usize,
    /// Changes that no vector can detect.
    pub untestable: usize,
    /// Changes that a vector could detect, but none of the given ones does.
    pub missed: usize,
    /// Changes that none of the vectors detects and that nothing is known of.
    pub undecided: usize,
}

impl Coverage {
    /// Counts fates.
    pub fn of<'f>(fates: impl IntoIterator<Item = &'f Fate>) -> Coverage {
        fates.into_iter().fold(Coverage::default(), |mut coverage, fate| {
            *match fate {
                Fate::Detected(_) => &mut coverage.detected,
                Fate::Untestable => &mut coverage.untestable,
                Fate::Missed(_) => &mut coverage.missed,
                Fate::Undecided(_) => &mut coverage.undecided,
            } += 1;
            coverage
        })
    }
}

/// Stuck-at faults of a circuit.
#[derive(Clone, Debug)]
pub struct StuckFaults {
    /// Every fault: each input, stored value and gate stuck at 0 and at 1.
    pub all: Vec<Change>,
    /// For each fault, the number in [`StuckFaults::distinct`] of one that nothing tells apart from
    /// it.
    pub class: Vec<usize>,
    /// The faults that are left when those that nothing tells apart count once.
    pub distinct: Vec<Change>,
}

/// The stuck-at faults of a circuit.
///
/// Two faults are the same if one forces the other: a wire that only one gate reads, stuck at a
/// value that determines the gate, is that gate stuck.
pub fn stuck_faults(netlist: &Netlist) -> StuckFaults {
    let fanouts = fanouts(netlist);
    let mut forced: FxHashMap<(Wire, bool), (Wire, bool)> = FxHashMap::default();
    let observed: BTreeSet<Wire> = netlist.sinks().collect();
    for (output, gate) in netlist.gates() {
        for (input, &wire) in gate.inputs().iter().enumerate() {
            if fanouts[wire.index()] == 1 && !observed.contains(&wire) {
                for value in [false, true] {
                    if let Some(result) = gate.lut().cofactor(input, value).constant() {
                        forced.insert((wire, value), (output, result));
                    }
                }
            }
        }
    }
    let gates = netlist.gates().map(|(wire, _)| wire);
    let wires = sources(netlist).into_iter().map(|(_, wire)| wire).chain(gates);
    let mut faults = StuckFaults { all: Vec::new(), class: Vec::new(), distinct: Vec::new() };
    let mut classes: FxHashMap<(Wire, bool), usize> = FxHashMap::default();
    for site in wires.flat_map(|wire| [(wire, false), (wire, true)]) {
        let mut last = site;
        while let Some(&next) = forced.get(&last) {
            last = next;
        }
        let change = |(wire, value)| Change::Stuck { wire, value };
        faults.all.push(change(site));
        faults.class.push(*classes.entry(last).or_insert_with(|| {
            faults.distinct.push(change(last));
            faults.distinct.len() - 1
        }));
    }
    faults
}

/// A circuit prepared for the simulation of changes.
pub struct Campaign<'n> {
    netlist: &'n Netlist,
    sources: Vec<Wire>,
    /// The gates that read each wire.
    readers: Vec<Vec<Wire>>,
    observed: Vec<bool>,
}

impl<'n> Campaign<'n> {
    /// Prepares a circuit.
    ///
    /// # Errors
    /// If it has an asynchronous loop.
    pub fn new(netlist: &'n Netlist) -> Result<Campaign<'n>, Mismatch> {
        if !netlist.loops().is_empty() {
            return Err(Mismatch::Loop { circuit: netlist.name().to_string() });
        }
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
            good[wire.index()] = evaluate(gate.lut(), gate.inputs().iter().map(|w| good[w.index()]));
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

/// Decides by SAT which changes can be detected at all, in one graph with the good circuit.
struct Doubts<'c, 'n, 'b> {
    campaign: &'c Campaign<'n>,
    budget: &'b Budget<'b>,
    graph: Graph<'b>,
    /// The literal of every wire of the good circuit.
    good: Vec<Literal>,
}

/// The changed circuits are added to the graph until it is this many times as large as the
/// netlist; then it is built anew.
const GROWTH: usize = 8;

impl<'c, 'n, 'b> Doubts<'c, 'n, 'b> {
    fn new(campaign: &'c Campaign<'n>, budget: &'b Budget<'b>) -> Doubts<'c, 'n, 'b> {
        let mut graph = Graph::new(Sweeper::new(budget));
        let wires = (0..campaign.netlist.nodes().len()).map(Wire::from_index);
        let good = graph.insert(campaign.netlist, wires, &Fixed::default());
        graph.sweeper.keep_patterns();
        Doubts { campaign, budget, graph, good }
    }

    fn decide(&mut self, change: Change) -> Fate {
        if self.budget.poll() {
            return Fate::Undecided(self.budget.stopped().expect("it was just polled"));
        }
        if self.graph.sweeper.nodes() > GROWTH * self.good.len() {
            *self = Doubts::new(self.campaign, self.budget);
        }
        let fate = self.follow(change);
        // What tells one changed circuit from the good one is of no use for the next.
        self.graph.sweeper.drop_patterns();
        fate
    }

    /// Follows a change from its place to where it is observed, as long as it may matter.
    fn follow(&mut self, change: Change) -> Fate {
        let (place, changed) = match change {
            Change::Held { register, bit } => {
                let bit = self.campaign.netlist.registers()[register].bits[bit];
                let (good, held) = (self.good[bit.next.index()], Literal::constant(bit.initial));
                return self.verdict(good, held, change).unwrap_or(Fate::Untestable);
            }
            Change::Stuck { wire, value } => (wire, Literal::constant(value)),
            Change::Gate { wire, lut } => (wire, self.gate(wire, lut, &FxHashMap::default())),
        };
        // Most changes that never matter do not because their place never differs.
        match self.verdict(self.good[place.index()], changed, change) {
            None => return Fate::Untestable,
            Some(Fate::Missed(vector)) => return Fate::Missed(vector),
            Some(_) => (),
        }
        let mut literals = FxHashMap::from_iter([(place, changed)]);
        let mut waiting: BTreeSet<Wire> = self.campaign.readers[place.index()].iter().copied().collect();
        let mut fate = Fate::Untestable;
        if self.campaign.observed[place.index()] {
            fate = Fate::Undecided(self.reason());
        }
        while let Some(wire) = waiting.pop_first() {
            let lut = self.campaign.netlist.gate(wire).expect("readers are gates").lut();
            let (good, changed) = (self.good[wire.index()], self.gate(wire, lut, &literals));
            if changed == good {
                continue;
            }
            literals.insert(wire, changed);
            waiting.extend(&self.campaign.readers[wire.index()]);
            if self.campaign.observed[wire.index()] {
                match self.verdict(good, changed, change) {
                    None => (),
                    Some(Fate::Missed(vector)) => return Fate::Missed(vector),
                    Some(undecided) => fate = undecided,
                }
            }
        }
        fate
    }

    /// The literal of a gate with `lut` for its table, where some wires have changed.
    fn gate(&mut self, wire: Wire, lut: Lut, changed: &FxHashMap<Wire, Literal>) -> Literal {
        let gate = self.campaign.netlist.gate(wire).expect("the wire is driven by a gate");
        let literal = |input: &Wire| *changed.get(input).unwrap_or(&self.good[input.index()]);
        let inputs: Vec<Literal> = gate.inputs().iter().map(literal).collect();
        self.graph.sweeper.gate(lut, &inputs)
    }

    /// What follows for a change from a wire that it changes; nothing if the wire stays the same.
    ///
    /// A wire that is not observed may differ without anything to show for it; that decides
    /// nothing.
    fn verdict(&mut self, good: Literal, changed: Literal, change: Change) -> Option<Fate> {
        match self.graph.sweeper.compare(changed, good, self.budget.limits.conflicts_per_target) {
            Comparison::Equal => None,
            Comparison::Undecided(reason) => Some(Fate::Undecided(reason)),
            Comparison::Different(model) => {
                let inputs = self.graph.inputs(&model, &[self.campaign.netlist]);
                let values: Vec<bool> = inputs.into_iter().map(|(_, value)| value).collect();
                let mut vectors = Vectors::new(self.campaign.netlist);
                vectors.push_values(values.iter().copied());
                let shown = self.campaign.simulate(&[change], &vectors)[0];
                Some(shown.map_or(Fate::Undecided(self.reason()), |_| Fate::Missed(values)))
            }
        }
    }

    fn reason(&self) -> Reason {
        self.budget.stopped().unwrap_or(Reason::Conflicts)
    }
}

/// Adds vectors until every change that can be detected is, as far as SAT can tell in these limits;
/// gives what became of each change.
///
/// # Errors
/// As [`Campaign::new`].
pub fn complete(
    netlist: &Netlist,
    changes: &[Change],
    vectors: &mut Vectors,
    limits: Limits,
    progress: Progress,
) -> Result<Vec<Fate>, Mismatch> {
    let campaign = Campaign::new(netlist)?;
    let budget = Budget::new(limits, progress);
    let mut doubts = Doubts::new(&campaign, &budget);
    let given = vectors.len();
    let mut added = Vectors::new(netlist);
    let first = campaign.simulate(changes, vectors);
    let fates = std::iter::zip(changes, first).map(|(&change, first)| {
        let later = || campaign.simulate(&[change], &added)[0].map(|vector| given + vector);
        if let Some(vector) = first.or_else(later) {
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
    Ok(fates)
}

/// Few of the vectors that together detect every change that all of them detect, by number.
///
/// Greedily the vector that detects most of what is left; then, from the last one chosen to the
/// first, vectors that the others make needless are dropped.
pub fn minimise(campaign: &Campaign, changes: &[Change], vectors: &Vectors) -> Vec<usize> {
    let detecting = campaign.matrix(changes, vectors);
    let mut detected_by: Vec<Vec<u32>> = vec![Vec::new(); vectors.len()];
    for (change, vectors) in detecting.iter().enumerate() {
        vectors.iter().for_each(|&vector| detected_by[vector as usize].push(change as u32));
    }
    let mut gain: Vec<usize> = detected_by.iter().map(Vec::len).collect();
    let mut times = vec![0u32; changes.len()];
    let mut chosen = Vec::new();
    while let Some(best) = (0..gain.len()).max_by_key(|&vector| (gain[vector], usize::MAX - vector))
        && gain[best] > 0
    {
        chosen.push(best);
        for &change in &detected_by[best] {
            times[change as usize] += 1;
            if times[change as usize] == 1 {
                detecting[change as usize].iter().for_each(|&vector| gain[vector as usize] -= 1);
            }
        }
    }
    for index in (0..chosen.len()).rev() {
        let detected = &detected_by[chosen[index]];
        if detected.iter().all(|&change| times[change as usize] > 1) {
            detected.iter().for_each(|&change| times[change as usize] -= 1);
            chosen.remove(index);
        }
    }
    chosen.sort();
    chosen
}
