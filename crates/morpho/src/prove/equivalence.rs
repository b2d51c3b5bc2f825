//! Whether two circuits do the same in every clock step.
//!
//! Both circuits have the same ports. Registers are matched by name and bit: a stored value is an
//! input of the step, its next value an output. If all outputs and next values are equal for all
//! inputs and stored values, and the registers start with the same values, then the circuits give
//! the same outputs for ever, by induction over the steps. The converse does not hold: a
//! counterexample may start from stored values that no stream leads to.
//!
//! A register bit that one circuit does not have is free in the other. This is sound: outputs that
//! are equal whatever it holds do not depend on it.
//!
//! ```
//! use morpho::library::build;
//! use morpho::prove::{Equivalence, Verdict, quiet};
//!
//! let ripple = build("ripple_adder", &[16, 16, 1])?;
//! let lookahead = build("brent_kung_adder", &[16, 16, 1])?;
//! let proof = Equivalence::new(&ripple, &lookahead)?.prove(&quiet);
//! assert_eq!(proof.verdict, Verdict::Equal);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use super::budget::{Budget, Limits, Progress, Reason};
use super::logic::Literal;
use super::pin::{Pin, PinKind, common_sinks, replay, sources};
use super::signature::Signature;
use super::sweep::{Comparison, Sweeper};
use super::{Mismatch, quiet};
use crate::netlist::{Netlist, Wire};

/// The most wires that are told apart by cases: each doubles the work.
const MOST_CASES: usize = 8;

/// A wire in each of two circuits that have the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pair {
    left: Wire,
    right: Wire,
    complemented: bool,
}

/// Inner wires of two circuits that are proven equal first, and from then on taken as inputs that
/// may have any value.
///
/// What is proven with free cuts holds without them. What fails with them may still hold, because
/// the cut may never have the values of the counterexample; then the proof is tried again without
/// any cut.
#[derive(Clone, Debug)]
pub struct Cut {
    pairs: Vec<Pair>,
    by_cases: bool,
}

impl Cut {
    /// Wires of the left circuit and their partners of the right one, in order.
    ///
    /// # Panics
    /// If there are more wires on one side.
    pub fn new(left: &[Wire], right: &[Wire]) -> Cut {
        assert_eq!(left.len(), right.len(), "every wire of a cut has a partner");
        let pair = |(&left, &right)| Pair { left, right, complemented: false };
        Cut { pairs: std::iter::zip(left, right).map(pair).collect(), by_cases: false }
    }

    /// The same cut, with what comes after it proven for each of its values in turn, as constants.
    ///
    /// # Panics
    /// If it has more than eight wires.
    pub fn by_cases(self) -> Cut {
        assert!(self.pairs.len() <= MOST_CASES, "cases are told apart by eight wires at most");
        Cut { by_cases: true, ..self }
    }
}

/// Finds the wires of one circuit that seem to have the values of given wires of another, by
/// simulation on random inputs.
pub struct CutFinder {
    /// What each wire of the right circuit shows.
    shown: Vec<Shown>,
    /// A wire of the left circuit for each signature there is.
    left: FxHashMap<Signature, (Wire, bool)>,
}

/// A signature, and whether the wire has the complement of it.
type Shown = (Signature, bool);

impl CutFinder {
    /// Simulates both circuits.
    ///
    /// # Errors
    /// As [`Equivalence::new`].
    pub fn new(left: &Netlist, right: &Netlist) -> Result<CutFinder, Mismatch> {
        common_sinks(left, right)?;
        let budget = Budget::new(Limits::default(), &quiet);
        let mut graph = Graph::new(Sweeper::simulating(&budget));
        let mut shown = |netlist: &Netlist| -> Vec<Shown> {
            let literals = graph.insert(netlist, (0..netlist.nodes().len()).map(Wire::from_index), &Fixed::default());
            literals.into_iter().map(|literal| graph.sweeper.signature(literal)).collect()
        };
        let (of_left, shown) = (shown(left), shown(right));
        let mut left = FxHashMap::default();
        for (index, (signature, complemented)) in of_left.into_iter().enumerate() {
            left.entry(signature).or_insert((Wire::from_index(index), complemented));
        }
        Ok(CutFinder { shown, left })
    }

