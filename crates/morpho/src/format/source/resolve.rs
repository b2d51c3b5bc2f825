//! Which net stands at the end of each chain of aliases.

use super::Problems;
use super::flatten::{Driver, Flat};
use crate::diagnostic::Diagnostic;

/// For each net the one whose driver gives its value: no alias. A chain that closes is reported.
pub(super) fn resolve(flat: &Flat, problems: &mut Problems) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    const OPEN: u32 = u32::MAX - 1;
    let mut roots = vec![UNSEEN; flat.drivers.len()];
    let mut chain = Vec::new();
    for start in 0..flat.drivers.len() as u32 {
        let mut at = start;
        let root = loop {
            match (roots[at as usize], flat.drivers[at as usize]) {
                (UNSEEN, Driver::Alias(next)) => {
                    roots[at as usize] = OPEN;
                    chain.push(at);
                    at = next;
                }
                (UNSEEN, _) => {
                    roots[at as usize] = at;
                    break at;
                }
                (OPEN, _) => {
                    let first = chain.iter().position(|&net| net == at).expect("it is open");
                    let text =
                        format!("a cycle crosses no register: {}", walk(flat, &chain[first..]));
                    problems.error(flat.driven_at(at), Diagnostic::new(text));
                    break 0;
                }
                (known, _) => break known,
            }
        };
        chain.drain(..).for_each(|net| roots[net as usize] = root);
    }
    roots
}

/// The names of nets, each driven by the next, in the direction of the signal: the first one
/// again at the end.
pub(super) fn walk(flat: &Flat, nets: &[u32]) -> String {
    const SHOWN: usize = 8;
    let named = nets.iter().rev().filter(|&&net| flat.name(net).is_some());
    let mut names: Vec<String> = named.map(|&net| format!("`{}`", flat.describe(net))).collect();
    names.dedup();
    let rest = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    if rest > 0 {
        names.push(format!("{rest} more"));
    }
    match names.first().cloned() {
        Some(first) => names.push(first),
        None => return format!("{} nets without names", nets.len()),
    }
    names.join(" -> ")
}
