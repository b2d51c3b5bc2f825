//! Repetition measures.

use proptest::prelude::*;
use rwkv::repetition::{distinct, repeated};

#[test]
fn counts_what_occurred_before() {
    // Bigrams 1 2, 2 1, 1 2, 2 3: one of four occurred before.
    assert_eq!(repeated(&[1, 2, 1, 2, 3], 2), Some(0.25));
    assert_eq!(distinct(&[1, 2, 1, 2, 3], 2), Some(0.75));
    assert_eq!(repeated(&[7; 10], 4), Some(6.0 / 7.0));
    assert_eq!(repeated(&[1, 2, 3, 4, 5], 4), Some(0.0));
}

#[test]
fn too_short_a_text_has_none() {
    assert_eq!((distinct(&[1], 2), repeated(&[1, 2, 3], 4), distinct(&[], 1)), (None, None, None));
}

proptest! {
    /// One n-gram after another, by its definition.
    #[test]
    fn equals_its_definition(tokens in prop::collection::vec(0..4u32, 0..40), n in 1..6usize) {
        let grams: Vec<&[u32]> = tokens.windows(n).collect();
        let before = (0..grams.len()).filter(|&at| grams[..at].contains(&grams[at])).count();
        let share = (!grams.is_empty()).then(|| before as f64 / grams.len() as f64);
        match (repeated(&tokens, n), share) {
            (Some(found), Some(share)) => prop_assert!((found - share).abs() < 1e-12),
            (found, share) => prop_assert_eq!(found, share),
        }
    }
}
