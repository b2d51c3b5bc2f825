//! Levels, fan-out, paths and cycles.

mod common;

use std::collections::BTreeSet;

use common::circuit;
use morpho::graph::{critical_path, fanouts, levels, strongly_connected};
use morpho::library::adder::ripple_adder;
use morpho::{Netlist, Wire};
use proptest::prelude::*;

fn adder() -> Netlist {
    circuit(&[4, 4, 1], |n, i| {
        let (sum, carry) = ripple_adder(n, &i[0], &i[1], &i[2])?;
        Ok(vec![sum, carry])
    })
}

#[test]
fn the_carry_of_an_adder_is_one_level_deeper_each_bit() {
    let netlist = adder();
    let levels = levels(&netlist);
    let level = |port: usize, bit: usize| levels[netlist.outputs()[port].wires[bit].index()];
    assert_eq!([0, 1, 2, 3].map(|bit| level(0, bit)), [1, 2, 3, 4]);
    assert_eq!(level(1, 0), 4);
    assert!(netlist.inputs().iter().flat_map(|port| &port.wires).all(|w| levels[w.index()] == 0));
}

#[test]
fn fanout_counts_readers_and_ports() {
    let netlist = adder();
    let fanouts = fanouts(&netlist);
    let fanout = |wire: Wire| fanouts[wire.index()];
    assert_eq!(
        netlist.inputs()[0].wires.iter().map(|&wire| fanout(wire)).collect::<Vec<_>>(),
        [2; 4]
    );
    assert_eq!(fanout(netlist.outputs()[0].wires[0]), 1);
    assert_eq!(fanout(netlist.outputs()[1].wires[0]), 1);
}

#[test]
fn the_critical_path_has_a_gate_a_level() {
    let netlist = adder();
    let levels = levels(&netlist);
    let path = critical_path(&netlist);
    let along: Vec<u32> = path.iter().map(|wire| levels[wire.index()]).collect();
    assert_eq!(along, [0, 1, 2, 3, 4]);
    for pair in path.windows(2) {
        assert!(netlist.gate(pair[1]).expect("a gate").inputs().contains(&pair[0]));
    }
}

#[test]
fn a_circuit_without_gates_has_a_path_of_one_wire() {
    let netlist = circuit(&[1], |_, i| Ok(vec![i[0].clone()]));
    assert_eq!(critical_path(&netlist).len(), 1);
    assert_eq!(netlist.depth(), 0);
}

#[test]
fn a_circuit_without_outputs_has_no_path() {
    assert!(critical_path(&circuit(&[1], |_, _| Ok(vec![]))).is_empty());
}

/// Which nodes reach which, by search from each.
fn reach(edges: &[Vec<usize>]) -> Vec<BTreeSet<usize>> {
    let from = |start: usize| {
        let (mut seen, mut todo) = (BTreeSet::new(), vec![start]);
        while let Some(node) = todo.pop() {
            if seen.insert(node) {
                todo.extend(&edges[node]);
            }
        }
        seen
    };
    (0..edges.len()).map(from).collect()
}

/// Wires to name nodes with: the inputs of a circuit, whose indices start at 2.
fn wires(count: usize) -> Vec<Wire> {
    morpho::Builder::new("wires").input("x", count).wires().to_vec()
}

proptest! {
    #[test]
    fn components_are_the_nodes_that_reach_each_other(
        edges in prop::collection::vec(prop::collection::vec(0..14usize, 0..4), 14)
    ) {
        // The first two nodes stand for the constants, which have no successors.
        let wires = wires(14);
        let count = 16;
        let successors: Vec<Vec<Wire>> = [vec![], vec![]].into_iter()
            .chain(edges.iter().map(|to| to.iter().map(|&node| wires[node]).collect()))
            .collect();
        let plain: Vec<Vec<usize>> =
            successors.iter().map(|to| to.iter().map(|wire| wire.index()).collect()).collect();
        let reach = reach(&plain);
        let components = strongly_connected(count, |node| &successors[node]);

        let mut place = vec![usize::MAX; count];
        for (index, component) in components.iter().enumerate() {
            for &node in component {
                prop_assert_eq!(std::mem::replace(&mut place[node], index), usize::MAX);
            }
        }
        for a in 0..count {
            for b in 0..count {
                let mutual = reach[a].contains(&b) && reach[b].contains(&a);
                prop_assert_eq!(place[a] == place[b], mutual);
                if reach[a].contains(&b) {
                    prop_assert!(place[b] <= place[a], "successors come first");
                }
            }
        }
    }
}
