//! Random circuits through everything that takes a circuit. `scripts/fuzz` runs this for longer.

mod common;

use std::collections::HashSet;

use common::recipe::{Loops, Recipe, recipes};
use common::soundness::{assert_same_behaviour, assert_well_formed, behaviour};
use morpho::format::{self, Format, vcd};
use morpho::pass::{optimise, registry};
use morpho::{Builder, Bus, Netlist};
use proptest::prelude::*;

fn any_recipe() -> impl Strategy<Value = Recipe> {
    prop_oneof![recipes(Loops::None), recipes(Loops::Latches), recipes(Loops::Any)]
}

/// One pass after another, each on what the one before left.
fn check_passes(netlist: &Netlist, order: &[prop::sample::Index]) {
    assert_well_formed(netlist);
    let mut result = netlist.clone();
    for pass in order.iter().map(|index| index.get(registry())) {
        pass.run(&mut result);
        assert_well_formed(&result);
        assert_same_behaviour(netlist, &result, pass.name());
    }
    optimise(&mut result);
    assert_well_formed(&result);
    assert_same_behaviour(netlist, &result, "optimise");
}

/// A circuit that is nothing but a copy of `part` behaves as `part`.
fn check_copy(part: &Netlist) {
    let copy = Builder::build("copy", |n| {
        n.allow_loops();
        let inputs: Vec<Bus> =
            part.inputs().iter().map(|port| n.input(&port.name, port.wires.len())).collect();
        let outputs = n.embed(part, &inputs.iter().collect::<Vec<_>>())?;
        for (port, bus) in std::iter::zip(part.outputs(), outputs) {
            n.output(&port.name, &bus);
        }
        Ok(())
    })
    .expect("a copy of a sound circuit is sound");
    assert_well_formed(&copy);
    assert!(behaviour(part) == behaviour(&copy), "the copy differs");
}

/// Every signal of a BLIF text is driven once, and every one that is read is driven.
fn check_blif(text: &str) {
    let text = text.replace("\\\n", "");
    let (mut driven, mut read) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [".inputs", ref names @ ..] => driven.extend(names),
            [".outputs", ref names @ ..] => read.extend(names),
            [".names", ref inputs @ .., output] => {
                read.extend(inputs);
                driven.push(output);
            }
            [".latch", next, output, ..] => {
                read.push(next);
                driven.push(output);
            }
            _ => (),
        }
    }
    let once: HashSet<&str> = driven.iter().copied().collect();
    assert_eq!(once.len(), driven.len(), "a signal is driven twice:\n{text}");
    let floating = read.iter().find(|name| !once.contains(*name));
    assert_eq!(floating, None, "a signal is not driven:\n{text}");
}

fn check_writers(netlist: &Netlist) {
    for format in Format::ALL {
        let mut bytes = Vec::new();
        match format::write(netlist, format, &mut bytes) {
            Ok(()) => assert!(!bytes.is_empty(), "{format}"),
            Err(error) => assert!(!netlist.loops().is_empty(), "{format}: {error}"),
        }
    }
    check_blif(&format::to_string(netlist, Format::Blif));
    let mut waveform = vcd::Writer::new(netlist, Vec::new()).expect("memory takes it");
    for step in 0..3 {
        waveform.step(|wire| wire.index() % 3 == step).expect("memory takes it");
    }
    String::from_utf8(waveform.finish().expect("memory takes it")).expect("a VCD file is text");
}

proptest! {
    #[test]
    fn passes_keep_what_a_circuit_computes(
        recipe in any_recipe(),
        order in prop::collection::vec(any::<prop::sample::Index>(), 1..8),
    ) {
        check_passes(&recipe.build(), &order);
    }

    #[test]
    fn copies_do_what_the_original_does(recipe in prop_oneof![recipes(Loops::None), recipes(Loops::Latches)]) {
        let mut netlist = recipe.build();
        check_copy(&netlist);
        optimise(&mut netlist);
        check_copy(&netlist);
    }

    #[test]
    fn writers_take_every_circuit(recipe in any_recipe()) {
        let mut netlist = recipe.build();
        check_writers(&netlist);
        optimise(&mut netlist);
        check_writers(&netlist);
    }
}
