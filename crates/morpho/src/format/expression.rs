//! Truth tables as readable formulas.

use super::cover::{Cube, cofactors, cover, widen};
use crate::lut::Lut;

/// A sum of more products than this is written as a choice instead.
const LONGEST_SUM: usize = 3;

/// A formula over the arguments of a look-up table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expression {
    Constant(bool),
    Literal {
        input: usize,
        positive: bool,
    },
    /// At least two operands, none of them another of the same operator.
    Chain(Operator, Vec<Expression>),
    /// `select ? one : zero`.
    Choice {
        select: usize,
        one: Box<Expression>,
        zero: Box<Expression>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    And,
    Or,
    Xor,
}

/// A piece of a printed formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Text(&'static str),
    /// The name of the wire at this argument.
    Input(usize),
}

impl Expression {
    /// A formula for `lut`.
    pub fn new(lut: Lut) -> Expression {
        Expression::of_table(widen(lut))
    }

    /// Takes off arguments that stand beside the rest of the formula, one at a time; what is left
    /// is a sum of few products, or a choice by one argument.
    fn of_table(table: u64) -> Expression {
        use Operator::{And, Or, Xor};
        if table == 0 || table == u64::MAX {
            return Expression::Constant(table != 0);
        }
        for input in 0..Lut::MAX_ARITY {
            let literal = |positive| Expression::Literal { input, positive };
            match cofactors(table, input) {
                (zero, one) if zero == one => (),
                (0, u64::MAX) => return literal(true),
                (u64::MAX, 0) => return literal(false),
                (0, one) => return chain(And, literal(true), one),
                (zero, 0) => return chain(And, literal(false), zero),
                (u64::MAX, one) => return chain(Or, literal(false), one),
                (zero, u64::MAX) => return chain(Or, literal(true), zero),
                (zero, one) if zero == !one => return chain(Xor, literal(true), zero),
                _ => (),
            }
        }
        let cubes = cover(table);
        match choice_of_literals(table) {
            Some(choice) => choice,
            None if cubes.len() <= LONGEST_SUM => sum(&cubes),
            None => choice_by(table, best_select(table)),
        }
    }

    /// The formula in Verilog's notation.
    pub fn tokens(&self) -> Vec<Token> {
        let mut tokens = Vec::new();
        self.print(&mut tokens);
        tokens
    }

    fn print(&self, tokens: &mut Vec<Token>) {
        match self {
            Expression::Constant(value) => {
                tokens.push(Token::Text(if *value { "1'b1" } else { "1'b0" }));
            }
            Expression::Literal { input, positive } => {
                tokens.extend((!positive).then_some(Token::Text("~")));
                tokens.push(Token::Input(*input));
            }
            Expression::Chain(operator, operands) => {
                for (index, operand) in operands.iter().enumerate() {
                    tokens.extend((index > 0).then_some(Token::Text(operator.infix())));
                    // Only a sum of products goes without parentheses.
                    let product = matches!(operand, Expression::Chain(Operator::And, _));
                    operand.print_operand(product && *operator == Operator::Or, tokens);
                }
            }
            Expression::Choice { select, one, zero } => {
                tokens.extend([Token::Input(*select), Token::Text(" ? ")]);
                one.print_operand(false, tokens);
                tokens.push(Token::Text(" : "));
                zero.print_operand(false, tokens);
            }
        }
    }

    fn print_operand(&self, bare: bool, tokens: &mut Vec<Token>) {
        if bare || matches!(self, Expression::Constant(_) | Expression::Literal { .. }) {
            return self.print(tokens);
        }
        tokens.push(Token::Text("("));
        self.print(tokens);
        tokens.push(Token::Text(")"));
    }
}

impl Operator {
    fn infix(self) -> &'static str {
        match self {
            Operator::And => " & ",
            Operator::Or => " | ",
            Operator::Xor => " ^ ",
        }
    }
}

/// `first` and the formula of `rest` under one operator.
fn chain(operator: Operator, first: Expression, rest: u64) -> Expression {
    let mut operands = vec![first];
    match Expression::of_table(rest) {
        Expression::Chain(same, others) if same == operator => operands.extend(others),
        other => operands.push(other),
    }
    Expression::Chain(operator, operands)
}

fn sum(cubes: &[Cube]) -> Expression {
    let product = |cube: &Cube| {
        let literal = |input| Some(Expression::Literal { input, positive: cube.literal(input)? });
        let mut literals: Vec<Expression> = (0..Lut::MAX_ARITY).filter_map(literal).collect();
        match literals.len() {
            1 => literals.remove(0),
            _ => Expression::Chain(Operator::And, literals),
        }
    };
    Expression::Chain(Operator::Or, cubes.iter().map(product).collect())
}

