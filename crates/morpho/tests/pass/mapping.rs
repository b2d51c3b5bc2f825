use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Instant;

use morpho::bus::cat;
use morpho::library::adder::ripple_adder;
use morpho::library::{self, build};
use morpho::operator::Operator;
use morpho::pass::{Mapping, Pass, find};
use morpho::prove::{Equivalence, Limits, Mismatch, Verdict, operators, quiet};
use morpho::sim::{Program, Simulator};
use morpho::{Builder, Bus, Lut, Netlist, Wire};
use proptest::prelude::*;

use super::after;
use crate::common::small::{BYTE, gate_seeds, netlist, table};
use crate::common::soundness::assert_well_formed;
use crate::common::{Random, circuit, optimised};

const WIDTHS: std::ops::RangeInclusive<usize> = 2..=6;

fn mapped(netlist: &Netlist, inputs: usize) -> Netlist {
    let mut result = netlist.clone();
    Mapping::new(inputs).run(&mut result);
    assert_well_formed(&result);
    assert!(result.gates().all(|(_, gate)| gate.inputs().len() <= inputs));
    result
}

fn widest(netlist: &Netlist) -> usize {
    netlist.gates().map(|(_, gate)| gate.inputs().len()).max().unwrap_or(0)
}

#[test]
fn a_pass_is_found_by_the_size_of_its_tables() {
    for inputs in WIDTHS {
        for name in [format!("lut{inputs}"), format!("lut{inputs}-area")] {
            let pass = find(&name).expect("it is registered");
            assert!(pass.description().contains(&inputs.to_string()));
        }
        assert_eq!(Mapping::new(inputs).inputs(), inputs);
    }
}

#[test]
#[should_panic(expected = "2 to 6 inputs")]
fn tables_of_seven_inputs_are_refused() {
    Mapping::new(7);
}

#[test]
fn gates_become_one_table() {
    let netlist = circuit(&[1; 4], |n, i| {
        let (a, b) = (n.and(&i[0], &i[1])?, n.or(&i[2], &i[3])?);
        let c = n.xor(&a, &b)?;
        Ok(vec![n.not(&c)?])
    });
    let result = after("lut4", &netlist);
    assert_eq!((result.gates().count(), result.depth()), (1, 1));
    assert_eq!(after("lut3", &netlist).gates().count(), 2);
}

#[test]
fn a_wide_table_is_taken_apart() {
    let parity = Lut::from_fn(6, |row| row.count_ones() % 2 == 1);
    let netlist = circuit(&[1; 6], |n, i| Ok(vec![n.lut(parity, &i.iter().collect::<Vec<_>>())?]));
    assert_eq!(after("lut2", &netlist).gates().count(), 5);
    assert_eq!(after("lut2", &netlist).depth(), 3);
    assert_eq!(after("lut4", &netlist).gates().count(), 2);
    assert_eq!(after("lut6", &netlist).gates().count(), 1);
}

/// A value and its complement are both needed: neither waits for the other.
#[test]
fn a_complement_that_is_needed_has_its_own_table() {
    let netlist = circuit(&[1; 2], |n, i| {
        let both = n.and(&i[0], &i[1])?;
        Ok(vec![n.not(&both)?, both, n.not(&i[0])?])
    });
    let result = after("lut4", &netlist);
    assert_eq!((result.gates().count(), result.depth()), (3, 1));
}

#[test]
fn an_adder_gets_less_deep_or_stays_small() {
    let adder = optimised(&build("ripple_adder", &[16, 16, 1]).expect("a cell"));
    assert_eq!((adder.gates().count(), adder.depth()), (32, 16));
    let sizes = ["lut4", "lut4-area", "lut6", "lut6-area"].map(|name| {
        let result = after(name, &adder);
        (name, result.gates().count(), result.depth())
    });
    insta::assert_debug_snapshot!(sizes);
}

#[test]
fn every_library_cell_is_the_same_after_mapping() {
    for entry in library::table() {
        let raw = build(entry.name, entry.example).expect("a cell");
        for inputs in [2, 4, 6] {
            match Equivalence::new(&raw, &mapped(&raw, inputs)) {
                Ok(claim) => {
                    let verdict = claim.prove(&quiet).verdict;
                    assert_eq!(verdict, Verdict::Equal, "{} lut{inputs}", entry.name);
                }
                Err(Mismatch::Loop { .. }) => assert!(!raw.loops().is_empty(), "{}", entry.name),
                Err(mismatch) => panic!("{}: {mismatch}", entry.name),
            }
        }
    }
}

#[test]
fn no_library_cell_gets_deeper_or_larger() {
    for entry in library::table() {
        let cell = optimised(&build(entry.name, entry.example).expect("a cell"));
        if cell.loops().is_empty() {
            for inputs in WIDTHS.filter(|&inputs| inputs >= widest(&cell)) {
                let result = mapped(&cell, inputs);
                assert!(result.depth() <= cell.depth(), "{} lut{inputs}", entry.name);
                let mut small = cell.clone();
                Mapping::new(inputs).for_area().run(&mut small);
                assert!(small.gates().count() <= cell.gates().count(), "{}", entry.name);
            }
        }
    }
}

