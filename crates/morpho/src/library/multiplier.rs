//! Multipliers after Wallace: the products of all pairs of bits, summed column by column.
//!
//! Column `k` holds the products `a[i] b[j]` with `i + j = k` and the carries of column `k - 1`.
//! Full and half adders take its terms, earliest first, until few are left; the carries go on to the
//! next column. Two things keep the circuit small:
//!
//! - A product needs no gate of its own where an adder reads it: the sum and the carry of
//!   `a b + x + y` are two gates of four inputs. Each adder takes one product this way while there
//!   are any.
//! - The low columns are summed down to one bit: their carry ripples while the columns above are
//!   still being compressed. Those are left with two bits each, which a carry-lookahead adder adds.
//!
//! A sign bit counts negative, and so do its products with the unsigned bits of the other factor.
//! Baugh and Wooley (1973): `-p 2^k` is `(1 - p) 2^k - 2^k`, so such products are complemented, and
//! the constants add up to two or three ones.

use super::adder::brent_kung_adder;
use crate::bus::cat;
use crate::netlist::Wire;
use crate::operator::Function;
use crate::{Builder, Bus, Fits, Lut, cell};

/// Unsigned multiplication: `a`: \[M\], `b`: \[N\] -> `a b`, \[M + N\]. About `2.3 M N` gates; depth
/// 11 for 8 x 8, 16 for 16 x 16.
#[cell]
pub fn wallace(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<Bus> {
    let (a, b) = (Factor::unsigned(a), Factor::unsigned(b));
    multiply(n, &a, &b)
}

/// Multiplication in two's complement: `a`: \[M\], `b`: \[N\] -> `a b`, \[M + N\]. As [`wallace`].
#[cell]
pub fn wallace_signed(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<Bus> {
    let (a, b) = (Factor::signed(a), Factor::signed(b));
    multiply(n, &a, &b)
}

/// A number in two's complement times an unsigned one: `a`: \[M\], `b`: \[N\] -> `a b`, two's
/// complement, \[M + N\]. As [`wallace`].
#[cell]
pub fn wallace_signed_unsigned(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<Bus> {
    let (a, b) = (Factor::signed(a), Factor::unsigned(b));
    multiply(n, &a, &b)
}

/// A factor of a product.
struct Factor<'b> {
    bits: &'b [Wire],
    signed: bool,
}

impl Factor<'_> {
    fn unsigned(bus: &Bus) -> Factor<'_> {
        Factor { bits: bus.wires(), signed: false }
    }

    fn signed(bus: &Bus) -> Factor<'_> {
        Factor { bits: bus.wires(), signed: true }
    }

    /// Whether bit `index` counts negative.
    fn negative(&self, index: usize) -> bool {
        self.signed && index + 1 == self.bits.len()
    }
}

fn multiply(n: &mut Builder, a: &Factor, b: &Factor) -> Fits<Bus> {
    let mut columns = products(a, b);
    let rippling = rippling_columns(a.bits.len().min(b.bits.len())).min(columns.len() - 1);
    let (mut product, mut carry) = (Bus::void(), Bus::zero());
    for weight in 0..rippling {
        let mut carries = columns[weight].compress(n, 1)?;
        if weight + 1 == rippling {
            carries.sort_by_key(|carry| carry.level);
            carry = carries.pop().map_or(Bus::zero(), |carry| carry.bus());
        }
        columns[weight + 1].terms.extend(carries);
        product = cat([product, columns[weight].row(n, 0)?]);
    }
    let (mut x, mut y) = (Bus::void(), Bus::void());
    for weight in rippling..columns.len() {
        let carries = columns[weight].compress(n, 2)?;
        x = cat([x, columns[weight].row(n, 0)?]);
        y = cat([y, columns[weight].row(n, 1)?]);
        if let Some(next) = columns.get_mut(weight + 1) {
            next.terms.extend(carries);
        }
    }
    let (high, _) = brent_kung_adder(n, &x, &y, &carry)?;
    let product = cat([product, high]);
    let (a_signed, b_signed) = (a.signed, b.signed);
    let (a, b) = (Bus::from(a.bits), Bus::from(b.bits));
    n.claim(Function::Multiply { a_signed, b_signed }, &[&a, &b], &[&product])?;
    Ok(product)
}

/// How many low columns are summed down to one bit when the narrower factor has `width` bits:
/// `4 log2(width) - 3`, about the level at which the carry lookahead of the others is ready.
fn rippling_columns(width: usize) -> usize {
    (width.max(4) as u128).pow(4).ilog2() as usize - 3
}

