//! Nodes of a logic graph as clauses, and questions to a SAT solver about them.
//!
//! The solver is `batsat`: a MiniSat in plain Rust with assumptions, so that what it learns from
//! one question serves the next, and with callbacks, which count conflicts and watch the time.

use std::cell::Cell;

use batsat::{Callbacks, ClauseKind, Lit, Solver as Batsat, SolverInterface, Var, lbool};
use rustc_hash::FxHashMap;

use super::budget::Budget;
use super::logic::{Literal, Logic};
use crate::lut::Lut;

/// Conflicts between two looks at the clock.
const CONFLICTS_PER_POLL: u64 = 64;

/// What the solver says of a claim.
pub(super) enum Answer {
    /// It always holds.
    Yes,
    /// It fails where the encoded nodes have these values; nodes that are left out do not matter.
    No(Model),
    /// The conflicts, or the whole budget, ran out.
    Unknown,
}

/// The values of the free nodes that a question was about.
pub(super) type Model = Vec<(usize, bool)>;

/// Stops the solver when its budget is spent.
struct Stop<'b> {
    budget: &'b Budget<'b>,
    conflicts: u64,
    limit: u64,
    stopped: Cell<bool>,
}

impl Callbacks for Stop<'_> {
    fn on_new_clause(&mut self, _: &[Lit], _: ClauseKind) {
        self.conflicts += 1;
        let spent = self.conflicts >= self.limit;
        let polled = self.conflicts.is_multiple_of(CONFLICTS_PER_POLL) && self.budget.poll();
        if spent || polled {
            self.stopped.set(true);
        }
    }

    fn stop(&self) -> bool {
        self.stopped.get()
    }
}

/// A solver that holds the clauses of a growing part of a [`Logic`].
pub(super) struct Solver<'b> {
    solver: Batsat<Stop<'b>>,
    variable: Vec<Option<Var>>,
    /// The free nodes that have a variable.
    free: Vec<usize>,
    clauses: FxHashMap<Lut, Vec<Implication>>,
    /// Questions asked.
    pub questions: u64,
}

