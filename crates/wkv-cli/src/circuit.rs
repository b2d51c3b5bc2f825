//! What there is to say about a circuit.

use std::collections::BTreeMap;
use std::fmt;

use morpho::hierarchy::CellCount;
use morpho::{Hierarchy, Instance, Netlist, Port};
use serde::Serialize;
use wkv::circuit::inventory;

use crate::table::Table;

/// The size of a circuit and what it is made of.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The name of the circuit.
    pub name: String,
    /// Look-up tables.
    pub gates: usize,
    /// Flip-flops.
    pub registers: usize,
    /// Gates on the longest path.
    pub depth: usize,
    /// Gates by number of inputs.
    pub by_arity: BTreeMap<usize, usize>,
    /// Widths of the input ports.
    pub inputs: BTreeMap<String, usize>,
    /// Widths of the output ports.
    pub outputs: BTreeMap<String, usize>,
    /// Gates by unit of the recurrence; all of them are "other" for a cell of the library.
    pub inventory: Vec<UnitSize>,
    /// Instances of each cell at each combination of widths.
    pub hierarchy: Vec<CellInstances>,
    /// The same as a tree, for people.
    #[serde(skip)]
    tree: Vec<Branch>,
}

/// One line of the inventory.
#[derive(Clone, Debug, Serialize)]
pub struct UnitSize {
    /// The unit, in the words of a hardware engineer.
    pub unit: &'static str,
    /// Instances of it.
    pub instances: usize,
    /// Gates that were built by it and are left after optimisation.
    pub gates: usize,
}

/// One line of the hierarchy.
#[derive(Clone, Debug, Serialize)]
pub struct CellInstances {
    /// The name of the cell.
    pub cell: &'static str,
    /// The widths of its bus arguments.
    pub widths: Vec<usize>,
    /// How many instances there are.
    pub count: usize,
}

impl Summary {
    /// Describes `netlist`.
    pub fn of(netlist: &Netlist) -> Self {
        let units = inventory(netlist).into_iter();
        let count = |CellCount { cell, widths, count }| CellInstances { cell, widths, count };
        Self {
            name: netlist.name().to_owned(),
            gates: netlist.gates().count(),
            registers: netlist.register_bits().count(),
            depth: netlist.depth(),
            by_arity: (0..).zip(netlist.gates_by_arity()).skip(1).collect(),
            inputs: widths(netlist.inputs()),
            outputs: widths(netlist.outputs()),
            inventory: units
                .map(|line| UnitSize {
                    unit: line.unit,
                    instances: line.instances,
                    gates: line.gates,
                })
                .collect(),
            hierarchy: netlist.hierarchy().counts().into_iter().map(count).collect(),
            tree: tree(netlist.hierarchy()),
        }
    }
}

fn widths(ports: &[Port]) -> BTreeMap<String, usize> {
    ports.iter().map(|port| (port.name.clone(), port.wires.len())).collect()
}

/// Instances of one cell at one combination of widths, at one place in the tree.
#[derive(Clone, Debug)]
struct Branch {
    level: usize,
    cell: String,
    count: usize,
}

/// Levels of the tree that are shown; below stand adders of ever fewer bits.
const LEVELS: usize = 5;

/// The upper levels of the hierarchy, top down, like instances of one parent together.
fn tree(hierarchy: &Hierarchy) -> Vec<Branch> {
    let mut children = vec![Vec::new(); hierarchy.len()];
    for instance in hierarchy.instances().skip(1) {
        children[hierarchy.parent(instance).index()].push(instance);
    }
    let mut branches = Vec::new();
    grow(&mut branches, hierarchy, &children, &[Instance::TOP], 0);
    branches
}

/// Adds what stands directly inside any of `parents`, and below.
fn grow(
    branches: &mut Vec<Branch>,
    hierarchy: &Hierarchy,
    children: &[Vec<Instance>],
    parents: &[Instance],
    level: usize,
) {
    if level == LEVELS {
        return;
    }
    let mut groups: Vec<(String, Vec<Instance>)> = Vec::new();
    for &child in parents.iter().flat_map(|parent| &children[parent.index()]) {
        let cell = cell_name(hierarchy, child);
        match groups.iter_mut().find(|(known, _)| *known == cell) {
            Some((_, instances)) => instances.push(child),
            None => groups.push((cell, vec![child])),
        }
    }
    for (cell, instances) in groups {
        branches.push(Branch { level, cell, count: instances.len() });
        grow(branches, hierarchy, children, &instances, level + 1);
    }
}

fn cell_name(hierarchy: &Hierarchy, instance: Instance) -> String {
    let widths: Vec<String> = hierarchy.widths(instance).map(|width| width.to_string()).collect();
    format!("{} {}", hierarchy.cell(instance), widths.join(","))
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, gates, registers, depth, .. } = self;
        writeln!(f, "{name}: {gates} gates, {registers} flip-flops, depth {depth}\n")?;

        let mut by_arity = Table::new(["inputs of a gate", "gates"]);
        for (arity, count) in self.by_arity.iter().filter(|(_, count)| **count > 0) {
            by_arity.row([arity.to_string(), count.to_string()]);
        }
        writeln!(f, "{by_arity}\n")?;

        if self.inventory.iter().any(|line| line.instances > 0) {
            let mut units = Table::new(["unit", "instances", "gates"]);
            for UnitSize { unit, instances, gates } in &self.inventory {
                let instances = Some(*instances).filter(|&count| count > 0);
                let instances = instances.map_or_else(String::new, |count| count.to_string());
                units.row([(*unit).to_owned(), instances, gates.to_string()]);
            }
            writeln!(f, "{units}\n")?;
        }

        let mut cells = Table::new(["cell and widths of its arguments", "instances"]);
        for Branch { level, cell, count } in &self.tree {
            cells.row([format!("{:1$}{cell}", "", 2 * level), count.to_string()]);
        }
        write!(f, "{cells}")
    }
}
