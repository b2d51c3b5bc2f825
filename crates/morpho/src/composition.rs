//! What each cell instance of a circuit holds: gates, how deep they are, and when they settle.

use smallvec::SmallVec;

use crate::graph::levels;
use crate::hierarchy::{Hierarchy, Instance};
use crate::netlist::{Netlist, Wire};

/// What one instance holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Gates that the instance built itself and that are left.
    pub own_gates: usize,
    /// The same with all instances inside it.
    pub gates: usize,
    /// The most gates of the instance and what is inside it on a path that does not leave it.
    pub depth: u32,
    /// The lowest [level](levels) of its gates; 0 if there are none.
    pub first_level: u32,
    /// The highest level of its gates; 0 if there are none.
    pub last_level: u32,
}

/// What every instance of the hierarchy holds, by its index.
///
/// A gate counts for the instance that built it, which may have been another one than the one
/// whose result it is, where passes found that both compute the same.
pub fn composition(netlist: &Netlist) -> Vec<Share> {
    let hierarchy = netlist.hierarchy();
    let levels = levels(netlist);
    let mut shares = vec![Share::default(); hierarchy.len()];
    let depths = depths_of_gates(netlist);
    for ((wire, gate), depths) in std::iter::zip(netlist.gates(), depths) {
        let level = levels[wire.index()];
        shares[gate.origin().index()].own_gates += 1;
        for (instance, depth) in std::iter::zip(path(hierarchy, gate.origin()), depths) {
            let share = &mut shares[instance.index()];
            share.first_level = if share.gates == 0 { level } else { share.first_level.min(level) };
            share.last_level = share.last_level.max(level);
            share.depth = share.depth.max(depth);
            share.gates += 1;
        }
    }
    shares
}

/// Instances from the outermost down.
type Path = SmallVec<[Instance; 16]>;

/// The instances around and including `instance`, the top first.
fn path(hierarchy: &Hierarchy, instance: Instance) -> Path {
    let mut path = Path::new();
    let mut at = instance;
    while at != Instance::TOP {
        path.push(at);
        at = hierarchy.parent(at);
    }
    path.push(Instance::TOP);
    path.reverse();
    path
}

/// For each gate and each instance it is in, the top first: how many gates of that instance are on
/// the longest path that ends with the gate and does not leave the instance.
fn depths_of_gates(netlist: &Netlist) -> Vec<SmallVec<[u32; 16]>> {
    let mut number = vec![usize::MAX; netlist.nodes().len()];
    let mut depths: Vec<SmallVec<[u32; 16]>> = Vec::new();
    for (wire, gate) in netlist.gates() {
        let around = path(netlist.hierarchy(), gate.origin());
        let mut depth: SmallVec<[u32; 16]> = SmallVec::from_elem(1, around.len());
        for input in gate.inputs() {
            // An input that comes later closes a loop, and counts as level 0.
            let Some(before) = depths.get(number[input.index()]) else { continue };
            let origin = netlist.gate(*input).map_or(Instance::TOP, |gate| gate.origin());
            let shared = std::iter::zip(&around, path(netlist.hierarchy(), origin));
            for (place, _) in shared.take_while(|(a, b)| *a == b).enumerate() {
                depth[place] = depth[place].max(before[place] + 1);
            }
        }
        number[wire.index()] = depths.len();
        depths.push(depth);
    }
    depths
}

/// A stretch of a path inside one part of a circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leg {
    /// The part.
    pub part: Instance,
    /// The wire by which the path enters; not one of the part's gates.
    pub enters: Option<Wire>,
    /// The wires of the path that gates of the part drive, first to last.
    pub gates: Vec<Wire>,
}

/// A path such as the [critical](crate::graph::critical_path) one, cut where it goes from one part
/// of the circuit to another. `part` tells to which part the gates of an instance belong.
pub fn legs(netlist: &Netlist, path: &[Wire], part: impl Fn(Instance) -> Instance) -> Vec<Leg> {
    let mut legs: Vec<Leg> = Vec::new();
    let mut before = None;
    for &wire in path {
        if let Some(gate) = netlist.gate(wire) {
            let part = part(gate.origin());
            match legs.last_mut() {
                Some(leg) if leg.part == part => leg.gates.push(wire),
                _ => legs.push(Leg { part, enters: before, gates: vec![wire] }),
            }
        }
        before = Some(wire);
    }
    legs
}
