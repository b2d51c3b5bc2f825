//! SAT sweeping: a logic graph that merges nodes as they come, if it can prove them equal.
//!
//! A new gate is simplified and looked up by structure; if it is new, it is simulated, and nodes
//! that show the same values so far are its candidates. The SAT solver proves the gate equal to
//! one of them, or gives a pattern that tells them apart, on which all nodes are then simulated.
//! Because gates come in topological order and merge at once, each question is about a few gates
//! above nodes that are already shared.
//!
//! Source: A. Kuehlmann, "Dynamic transition relation simplification for bounded property
//! checking", ICCAD 2004; A. Mishchenko et al., "FRAIGs: A unifying representation for logic
//! synthesis and verification", 2005.

use rustc_hash::FxHashMap;

use super::budget::{Budget, Reason};
use super::equivalence::Effort;
use super::exhaust;
use super::logic::{Entry, Literal, Logic};
use super::signature::{Signature, Signatures};
use super::solver::{Answer, Model, Solver};
use crate::lut::Lut;

/// Candidates that a new node is compared with before it is left alone.
const CANDIDATES: usize = 8;

/// Gates between two looks at the clock.
const GATES_PER_POLL: u64 = 64;

/// Whether two literals are always equal.
pub(super) enum Comparison {
    /// They are.
    Equal,
    /// They differ at these values of free nodes; other free nodes do not matter.
    Different(Model),
    /// It is not known.
    Undecided(Reason),
}

/// A logic graph in which proven equal nodes are one.
pub(super) struct Sweeper<'b> {
    budget: &'b Budget<'b>,
    logic: Logic,
    signatures: Signatures,
    /// Nodes that were not merged, by what they showed when they came.
    classes: FxHashMap<Signature, Vec<u32>>,
    solver: Solver<'b>,
    /// What every pattern must hold to count.
    assumed: Option<Literal>,
    free: Vec<usize>,
    gates: u64,
    merging: bool,
    /// Nodes before this one are compared exhaustively with later ones.
    exhausted_with: usize,
    patterns: usize,
    /// Gates that were proven equal to an earlier node.
    merged: u64,
    /// The same, by running every value of a cut.
    exhausted: u64,
    /// Gates that may equal an earlier literal: the conflicts ran out.
    doubts: Vec<(Literal, Literal)>,
}

