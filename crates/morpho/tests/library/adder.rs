use morpho::library::adder::{
    FullAdder, RippleAdder, brent_kung_adder, full_adder, half_adder, ripple_adder, ripple_borrows,
    ripple_subtractor,
};
use morpho::{Builder, Bus, Fits};

use crate::common::{bits, check, circuit, mask, optimised};

type Adder = fn(&mut Builder, &Bus, &Bus, &Bus) -> Fits<(Bus, Bus)>;

fn adder(width: usize, adder: Adder) -> morpho::Netlist {
    circuit(&[width, width, 1], |n, i| {
        let (sum, carry) = adder(n, &i[0], &i[1], &i[2])?;
        Ok(vec![sum, carry])
    })
}

fn sum(width: usize) -> impl Fn(&[u128]) -> Vec<u128> {
    move |i| {
        let sum = i[0] + i[1] + i[2];
        vec![sum & mask(width), sum >> width]
    }
}

#[test]
fn half_adder_counts_two_bits() {
    let circuit = circuit(&[1, 1], |n, i| half_adder(n, &i[0], &i[1]).map(|(s, c)| vec![s, c]));
    check(&circuit, |i| vec![(i[0] + i[1]) & 1, (i[0] + i[1]) >> 1]);
}

#[test]
fn full_adder_counts_three_bits() {
    check(&adder(1, full_adder), sum(1));
}

#[test]
fn ripple_adder_adds() {
    for width in 1..=64 {
        let circuit = adder(width, ripple_adder);
        check(&circuit, sum(width));
        let small = optimised(&circuit);
        assert_eq!((small.gates().count(), small.depth()), (2 * width, width));
    }
}

#[test]
fn brent_kung_adder_adds() {
    for width in 1..=64 {
        let circuit = adder(width, brent_kung_adder);
        check(&circuit, sum(width));
        let small = optimised(&circuit);
        assert!(small.gates().count() <= 4 * width, "{} gates", small.gates().count());
        if width.is_power_of_two() && width > 1 {
            assert_eq!(small.depth(), 2 * width.ilog2() as usize, "width {width}");
        }
    }
}

#[test]
fn ripple_subtractor_subtracts() {
    for width in 1..=64 {
        let circuit = adder(width, ripple_subtractor);
        check(&circuit, |i| {
            let difference = i[0] as i128 - i[1] as i128 - i[2] as i128;
            vec![bits(difference, width), u128::from(difference < 0)]
        });
    }
}

#[test]
fn ripple_borrows_gives_the_borrow_into_each_bit() {
    for width in [1, 2, 3, 7, 16, 64] {
        let circuit =
            circuit(&[width, width, 1], |n, i| Ok(vec![ripple_borrows(n, &i[0], &i[1], &i[2])?]));
        check(&circuit, |i| {
            let below = |bit: usize| i[0] & mask(bit) < (i[1] & mask(bit)) + i[2];
            vec![(0..=width).map(|bit| u128::from(below(bit)) << bit).sum()]
        });
    }
}

#[test]
fn borrows_of_no_bits_are_the_borrow_that_came_in() {
    let circuit =
        circuit(&[1], |n, i| Ok(vec![ripple_borrows(n, &Bus::void(), &Bus::void(), &i[0])?]));
    check(&circuit, |i| vec![i[0]]);
}

/// What a circuit that was refused says.
fn refusal(a: usize, b: usize, carry: usize, adder: Adder) -> String {
    let built = Builder::build("refused", |n| {
        let (a, b, carry) = (n.input("a", a), n.input("b", b), n.input("carry", carry));
        adder(n, &a, &b, &carry)?;
        Ok(())
    });
    built.expect_err("it is refused").to_string()
}

#[test]
fn unequal_widths_are_refused() {
    assert_eq!(
        refusal(4, 5, 1, ripple_adder),
        "the arguments of ripple_adder have widths 4, 5\n  in ripple_adder:4,5,1\n  \
         hint: extend the narrower ones, or cut the wider ones"
    );
    for adder in [ripple_adder, brent_kung_adder, ripple_subtractor] {
        for (a, b) in [(1, 2), (2, 1), (7, 8), (16, 0)] {
            assert!(refusal(a, b, 1, adder).contains(&format!("have widths {a}, {b}")));
        }
    }
}

#[test]
fn a_carry_of_two_wires_is_refused() {
    assert_eq!(
        refusal(4, 4, 2, ripple_adder),
        "the carry of ripple_adder has 2 wires and not one\n  in ripple_adder:4,4,2"
    );
    assert!(refusal(1, 1, 2, brent_kung_adder).contains("carry of brent_kung_adder has 2 wires"));
    assert!(refusal(3, 3, 0, ripple_subtractor).contains("borrow of ripple_borrows has 0 wires"));
}

/// Carries nothing: addition without carry.
#[morpho::cell]
fn carryless(n: &mut Builder, a: &Bus, b: &Bus, _carry: &Bus) -> Fits<(Bus, Bus)> {
    Ok((n.xor(a, b)?, Bus::zero()))
}

#[test]
fn the_full_adder_inside_can_be_substituted() {
    let circuit = circuit(&[12, 12], |n, i| {
        let result = n
            .substitute::<FullAdder, Carryless, _>(|n| ripple_adder(n, &i[0], &i[1], &Bus::zero()));
        Ok(vec![result?.0])
    });
    check(&circuit, |i| vec![i[0] ^ i[1]]);
}

/// The whole adder by recursion on the other kind.
#[morpho::cell]
fn other_adder(n: &mut Builder, a: &Bus, b: &Bus, carry: &Bus) -> Fits<(Bus, Bus)> {
    brent_kung_adder(n, a, b, carry)
}

#[test]
fn the_whole_adder_can_be_substituted() {
    let circuit = circuit(&[16, 16, 1], |n, i| {
        n.substitute::<RippleAdder, OtherAdder, _>(|n| {
            ripple_adder(n, &i[0], &i[1], &i[2]).map(|(sum, carry)| vec![sum, carry])
        })
    });
    check(&circuit, sum(16));
    assert_eq!(optimised(&circuit).depth(), 8);
}

#[test]
fn the_hierarchy_halves_the_adder() {
    let circuit = adder(5, ripple_adder);
    let counts = circuit.hierarchy().counts();
    let lines: Vec<String> =
        counts.iter().map(|c| format!("{} {:?} {}", c.cell, c.widths, c.count)).collect();
    let expected = [
        "full_adder [1, 1, 1] 5",
        "ripple_adder [2, 2, 1] 2",
        "ripple_adder [3, 3, 1] 1",
        "ripple_adder [5, 5, 1] 1",
    ];
    assert_eq!(lines, expected);
}
