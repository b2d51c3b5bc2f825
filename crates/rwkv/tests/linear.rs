//! Matrix products against plain sums in f64.

use proptest::prelude::*;
use rwkv::linear::Linear;

fn naive(x: &[f32], weights: &[f32], inputs: usize) -> Vec<f64> {
    x.chunks(inputs).flat_map(|x| weights.chunks(inputs).map(move |row| dot(x, row))).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
}

/// A matrix and rows to multiply with it: outputs, inputs, weights, rows.
fn product() -> impl Strategy<Value = (usize, usize, Vec<f32>, Vec<f32>)> {
    (1..100usize, 1..40usize, 0..40usize).prop_flat_map(|(outputs, inputs, rows)| {
        let numbers = |count| prop::collection::vec(-2.0..2.0f32, count);
        (Just(outputs), Just(inputs), numbers(outputs * inputs), numbers(rows * inputs))
    })
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

    /// A row's outputs do not depend on the rows beside it, to the bit.
    #[test]
    fn rows_are_independent((outputs, inputs, weights, x) in product()) {
        let matrix = Linear::new(outputs, inputs, &weights);
        let one_by_one: Vec<f32> = x.chunks(inputs).flat_map(|row| matrix.apply(row)).collect();
        prop_assert_eq!(matrix.apply(&x), one_by_one);
    }
}

#[test]
#[should_panic(expected = "whole rows")]
fn refuses_part_of_a_row() {
    Linear::new(2, 3, &[0.0; 6]).apply(&[0.0; 4]);
}