impl<'b> Sweeper<'b> {
    pub fn new(budget: &'b Budget<'b>) -> Sweeper<'b> {
        let signatures = Signatures::new();
        let constant = signatures.signature(0).0;
        Sweeper {
            budget,
            logic: Logic::new(),
            signatures,
            classes: FxHashMap::from_iter([(constant, vec![0])]),
            solver: Solver::new(budget),
            assumed: None,
            free: Vec::new(),
            gates: 0,
            merging: true,
            exhausted_with: 0,
            patterns: 0,
            merged: 0,
            exhausted: 0,
            doubts: Vec::new(),
        }
    }

    /// A graph that simulates nodes, and merges them by structure alone.
    pub fn simulating(budget: &'b Budget<'b>) -> Sweeper<'b> {
        Sweeper { merging: false, ..Sweeper::new(budget) }
    }

    /// Adds gates that are to come to the work of the budget.
    pub fn expect(&self, gates: u64) {
        self.budget.expect(gates);
    }

    /// Adds what the graph has taken so far.
    pub fn add_effort(&self, effort: &mut Effort) {
        effort.merged += self.merged;
        effort.exhausted += self.exhausted;
        effort.unmerged += self.doubts.len() as u64;
        effort.questions += self.solver.questions;
        effort.conflicts += self.solver.conflicts();
    }

    /// What a literal shows on random patterns, and whether it is the complement of that.
    pub fn signature(&self, literal: Literal) -> (Signature, bool) {
        let (signature, complemented) = self.signatures.signature(literal.node());
        (signature, complemented != literal.is_complement())
    }

    /// A literal that any value may be given to.
    pub fn free(&mut self) -> Literal {
        let node = self.logic.free();
        self.free.push(node);
        self.signatures.add_free();
        self.classes.entry(self.signatures.signature(node).0).or_default().push(node as u32);
        Literal::of_node(node)
    }

    /// From now on, only inputs on which `literal` is 1 count. To be said once, before gates are
    /// added that may be equal on those alone.
    pub fn assume(&mut self, literal: Literal) {
        self.solver.assume(&self.logic, literal);
        self.assumed = Some(literal);
    }

    /// Counts a gate of a circuit as done.
    pub fn spend(&mut self) {
        self.gates += 1;
        self.budget.spend(1);
        if self.gates.is_multiple_of(GATES_PER_POLL) {
            self.budget.poll();
        }
    }

    /// The literal of a gate.
    pub fn gate(&mut self, lut: Lut, inputs: &[Literal]) -> Literal {
        match self.logic.gate(lut, inputs) {
            Entry::Known(literal) => literal,
            Entry::New(node, complemented) => {
                self.signatures.add_function(&self.logic, node);
                let literal = match self.merging {
                    true => self.merge(node),
                    false => Literal::of_node(node),
                };
                literal.xor(complemented)
            }
        }
    }

    /// The literal of a new node: an earlier one that it is proven to equal, or itself.
    fn merge(&mut self, node: usize) -> Literal {
        let itself = Literal::of_node(node);
        let (signature, complemented) = self.signatures.signature(node);
        let candidates = self.classes.get(&signature).cloned().unwrap_or_default();
        let mut tried = 0;
        for candidate in candidates {
            let candidate = candidate as usize;
            let (_, candidate_complemented) = self.signatures.signature(candidate);
            let literal = Literal::of_node(candidate).xor(complemented != candidate_complemented);
            if tried == CANDIDATES || self.budget.stopped().is_some() {
                break;
            }
            if self.signatures.difference(itself, literal, self.assumed).is_some() {
                continue;
            }
            tried += 1;
            let conflicts = self.budget.limits.conflicts_per_pair;
            match self.solver.equal(&self.logic, itself, literal, conflicts) {
                Answer::Yes => {
                    self.merged += 1;
                    self.logic.replace(node, literal);
                    return literal;
                }
                Answer::No(model) => self.signatures.refine(&self.logic, &model),
                Answer::Unknown if self.equal_on_few(candidate, (itself, literal)) => {
                    self.exhausted += 1;
                    self.logic.replace(node, literal);
                    return literal;
                }
                Answer::Unknown => self.doubts.push((itself, literal)),
            }
        }
        self.classes.entry(signature).or_default().push(node as u32);
        itself
    }

    /// Pairs that may be equal, the earlier one behind: the conflicts ran out.
    pub fn doubts(&self) -> &[(Literal, Literal)] {
        &self.doubts
    }

    /// A least set of these literals that are never all 1 at once, by their places; none if all may
    /// be, or if it is not known.
    pub fn conflict(&mut self, literals: &[Literal]) -> Option<Vec<usize>> {
        let conflicts = self.budget.limits.conflicts_per_target;
        let mut places = self.solver.conflict(&self.logic, literals, conflicts)?;
        let mut kept = 0;
        while kept < places.len() {
            let without = [&places[..kept], &places[kept + 1..]].concat();
            let fewer: Vec<Literal> = without.iter().map(|&place| literals[place]).collect();
            match self.solver.conflict(&self.logic, &fewer, conflicts) {
                Some(core) => places = core.into_iter().map(|place| without[place]).collect(),
                None => kept += 1,
            }
        }
        Some(places)
    }

    /// The nodes, for proofs that are no questions to the solver.
    pub fn logic(&self) -> &Logic {
        &self.logic
    }

    /// Whether a pair with this candidate is equal by running every value of a few nodes below it.
    fn equal_on_few(&mut self, candidate: usize, pair: (Literal, Literal)) -> bool {
        let budget = self.budget;
        candidate < self.exhausted_with && exhaust::equal_on_few(self, pair, budget)
    }

    /// From now on, new nodes that the solver cannot tell from one of those that there are now are
    /// run on every value of a narrow cut below both, if it is very narrow.
    pub fn exhaust_with_these(&mut self) {
        if self.budget.limits.exhaustive_bits > 0 {
            self.exhausted_with = self.nodes();
        }
    }

    /// Marks the patterns that there are now.
    pub fn keep_patterns(&mut self) {
        self.patterns = self.signatures.words();
    }

    /// Drops the patterns that came since [`keep_patterns`](Sweeper::keep_patterns).
    pub fn drop_patterns(&mut self) {
        self.signatures.truncate(self.patterns);
    }

    /// Nodes of the graph.
    pub fn nodes(&self) -> usize {
        self.logic.len()
    }

    /// Whether two literals are always equal, in so many conflicts.
    pub fn compare(&mut self, a: Literal, b: Literal, conflicts: u64) -> Comparison {
        if a == b {
            return Comparison::Equal;
        }
        if let Some(pattern) = self.signatures.difference(a, b, self.assumed) {
            let value = |&node: &usize| (node, self.signatures.value(node, pattern));
            return Comparison::Different(self.free.iter().map(value).collect());
        }
        match self.solver.equal(&self.logic, a, b, conflicts) {
            Answer::Yes => Comparison::Equal,
            Answer::No(model) => Comparison::Different(model),
            Answer::Unknown => {
                Comparison::Undecided(self.budget.stopped().unwrap_or(Reason::Conflicts))
            }
        }
    }
}
