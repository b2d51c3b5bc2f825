//! The f64 reference against the sum that it computes, and the facts that circuits rely on.

use proptest::prelude::*;
use wkv::Numerics;
use wkv::float::{Bank, Float, State, factors, step};

/// Base-2 exponents of trained models stay within a few dozen.
fn exponent() -> impl Strategy<Value = f64> {
    prop_oneof![-30.0..30.0f64, Just(0.0)]
}

fn decay() -> impl Strategy<Value = f64> {
    prop_oneof![-30.0..=0.0f64, -0.1..=0.0f64, Just(0.0)]
}

/// Keys and values of one channel.
fn stream() -> impl Strategy<Value = Vec<(f64, f64)>> {
    prop::collection::vec((exponent(), -20.0..20.0f64), 1..40)
}

/// The weighted mean written out: token `i` has weight `2^(k + age * w)`, the current `2^(k + u)`.
fn direct_sum(tokens: &[(f64, f64)], u: f64, w: f64) -> f64 {
    let last = tokens.len() - 1;
    let exponents: Vec<f64> = tokens
        .iter()
        .enumerate()
        .map(|(i, (k, _))| if i == last { k + u } else { k + (last - 1 - i) as f64 * w })
        .collect();
    let greatest = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = exponents.iter().map(|e| (e - greatest).exp2()).collect();
    let sum: f64 = weights.iter().zip(tokens).map(|(weight, (_, v))| weight * v).sum();
    sum / weights.iter().sum::<f64>()
}

proptest! {
    #[test]
    fn equals_the_direct_sum(tokens in stream(), u in exponent(), w in decay()) {
        let mut state = State::START;
        for now in 0..tokens.len() {
            let (k, v) = tokens[now];
            let (out, next) = step(state, k, v, u, w);
            let expected = direct_sum(&tokens[..=now], u, w);
            prop_assert!((out - expected).abs() < 1e-9, "{out} at token {now}, not {expected}");
            state = next;
        }
    }

    #[test]
    fn one_factor_is_one_and_none_is_more(older in exponent(), newer in exponent()) {
        let (of_older, of_newer, greatest) = factors(older, newer);
        prop_assert_eq!(greatest, older.max(newer));
        prop_assert_eq!(of_older.max(of_newer), 1.0);
        prop_assert_eq!(of_older, (older - greatest).exp2());
        prop_assert_eq!(of_newer, (newer - greatest).exp2());
        prop_assert!(older - greatest <= 0.0 && newer - greatest <= 0.0);
    }

    #[test]
    fn weights_stay_above_one_and_outputs_below_the_greatest_value(
        tokens in stream(),
        u in exponent(),
        w in decay(),
    ) {
        let mut state = State::START;
        let mut greatest: f64 = 0.0;
        for (k, v) in tokens {
            greatest = greatest.max(v.abs());
            let (out, next) = step(state, k, v, u, w);
            prop_assert!(out.abs() <= greatest * (1.0 + 1e-12), "{out} of {greatest}");
            prop_assert!(next.bb >= 1.0, "bb is {}", next.bb);
            prop_assert!(next.pp >= k);
            state = next;
        }
    }
}

#[test]
fn the_first_output_is_the_first_value() {
    let (out, next) = step(State::START, 3.0, -7.5, 1.0, -0.5);
    assert_eq!(out, -7.5);
    assert_eq!(next, State { aa: -7.5, bb: 1.0, pp: 3.0 });
}

#[test]
fn a_bank_is_its_channels_side_by_side() {
    let (u, w) = ([0.5, -1.0, 2.0], [-0.25, -3.0, 0.0]);
    let k: Vec<f64> = (0..12).map(|i| (i as f64 * 1.3).sin() * 4.0).collect();
    let v: Vec<f64> = (0..12).map(|i| (i as f64 * 2.1).cos() * 3.0).collect();
    let mut bank = Bank::new(&u, &w);
    let mut out = [0.0; 12];
    bank.run_f64(&k, &v, &mut out);

    for channel in 0..3 {
        let mut state = State::START;
        for at in (channel..12).step_by(3) {
            let (expected, next) = step(state, k[at], v[at], u[channel], w[channel]);
            assert_eq!(out[at], expected);
            state = next;
        }
        assert_eq!(bank.states()[channel], state);
    }
}

#[test]
fn single_precision_inputs_are_computed_in_double() {
    let (k, v) = ([0.1f32, 0.2, 0.3], [1.1f32, 2.2, 3.3]);
    let mut narrow = [0.0f32; 3];
    Float.bank(&[0.5], &[-0.5]).run(&k, &v, &mut narrow);

    let mut wide = [0.0f64; 3];
    Bank::new(&[0.5], &[-0.5]).run_f64(&k.map(f64::from), &v.map(f64::from), &mut wide);
    assert_eq!(narrow, wide.map(|out| out as f32));
}
