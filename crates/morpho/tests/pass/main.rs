//! Each pass does what it says and changes nothing that can be seen from outside.

#[path = "../common/mod.rs"]
mod common;

mod buffers;
mod constants;
mod dead_code;
mod duplicate_inputs;
mod hashing;
mod ignored_inputs;
mod inverters;
mod mapping;
mod preservation;

use common::clocked;
use morpho::pass::{find, registry};
use morpho::{Lut, Netlist};

/// The circuit after one pass, which reports that it did something; outputs stay the same.
fn after(pass: &str, netlist: &Netlist) -> Netlist {
    let mut result = netlist.clone();
    assert!(find(pass).expect("a known pass").run(&mut result) > 0, "`{pass}` found nothing to do");
    common::soundness::assert_same_behaviour(netlist, &result, pass);
    result
}

/// The tables of the gates that some output or register depends on, in order.
fn live_tables(netlist: &Netlist) -> Vec<Lut> {
    let mut live = netlist.clone();
    find("dead-code").expect("a known pass").run(&mut live);
    live.gates().map(|(_, gate)| gate.lut()).collect()
}

/// The constant that a circuit without inputs shows at its first output.
fn constant_output(netlist: &Netlist) -> Option<bool> {
    netlist.outputs()[0].wires[0].as_constant()
}

#[test]
fn passes_have_unique_names_and_a_line_of_description() {
    let mut names: Vec<&str> = registry().iter().map(|pass| pass.name()).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), registry().len());
    for pass in registry() {
        assert!(!pass.description().is_empty() && !pass.description().contains('\n'));
        assert_eq!(find(pass.name()).expect("it is registered").name(), pass.name());
    }
    assert!(find("no such pass").is_none());
}

#[test]
fn an_empty_circuit_has_nothing_to_do() {
    let mut netlist = common::circuit(&[], |_, _| Ok(vec![]));
    for pass in registry() {
        assert_eq!(pass.run(&mut netlist), 0, "{}", pass.name());
    }
    assert_eq!(clocked(&netlist, &[vec![]]).expect("no loops"), [Vec::<Vec<u128>>::new()]);
}
