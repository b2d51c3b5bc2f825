use morpho::Builder;
use morpho::library::shifter::{left_shifter, right_shifter};

use crate::common::{Random, bits, check, check_on, circuit, mask, optimised, signed, vectors};

/// Every amount, with the corners and some random data.
fn amounts(width: usize, amount: usize) -> Vec<Vec<u128>> {
    let mut random = Random::new(width as u64);
    let data: Vec<u128> = vectors(&[width]).into_iter().map(|v| v[0]).take(12).collect();
    let data = data.into_iter().chain((0..4).map(|_| random.number(width)));
    data.flat_map(|data| {
        (0..1u128 << amount).flat_map(move |a| [vec![data, a, 0], vec![data, a, 1]])
    })
    .collect()
}

#[test]
fn right_shift() {
    for width in 1..=64 {
        for amount in [1, 2, 4, 7] {
            let circuit = circuit(&[width, amount, 1], |n, i| {
                Ok(vec![right_shifter(n, &i[0], &i[1], &i[2])?])
            });
            check_on(&circuit, &amounts(width, amount), |i| {
                let fill = if i[2] == 1 { mask(width) } else { 0 };
                let double = fill << width | i[0];
                vec![double >> i[1].min(width as u128) & mask(width)]
            });
        }
    }
}

#[test]
fn left_shift() {
    for width in 1..=64 {
        let circuit =
            circuit(&[width, 6, 1], |n, i| Ok(vec![left_shifter(n, &i[0], &i[1], &i[2])?]));
        check_on(&circuit, &amounts(width, 6), |i| {
            let amount = (i[1] as usize).min(width);
            let fill = if i[2] == 1 { mask(amount) } else { 0 };
            vec![(i[0] << amount | fill) & mask(width)]
        });
    }
}

#[test]
fn arithmetic_shift() {
    for width in [1, 2, 7, 16, 33, 64] {
        let circuit = circuit(&[width, 6], |n, i| {
            let sign = i[0].high_bit()?;
            Ok(vec![right_shifter(n, &i[0], &i[1], &sign)?])
        });
        check(&circuit, |i| vec![bits(signed(i[0], width) >> i[1], width)]);
    }
}

#[test]
fn an_amount_of_no_wires_shifts_nothing() {
    let circuit =
        circuit(&[5, 1], |n, i| Ok(vec![right_shifter(n, &i[0], &morpho::Bus::void(), &i[1])?]));
    check(&circuit, |i| vec![i[0]]);
}

/// Wires of the amount that shift everything out share their stage.
#[test]
fn excess_amount_costs_one_stage() {
    let circuit = circuit(&[8, 12, 1], |n, i| Ok(vec![right_shifter(n, &i[0], &i[1], &i[2])?]));
    assert_eq!(optimised(&circuit).gates().count(), 8 * 4 + 8);
}

#[test]
fn a_wide_fill_is_refused() {
    let built = Builder::build("refused", |n| {
        let (data, amount, fill) = (n.input("data", 8), n.input("amount", 3), n.input("fill", 2));
        right_shifter(n, &data, &amount, &fill)?;
        Ok(())
    });
    let text = built.expect_err("it is refused").to_string();
    assert!(text.starts_with("the fill of right_shifter has 2 wires and not one"), "{text}");
}
