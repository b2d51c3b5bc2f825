//! Reciprocals: how far they fall short, that the remainder corrects it, and the circuit's.

use std::ops::ControlFlow;

use wkv::WkvSpec;
use wkv::circuit::Unit;
use wkv::fixed::newton::{Newton, RECIPROCAL_BITS, Reciprocal};
use wkv::verify::{Effort, verify};

/// The largest denominator.
const GREATEST: u32 = 32768;

/// Numerators up to `2^15` whose quotient by `divisor` is below `2^15`.
fn numerators(divisor: u32, fraction_bits: u32) -> std::ops::RangeInclusive<u32> {
    0..=(((divisor << 15) - 1) >> fraction_bits).min(32768)
}

#[test]
fn a_reciprocal_falls_short_by_less_than_a_quotient_can_tell() {
    let newton = Newton::default();
    let mut most = 0;
    for divisor in 1..65536u32 {
        let Reciprocal { mantissa, place } = newton.reciprocal(divisor);
        assert_eq!(place, divisor.ilog2());
        let one = 1u64 << (16 + RECIPROCAL_BITS);
        let product = u64::from(mantissa) * u64::from(divisor << (15 - place));
        assert!(product < one, "1 / {divisor} is not below");
        most = most.max(one - product);
    }
    // In units of 2^-33; less than 2^-15 is asked for.
    assert!(most < 1 << 18, "{most}");
    assert_eq!(most, MOST);
}

/// The greatest relative shortfall, in units of `2^-33`.
const MOST: u64 = 192_065;

#[test]
fn the_remainder_makes_every_quotient_right() {
    let newton = Newton::default();
    for fraction_bits in [2, 8, 14] {
        let divisors = (0..16).flat_map(|bit| [0, 1, 77].map(|offset| (1 << bit) + offset));
        for divisor in divisors.filter(|divisor| (1..=GREATEST).contains(divisor)) {
            for numerator in numerators(divisor, fraction_bits) {
                let right = (numerator << fraction_bits) / divisor;
                assert_eq!(newton.quotient(numerator, divisor, fraction_bits), right);
                let estimate = newton.estimate(numerator, divisor, fraction_bits);
                assert!(estimate == right || estimate + 1 == right, "{numerator} / {divisor}");
            }
        }
    }
}

/// By fraction bits: the quotients below `2^15` that there are, and how many are one too small before
/// the correction. None is further off.
const EVERY: [(u32, [u64; 2]); 3] = [
    (6, [1_072_742_336, 2_812_293]),
    (8, [1_069_596_416, 6_751_717]),
    (10, [1_057_012_736, 17_253_311]),
];

/// Run with `cargo test --release -p wkv --test fixed_newton -- --ignored --nocapture`: every
/// numerator and denominator, a few seconds a format.
#[test]
#[ignore = "billions of quotients"]
fn every_quotient() {
    use rayon::prelude::*;
    let newton = Newton::default();
    for (fraction_bits, expected) in EVERY {
        let of_divisor = |divisor| {
            let mut counts = [0u64; 2];
            for numerator in numerators(divisor, fraction_bits) {
                let right = (numerator << fraction_bits) / divisor;
                let estimate = newton.estimate(numerator, divisor, fraction_bits);
                assert_eq!(newton.quotient(numerator, divisor, fraction_bits), right);
                counts[0] += 1;
                counts[1] += u64::from(right - estimate);
                assert!(right - estimate <= 1);
            }
            counts
        };
        let add = |[a, b]: [u64; 2], [c, d]: [u64; 2]| [a + c, b + d];
        let counts = (1..=GREATEST).into_par_iter().map(of_divisor).reduce(|| [0; 2], add);
        println!("{fraction_bits} fraction bits: {counts:?}");
        assert_eq!(counts, expected);
    }
}

#[test]
fn its_circuits_agree() {
    let go_on = |_, _| ControlFlow::Continue(());
    for text in ["classic:q8.8:div=newton", "classic:q14.2:div=newton", "classic:q2.14:div=newton"]
    {
        let spec: WkvSpec = text.parse().expect("a spec");
        for unit in [Unit::Divider, Unit::Reciprocal] {
            let check = verify(&spec, unit, Effort::Vectors, &go_on).expect("not broken off");
            assert_eq!(check.first_mismatch, None, "{text} {unit}");
        }
    }
}
