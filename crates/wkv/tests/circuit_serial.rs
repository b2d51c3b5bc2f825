//! The serial cell, and the bank with a divider beside it, against the golden streams and the integer model, with gaps
//! on both sides. `tests/test_bench.rs` runs their Verilog.

mod common;

use std::iter::zip;

use common::turns::{self, GAPS, model};
use common::{golden, strategies};
use morpho::{Diagnostics, Netlist};
use proptest::prelude::*;
use wkv::WkvSpec;
use wkv::circuit::{serial, shared};

/// How a circuit is built, and how many clocks its step takes.
type Form = (fn(&WkvSpec, usize) -> Result<Netlist, Diagnostics>, fn(&WkvSpec) -> usize);

const FORMS: [Form; 2] = [(serial::build, serial::clocks), (shared::build, shared::clocks)];

/// As [`turns::run`].
fn run(
    (build, clocks): Form,
    spec: &WkvSpec,
    uw: &[(i32, i32)],
    tokens: &[(i32, i32, bool)],
    gaps: [u64; 2],
) -> (Vec<i32>, Vec<usize>) {
    let netlist = build(spec, uw.len()).expect("a cell");
    let most = (clocks(spec) + 100) * (tokens.len() + uw.len());
    turns::run(&netlist, most, uw, tokens, gaps)
}

#[test]
fn streams_equal_the_published_circuit_whatever_the_gaps() {
    let stream = golden::streams().swap_remove(0);
    let channels = stream.channels();
    let uw: Vec<(i32, i32)> = zip(stream.u.clone(), stream.w.clone()).collect();
    let order = || (0..stream.tokens().min(30)).flat_map(|t| (0..channels).map(move |c| (t, c)));
    let tokens: Vec<_> = order().map(|(t, c)| (stream.k[c][t], stream.v[c][t], t == 0)).collect();
    let expected: Vec<i32> = order().map(|(t, c)| stream.out[c][t]).collect();
    for (form, gaps) in FORMS.into_iter().flat_map(|form| GAPS.map(|gaps| (form, gaps))) {
        let (outs, _) = run(form, &stream.spec, &uw, &tokens, gaps);
        assert!(outs == expected, "gaps {gaps:?}");
    }
}

#[test]
fn a_step_takes_the_clocks_it_says() {
    for text in ["classic:q8.8", "classic:q2.14:lut4", "classic:q14.2:lut256:div=exact"] {
        let spec: WkvSpec = text.parse().expect("a spec");
        let tokens: Vec<_> = (0..6).map(|i| (i * 50, i * 99, false)).collect();
        for form in FORMS {
            let (outs, came) = run(form, &spec, &[(3, -5)], &tokens, [0, 0]);
            assert_eq!(outs, model(&spec, &[(3, -5)], &tokens));
            let clocks = form.1(&spec);
            assert!(came.windows(2).all(|pair| pair[1] - pair[0] == clocks), "{text} {came:?}");
        }
    }
}

#[test]
fn the_lowest_value_comes_out_whole_without_a_guard() {
    for text in ["classic:q8.8:noguard", "classic:q2.14:noguard", "classic:q14.2:div=exact:noguard"]
    {
        let spec: WkvSpec = text.parse().expect("a spec");
        let tokens = [(0, -32768, true), (0, 32767, true), (5, -32768, false)];
        for form in FORMS {
            let (outs, _) = run(form, &spec, &[(0, -5)], &tokens, [0, 0]);
            assert_eq!(outs[..2], [-32768, 32767], "{text}");
            assert_eq!(outs, model(&spec, &[(0, -5)], &tokens), "{text}");
        }
    }
}

#[test]
fn no_channel_is_refused() {
    let spec: WkvSpec = "classic:q8.8".parse().expect("a spec");
    let refused = serial::build(&spec, 0).expect_err("it is refused").to_string();
    assert!(refused.contains("no channels"), "{refused}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_spec_equals_its_model(
        spec in strategies::spec(),
        uw in prop::collection::vec((strategies::raw(), strategies::decay()), 1..4),
        tokens in prop::collection::vec(
            (strategies::raw(), strategies::raw(), prop::bool::weighted(0.1)), 1..40),
    ) {
        for form in FORMS {
            prop_assert_eq!(run(form, &spec, &uw, &tokens, [0, 0]).0, model(&spec, &uw, &tokens));
        }
    }
}
