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

use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;

use super::Mismatch;
use super::budget::{Budget, Limits, Progress, Reason};
use super::counterexample::Counterexample;
use super::cut::{Cut, Value, cases};
use super::exhaust;
use super::graph::{Fixed, Graph, Known};
use super::logic::Literal;
use super::pin::{Pin, PinValues, common_sinks, simulate};
use super::sweep::{Comparison, Sweeper};
use super::vectors::Vectors;
use crate::netlist::{Netlist, Wire};

/// Random inputs that two circuits are simulated on before anything is proven.
const RANDOM_VECTORS: usize = 1 << 13;

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
    /// Pairs of wires that were proven equal by running every value of a cut below them.
    pub exhausted: u64,
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

/// A target that is not proven yet, and its literals.
type Waiting<'t> = (&'t Pin, (Literal, Literal));

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
    /// The circuits are simulated first, on random inputs. If they do not differ there, they are
    /// joined into one graph by structure, and what may be equal by simulation is proven equal or
    /// different by SAT, from the inputs to the outputs.
    pub fn prove(&self, progress: Progress) -> Proof {
        let start = Instant::now();
        let budget = Budget::new(self.limits, progress);
        let mut effort = Effort::default();
        let verdict = self.verdict(&budget, &mut effort);
        effort.time = start.elapsed();
        Proof { verdict, effort }
    }

    fn verdict(&self, budget: &Budget, effort: &mut Effort) -> Verdict {
        if let Some(counterexample) = self.simulate() {
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
    fn simulate(&self) -> Option<Counterexample> {
        let vectors = Vectors::random(self.left, RANDOM_VECTORS, 1);
        let values = vectors.values();
        let [left, right] =
            [self.left, self.right].map(|netlist| simulate(netlist, &values, RANDOM_VECTORS));
        self.targets.iter().find_map(|(pin, ..)| {
            let lane = (0..RANDOM_VECTORS).find(|&lane| left[pin][lane] != right[pin][lane])?;
            let input = |(pin, lanes): (&Pin, &Vec<u8>)| (pin.clone(), lanes[lane] == 1);
            let mut inputs: Vec<(Pin, bool)> = values.iter().map(input).collect();
            let order = |pin: &Pin| vectors.pins().iter().position(|other| other == pin);
            inputs.sort_by_key(|(pin, _)| order(pin));
            self.replay(inputs)
        })
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
        if self.limits.exhaustive_bits == 0 {
            return self.settle(targets, cuts, budget, effort);
        }
        let mut graph = Graph::new(Sweeper::new(budget));
        let mut waiting = self.insert(&mut graph, targets, cuts, &Known::default());
        let mut open = Open::default();
        // What is easy first: one target that differs settles them all.
        self.ask(&mut graph, &mut waiting, self.limits.conflicts_per_pair, &mut open)?;
        graph.sweeper.add_effort(effort);
        open.reason = None;
        let waiting: FxHashSet<&Pin> = waiting.into_iter().map(|(pin, _)| pin).collect();
        let hard: Vec<Target> =
            targets.iter().filter(|(pin, ..)| waiting.contains(pin)).cloned().collect();
        // Each number apart: nodes of one are not taken for nodes of another.
        for number in hard.chunk_by(|(a, ..), (b, ..)| (a.kind, &a.name) == (b.kind, &b.name)) {
            open.add(self.settle(number, cuts, budget, effort)?);
        }
        Ok(open)
    }

    /// As [`compare`](Equivalence::compare), all targets in one graph, with all that the limits allow.
    ///
    /// What the SAT solver leaves is run over all values of a narrow cut, where there is one; then
    /// all is compared again, with what came out equal known to be.
    fn settle(
        &self,
        targets: &[Target],
        cuts: &[Value],
        budget: &Budget,
        effort: &mut Effort,
    ) -> Result<Open, Box<Counterexample>> {
        let mut known = Known::default();
        loop {
            let mut graph = Graph::new(Sweeper::new(budget));
            let mut waiting = self.insert(&mut graph, targets, cuts, &known);
            let mut open = Open::default();
            self.ask(&mut graph, &mut waiting, self.limits.conflicts_per_pair, &mut open)?;
            let mut found = Vec::new();
            if self.limits.exhaustive_bits > 0 && !waiting.is_empty() {
                let literals = waiting.iter().map(|&(_, pair)| later_first(pair));
                let doubts: Vec<(Literal, Literal)> = graph.doubts().chain(literals).collect();
                found = exhaust::equalities(&mut graph.sweeper, &doubts, budget);
            }
            if found.is_empty() {
                open.reason = None;
                self.ask(&mut graph, &mut waiting, self.limits.conflicts_per_target, &mut open)?;
                open.pins = waiting.into_iter().map(|(pin, _)| pin.clone()).collect();
                graph.sweeper.add_effort(effort);
                return Ok(open);
            }
            effort.exhausted += found.len() as u64;
            known = graph.known(&found);
            graph.sweeper.add_effort(effort);
        }
    }

    /// Both circuits in a graph: the literals of each target.
    fn insert<'t>(
        &self,
        graph: &mut Graph,
        targets: &'t [Target],
        cuts: &[Value],
        known: &Known,
    ) -> Vec<Waiting<'t>> {
        let (mut left, mut right) = (Fixed::default(), Fixed::default());
        for value in cuts {
            value.fix(&mut graph.sweeper, &mut left, &mut right);
        }
        let wires = targets.iter().map(|&(_, wire, _)| wire);
        let of_left = graph.insert_knowing(self.left, wires, &left, known);
        graph.sweeper.exhaust_with_these();
        let wires = targets.iter().map(|&(.., wire)| wire);
        let of_right = graph.insert_knowing(self.right, wires, &right, known);
        targets.iter().map(|target| &target.0).zip(std::iter::zip(of_left, of_right)).collect()
    }

    /// Asks the solver about what is waiting; what it leaves stays.
    fn ask(
        &self,
        graph: &mut Graph,
        waiting: &mut Vec<Waiting>,
        conflicts: u64,
        open: &mut Open,
    ) -> Result<(), Box<Counterexample>> {
        for (pin, (a, b)) in std::mem::take(waiting) {
            match graph.sweeper.compare(a, b, conflicts) {
                Comparison::Equal => (),
                Comparison::Undecided(reason) => {
                    open.reason = Some(reason);
                    waiting.push((pin, (a, b)));
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
        Ok(())
    }

    /// The counterexample that these inputs make, if the circuits differ there.
    fn replay(&self, inputs: Vec<(Pin, bool)>) -> Option<Counterexample> {
        let values: PinValues =
            inputs.iter().map(|(pin, value)| (pin.clone(), vec![u8::from(*value)])).collect();
        let [left, right] = [self.left, self.right].map(|netlist| simulate(netlist, &values, 1));
        let output =
            self.targets.iter().map(|(pin, ..)| pin).find(|&pin| left[pin] != right[pin])?;
        Some(Counterexample { inputs, output: output.clone(), left: left[output] == [1] })
    }
}

/// The pair, the node that came later in front.
fn later_first((a, b): (Literal, Literal)) -> (Literal, Literal) {
    if a.node() < b.node() { (b, a) } else { (a, b) }
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
