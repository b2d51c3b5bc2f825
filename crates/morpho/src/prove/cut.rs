//! Cuts: inner wires that are proven equal first, and then taken as inputs.

use rustc_hash::FxHashMap;

use super::budget::{Budget, Limits};
use super::graph::{Fixed, Graph};
use super::logic::Literal;
use super::pin::common_sinks;
use super::signature::Signature;
use super::sweep::Sweeper;
use super::{Mismatch, quiet};
use crate::netlist::{Netlist, Wire};

/// The most wires that are told apart by cases: each doubles the work.
const MOST_CASES: usize = 8;

/// A wire in each of two circuits that have the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub left: Wire,
    pub right: Wire,
    pub complemented: bool,
}

/// Inner wires of two circuits that are proven equal first, and from then on taken as inputs that
/// may have any value.
///
/// What is proven with free cuts holds without them. What fails with them may still hold, because
/// the cut may never have the values of the counterexample; then the proof is tried again without
/// any cut.
#[derive(Clone, Debug)]
pub struct Cut {
    pub(super) pairs: Vec<Pair>,
    pub(super) by_cases: bool,
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

/// Finds the wires of one circuit that seem to have the values of given wires of another, or the
/// complements of them, by simulation on random inputs.
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
    /// As [`Equivalence::new`](super::Equivalence::new).
    pub fn new(left: &Netlist, right: &Netlist) -> Result<CutFinder, Mismatch> {
        common_sinks(left, right)?;
        let budget = Budget::new(Limits::default(), &quiet);
        let mut graph = Graph::new(Sweeper::simulating(&budget));
        let mut shown = |netlist: &Netlist| -> Vec<Shown> {
            let literals = graph.insert(
                netlist,
                (0..netlist.nodes().len()).map(Wire::from_index),
                &Fixed::default(),
            );
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
            let (left, complemented) = self.partner(right)?;
            Some(Pair { left, right, complemented })
        };
        Some(Cut { pairs: right.iter().map(pair).collect::<Option<_>>()?, by_cases: false })
    }

    /// The wire of the left circuit that seems to have the values of this one of the right circuit,
    /// and whether it has the complements of them.
    pub fn partner(&self, right: Wire) -> Option<(Wire, bool)> {
        let (signature, complemented) = self.shown[right.index()];
        let &(left, of_left) = self.left.get(&signature)?;
        Some((left, complemented != of_left))
    }
}

/// A proven pair of a cut, and what it is from then on: a constant, or free.
#[derive(Clone, Copy)]
pub(super) struct Value {
    pub pair: Pair,
    pub by_cases: bool,
    pub constant: Option<bool>,
}

impl Value {
    pub fn fix(&self, sweeper: &mut Sweeper, left: &mut Fixed, right: &mut Fixed) {
        let literal = self.constant.map_or_else(|| sweeper.free(), Literal::constant);
        right.insert(self.pair.right, literal);
        left.insert(self.pair.left, literal.xor(self.pair.complemented));
    }
}

/// The cuts once for each combination of the values that are told apart by cases.
pub(super) fn cases(cuts: &[Value]) -> Vec<Vec<Value>> {
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
