//! The circuits against the published circuit's vectors and against the integer model.

mod common;

use std::sync::Arc;

use common::golden;
use common::strategies;
use morpho::sim::{Program, Simulator};
use proptest::prelude::*;
use wkv::circuit::gates::Gates;
use wkv::circuit::{Unit, build, inventory};
use wkv::fixed::{Bank, Model, State, Step};
use wkv::stats::Counts;
use wkv::{Recurrence, WkvSpec};

fn classic() -> WkvSpec {
    "classic:q8.8".parse().expect("a spec")
}

/// The outputs of a unit for inputs of one number per lane.
fn evaluate(spec: &WkvSpec, unit: Unit, inputs: &[(&str, Vec<i32>)], out: &str) -> Vec<i32> {
    let program = Arc::new(Program::compile(&build(spec, unit).expect("a unit")));
    let mut simulator = Simulator::new(Arc::clone(&program), inputs[0].1.len());
    for (name, numbers) in inputs {
        simulator.set(program.input(name).expect(name), numbers);
    }
    simulator.evaluate().expect("no loops");
    simulator.get(program.output(out).expect(out))
}

#[test]
fn exponentials_equal_the_published_circuit() {
    let golden = golden::exponentials();
    let all: Vec<i32> = (0..65536).collect();
    let mut got = evaluate(&golden.spec, Unit::Exp2, &[("x", all)], "y");
    // The port has 17 bits and an exponential is unsigned.
    got.iter_mut().for_each(|y| *y &= 0x1ffff);
    assert_eq!(got, golden.out);
}

#[test]
fn single_steps_equal_the_published_circuit() {
    let golden = golden::steps();
    let rows = &golden.rows;
    let column = |part: fn(&golden::StepRow) -> i32| rows.iter().map(part).collect::<Vec<i32>>();
    let inputs = [
        ("aa", column(|row| row.aa)),
        ("bb", column(|row| row.bb)),
        ("pp", column(|row| row.pp)),
        ("k", column(|row| row.k)),
        ("v", column(|row| row.v)),
        ("u", column(|row| row.u)),
        ("w", column(|row| row.w)),
    ];
    for (name, expected) in [
        ("out", column(|row| row.out)),
        ("aa_next", column(|row| row.aa_next)),
        ("bb_next", column(|row| row.bb_next)),
        ("pp_next", column(|row| row.pp_next)),
    ] {
        assert_eq!(evaluate(&golden.spec, Unit::Step, &inputs, name), expected, "{name}");
    }
}

#[test]
fn streams_equal_the_published_circuit() {
    for stream in golden::streams() {
        let mut bank = Gates::new(&stream.spec).raw_bank(&stream.u, &stream.w);
        for token in 0..stream.tokens() {
            let column = |rows: &[Vec<i32>]| rows.iter().map(|row| row[token]).collect::<Vec<_>>();
            let out = bank.step_raw(&column(&stream.k), &column(&stream.v));
            assert_eq!(out, column(&stream.out), "{}, token {token}", stream.spec);
        }
        let finals: Vec<State> = (0..stream.channels()).map(|c| stream.final_state(c)).collect();
        assert_eq!(bank.states(), finals, "{}", stream.spec);
        if let Some(clips) = stream.page_clips {
            let counts = bank.counts();
            let counted = stream.as_page_clips(&counts);
            assert_eq!(counted, clips, "{}", stream.spec);
        }
    }
}

/// One step of the gates, every lane a channel in any state, against the model.
fn check_steps(spec: WkvSpec, rows: Vec<(State, [i32; 4])>) -> Result<(), TestCaseError> {
    let column = |part: usize| rows.iter().map(|(_, token)| token[part]).collect::<Vec<i32>>();
    let states: Vec<State> = rows.iter().map(|&(state, _)| state).collect();
    let mut bank = Gates::new(&spec).raw_bank(&column(2), &column(3));
    bank.set_states(&states);
    let out = bank.step_raw(&column(0), &column(1));
    let model = Model::new(&spec);
    let mut counts = Counts::default();
    for (row, &(state, [k, v, u, w])) in rows.iter().enumerate() {
        let Step { out: expected, next, counts: flags } = model.step(state, k, v, u, w);
        let context = format!("{spec}: {state:?}, k {k}, v {v}, u {u}, w {w}");
        prop_assert_eq!(bank.states()[row], next, "{}", &context);
        if state.bb >= 0 {
            prop_assert_eq!(out[row], expected, "{}", &context);
        }
        counts += flags;
    }
    if rows.iter().all(|(state, _)| state.bb >= 0) {
        prop_assert_eq!(bank.counts(), counts, "{}", spec);
    }
    Ok(())
}

