use morpho::library::compare::{equal, less_than, less_than_signed, maximum_and_distance};

use crate::common::{bits, check, circuit, optimised, signed};

#[test]
fn unsigned_comparison() {
    for width in 1..=64 {
        let circuit = circuit(&[width; 2], |n, i| Ok(vec![less_than(n, &i[0], &i[1])?]));
        check(&circuit, |i| vec![u128::from(i[0] < i[1])]);
        assert_eq!(optimised(&circuit).gates().count(), width);
    }
}

#[test]
fn signed_comparison() {
    for width in 1..=64 {
        let circuit = circuit(&[width; 2], |n, i| Ok(vec![less_than_signed(n, &i[0], &i[1])?]));
        check(&circuit, |i| vec![u128::from(signed(i[0], width) < signed(i[1], width))]);
        assert_eq!(optimised(&circuit).gates().count(), width);
    }
}

#[test]
fn equality() {
    for width in 1..=64 {
        let circuit = circuit(&[width; 2], |n, i| Ok(vec![equal(n, &i[0], &i[1])?]));
        check(&circuit, |i| vec![u128::from(i[0] == i[1])]);
    }
}

/// At width 4 all pairs are tried; a single differing bit at any place is what random pairs miss.
#[test]
fn equality_sees_each_bit() {
    let circuit = circuit(&[64; 2], |n, i| Ok(vec![equal(n, &i[0], &i[1])?]));
    let vectors: Vec<Vec<u128>> =
        (0..64).map(|bit| vec![0x0123_4567_89AB_CDEF, 0x0123_4567_89AB_CDEF ^ 1 << bit]).collect();
    crate::common::check_on(&circuit, &vectors, |_| vec![0]);
}

#[test]
fn maximum_and_its_distance() {
    for width in 1..=64 {
        let circuit = circuit(&[width; 2], |n, i| {
            let (maximum, distance, less) = maximum_and_distance(n, &i[0], &i[1])?;
            Ok(vec![maximum, distance, less])
        });
        check(&circuit, |i| {
            let (a, b) = (signed(i[0], width), signed(i[1], width));
            vec![bits(a.max(b), width), a.abs_diff(b), u128::from(a < b)]
        });
    }
}
