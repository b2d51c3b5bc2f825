//! Cells of words: bit by bit, or one bit of all.

use super::{Added, Body, Cell, Refusal};
use crate::format::source::{Net, multiplexer};
use crate::lut::Lut;

/// Adds a cell of words.
pub(super) fn add(body: &mut Body, cell: &Cell) -> Added {
    match cell.kind() {
        "$not" => unary(body, cell, Lut::NOT),
        "$pos" | "$buf" => unary(body, cell, Lut::BUFFER),
        "$and" => bitwise(body, cell, Lut::AND),
        "$or" => bitwise(body, cell, Lut::OR),
        "$xor" => bitwise(body, cell, Lut::XOR),
        "$xnor" => bitwise(body, cell, Lut::XNOR),
        "$mux" => mux(body, cell),
        "$pmux" => pmux(body, cell),
        "$bmux" => bmux(body, cell),
        "$bwmux" => bwmux(body, cell),
        "$reduce_and" => reduction(body, cell, Lut::AND, false),
        "$reduce_or" | "$reduce_bool" => reduction(body, cell, Lut::OR, false),
        "$reduce_xor" => reduction(body, cell, Lut::XOR, false),
        "$reduce_xnor" => reduction(body, cell, Lut::XOR, true),
        "$logic_not" => reduction(body, cell, Lut::OR, true),
        "$logic_and" => logic(body, cell, Lut::AND),
        "$logic_or" => logic(body, cell, Lut::OR),
        "$eq" | "$eqx" => equality(body, cell, false),
        "$ne" | "$nex" => equality(body, cell, true),
        "$add" => sum(body, cell, false),
        "$sub" => sum(body, cell, true),
        "$neg" => negation(body, cell),
        "$lt" => order(body, cell, ["A", "B"], false),
        "$ge" => order(body, cell, ["A", "B"], true),
        "$gt" => order(body, cell, ["B", "A"], false),
        "$le" => order(body, cell, ["B", "A"], true),
        _ => Err(Refusal::Kind),
    }
}

/// The widest word that is read.
const MOST_BITS: usize = 1 << 20;

/// An operand as a word of `width` bits, its sign repeated if it has one.
fn operand(body: &mut Body, cell: &Cell, pin: &str, width: usize) -> Result<Vec<Net>, Refusal> {
    let mut nets = cell.inputs(body, pin);
    if width > MOST_BITS {
        return Err(Refusal::Pin(format!("is wider than {MOST_BITS} bits")));
    }
    let signed = cell.flag(&format!("{pin}_SIGNED"), false)?;
    let zero = Net::constant(false);
    let fill = if signed { nets.last().copied().unwrap_or(zero) } else { zero };
    nets.resize(width, fill);
    Ok(nets)
}

/// An operand in its own width.
fn whole(body: &mut Body, cell: &Cell, pin: &str) -> Result<Vec<Net>, Refusal> {
    let width = cell.bits(pin).len();
    operand(body, cell, pin, width)
}

/// Two operands as words of one width, that of the wider one or `least`; both are signed or none.
fn operands(
    body: &mut Body,
    cell: &Cell,
    pins: [&str; 2],
    least: usize,
) -> Result<[Vec<Net>; 2], Refusal> {
    if cell.flag("A_SIGNED", false)? != cell.flag("B_SIGNED", false)? {
        return Err(Refusal::Pin("has one signed operand".to_string()));
    }
    let width = pins.iter().map(|pin| cell.bits(pin).len()).fold(least, usize::max);
    let [a, b] = pins.map(|pin| operand(body, cell, pin, width));
    Ok([a?, b?])
}

/// A new net with this function of others.
fn gate(body: &mut Body, cell: &Cell, lut: Lut, inputs: &[Net]) -> Net {
    let net = body.module.net(cell.position);
    body.module.gate(lut, inputs, net, cell.position);
    net
}

fn unary(body: &mut Body, cell: &Cell, lut: Lut) -> Added {
    let outputs = cell.outputs(body, "Y");
    let a = operand(body, cell, "A", outputs.len())?;
    for (output, a) in std::iter::zip(outputs, a) {
        body.module.gate(lut, &[a], output, cell.position);
    }
    Ok(())
}