fn token() -> impl Strategy<Value = [i32; 4]> {
    (strategies::raw(), strategies::raw(), strategies::raw(), strategies::decay())
        .prop_map(|(k, v, u, w)| [k, v, u, w])
}

/// A state and a token whose exponents tie, in the output or in the update.
fn tie() -> impl Strategy<Value = (State, [i32; 4])> {
    (strategies::state(), token(), prop::bool::ANY).prop_map(|(state, [k, v, u, w], output)| {
        let clamp = |raw: i32| raw.clamp(-32768, 32767);
        match output {
            true => (State { pp: clamp(u + k), ..state }, [k, v, u, w]),
            false => (state, [clamp(state.pp + w), v, u, w]),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_spec_equals_the_model_from_any_reachable_state(
        spec in strategies::spec(),
        rows in prop::collection::vec(
            prop_oneof![3 => (strategies::state(), token()), 1 => tie()], 256),
    ) {
        check_steps(spec, rows)?;
    }

    #[test]
    fn a_negative_bb_still_gives_the_next_state(
        spec in strategies::spec(),
        rows in prop::collection::vec((strategies::any_state(), token()), 64),
    ) {
        check_steps(spec, rows)?;
    }
}

#[test]
fn every_spec_equals_the_model_on_the_golden_steps() {
    // Inputs for Q8.8 are as good as any for the other formats.
    let rows = golden::steps().rows;
    for (number, spec) in strategies::all_specs().into_iter().enumerate() {
        let rows = rows.iter().skip(number % 97).step_by(97);
        let rows = rows.map(|row| (row.state(), [row.k, row.v, row.u, row.w]));
        check_steps(spec, rows.collect()).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn long_streams_equal_the_model() {
    let spec = classic();
    let (channels, tokens) = (64, 4096);
    let wave = |scale: f64, speed: f64, i: usize| (scale * (i as f64 * speed).sin()) as i32;
    let u: Vec<i32> = (0..channels).map(|c| wave(300.0, 1.3, c)).collect();
    // From no decay at all to a decay of a whole register in one token.
    let w: Vec<i32> = (0..channels).map(|c| if c == 0 { 0 } else { -(1 << (c % 16)) }).collect();
    let k: Vec<i32> = (0..channels * tokens).map(|i| wave(2000.0, 0.37, i)).collect();
    let v: Vec<i32> = (0..channels * tokens).map(|i| wave(9000.0, 0.11, i)).collect();
    let mut expected = vec![0; k.len()];
    let mut model = Bank::from_raw(&spec, &u, &w).expect("in range");
    model.run_raw(&k, &v, &mut expected).expect("in range");
    let mut bank = Gates::new(&spec).raw_bank(&u, &w);
    for start in (0..k.len()).step_by(channels) {
        let now = start..start + channels;
        let out = bank.step_raw(&k[now.clone()], &v[now.clone()]);
        assert_eq!(out, expected[now], "token {}", start / channels);
    }
    let states: Vec<State> = (0..channels).map(|channel| model.state(channel)).collect();
    assert_eq!(bank.states(), states);
    assert_eq!(bank.counts(), model.counts());
}

#[test]
fn a_bank_is_as_many_cells() {
    let stream = golden::streams().swap_remove(1);
    let channels = 3;
    let netlist = build(&stream.spec, Unit::Bank(channels)).expect("a bank");
    let cell = build(&stream.spec, Unit::Cell).expect("a cell");
    assert_eq!(netlist.gates().count(), channels * cell.gates().count());
    let program = Arc::new(Program::compile(&netlist));
    let mut simulator = Simulator::new(Arc::clone(&program), 1);
    let set = |simulator: &mut Simulator, name: &str, channel: usize, raw: i32| {
        simulator.set(program.input(&format!("{name}{channel}")).expect(name), &[raw]);
    };
    for channel in 0..channels {
        set(&mut simulator, "u", channel, stream.u[channel]);
        set(&mut simulator, "w", channel, stream.w[channel]);
    }
    for token in 0..stream.tokens() {
        for channel in 0..channels {
            set(&mut simulator, "k", channel, stream.k[channel][token]);
            set(&mut simulator, "v", channel, stream.v[channel][token]);
        }
        simulator.step().expect("no loops");
        for channel in 0..channels {
            let port = program.output(&format!("out{channel}")).expect("an output a channel");
            let out: Vec<i32> = simulator.get(port);
            assert_eq!(out, [stream.out[channel][token]], "channel {channel}, token {token}");
        }
    }
    for channel in 0..channels {
        let name = format!("channel{channel}.pp");
        let register = program.register(&name).expect("a register a channel");
        assert_eq!(simulator.get_register::<i32>(register), [stream.pp[channel]], "{name}");
    }
}

#[test]
fn the_cell_is_smaller_and_shallower_than_the_published_one() {
    let cell = build(&classic(), Unit::Cell).expect("a cell");
    let gates = cell.gates().count();
    assert!(gates <= 7201 && cell.depth() <= 553, "{gates} gates, depth {}", cell.depth());
    assert_eq!(cell.register_bits().count(), 48);
    assert!(cell.gates_by_arity()[5..].iter().all(|&count| count == 0), "four inputs at most");
    for (unit, gates, depth) in
        [(Unit::Exp2, 388, 38), (Unit::Multiplier, 993, 30), (Unit::Divider, 1705, 442)]
    {
        let netlist = build(&classic(), unit).expect("a unit");
        assert!(netlist.gates().count() <= gates, "{unit}: {} gates", netlist.gates().count());
        assert!(netlist.depth() <= depth, "{unit}: depth {}", netlist.depth());
    }
}

#[test]
fn the_inventory_counts_every_gate_once() {
    for spec in ["classic:q8.8", "classic:q3.13:nointerp:div=exact"] {
        let cell = build(&spec.parse().expect(spec), Unit::Cell).expect("a cell");
        let lines = inventory(&cell);
        let sum: usize = lines.iter().map(|line| line.gates).sum();
        assert_eq!(sum, cell.gates().count());
        let instances = |unit| lines.iter().find(|line| line.unit == unit).map(|l| l.instances);
        assert_eq!(instances("exp2"), Some(2));
        assert_eq!(instances("multiply"), Some(4));
        assert_eq!(instances("divide"), Some(1));
    }
}

#[test]
fn real_numbers_through_the_gates_equal_the_bank() {
    use wkv::Numerics;
    let spec = classic();
    let (u, w) = ([0.5, -0.25, 300.0], [-0.01, -3.0, -500.0]);
    let k: Vec<f32> = (0..300).map(|i| 3.0 * (i as f32).sin()).collect();
    let v: Vec<f32> = (0..300).map(|i| 200.0 * (i as f32 * 0.7).cos()).collect();
    let run = |numerics: &dyn Numerics| {
        let mut bank = numerics.bank(&u, &w);
        let mut out = vec![0.0; k.len()];
        bank.run(&k, &v, &mut out);
        bank.reset();
        let mut again = vec![0.0; k.len()];
        bank.run(&k, &v, &mut again);
        assert_eq!(out, again, "reset starts over");
        (out, bank.counts())
    };
    let (gates, model) = (run(&Gates::new(&spec)), run(&spec));
    assert_eq!(gates, model);
    assert!(model.1.inputs.v > 0 && model.1.inputs.u == 1 && model.1.inputs.w == 1);
}

#[test]
fn units_have_names() {
    for unit in Unit::ALL.into_iter().chain([Unit::Bank(384)]) {
        assert_eq!(unit.to_string().parse(), Ok(unit));
    }
    for wrong in ["", "bank", "bank=", "bank=0", "bank=9999999", "cells", "bank=-1"] {
        let error = wrong.parse::<Unit>().expect_err(wrong);
        assert!(error.to_string().contains("expected"), "{error}");
    }
}
