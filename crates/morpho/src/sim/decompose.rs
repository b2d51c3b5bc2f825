//! Look-up tables of any arity as operations of three inputs.

use crate::lut::Lut;

/// A value inside the decomposition of one gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// Input `j` of the gate.
    Input(usize),
    /// The result of step `i`.
    Step(usize),
}

/// One operation: the table of three inputs, row `a + 2 b + 4 c`, and what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub table: u8,
    pub inputs: [Value; 3],
}

/// The steps that compute `lut`; the last one gives its value.
///
/// Up to three inputs take one step, four take two where the function allows it, else three.
pub(super) fn decompose(lut: Lut) -> Vec<Step> {
    let mut steps = Vec::new();
    let inputs: Vec<Value> = (0..lut.arity()).map(Value::Input).collect();
    append(lut, &inputs, &mut steps);
    steps
}

/// Appends the steps of `lut` applied to `inputs`. Recursion is bounded by the arity.
fn append(lut: Lut, inputs: &[Value], steps: &mut Vec<Step>) -> Value {
    if lut.arity() <= 3 {
        return append_small(lut, inputs, steps);
    }
    if let Some(split) = Split::of_four(lut) {
        let inner = append_part(split.inner, &split.inner_inputs, inputs, steps);
        let outer: Vec<Value> = split.outer_inputs.iter().map(|&input| inputs[input]).collect();
        return append_small(split.outer, &[&[inner], &outer[..]].concat(), steps);
    }
    let last = lut.arity() - 1;
    let zero = append(lut.cofactor(last, false), &inputs[..last], steps);
    let one = append(lut.cofactor(last, true), &inputs[..last], steps);
    append_small(Lut::MUX, &[inputs[last], zero, one], steps)
}

fn append_small(lut: Lut, inputs: &[Value], steps: &mut Vec<Step>) -> Value {
    // An input that the function ignores repeats another one, or is constant 0 of a constant.
    let first = inputs.first().copied().unwrap_or(Value::Input(0));
    let input = |j: usize| inputs.get(j).copied().unwrap_or(first);
    let rows = 1 << lut.arity();
    let table = (0..8).fold(0, |table, row| table | (lut.row(row % rows) as u8) << row);
    steps.push(Step { table, inputs: [input(0), input(1), input(2)] });
    Value::Step(steps.len() - 1)
}

/// The steps of `lut` applied to those of `inputs` that `chosen` lists.
fn append_part(lut: Lut, chosen: &[usize], inputs: &[Value], steps: &mut Vec<Step>) -> Value {
    let chosen: Vec<Value> = chosen.iter().map(|&input| inputs[input]).collect();
    append_small(lut, &chosen, steps)
}

/// A function of four inputs as `outer(inner(some of them), the others)`; one input may enter both.
struct Split {
    inner: Lut,
    inner_inputs: Vec<usize>,
    outer: Lut,
    outer_inputs: Vec<usize>,
}

impl Split {
    /// Such a form of a function of four inputs, if it has one. An inner function of two inputs is
    /// preferred: it is more often the same as that of another gate.
    fn of_four(lut: Lut) -> Option<Split> {
        if lut.arity() != 4 {
            return None;
        }
        let without = |left_out: &[usize]| -> Vec<usize> {
            (0..4).filter(|input| !left_out.contains(input)).collect()
        };
        let pairs = (0..4).flat_map(|a| (a + 1..4).map(move |b| vec![a, b]));
        let disjoint = pairs.map(|pair| (without(&pair), pair));
        let others = |fourth: usize| (0..4).filter(move |&shared| shared != fourth);
        let fourths = (0..4).flat_map(|fourth| others(fourth).map(move |shared| [fourth, shared]));
        let sharing = fourths.map(|outer| (outer.to_vec(), without(&outer[..1])));
        disjoint.chain(sharing).find_map(|(outer, inner)| Split::with(lut, inner, outer))
    }