fn bitwise(body: &mut Body, cell: &Cell, lut: Lut) -> Added {
    let outputs = cell.outputs(body, "Y");
    let [a, b] = ["A", "B"].map(|pin| operand(body, cell, pin, outputs.len()));
    for (output, (a, b)) in std::iter::zip(outputs, std::iter::zip(a?, b?)) {
        body.module.gate(lut, &[a, b], output, cell.position);
    }
    Ok(())
}

/// The words at pins that must all be as wide as the output, times a number for each.
fn data<const N: usize>(
    body: &mut Body,
    cell: &Cell,
    pins: [(&str, usize); N],
) -> Result<[Vec<Net>; N], Refusal> {
    let width = cell.bits("Y").len();
    for (pin, count) in pins {
        let (found, wanted) = (cell.bits(pin).len(), count.saturating_mul(width));
        if found != wanted {
            return Err(Refusal::Pin(format!("has {found} bits at its pin {pin} of {wanted}")));
        }
    }
    Ok(pins.map(|(pin, _)| cell.inputs(body, pin)))
}

fn show(body: &mut Body, cell: &Cell, nets: impl IntoIterator<Item = Net>) {
    let outputs = cell.outputs(body, "Y");
    for (output, net) in std::iter::zip(outputs, nets) {
        body.module.alias(output, net, cell.position);
    }
}

fn mux(body: &mut Body, cell: &Cell) -> Added {
    let [zero, one, outputs] = data(body, cell, [("A", 1), ("B", 1), ("Y", 1)])?;
    let select = cell.input(body, "S")?;
    for (output, (zero, one)) in std::iter::zip(outputs, std::iter::zip(zero, one)) {
        body.module.gate(Lut::MUX, &[select, zero, one], output, cell.position);
    }
    Ok(())
}

/// The word of the highest select that is set, or else the default; Yosys wants one at most.
fn pmux(body: &mut Body, cell: &Cell) -> Added {
    let selects = cell.inputs(body, "S");
    let [mut chosen, words] = data(body, cell, [("A", 1), ("B", selects.len())])?;
    let width = chosen.len();
    for (at, select) in selects.into_iter().enumerate() {
        for (bit, chosen) in chosen.iter_mut().enumerate() {
            let both = [*chosen, words[at * width + bit]];
            *chosen = multiplexer(&mut body.module, select, both, cell.position);
        }
    }
    show(body, cell, chosen);
    Ok(())
}

/// The word whose number the selects are.
fn bmux(body: &mut Body, cell: &Cell) -> Added {
    let selects = cell.inputs(body, "S");
    let count = u32::try_from(selects.len()).ok().and_then(|bits| 1usize.checked_shl(bits));
    let Some(count) = count else {
        return Err(Refusal::Pin("has too many selects".to_string()));
    };
    let [mut words] = data(body, cell, [("A", count)])?;
    let width = cell.bits("Y").len();
    for select in selects {
        let half = words.len() / 2;
        let chosen = (0..half).map(|at| {
            let zero = at / width * 2 * width + at % width;
            let both = [words[zero], words[zero + width]];
            multiplexer(&mut body.module, select, both, cell.position)
        });
        words = chosen.collect();
    }
    show(body, cell, words);
    Ok(())
}

fn bwmux(body: &mut Body, cell: &Cell) -> Added {
    let pins = [("A", 1), ("B", 1), ("S", 1), ("Y", 1)];
    let [zero, one, select, outputs] = data(body, cell, pins)?;
    for (at, output) in outputs.into_iter().enumerate() {
        let inputs = [select[at], zero[at], one[at]];
        body.module.gate(Lut::MUX, &inputs, output, cell.position);
    }
    Ok(())
}

