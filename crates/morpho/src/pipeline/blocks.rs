//! Blocks: the gates that no register may stand between.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{MAX_TABLE_BITS, Options};
use crate::graph::strongly_connected;
use crate::hierarchy::Instance;
use crate::memory::MAX_WIDTH;
use crate::netlist::{Netlist, Wire};
use crate::operator::Function;

/// What becomes of the gates of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// Gates, or a carry chain.
    #[default]
    Logic,
    /// A memory, which has its word a clock later.
    Table,
    /// A product with registers behind it, which has its result so many clocks later.
    Product(usize),
}

impl Kind {
    /// How many clocks after its operands a result is there.
    pub fn clocks(self) -> usize {
        match self {
            Kind::Logic => 0,
            Kind::Table => 1,
            Kind::Product(clocks) => clocks,
        }
    }
}

/// Gates of one stage: a single one, a carry chain, a table, or a product.
#[derive(Default)]
pub(super) struct Block {
    /// Its gates, in an order of evaluation.
    pub gates: Vec<Wire>,
    /// The wires that it reads from elsewhere, constants aside, each once.
    pub inputs: Vec<Wire>,
    /// Its gates that are read elsewhere.
    pub results: Vec<Wire>,
    /// What becomes of it.
    pub kind: Kind,
}

/// The blocks, each after those that it reads.
///
/// Two instances that read each other, which happens where a pass has merged gates of theirs,
/// become one block.
pub(super) fn partition(netlist: &Netlist, options: &Options) -> Vec<Block> {
    let (drafts, draft_of) = by_instance(netlist, options);
    let reads = reads(netlist, &drafts, &draft_of);
    let components = strongly_connected(drafts.len(), |draft| &reads[draft]);
    let blocks = components.into_iter().map(|members| {
        let gates = members.iter().flat_map(|&member| drafts[member].gates.clone());
        let kind = if members.len() == 1 { drafts[members[0]].kind } else { Kind::Logic };
        let mut block = Block { gates: gates.collect(), kind, ..Block::default() };
        block.gates.sort_unstable();
        block
    });
    with_borders(netlist, blocks.collect())
}

/// The gates of each outermost instance of a named cell; every other gate for itself.
fn by_instance(netlist: &Netlist, options: &Options) -> (Vec<Block>, FxHashMap<Wire, usize>) {
    let hierarchy = netlist.hierarchy();
    let claims: FxHashMap<Instance, Kind> = netlist
        .operators()
        .iter()
        .filter_map(|operator| match operator.function() {
            Function::Multiply { .. } if options.product_clocks == 0 => None,
            Function::Multiply { .. } => {
                Some((operator.origin(), Kind::Product(options.product_clocks)))
            }
            _ => Some((operator.origin(), Kind::Logic)),
        })
        .collect();
    let mut whole: Vec<Option<(Instance, Kind)>> = vec![None];
    for instance in hierarchy.instances().skip(1) {
        let cell = hierarchy.cell(instance);
        let kind = match claims.get(&instance) {
            _ if options.tables.contains(&cell) => Some(Kind::Table),
            _ if options.chains.contains(&cell) => Some(Kind::Logic),
            claim => claim.copied(),
        };
        let above = whole[hierarchy.parent(instance).index()];
        whole.push(above.or(kind.map(|kind| (instance, kind))));
    }
    let (mut drafts, mut draft_of) = (Vec::<Block>::new(), FxHashMap::default());
    let mut of_instance = FxHashMap::default();
    for (wire, gate) in netlist.gates() {
        let fresh = drafts.len();
        let (draft, kind) = match whole[gate.origin().index()] {
            Some((instance, kind)) => (*of_instance.entry(instance).or_insert(fresh), kind),
            None => (fresh, Kind::Logic),
        };
        if draft == fresh {
            drafts.push(Block { kind, ..Block::default() });
        }
        drafts[draft].gates.push(wire);
        draft_of.insert(wire, draft);
    }
    (drafts, draft_of)
}

/// The numbers of the drafts that each draft reads, as wires for the sake of the walk.
fn reads(netlist: &Netlist, drafts: &[Block], draft_of: &FxHashMap<Wire, usize>) -> Vec<Vec<Wire>> {
    let of_gate = |&wire: &Wire| netlist.gate(wire).expect("a block holds gates").inputs();
    let read = |(number, draft): (usize, &Block)| {
        let inputs = draft.gates.iter().flat_map(of_gate);
        let drafts = inputs.filter_map(|input| draft_of.get(input)).copied();
        let others: FxHashSet<usize> = drafts.filter(|&other| other != number).collect();
        let mut others: Vec<Wire> = others.into_iter().map(Wire::from_index).collect();
        others.sort_unstable();
        others
    };
    drafts.iter().enumerate().map(read).collect()
}

fn with_borders(netlist: &Netlist, mut blocks: Vec<Block>) -> Vec<Block> {
    let mut home = vec![usize::MAX; netlist.nodes().len()];
    for (number, block) in blocks.iter().enumerate() {
        block.gates.iter().for_each(|wire| home[wire.index()] = number);
    }
    let mut shown: FxHashSet<Wire> = netlist.sinks().collect();
    for (number, block) in blocks.iter_mut().enumerate() {
        let mut seen = FxHashSet::default();
        for &wire in &block.gates {
            for &input in netlist.gate(wire).expect("a block holds gates").inputs() {
                let foreign = input.as_constant().is_none() && home[input.index()] != number;
                if foreign && seen.insert(input) {
                    block.inputs.push(input);
                    shown.insert(input);
                }
            }
        }
    }
    for block in &mut blocks {
        block.results = block.gates.iter().copied().filter(|wire| shown.contains(wire)).collect();
        let fits = (1..=MAX_TABLE_BITS).contains(&block.inputs.len())
            && (1..=MAX_WIDTH).contains(&block.results.len());
        if block.kind == Kind::Table && !fits {
            block.kind = Kind::Logic;
        }
    }
    blocks
}
