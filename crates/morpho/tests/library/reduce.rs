use morpho::library::reduce::{any, any_differs};

use crate::common::{check_on, circuit, mask, optimised, vectors};

/// One bit alone, and all but one, on top of the usual vectors.
fn with_single_bits(width: usize) -> Vec<Vec<u128>> {
    let single = (0..width).flat_map(|bit| [vec![1 << bit], vec![mask(width) ^ 1 << bit]]);
    vectors(&[width]).into_iter().chain(single).collect()
}

#[test]
fn any_wire() {
    for width in 1..=64 {
        let circuit = circuit(&[width], |n, i| Ok(vec![any(n, &i[0])?]));
        check_on(&circuit, &with_single_bits(width), |i| vec![u128::from(i[0] != 0)]);
        assert_eq!(optimised(&circuit).gates().count(), (width - 1).div_ceil(3));
    }
}

#[test]
fn wires_that_differ() {
    for width in 1..=64 {
        let circuit = circuit(&[width], |n, i| Ok(vec![any_differs(n, &i[0])?]));
        let differ = |i: &[u128]| vec![u128::from(i[0] != 0 && i[0] != mask(width))];
        check_on(&circuit, &with_single_bits(width), differ);
    }
}
