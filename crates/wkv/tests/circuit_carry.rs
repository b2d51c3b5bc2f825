//! The cell for carry chains: the golden streams, random streams against the integer model in every
//! classic spec, and its operators.

mod common;

use std::sync::Arc;

use common::{golden, strategies};
use morpho::prove::{Limits, Verdict, operators, quiet};
use morpho::random::Random;
use morpho::sim::{Program, Simulator};
use wkv::WkvSpec;
use wkv::circuit::{Style, Unit, build_in};
use wkv::fixed::Bank;

/// The outputs of the cell, `[token][channel]`, for keys and values in the same order.
fn outputs(spec: &WkvSpec, u: &[i32], w: &[i32], k: &[Vec<i32>], v: &[Vec<i32>]) -> Vec<Vec<i32>> {
    let netlist = build_in(Style::Carry, spec, Unit::Cell).expect("a cell");
    let program = Arc::new(Program::compile(&netlist));
    let mut simulator = Simulator::new(Arc::clone(&program), u.len());
    let tokens = std::iter::zip(k, v).map(|(k, v)| {
        for (name, numbers) in [("k", &k[..]), ("v", &v[..]), ("u", u), ("w", w)] {
            simulator.set(program.input(name).expect(name), numbers);
        }
        simulator.step().expect("no loops");
        simulator.get(program.output("out").expect("an output"))
    });
    tokens.collect()
}

#[test]
fn golden_streams_are_the_same() {
    for stream in golden::streams() {
        let tokens = |rows: &[Vec<i32>]| -> Vec<Vec<i32>> {
            (0..stream.tokens()).map(|token| rows.iter().map(|row| row[token]).collect()).collect()
        };
        let out =
            outputs(&stream.spec, &stream.u, &stream.w, &tokens(&stream.k), &tokens(&stream.v));
        assert_eq!(out, tokens(&stream.out), "{}", stream.spec);
    }
}

#[test]
fn every_spec_equals_the_model_on_random_streams() {
    let mut random = Random::new(1);
    let (channels, tokens) = (64, 24);
    for spec in strategies::all_specs() {
        let mut raw = || i32::from(random.word() as i16);
        let u: Vec<i32> = (0..channels).map(|_| raw() >> 4).collect();
        let w: Vec<i32> = (0..channels).map(|channel| -(raw().abs() >> (channel % 16))).collect();
        let w: Vec<i32> = w.into_iter().map(|w| w.max(-32768)).collect();
        let mut rows = |shift: u32| -> Vec<Vec<i32>> {
            (0..tokens).map(|_| (0..channels).map(|_| raw() >> shift).collect()).collect()
        };
        let (k, v) = (rows(2), rows(0));
        let mut expected = vec![0; channels * tokens];
        let mut model = Bank::from_raw(&spec, &u, &w).expect("in range");
        model.run_raw(&k.concat(), &v.concat(), &mut expected).expect("in range");
        assert_eq!(outputs(&spec, &u, &w, &k, &v).concat(), expected, "{spec}");
    }
}

#[test]
fn every_operator_of_the_cell_holds() {
    let spec = "classic:q8.8".parse().expect("a spec");
    let cell = build_in(Style::Carry, &spec, Unit::Cell).expect("a cell");
    let verdicts = operators::prove(&cell, Limits::default(), &quiet).expect("synchronous");
    assert!(verdicts.len() > 60, "{} operators", verdicts.len());
    assert!(verdicts.iter().all(|verdict| *verdict == Verdict::Equal), "{verdicts:?}");
}
