use morpho::library::carry_save::{carry_save_3_2, carry_save_4_2};

use crate::common::{Random, check_on, circuit, mask, vectors};

#[test]
fn three_numbers_become_two() {
    for width in 1..=64 {
        let circuit = circuit(&[width; 3], |n, i| {
            let (sum, carry) = carry_save_3_2(n, &i[0], &i[1], &i[2])?;
            Ok(vec![sum, carry])
        });
        check_on(&circuit, &vectors(&[width; 3]), |i| {
            let sum = i[0] ^ i[1] ^ i[2];
            vec![sum, (i[0] + i[1] + i[2] - sum) / 2]
        });
        assert_eq!((circuit.gates().count(), circuit.depth()), (2 * width, 1));
    }
}

/// Only the sum of the two numbers is fixed, so the circuit adds them up.
#[test]
fn four_numbers_become_two() {
    for width in 1..=60 {
        let circuit = circuit(&[width; 4], |n, i| {
            let (sum, carry) = carry_save_4_2(n, &i[0], &i[1], &i[2], &i[3])?;
            assert_eq!((sum.width(), carry.width()), (width + 1, width));
            let twice = morpho::bus::cat([&morpho::Bus::zero(), &carry]).zero_extend(width + 2);
            let zero = morpho::Bus::zero();
            let sum = sum.zero_extend(width + 2);
            Ok(vec![morpho::library::adder::ripple_adder(n, &sum, &twice, &zero)?.0])
        });
        let mut random = Random::new(width as u64);
        let mut vectors: Vec<Vec<u128>> =
            (0..100).map(|_| (0..4).map(|_| random.number(width)).collect()).collect();
        vectors.push(vec![mask(width); 4]);
        check_on(&circuit, &vectors, |i| vec![i.iter().sum()]);
    }
}

#[test]
fn four_to_two_takes_two_levels() {
    let circuit = circuit(&[16; 4], |n, i| {
        let (sum, carry) = carry_save_4_2(n, &i[0], &i[1], &i[2], &i[3])?;
        Ok(vec![sum, carry])
    });
    assert_eq!((circuit.gates().count(), circuit.depth()), (64, 2));
}
