use morpho::Builder;
use morpho::library::divider::{any_above, divider, restoring_rows, serial_divider};

use crate::common::{Random, Values, check, check_clocked, circuit, mask};

/// A divider of 0 fits each row, so the quotient is all ones and the remainder keeps the low bits.
fn divide(dividend: u128, divisor: u128, n: usize, m: usize) -> Vec<u128> {
    match divisor {
        0 => vec![mask(n), dividend & mask(m)],
        _ => vec![dividend / divisor, dividend % divisor],
    }
}

fn check_divider(n: usize, m: usize) {
    let circuit = circuit(&[n, m], |builder, i| {
        let (quotient, remainder) = divider(builder, &i[0], &i[1])?;
        assert_eq!((quotient.width(), remainder.width()), (n, m));
        Ok(vec![quotient, remainder])
    });
    check(&circuit, |i| divide(i[0], i[1], n, m));
}

#[test]
fn equal_widths() {
    (1..=64).for_each(|width| check_divider(width, width));
}

#[test]
fn wide_by_narrow_and_narrow_by_wide() {
    for (n, m) in [(1, 9), (9, 1), (3, 5), (5, 3), (16, 8), (24, 16), (13, 64), (64, 13), (64, 1)] {
        check_divider(n, m);
    }
}

#[test]
fn all_small_divisions() {
    for n in 1..=6 {
        for m in 1..=6 {
            check_divider(n, m);
        }
    }
}

#[test]
fn rows_continue_from_a_remainder() {
    let circuit = circuit(&[6, 8, 5], |n, i| {
        let above = any_above(n, &i[1])?;
        let (quotient, remainder) = restoring_rows(n, &i[0], &i[1], &above, &i[2])?;
        Ok(vec![quotient, remainder])
    });
    let mut random = Random::new(1);
    let mut vector = || {
        let divisor = 1 + random.number(8) % 255;
        vec![random.number(6), divisor, random.number(5) % divisor]
    };
    let vectors: Vec<Vec<u128>> = (0..500).map(|_| vector()).collect();
    crate::common::check_on(&circuit, &vectors, |i| {
        let dividend = i[2] << 6 | i[0];
        vec![dividend / i[1], dividend % i[1]]
    });
}

#[test]
fn a_remainder_wider_than_the_divisor_is_refused() {
    let built = Builder::build("refused", |n| {
        let (digits, divisor, remainder) = (n.input("a", 3), n.input("b", 4), n.input("r", 5));
        let above = any_above(n, &divisor)?;
        restoring_rows(n, &digits, &divisor, &above, &remainder)?;
        Ok(())
    });
    let text = built.expect_err("it is refused").to_string();
    assert!(text.starts_with("a remainder of 5 bits is not below a divisor of 4"), "{text}");
}

/// Digits come highest first, one a clock; each lane divides its own number.
#[test]
fn serial_division() {
    for width in 1..=64 {
        const STEPS: usize = 70;
        let circuit = circuit(&[1, width], |n, i| {
            let (quotient, remainder) = serial_divider(n, &i[0], &i[1])?;
            Ok(vec![quotient, remainder])
        });
        let mut random = Random::new(width as u64);
        let dividends: Vec<u128> = (0..40).map(|_| random.number(STEPS)).collect();
        let mut divisors: Vec<u128> = (0..40).map(|_| random.number(width)).collect();
        divisors[..3].copy_from_slice(&[0, 1, mask(width)]);
        let mut remainders = vec![0; dividends.len()];
        let (mut steps, mut expected): (Vec<Values>, Vec<Values>) = (vec![], vec![]);
        for step in 0..STEPS {
            let digits: Vec<u128> =
                dividends.iter().map(|dividend| dividend >> (STEPS - 1 - step) & 1).collect();
            let mut quotients = Vec::new();
            for (lane, remainder) in remainders.iter_mut().enumerate() {
                let shifted = *remainder << 1 | digits[lane];
                let fits = shifted >= divisors[lane];
                quotients.push(u128::from(fits));
                *remainder = (shifted - if fits { divisors[lane] } else { 0 }) & mask(width);
            }
            steps.push(vec![digits, divisors.clone()]);
            expected.push(vec![quotients, remainders.clone()]);
        }
        check_clocked(&circuit, &steps, &expected);
    }
}

/// The quotient digits of a whole division, read as a number.
#[test]
fn serial_division_gives_the_quotient() {
    let circuit = circuit(&[1, 8], |n, i| Ok(vec![serial_divider(n, &i[0], &i[1])?.0]));
    let (dividend, divisor) = (54_321u128, 37u128);
    let steps: Vec<Values> =
        (0..16).rev().map(|bit| vec![vec![dividend >> bit & 1], vec![divisor]]).collect();
    let outputs = crate::common::clocked(&circuit, &steps).expect("no loops");
    let quotient = outputs.iter().fold(0, |quotient, step| quotient << 1 | step[0][0]);
    assert_eq!(quotient, dividend / divisor);
}
