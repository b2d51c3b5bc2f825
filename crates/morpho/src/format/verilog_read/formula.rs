//! Expressions as they are written.
//!
//! They are read by operator precedence with a stack of their own, so that nesting costs no stack
//! of the program. Operands stand before what is made of them.

use super::number::{self, Digit};
use super::syntax::{Parsed, Reported};
use super::{Reader, Signal};
use crate::diagnostic::Diagnostic;
use crate::format::source::{Net, Position};
use crate::format::verilog_read::lexer::Token;

/// An expression.
#[derive(Default)]
pub(super) struct Formula {
    pub nodes: Vec<Node>,
    /// The operands of all nodes.
    pub children: Vec<u32>,
    /// The digits of all constants.
    pub digits: Vec<Digit>,
    operands: Vec<u32>,
    pending: Vec<Pending>,
}

/// A part of an expression.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub operator: Operator,
    /// Its operands: where they begin among the children, and their number.
    pub children: (u32, u32),
    pub position: Position,
}

/// What a part of an expression makes of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    /// A number, by the place of its digits.
    Constant {
        start: u32,
        width: u32,
        signed: bool,
        sized: bool,
    },
    /// Nets that follow one another.
    Nets {
        first: Net,
        width: u32,
        signed: bool,
    },
    Not,
    Bitwise(Bitwise),
    /// All the bits of the operand under one operator, perhaps complemented.
    Reduce(Bitwise, bool),
    Equal(bool),
    ShiftLeft,
    ShiftRight,
    /// `select ? one : zero`.
    Choose,
    Concatenate,
    Repeat(u64),
    /// `&&` and `||`.
    Logical(Bitwise),
    /// An operator that has been refused.
    Refused,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bitwise {
    And,
    Or,
    Xor,
    Xnor,
}

/// What has been begun and waits for an operand.
#[derive(Clone, Copy)]
enum Pending {
    Unary(Operator, Position),
    Binary(Operator, u8, Position),
    /// `?` before its colon.
    Question(Position),
    /// `? :`.
    Choice(Position),
    Parenthesis(Position),
    /// A brace, with the number of operands before it.
    Brace(usize, Position),
    /// The inner brace of `{3{a}}`.
    Repeat(u64, usize, Position),
}

impl Pending {
    fn precedence(&self) -> Option<u8> {
        match self {
            Pending::Unary(..) => Some(u8::MAX),
            Pending::Binary(_, precedence, _) => Some(*precedence),
            Pending::Choice(_) => Some(0),
            _ => None,
        }
    }
}

/// A binary operator and how strongly it binds.
fn binary(symbol: &str) -> Option<(u8, Operator)> {
    Some(match symbol {
        "**" => (12, Operator::Refused),
        "*" | "/" | "%" => (11, Operator::Refused),
        "+" | "-" => (10, Operator::Refused),
        "<<" | "<<<" => (9, Operator::ShiftLeft),
        ">>" => (9, Operator::ShiftRight),
        ">>>" => (9, Operator::Refused),
        "<" | "<=" | ">" | ">=" => (8, Operator::Refused),
        "==" => (7, Operator::Equal(true)),
        "!=" => (7, Operator::Equal(false)),
        "===" | "!==" => (7, Operator::Refused),
        "&" => (6, Operator::Bitwise(Bitwise::And)),
        "^" => (5, Operator::Bitwise(Bitwise::Xor)),
        "~^" | "^~" => (5, Operator::Bitwise(Bitwise::Xnor)),
        "|" => (4, Operator::Bitwise(Bitwise::Or)),
        "&&" => (3, Operator::Logical(Bitwise::And)),
        "||" => (2, Operator::Logical(Bitwise::Or)),
        _ => return None,
    })
}

