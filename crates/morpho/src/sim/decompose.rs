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
    if lut.arity() == 4
        && let Some(split) = Split::find(lut)
    {
        let inner = append_small(split.inner, &split.inner_inputs.map(|i| inputs[i]), steps);
        let outer = [inner, inputs[split.outer_inputs[0]], inputs[split.outer_inputs[1]]];
        return append_small(split.outer, &outer, steps);
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

/// A function of four inputs as `outer(inner(three of them), the fourth, one of the three)`.
struct Split {
    inner: Lut,
    inner_inputs: [usize; 3],
    outer: Lut,
    outer_inputs: [usize; 2],
}

impl Split {
    /// Such a form of `lut`, if it has one.
    fn find(lut: Lut) -> Option<Split> {
        (0..4).find_map(|fourth| {
            let others: Vec<usize> = (0..4).filter(|&input| input != fourth).collect();
            others.iter().find_map(|&shared| Split::with(lut, fourth, shared, &others))
        })
    }

    /// The form in which `fourth` enters only the outer function and `shared` enters both.
    ///
    /// With `shared` fixed, the rows of the other two inputs must fall into at most two classes
    /// by how the output depends on `fourth`; the inner function names the class.
    fn with(lut: Lut, fourth: usize, shared: usize, others: &[usize]) -> Option<Split> {
        let position = others.iter().position(|&input| input == shared)?;
        let behaviour = |inner_row: usize| {
            let row: usize = (0..3).map(|j| (inner_row >> j & 1) << others[j]).sum();
            (lut.row(row), lut.row(row | 1 << fourth))
        };
        let mut inner = 0u64;
        let mut classes = [[(false, false); 2]; 2];
        for (value, classes) in classes.iter_mut().enumerate() {
            let rows = (0..8).filter(|row| row >> position & 1 == value);
            let first = behaviour(value << position);
            *classes = [first, first];
            for row in rows {
                if behaviour(row) != first {
                    if classes[1] != first && classes[1] != behaviour(row) {
                        return None;
                    }
                    classes[1] = behaviour(row);
                    inner |= 1 << row;
                }
            }
        }
        let outer = Lut::from_fn(3, |row| {
            let (zero, one) = classes[row >> 2 & 1][row & 1];
            if row >> 1 & 1 == 1 { one } else { zero }
        });
        Some(Split {
            inner: Lut::new(3, inner),
            inner_inputs: [others[0], others[1], others[2]],
            outer,
            outer_inputs: [fourth, shared],
        })
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
    fn the_remainder_bit_of_a_divider_row_takes_two_steps() {
        let remainder = Lut::from_fn(4, |row| {
            let (r, d, borrow, quotient) = (row & 1, row >> 1 & 1, row >> 2 & 1, row >> 3 & 1);
            if quotient == 1 { r ^ d ^ borrow == 1 } else { r == 1 }
        });
        assert_eq!(check(remainder), 2);
    }
}