/// `select ? one : zero` with a single argument on either side, if `table` is that.
fn choice_of_literals(table: u64) -> Option<Expression> {
    let is_literal = |table| (0..Lut::MAX_ARITY).any(|input| is_constant(cofactors(table, input)));
    (0..Lut::MAX_ARITY)
        .find(|&select| {
            let (zero, one) = cofactors(table, select);
            zero != one && is_literal(zero) && is_literal(one)
        })
        .map(|select| choice_by(table, select))
}

/// Whether both cofactors are constants, different ones.
fn is_constant((zero, one): (u64, u64)) -> bool {
    zero == !one && (zero == 0 || one == 0)
}

/// The argument that leaves the fewest products on its two sides.
fn best_select(table: u64) -> usize {
    let products = |select: &usize| {
        let (zero, one) = cofactors(table, *select);
        cover(zero).len() + cover(one).len()
    };
    let depends = |input: &usize| matches!(cofactors(table, *input), (zero, one) if zero != one);
    (0..Lut::MAX_ARITY).filter(depends).min_by_key(products).expect("the table is not constant")
}

fn choice_by(table: u64, select: usize) -> Expression {
    let (zero, one) = cofactors(table, select);
    let formula = |table| Box::new(Expression::of_table(table));
    Expression::Choice { select, one: formula(one), zero: formula(zero) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl Expression {
        fn evaluate(&self, row: usize) -> bool {
            match self {
                Expression::Constant(value) => *value,
                Expression::Literal { input, positive } => (row >> input & 1 == 1) == *positive,
                Expression::Chain(operator, operands) => {
                    let mut values = operands.iter().map(|operand| operand.evaluate(row));
                    match operator {
                        Operator::And => values.all(|value| value),
                        Operator::Or => values.any(|value| value),
                        Operator::Xor => values.fold(false, |parity, value| parity ^ value),
                    }
                }
                Expression::Choice { select, one, zero } => {
                    if row >> select & 1 == 1 {
                        one.evaluate(row)
                    } else {
                        zero.evaluate(row)
                    }
                }
            }
        }
    }

    fn printed(lut: Lut) -> String {
        let text = |token: &Token| match token {
            Token::Text(text) => text.to_string(),
            Token::Input(input) => ["a", "b", "c", "d", "e", "f"][*input].to_string(),
        };
        Expression::new(lut).tokens().iter().map(text).collect()
    }

    fn check(lut: Lut) {
        let formula = Expression::new(lut);
        assert_eq!(Lut::from_fn(lut.arity(), |row| formula.evaluate(row)), lut, "{formula:?}");
    }

    #[test]
    fn common_functions_read_as_in_a_textbook() {
        let bit = |row: usize, input: usize| row >> input & 1 == 1;
        let formulas = [
            (Lut::new(0, 1), "1'b1"),
            (Lut::new(2, 0), "1'b0"),
            (Lut::BUFFER, "a"),
            (Lut::NOT, "~a"),
            (Lut::AND, "a & b"),
            (Lut::AND_NOT, "a & ~b"),
            (Lut::OR_NOT, "a | ~b"),
            (Lut::NOR, "~a & ~b"),
            (Lut::XNOR, "a ^ ~b"),
            (Lut::XOR3, "a ^ b ^ c"),
            (Lut::MAJORITY, "a & b | a & c | b & c"),
            (Lut::MUX, "a ? c : b"),
            (Lut::from_fn(3, |r| (bit(r, 0) ^ bit(r, 1)) & bit(r, 2)), "c & (a ^ b)"),
            (Lut::from_fn(4, |r| bit(r, 0) & bit(r, 1) | bit(r, 2) & bit(r, 3)), "a & b | c & d"),
            (
                Lut::from_fn(4, |r| bit(r, 0) & bit(r, 1) ^ bit(r, 2) & bit(r, 3)),
                "a ? (b ^ (c & d)) : (c & d)",
            ),
        ];
        for (lut, formula) in formulas {
            assert_eq!(printed(lut), formula);
        }
    }

    #[test]
    fn formulas_of_small_tables_are_exact() {
        for arity in 0..=3 {
            (0..1 << (1 << arity)).for_each(|table| check(Lut::new(arity, table)));
        }
    }

    proptest! {
        #[test]
        fn formulas_are_exact(table: u64, arity in 4usize..=6) {
            check(Lut::new(arity, table));
        }
    }
}
