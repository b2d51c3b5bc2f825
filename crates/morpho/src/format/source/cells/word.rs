//! Cells of Yosys on words: bit by bit, one bit of all, choices, sums and orders.

use super::{Cell, Lowered, Outcome};
use crate::format::source::{Cone, Cones, Module, Net, multiplexer};
use crate::lut::Lut;

/// What a cell does.
#[derive(Clone, Copy)]
enum Word {
    /// `A` and `B`, widened to the width of `Y`.
    Bitwise(Lut),
    /// `A` widened, and complemented or not.
    Unary(Lut),
    /// All bits of `A`, and whether that is complemented.
    Reduce(Lut, bool),
    /// All bits of `A` and of `B` reduced by or, then this of both.
    Logical(Lut),
    /// Whether `A` and `B` are equal, or differ.
    Equal(bool),
    /// `A` or, where `S` is set, `B`.
    Choose,
    /// As `Choose`, bit by bit.
    ChooseBits,
    /// The word of the highest select that is set, or else `A`; Yosys wants one at most.
    ChooseParallel,
    /// The word of `A` whose number `S` is.
    ChooseByNumber,
    /// `A + B`, or `A - B`.
    Sum { subtract: bool },
    /// `-A`.
    Negate,
    /// Whether the operand `less` is below the other one, or not.
    Order { less: &'static str, other: &'static str, complement: bool },
}

/// The widest word that is read.
const MOST_BITS: usize = 1 << 20;

/// `None` if it is no such cell.
pub(super) fn lower(module: &mut Module, cell: Cell) -> Option<Outcome> {
    let word = Word::of(cell.kind())?;
    Some(word.lower(module, cell).map(|()| Lowered::Logic))
}

impl Word {
    fn of(name: &str) -> Option<Word> {
        let order = |less, other, complement| Word::Order { less, other, complement };
        Some(match name {
            "$not" => Word::Unary(Lut::NOT),
            "$pos" | "$buf" => Word::Unary(Lut::BUFFER),
            "$and" => Word::Bitwise(Lut::AND),
            "$or" => Word::Bitwise(Lut::OR),
            "$xor" => Word::Bitwise(Lut::XOR),
            "$xnor" => Word::Bitwise(Lut::XNOR),
            "$reduce_and" => Word::Reduce(Lut::AND, false),
            "$reduce_or" | "$reduce_bool" => Word::Reduce(Lut::OR, false),
            "$reduce_xor" => Word::Reduce(Lut::XOR, false),
            "$reduce_xnor" => Word::Reduce(Lut::XOR, true),
            "$logic_not" => Word::Reduce(Lut::OR, true),
            "$logic_and" => Word::Logical(Lut::AND),
            "$logic_or" => Word::Logical(Lut::OR),
            "$eq" | "$eqx" => Word::Equal(true),
            "$ne" | "$nex" => Word::Equal(false),
            "$mux" => Word::Choose,
            "$bwmux" => Word::ChooseBits,
            "$pmux" => Word::ChooseParallel,
            "$bmux" => Word::ChooseByNumber,
            "$add" => Word::Sum { subtract: false },
            "$sub" => Word::Sum { subtract: true },
            "$neg" => Word::Negate,
            "$lt" => order("A", "B", false),
            "$ge" => order("A", "B", true),
            "$gt" => order("B", "A", false),
            "$le" => order("B", "A", true),
            _ => return None,
        })
    }

