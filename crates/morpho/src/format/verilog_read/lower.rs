//! Expressions as functions of bits.
//!
//! Widths and signs go by the rules of the language: each operand tells what it is, from the
//! leaves up; then the widest of an operator's operands and of what it is assigned to widens the
//! others, from the root down (IEEE 1364-2005, 5.4 and 5.5).

use smallvec::SmallVec;

use super::Reader;
use super::formula::{Bitwise, Formula, Node, Operator, SYNTHESISE};
use super::number::{Digit, MOST_BITS};
use super::syntax::Parsed;
use crate::format::source::{Cone, Cones, MAX_INPUTS, Net, Position};
use crate::lut::Lut;

/// The bits of a value, lowest first.
pub(super) type Bits = SmallVec<[Cone; 1]>;

/// What is known of a node beside its operands.
#[derive(Clone, Copy, Default)]
pub(super) struct Shape {
    /// Its own width and sign.
    width: u32,
    signed: bool,
    /// The width that what it stands in gives it, and whether it is widened by its sign.
    context: u32,
    extends: bool,
    /// How many of its low bits are wanted.
    wanted: u32,
}

impl Bitwise {
    fn lut(self) -> Lut {
        match self {
            Bitwise::And => Lut::AND,
            Bitwise::Or => Lut::OR,
            Bitwise::Xor => Lut::XOR,
            Bitwise::Xnor => Lut::XNOR,
        }
    }
}