/// An adder with gates before and behind it that one table could take with a sum bit.
fn claimed() -> Netlist {
    let build = Builder::build("claimed", |n| {
        let (a, b) = (n.input("a", 8), n.input("b", 8));
        let mixed = n.and(&a, &b)?;
        let (sum, _) = ripple_adder(n, &mixed, &b, &Bus::zero())?;
        let shown = n.xor(&sum, &a)?;
        let complement = n.not(&shown)?;
        n.output("shown", &complement);
        Ok(())
    });
    optimised(&build.expect("a circuit"))
}

#[test]
fn a_mapping_around_operators_keeps_all_of_them() {
    let netlist = claimed();
    let mut result = netlist.clone();
    Mapping::new(6).around_operators().run(&mut result);
    assert_well_formed(&result);
    let claims = |netlist: &Netlist| -> Vec<(usize, usize)> {
        let bits = |operator: &Operator| (operator.operands()[0].len(), operator.result().len());
        netlist.operators().iter().map(bits).collect()
    };
    assert_eq!(claims(&result), claims(&netlist));
    assert_eq!(claims(&result).len(), 1);
    assert!(mapped(&netlist, 6).gates().count() < result.gates().count());
}

#[test]
fn operators_stay_true() {
    let mut around = claimed();
    Mapping::new(4).around_operators().run(&mut around);
    for result in [around, mapped(&claimed(), 4), mapped(&claimed(), 2)] {
        let verdicts = operators::prove(&result, Limits::default(), &quiet).expect("no loops");
        assert!(verdicts.iter().all(|verdict| *verdict == Verdict::Equal), "{verdicts:?}");
    }
}

proptest! {
    #[test]
    fn random_circuits_are_the_same_for_every_input(
        gates in gate_seeds(1..=6usize, 1..60),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 3 + 4),
        inputs in WIDTHS,
    ) {
        let original = netlist(&BYTE, &gates, &picks);
        let result = mapped(&original, inputs);
        prop_assert!(table(&original) == table(&result));
        let mut small = original.clone();
        Mapping::new(inputs).for_area().run(&mut small);
        prop_assert!(table(&original) == table(&small));
        if widest(&original) <= inputs {
            prop_assert!(result.depth() <= original.depth());
        }
        let again = mapped(&original, inputs);
        prop_assert_eq!(again.nodes(), result.nodes(), "the result is the same each time");
    }

    /// No cover of a tree by cuts is less deep.
    #[test]
    fn trees_have_the_least_depth(shape in shapes(), inputs in WIDTHS) {
        let (tree, root) = shape.build();
        let result = mapped(&tree, inputs);
        prop_assert_eq!(result.depth(), least_depth(&tree, root, inputs));
        prop_assert!(same(&tree, &result));
    }

    /// Where paths meet again, cuts that are not kept could be the better ones.
    #[test]
    fn small_graphs_have_the_least_depth(
        picks in prop::collection::vec((any::<bool>(), 0..1000usize, 0..1000usize), 1..24),
        inputs in WIDTHS,
    ) {
        let (graph, root) = graph(&picks);
        let result = mapped(&graph, inputs);
        prop_assert!(result.depth() <= least_depth(&graph, root, inputs));
        prop_assert!(same(&graph, &result));
    }
}

/// `cargo test -p morpho --test pass --release million -- --ignored --nocapture` tells the time.
#[test]
#[ignore = "heavy: a million gates"]
fn a_million_gates_are_mapped_in_seconds() {
    let mut random = Random::new(1);
    let build = Builder::build("million", |n| {
        let mut wires: Vec<Bus> =
            n.input("i", 64).wires().iter().map(|&wire| wire.into()).collect();
        while wires.len() < 1_000_000 {
            let [a, b, c] = [0; 3].map(|_| wires.len() - 1 - random.below(wires.len().min(5000)));
            let lut = [Lut::AND, Lut::OR, Lut::XOR, Lut::MUX, Lut::MAJORITY, Lut::XOR3];
            let lut = lut[random.below(lut.len())];
            let inputs = [&wires[a], &wires[b], &wires[c]];
            let gate = n.lut(lut, &inputs[..lut.arity()])?;
            wires.push(gate);
        }
        n.output("o", &cat(&wires[wires.len() - 5000..]));
        Ok(())
    });
    let netlist = build.expect("a circuit");
    for name in ["lut4", "lut6"] {
        let mut result = netlist.clone();
        let start = Instant::now();
        find(name).expect("a known pass").run(&mut result);
        let seconds = start.elapsed().as_secs_f64();
        let (gates, depth) = (result.gates().count(), result.depth());
        println!("{name}: {gates} tables, depth {depth}, {seconds:.1} s");
        assert!(depth < netlist.depth());
    }
}

