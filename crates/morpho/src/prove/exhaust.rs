//! Proof by running every input: for cones that stand on few nodes.
//!
//! A multiplier of 16 by 16 bits is beyond a SAT solver unless the other circuit has the same
//! inner wires, but its 2^32 inputs take the simulator seconds.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::budget::{Budget, MOST_EXHAUSTIVE_BITS};
use super::logic::{Literal, Logic};
use super::narrow::{self, above};
use super::sweep::Sweeper;
use crate::bus::cat;
use crate::library::reduce;
use crate::lut::Lut;
use crate::sim::{Input, Output, Program, Simulator};
use crate::{Builder, Bus, Fits, Netlist};

/// Bits of an input that differ from lane to lane; the others are the same in all lanes.
const LANE_BITS: usize = 12;

/// Blocks of lanes between two looks at the clock.
const BLOCKS_PER_POLL: usize = 1 << 12;

/// Groups of values that are left out of a run at most: each makes the circuit larger.
const MOST_IMPOSSIBLE: usize = 64;

/// Cuts of at most so many nodes are run at once: they take next to no time.
const FEW_BITS: usize = 20;

/// Two literals that may be equal, the later one in front.
type Pair = (Literal, Literal);

/// A pair and a cut below it.
type Doubt = (Vec<usize>, Pair);

/// Whether a pair is equal by running every value of a cut of a few nodes below it.
pub(super) fn equal_on_few(sweeper: &mut Sweeper, pair: Pair, budget: &Budget) -> bool {
    let few = FEW_BITS.min(budget.limits.exhaustive_bits);
    let cut = narrow::cut(sweeper.logic(), pair, few);
    cut.is_some_and(|cut| !equal_pairs(sweeper, &cut, vec![pair], budget).is_empty())
}

/// Some of the pairs of `doubts` that are equal, by running every value of a narrow cut below them,
/// of at most `exhaustive_bits` nodes: the widest cut first, with every pair above it. Once some
/// are equal, the others may have become easier, and are left.
pub(super) fn equalities(sweeper: &mut Sweeper, doubts: &[Pair], budget: &Budget) -> Vec<Pair> {
    let most = budget.limits.exhaustive_bits.min(MOST_EXHAUSTIVE_BITS);
    let cut = |&pair: &Pair| Some((narrow::cut(sweeper.logic(), pair, most)?, pair));
    let mut waiting: Vec<Doubt> = doubts.iter().filter_map(cut).collect();
    waiting.sort_by_key(|(cut, _)| std::cmp::Reverse(cut.len()));
    while let Some((cut, _)) = waiting.first().cloned() {
        let is_cut = |node| cut.binary_search(&node).is_ok();
        let stands =
            |(_, (a, b)): &Doubt| above(sweeper.logic(), [a.node(), b.node()], is_cut).is_some();
        let (batch, rest): (Vec<Doubt>, Vec<Doubt>) = waiting.into_iter().partition(stands);
        let pairs = batch.into_iter().map(|(_, pair)| pair).collect();
        let equal = equal_pairs(sweeper, &cut, pairs, budget);
        if !equal.is_empty() {
            return equal;
        }
        waiting = rest;
    }
    Vec::new()
}

/// Values of some nodes of a cut, by their places, that never come up together.
type Impossible = Vec<(usize, bool)>;

/// Those of `pairs`, which stand on `cut`, that are equal for all values that its nodes can have;
/// none if the budget is spent.
///
/// All values are run. If a pair differs for some that never come up together, which the SAT solver
/// tells, these are left out from then on.
fn equal_pairs(
    sweeper: &mut Sweeper,
    cut: &[usize],
    mut pairs: Vec<Pair>,
    budget: &Budget,
) -> Vec<Pair> {
    let blocks = 1u64 << cut.len().saturating_sub(LANE_BITS);
    budget.expect(blocks);
    let mut impossible: Vec<Impossible> = Vec::new();
    let mut done = 0;
    while done < blocks && !pairs.is_empty() {
        let comparison = Comparison::of(sweeper.logic(), cut, &pairs, &impossible);
        match comparison.run(done..blocks, budget) {
            Run::Equal => done = blocks,
            Run::Stopped => return Vec::new(),
            Run::Different(block) => {
                done = block;
                let (input, differ) = comparison.difference(block);
                let values: Vec<bool> =
                    (0..cut.len()).map(|place| input >> place & 1 == 1).collect();
                let literals = std::iter::zip(cut, &values)
                    .map(|(&node, &value)| Literal::of_node(node).xor(!value));
                let literals: Vec<Literal> = literals.collect();
                match sweeper.conflict(&literals) {
                    Some(places) if impossible.len() < MOST_IMPOSSIBLE => {
                        let value = |place: usize| (place, values[place]);
                        impossible.push(places.into_iter().map(value).collect());
                    }
                    _ => {
                        let mut differ = differ.into_iter();
                        pairs.retain(|_| !differ.next().expect("an answer for each pair"));
                    }
                }
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
    fn of(logic: &Logic, cut: &[usize], pairs: &[Pair], impossible: &[Impossible]) -> Comparison {
        let program = Arc::new(Program::compile(&circuit(logic, cut, pairs, impossible)));
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
                    simulator.get::<u8>(any).contains(&1).then_some(block)
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

    /// The first input of a block for which pairs differ, and which do.
    fn difference(&self, block: u64) -> (u64, Vec<bool>) {
        let mut simulator = self.simulator();
        self.evaluate(&mut simulator, block);
        let any: Vec<u8> = simulator.get(self.output("any"));
        let lane = any.iter().position(|&any| any == 1).expect("a pair differs in this block");
        let differs = |pair: usize| simulator.get::<u8>(self.output(&pair.to_string()))[lane] == 1;
        (block << LANE_BITS | lane as u64, (0..self.pairs).map(differs).collect())
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

/// A circuit of the cones above the cut, with an output for each pair, which says whether it
/// differs, and `any`, which says whether one does. None differs where the nodes of the cut have
/// values that are impossible.
fn circuit(logic: &Logic, cut: &[usize], pairs: &[Pair], impossible: &[Impossible]) -> Netlist {
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
        let value = |&(place, value): &(usize, bool)| (copies[&cut[place]].clone(), value);
        let impossible = impossible.iter().map(|values| values.iter().map(value).collect());
        let counts = possible(n, impossible.collect())?;
        let differences = pairs.iter().map(|(a, b)| {
            let differ = if a.is_complement() == b.is_complement() { Lut::XOR } else { Lut::XNOR };
            n.lut(differ, &[&copies[&a.node()], &copies[&b.node()]])
        });
        let differences: Bus = cat(differences.collect::<Fits<Vec<Bus>>>()?);
        let differences = n.and(&differences, &counts)?;
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

/// Whether none of these groups of wires has the values that it is given with.
fn possible(n: &mut Builder, groups: Vec<Vec<(Bus, bool)>>) -> Fits<Bus> {
    let mut fits = Bus::zero();
    for group in groups {
        let differs =
            group.into_iter().map(|(wire, value)| if value { n.not(&wire) } else { Ok(wire) });
        let differs = cat(differs.collect::<Fits<Vec<Bus>>>()?);
        let other = reduce::any(n, &differs)?;
        let same = n.not(&other)?;
        fits = n.or(&fits, &same)?;
    }
    n.not(&fits)
}