impl Reader<'_, '_, '_> {
    /// The value of a formula, as wide as `width` or, without one, as it is by itself.
    pub fn lower(&mut self, formula: Formula, width: Option<u32>) -> Parsed<Bits> {
        if let ([Node { operator: Operator::Nets { first, width: own, .. }, .. }], true) =
            (&formula.nodes[..], width.is_none_or(|width| width == 1))
            && (*own == 1 || width.is_none())
        {
            let bits = (0..*own).map(|bit| Cone::net(Net(first.0 + bit))).collect();
            self.spare = formula;
            return Ok(bits);
        }
        let shapes = self.shapes(&formula, width)?;
        let mut values: Vec<Bits> = Vec::with_capacity(formula.nodes.len());
        for (node, shape) in shapes.iter().enumerate() {
            let value = self.evaluate(&formula, &shapes, node, &mut values);
            let value = value.map(|bits| fitted(bits, shape))?;
            values.push(value);
        }
        self.shapes = shapes;
        self.spare = formula;
        Ok(values.pop().expect("a formula has a root"))
    }

    /// The value of a formula as a condition: whether any bit is set.
    pub fn condition(&mut self, formula: Formula, position: Position) -> Parsed<Cone> {
        let bits = self.lower(formula, None)?;
        Ok(self.fold(Bitwise::Or, &bits, position))
    }

    fn shapes(&mut self, formula: &Formula, width: Option<u32>) -> Parsed<Vec<Shape>> {
        let mut shapes = std::mem::take(&mut self.shapes);
        shapes.clear();
        let mut total = 0;
        for (at, node) in formula.nodes.iter().enumerate() {
            let (own, signed) = own_shape(node, formula.children(at), &shapes);
            if own > MOST_BITS {
                let text = format!("an expression of {own} bits; at most {MOST_BITS} are read");
                return Err(self.error(node.position, text));
            }
            shapes.push(Shape { width: own as u32, signed, ..Shape::default() });
        }
        let root = shapes.last_mut().expect("a formula has a root");
        let wanted = width.unwrap_or(root.width);
        (root.context, root.extends, root.wanted) = (root.width.max(wanted), root.signed, wanted);
        for at in (0..shapes.len()).rev() {
            give_context(formula.nodes[at].operator, at, formula.children(at), &mut shapes);
            total += u64::from(shapes[at].wanted);
        }
        self.budget = self.budget.saturating_sub(total);
        if self.budget == 0 {
            let text = "the expressions of the file have too many bits for its length";
            return Err(self.error(formula.nodes[0].position, text));
        }
        Ok(shapes)
    }

    fn evaluate(
        &mut self,
        formula: &Formula,
        shapes: &[Shape],
        node: usize,
        values: &mut [Bits],
    ) -> Parsed<Bits> {
        let (Node { operator, position, .. }, shape) = (formula.nodes[node], shapes[node]);
        let mut take =
            |operand: usize| std::mem::take(&mut values[formula.children(node)[operand] as usize]);
        Ok(match operator {
            Operator::Constant { start, width, .. } => {
                let digits = &formula.digits[start as usize..][..width as usize];
                self.constant(digits, position)
            }
            Operator::Nets { first, width, .. } => {
                (0..width.min(shape.wanted)).map(|bit| Cone::net(Net(first.0 + bit))).collect()
            }
            Operator::Not => {
                let mut cones = self.cones(position);
                take(0).iter().map(|bit| cones.apply(Lut::NOT, &[bit])).collect()
            }
            Operator::Bitwise(function) => {
                let (left, right) = (take(0), take(1));
                let mut cones = self.cones(position);
                let pairs = std::iter::zip(&left, &right);
                pairs.map(|(left, right)| cones.apply(function.lut(), &[left, right])).collect()
            }
            Operator::Reduce(function, complement) => {
                let value = self.fold(function, &take(0), position);
                one(self.complemented(value, complement, position))
            }
            Operator::Equal(equal) => {
                let (left, right) = (take(0), take(1));
                let mut cones = self.cones(position);
                let pairs = std::iter::zip(&left, &right);
                let bits: Bits =
                    pairs.map(|(left, right)| cones.apply(Lut::XNOR, &[left, right])).collect();
                let value = self.fold(Bitwise::And, &bits, position);
                one(self.complemented(value, !equal, position))
            }
            Operator::Logical(function) => {
                let left = self.fold(Bitwise::Or, &take(0), position);
                let right = self.fold(Bitwise::Or, &take(1), position);
                one(self.cones(position).apply(function.lut(), &[&left, &right]))
            }
            Operator::Choose => {
                let select = self.fold(Bitwise::Or, &take(0), position);
                let (ones, zeros) = (take(1), take(2));
                let mut cones = self.cones(position);
                let pairs = std::iter::zip(&zeros, &ones);
                pairs.map(|(zero, one)| cones.apply(Lut::MUX, &[&select, zero, one])).collect()
            }
            Operator::Concatenate => {
                let count = formula.children(node).len();
                (0..count).rev().flat_map(take).collect()
            }
            Operator::Repeat(times) => {
                let bits = take(0);
                (0..times).flat_map(|_| bits.iter().cloned()).collect()
            }
            Operator::ShiftLeft | Operator::ShiftRight => {
                let (value, amount) = (take(0), take(1));
                self.shift(operator == Operator::ShiftLeft, &value, &amount, shape, position)?
            }
            Operator::Refused => SmallVec::new(),
        })
    }

    /// Digits as bits; unknown ones are counted, and 0.
    pub fn constant(&mut self, digits: &[Digit], position: Position) -> Bits {
        if digits.contains(&Digit::Unknown) {
            self.unknown_digits.add(position);
        }
        digits.iter().map(|&digit| Cone::constant(digit == Digit::One)).collect()
    }

    fn cones(&mut self, position: Position) -> Cones<'_> {
        Cones { module: &mut self.body.module, position }
    }

    fn complemented(&mut self, value: Cone, complement: bool, position: Position) -> Cone {
        match complement {
            true => self.cones(position).apply(Lut::NOT, &[&value]),
            false => value,
        }
    }

    /// All bits under one operator.
    fn fold(&mut self, function: Bitwise, bits: &[Cone], position: Position) -> Cone {
        let lut = function.lut();
        let (first, rest) = bits.split_first().expect("a value has bits");
        let mut cones = self.cones(position);
        rest.iter().fold(first.clone(), |all, bit| cones.apply(lut, &[&all, bit]))
    }

    /// A shift by a constant, or a table of which a shift chooses rows: `8'h96 >> {c, b, a}`.
    fn shift(
        &mut self,
        left: bool,
        value: &[Cone],
        amount: &[Cone],
        shape: Shape,
        position: Position,
    ) -> Parsed<Bits> {
        let known = |bits: &[Cone]| -> Option<Vec<bool>> {
            bits.iter().map(|bit| bit.as_net()?.as_constant()).collect()
        };
        let wanted = shape.wanted as usize;
        if let Some(amount) = known(amount) {
            let set = amount.iter().enumerate().filter(|&(_, &bit)| bit);
            let far = usize::MAX / 2;
            let amount = set.fold(0, |all, (at, _)| if at < 31 { all | 1 << at } else { far });
            let bit = |at: usize| match left {
                true => at.checked_sub(amount).and_then(|from| value.get(from)),
                false => value.get(at + amount),
            };
            let zero = Cone::constant(false);
            return Ok((0..wanted).map(|at| bit(at).unwrap_or(&zero).clone()).collect());
        }
        let (Some(table), false) = (known(value), left) else {
            return Err(self.refuse(position, "a shift by a signal", SYNTHESISE));
        };
        if amount.len() > MAX_INPUTS {
            let text = format!("a table of {} inputs; at most {MAX_INPUTS} are read", amount.len());
            return Err(self.error(position, text));
        }
        let mut cones = self.cones(position);
        let row = |at: usize| table.get(at).copied().unwrap_or(false);
        Ok((0..wanted).map(|bit| cones.table(amount, |at| row(at + bit))).collect())
    }
}

