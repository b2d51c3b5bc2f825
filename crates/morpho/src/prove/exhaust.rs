//! Proof by running every input: for cones that stand on few nodes.
//!
//! A multiplier of 16 by 16 bits is beyond a SAT solver unless the other circuit has the same
//! inner wires, but its 2^32 inputs take the simulator seconds.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::budget::Budget;
use super::logic::{Literal, Logic};
use super::narrow::{self, above};
use crate::bus::cat;
use crate::library::reduce;
use crate::lut::Lut;
use crate::sim::{Input, Output, Program, Simulator};
use crate::{Builder, Bus, Fits, Netlist};

/// Bits of an input that differ from lane to lane; the others are the same in all lanes.
const LANE_BITS: usize = 12;

/// Blocks of lanes between two looks at the clock.
const BLOCKS_PER_POLL: usize = 1 << 12;

/// Cuts of at most so many nodes are run before wider ones: they take next to no time, and what
/// they show may leave less to do for the wider ones.
const FEW_BITS: usize = 20;

/// Two literals that may be equal, the later one in front.
type Pair = (Literal, Literal);

/// A pair and a cut below it.
type Doubt = (Vec<usize>, Pair);

/// Some of the pairs of `doubts` that are equal, by running every input of a narrow cut below them,
/// of at most `most` nodes.
///
/// The fewer nodes, the sooner: pairs on few nodes are run first, and wider cuts are for pairs that
/// seem to differ only because nodes of a narrower one depend on each other.
pub(super) fn equalities(
    logic: &Logic,
    doubts: impl Iterator<Item = Pair>,
    most: usize,
    budget: &Budget,
) -> Vec<Pair> {
    let mut doubts: Vec<Doubt> =
        doubts.filter_map(|pair| Some((narrow::cut(logic, pair, most)?, pair))).collect();
    while !doubts.is_empty() {
        let (few, many) = doubts.into_iter().partition(|(cut, _)| cut.len() <= FEW_BITS);
        doubts = Vec::new();
        for waiting in [few, many] {
            let equal = run_all(logic, waiting, budget, &mut doubts);
            if !equal.is_empty() {
                return equal;
            }
        }
        let wider = |(cut, pair)| Some((narrow::wider(logic, cut, most)?, pair));
        doubts = doubts.into_iter().filter_map(wider).collect();
    }
    Vec::new()
}

/// Runs the widest cut with every pair above it, then the same with the pairs that are left; but
/// once a wide one has shown pairs equal, the others may have become easier. Pairs that differ are
/// `left`.
fn run_all(
    logic: &Logic,
    mut waiting: Vec<Doubt>,
    budget: &Budget,
    left: &mut Vec<Doubt>,
) -> Vec<Pair> {
    waiting.sort_by_key(|(cut, _)| std::cmp::Reverse(cut.len()));
    let mut equal = Vec::new();
    while let Some((cut, _)) = waiting.first().cloned() {
        let is_cut = |node| cut.binary_search(&node).is_ok();
        let stands = |(_, (a, b)): &Doubt| above(logic, [a.node(), b.node()], is_cut).is_some();
        let (batch, rest): (Vec<Doubt>, Vec<Doubt>) = waiting.into_iter().partition(stands);
        let pairs: Vec<Pair> = batch.iter().map(|&(_, pair)| pair).collect();
        let t = std::time::Instant::now();
        let now_equal = equal_pairs(logic, &cut, &pairs, budget);
        if cut.len() > 20 { eprintln!("cut {} free {} batch {} equal {} rest {} {:?}", cut.len(), cut.iter().filter(|&&n| logic.function(n).is_none()).count(), batch.len(), now_equal.len(), rest.len(), t.elapsed()); }
        left.extend(batch.into_iter().filter(|(_, pair)| !now_equal.contains(pair)));
        equal.extend(now_equal);
        waiting = rest;
        if cut.len() > FEW_BITS && !equal.is_empty() {
            break;
        }
    }
    equal
}

/// Those of `pairs`, which stand on `cut`, that are equal whatever values its nodes have; none if
/// the budget is spent.
pub(super) fn equal_pairs(
    logic: &Logic,
    cut: &[usize],
    pairs: &[Pair],
    budget: &Budget,
) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = pairs.to_vec();
    let blocks = 1u64 << cut.len().saturating_sub(LANE_BITS);
    budget.expect(blocks);
    let mut done = 0;
    while done < blocks && !pairs.is_empty() {
        let comparison = Comparison::of(logic, cut, &pairs);
        match comparison.run(done..blocks, budget) {
            Run::Equal => done = blocks,
            Run::Stopped => return Vec::new(),
            Run::Different(block) => {
                let mut differs = comparison.differences(block).into_iter();
                pairs.retain(|_| !differs.next().expect("an answer for each pair"));
                done = block;
            }
        }
    }
    pairs
}