    fn lower(self, module: &mut Module, cell: Cell) -> Result<(), String> {
        let pins: &[&str] = match self {
            Word::Unary(_) | Word::Reduce(..) | Word::Negate => &["A", "Y"],
            Word::ChooseByNumber => &["A", "S", "Y"],
            Word::Choose | Word::ChooseBits | Word::ChooseParallel => &["A", "B", "S", "Y"],
            _ => &["A", "B", "Y"],
        };
        cell.check_pins(pins.iter().copied())?;
        let width = cell.pin("Y").len();
        if pins.iter().any(|pin| cell.pin(pin).len() > MOST_BITS) {
            return Err(format!("is wider than {MOST_BITS} bits"));
        }
        let words = Words { cell, module };
        match self {
            Word::ChooseParallel => return words.choose_parallel(),
            Word::ChooseByNumber => return words.choose_by_number(),
            _ => (),
        }
        let position = cell.instance.position;
        let mut cones = Cones { module: words.module, position };
        let whole = |pin: &str| cell.pin(pin).iter().copied().map(Cone::net).collect();
        let values: Vec<Cone> = match self {
            Word::Unary(lut) => {
                let bits = word(cell, "A", width);
                bits.iter().map(|bit| cones.apply(lut, &[bit])).collect()
            }
            Word::Bitwise(lut) => {
                let pairs = std::iter::zip(word(cell, "A", width), word(cell, "B", width));
                pairs.map(|(a, b)| cones.apply(lut, &[&a, &b])).collect()
            }
            Word::Reduce(lut, complement) => {
                let value = tree(&mut cones, lut, whole("A"));
                vec![if complement { cones.apply(Lut::NOT, &[&value]) } else { value }]
            }
            Word::Logical(lut) => {
                let pair = ["A", "B"].map(|pin| tree(&mut cones, Lut::OR, whole(pin)));
                vec![cones.apply(lut, &[&pair[0], &pair[1]])]
            }
            Word::Equal(equal) => {
                let [a, b] = operands(cell, ["A", "B"]);
                let pairs = std::iter::zip(a, b);
                let bits = pairs.map(|(a, b)| cones.apply(Lut::XNOR, &[&a, &b])).collect();
                let value = tree(&mut cones, Lut::AND, bits);
                vec![if equal { value } else { cones.apply(Lut::NOT, &[&value]) }]
            }
            Word::Choose => {
                check_widths(cell, [("A", 1), ("B", 1)])?;
                let select = Cone::net(cell.needed("S")?);
                let pairs = std::iter::zip(word(cell, "A", width), word(cell, "B", width));
                pairs.map(|(a, b)| cones.apply(Lut::MUX, &[&select, &a, &b])).collect()
            }
            Word::ChooseBits => {
                check_widths(cell, [("A", 1), ("B", 1), ("S", 1)])?;
                let [a, b, select] = ["A", "B", "S"].map(|pin| word(cell, pin, width));
                let bits = std::iter::zip(select, std::iter::zip(a, b));
                bits.map(|(select, (a, b))| cones.apply(Lut::MUX, &[&select, &a, &b])).collect()
            }
            Word::Sum { subtract } => {
                let [a, b] = ["A", "B"].map(|pin| word(cell, pin, width));
                sum(&mut cones, a, b, subtract)
            }
            Word::Negate => {
                let zeros = vec![Cone::constant(false); width];
                sum(&mut cones, zeros, word(cell, "A", width), true)
            }
            Word::Order { less, other, complement } => {
                let less = is_less(&mut cones, cell, [less, other]);
                vec![if complement { cones.apply(Lut::NOT, &[&less]) } else { less }]
            }
            Word::ChooseParallel | Word::ChooseByNumber => unreachable!("they are made already"),
        };
        let values = values.into_iter().chain(std::iter::repeat(Cone::constant(false)));
        let outputs = cell.pin("Y");
        std::iter::zip(outputs, values).for_each(|(&output, value)| cones.drive(output, &value));
        Ok(())
    }
}

/// Whether pins are so many times as wide as the output.
fn check_widths<const N: usize>(cell: Cell, pins: [(&str, usize); N]) -> Result<(), String> {
    let width = cell.pin("Y").len();
    for (pin, count) in pins {
        let (found, wanted) = (cell.pin(pin).len(), count.saturating_mul(width));
        if found != wanted && width > 0 {
            return Err(format!("has {found} bits at its pin `{pin}` of {wanted}"));
        }
    }
    Ok(())
}

/// Whether the operands have signs: two of them have only if both do.
fn is_signed(cell: Cell) -> bool {
    cell.flag("A_SIGNED", false) && (cell.pin("B").is_empty() || cell.flag("B_SIGNED", false))
}

/// A pin as a word of `width` bits, its sign repeated if it has one.
fn word(cell: Cell, pin: &str, width: usize) -> Vec<Cone> {
    let (bits, signed) = (cell.pin(pin), is_signed(cell));
    let sign = bits.last().copied().filter(|_| signed).unwrap_or(Net::constant(false));
    bits.iter().copied().chain(std::iter::repeat(sign)).take(width).map(Cone::net).collect()
}

