//! A pipelined circuit is the combinational one, some clocks later.

mod common;

use common::soundness::assert_well_formed;
use common::{Random, Values, clocked, optimised};
use morpho::bus::cat;
use morpho::library::adder::{ripple_adder, ripple_subtractor};
use morpho::library::build;
use morpho::library::multiplier::wallace;
use morpho::pipeline::{Options, Pipelined, Refusal, Target, pipeline};
use morpho::{Builder, Bus, Fits, Lut, Netlist, cell};
use proptest::prelude::*;

/// The squares of `index`: \[4\] -> \[8\].
#[cell]
fn square(n: &mut Builder, index: &Bus) -> Fits<Bus> {
    let wires: Vec<Bus> = index.wires().iter().map(|&wire| wire.into()).collect();
    let wires: Vec<&Bus> = wires.iter().collect();
    let bit =
        |n: &mut Builder, bit: usize| n.lut(Lut::from_fn(4, |x| (x * x) >> bit & 1 == 1), &wires);
    Ok(cat((0..8).map(|index| bit(n, index)).collect::<Fits<Vec<Bus>>>()?))
}

#[derive(Clone, Debug)]
enum Part {
    Gate(u64, [usize; 3]),
    Sum(usize, usize, usize),
    Square(usize),
}

fn parts() -> impl Strategy<Value = Vec<Part>> {
    let pick = 0..10_000usize;
    let gate = (any::<u64>(), prop::array::uniform3(pick.clone()));
    let part = prop_oneof![
        6 => gate.prop_map(|(table, inputs)| Part::Gate(table, inputs)),
        1 => (pick.clone(), pick.clone(), 1..6usize).prop_map(|(a, b, w)| Part::Sum(a, b, w)),
        1 => pick.prop_map(Part::Square),
    ];
    prop::collection::vec(part, 1..40)
}

/// Two inputs of five wires; the outputs show the wires built last, an input and constants.
fn grow(parts: &[Part]) -> Netlist {
    Builder::build("random", |n| {
        let inputs = [n.input("a", 5), n.input("b", 5)];
        let mut wires = cat([&Bus::constant(2, 2), &inputs[0], &inputs[1]]);
        for part in parts {
            let from = |at: usize, width: usize| -> Bus {
                (0..width).map(|bit| wires.wires()[(at + 7 * bit) % wires.width()]).collect()
            };
            let new = match *part {
                Part::Gate(table, inputs) => {
                    let inputs = inputs.map(|at| from(at, 1));
                    n.lut(Lut::new(3, table), &inputs.each_ref())?
                }
                Part::Sum(a, b, width) => {
                    ripple_adder(n, &from(a, width), &from(b, width), &Bus::zero())?.0
                }
                Part::Square(at) => square(n, &from(at, 4))?,
            };
            wires = cat([&wires, &new]);
        }
        n.output("late", &wires.skip(wires.width().saturating_sub(6)));
        n.output("early", &wires.low(9));
        n.output("middle", &wires.slice(wires.width() / 2..wires.width() / 2 + 3));
        Ok(())
    })
    .expect("the circuit is sound")
}

/// Fails unless each output of the pipeline is that of the circuit, `latency` clocks later; an
/// input in `late` is given so many clocks late.
fn check(netlist: &Netlist, pipelined: &Pipelined, late: &[(&str, usize)]) {
    assert_well_formed(&pipelined.netlist);
    let clocks = 12 + pipelined.latencies.iter().max().unwrap_or(&0);
    let mut random = Random::new(11);
    let stream: Vec<Values> = (0..clocks)
        .map(|_| {
            let ports = netlist.inputs().iter();
            ports.map(|port| (0..8).map(|_| random.number(port.wires.len())).collect()).collect()
        })
        .collect();
    let delay = |name: &str| late.iter().find(|(port, _)| *port == name).map_or(0, |(_, by)| *by);
    let delayed: Vec<Values> = (0..clocks)
        .map(|clock| {
            let ports = netlist.inputs().iter().enumerate();
            let given = |(index, port): (usize, &morpho::Port)| {
                stream[clock.saturating_sub(delay(&port.name))][index].clone()
            };
            ports.map(given).collect()
        })
        .collect();
    let expected = clocked(netlist, &stream).expect("no loops");
    let found = clocked(&pipelined.netlist, &delayed).expect("no loops");
    for (port, &latency) in pipelined.latencies.iter().enumerate() {
        for clock in 0..clocks - latency {
            let (found, expected) = (&found[clock + latency][port], &expected[clock][port]);
            assert_eq!(found, expected, "port {port}, latency {latency}, clock {clock}");
        }
    }
}

const CHAINS: &[&str] = &["ripple_adder"];
const TABLES: &[&str] = &["square"];
const GROUPS: &[&[&str]] = &[&["early"], &["middle", "late"]];

proptest! {
    #[test]
    fn a_pipeline_is_the_circuit_later(
        parts in parts(),
        stages in 1..9usize,
        delay in 0..6000u32,
        by_delay: bool,
        whole: bool,
        grouped: bool,
        lateness in 0..4usize,
        first_optimised: bool,
    ) {
        let mut netlist = grow(&parts);
        if first_optimised {
            netlist = optimised(&netlist);
        }
        let late = [("b", lateness)];
        let options = Options {
            chains: if whole { CHAINS } else { &[] },
            tables: if whole { TABLES } else { &[] },
            groups: if grouped { GROUPS } else { &[] },
            late: &late,
            ..Options::default()
        };
        let target = if by_delay { Target::Delay(delay) } else { Target::Stages(stages) };
        let pipelined = pipeline(&netlist, target, &options).expect("it is combinational");
        check(&netlist, &pipelined, &late);
        check(&netlist, &Pipelined { netlist: optimised(&pipelined.netlist), ..pipelined }, &late);
    }
}

