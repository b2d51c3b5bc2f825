//! Operators: claims that some wires are an arithmetic function of others.
//!
//! An operator is an annotation. The gates that compute it stay in the circuit, and simulation and
//! proof look at nothing else; an exporter may write `a + b` in their place, which a synthesiser maps
//! to the carry chains of an FPGA. Passes carry the claims along as they replace wires, and
//! [`prove::operators`](mod@crate::prove::operators) checks them.

use std::fmt;

use crate::hierarchy::Instance;
use crate::netlist::Wire;

/// What an operator computes of its operands. Numbers are unsigned unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// `a`, `b`: \[N\], `carry`: \[1\] -> `a + b + carry`, \[N + 1\].
    Add,
    /// `a`, `b`: \[N\], `borrow`: \[1\] -> `a - b - borrow` modulo `2^N`, \[N\]; then whether it is
    /// negative, \[1\].
    Subtract,
    /// `a`, `b`: \[N\] -> `a < b`, \[1\].
    Less,
    /// `a`, `b`: \[N\] -> `a = b`, \[1\].
    Equal,
    /// `a`: \[M\], `b`: \[N\] -> `a b`, \[M + N\].
    Multiply {
        /// Whether `a` is in two's complement.
        a_signed: bool,
        /// Whether `b` is in two's complement.
        b_signed: bool,
    },
}

impl Function {
    /// The width of the result for operands of these widths; `None` if they do not fit.
    pub fn result_width(self, operands: &[usize]) -> Option<usize> {
        match (self, operands) {
            (Function::Add | Function::Subtract, &[a, b, 1]) if a == b => Some(a + 1),
            (Function::Less | Function::Equal, &[a, b]) if a == b => Some(1),
            (Function::Multiply { .. }, &[a, b]) => Some(a + b),
            _ => None,
        }
    }

    /// Whether the low `k` bits of the result need only the low `k` bits of `a` and `b`.
    fn is_from_low_to_high(self) -> bool {
        matches!(self, Function::Add | Function::Subtract)
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Function::Add => "add",
            Function::Subtract => "subtract",
            Function::Less => "less",
            Function::Equal => "equal",
            Function::Multiply { .. } => "multiply",
        })
    }
}

/// A wire, or its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Literal {
    /// The wire.
    pub wire: Wire,
    /// Whether its complement is meant.
    pub complemented: bool,
}

impl From<Wire> for Literal {
    fn from(wire: Wire) -> Literal {
        Literal { wire, complemented: false }
    }
}

/// The claim that in every step of the circuit the result wires are a function of the operand wires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operator {
    pub(crate) function: Function,
    pub(crate) operands: Vec<Vec<Literal>>,
    pub(crate) result: Vec<Option<Literal>>,
    pub(crate) origin: Instance,
}

impl Operator {
    /// The function.
    pub fn function(&self) -> Function {
        self.function
    }

    /// The operands, low bits first.
    pub fn operands(&self) -> &[Vec<Literal>] {
        &self.operands
    }

    /// The result, low bit first; `None` for a bit that the circuit does not have any more.
    pub fn result(&self) -> &[Option<Literal>] {
        &self.result
    }

    /// The cell instance that claimed it.
    pub fn origin(&self) -> Instance {
        self.origin
    }

    /// Rewrites every literal.
    pub(crate) fn map(&mut self, rewrite: impl Fn(Literal) -> Literal) {
        let operands = self.operands.iter_mut().flatten();
        operands.chain(self.result.iter_mut().flatten()).for_each(|bit| *bit = rewrite(*bit));
    }

    /// Makes do with the wires that are `kept`: forgets bits of the result, and with them operand
    /// bits that only they need. Whether anything is left to claim.
    pub(crate) fn restrict(&mut self, kept: impl Fn(Wire) -> bool) -> bool {
        for bit in &mut self.result {
            *bit = bit.filter(|literal| kept(literal.wire));
        }
        if self.function.is_from_low_to_high() {
            let (summands, rest) = self.operands.split_at_mut(2);
            let gone = |bits: &Vec<Literal>| bits.iter().position(|bit| !kept(bit.wire));
            if let Some(width) = summands.iter().filter_map(gone).min() {
                summands.iter_mut().for_each(|bits| bits.truncate(width));
                self.result.truncate(width);
                self.result.push(None);
            }
            if !rest.iter().flatten().all(|bit| kept(bit.wire)) {
                return false;
            }
        }
        let whole = self.operands.iter().flatten().all(|bit| kept(bit.wire));
        whole && self.result.iter().any(Option::is_some)
    }
}