    /// A cut through these wires of the right circuit, if the left one has a partner for each.
    pub fn cut(&self, right: &[Wire]) -> Option<Cut> {
        let pair = |&right: &Wire| {
            let (signature, complemented) = self.shown[right.index()];
            let &(left, of_left) = self.left.get(&signature)?;
            Some(Pair { left, right, complemented: complemented != of_left })
        };
        Some(Cut { pairs: right.iter().map(pair).collect::<Option<_>>()?, by_cases: false })
    }
}

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

/// What a proof came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The circuits do the same.
    Equal,
    /// They differ.
    Different(Box<Counterexample>),
    /// It is not known whether they differ.
    Undecided {
        /// The outputs and next values that may differ; the others are equal.
        open: Vec<Pin>,
        /// Why they are open.
        reason: Reason,
    },
}

/// What a proof took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Inner nodes that were proven equal to another one by SAT.
    pub merged: u64,
    /// Inner nodes that may be equal to another one.
    pub unmerged: u64,
    /// Questions to the SAT solver.
    pub questions: u64,
    /// Conflicts of the SAT solver.
    pub conflicts: u64,
    /// Cuts that could not be proven, and were not used.
    pub cuts_dropped: usize,
    /// Wall time.
    pub time: Duration,
}

/// A verdict and what it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// What came of it.
    pub verdict: Verdict,
    /// What it took.
    pub effort: Effort,
}

/// The claim that two circuits do the same in every clock step.
pub struct Equivalence<'n> {
    left: &'n Netlist,
    right: &'n Netlist,
    targets: Vec<Target>,
    cuts: Vec<Cut>,
    limits: Limits,
}

/// A pin that both circuits have, and what drives it.
type Target = (Pin, Wire, Wire);

