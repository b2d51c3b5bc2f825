//! Counters add and serialise; errors merge.

use proptest::prelude::*;
use wkv::stats::{Counts, ErrorStats, Saturations, Underflows};

fn counts(seed: u64) -> Counts {
    let mut counts = Counts::default();
    counts.saturations.ww = seed;
    counts.saturations.bb = seed + 1;
    counts.inputs.w = seed + 2;
    counts.underflows.f2 = seed + 3;
    counts
}

#[test]
fn counts_add_field_by_field() {
    let sum = counts(10) + counts(100);
    assert_eq!((sum.saturations.ww, sum.saturations.bb, sum.saturations.num), (110, 112, 0));
    assert_eq!((sum.inputs.w, sum.underflows.f2), (114, 116));
    assert_eq!([counts(10), counts(100), Counts::default()].into_iter().sum::<Counts>(), sum);
}

#[test]
fn totals_and_names_cover_every_counter() {
    let saturations = Saturations { ww: 1, ww2: 2, num: 4, den: 8, out: 16, aa: 32, bb: 64 };
    assert_eq!(saturations.total(), 127);
    let names = ["ww", "ww2", "num", "den", "out", "aa", "bb"];
    assert_eq!(saturations.named().map(|(name, _)| name), names);
    assert_eq!(saturations.named().map(|(_, count)| count), [1, 2, 4, 8, 16, 32, 64]);
    assert_eq!(Underflows { e1: 1, e2: 2, f1: 4, f2: 8 }.total(), 15);
}

#[test]
fn counts_keep_their_names_in_json() {
    let json = serde_json::to_value(counts(1)).expect("plain numbers");
    assert_eq!(json["saturations"]["ww"], 1);
    assert_eq!(json["inputs"]["w"], 3);
    assert_eq!(json["underflows"]["f2"], 4);
    assert_eq!(serde_json::from_value::<Counts>(json).expect("what was written"), counts(1));
}

#[test]
fn errors_of_nothing_are_zero() {
    assert_eq!(ErrorStats::default().rms(), 0.0);
    assert_eq!(ErrorStats::between(&[], &[]), ErrorStats::default());
}

#[test]
fn errors_are_measured_against_the_reference() {
    let stats = ErrorStats::between(&[1.0, 2.0, 3.0, 4.0], &[1.0, 5.0, -1.0, 4.0]);
    assert_eq!((stats.count, stats.sum_of_squares, stats.max_abs), (4, 25.0, 4.0));
    assert_eq!(stats.rms(), 2.5);
}

#[test]
fn a_value_that_is_no_number_is_not_hidden() {
    let before = ErrorStats::between(&[1.0, 1.0], &[f32::NAN, 1.0]);
    let after = ErrorStats::between(&[1.0, 1.0], &[1.0, f32::NAN]);
    for stats in [before, after, before + after, ErrorStats::default() + before] {
        assert!(stats.rms().is_nan() && stats.max_abs.is_nan(), "{stats:?}");
    }
}

#[test]
#[should_panic(expected = "a value for every reference value")]
fn slices_of_unequal_length_are_a_mistake() {
    ErrorStats::between(&[1.0], &[]);
}

proptest! {
    #[test]
    fn errors_merge(values in prop::collection::vec((-1e3..1e3f32, -1e3..1e3f32), 0..50), at: usize) {
        let (reference, other): (Vec<f32>, Vec<f32>) = values.into_iter().unzip();
        let at = at % (reference.len() + 1);
        let whole = ErrorStats::between(&reference, &other);
        let merged = ErrorStats::between(&reference[..at], &other[..at])
            + ErrorStats::between(&reference[at..], &other[at..]);
        prop_assert_eq!((merged.count, merged.max_abs), (whole.count, whole.max_abs));
        prop_assert!((merged.rms() - whole.rms()).abs() <= 1e-12 * whole.rms());
    }
}
