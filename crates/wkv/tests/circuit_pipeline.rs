//! The pipelined bank against the golden streams, with gaps on both sides.

mod common;

use common::golden;
use common::turns::{self, GAPS, model};
use morpho::pipeline::Target;
use morpho::random::Random;
use wkv::WkvSpec;
use wkv::circuit::pipeline::Multipliers::{Chains, Dsp};
use wkv::circuit::pipeline::{Multipliers, Pipeline, build};
use wkv::fixed::{Model, State};

/// Runs tokens `(k, v, first)` through a bank whose channels have these `u` and `w`; the sender and
/// the receiver rest in `gaps` of 8 clocks each.
fn run(spec: &WkvSpec, uw: &[(i32, i32)], tokens: &[(i32, i32, bool)], gaps: [u64; 2]) -> Vec<i32> {
    run_with(Chains, spec, uw, tokens, gaps)
}

fn run_with(
    multipliers: Multipliers,
    spec: &WkvSpec,
    uw: &[(i32, i32)],
    tokens: &[(i32, i32, bool)],
    gaps: [u64; 2],
) -> Vec<i32> {
    let netlist = build(spec, Pipeline::new(uw.len(), multipliers)).expect("a bank");
    turns::run(&netlist, 20 * (tokens.len() + uw.len()) + 1000, uw, tokens, gaps).0
}

#[test]
fn streams_equal_the_published_circuit_whatever_the_gaps() {
    let stream = golden::streams().swap_remove(0);
    let channels = 64.max(stream.channels());
    let of = |channel: usize| channel % stream.channels();
    let uw: Vec<(i32, i32)> = (0..channels).map(|c| (stream.u[of(c)], stream.w[of(c)])).collect();
    let turns = stream.tokens().min(12);
    let order = || (0..turns).flat_map(|token| (0..channels).map(move |c| (token, c)));
    let tokens: Vec<_> =
        order().map(|(t, c)| (stream.k[of(c)][t], stream.v[of(c)][t], t == 0)).collect();
    let expected: Vec<i32> = order().map(|(t, c)| stream.out[of(c)][t]).collect();
    for gaps in GAPS {
        assert!(run(&stream.spec, &uw, &tokens, gaps) == expected, "gaps {gaps:?}");
    }
}

/// Tokens whose channels go in turn, channel `c` with `u` and `w` number `c`, and what the model makes
/// of them.
fn random_tokens(
    spec: &WkvSpec,
    uw: &[(i32, i32)],
    turns: usize,
) -> (Vec<(i32, i32, bool)>, Vec<i32>) {
    let mut random = Random::new(3);
    let mut raw = || i32::from(random.word() as i16);
    let mut tokens = Vec::new();
    for index in 0..turns * uw.len() {
        let first = index < uw.len() || raw() & 7 == 0;
        let (k, v) = (raw() >> (index % 4), raw() >> (index % 5));
        tokens.push((k, v, first));
    }
    let outs = model(spec, uw, &tokens);
    (tokens, outs)
}

fn constants(channels: usize) -> Vec<(i32, i32)> {
    (0..channels as i32).map(|c| (c * 97 % 2000 - 1000, -(c * c * 31 % 32768))).collect()
}

#[test]
fn every_format_equals_the_published_circuit() {
    for stream in golden::streams() {
        let channels = 32.max(stream.channels());
        let of = |channel: usize| channel % stream.channels();
        let uw: Vec<_> = (0..channels).map(|c| (stream.u[of(c)], stream.w[of(c)])).collect();
        let order = || (0..24).flat_map(|token| (0..channels).map(move |c| (token, c)));
        let tokens: Vec<_> =
            order().map(|(t, c)| (stream.k[of(c)][t], stream.v[of(c)][t], t == 0)).collect();
        let expected: Vec<i32> = order().map(|(t, c)| stream.out[of(c)][t]).collect();
        assert!(run(&stream.spec, &uw, &tokens, [1, 0]) == expected, "{}", stream.spec);
    }
}

#[test]
fn random_tokens_equal_the_model_in_few_and_many_channels() {
    for (text, channels) in [
        ("classic:q8.8", 32),
        ("classic:q8.8", 384),
        ("classic:q8.8:div=exact", 64),
        ("classic:q8.8:noguard", 64),
        ("classic:q6.10", 33),
        ("classic:q10.6", 64),
        ("classic:q8.8:nointerp", 32),
        ("classic:q8.8:lut64", 32),
        ("classic:q4.12:lut256", 32),
        ("classic:q2.14:lut256", 32),
    ] {
        let spec: WkvSpec = text.parse().expect("a spec");
        let uw = constants(channels);
        let (tokens, expected) = random_tokens(&spec, &uw, 8);
        for multipliers in [Chains, Dsp] {
            let out = run_with(multipliers, &spec, &uw, &tokens, [2, 2]);
            assert!(out == expected, "{text}, {channels} channels, {multipliers:?}");
        }
    }
}

#[test]
fn the_lowest_value_comes_out_whole_without_a_guard() {
    let spec: WkvSpec = "classic:q8.8:noguard".parse().expect("a spec");
    let uw = constants(32);
    let tokens: Vec<_> = (0..32).map(|_| (0, -32768, true)).collect();
    assert_eq!(run(&spec, &uw, &tokens, [0, 0]), [-32768; 32]);
}

#[test]
fn the_depth_can_be_chosen() {
    let spec: WkvSpec = "classic:q8.8".parse().expect("a spec");
    let registers = |target| {
        let pipeline = Pipeline { target, ..Pipeline::new(384, Chains) };
        build(&spec, pipeline).expect("a bank").register_bits().count()
    };
    assert!(registers(Target::Stages(12)) < registers(Target::Stages(40)));
    assert!(registers(Target::Delay(20_000)) < registers(Target::Delay(6000)));
}

#[test]
fn a_first_token_begins_again() {
    let spec: WkvSpec = "classic:q8.8".parse().expect("a spec");
    let uw = vec![(10, -30); 64];
    let tokens: Vec<_> =
        (0..64 * 4).map(|i| (i * 7 % 300 - 150, i * 13 % 900, i / 64 % 2 == 0)).collect();
    let model = Model::new(&spec);
    let mut states = vec![State::start(&spec); 64];
    let expected: Vec<i32> = (0..tokens.len())
        .map(|i| {
            let (k, v, first) = tokens[i];
            if first {
                states[i % 64] = State::start(&spec);
            }
            let step = model.step(states[i % 64], k, v, 10, -30);
            states[i % 64] = step.next;
            step.out
        })
        .collect();
    assert_eq!(run(&spec, &uw, &tokens, [1, 1]), expected);
}

#[test]
fn too_few_channels_are_refused() {
    let spec: WkvSpec = "classic:q8.8".parse().expect("a spec");
    let refused = build(&spec, Pipeline::new(2, Chains)).expect_err("it is refused").to_string();
    assert!(refused.contains("reads a state before it is written"), "{refused}");
}

#[test]
fn a_pipeline_has_a_name() {
    for text in
        ["pipeline=384", "pipeline=16,dsp", "pipeline=20,stages=40", "pipeline=99,dsp,delay=2500"]
    {
        let pipeline: Pipeline = text.parse().expect(text);
        assert_eq!(pipeline.to_string(), text);
    }
    let wrong = ["pipeline=", "pipeline=0", "pipeline=5000", "pipeline=9,stages=0", "pipeline=9,x"];
    for text in wrong {
        let refused = text.parse::<Pipeline>().expect_err(text).to_string();
        assert!(refused.contains("expected pipeline=N"), "{refused}");
    }
}
