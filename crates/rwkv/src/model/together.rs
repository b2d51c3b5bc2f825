//! Several arithmetics on one sequence: what they share is computed once, and the tokens of all
//! go through each matrix together.

use wkv::Numerics;
use wkv::stats::Counts;

use super::{Model, Projection, State, add, gate, shift};

/// The states of several arithmetics on one sequence. All have taken the same tokens.
pub struct Together {
    states: Vec<State>,
}

impl Together {
    /// Saturations and underflows of each block's recurrence so far, for each arithmetic.
    pub fn counts(&self) -> impl Iterator<Item = Vec<Counts>> {
        self.states.iter().map(State::counts)
    }
}

/// What the recurrences of one block took and gave for a chunk of tokens.
#[derive(Clone, Copy, Debug)]
pub struct AttentionTogether<'a> {
    /// Number of the block, from 0.
    pub block: usize,
    /// Keys of the first arithmetic, base 2, `[token][channel]`. In block 0 all have the same.
    pub k: &'a [f32],
    /// Values of the first arithmetic, `[token][channel]`. In block 0 all have the same.
    pub v: &'a [f32],
    /// Outputs of all, before the receptance, `[arithmetic][token][channel]`.
    pub out: &'a [f32],
}

impl Model {
    /// The states before the first token of a sequence, one for each of `numerics`.
    ///
    /// # Panics
    /// If there are none.
    pub fn start_together(&self, numerics: &[&dyn Numerics]) -> Together {
        assert!(!numerics.is_empty(), "at least one arithmetic");
        Together { states: numerics.iter().map(|&numerics| self.start(numerics)).collect() }
    }

    /// Like [`Model::hidden`] for every state: `[arithmetic][token][channel]`, each as it would be
    /// alone, bit for bit.
    ///
    /// # Panics
    /// If a token is outside the vocabulary or `together` belongs to a model of other sizes.
    pub fn hidden_together(
        &self,
        tokens: &[u32],
        together: &mut Together,
        mut observe: impl FnMut(AttentionTogether<'_>),
    ) -> Vec<f32> {
        let states = &mut together.states;
        let mut x = self.embed(tokens);
        let size = x.len();
        for (number, block) in self.blocks.iter().enumerate() {
            // Up to the recurrence of block 0 nothing depends on the arithmetic.
            let distinct = if number == 0 { 1 } else { states.len() };
            let normalised = block.ln1.apply(&x);
            let inputs = states[..distinct].iter_mut();
            let inputs = inputs.map(|state| &mut state.blocks[number].time_mix_input[..]);
            let previous = shift_each(&normalised, size, inputs);
            let Projection { k, v, mut r } = block.time_mix.project(&normalised, &previous);
            let mut out = vec![0.0; states.len() * size];
            for (index, (state, out)) in states.iter_mut().zip(chunks(&mut out, size)).enumerate() {
                let own = index % distinct * size..;
                let recurrence = &mut state.blocks[number].recurrence;
                recurrence.run(&k[own.clone()][..size], &v[own][..size], out);
            }
            observe(AttentionTogether { block: number, k: &k[..size], v: &v[..size], out: &out });
            if number == 0 {
                x = x.repeat(states.len());
                r = r.repeat(states.len());
            }
            gate(&mut out, &r);
            add(&mut x, &block.time_mix.output.apply(&out));

            let normalised = block.ln2.apply(&x);
            let inputs = states.iter_mut();
            let inputs = inputs.map(|state| &mut state.blocks[number].channel_mix_input[..]);
            let previous = shift_each(&normalised, size, inputs);
            let change = block.channel_mix.apply_shifted(&normalised, &previous);
            add(&mut x, &change);
        }
        self.ln_out.apply_in_place(&mut x);
        x
    }
}

/// [`shift`] for each of several sequences of `size` elements.
fn shift_each<'a>(
    x: &[f32],
    size: usize,
    last_inputs: impl Iterator<Item = &'a mut [f32]>,
) -> Vec<f32> {
    let mut previous = Vec::with_capacity(x.len());
    for (x, last_input) in x.chunks_exact(size.max(1)).zip(last_inputs) {
        previous.extend(shift(x, last_input));
    }
    previous
}

/// Pieces of `size`, of which there may be none.
fn chunks(x: &mut [f32], size: usize) -> impl Iterator<Item = &mut [f32]> {
    x.chunks_exact_mut(size.max(1))
}
