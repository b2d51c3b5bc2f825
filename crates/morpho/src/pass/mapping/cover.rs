//! Covers of a subject graph by look-up tables.
//!
//! After Mishchenko, Cho, Chatterjee and Brayton, "Combinational and sequential mapping with
//! priority cuts", ICCAD 2007. Each round walks the nodes once and makes the cuts of a node from
//! those of its inputs; only the best few are kept, and only until the last reader has seen them.
//! The first round takes the cuts of least depth. Later rounds take smaller ones where the depth of
//! the whole allows it: by area flow, which shares the area of a leaf among its readers, then by the
//! look-up tables that really come or go with the cut.

use std::mem;

use super::cut::Cut;
use super::subject::{Function, Subject};

/// How many cuts of a node are kept.
const KEPT: usize = 8;

/// The rounds after the first.
const ROUNDS: [Goal; 4] = [Goal::Flow, Goal::Flow, Goal::Exact, Goal::Exact];

/// What a round makes small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    /// The look-up tables on the longest path.
    Depth,
    /// The estimated number of look-up tables.
    Flow,
    /// The look-up tables that nothing else of the cover needs.
    Exact,
}

/// A choice of a cut for every node that has a look-up table.
pub struct Cover<'s> {
    subject: &'s Subject,
    /// The most leaves of a cut.
    inputs: usize,
    /// Nodes that must have a value of their own.
    sinks: Vec<usize>,
    /// Sinks that no look-up table may cover.
    opaque: Vec<bool>,
    best: Vec<Cut>,
    /// How many chosen cuts and sinks need a node.
    references: Vec<u32>,
    /// An estimate of that, from all rounds so far.
    readers: Vec<f32>,
    /// Whether every node has a cut from a round before.
    chosen: bool,
    /// The latest that a node may have its value, in look-up tables.
    required: Vec<u32>,
}

impl<'s> Cover<'s> {
    /// Look-up tables of `inputs` inputs: the least depth, and few of them for that depth; or, with
    /// `for_area`, just few of them.
    pub fn of(
        subject: &'s Subject,
        inputs: usize,
        for_area: bool,
        sinks: Vec<usize>,
        opaque: Vec<bool>,
    ) -> Self {
        let count = subject.len();
        let mut cover = Cover {
            subject,
            inputs,
            sinks,
            opaque,
            best: (0..count).map(Cut::trivial).collect(),
            references: vec![0; count],
            readers: vec![0.0; count],
            chosen: false,
            required: vec![u32::MAX; count],
        };
        let reads = (0..count).flat_map(|node| subject.function(node).inputs());
        for node in reads.map(|input| input.node()).chain(cover.sinks.iter().copied()) {
            cover.readers[node] += 1.0;
        }
        cover.round(if for_area { Goal::Flow } else { Goal::Depth });
        cover.chosen = true;
        for goal in ROUNDS {
            cover.count_references();
            if !for_area {
                cover.require();
            }
            cover.estimate_readers();
            cover.round(goal);
        }
        cover.count_references();
        cover
    }

    /// The cut of a node that has a look-up table in the cover.
    pub fn cut(&self, node: usize) -> Option<&Cut> {
        (self.references[node] > 0 && self.is_gate(node)).then(|| &self.best[node])
    }

    fn is_gate(&self, node: usize) -> bool {
        !matches!(self.subject.function(node), Function::Source(_))
    }

    /// Chooses a cut for every node.
    fn round(&mut self, goal: Goal) {
        let mut unread = vec![0; self.subject.len()];
        for node in 0..self.subject.len() {
            self.subject.function(node).inputs().iter().for_each(|input| unread[input.node()] += 1);
        }
        let mut cuts: Vec<Vec<Cut>> = vec![Vec::new(); self.subject.len()];
        let mut given = self.subject.given().iter().peekable();
        for node in 0..self.subject.len() {
            let made = given.next_if(|given| given.root == node);
            if self.is_gate(node) {
                let made = made.and_then(|given| Cut::of(&given.leaves, self.inputs));
                let found = self.choose(node, goal, &cuts, made);
                if !self.opaque[node] {
                    cuts[node] = found;
                }
                for input in self.subject.function(node).inputs() {
                    unread[input.node()] -= 1;
                    if unread[input.node()] == 0 {
                        cuts[input.node()] = Vec::new();
                    }
                }
            }
            cuts[node].push(Cut::trivial(node));
        }
    }