/// One net of `lut` over all nets, which must be associative: a tree.
fn tree(body: &mut Body, cell: &Cell, lut: Lut, mut nets: Vec<Net>) -> Net {
    while nets.len() > 1 {
        let join = |pair: &[Net]| match *pair {
            [a, b] => gate(body, cell, lut, &[a, b]),
            _ => pair[0],
        };
        nets = nets.chunks(2).map(join).collect();
    }
    // Nothing is all ones, and has none.
    nets.first().copied().unwrap_or(Net::constant(lut == Lut::AND))
}

/// A truth value as the output: its lowest bit, and zeros.
fn truth(body: &mut Body, cell: &Cell, value: Net, complement: bool) {
    let value = if complement { gate(body, cell, Lut::NOT, &[value]) } else { value };
    let zeros = std::iter::repeat(Net::constant(false));
    show(body, cell, std::iter::once(value).chain(zeros));
}

fn reduction(body: &mut Body, cell: &Cell, lut: Lut, complement: bool) -> Added {
    let nets = whole(body, cell, "A")?;
    let value = tree(body, cell, lut, nets);
    truth(body, cell, value, complement);
    Ok(())
}

fn logic(body: &mut Body, cell: &Cell, lut: Lut) -> Added {
    let [a, b] = ["A", "B"].map(|pin| whole(body, cell, pin));
    let a = tree(body, cell, Lut::OR, a?);
    let b = tree(body, cell, Lut::OR, b?);
    let value = gate(body, cell, lut, &[a, b]);
    truth(body, cell, value, false);
    Ok(())
}

fn equality(body: &mut Body, cell: &Cell, complement: bool) -> Added {
    let [a, b] = operands(body, cell, ["A", "B"], 0)?;
    let same = std::iter::zip(a, b).map(|(a, b)| gate(body, cell, Lut::XNOR, &[a, b])).collect();
    let value = tree(body, cell, Lut::AND, same);
    truth(body, cell, value, complement);
    Ok(())
}

/// `A + B` or `A - B`, a carry from bit to bit.
fn sum(body: &mut Body, cell: &Cell, subtract: bool) -> Added {
    let width = cell.bits("Y").len();
    let [a, b] = operands(body, cell, ["A", "B"], width)?;
    let mut carry = Net::constant(subtract);
    let mut bits = Vec::new();
    for (a, b) in std::iter::zip(a, b).take(width) {
        let (bit, next) = full_adder(body, cell, [a, b, carry], subtract);
        bits.push(bit);
        carry = next;
    }
    show(body, cell, bits);
    Ok(())
}

/// A sum bit and a carry, the second summand complemented if asked for.
fn full_adder(body: &mut Body, cell: &Cell, inputs: [Net; 3], complement: bool) -> (Net, Net) {
    let of = |lut: Lut| if complement { lut.complement_input(1) } else { lut };
    [Lut::XOR3, Lut::MAJORITY].map(|lut| gate(body, cell, of(lut), &inputs)).into()
}

/// `-A`, as `0 - A`.
fn negation(body: &mut Body, cell: &Cell) -> Added {
    let width = cell.bits("Y").len();
    let mut carry = Net::constant(true);
    let mut bits = Vec::new();
    for a in operand(body, cell, "A", width)? {
        let (bit, next) = full_adder(body, cell, [Net::constant(false), a, carry], true);
        bits.push(bit);
        carry = next;
    }
    show(body, cell, bits);
    Ok(())
}

/// Whether the first is less than the second, or not: the carry out of their difference.
fn order(body: &mut Body, cell: &Cell, pins: [&str; 2], complement: bool) -> Added {
    let signed = cell.flag("A_SIGNED", false)?;
    let [mut a, mut b] = operands(body, cell, pins, 0)?;
    // With the sign the other way round, signed numbers are in the order of unsigned ones.
    if let (true, Some(a), Some(b)) = (signed, a.last_mut(), b.last_mut()) {
        std::mem::swap(a, b);
    }
    let mut carry = Net::constant(true);
    for (a, b) in std::iter::zip(a, b) {
        carry = full_adder(body, cell, [a, b, carry], true).1;
    }
    truth(body, cell, carry, !complement);
    Ok(())
}
