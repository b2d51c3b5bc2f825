//! The vectorised bank against the integer model, channel by channel, to the bit.

mod common;

use common::golden::{self, by_token};
use common::strategies;
use proptest::prelude::*;
use wkv::fixed::{Bank, Model, State};
use wkv::stats::Counts;
use wkv::{Recurrence, WkvSpec};

/// One channel and one token.
#[derive(Clone, Copy, Debug)]
struct Case {
    state: State,
    k: i32,
    v: i32,
    u: i32,
    w: i32,
}

/// Advances one channel a case by its token and compares everything with the model.
fn compare(spec: &WkvSpec, cases: &[Case]) {
    let column = |of: fn(&Case) -> i32| cases.iter().map(of).collect::<Vec<_>>();
    let mut bank = Bank::from_raw(spec, &column(|c| c.u), &column(|c| c.w)).expect("raw inputs");
    for (channel, case) in cases.iter().enumerate() {
        bank.set_state(channel, case.state);
    }
    let mut out = vec![0; cases.len()];
    bank.run_raw(&column(|c| c.k), &column(|c| c.v), &mut out).expect("raw inputs");

    let model = Model::new(spec);
    let mut counts = Counts::default();
    for (channel, case) in cases.iter().enumerate() {
        let step = model.step(case.state, case.k, case.v, case.u, case.w);
        assert_eq!(
            (out[channel], bank.state(channel)),
            (step.out, step.next),
            "{spec}, channel {channel} of {}, {case:?}",
            cases.len()
        );
        counts += step.counts;
    }
    assert_eq!(bank.counts(), counts, "{spec}");
}

fn cases(state: impl Strategy<Value = State>) -> impl Strategy<Value = Vec<Case>> {
    let inputs = (strategies::raw(), strategies::raw(), strategies::raw(), strategies::raw());
    let case = (state, inputs).prop_map(|(state, (k, v, u, w))| Case { state, k, v, u, w });
    prop::collection::vec(case, 1..200)
}

#[test]
fn single_steps_equal_the_published_circuit() {
    let golden = golden::steps();
    let cases: Vec<Case> = golden
        .rows
        .iter()
        .map(|row| Case { state: row.state(), k: row.k, v: row.v, u: row.u, w: row.w })
        .collect();
    // The model equals the published circuit on every row.
    compare(&golden.spec, &cases);
}

#[test]
fn streams_equal_the_published_circuit() {
    for stream in golden::streams() {
        let mut bank = Bank::from_raw(&stream.spec, &stream.u, &stream.w).expect("raw inputs");
        let mut out = vec![0; stream.channels() * stream.tokens()];
        bank.run_raw(&by_token(&stream.k), &by_token(&stream.v), &mut out).expect("raw inputs");

        assert_eq!(out, by_token(&stream.out), "{}", stream.spec);
        for channel in 0..stream.channels() {
            assert_eq!(bank.state(channel), stream.final_state(channel), "{}", stream.spec);
        }
        if let Some(clips) = stream.page_clips {
            let Counts { saturations, underflows, .. } = bank.counts();
            assert_eq!((saturations.aa, saturations.bb), (clips.aa, clips.bb), "{}", stream.spec);
            assert_eq!((saturations.ww2, underflows.total()), (clips.pp, clips.lut));
        }
    }
}

#[test]
fn every_exponent_difference_equals_the_model() {
    // With k = pp + w every difference from 0 to 65535 appears in the output's exponentials.
    for spec in strategies::all_specs() {
        let cases: Vec<Case> = (0..65536i32)
            .step_by(if spec.exp2.interpolate { 1 } else { 7 })
            .map(|difference| {
                let pp = 32767 - difference / 2;
                let ww = pp - difference;
                let state = State { aa: -32768, bb: 32767, pp };
                Case { state, k: ww.max(-32768), v: 32767, u: (ww + 32768).min(0), w: 0 }
            })
            .collect();
        compare(&spec, &cases);
    }
}

#[test]
fn inputs_are_quantised_and_counted() {
    let spec: WkvSpec = "classic:q8.8".parse().expect("a spec");
    let (k, v) = ([1.0f32, 200.0, -0.001, f32::NAN], [2.0f32, -500.0, 500.0, f32::INFINITY]);
    let mut real = Bank::new(&spec, &[0.5, 300.0], &[-0.5, f64::NEG_INFINITY]);
    let mut real_out = [0.0f32; 4];
    real.run(&k, &v, &mut real_out);

    let mut raw = Bank::from_raw(&spec, &[128, 32767], &[-128, -32768]).expect("raw inputs");
    let mut raw_out = [0; 4];
    raw.run_raw(&[256, 32767, 0, 0], &[512, -32768, 32767, 32767], &mut raw_out).expect("raw");

    assert_eq!(real_out.map(f64::from), raw_out.map(|raw| spec.format.to_real(raw)));
    let inputs = real.counts().inputs;
    assert_eq!((inputs.u, inputs.w, inputs.k, inputs.v), (1, 1, 2, 3));
    assert_eq!(real.counts().saturations, raw.counts().saturations);
    assert_eq!(real.counts().underflows, raw.counts().underflows);
}

#[test]
fn raw_integers_outside_the_format_are_named_and_change_nothing() {
    let spec: WkvSpec = "classic:q6.10".parse().expect("a spec");
    let error = Bank::from_raw(&spec, &[0, 40_000], &[0, 0]).expect_err("40000 is too large");
    assert_eq!(
        error.to_string(),
        "u at token 0, channel 1 is 40000, but q6.10 holds raw integers from -32768 to 32767"
    );

    let mut bank = Bank::from_raw(&spec, &[0, 0], &[0, 0]).expect("zeros fit");
    let error = bank
        .run_raw(&[0; 6], &[0, 0, 0, 0, -32769, 0], &mut [0; 6])
        .expect_err("-32769 is too small");
    assert_eq!((error.name, error.token, error.channel, error.raw), ("v", 2, 0, -32769));
    assert_eq!(bank.state(0), State::start(&spec));
    assert_eq!(bank.counts(), Counts::default());
}

proptest! {
    #[test]
    fn equals_the_model(spec in strategies::spec(), cases in cases(strategies::state())) {
        compare(&spec, &cases);
    }

    #[test]
    fn equals_the_model_in_unreachable_states(
        spec in strategies::spec(),
        cases in cases(strategies::any_state()),
    ) {
        compare(&spec, &cases);
    }

    #[test]
    fn quotients_next_to_integers_equal_the_model(
        spec in strategies::spec(),
        divisions in prop::collection::vec((1..=32768i64, 0..=32770i64, -1..=1i64), 1..200),
        negative: bool,
    ) {
        // The value's factor underflows, so the step divides aa by bb + 1.
        let cases: Vec<Case> = divisions
            .into_iter()
            .map(|(divisor, quotient, offset)| {
                let numerator = ((divisor * quotient) >> spec.format.fraction_bits()) + offset;
                let numerator = if negative { -numerator } else { numerator };
                let aa = numerator.clamp(-32768, 32767) as i32;
                let state = State { aa, bb: divisor as i32 - 1, pp: 32767 };
                Case { state, k: -32768, v: 0, u: 0, w: 0 }
            })
            .collect();
        compare(&spec, &cases);
    }
}