fn unary(symbol: &str) -> Option<Operator> {
    Some(match symbol {
        "~" => Operator::Not,
        "!" | "~|" => Operator::Reduce(Bitwise::Or, true),
        "&" => Operator::Reduce(Bitwise::And, false),
        "~&" => Operator::Reduce(Bitwise::And, true),
        "|" => Operator::Reduce(Bitwise::Or, false),
        "^" => Operator::Reduce(Bitwise::Xor, false),
        "~^" | "^~" => Operator::Reduce(Bitwise::Xor, true),
        "+" | "-" | "++" | "--" => Operator::Refused,
        _ => return None,
    })
}

impl Formula {
    fn clear(&mut self) {
        self.nodes.clear();
        self.children.clear();
        self.digits.clear();
        self.operands.clear();
        self.pending.clear();
    }

    /// The operands of a node.
    pub fn children(&self, node: usize) -> &[u32] {
        let (start, count) = self.nodes[node].children;
        &self.children[start as usize..][..count as usize]
    }

    fn leaf(&mut self, operator: Operator, position: Position) {
        self.node(operator, 0, position);
    }

    /// Puts an operator over the last `count` operands.
    fn node(&mut self, operator: Operator, count: usize, position: Position) {
        let start = self.children.len() as u32;
        let from = self.operands.len() - count;
        self.children.extend(self.operands.drain(from..));
        self.operands.push(self.nodes.len() as u32);
        self.nodes.push(Node { operator, children: (start, count as u32), position });
    }

    /// Makes the nodes of operators that bind at least so strongly.
    fn reduce(&mut self, precedence: u8) {
        while let Some(pending) = self.pending.last().copied() {
            if pending.precedence().is_none_or(|binds| binds < precedence) {
                break;
            }
            self.pending.pop();
            match pending {
                Pending::Unary(operator, position) => self.node(operator, 1, position),
                Pending::Binary(operator, _, position) => self.node(operator, 2, position),
                Pending::Choice(position) => self.node(Operator::Choose, 3, position),
                _ => unreachable!("it has no precedence"),
            }
        }
    }

    /// The number that is the last operand, if that alone stands in a brace.
    fn count(&self) -> Option<u32> {
        let Some(Pending::Brace(before, _)) = self.pending.last() else { return None };
        let &last = self.operands.last()?;
        let constant = matches!(self.nodes[last as usize].operator, Operator::Constant { .. });
        (constant && self.operands.len() == before + 1).then_some(last)
    }
}

impl<'a> Reader<'a, '_, '_> {
    /// An expression, up to what cannot be part of one.
    pub fn formula(&mut self) -> Parsed<Formula> {
        self.formula_until("")
    }

    /// An expression that ends before `stop`, though that may be an operator.
    pub fn formula_until(&mut self, stop: &str) -> Parsed<Formula> {
        let mut formula = std::mem::take(&mut self.spare);
        formula.clear();
        loop {
            self.operand(&mut formula)?;
            if !self.operators(&mut formula, stop)? {
                return Ok(formula);
            }
        }
    }

    /// What stands before an operand, and the operand.
    fn operand(&mut self, formula: &mut Formula) -> Parsed<()> {
        loop {
            let position = self.position;
            match self.token {
                Token::Symbol("(") => formula.pending.push(Pending::Parenthesis(position)),
                Token::Symbol("{") => {
                    formula.pending.push(Pending::Brace(formula.operands.len(), position));
                }
                Token::Symbol(symbol) => match unary(symbol) {
                    Some(operator) => {
                        self.check_operator(operator, symbol);
                        formula.pending.push(Pending::Unary(operator, position));
                    }
                    None => return Err(self.expected("an operand")),
                },
                Token::Number(text) => {
                    let number = number::parse(text).map_err(|text| self.error(position, text))?;
                    self.advance();
                    let (start, width) = (formula.digits.len() as u32, number.digits.len() as u32);
                    formula.digits.extend(&number.digits);
                    let (signed, sized) = (number.signed, number.sized);
                    formula.leaf(Operator::Constant { start, width, signed, sized }, position);
                    return Ok(());
                }
                Token::Name(_) | Token::Escaped(_) => {
                    let (first, width, signed) = self.selected()?;
                    formula.leaf(Operator::Nets { first, width, signed }, position);
                    return Ok(());
                }
                Token::System(_) => {
                    let what = format!("the function {}", self.token.describe());
                    return Err(self.refuse(position, &what, SYNTHESISE));
                }
                _ => return Err(self.expected("an operand")),
            }
            self.advance();
        }
    }

