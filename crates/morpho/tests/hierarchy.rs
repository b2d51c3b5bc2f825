//! The recorded tree of instances.

mod common;

use common::{circuit, optimised};
use morpho::library::adder::ripple_adder;
use morpho::{Bus, Instance};

fn adder() -> morpho::Netlist {
    circuit(&[3, 3], |n, i| Ok(vec![ripple_adder(n, &i[0], &i[1], &Bus::zero())?.0]))
}

#[test]
fn instances_know_their_cell_widths_and_parent() {
    let netlist = adder();
    let tree = netlist.hierarchy();
    let lines: Vec<String> = tree
        .instances()
        .map(|instance| {
            let widths: Vec<usize> = tree.widths(instance).collect();
            format!("{} {widths:?} in {}", tree.cell(instance), tree.parent(instance).index())
        })
        .collect();
    let expected = [
        "top [] in 0",
        "ripple_adder [3, 3, 1] in 0",
        "full_adder [1, 1, 1] in 1",
        "ripple_adder [2, 2, 1] in 1",
        "full_adder [1, 1, 1] in 3",
        "full_adder [1, 1, 1] in 3",
    ];
    assert_eq!(lines, expected);
    assert_eq!((tree.len(), tree.is_empty()), (6, false));
}

#[test]
fn paths_go_from_the_outermost_cell_down() {
    let netlist = adder();
    let last = netlist.hierarchy().instances().last().expect("there are six");
    let path = netlist.hierarchy().path(last);
    assert_eq!(path, "ripple_adder:3,3,1 > ripple_adder:2,2,1 > full_adder:1,1,1");
    assert_eq!(netlist.hierarchy().path(Instance::TOP), "");
}

#[test]
fn gates_know_the_instance_that_built_them_even_after_optimisation() {
    let netlist = optimised(&adder());
    for (_, gate) in netlist.gates() {
        assert_eq!(netlist.hierarchy().cell(gate.origin()), "full_adder");
    }
}
