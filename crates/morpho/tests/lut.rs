//! Truth tables.

use morpho::Lut;
use proptest::prelude::*;

fn luts() -> impl Strategy<Value = Lut> {
    (1..=Lut::MAX_ARITY, any::<u64>()).prop_map(|(arity, table)| Lut::new(arity, table))
}

/// `row` with bit `at` set to `value`.
fn with_bit(row: usize, at: usize, value: bool) -> usize {
    row & !(1 << at) | (value as usize) << at
}

/// `row` with a bit put in at `at`.
fn insert(row: usize, at: usize, value: bool) -> usize {
    let low = row & ((1 << at) - 1);
    (row - low) << 1 | (value as usize) << at | low
}

proptest! {
    #[test]
    fn complements(lut in luts(), input in 0..Lut::MAX_ARITY) {
        let input = input % lut.arity();
        for row in 0..1 << lut.arity() {
            prop_assert_eq!(lut.complement().row(row), !lut.row(row));
            prop_assert_eq!(lut.complement_input(input).row(row), lut.row(row ^ 1 << input));
        }
        prop_assert_eq!(lut.complement().complement(), lut);
    }

    #[test]
    fn cofactors(lut in luts(), input in 0..Lut::MAX_ARITY, value: bool) {
        let input = input % lut.arity();
        let cofactor = lut.cofactor(input, value);
        prop_assert_eq!(cofactor.arity(), lut.arity() - 1);
        for row in 0..1 << cofactor.arity() {
            prop_assert_eq!(cofactor.row(row), lut.row(insert(row, input, value)));
        }
        let depends = lut.cofactor(input, false) != lut.cofactor(input, true);
        prop_assert_eq!(lut.depends_on(input), depends);
    }

    #[test]
    fn identified_and_swapped_inputs(lut in luts(), a in 0..Lut::MAX_ARITY, b in 0..Lut::MAX_ARITY) {
        let (a, b) = (a % lut.arity(), b % lut.arity());
        let swapped = lut.swap(a, b);
        for row in 0..1usize << lut.arity() {
            let (at_a, at_b) = (row >> a & 1 == 1, row >> b & 1 == 1);
            prop_assert_eq!(swapped.row(with_bit(with_bit(row, a, at_b), b, at_a)), lut.row(row));
        }
        if a != b {
            let same = lut.identify(a, b);
            for row in 0..1usize << same.arity() {
                let value = row >> (if a > b { a - 1 } else { a }) & 1 == 1;
                prop_assert_eq!(same.row(row), lut.row(insert(row, b, value)));
            }
        }
    }

    #[test]
    fn evaluation_of_64_rows_at_once(lut in luts(), arguments: [u64; 6]) {
        let result = lut.evaluate(&arguments[..lut.arity()]);
        for lane in 0..64 {
            let row = (0..lut.arity()).map(|j| (arguments[j] >> lane & 1) << j).sum::<u64>();
            prop_assert_eq!(result >> lane & 1 == 1, lut.row(row as usize));
        }
    }
}

#[test]
fn bits_past_the_last_row_are_dropped() {
    assert_eq!(Lut::new(1, u64::MAX), Lut::new(1, 0b11));
    assert_eq!(Lut::new(2, u64::MAX).constant(), Some(true));
    assert_eq!(Lut::new(6, u64::MAX).constant(), Some(true));
    assert_eq!(Lut::new(3, 0).constant(), Some(false));
    assert_eq!(Lut::XOR.constant(), None);
}

#[test]
fn the_named_tables() {
    let of = |arity, function: fn(usize) -> bool| Lut::from_fn(arity, function);
    assert_eq!(Lut::BUFFER, of(1, |row| row == 1));
    assert_eq!(Lut::NOT, of(1, |row| row == 0));
    assert_eq!(Lut::AND, of(2, |row| row == 3));
    assert_eq!(Lut::OR, of(2, |row| row != 0));
    assert_eq!(Lut::XOR, of(2, |row| row.count_ones() == 1));
    assert_eq!(Lut::XNOR, of(2, |row| row.count_ones() != 1));
    assert_eq!(Lut::NOR, of(2, |row| row == 0));
    assert_eq!(Lut::AND_NOT, of(2, |row| row == 1));
    assert_eq!(Lut::OR_NOT, of(2, |row| row != 2));
    assert_eq!(Lut::XOR3, of(3, |row| row.count_ones() % 2 == 1));
    assert_eq!(Lut::MAJORITY, of(3, |row| row.count_ones() >= 2));
    let mux = |row: usize| if row & 1 == 1 { row >> 2 & 1 == 1 } else { row >> 1 & 1 == 1 };
    assert_eq!(Lut::MUX, Lut::from_fn(3, mux));
}

#[test]
fn a_table_prints_as_arity_and_digits() {
    assert_eq!(format!("{:?}", Lut::MAJORITY), "Lut(3, 0xe8)");
    assert_eq!(format!("{:?}", Lut::NOT), "Lut(1, 0x1)");
}