impl<'n> Equivalence<'n> {
    /// The claim about these two circuits, without cuts, under the default limits.
    ///
    /// # Errors
    /// If the ports differ in name or width, if a register that both have starts with different
    /// values, or if a circuit has an asynchronous loop.
    pub fn new(left: &'n Netlist, right: &'n Netlist) -> Result<Equivalence<'n>, Mismatch> {
        let targets = common_sinks(left, right)?;
        Ok(Equivalence { left, right, targets, cuts: Vec::new(), limits: Limits::default() })
    }

    /// Adds a cut, after the ones there are.
    pub fn cut(mut self, cut: Cut) -> Self {
        self.cuts.push(cut);
        self
    }

    /// The same claim under other limits.
    pub fn limits(self, limits: Limits) -> Self {
        Equivalence { limits, ..self }
    }

    /// Tries to prove the claim.
    ///
    /// The circuits are joined into one graph by structure; what may be equal by simulation is
    /// then proven equal or different by SAT, from the inputs to the outputs.
    pub fn prove(&self, progress: Progress) -> Proof {
        let start = Instant::now();
        let budget = Budget::new(self.limits, progress);
        let mut effort = Effort::default();
        let verdict = self.verdict(&budget, &mut effort);
        effort.time = start.elapsed();
        Proof { verdict, effort }
    }

    fn verdict(&self, budget: &Budget, effort: &mut Effort) -> Verdict {
        if let Some(counterexample) = self.simulate(budget) {
            return Verdict::Different(Box::new(counterexample));
        }
        let cuts = self.proven_cuts(budget, effort);
        let mut open = Open::default();
        for cuts in cases(&cuts) {
            match self.compare(&self.targets, &cuts, budget, effort) {
                Ok(now_open) => open.add(now_open),
                Err(counterexample) => return Verdict::Different(counterexample),
            }
        }
        if !open.spurious.is_empty() {
            let differs = |(pin, ..): &&Target| open.spurious.contains(pin);
            let again: Vec<Target> = self.targets.iter().filter(differs).cloned().collect();
            open.spurious.clear();
            match self.compare(&again, &[], budget, effort) {
                Ok(now_open) => open.add(now_open),
                Err(counterexample) => return Verdict::Different(counterexample),
            }
        }
        match open.reason {
            None => Verdict::Equal,
            Some(reason) => Verdict::Undecided { open: open.pins, reason },
        }
    }

    /// A difference that random inputs show.
    fn simulate(&self, budget: &Budget) -> Option<Counterexample> {
        let mut graph = Graph::new(Sweeper::simulating(budget));
        let fixed = Fixed::default();
        let left = graph.insert(self.left, self.targets.iter().map(|&(_, wire, _)| wire), &fixed);
        let right = graph.insert(self.right, self.targets.iter().map(|&(.., wire)| wire), &fixed);
        let model = std::iter::zip(left, right).find_map(|(a, b)| graph.sweeper.difference(a, b))?;
        self.replay(graph.inputs(&model, &[self.left, self.right]))
    }

    /// The cuts that hold, each proven with the earlier ones free.
    fn proven_cuts(&self, budget: &Budget, effort: &mut Effort) -> Vec<Value> {
        if self.cuts.is_empty() {
            return Vec::new();
        }
        let mut graph = Graph::new(Sweeper::new(budget));
        let mut proven = Vec::new();
        let (mut left, mut right) = (Fixed::default(), Fixed::default());
        for cut in &self.cuts {
            let of_left = graph.insert(self.left, cut.pairs.iter().map(|p| p.left), &left);
            let of_right = graph.insert(self.right, cut.pairs.iter().map(|p| p.right), &right);
            let holds = std::iter::zip(of_left, of_right).zip(&cut.pairs).all(|((a, b), pair)| {
                let conflicts = self.limits.conflicts_per_target;
                let comparison = graph.sweeper.compare(a, b.xor(pair.complemented), conflicts);
                matches!(comparison, Comparison::Equal)
            });
            if !holds {
                effort.cuts_dropped += 1;
                continue;
            }
            for &pair in &cut.pairs {
                let value = Value { pair, constant: None, by_cases: cut.by_cases };
                value.fix(&mut graph.sweeper, &mut left, &mut right);
                proven.push(value);
            }
        }
        graph.sweeper.add_effort(effort);
        proven
    }

    /// Compares the targets with the cuts fixed at their values: those that stay open, or inputs
    /// on which the circuits differ.
    fn compare(
        &self,
        targets: &[Target],
        cuts: &[Value],
        budget: &Budget,
        effort: &mut Effort,
    ) -> Result<Open, Box<Counterexample>> {
        let mut graph = Graph::new(Sweeper::new(budget));
        let (mut left, mut right) = (Fixed::default(), Fixed::default());
        for value in cuts {
            value.fix(&mut graph.sweeper, &mut left, &mut right);
        }
        let of_left = graph.insert(self.left, targets.iter().map(|&(_, wire, _)| wire), &left);
        let of_right = graph.insert(self.right, targets.iter().map(|&(.., wire)| wire), &right);
        let literals = std::iter::zip(of_left, of_right);
        let mut waiting: Vec<_> = targets.iter().map(|target| &target.0).zip(literals).collect();
        let mut open = Open::default();
        // What is easy first: one target that differs settles them all.
        for conflicts in [self.limits.conflicts_per_pair, self.limits.conflicts_per_target] {
            let mut hard = Vec::new();
            open.reason = None;
            for (pin, (a, b)) in waiting {
                match graph.sweeper.compare(a, b, conflicts) {
                    Comparison::Equal => (),
                    Comparison::Undecided(reason) => {
                        open.reason = Some(reason);
                        hard.push((pin, (a, b)));
                    }
                    Comparison::Different(model) => {
                        let inputs = graph.inputs(&model, &[self.left, self.right]);
                        match self.replay(inputs) {
                            Some(counterexample) => return Err(Box::new(counterexample)),
                            None => open.spurious.push(pin.clone()),
                        }
                    }
                }
            }
            waiting = hard;
        }
        open.pins = waiting.into_iter().map(|(pin, _)| pin.clone()).collect();
        graph.sweeper.add_effort(effort);
        Ok(open)
    }

    /// The counterexample that these inputs make, if the circuits differ there.
    fn replay(&self, inputs: Vec<(Pin, bool)>) -> Option<Counterexample> {
        let [left, right] = [self.left, self.right].map(|netlist| replay(netlist, &inputs));
        let differs = |(pin, ..): &&Target| left[pin] != right[pin];
        let output = self.targets.iter().find(differs)?.0.clone();
        Some(Counterexample { inputs, left: left[&output], output })
    }
}

/// Targets that are not proven.
#[derive(Default)]
struct Open {
    pins: Vec<Pin>,
    reason: Option<Reason>,
    /// Targets that differ only for values of the cuts that may never come up.
    spurious: Vec<Pin>,
}

