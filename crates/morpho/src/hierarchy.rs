//! The tree of cell instances that a circuit grew from.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A cell instance: an index into the [`Hierarchy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Instance(u32);

impl Instance {
    /// The circuit itself, the root of the tree.
    pub const TOP: Instance = Instance(0);

    /// The position in the order of creation; parents come before their children.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The name of a module of a file as the name of a cell. Names of cells live as long as the
/// program, so each new one is kept for ever, once.
pub(crate) fn cell_name(name: &str) -> &'static str {
    static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.get(name).copied().unwrap_or_else(|| {
        let name: &'static str = Box::leak(name.into());
        known.insert(name);
        name
    })
}

/// A cell at given argument widths.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Kind {
    name: &'static str,
    widths: SmallVec<[u32; 4]>,
}

/// The recorded hierarchy: which cell was instantiated inside which, at which widths.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    kinds: Vec<Kind>,
    kind_of_name: FxHashMap<Kind, u32>,
    instances: Vec<(u32, Instance)>,
}

/// One line of a hierarchy's inventory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellCount {
    /// The name of the cell.
    pub cell: &'static str,
    /// The widths of its bus arguments.
    pub widths: Vec<usize>,
    /// How many instances there are.
    pub count: usize,
}

impl Hierarchy {
    pub(crate) fn new() -> Hierarchy {
        let mut hierarchy = Hierarchy {
            kinds: Vec::new(),
            kind_of_name: FxHashMap::default(),
            instances: Vec::new(),
        };
        hierarchy.add("top", [], Instance::TOP);
        hierarchy
    }

    pub(crate) fn add(
        &mut self,
        name: &'static str,
        widths: impl IntoIterator<Item = usize>,
        parent: Instance,
    ) -> Instance {
        let widths = widths.into_iter().map(|width| width as u32).collect();
        let kind = Kind { name, widths };
        let kind = *self.kind_of_name.entry(kind).or_insert_with_key(|kind| {
            self.kinds.push(kind.clone());
            self.kinds.len() as u32 - 1
        });
        self.instances.push((kind, parent));
        Instance(self.instances.len() as u32 - 1)
    }

    /// Forgets the instances from number `count` on.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.instances.truncate(count);
    }

    /// Number of instances, the top included.
    pub fn len(&self) -> usize {
        self.instances.len()
    }

    /// Always false: the top is an instance.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Every instance; parents come before their children.
    pub fn instances(&self) -> impl Iterator<Item = Instance> {
        (0..self.instances.len() as u32).map(Instance)
    }

    /// The cell that `instance` is an instance of.
    pub fn cell(&self, instance: Instance) -> &'static str {
        self.kind(instance).name
    }

    /// The widths of the bus arguments of `instance`.
    pub fn widths(&self, instance: Instance) -> impl Iterator<Item = usize> {
        self.kind(instance).widths.iter().map(|&width| width as usize)
    }

    /// The instance inside which `instance` stands; the top stands inside itself.
    pub fn parent(&self, instance: Instance) -> Instance {
        self.instances[instance.index()].1
    }

    /// The cells from the outermost down to `instance`, as `outer:16,16 > inner:8,8`.
    pub fn path(&self, instance: Instance) -> String {
        let mut steps = Vec::new();
        let mut at = instance;
        while at != Instance::TOP {
            let widths: Vec<String> = self.widths(at).map(|width| width.to_string()).collect();
            steps.push(format!("{}:{}", self.cell(at), widths.join(",")));
            at = self.parent(at);
        }
        steps.reverse();
        steps.join(" > ")
    }

    /// How many instances of each cell there are at each combination of widths, sorted by name.
    pub fn counts(&self) -> Vec<CellCount> {
        let mut count_of_kind = vec![0; self.kinds.len()];
        for &(kind, _) in &self.instances[1..] {
            count_of_kind[kind as usize] += 1;
        }
        let mut counts: Vec<CellCount> = std::iter::zip(&self.kinds, count_of_kind)
            .filter(|&(_, count)| count > 0)
            .map(|(kind, count)| CellCount {
                cell: kind.name,
                widths: kind.widths.iter().map(|&width| width as usize).collect(),
                count,
            })
            .collect();
        counts.sort();
        counts
    }

    fn kind(&self, instance: Instance) -> &Kind {
        &self.kinds[self.instances[instance.index()].0 as usize]
    }
}