    /// Chooses the cut of `node`; gives the best few.
    fn choose(
        &mut self,
        node: usize,
        goal: Goal,
        cuts: &[Vec<Cut>],
        given: Option<Cut>,
    ) -> Vec<Cut> {
        let subject = self.subject;
        let mapped = self.references[node] > 0;
        if goal == Goal::Exact && mapped {
            self.dereference(node);
        }
        let mut ranking = Ranking::new(goal);
        // The one before always meets the required time: its leaves do.
        let before = self.chosen.then(|| self.best[node]);
        for mut cut in before.into_iter().chain(given) {
            self.evaluate(&mut cut, goal, node);
            ranking.add(cut, self.required[node]);
        }
        let [a, b] = *subject.function(node).inputs() else { unreachable!("a gate reads two") };
        for of_a in &cuts[a.node()] {
            for of_b in &cuts[b.node()] {
                if let Some(mut cut) = of_a.merge(of_b, self.inputs)
                    && !ranking.is_dominated(&cut)
                {
                    self.evaluate(&mut cut, goal, node);
                    ranking.add(cut, self.required[node]);
                }
            }
        }
        self.best[node] = ranking.cuts[0];
        if goal == Goal::Exact && mapped {
            self.reference(node);
        }
        ranking.cuts
    }

    /// Puts depth and area to `cut`, a cut of `node`.
    fn evaluate(&mut self, cut: &mut Cut, goal: Goal, node: usize) {
        cut.depth = 1 + cut.leaves().map(|leaf| self.best[leaf].depth).max().unwrap_or(0);
        cut.area = match goal {
            Goal::Exact => {
                self.best[node] = *cut;
                let area = self.reference(node);
                self.dereference(node);
                area as f32
            }
            _ => {
                let shared = |leaf: usize| self.best[leaf].area / self.readers[leaf].max(1.0);
                1.0 + cut.leaves().map(shared).sum::<f32>()
            }
        };
    }

    /// Counts the leaves of `node` as needed, and those of leaves that nothing needed before; gives
    /// the number of look-up tables that come with it.
    fn reference(&mut self, node: usize) -> u32 {
        self.walk(node, |references| {
            *references += 1;
            *references == 1
        })
    }

    /// Takes back [`Cover::reference`].
    fn dereference(&mut self, node: usize) -> u32 {
        self.walk(node, |references| {
            *references -= 1;
            *references == 0
        })
    }

    /// Visits the leaves of `node`, and those of each leaf for which `enter` holds.
    fn walk(&mut self, node: usize, enter: impl Fn(&mut u32) -> bool) -> u32 {
        let (mut area, mut open) = (0, vec![node]);
        while let Some(node) = open.pop() {
            area += 1;
            for leaf in self.best[node].leaves() {
                if enter(&mut self.references[leaf]) && self.is_gate(leaf) {
                    open.push(leaf);
                }
            }
        }
        area
    }

    /// Counts what the chosen cuts need, from the sinks on.
    fn count_references(&mut self) {
        self.references.fill(0);
        self.sinks.iter().for_each(|&sink| self.references[sink] += 1);
        for node in (0..self.subject.len()).rev() {
            if self.references[node] > 0 && self.is_gate(node) {
                self.best[node].leaves().for_each(|leaf| self.references[leaf] += 1);
            }
        }
    }

    /// Finds the times at which values are required, so that no path gets longer than the longest.
    fn require(&mut self) {
        self.required.fill(u32::MAX);
        let depth = self.sinks.iter().map(|&sink| self.best[sink].depth).max().unwrap_or(0);
        self.sinks.iter().for_each(|&sink| self.required[sink] = depth);
        for node in (0..self.subject.len()).rev() {
            if self.references[node] > 0 && self.is_gate(node) {
                let before = self.required[node] - 1;
                for leaf in self.best[node].leaves() {
                    self.required[leaf] = self.required[leaf].min(before);
                }
            }
        }
    }

    /// What was estimated counts for two thirds, what the cover has for one.
    fn estimate_readers(&mut self) {
        for (readers, &references) in std::iter::zip(&mut self.readers, &self.references) {
            *readers = (2.0 * *readers + references as f32) / 3.0;
        }
    }
}

/// The best cuts of a node so far, the best first.
struct Ranking {
    goal: Goal,
    cuts: Vec<Cut>,
}

impl Ranking {
    fn new(goal: Goal) -> Self {
        Self { goal, cuts: Vec::with_capacity(KEPT + 2) }
    }

    fn is_dominated(&self, cut: &Cut) -> bool {
        self.cuts.iter().any(|other| other.dominates(cut))
    }

    /// Adds a cut, if it is among the best and its depth is at most `required`.
    fn add(&mut self, cut: Cut, required: u32) {
        if cut.depth > required {
            return;
        }
        let mut kept = mem::take(&mut self.cuts);
        kept.retain(|other| !cut.dominates(other));
        let place = kept.partition_point(|other| !self.is_better(&cut, other));
        kept.insert(place, cut);
        kept.truncate(KEPT);
        self.cuts = kept;
    }

    fn is_better(&self, a: &Cut, b: &Cut) -> bool {
        let (depth, size) = (a.depth.cmp(&b.depth), a.leaves().len().cmp(&b.leaves().len()));
        let area = a.area.total_cmp(&b.area);
        match self.goal {
            Goal::Depth => depth.then(size).then(area).is_lt(),
            // Early leaves save later on: of cuts of one area they are the better start.
            Goal::Flow | Goal::Exact => area.then(depth).then(size).is_lt(),
        }
    }
}