/// The columns of `a b`, lowest first.
fn products(a: &Factor, b: &Factor) -> Vec<Column> {
    let mut columns = vec![Column::default(); a.bits.len() + b.bits.len()];
    for (i, &a_bit) in a.bits.iter().enumerate() {
        for (j, &b_bit) in b.bits.iter().enumerate() {
            let negative = a.negative(i) != b.negative(j);
            columns[i + j].terms.push(Term::product(a_bit, b_bit, negative));
        }
    }
    if a.signed || b.signed {
        let width = columns.len();
        let factors = [a, b].into_iter().filter(|factor| factor.signed);
        for weight in factors.map(|factor| factor.bits.len() - 1).chain([width - 1]) {
            columns[weight].terms.push(Term::bit(Wire::ONE, 0));
        }
    }
    columns
}

/// A bit to be added: a wire, or a product of two that has no gate yet.
#[derive(Clone, Copy)]
struct Term {
    /// The bit as a function of `inputs`: itself, their conjunction or its complement.
    lut: Lut,
    inputs: [Wire; 2],
    /// How many gates after the factors the inputs are known.
    level: u32,
}

impl Term {
    fn bit(wire: Wire, level: u32) -> Term {
        Term { lut: Lut::BUFFER, inputs: [wire; 2], level }
    }

    fn product(a: Wire, b: Wire, complemented: bool) -> Term {
        let lut = if complemented { Lut::AND.complement() } else { Lut::AND };
        Term { lut, inputs: [a, b], level: 0 }
    }

    fn is_product(&self) -> bool {
        self.lut != Lut::BUFFER
    }

    fn bus(&self) -> Bus {
        Bus::from(self.inputs[0])
    }

    /// One gate that applies `lut` to terms, products included.
    fn gate(n: &mut Builder, lut: Lut, terms: &[Term]) -> Fits<Term> {
        let inputs: Vec<Bus> = terms
            .iter()
            .flat_map(|term| term.inputs[..term.lut.arity()].iter().map(|&wire| wire.into()))
            .collect();
        let merged = Lut::from_fn(inputs.len(), |mut row| {
            let mut values = 0;
            for (index, term) in terms.iter().enumerate() {
                let arity = term.lut.arity();
                values |= (term.lut.row(row & ((1 << arity) - 1)) as usize) << index;
                row >>= arity;
            }
            lut.row(values)
        });
        let output = n.lut(merged, &inputs.iter().collect::<Vec<_>>())?;
        let level = terms.iter().map(|term| term.level).max().unwrap_or(0);
        Ok(Term::bit(output.wires()[0], level + 1))
    }

    /// The term as a wire: a product gets its gate.
    fn materialise(self, n: &mut Builder) -> Fits<Term> {
        if self.is_product() { Term::gate(n, Lut::BUFFER, &[self]) } else { Ok(self) }
    }
}

/// What is to be added at one weight.
#[derive(Clone, Default)]
struct Column {
    terms: Vec<Term>,
}

impl Column {
    /// A product that an adder would have to give a gate is taken only if no bit comes by this level.
    const PATIENCE: u32 = 4;

    /// Adds until at most `goal` terms are left; gives the carries.
    ///
    /// A full adder takes two terms away, so a half adder comes first if the numbers differ by an
    /// odd one.
    fn compress(&mut self, n: &mut Builder, goal: usize) -> Fits<Vec<Term>> {
        let mut carries = Vec::new();
        while self.terms.len() > goal {
            let mut terms = vec![self.take(true)];
            if (self.terms.len() + 1 - goal).is_multiple_of(2) {
                terms.push(self.take(false).materialise(n)?);
                terms.push(self.take(false).materialise(n)?);
                self.terms.push(Term::gate(n, Lut::XOR3, &terms)?);
                carries.push(Term::gate(n, Lut::MAJORITY, &terms)?);
            } else {
                terms.push(self.take(true));
                self.terms.push(Term::gate(n, Lut::XOR, &terms)?);
                carries.push(Term::gate(n, Lut::AND, &terms)?);
            }
        }
        Ok(carries)
    }

    /// Takes the earliest term. A product that an adder can merge comes first of all.
    fn take(&mut self, mergeable: bool) -> Term {
        let due = |term: &Term| match (term.is_product(), mergeable) {
            (true, true) => (0, 0),
            (true, false) => (Column::PATIENCE, 1),
            (false, _) => (term.level, 0),
        };
        let earliest = (0..self.terms.len()).min_by_key(|&index| due(&self.terms[index]));
        self.terms.swap_remove(earliest.expect("`compress` counts the terms"))
    }

    /// Bit `index` of what is left, or 0.
    fn row(&self, n: &mut Builder, index: usize) -> Fits<Bus> {
        match self.terms.get(index) {
            Some(term) => Ok(term.materialise(n)?.bus()),
            None => Ok(Bus::zero()),
        }
    }
}
