//! Functions of many inputs as trees of look-up tables.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{Module, Net, Position};
use crate::format::cover::cofactors;
use crate::lut::Lut;

/// The widest function that is read.
pub(in crate::format) const MAX_INPUTS: usize = 16;

/// The inputs of a table that a wider function is cut into.
const CUT_INPUTS: usize = 4;

/// Gives `output` the function of `inputs` whose row `i` is bit `i` of `table`, input `j` in bit
/// `j` of `i`; a table of fewer than six inputs is one word. Inputs that it ignores are dropped
/// where there are more than six.
///
/// A function of at most six inputs is one gate. A wider one is cut by Shannon's expansion: its
/// subfunctions of the low inputs are tables, chosen among by multiplexers, and equal ones are
/// built once, as in a reduced ordered decision diagram.
pub(in crate::format) fn decompose(
    module: &mut Module,
    table: &[u64],
    inputs: &[Net],
    output: Net,
    position: Position,
) {
    debug_assert!(inputs.len() <= MAX_INPUTS);
    if inputs.len() <= Lut::MAX_ARITY {
        return module.gate(Lut::new(inputs.len(), table[0]), inputs, output, position);
    }
    let (table, inputs) = drop_ignored(table.to_vec(), inputs.into());
    if inputs.len() <= Lut::MAX_ARITY {
        return module.gate(Lut::new(inputs.len(), table[0]), &inputs, output, position);
    }
    let mut known = FxHashMap::default();
    let mut parts = low_tables(module, &table, &inputs, &mut known, position);
    for &select in &inputs[CUT_INPUTS..] {
        known.clear();
        let choose = |pair: &[Net]| match *pair {
            [zero, one] if zero == one => zero,
            [zero, one] => {
                let key = u64::from(zero.0) << 32 | u64::from(one.0);
                *known
                    .entry(key)
                    .or_insert_with(|| multiplexer(module, select, [zero, one], position))
            }
            _ => unreachable!("there is an even number of parts"),
        };
        parts = parts.chunks_exact(2).map(choose).collect();
    }
    module.alias(output, parts[0], position);
}

/// The subfunctions of the lowest inputs, one for each combination of the others.
fn low_tables(
    module: &mut Module,
    table: &[u64],
    inputs: &[Net],
    known: &mut FxHashMap<u64, Net>,
    position: Position,
) -> Vec<Net> {
    let low = &inputs[..CUT_INPUTS];
    let pieces =
        table.iter().flat_map(|word| (0..4).map(move |piece| word >> (16 * piece) & 0xffff));
    let build = |piece: u64| {
        *known.entry(piece).or_insert_with(|| {
            let (lut, used) = reduced(piece, low);
            match (lut.constant(), lut) {
                (Some(value), _) => Net::constant(value),
                (_, Lut::BUFFER) => used[0],
                _ => {
                    let net = module.net(position);
                    module.gate(lut, &used, net, position);
                    net
                }
            }
        })
    };
    pieces.map(build).collect()
}

/// A table of four inputs without those that it ignores.
fn reduced(table: u64, inputs: &[Net]) -> (Lut, SmallVec<[Net; 4]>) {
    let (table, used) = drop_ignored(vec![table], inputs.into());
    (Lut::new(used.len(), table[0]), used.into_iter().collect())
}

/// A net that shows `one` where `select` is set, else `zero`; no gate where a constant decides.
pub(in crate::format) fn multiplexer(
    module: &mut Module,
    select: Net,
    [zero, one]: [Net; 2],
    position: Position,
) -> Net {
    let output = module.net(position);
    let two =
        |module: &mut Module, lut, other| module.gate(lut, &[select, other], output, position);
    match (zero.as_constant(), one.as_constant()) {
        (Some(false), Some(true)) => return select,
        (Some(true), Some(false)) => module.gate(Lut::NOT, &[select], output, position),
        (Some(false), _) => two(module, Lut::AND, one),
        (Some(true), _) => two(module, Lut::OR_NOT.swap(0, 1), one),
        (_, Some(true)) => two(module, Lut::OR, zero),
        (_, Some(false)) => two(module, Lut::AND_NOT.swap(0, 1), zero),
        _ => module.gate(Lut::MUX, &[select, zero, one], output, position),
    }
    output
}

/// The function without the inputs that it does not depend on.
fn drop_ignored(mut table: Vec<u64>, mut inputs: Vec<Net>) -> (Vec<u64>, Vec<Net>) {
    for input in (0..inputs.len()).rev() {
        if let Some(smaller) = without(&table, inputs.len(), input) {
            table = smaller;
            inputs.remove(input);
        }
    }
    (table, inputs)
}

/// The table of one input fewer, if the function does not depend on `input`.
fn without(table: &[u64], inputs: usize, input: usize) -> Option<Vec<u64>> {
    let ignored = match input.checked_sub(Lut::MAX_ARITY) {
        Some(high) => table.chunks(2 << high).all(|pair| pair[..1 << high] == pair[1 << high..]),
        None => {
            table.iter().all(|&word| matches!(cofactors(word, input), (zero, one) if zero == one))
        }
    };
    ignored.then(|| {
        let expanded = |row: usize| (row >> input << (input + 1)) | row & ((1 << input) - 1);
        let rows = 1usize << (inputs - 1);
        let mut smaller = vec![0; rows.div_ceil(64)];
        for row in 0..rows {
            let from = expanded(row);
            smaller[row / 64] |= (table[from / 64] >> (from % 64) & 1) << (row % 64);
        }
        smaller
    })
}
