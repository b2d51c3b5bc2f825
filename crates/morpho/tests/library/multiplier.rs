use morpho::library::adder::{BrentKungAdder, RippleAdder};
use morpho::library::multiplier::{wallace, wallace_signed, wallace_signed_unsigned};
use morpho::{Builder, Bus, Fits, Netlist};

use crate::common::{bits, check, circuit, optimised, signed};

type Multiplier = fn(&mut Builder, &Bus, &Bus) -> Fits<Bus>;

fn multiplier(a: usize, b: usize, multiplier: Multiplier) -> Netlist {
    circuit(&[a, b], |n, i| {
        let product = multiplier(n, &i[0], &i[1])?;
        assert_eq!(product.width(), a + b);
        Ok(vec![product])
    })
}

fn check_all(a: usize, b: usize) {
    let number = move |i: &[u128]| (signed(i[0], a), signed(i[1], b));
    check(&multiplier(a, b, wallace), |i| vec![i[0] * i[1]]);
    check(&multiplier(a, b, wallace_signed), |i| {
        let (x, y) = number(i);
        vec![bits(x * y, a + b)]
    });
    check(&multiplier(a, b, wallace_signed_unsigned), |i| {
        vec![bits(number(i).0.wrapping_mul(i[1] as i128), a + b)]
    });
}

#[test]
fn equal_widths() {
    (1..=64).for_each(|width| check_all(width, width));
}

#[test]
fn unequal_widths() {
    for (a, b) in [(1, 8), (8, 1), (2, 7), (7, 2), (3, 64), (64, 3), (16, 17), (17, 16), (31, 9)] {
        check_all(a, b);
    }
}

#[test]
fn all_small_products() {
    for a in 1..=5 {
        for b in 1..=5 {
            check_all(a, b);
        }
    }
}

#[test]
fn gates_have_at_most_four_inputs() {
    let arities = optimised(&multiplier(16, 16, wallace)).gates_by_arity();
    assert_eq!(arities[5..], [0, 0]);
}

/// The adder of the high bits is a cell like any other.
#[test]
fn the_adder_can_be_substituted() {
    let circuit = circuit(&[16, 16], |n, i| {
        let product = n.substitute::<BrentKungAdder, RippleAdder, _>(|n| wallace(n, &i[0], &i[1]));
        Ok(vec![product?])
    });
    check(&circuit, |i| vec![i[0] * i[1]]);
    let cells: Vec<&str> = circuit.hierarchy().counts().iter().map(|count| count.cell).collect();
    assert!(cells.contains(&"ripple_adder") && !cells.contains(&"brent_kung_adder"), "{cells:?}");
    let (rippling, fast) = (optimised(&circuit), optimised(&multiplier(16, 16, wallace)));
    assert!(rippling.gates().count() < fast.gates().count());
    assert!(rippling.depth() > fast.depth());
}

/// Low bits that nothing reads leave only the carries out of them.
#[test]
fn unread_low_bits_cost_less() {
    let high =
        circuit(&[16, 17], |n, i| Ok(vec![wallace_signed_unsigned(n, &i[0], &i[1])?.skip(16)]));
    check(&high, |i| vec![bits((signed(i[0], 16) * i[1] as i128) >> 16, 17)]);
    let whole = optimised(&multiplier(16, 17, wallace_signed_unsigned)).gates().count();
    assert!(optimised(&high).gates().count() < whole - 10);
}
