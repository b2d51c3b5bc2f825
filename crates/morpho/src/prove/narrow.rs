//! Narrow cuts: few nodes that everything above them depends through.
//!
//! Two cones that are hard to compare from the inputs up may both stand on a few nodes that they
//! share. Those are found as a smallest vertex cut, by augmenting paths.
//!
//! Source: L. R. Ford and D. R. Fulkerson, "Maximal flow through a network", 1956, with each node
//! split in two, so that it carries at most one path.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use super::logic::{Literal, Logic};

/// The fewest nodes that all paths from free nodes to both literals of `pair` go through, of those
/// that are free or that both literals depend on. Of several such sets, the one nearest to the
/// literals. None if it takes more than `most`.
pub(super) fn cut(logic: &Logic, pair: (Literal, Literal), most: usize) -> Option<Vec<usize>> {
    let network = Network::of(logic, pair)?;
    let mut flow = Flow::through(&network);
    for _ in 0..=most {
        if !flow.augment() {
            return Some(flow.cut());
        }
    }
    None
}

/// The nodes that `roots` depend on and that are above `cut`, with those of the cut that they
/// reach, in topological order. None if they reach a free node beside the cut.
pub(super) fn above(
    logic: &Logic,
    roots: impl IntoIterator<Item = usize>,
    is_cut: impl Fn(usize) -> bool,
) -> Option<Vec<usize>> {
    let mut pending: Vec<usize> = roots.into_iter().collect();
    let mut reached = FxHashSet::default();
    while let Some(node) = pending.pop() {
        if node == 0 || !reached.insert(node) || is_cut(node) {
            continue;
        }
        let function = logic.function(node)?;
        pending.extend(function.inputs.iter().map(|&input| input as usize));
    }
    let mut reached: Vec<usize> = reached.into_iter().collect();
    reached.sort_unstable();
    Some(reached)
}

/// The cone of a pair of literals, its nodes numbered anew from 0 in topological order.
struct Network {
    nodes: Vec<usize>,
    inputs: Vec<Vec<usize>>,
    readers: Vec<Vec<usize>>,
    /// Whether a cut may go through the node.
    open: Vec<bool>,
    roots: Vec<usize>,
}

impl Network {
    fn of(logic: &Logic, (a, b): (Literal, Literal)) -> Option<Network> {
        let everything = |root: Literal| {
            let free = |node: usize| logic.function(node).is_none();
            above(logic, [root.node()], free)
        };
        let (of_a, of_b) = (everything(a)?, everything(b)?);
        let mut nodes = [of_a.clone(), of_b.clone()].concat();
        nodes.sort_unstable();
        nodes.dedup();
        let shared =
            |node: &usize| of_a.binary_search(node).is_ok() && of_b.binary_search(node).is_ok();
        let free = |node: &usize| logic.function(*node).is_none();
        let is_root = |node: &usize| *node == a.node() || *node == b.node();
        let open = nodes.iter().map(|node| free(node) || shared(node) && !is_root(node)).collect();
        let number: FxHashMap<usize, usize> =
            nodes.iter().enumerate().map(|(number, &node)| (node, number)).collect();
        let mut readers = vec![Vec::new(); nodes.len()];
        let inputs: Vec<Vec<usize>> = nodes
            .iter()
            .map(|&node| {
                let function = logic.function(node);
                let inputs = function.iter().flat_map(|function| &function.inputs);
                inputs.map(|&input| number[&(input as usize)]).collect()
            })
            .collect();
        for (node, inputs) in inputs.iter().enumerate() {
            inputs.iter().for_each(|&input| readers[input].push(node));
        }
        let roots = [a, b].iter().filter_map(|root| number.get(&root.node()).copied()).collect();
        Some(Network { nodes, inputs, readers, open, roots })
    }
}

/// Where a path stands: before a node, or behind it.
type Place = (usize, Side);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Side {
    Before,
    Behind,
}

/// Paths from the free nodes to the roots.
struct Flow<'n> {
    network: &'n Network,
    /// Paths through each node.
    through: Vec<u32>,
    /// Paths from a node to one that reads it.
    along: FxHashMap<(usize, usize), u32>,
    /// Paths that start at a free node.
    started: Vec<bool>,
    /// Where the last search came from, for each place that it reached.
    origin: FxHashMap<Place, Option<Place>>,
}

