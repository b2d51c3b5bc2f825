//! What holds for every arithmetic behind the traits.

use wkv::{Arithmetic, Numerics, Recurrence};

const CHANNELS: usize = 5;
const TOKENS: usize = 12;

fn banks() -> impl Iterator<Item = Box<dyn Recurrence>> {
    ["float", "classic:q8.8", "classic:q6.10:lut64:nointerp:div=exact"].into_iter().map(|name| {
        let arithmetic: Arithmetic = name.parse().expect(name);
        arithmetic.bank(&[0.5, -1.0, 0.0, 2.0, 1.0], &[-0.1, -1.0, -8.0, 0.0, -0.01])
    })
}

fn inputs() -> (Vec<f32>, Vec<f32>) {
    let wave = |scale: f32, speed: f32| {
        (0..TOKENS * CHANNELS).map(|i| scale * (i as f32 * speed).sin()).collect()
    };
    (wave(6.0, 1.7), wave(2.0, 2.9))
}

#[test]
fn tokens_may_come_in_any_portions() {
    let (k, v) = inputs();
    for (mut at_once, mut in_portions) in banks().zip(banks()) {
        let mut expected = vec![0.0; k.len()];
        at_once.run(&k, &v, &mut expected);

        let mut out = vec![0.0; k.len()];
        let mut start = 0;
        for tokens in [1, 0, 4, 7] {
            let portion = start..start + tokens * CHANNELS;
            in_portions.run(&k[portion.clone()], &v[portion.clone()], &mut out[portion.clone()]);
            start = portion.end;
        }
        assert_eq!(out, expected);
        assert_eq!(in_portions.counts(), at_once.counts());
    }
}

#[test]
fn reset_forgets_the_tokens_and_keeps_the_counts() {
    let (k, v) = inputs();
    for mut bank in banks() {
        let mut first = vec![0.0; k.len()];
        bank.run(&k, &v, &mut first);
        let counts = bank.counts();

        bank.reset();
        assert_eq!(bank.counts(), counts);
        let mut second = vec![0.0; k.len()];
        bank.run(&k, &v, &mut second);
        assert_eq!(second, first);
        assert_eq!(bank.counts(), counts + counts);
    }
}

#[test]
fn a_bank_may_be_empty() {
    for name in ["float", "classic:q8.8"] {
        let mut bank = name.parse::<Arithmetic>().expect(name).bank(&[], &[]);
        bank.run(&[], &[], &mut []);
        assert_eq!(bank.channels(), 0);
    }
}

#[test]
fn ragged_slices_are_a_mistake() {
    for (k, v, out) in [(5, 5, 10), (5, 10, 5), (10, 5, 5), (7, 7, 7)] {
        for mut bank in banks() {
            let run = move || bank.run(&vec![0.0; k], &vec![0.0; v], &mut vec![0.0; out]);
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).expect_err("ragged");
        }
    }
}