    /// What stands behind an operand; false if the expression ends there.
    fn operators(&mut self, formula: &mut Formula, stop: &str) -> Parsed<bool> {
        loop {
            let position = self.position;
            let Token::Symbol(symbol) = self.token else { return self.end(formula) };
            if symbol == stop
                && formula.pending.iter().all(|pending| pending.precedence().is_some())
            {
                return self.end(formula);
            }
            if let Some((precedence, operator)) = binary(symbol) {
                self.check_operator(operator, symbol);
                formula.reduce(precedence);
                formula.pending.push(Pending::Binary(operator, precedence, position));
                self.advance();
                return Ok(true);
            }
            let closed = match symbol {
                "?" => {
                    formula.reduce(1);
                    formula.pending.push(Pending::Question(position));
                    self.advance();
                    return Ok(true);
                }
                "{" => {
                    let Some(count) = formula.count() else { return self.end(formula) };
                    let count = self.repetitions(formula, count)?;
                    formula.operands.pop();
                    formula.pending.push(Pending::Repeat(count, formula.operands.len(), position));
                    self.advance();
                    return Ok(true);
                }
                ":" | "," | ")" | "}" => {
                    formula.reduce(0);
                    formula.pending.last().copied()
                }
                _ => return self.end(formula),
            };
            match (symbol, closed) {
                (":", Some(Pending::Question(position))) => {
                    formula.pending.pop();
                    formula.pending.push(Pending::Choice(position));
                    self.advance();
                    return Ok(true);
                }
                (",", Some(Pending::Brace(..) | Pending::Repeat(..))) => {
                    self.advance();
                    return Ok(true);
                }
                (")", Some(Pending::Parenthesis(_))) => _ = formula.pending.pop(),
                ("}", Some(Pending::Brace(before, position))) => {
                    formula.pending.pop();
                    let count = formula.operands.len() - before;
                    formula.node(Operator::Concatenate, count, position);
                }
                ("}", Some(Pending::Repeat(times, before, position))) => {
                    formula.pending.pop();
                    let count = formula.operands.len() - before;
                    formula.node(Operator::Concatenate, count, position);
                    formula.node(Operator::Repeat(times), 1, position);
                }
                _ => return self.end(formula),
            }
            self.advance();
        }
    }

    fn end(&mut self, formula: &mut Formula) -> Parsed<bool> {
        formula.reduce(0);
        let (missing, opened) = match formula.pending.last() {
            None => return Ok(false),
            Some(Pending::Question(position)) => ("`:`", position),
            Some(Pending::Brace(_, position) | Pending::Repeat(_, _, position)) => {
                ("`}`", position)
            }
            Some(Pending::Parenthesis(position)) => ("`)`", position),
            Some(_) => unreachable!("it has been reduced"),
        };
        let (line, column) = (opened.line, opened.column);
        let found = self.token.describe();
        let text = format!("{missing} expected, but {found} is there");
        let hint = format!("it was opened at line {line}, column {column}");
        self.problems.error(self.position, Diagnostic::new(text).hint(hint));
        Err(Reported)
    }

    fn repetitions(&mut self, formula: &Formula, node: u32) -> Parsed<u64> {
        let Node { operator, position, .. } = formula.nodes[node as usize];
        let Operator::Constant { start, width, .. } = operator else {
            unreachable!("it is a constant")
        };
        let digits = formula.digits[start as usize..][..width as usize].to_vec();
        let number = number::Number { digits, signed: false, sized: true };
        match number.value() {
            Some(count) if count > 0 => Ok(count),
            _ => Err(self.error(position, "a repetition has a count of at least 1")),
        }
    }

    fn check_operator(&mut self, operator: Operator, symbol: &str) {
        if operator == Operator::Refused {
            self.refuse(self.position, &format!("the operator `{symbol}`"), SYNTHESISE);
        }
    }