fn one(cone: Cone) -> Bits {
    std::iter::once(cone).collect()
}

/// The low bits that are wanted, widened as the node is.
fn fitted(mut bits: Bits, shape: &Shape) -> Bits {
    let wanted = shape.wanted as usize;
    if bits.len() != wanted {
        let sign = bits.last().filter(|_| shape.extends).cloned();
        bits.resize(wanted, sign.unwrap_or_else(|| Cone::constant(false)));
    }
    bits
}

/// The width and the sign of a node, from those of its operands.
fn own_shape(node: &Node, children: &[u32], shapes: &[Shape]) -> (u64, bool) {
    let child = |at: usize| shapes[children[at] as usize];
    let wider = |a: Shape, b: Shape| (u64::from(a.width.max(b.width)), a.signed && b.signed);
    match node.operator {
        Operator::Constant { width, signed, .. } | Operator::Nets { width, signed, .. } => {
            (width.into(), signed)
        }
        Operator::Not => (child(0).width.into(), child(0).signed),
        Operator::Bitwise(_) => wider(child(0), child(1)),
        Operator::Choose => wider(child(1), child(2)),
        Operator::Reduce(..) | Operator::Equal(_) | Operator::Logical(_) => (1, false),
        Operator::ShiftLeft | Operator::ShiftRight => (child(0).width.into(), child(0).signed),
        Operator::Concatenate => {
            let widths = children.iter().map(|&child| u64::from(shapes[child as usize].width));
            (widths.sum(), false)
        }
        Operator::Repeat(times) => (u64::from(child(0).width).saturating_mul(times), false),
        Operator::Refused => (1, false),
    }
}

/// Tells the operands of a node, whose own context is known, what theirs is.
fn give_context(operator: Operator, node: usize, children: &[u32], shapes: &mut [Shape]) {
    let of = shapes[node];
    let alone = |shape: &mut Shape| {
        (shape.context, shape.extends, shape.wanted) = (shape.width, shape.signed, shape.width);
    };
    match operator {
        Operator::Not | Operator::Bitwise(_) | Operator::Choose => {
            let select = usize::from(operator == Operator::Choose);
            children[..select].iter().for_each(|&child| alone(&mut shapes[child as usize]));
            for &child in &children[select..] {
                let shape = &mut shapes[child as usize];
                (shape.context, shape.extends, shape.wanted) = (of.context, of.extends, of.wanted);
            }
        }
        Operator::Equal(_) => {
            let pair = [0, 1].map(|at| shapes[children[at] as usize]);
            let width = pair[0].width.max(pair[1].width);
            let signed = pair[0].signed && pair[1].signed;
            for &child in children {
                let shape = &mut shapes[child as usize];
                (shape.context, shape.extends, shape.wanted) = (width, signed, width);
            }
        }
        Operator::ShiftLeft | Operator::ShiftRight => {
            let value = &mut shapes[children[0] as usize];
            (value.context, value.extends, value.wanted) = (of.context, of.extends, of.context);
            alone(&mut shapes[children[1] as usize]);
        }
        _ => children.iter().for_each(|&child| alone(&mut shapes[child as usize])),
    }
}
