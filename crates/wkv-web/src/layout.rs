//! Where the gates and cell instances of a circuit are drawn.
//!
//! A circuit is drawn as time goes: the column of a gate is its level, the number of gates that a
//! change passes to reach it. So every wire goes right, and an instance is a box from its first
//! level to its last. Boxes hold what is inside the instance, packed from the top; a gate is one
//! row high.

use morpho::composition::Share;
use morpho::graph::levels;
use morpho::{Instance, Netlist};

/// A drawing, in units of rows; x grows with the level, y downward.
pub struct Layout {
    /// The left edge of the column of each level from 1 on, then the right edge of the last.
    pub columns: Vec<f32>,
    /// For each instance `left, top, right, bottom`; all 0 if it holds no gate.
    pub boxes: Vec<[f32; 4]>,
    /// For each wire the top of the gate that drives it; 0 where none does.
    pub rows: Vec<f32>,
}

/// The width of a column in the narrowest and the widest case, relative to each other. Columns of
/// many gates are drawn wider, else long thin chains would leave no room for the rest.
const COLUMN_WIDTHS: [f32; 2] = [1.0, 4.0];

/// Rows above the contents of a box, for its name: at least, for each row of contents, at most.
const HEADER: [f32; 3] = [0.25, 0.055, 16.0];
/// Rows below the contents.
const FOOTER: [f32; 3] = [0.1, 0.015, 1.5];

/// What stands inside an instance.
#[derive(Clone, Copy)]
enum Item {
    Gate(usize),
    Box(usize),
}

impl Layout {
    /// Draws a circuit of the composition `shares`.
    pub fn new(netlist: &Netlist, shares: &[Share]) -> Layout {
        let levels = levels(netlist);
        let mut layout = Layout {
            columns: columns(netlist, &levels),
            boxes: vec![[0.0; 4]; shares.len()],
            rows: vec![0.0; levels.len()],
        };
        let items = items(netlist, shares, &levels);
        let mut heights = vec![0.0; shares.len()];
        let mut headers = vec![0.0; shares.len()];
        // Inner instances come later in the order, and are packed first.
        for instance in (0..shares.len()).rev().filter(|&instance| shares[instance].gates > 0) {
            let contents = layout.pack(&items[instance], instance, shares, &levels, &heights);
            headers[instance] = margin(HEADER, contents);
            heights[instance] = headers[instance] + contents + margin(FOOTER, contents);
        }
        layout.place(netlist, shares, &heights, &headers);
        layout
    }

    /// Stacks the items of an instance, each as high up as those before it let it. Tops are
    /// relative to the first row of the contents. Gives their height.
    fn pack(
        &mut self,
        items: &[Item],
        instance: usize,
        shares: &[Share],
        levels: &[u32],
        heights: &[f32],
    ) -> f32 {
        let Share { first_level, last_level, .. } = shares[instance];
        let first = first_level as usize;
        let mut filled = vec![0.0f32; last_level as usize + 1 - first];
        for &item in items {
            let (from, to, height) = match item {
                Item::Gate(node) => (levels[node] as usize, levels[node] as usize, 1.0),
                Item::Box(child) => {
                    let Share { first_level, last_level, .. } = shares[child];
                    (first_level as usize, last_level as usize, heights[child])
                }
            };
            let span = &mut filled[from - first..=to - first];
            let top = span.iter().copied().fold(0.0, f32::max);
            span.fill(top + height);
            match item {
                Item::Gate(node) => self.rows[node] = top,
                Item::Box(child) => self.boxes[child][1] = top,
            }
        }
        filled.into_iter().fold(0.0, f32::max)
    }

    /// Makes the places that are relative to an instance absolute.
    fn place(&mut self, netlist: &Netlist, shares: &[Share], heights: &[f32], headers: &[f32]) {
        let hierarchy = netlist.hierarchy();
        let mut contents = vec![0.0; shares.len()];
        for instance in hierarchy.instances() {
            let (index, share) = (instance.index(), &shares[instance.index()]);
            if share.gates == 0 {
                continue;
            }
            if instance != Instance::TOP {
                self.boxes[index][1] += contents[hierarchy.parent(instance).index()];
            }
            let [left, top, right, bottom] = &mut self.boxes[index];
            *left = self.columns[share.first_level as usize - 1];
            *right = self.columns[share.last_level as usize];
            *bottom = *top + heights[index];
            contents[index] = *top + headers[index];
        }
        for (wire, gate) in netlist.gates() {
            self.rows[wire.index()] += contents[gate.origin().index()];
        }
    }

    /// The middle of the rows of the gates among `nodes`; `None` if there are none.
    pub fn middle(&self, netlist: &Netlist, nodes: &[morpho::Wire]) -> Option<f32> {
        let gates: Vec<f32> = nodes
            .iter()
            .filter(|wire| netlist.gate(**wire).is_some())
            .map(|wire| self.rows[wire.index()] + 0.5)
            .collect();
        (!gates.is_empty()).then(|| gates.iter().sum::<f32>() / gates.len() as f32)
    }
}

fn margin([least, share, most]: [f32; 3], contents: f32) -> f32 {
    (least + share * contents).min(most)
}

/// The edges of the columns: the more gates of a level, the wider.
fn columns(netlist: &Netlist, levels: &[u32]) -> Vec<f32> {
    let mut counts: Vec<f32> = Vec::new();
    for (wire, _) in netlist.gates() {
        let column = (levels[wire.index()].max(1) - 1) as usize;
        if counts.len() <= column {
            counts.resize(column + 1, 0.0);
        }
        counts[column] += 1.0;
    }
    let most = counts.iter().copied().fold(1.0, f32::max);
    let [narrow, wide] = COLUMN_WIDTHS;
    let mut edges = vec![0.0];
    let mut edge = 0.0;
    for count in counts {
        edge += narrow + (wide - narrow) * (count / most).sqrt();
        edges.push(edge);
    }
    edges
}

/// What stands directly inside each instance, first level first.
fn items(netlist: &Netlist, shares: &[Share], levels: &[u32]) -> Vec<Vec<Item>> {
    let hierarchy = netlist.hierarchy();
    let mut items = vec![Vec::new(); shares.len()];
    for instance in hierarchy.instances().skip(1).filter(|at| shares[at.index()].gates > 0) {
        items[hierarchy.parent(instance).index()].push(Item::Box(instance.index()));
    }
    for (wire, gate) in netlist.gates() {
        items[gate.origin().index()].push(Item::Gate(wire.index()));
    }
    for items in &mut items {
        items.sort_by_key(|item| match *item {
            Item::Box(child) => shares[child].first_level,
            Item::Gate(node) => levels[node],
        });
    }
    items
}