impl Open {
    fn add(&mut self, other: Open) {
        self.pins.extend(other.pins);
        self.pins.sort();
        self.pins.dedup();
        self.reason = other.reason.or(self.reason);
        self.spurious.extend(other.spurious);
    }
}

/// Wires whose literal is given.
pub(super) type Fixed = FxHashMap<Wire, Literal>;

/// A proven pair of a cut, and what it is from then on: a constant, or free.
#[derive(Clone, Copy)]
struct Value {
    pair: Pair,
    by_cases: bool,
    constant: Option<bool>,
}

impl Value {
    fn fix(&self, sweeper: &mut Sweeper, left: &mut Fixed, right: &mut Fixed) {
        let literal = self.constant.map_or_else(|| sweeper.free(), Literal::constant);
        right.insert(self.pair.right, literal);
        left.insert(self.pair.left, literal.xor(self.pair.complemented));
    }
}

/// The cuts once for each combination of the values that are told apart by cases.
fn cases(cuts: &[Value]) -> Vec<Vec<Value>> {
    let mut cases = vec![cuts.to_vec()];
    for index in (0..cuts.len()).filter(|&index| cuts[index].by_cases) {
        cases = [false, true]
            .into_iter()
            .flat_map(|constant| {
                cases.iter().map(move |case| {
                    let mut case = case.clone();
                    case[index].constant = Some(constant);
                    case
                })
            })
            .collect();
    }
    cases
}

/// A graph that circuits are inserted in; equal pins share a node.
pub(super) struct Graph<'b> {
    pub sweeper: Sweeper<'b>,
    pins: FxHashMap<Pin, Literal>,
}

impl<'b> Graph<'b> {
    pub fn new(sweeper: Sweeper<'b>) -> Graph<'b> {
        Graph { sweeper, pins: FxHashMap::default() }
    }

    /// Adds what drives `targets`, down to the inputs and the `fixed` wires; gives their literals.
    pub fn insert(
        &mut self,
        netlist: &Netlist,
        targets: impl Iterator<Item = Wire> + Clone,
        fixed: &Fixed,
    ) -> Vec<Literal> {
        let needed = cone(netlist, targets.clone(), fixed);
        let gates = netlist.gates().filter(|(wire, _)| needed[wire.index()]).count();
        self.sweeper.expect(gates as u64);
        let mut literals = vec![Literal::FALSE; netlist.nodes().len()];
        literals[Wire::ONE.index()] = Literal::constant(true);
        for (pin, wire) in sources(netlist) {
            let sweeper = &mut self.sweeper;
            literals[wire.index()] = *self.pins.entry(pin).or_insert_with(|| sweeper.free());
        }
        for (wire, &literal) in fixed {
            literals[wire.index()] = literal;
        }
        for (wire, gate) in netlist.gates() {
            if needed[wire.index()] && !fixed.contains_key(&wire) {
                let inputs: Vec<Literal> =
                    gate.inputs().iter().map(|input| literals[input.index()]).collect();
                literals[wire.index()] = self.sweeper.gate(gate.lut(), &inputs);
            }
        }
        targets.map(|wire| literals[wire.index()]).collect()
    }

    /// The values of the pins in a model, 0 where it does not matter, in the order of the ports.
    pub fn inputs(&self, model: &[(usize, bool)], circuits: &[&Netlist]) -> Vec<(Pin, bool)> {
        let values: FxHashMap<usize, bool> = model.iter().copied().collect();
        let value = |pin: &Pin| values.get(&self.pins[pin].node()).copied().unwrap_or(false);
        let mut inputs: Vec<(Pin, bool)> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        for (pin, _) in circuits.iter().flat_map(|netlist| sources(netlist)) {
            if seen.insert(pin.clone()) {
                inputs.push((pin.clone(), value(&pin)));
            }
        }
        inputs
    }
}

/// The wires that `targets` depend on, through gates that are not `fixed`.
fn cone(netlist: &Netlist, targets: impl Iterator<Item = Wire>, fixed: &Fixed) -> Vec<bool> {
    let mut needed = vec![false; netlist.nodes().len()];
    targets.for_each(|wire| needed[wire.index()] = true);
    for index in (0..needed.len()).rev() {
        let wire = Wire::from_index(index);
        if let Some(gate) = netlist.gate(wire)
            && needed[index]
            && !fixed.contains_key(&wire)
        {
            gate.inputs().iter().for_each(|input| needed[input.index()] = true);
        }
    }
    needed
}