impl<'b> Solver<'b> {
    pub fn new(budget: &'b Budget<'b>) -> Solver<'b> {
        let stop = Stop { budget, conflicts: 0, limit: 0, stopped: Cell::new(false) };
        Solver {
            solver: Batsat::new(Default::default(), stop),
            variable: Vec::new(),
            free: Vec::new(),
            clauses: FxHashMap::default(),
            questions: 0,
        }
    }

    /// Conflicts so far.
    pub fn conflicts(&self) -> u64 {
        self.solver.num_conflicts()
    }

    /// Whether two literals are always equal. If they are, the solver knows it from then on.
    pub fn equal(&mut self, logic: &Logic, a: Literal, b: Literal, conflicts: u64) -> Answer {
        let (a, b) = (self.encode(logic, a), self.encode(logic, b));
        for assumptions in [[a, !b], [!a, b]] {
            match self.solve(&assumptions, conflicts) {
                Answer::Yes => (),
                answer => return answer,
            }
        }
        self.solver.add_clause_reuse(&mut vec![!a, b]);
        self.solver.add_clause_reuse(&mut vec![a, !b]);
        Answer::Yes
    }

    /// Some of these literals that are never all 1 at once, by their places; none if all may be, or
    /// if it is not known.
    pub fn conflict(
        &mut self,
        logic: &Logic,
        literals: &[Literal],
        conflicts: u64,
    ) -> Option<Vec<usize>> {
        let literals: Vec<Lit> =
            literals.iter().map(|&literal| self.encode(logic, literal)).collect();
        match self.solve(&literals, conflicts) {
            Answer::Yes => {
                let is_in =
                    |&place: &usize| self.solver.unsat_core_contains_var(literals[place].var());
                Some((0..literals.len()).filter(is_in).collect())
            }
            Answer::No(_) | Answer::Unknown => None,
        }
    }

    /// Leaves out every assignment on which `literal` is 0.
    pub fn assume(&mut self, logic: &Logic, literal: Literal) {
        let literal = self.encode(logic, literal);
        self.solver.add_clause_reuse(&mut vec![literal]);
    }

    /// Whether these literals are never all 1 at once.
    fn solve(&mut self, assumptions: &[Lit], conflicts: u64) -> Answer {
        self.questions += 1;
        let stop = self.solver.cb_mut();
        (stop.conflicts, stop.limit) = (0, conflicts);
        stop.stopped.set(stop.budget.stopped().is_some());
        match self.solver.solve_limited(assumptions) {
            answer if answer == lbool::FALSE => Answer::Yes,
            answer if answer == lbool::TRUE => Answer::No(self.model()),
            _ => Answer::Unknown,
        }
    }

    fn model(&self) -> Model {
        let value = |node: usize| {
            let variable = self.variable[node].expect("free nodes of the model are encoded");
            self.solver.value_var(variable) == lbool::TRUE
        };
        self.free.iter().map(|&node| (node, value(node))).collect()
    }

    /// The solver's literal for `literal`, after the clauses of everything it depends on.
    fn encode(&mut self, logic: &Logic, literal: Literal) -> Lit {
        self.variable.resize(logic.len(), None);
        let mut pending = vec![literal.node()];
        while let Some(&node) = pending.last() {
            let inputs = logic.function(node).map_or(&[][..], |function| &function.inputs);
            let missing = inputs.iter().map(|&input| input as usize);
            let before = pending.len();
            pending.extend(missing.filter(|&input| self.variable[input].is_none()));
            if pending.len() == before {
                pending.pop();
                if self.variable[node].is_none() {
                    self.encode_node(logic, node);
                }
            }
        }
        Lit::new(self.var(literal.node()), !literal.is_complement())
    }

    fn var(&self, node: usize) -> Var {
        self.variable[node].expect("a node is encoded after its inputs")
    }

    /// Tseitin's clauses: one for each prime implicant of the function and of its complement.
    fn encode_node(&mut self, logic: &Logic, node: usize) {
        let output = self.solver.new_var_default();
        self.variable[node] = Some(output);
        let Some(function) = logic.function(node) else {
            match node {
                0 => _ = self.solver.add_clause_reuse(&mut vec![Lit::new(output, false)]),
                _ => self.free.push(node),
            }
            return;
        };
        let inputs: Vec<Var> = function.inputs.iter().map(|&i| self.var(i as usize)).collect();
        let lut = function.lut;
        for implication in self.clauses.entry(lut).or_insert_with(|| implications(lut)) {
            let wanted = inputs.iter().enumerate();
            let wanted = wanted.filter(|(input, _)| implication.care >> input & 1 == 1);
            // One of the values that the product wants fails, or the output has its value.
            let fails = wanted.map(|(i, &var)| Lit::new(var, implication.value >> i & 1 == 0));
            let mut clause: Vec<Lit> = fails.collect();
            clause.push(Lit::new(output, implication.output));
            self.solver.add_clause_reuse(&mut clause);
        }
    }
}

/// Where the arguments in `care` have the bits of `value`, the table gives `output`.
struct Implication {
    care: usize,
    value: usize,
    output: bool,
}

/// All prime implicants of the table and of its complement. More than a cover needs: with all of
/// them, unit propagation finds every value that the table determines.
fn implications(lut: Lut) -> Vec<Implication> {
    let rows = 1usize << lut.arity();
    let holds = |care: usize, value: usize, output: bool| {
        (0..rows).filter(|row| row & care == value).all(|row| lut.row(row) == output)
    };
    let mut implications = Vec::new();
    for care in 0..rows {
        for value in (0..rows).filter(|value| value & !care == 0) {
            let output = lut.row(value);
            let wider = |input: usize| holds(care & !(1 << input), value & !(1 << input), output);
            let cared = (0..lut.arity()).filter(|input| care >> input & 1 == 1);
            if holds(care, value, output) && !cared.into_iter().any(wider) {
                implications.push(Implication { care, value, output });
            }
        }
    }
    implications
}
