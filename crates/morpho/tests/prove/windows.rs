//! Windows: what shows on none of their outputs shows nowhere in the circuit.

use morpho::prove::faults::{Campaign, Window, WindowPort, stuck_faults};
use morpho::prove::mutation::mutants;
use morpho::prove::{Change, Vectors};
use morpho::random::Random;
use morpho::{Netlist, Wire};

use crate::faults::{circuits, every_vector};

/// Ports of one bit for some gates or inputs; every third bit stands for two wires.
fn some_ports(netlist: &Netlist, random: &mut Random) -> Vec<WindowPort> {
    let sources = netlist.inputs().iter().flat_map(|port| port.wires.iter().copied());
    let wires: Vec<Wire> = sources.chain(netlist.gates().map(|(wire, _)| wire)).collect();
    let mut any = |_| (wires[random.word() as usize % wires.len()], false);
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    let port = |(index, name)| {
        let wires = if index % 3 == 2 { 2 } else { 1 };
        WindowPort { name, bits: vec![(0..wires).map(&mut any).collect()] }
    };
    names.into_iter().enumerate().map(port).collect()
}

#[test]
fn what_shows_nowhere_in_a_window_shows_nowhere_in_the_circuit() {
    let mut random = Random::new(3);
    let mut hidden = 0;
    for netlist in circuits() {
        let changes: Vec<Change> =
            stuck_faults(&netlist).all.into_iter().chain(mutants(&netlist)).collect();
        let campaign = Campaign::new(&netlist).expect("no loops");
        let everywhere = campaign.simulate(&changes, &every_vector(&netlist));
        for _ in 0..60 {
            let window = Window::new(&netlist, &some_ports(&netlist, &mut random), &[]);
            let inside = changes.iter().zip(&everywhere);
            let inside: Vec<(Change, bool)> = inside
                .filter_map(|(&change, shown)| Some((window.inner(change)?, shown.is_some())))
                .collect();
            let inner: Vec<Change> = inside.iter().map(|&(change, _)| change).collect();
            let campaign = Campaign::new(window.netlist()).expect("no loops");
            let shown = campaign.simulate(&inner, &every_vector(window.netlist()));
            for ((change, shows), shown) in inside.iter().zip(shown) {
                assert!(shown.is_some() || !shows, "{}: {change:?}", netlist.name());
                hidden += usize::from(shown.is_none());
            }
        }
    }
    assert!(hidden > 0, "some changes show nowhere in their window");
}

#[test]
fn a_window_of_all_inputs_is_the_circuit() {
    for netlist in circuits().into_iter().filter(|netlist| netlist.registers().is_empty()) {
        let bits = |wires: &[Wire]| wires.iter().map(|&wire| vec![(wire, false)]).collect();
        let names = ["a", "b", "c"];
        let ports: Vec<WindowPort> = std::iter::zip(names, netlist.inputs())
            .map(|(name, port)| WindowPort { name, bits: bits(&port.wires) })
            .collect();
        let window = Window::new(&netlist, &ports, &[]);
        assert_eq!(window.netlist().gates().count(), netlist.gates().count());
        let all = mutants(&netlist);
        let inner: Vec<Change> =
            all.iter().map(|&change| window.inner(change).expect("inside")).collect();
        let shown = |netlist: &Netlist, changes: &[Change]| {
            let campaign = Campaign::new(netlist).expect("no loops");
            campaign.simulate(changes, &every_vector(netlist))
        };
        assert_eq!(shown(&netlist, &all), shown(window.netlist(), &inner), "{}", netlist.name());
    }
}

#[test]
fn a_wire_that_is_constant_makes_changes_behind_it_show_nowhere() {
    let netlist = circuits().swap_remove(0);
    let [a, b] = [0, 1].map(|port: usize| netlist.inputs()[port].wires.clone());
    let port = WindowPort { name: "a", bits: a.iter().map(|&wire| vec![(wire, true)]).collect() };
    let zero: Vec<(Wire, bool)> = b.iter().map(|&wire| (wire, false)).collect();
    let window = Window::new(&netlist, &[port], &zero);
    let inner: Vec<Change> =
        mutants(&netlist).into_iter().filter_map(|change| window.inner(change)).collect();
    let count = |vectors: &Vectors| {
        let campaign = Campaign::new(window.netlist()).expect("no loops");
        campaign.simulate(&inner, vectors).iter().filter(|shown| shown.is_none()).count()
    };
    assert!(count(&every_vector(window.netlist())) > inner.len() / 4);
}
