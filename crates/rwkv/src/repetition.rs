//! How much a text repeats itself, in n-grams of its tokens.

use std::collections::HashSet;

/// The number of different n-grams by that of all, from 0 to 1; none of fewer than `n` tokens.
///
/// For `n` = 2 this is distinct-2, the measure of Li et al., "A Diversity-Promoting Objective
/// Function for Neural Conversation Models" (2016), section 5, with the n-grams themselves instead
/// of the words to divide by, so that 1 is reached.
///
/// # Panics
/// If `n` is 0.
pub fn distinct(tokens: &[u32], n: usize) -> Option<f64> {
    let [different, all] = counts(tokens, n);
    (all > 0).then(|| different as f64 / all as f64)
}

/// The share of n-grams that occurred before in the text, from 0 to 1; none of fewer than `n`
/// tokens.
///
/// For `n` = 4 this is rep-4: seq-rep-n of Welleck et al., "Neural Text Generation with
/// Unlikelihood Training" (2019), section 6: one minus the different n-grams by all.
///
/// # Panics
/// If `n` is 0.
pub fn repeated(tokens: &[u32], n: usize) -> Option<f64> {
    let [different, all] = counts(tokens, n);
    (all > 0).then(|| (all - different) as f64 / all as f64)
}

/// Different n-grams, and all.
fn counts(tokens: &[u32], n: usize) -> [usize; 2] {
    let all = tokens.windows(n);
    [all.clone().collect::<HashSet<_>>().len(), all.len()]
}
