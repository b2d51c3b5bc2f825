use morpho::library::negate::{
    absolute, conditional_negate, conditional_negate_from, increment, negate,
};

use crate::common::{bits, check, circuit, mask, signed};

#[test]
fn negation() {
    for width in 1..=64 {
        let circuit = circuit(&[width], |n, i| Ok(vec![negate(n, &i[0])?]));
        check(&circuit, |i| vec![bits(-signed(i[0], width), width)]);
    }
}

#[test]
fn absolute_value() {
    for width in 1..=64 {
        let circuit = circuit(&[width], |n, i| Ok(vec![absolute(n, &i[0])?]));
        check(&circuit, |i| vec![signed(i[0], width).unsigned_abs()]);
    }
}

#[test]
fn conditional_negation() {
    for width in 1..=64 {
        let circuit = circuit(&[width, 1], |n, i| Ok(vec![conditional_negate(n, &i[0], &i[1])?]));
        check(&circuit, |i| {
            let number = signed(i[0], width);
            vec![bits(if i[1] == 1 { -number } else { number }, width)]
        });
    }
}

#[test]
fn negation_after_a_set_bit_complements() {
    for width in [1, 2, 3, 8, 17, 64] {
        let circuit = circuit(&[width, 1, 1], |n, i| {
            Ok(vec![conditional_negate_from(n, &i[0], &i[1], &i[2])?])
        });
        check(&circuit, |i| {
            let number = signed(i[0], width);
            let negative = if i[2] == 1 { !number } else { -number };
            vec![bits(if i[1] == 1 { negative } else { number }, width)]
        });
    }
}

#[test]
fn counting_up() {
    for width in 1..=64 {
        let circuit = circuit(&[width, 1], |n, i| {
            let (sum, carry) = increment(n, &i[0], &i[1])?;
            Ok(vec![sum, carry])
        });
        check(&circuit, |i| vec![(i[0] + i[1]) & mask(width), (i[0] + i[1]) >> width]);
    }
}

/// The carry goes all the way only if every lower bit is set.
#[test]
fn counting_up_carries_over_each_length() {
    let circuit = circuit(&[64, 1], |n, i| {
        let (sum, carry) = increment(n, &i[0], &i[1])?;
        Ok(vec![sum, carry])
    });
    let vectors: Vec<Vec<u128>> = (0..=64).map(|ones| vec![mask(ones), 1]).collect();
    crate::common::check_on(&circuit, &vectors, |i| vec![(i[0] + 1) & mask(64), (i[0] + 1) >> 64]);
}
