//! What the language model needs of the recurrence: a bank of channels that takes tokens.

use crate::stats::Counts;

/// A bank of channels with its state: the attention of one block on one sequence.
///
/// Values are real numbers. `k` is in base 2 (the key times log2 e). Slices hold whole tokens,
/// laid out `[token][channel]`, all three of one length.
pub trait Recurrence: Send {
    /// Number of channels in the bank.
    fn channels(&self) -> usize;

    /// Returns every channel to its state before the first token. Counts stay.
    fn reset(&mut self);

    /// Advances every channel by `k.len() / channels` tokens and writes their outputs.
    ///
    /// # Panics
    /// If the slices differ in length or do not hold whole tokens.
    fn run(&mut self, k: &[f32], v: &[f32], out: &mut [f32]);

    /// Saturations and underflows since the bank was made; all zero for floating point.
    fn counts(&self) -> Counts;
}

/// A way to compute the recurrence: floating point, a fixed-point format, or its gates.
pub trait Numerics: Sync {
    /// A bank of `u.len()` channels with bonus `u` and decay `w` (both base 2, `w <= 0`).
    fn bank(&self, u: &[f64], w: &[f64]) -> Box<dyn Recurrence>;
}

/// Checks the lengths that [`Recurrence::run`] takes.
pub(crate) fn check_tokens(channels: usize, k: usize, v: usize, out: usize) {
    assert_eq!(k, v, "a value for every key");
    assert_eq!(k, out, "an output for every key");
    let whole = k.is_multiple_of(channels);
    assert!(whole, "{k} keys are not whole tokens of {channels} channels");
}