    /// A name with the bits that are selected of it: the lowest net, the width and the sign.
    fn selected(&mut self) -> Parsed<(Net, u32, bool)> {
        let position = self.position;
        let name = self.name()?;
        if self.is("(") || self.is(".") {
            let what =
                if self.is("(") { "call of the function" } else { "hierarchical name below" };
            let what = format!("a {what} `{}`", String::from_utf8_lossy(name));
            return Err(self.refuse(position, &what, SYNTHESISE));
        }
        if !self.is("[") {
            let signal = self.signal(name, position);
            return Ok((signal.first, signal.width, signal.signed));
        }
        let Some(&signal) = self.body.signals.get(name) else {
            let text = format!("`{}` is not declared", String::from_utf8_lossy(name));
            return Err(self.error(position, text));
        };
        self.advance();
        let place = self.position;
        let left = self.index()?;
        let (left, right) = if self.eats(":") {
            (left, self.index()?)
        } else if self.is("+:") || self.is("-:") {
            let up = self.is("+:");
            self.advance();
            let width = self.index()?;
            if width < 1 {
                return Err(self.error(place, "a part of a vector has at least one bit"));
            }
            let other = left.saturating_add(if up { width - 1 } else { 1 - width });
            let (high, low) = (left.max(other), left.min(other));
            if signal.left >= signal.right { (high, low) } else { (low, high) }
        } else {
            (left, left)
        };
        self.expect("]")?;
        self.refuse_second_index()?;
        self.part(name, signal, left, right, place)
    }

    fn refuse_second_index(&mut self) -> Parsed<()> {
        match self.is("[") {
            true => Err(self.refuse(self.position, "a word of an array", ARRAYS)),
            false => Ok(()),
        }
    }

    fn part(
        &mut self,
        name: &[u8],
        signal: Signal,
        left: i64,
        right: i64,
        position: Position,
    ) -> Parsed<(Net, u32, bool)> {
        let name = String::from_utf8_lossy(name);
        if !signal.vector {
            return Err(self.error(position, format!("`{name}` is one bit, so none is selected")));
        }
        let (Some(high), Some(low)) = (signal.offset(left), signal.offset(right)) else {
            let text = format!("`{name}` has the bits [{}:{}]", signal.left, signal.right);
            return Err(self.error(position, text));
        };
        if high < low {
            let text =
                format!("`{name}` is declared the other way, [{}:{}]", signal.left, signal.right);
            return Err(self.error(position, text));
        }
        Ok((Net(signal.first.0 + low), high - low + 1, false))
    }

    /// The number of a bit.
    pub fn index(&mut self) -> Parsed<i64> {
        let position = self.position;
        let negative = self.eats("-");
        let value = match self.token {
            Token::Number(text) => {
                let number = number::parse(text).map_err(|text| self.error(position, text))?;
                let value = number.value().and_then(|value| i64::try_from(value).ok());
                if value.is_none() && !number.digits.contains(&number::Digit::Unknown) {
                    let text = String::from_utf8_lossy(text);
                    let problem = format!("the index {text} is too large");
                    return Err(self.error(position, problem));
                }
                value
            }
            _ => None,
        };
        self.advance();
        let ends = ["]", ":", "+:", "-:"].iter().any(|symbol| self.is(symbol));
        match value {
            Some(value) if ends => Ok(if negative { -value } else { value }),
            Some(_) if !matches!(self.token, Token::Symbol(_)) => Err(self.expected("`:` or `]`")),
            _ => Err(self.refuse(position, "an index that is no number", INDICES)),
        }
    }
}

pub(super) const SYNTHESISE: &str =
    "netlists of gates are read; synthesise it first, say with `yosys -p synth`";
const INDICES: &str = "the bits are chosen by numbers; where a signal chooses, write `s ? x : y`";
pub(super) const ARRAYS: &str = "memories are not read; synthesise them to registers";
pub(super) const ONE_BY_ONE: &str = "write them one by one";