    /// The form in which these inputs enter the inner and the outer function.
    ///
    /// With the shared inputs fixed, the rows of the inner ones must fall into at most two classes
    /// by how the output depends on the outer ones; the inner function names the class.
    fn with(lut: Lut, inner_inputs: Vec<usize>, outer_inputs: Vec<usize>) -> Option<Split> {
        let spread = |row: usize, inputs: &[usize]| -> usize {
            inputs.iter().enumerate().map(|(bit, input)| (row >> bit & 1) << input).sum()
        };
        let mask = |inputs: &[usize]| spread(usize::MAX, inputs);
        let shared = mask(&inner_inputs) & mask(&outer_inputs);
        let outer_rows = 0..1usize << outer_inputs.len();
        // The output for each outer row that agrees with the inner one on the shared inputs.
        let behaviour = |inner_row: usize| -> u8 {
            let inner = spread(inner_row, &inner_inputs);
            let output = |outer_row: usize| {
                let outer = spread(outer_row, &outer_inputs);
                (inner ^ outer) & shared == 0 && lut.row(inner | outer)
            };
            outer_rows.clone().map(|row| (output(row) as u8) << row).sum()
        };
        let mut classes = [[None; 2]; 16];
        let mut inner = 0u64;
        for row in 0..1usize << inner_inputs.len() {
            let [first, second] = &mut classes[spread(row, &inner_inputs) & shared];
            let found = behaviour(row);
            if *first.get_or_insert(found) != found {
                if *second.get_or_insert(found) != found {
                    return None;
                }
                inner |= 1 << row;
            }
        }
        let outer = Lut::from_fn(1 + outer_inputs.len(), |row| {
            let (class, row) = (row & 1, row >> 1);
            let [first, second] = classes[spread(row, &outer_inputs) & shared];
            let behaviour = if class == 1 { second.or(first) } else { first };
            behaviour.is_some_and(|behaviour| behaviour >> row & 1 == 1)
        });
        let inner = Lut::new(inner_inputs.len(), inner);
        Some(Split { inner, inner_inputs, outer, outer_inputs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluate(steps: &[Step], row: usize) -> bool {
        let mut results: Vec<bool> = Vec::new();
        for step in steps {
            let value = |value: Value| match value {
                Value::Input(input) => row >> input & 1 == 1,
                Value::Step(step) => results[step],
            };
            let [a, b, c] = step.inputs.map(|input| value(input) as u8);
            results.push(step.table >> (a + 2 * b + 4 * c) & 1 == 1);
        }
        *results.last().expect("at least one step")
    }

    fn check(lut: Lut) -> usize {
        let steps = decompose(lut);
        for row in 0..1 << lut.arity() {
            assert_eq!(evaluate(&steps, row), lut.row(row), "{lut:?} row {row}");
        }
        steps.len()
    }

    #[test]
    fn every_function_of_up_to_four_inputs() {
        for arity in 1..=3 {
            for table in 0..1u64 << (1 << arity) {
                assert_eq!(check(Lut::new(arity, table)), 1);
            }
        }
        for table in 0..1u64 << 16 {
            assert!(check(Lut::new(4, table)) <= 3);
        }
    }

    #[test]
    fn functions_of_five_and_six_inputs() {
        for seed in 1..2000u64 {
            let table = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            check(Lut::new(5, table));
            check(Lut::new(6, table));
        }
    }

    #[test]
    fn both_outputs_of_an_adder_of_a_product_share_their_first_step() {
        let product = |row: usize| row & row >> 1 & 1;
        let sum = Lut::from_fn(4, |row| (product(row) + (row >> 2 & 1) + (row >> 3)) & 1 == 1);
        let carry = Lut::from_fn(4, |row| product(row) + (row >> 2 & 1) + (row >> 3) >= 2);
        let (sum, carry) = (decompose(sum), decompose(carry));
        assert_eq!((sum.len(), carry.len()), (2, 2));
        assert_eq!(sum[0], carry[0]);
    }

    #[test]
    fn the_remainder_bit_of_a_divider_row_takes_two_steps() {
        let remainder = Lut::from_fn(4, |row| {
            let (r, d, borrow, quotient) = (row & 1, row >> 1 & 1, row >> 2 & 1, row >> 3 & 1);
            if quotient == 1 { r ^ d ^ borrow == 1 } else { r == 1 }
        });
        assert_eq!(check(remainder), 2);
    }
}
