use morpho::Builder;
use morpho::library::saturate::{clamp, clamp_unsigned, saturating_adder};

use crate::common::{bits, check, circuit, mask, signed};

fn rails(width: usize) -> (i128, i128) {
    (-(1 << (width - 1)), (1 << (width - 1)) - 1)
}

#[test]
fn saturating_addition() {
    for width in 1..=64 {
        let circuit = circuit(&[width; 2], |n, i| {
            let (sum, overflow) = saturating_adder(n, &i[0], &i[1])?;
            Ok(vec![sum, overflow])
        });
        let (lowest, highest) = rails(width);
        check(&circuit, |i| {
            let sum = signed(i[0], width) + signed(i[1], width);
            let clamped = sum.clamp(lowest, highest);
            vec![bits(clamped, width), u128::from(clamped != sum)]
        });
    }
}

#[test]
fn clamping() {
    for value in 1..=64usize {
        for width in [1, 2, value / 2 + 1, (value - 1).max(1), value, value + 3] {
            let circuit = circuit(&[value], |n, i| Ok(vec![clamp(n, &i[0], width)?]));
            let (lowest, highest) = rails(width);
            check(&circuit, |i| vec![bits(signed(i[0], value).clamp(lowest, highest), width)]);
        }
    }
}

#[test]
fn unsigned_clamping() {
    for value in 1..=64 {
        for width in [1, value / 2 + 1, value, value + 3] {
            let circuit = circuit(&[value], |n, i| Ok(vec![clamp_unsigned(n, &i[0], width)?]));
            check(&circuit, |i| vec![i[0].min(mask(width))]);
        }
    }
}

#[test]
fn a_number_of_no_bits_is_refused() {
    let built = Builder::build("refused", |n| {
        let value = n.input("value", 4);
        clamp(n, &value, 0)?;
        Ok(())
    });
    let text = built.expect_err("it is refused").to_string();
    assert!(text.starts_with("a number in two's complement cannot be clamped to 0 bits"), "{text}");
}
