//! What instances hold, and paths cut into stretches.

mod common;

use common::{circuit, optimised};
use morpho::composition::{Share, composition, legs};
use morpho::graph::critical_path;
use morpho::library::adder::ripple_adder;
use morpho::{Bus, Instance, Netlist};

fn adder() -> Netlist {
    circuit(&[4, 4, 1], |n, i| {
        let (sum, carry) = ripple_adder(n, &i[0], &i[1], &i[2])?;
        Ok(vec![sum, carry])
    })
}

#[test]
fn an_adder_is_two_halves_one_after_the_other() {
    let netlist = adder();
    let lines: Vec<String> = netlist
        .hierarchy()
        .instances()
        .zip(composition(&netlist))
        .map(|(instance, share)| {
            let Share { own_gates, gates, depth, first_level, last_level } = share;
            let cell = netlist.hierarchy().cell(instance);
            format!("{cell}: {own_gates} of {gates}, {depth} deep, {first_level} to {last_level}")
        })
        .collect();
    let expected = [
        "top: 0 of 8, 4 deep, 1 to 4",
        "ripple_adder: 0 of 8, 4 deep, 1 to 4",
        "ripple_adder: 0 of 4, 2 deep, 1 to 2",
        "full_adder: 2 of 2, 1 deep, 1 to 1",
        "full_adder: 2 of 2, 1 deep, 2 to 2",
        "ripple_adder: 0 of 4, 2 deep, 3 to 4",
        "full_adder: 2 of 2, 1 deep, 3 to 3",
        "full_adder: 2 of 2, 1 deep, 4 to 4",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn the_top_holds_all_gates_at_the_depth_of_the_circuit() {
    let netlist = optimised(&morpho::library::build("wallace", &[8, 8]).expect("it is known"));
    let shares = composition(&netlist);
    let top = shares[Instance::TOP.index()];
    assert_eq!((top.gates, top.depth as usize), (netlist.gates().count(), netlist.depth()));
    assert_eq!(shares.iter().map(|share| share.own_gates).sum::<usize>(), top.gates);
}

#[test]
fn the_depth_inside_an_instance_leaves_out_what_comes_before() {
    // The second adder begins where the first one ends, bit by bit.
    let netlist = circuit(&[4, 4, 4], |n, i| {
        let (sum, _) = ripple_adder(n, &i[0], &i[1], &Bus::zero())?;
        Ok(vec![ripple_adder(n, &sum, &i[2], &Bus::zero())?.0])
    });
    let shares = composition(&netlist);
    let adders: Vec<Share> = netlist
        .hierarchy()
        .instances()
        .filter(|at| netlist.hierarchy().parent(*at) == Instance::TOP && *at != Instance::TOP)
        .map(|at| shares[at.index()])
        .collect();
    let [first, second] = adders[..] else { panic!("two adders stand in the circuit") };
    assert_eq!((first.depth, first.first_level), (4, 1));
    assert_eq!((second.depth, second.first_level, second.last_level), (4, 2, 5));
}

#[test]
fn an_instance_without_gates_holds_nothing() {
    let netlist = optimised(&circuit(&[4], |n, i| {
        Ok(vec![ripple_adder(n, &i[0], &Bus::constant(0, 4), &Bus::zero())?.0])
    }));
    assert!(composition(&netlist).iter().all(|share| *share == Share::default()));
}

#[test]
fn the_legs_of_the_critical_path_join_up_to_it() {
    let netlist = adder();
    let path = critical_path(&netlist);
    let legs = legs(&netlist, &path, |instance| instance);
    let gates: Vec<_> = legs.iter().flat_map(|leg| leg.gates.iter().copied()).collect();
    assert_eq!(gates, path[1..]);
    assert_eq!(legs.len(), 4, "a full adder a bit");
    assert_eq!(legs[0].enters, Some(path[0]));
    for pair in legs.windows(2) {
        assert_eq!(pair[1].enters.as_ref(), pair[0].gates.last());
        assert_ne!(pair[0].part, pair[1].part);
    }
}

#[test]
fn one_part_makes_one_leg() {
    let netlist = adder();
    let legs = legs(&netlist, &critical_path(&netlist), |_| Instance::TOP);
    assert_eq!((legs.len(), legs[0].gates.len()), (1, 4));
}