/// What came of running blocks of inputs.
enum Run {
    Equal,
    /// The first block in which a pair differs.
    Different(u64),
    Stopped,
}

/// The cones of some pairs above a cut.
struct Comparison {
    program: Arc<Program>,
    pairs: usize,
    lanes: usize,
}

impl Comparison {
    fn of(logic: &Logic, cut: &[usize], pairs: &[Pair]) -> Comparison {
        let program = Arc::new(Program::compile(&circuit(logic, cut, pairs)));
        Comparison { program, pairs: pairs.len(), lanes: 1 << cut.len().min(LANE_BITS) }
    }

    /// Runs the inputs of some blocks.
    fn run(&self, blocks: Range<u64>, budget: &Budget) -> Run {
        let any = self.output("any");
        for start in blocks.clone().step_by(BLOCKS_PER_POLL) {
            let end = blocks.end.min(start + BLOCKS_PER_POLL as u64);
            let shown = (start..end).into_par_iter().map_init(
                || self.simulator(),
                |simulator, block| {
                    self.evaluate(simulator, block);
                    is_seen(simulator, any).then_some(block)
                },
            );
            if let Some(block) = shown.find_first(Option::is_some).flatten() {
                return Run::Different(block);
            }
            budget.spend(end - start);
            if budget.poll() {
                return Run::Stopped;
            }
        }
        Run::Equal
    }

    /// Which pairs differ in a block.
    fn differences(&self, block: u64) -> Vec<bool> {
        let mut simulator = self.simulator();
        self.evaluate(&mut simulator, block);
        let differs = |pair: usize| is_seen(&simulator, self.output(&pair.to_string()));
        (0..self.pairs).map(differs).collect()
    }

    fn simulator(&self) -> Simulator {
        let mut simulator = Simulator::new(Arc::clone(&self.program), self.lanes);
        let numbers: Vec<u16> = (0..self.lanes as u16).collect();
        simulator.set(self.input("lane"), &numbers);
        simulator
    }

    fn evaluate(&self, simulator: &mut Simulator, block: u64) {
        for lanes in simulator.blocks_mut() {
            lanes.set_all(self.input("block"), block);
            lanes.evaluate().expect("cones have no loops");
        }
    }

    fn input(&self, name: &str) -> Input {
        self.program.input(name).expect("the circuit has this port")
    }

    fn output(&self, name: &str) -> Output {
        self.program.output(name).expect("the circuit has this port")
    }
}

fn is_seen(simulator: &Simulator, port: Output) -> bool {
    simulator.get::<u8>(port).contains(&1)
}

/// A circuit of the cones above the cut, with an output for each pair, which says whether it
/// differs, and `any`, which says whether one does.
fn circuit(logic: &Logic, cut: &[usize], pairs: &[Pair]) -> Netlist {
    let lanes = cut.len().min(LANE_BITS);
    let built = Builder::build("cones", |n| {
        let inputs = n.input("lane", lanes).wires().to_vec();
        let high = n.input("block", cut.len() - lanes).wires().to_vec();
        let mut copies: FxHashMap<usize, Bus> = FxHashMap::default();
        copies.insert(0, Bus::zero());
        let inputs = inputs.into_iter().chain(high).map(Bus::from);
        copies.extend(cut.iter().copied().zip(inputs));
        let roots = pairs.iter().flat_map(|(a, b)| [a.node(), b.node()]);
        let nodes = above(logic, roots, |node| cut.contains(&node)).expect("checked for each pair");
        for node in nodes.into_iter().filter(|node| !cut.contains(node)) {
            let function = logic.function(node).expect("free nodes are in the cut");
            let inputs: Vec<&Bus> =
                function.inputs.iter().map(|&input| &copies[&(input as usize)]).collect();
            let copy = n.lut(function.lut, &inputs)?;
            copies.insert(node, copy);
        }
        let differences = pairs.iter().map(|(a, b)| {
            let same = if a.is_complement() == b.is_complement() { Lut::XOR } else { Lut::XNOR };
            n.lut(same, &[&copies[&a.node()], &copies[&b.node()]])
        });
        let differences: Bus = cat(differences.collect::<Fits<Vec<Bus>>>()?);
        let any = reduce::any(n, &differences)?;
        n.output("any", &any);
        for (pair, &difference) in differences.wires().iter().enumerate() {
            n.output(pair.to_string(), &difference.into());
        }
        Ok(())
    });
    let mut circuit = built.expect("the cones of a netlist are a netlist");
    crate::pass::optimise(&mut circuit);
    circuit
}

