//! Matrix products against plain sums in f64.

use std::hint::black_box;
use std::time::Instant;

use proptest::prelude::*;
use rwkv::linear::{Linear, Weights};

fn naive(x: &[f32], weights: &[f32], inputs: usize) -> Vec<f64> {
    x.chunks(inputs).flat_map(|x| weights.chunks(inputs).map(move |row| dot(x, row))).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
}

/// A matrix and rows to multiply with it: outputs, inputs, weights, rows. Sizes that fill no
/// vector, no tile, no panel and no block are among them.
fn product() -> impl Strategy<Value = (usize, usize, Vec<f32>, Vec<f32>)> {
    (1..150usize, 1..40usize, 0..120usize).prop_flat_map(|(outputs, inputs, rows)| {
        let numbers = |count| prop::collection::vec(-2.0..2.0f32, count);
        (Just(outputs), Just(inputs), numbers(outputs * inputs), numbers(rows * inputs))
    })
}

/// What one product with weights rounded to int8 may differ from the exact one: half a unit of
/// each weight, and the rounding of the sums.
fn int8_bound(x: &[f32], row: &[f32]) -> f64 {
    let greatest = row.iter().fold(0f32, |greatest, weight| greatest.max(weight.abs()));
    let inputs: f64 = x.iter().map(|&x| f64::from(x.abs())).sum();
    let unit = f64::from(greatest) / 127.0;
    inputs * unit * (0.5 + 127.0 * 1e-5) + f64::from(f32::MIN_POSITIVE)
}

#[track_caller]
fn assert_within_bound(outputs: usize, inputs: usize, weights: &[f32], x: &[f32]) {
    let y = Linear::new(outputs, inputs, weights).to_int8().apply(x);
    for (x, y) in x.chunks(inputs).zip(y.chunks(outputs)) {
        for (row, &y) in weights.chunks(inputs).zip(y) {
            let (expected, bound) = (dot(x, row), int8_bound(x, row));
            let error = (f64::from(y) - expected).abs();
            assert!(error <= bound, "{y} instead of {expected}: more than {bound} off");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn equals_plain_sums((outputs, inputs, weights, x) in product()) {
        let y = Linear::new(outputs, inputs, &weights).apply(&x);
        let expected = naive(&x, &weights, inputs);
        prop_assert_eq!(y.len(), expected.len());
        for (y, expected) in y.into_iter().zip(expected) {
            prop_assert!((f64::from(y) - expected).abs() < 1e-4, "{} instead of {}", y, expected);
        }
    }

    #[test]
    fn int8_is_within_the_bound_of_its_rounding((outputs, inputs, weights, x) in product()) {
        assert_within_bound(outputs, inputs, &weights, &x);
    }

    /// Outputs have scales of their own, from the least numbers of f32 to the greatest.
    #[test]
    fn int8_scales_are_of_each_output(
        (outputs, inputs, mut weights, x) in product(),
        powers in prop::collection::vec(-140..120i32, 150),
    ) {
        for (row, power) in weights.chunks_mut(inputs).zip(powers) {
            row.iter_mut().for_each(|weight| *weight = (f64::from(*weight) * 2f64.powi(power)) as f32);
        }
        assert_within_bound(outputs, inputs, &weights, &x);
    }

    /// A row's outputs do not depend on the rows beside it, to the bit.
    #[test]
    fn rows_are_independent((outputs, inputs, weights, x) in product()) {
        let matrix = Linear::new(outputs, inputs, &weights);
        for matrix in [matrix.to_int8(), matrix] {
            let one_by_one: Vec<f32> = x.chunks(inputs).flat_map(|row| matrix.apply(row)).collect();
            prop_assert_eq!(matrix.apply(&x), one_by_one);
        }
    }
}

/// Whole numbers up to 127 whose greatest is 127 have a unit of 1.
#[test]
fn int8_keeps_its_own_numbers() {
    let weights: Vec<f32> = (-127..=127).map(|weight| weight as f32).collect();
    let matrix = Linear::new(5, 51, &weights);
    let int8 = Linear::new(1, 255, &weights).to_int8();
    let unit: Vec<f32> = (0..255 * 255).map(|at| f32::from(at % 256 == 0)).collect();
    assert_eq!(int8.apply(&unit), weights);
    assert_eq!((matrix.weights(), int8.weights()), (Weights::F32, Weights::Int8));
    assert_eq!((matrix.bytes(), int8.bytes()), (64 * 51 * 4, 64 * 255 + 64 * 4));
    assert_eq!(int8.to_int8().apply(&unit), weights);
}

#[test]
fn int8_of_zeros_is_zero() {
    let y = Linear::new(2, 3, &[0.0, -0.0, 0.0, 1.0, 2.0, 4.0]).to_int8().apply(&[1.0, 1.0, 1e30]);
    assert_eq!((y[0], y[1]), (0.0, 4e30));
}

/// A unit that is too small for f32 rounds the weights to 0, not to what is no number.
#[test]
fn int8_of_tiny_and_huge_numbers() {
    let least = f32::from_bits(1);
    let great = f32::MAX / 2.0;
    let y = Linear::new(2, 1, &[least, great]).to_int8().apply(&[1.0]);
    assert!(y[0] <= least && (y[1] / great - 1.0).abs() < 1e-6, "{y:?}");
}

/// Billions of multiplications and additions a second on one core, the best of several runs:
/// `cargo test -p rwkv --test linear speed -- --ignored --nocapture`.
#[test]
#[ignore = "measures"]
fn speed() {
    for (outputs, inputs) in [(384, 384), (1536, 384), (384, 1536), (2048, 384)] {
        let matrix = Linear::new(outputs, inputs, &vec![0.5; outputs * inputs]);
        for matrix in [&matrix, &matrix.to_int8()] {
            print!("{outputs:4} x {inputs:4} {:4}", matrix.weights().to_string());
            for rows in [1, 12, 48, 256] {
                let x = vec![0.5; rows * inputs];
                let operations = 2.0 * (rows * outputs * inputs) as f64;
                let runs = 20 + (2e9 / operations) as usize;
                let seconds = (0..runs).map(|_| {
                    let start = Instant::now();
                    black_box(matrix.apply(black_box(&x)));
                    start.elapsed().as_secs_f64()
                });
                let best = seconds.fold(f64::INFINITY, f64::min);
                print!("  {rows} rows: {:4.0}", operations / best * 1e-9);
            }
            println!();
        }
    }
}

#[test]
#[should_panic(expected = "whole rows")]
fn refuses_part_of_a_row() {
    Linear::new(2, 3, &[0.0; 6]).apply(&[0.0; 4]);
}