/// A tree of conjunctions and exclusive ors; every leaf is an input of its own.
#[derive(Clone, Debug)]
enum Shape {
    Leaf,
    Gate(bool, Box<(Shape, Shape)>),
}

fn shapes() -> impl Strategy<Value = Shape> {
    let gate = |inner: BoxedStrategy<Shape>| {
        (any::<bool>(), inner.clone(), inner)
            .prop_map(|(xor, a, b)| Shape::Gate(xor, Box::new((a, b))))
    };
    let tree = Just(Shape::Leaf).prop_recursive(
        7,
        40,
        2,
        move |inner| prop_oneof![1 => Just(Shape::Leaf), 4 => gate(inner)],
    );
    gate(tree.boxed())
}

impl Shape {
    fn leaves(&self) -> usize {
        match self {
            Shape::Leaf => 1,
            Shape::Gate(_, inputs) => inputs.0.leaves() + inputs.1.leaves(),
        }
    }

    fn grow(&self, n: &mut Builder, leaves: &mut impl Iterator<Item = Bus>) -> Bus {
        match self {
            Shape::Leaf => leaves.next().expect("as many as were counted"),
            Shape::Gate(xor, inputs) => {
                let (a, b) = (inputs.0.grow(n, leaves), inputs.1.grow(n, leaves));
                let lut = if *xor { Lut::XOR } else { Lut::AND };
                n.lut(lut, &[&a, &b]).expect("two bits")
            }
        }
    }

    fn build(&self) -> (Netlist, Wire) {
        let tree = circuit(&[self.leaves()], |n, i| {
            let mut leaves = i[0].wires().iter().map(|&wire| Bus::from(wire));
            Ok(vec![self.grow(n, &mut leaves)])
        });
        let root = tree.outputs()[0].wires[0];
        (tree, root)
    }
}

/// A circuit of conjunctions and exclusive ors of six inputs; the output is the last one.
fn graph(picks: &[(bool, usize, usize)]) -> (Netlist, Wire) {
    let graph = circuit(&[6], |n, i| {
        let mut wires: Vec<Bus> = i[0].wires().iter().map(|&wire| wire.into()).collect();
        for &(xor, a, b) in picks {
            // Late wires more often than early ones, so that the graph is deep.
            let late = |pick: usize| wires.len() - 1 - pick % wires.len().min(8);
            let (a, b) = (late(a), late(b));
            let lut = if xor { Lut::XOR } else { Lut::AND };
            let value =
                n.lut(lut, &[&wires[a], &wires[if a == b { (a + 1) % wires.len() } else { b }]])?;
            wires.push(value);
        }
        Ok(wires.last().cloned().into_iter().collect())
    });
    let root = graph.outputs()[0].wires[0];
    (graph, root)
}

/// The least depth of all covers of `root` by cuts of at most `inputs` leaves, by listing them all.
fn least_depth(netlist: &Netlist, root: Wire, inputs: usize) -> usize {
    let sources = netlist.inputs()[0].wires.iter();
    let mut cuts: HashMap<Wire, Vec<Vec<Wire>>> =
        sources.map(|&wire| (wire, vec![vec![wire]])).collect();
    let mut depths: HashMap<Wire, usize> = cuts.keys().map(|&wire| (wire, 0)).collect();
    for (wire, gate) in netlist.gates() {
        let [a, b] = gate.inputs() else { panic!("gates have two inputs") };
        let pairs = cuts[a].iter().flat_map(|a| cuts[b].iter().map(move |b| [&a[..], b].concat()));
        let distinct = |mut cut: Vec<Wire>| {
            cut.sort();
            cut.dedup();
            cut
        };
        let found: BTreeSet<Vec<Wire>> =
            pairs.map(distinct).filter(|cut| cut.len() <= inputs).collect();
        let latest = |cut: &Vec<Wire>| cut.iter().map(|leaf| depths[leaf]).max();
        let depth = 1 + found.iter().filter_map(latest).min().expect("its inputs are a cut");
        depths.insert(wire, depth);
        cuts.insert(wire, found.into_iter().chain([vec![wire]]).collect());
    }
    depths[&root]
}

/// Whether two circuits with one input port and one output bit agree on random inputs.
fn same(a: &Netlist, b: &Netlist) -> bool {
    let values = |netlist: &Netlist| {
        let program = Arc::new(Program::compile(netlist));
        let mut simulator = Simulator::new(program.clone(), 256);
        let mut random = Random::new(1);
        let width = netlist.inputs()[0].wires.len();
        let numbers: Vec<u128> = (0..256).map(|_| random.number(width)).collect();
        simulator.set(program.input("i0").expect("an input"), &numbers);
        simulator.step().expect("no loops");
        simulator.get::<u8>(program.output("o0").expect("an output"))
    };
    values(a) == values(b)
}
