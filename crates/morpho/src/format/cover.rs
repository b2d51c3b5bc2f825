//! Small two-level minimisation: a truth table as a sum of products.

use crate::lut::Lut;

/// A product of arguments and complements of arguments; argument `j` in bit `j`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cube {
    /// The arguments that the product reads.
    pub care: u8,
    /// The values that it wants of them; a subset of `care`.
    pub value: u8,
}

impl Cube {
    const EVERYTHING: Cube = Cube { care: 0, value: 0 };

    fn and(self, input: usize, value: bool) -> Cube {
        Cube { care: self.care | 1 << input, value: self.value | (value as u8) << input }
    }

    /// The value wanted of argument `input`, if it is read.
    pub fn literal(self, input: usize) -> Option<bool> {
        (self.care >> input & 1 == 1).then_some(self.value >> input & 1 == 1)
    }

    fn rank(self, input: usize) -> u8 {
        match self.literal(input) {
            Some(true) => 0,
            Some(false) => 1,
            None => 2,
        }
    }
}

/// The table of `lut` as one of six arguments, the added ones ignored.
pub(super) fn widen(lut: Lut) -> u64 {
    let rows = 1 << lut.arity();
    (lut.arity()..Lut::MAX_ARITY)
        .fold((lut.table(), rows), |(table, rows), _| (table | table << rows, rows * 2))
        .0
}

/// The six-argument tables of the function with argument `input` fixed at 0 and at 1.
pub(super) fn cofactors(table: u64, input: usize) -> (u64, u64) {
    let shift = 1 << input;
    let low = rows_with_zero(input);
    let (zero, one) = (table & low, table >> shift & low);
    (zero | zero << shift, one | one << shift)
}

/// The rows in which argument `input` is 0.
fn rows_with_zero(input: usize) -> u64 {
    u64::MAX / ((1 << (1 << input)) + 1)
}

/// Products whose sum is the six-argument `table`: each one is prime and none can be left out.
/// Sorted, so that arguments come before complements and low arguments before high ones.
///
/// Source: S. Minato, "Fast generation of irredundant sum-of-products forms from binary decision
/// diagrams", 1992, on truth tables instead of diagrams.
pub(super) fn cover(table: u64) -> Vec<Cube> {
    let mut cubes = Vec::new();
    cover_between(table, table, Lut::MAX_ARITY, Cube::EVERYTHING, &mut cubes);
    cubes.sort_by_key(|cube| std::array::from_fn::<_, 6, _>(|input| cube.rank(input)));
    cubes
}

/// Adds products within `cube` that cover every row of `lower` and none outside `upper`, tables
/// that depend on arguments below `inputs` only; gives the rows covered.
fn cover_between(lower: u64, upper: u64, inputs: usize, cube: Cube, cubes: &mut Vec<Cube>) -> u64 {
    if lower == 0 {
        return 0;
    }
    if upper == u64::MAX {
        cubes.push(cube);
        return u64::MAX;
    }
    let input = inputs - 1;
    let ((lower0, lower1), (upper0, upper1)) = (cofactors(lower, input), cofactors(upper, input));
    // Rows that only a product with this argument can cover, on either side; then the rest.
    let covered1 = cover_between(lower1 & !upper0, upper1, input, cube.and(input, true), cubes);
    let covered0 = cover_between(lower0 & !upper1, upper0, input, cube.and(input, false), cubes);
    let rest = lower0 & !covered0 | lower1 & !covered1;
    let covered = cover_between(rest, upper0 & upper1, input, cube, cubes);
    let low = rows_with_zero(input);
    covered | covered0 & low | covered1 & !low
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table_of(cubes: &[Cube]) -> u64 {
        let holds = |cube: &Cube, row: usize| row as u8 & cube.care == cube.value;
        Lut::from_fn(6, |row| cubes.iter().any(|cube| holds(cube, row))).table()
    }

    fn check(table: u64) {
        let cubes = cover(table);
        assert_eq!(table_of(&cubes), table);
        for (index, &cube) in cubes.iter().enumerate() {
            let mut others = cubes.clone();
            others.remove(index);
            assert_ne!(table_of(&others), table, "{cube:?} can be left out");
            for input in (0..6).filter(|&input| cube.literal(input).is_some()) {
                let wider =
                    Cube { care: cube.care & !(1 << input), value: cube.value & !(1 << input) };
                assert_ne!(table_of(&[wider]) & !table, 0, "{cube:?} is not prime");
            }
        }
    }

    #[test]
    fn covers_of_small_tables_are_exact_prime_and_irredundant() {
        for arity in 0..=3 {
            (0..1 << (1 << arity)).for_each(|table| check(widen(Lut::new(arity, table))));
        }
    }

    #[test]
    fn covers_of_common_functions_are_minimal() {
        let sizes =
            [(Lut::AND, 1), (Lut::OR, 2), (Lut::XOR3, 4), (Lut::MAJORITY, 3), (Lut::MUX, 2)];
        for (lut, size) in sizes {
            assert_eq!(cover(widen(lut)).len(), size, "{lut:?}");
        }
    }

    proptest! {
        #[test]
        fn covers_are_exact_prime_and_irredundant(table: u64, arity in 4usize..=6) {
            check(widen(Lut::new(arity, table)));
        }
    }
}