#[test]
fn chains_and_tables_stay_whole() {
    let netlist = Builder::build("mixed", |n| {
        let (a, b) = (n.input("a", 8), n.input("b", 8));
        let (sum, _) = ripple_adder(n, &a, &b, &Bus::zero())?;
        let squares = square(n, &sum.low(4))?;
        let (difference, _) = ripple_subtractor(n, &squares, &sum, &Bus::zero())?;
        n.output("y", &difference);
        Ok(())
    })
    .expect("the circuit is sound");
    let options = Options {
        chains: &["ripple_adder", "ripple_subtractor"],
        tables: TABLES,
        ..Options::default()
    };
    let pipelined = pipeline(&netlist, Target::Delay(2500), &options).expect("it is combinational");
    check(&netlist, &pipelined, &[]);
    assert_eq!(pipelined.latencies, [3]);
    assert_eq!(pipelined.netlist.memories().len(), 1);
    assert_eq!(pipelined.netlist.memories()[0].initial[5], 25);
    // The sum waits two clocks, the word of the table one; then the output.
    assert_eq!(pipelined.netlist.register_bits().count(), 2 * 8 + 8 + 8);
    let one = pipeline(&netlist, Target::Stages(1), &Options::default()).expect("it is");
    assert_eq!(one.netlist.register_bits().count(), 8);
}

#[test]
fn a_product_has_registers_on_both_sides() {
    let netlist = Builder::build("product", |n| {
        let (a, b) = (n.input("a", 6), n.input("b", 5));
        let c = n.xor(&a.low(5), &b)?;
        let product = wallace(n, &a, &c)?;
        n.output("y", &product.skip(3));
        n.output("a", &a);
        Ok(())
    })
    .expect("the circuit is sound");
    for product_clocks in 0..4 {
        let options = Options { product_clocks, ..Options::default() };
        let target = Target::Delay(100_000);
        let pipelined = pipeline(&netlist, target, &options).expect("it is combinational");
        check(&netlist, &pipelined, &[]);
        // Operands in the second stage; a register for the output, and as many as are asked for.
        let latency = if product_clocks == 0 { 1 } else { 2 + product_clocks };
        assert_eq!(pipelined.latencies, [latency; 2]);
        assert_eq!(pipelined.netlist.operators().len(), 1);
    }
}

#[test]
fn an_input_that_comes_late_in_its_clock_leaves_less_of_it() {
    let netlist = Builder::build("and", |n| {
        let (a, b) = (n.input("a", 1), n.input("b", 1));
        let y = n.and(&a, &b)?;
        n.output("y", &y);
        Ok(())
    })
    .expect("the circuit is sound");
    let latency = |arrival| {
        let arrivals = [("b", arrival)];
        let options = Options { arrivals: &arrivals, ..Options::default() };
        let pipelined = pipeline(&netlist, Target::Delay(3000), &options).expect("it is");
        check(&netlist, &pipelined, &[]);
        pipelined.latencies[0]
    };
    assert_eq!([latency(1000), latency(2500)], [1, 2]);
    let options = Options { arrivals: &[("c", 1)], ..Options::default() };
    let refused = pipeline(&netlist, Target::Stages(1), &options).expect_err("there is no c");
    assert_eq!(refused, Refusal::NoPort("input", "c".into()));
}

/// Dead gates once moved past the last stage.
#[test]
fn gates_that_nothing_reads_stay_where_they_are() {
    let netlist = Builder::build("dead", |n| {
        let x = n.input("x", 1);
        n.not(&Bus::zero())?;
        let y = n.not(&x)?;
        let z = n.not(&y)?;
        n.output("z", &z);
        Ok(())
    })
    .expect("the circuit is sound");
    let pipelined = pipeline(&netlist, Target::Delay(5000), &Options::default()).expect("it is");
    check(&netlist, &pipelined, &[]);
}

#[test]
fn more_stages_are_shorter() {
    let divider = build("divider", &[8, 8]).expect("the library has it");
    let delay = |stages| {
        let target = Target::Stages(stages);
        let pipelined = pipeline(&divider, target, &Options::default()).expect("it is");
        check(&divider, &pipelined, &[]);
        assert!(pipelined.latencies.iter().all(|&latency| latency <= stages));
        pipelined.delay
    };
    assert!(delay(16) < delay(4) && delay(4) < delay(1));
}

#[test]
fn what_cannot_be_pipelined_is_refused() {
    let counter = Builder::build("counter", |n| {
        let bit = n.reg("bit", &Bus::zero());
        let next = n.not(&bit)?;
        n.drive(&bit, &next);
        n.output("y", &bit);
        Ok(())
    })
    .expect("the circuit is sound");
    let refusal = |netlist, target, options: Options| pipeline(netlist, target, &options).err();
    let options = Options::default();
    assert_eq!(
        refusal(&counter, Target::Stages(2), options),
        Some(Refusal::NotCombinational("counter".to_string()))
    );
    let adder = build("ripple_adder", &[2, 2, 1]).expect("the library has it");
    assert_eq!(refusal(&adder, Target::Stages(0), options), Some(Refusal::NoStages));
    let late = Options { late: &[("none", 1)], ..options };
    assert_eq!(
        refusal(&adder, Target::Stages(2), late),
        Some(Refusal::NoPort("input", "none".to_string()))
    );
}
