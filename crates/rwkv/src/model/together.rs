//! Several arithmetics on one sequence.

use wkv::Numerics;
use wkv::stats::Counts;

use super::{Attention, Model, State};

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
        observe: impl FnMut(Attention<'_>),
    ) -> Vec<f32> {
        self.run(tokens, &mut together.states, observe)
    }
}