impl<'n> Flow<'n> {
    fn through(network: &'n Network) -> Flow<'n> {
        Flow {
            network,
            through: vec![0; network.nodes.len()],
            along: FxHashMap::default(),
            started: vec![false; network.nodes.len()],
            origin: FxHashMap::default(),
        }
    }

    /// Adds a path; false if there is no more.
    fn augment(&mut self) -> bool {
        self.origin.clear();
        let network = self.network;
        let free = (0..network.nodes.len()).filter(|&node| network.inputs[node].is_empty());
        let mut waiting: VecDeque<Place> = VecDeque::new();
        for node in free.filter(|&node| !self.started[node]) {
            self.origin.insert((node, Side::Before), None);
            waiting.push_back((node, Side::Before));
        }
        while let Some(place) = waiting.pop_front() {
            if place.1 == Side::Behind && network.roots.contains(&place.0) {
                self.add_path(place);
                return true;
            }
            for next in self.steps(place) {
                if let Entry::Vacant(entry) = self.origin.entry(next) {
                    entry.insert(Some(place));
                    waiting.push_back(next);
                }
            }
        }
        false
    }

    /// The places that a path may go to, by a step of its own or by taking one back.
    fn steps(&self, (node, side): Place) -> Vec<Place> {
        let network = self.network;
        match side {
            Side::Before => {
                let back = network.inputs[node].iter().copied();
                let back = back.filter(|&input| self.paths(input, node) > 0);
                let mut steps: Vec<Place> = back.map(|input| (input, Side::Behind)).collect();
                if !network.open[node] || self.through[node] == 0 {
                    steps.push((node, Side::Behind));
                }
                steps
            }
            Side::Behind => {
                let readers = network.readers[node].iter();
                let mut steps: Vec<Place> = readers.map(|&reader| (reader, Side::Before)).collect();
                if self.through[node] > 0 {
                    steps.push((node, Side::Before));
                }
                steps
            }
        }
    }

    fn paths(&self, from: usize, to: usize) -> u32 {
        self.along.get(&(from, to)).copied().unwrap_or(0)
    }

    /// Takes the steps that led to `place`.
    fn add_path(&mut self, mut place: Place) {
        while let Some(from) = self.origin[&place] {
            match (from, place) {
                ((node, Side::Before), (other, Side::Behind)) if node == other => {
                    self.through[node] += 1;
                }
                ((node, Side::Behind), (other, Side::Before)) if node == other => {
                    self.through[node] -= 1;
                }
                ((node, Side::Behind), (reader, _)) => {
                    *self.along.entry((node, reader)).or_default() += 1;
                }
                ((node, Side::Before), (input, _)) => {
                    *self.along.entry((input, node)).or_default() -= 1;
                }
            }
            place = from;
        }
        self.started[place.0] = true;
    }

    /// The nodes nearest to the roots that no more paths can pass.
    fn cut(&self) -> Vec<usize> {
        let mut leads = FxHashSet::default();
        let mut pending: Vec<Place> =
            self.network.roots.iter().map(|&root| (root, Side::Behind)).collect();
        while let Some(place) = pending.pop() {
            if leads.insert(place) {
                pending.extend(self.steps_to(place));
            }
        }
        let blocked = |&node: &usize| {
            leads.contains(&(node, Side::Behind)) && !leads.contains(&(node, Side::Before))
        };
        (0..self.network.nodes.len()).filter(blocked).map(|node| self.network.nodes[node]).collect()
    }

    /// The places that [`steps`](Flow::steps) leads to this one from.
    fn steps_to(&self, (node, side): Place) -> Vec<Place> {
        let network = self.network;
        match side {
            Side::Before => {
                let inputs = network.inputs[node].iter();
                let mut steps: Vec<Place> = inputs.map(|&input| (input, Side::Behind)).collect();
                if self.through[node] > 0 {
                    steps.push((node, Side::Behind));
                }
                steps
            }
            Side::Behind => {
                let readers = network.readers[node].iter().copied();
                let readers = readers.filter(|&reader| self.paths(node, reader) > 0);
                let mut steps: Vec<Place> = readers.map(|reader| (reader, Side::Before)).collect();
                if !network.open[node] || self.through[node] == 0 {
                    steps.push((node, Side::Before));
                }
                steps
            }
        }
    }
}