/// Two pins as words of the width of the wider one.
fn operands(cell: Cell, pins: [&str; 2]) -> [Vec<Cone>; 2] {
    let width = pins.map(|pin| cell.pin(pin).len()).into_iter().max().unwrap_or(0);
    pins.map(|pin| word(cell, pin, width))
}

/// All bits under one operator, which must be associative; nothing is all ones, and has none.
fn tree(cones: &mut Cones, lut: Lut, mut bits: Vec<Cone>) -> Cone {
    while bits.len() > 1 {
        let join = |pair: &[Cone]| match pair {
            [a, b] => cones.apply(lut, &[a, b]),
            _ => pair[0].clone(),
        };
        bits = bits.chunks(2).map(join).collect();
    }
    bits.pop().unwrap_or(Cone::constant(lut == Lut::AND))
}

/// The bits of a sum or difference.
fn sum(cones: &mut Cones, a: Vec<Cone>, b: Vec<Cone>, subtract: bool) -> Vec<Cone> {
    let mut carry = Cone::constant(subtract);
    let add = |(a, b): (Cone, Cone)| {
        let (bit, next) = full_adder(cones, [&a, &b, &carry], subtract);
        carry = next;
        bit
    };
    std::iter::zip(a, b).map(add).collect()
}

/// A sum bit and a carry, the second summand complemented if asked for. The carry has a net, so that it
/// is not made again for each bit after it.
fn full_adder(cones: &mut Cones, operands: [&Cone; 3], complement: bool) -> (Cone, Cone) {
    let of = |lut: Lut| if complement { lut.complement_input(1) } else { lut };
    let bit = cones.apply(of(Lut::XOR3), &operands);
    let carry = cones.apply(of(Lut::MAJORITY), &operands);
    (bit, Cone::net(cones.net(&carry)))
}

/// Whether the first is less than the second: no carry comes out of their difference.
fn is_less(cones: &mut Cones, cell: Cell, pins: [&str; 2]) -> Cone {
    let [mut a, mut b] = operands(cell, pins);
    // With the sign the other way round, signed numbers are in the order of unsigned ones.
    if let (true, Some(a), Some(b)) = (is_signed(cell), a.last_mut(), b.last_mut()) {
        std::mem::swap(a, b);
    }
    let mut carry = Cone::constant(true);
    for (a, b) in std::iter::zip(a, b) {
        carry = full_adder(cones, [&a, &b, &carry], true).1;
    }
    cones.apply(Lut::NOT, &[&carry])
}

/// Choices among many words.
struct Words<'m, 'c> {
    module: &'m mut Module,
    cell: Cell<'c>,
}

impl Words<'_, '_> {
    fn choose(&mut self, select: Net, both: [Net; 2]) -> Net {
        multiplexer(self.module, select, both, self.cell.instance.position)
    }

    fn show(&mut self, nets: Vec<Net>) -> Result<(), String> {
        for (&output, net) in std::iter::zip(self.cell.pin("Y"), nets) {
            self.module.alias(output, net, self.cell.instance.position);
        }
        Ok(())
    }

    fn choose_parallel(mut self) -> Result<(), String> {
        let cell = self.cell;
        let (selects, words) = (cell.pin("S"), cell.pin("B"));
        check_widths(cell, [("A", 1), ("B", selects.len())])?;
        let width = cell.pin("Y").len();
        let mut chosen = cell.pin("A").to_vec();
        for (at, &select) in selects.iter().enumerate() {
            for bit in 0..width {
                chosen[bit] = self.choose(select, [chosen[bit], words[at * width + bit]]);
            }
        }
        self.show(chosen)
    }

    fn choose_by_number(mut self) -> Result<(), String> {
        let cell = self.cell;
        let selects = cell.pin("S");
        let count = u32::try_from(selects.len()).ok().and_then(|bits| 1usize.checked_shl(bits));
        check_widths(cell, [("A", count.ok_or("has too many selects")?)])?;
        let (mut words, width) = (cell.pin("A").to_vec(), cell.pin("Y").len());
        if width == 0 {
            return Ok(());
        }
        for &select in selects {
            let half = words.len() / 2;
            let zero = |at: usize| at / width * 2 * width + at % width;
            words = (0..half)
                .map(|at| self.choose(select, [words[zero(at)], words[zero(at) + width]]))
                .collect();
        }
        self.show(words)
    }
}
