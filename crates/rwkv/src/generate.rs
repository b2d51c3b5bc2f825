//! Telling a story: one token after another, drawn from the model's predictions.
//!
//! A [`Continuation`] gives tokens; with the feature `tokenizers`, `generate` makes a text of them.
//! The same seed and the same logits give the same story on every platform. Logits may differ in
//! their last bits between machines with different vector units, and then, rarely, so does a token.

mod continuation;
mod sampler;
#[cfg(feature = "tokenizers")]
mod story;

use serde::{Deserialize, Serialize};

#[cfg(feature = "tokenizers")]
use crate::tokenizer::TokenizerError;
pub use continuation::{Continuation, Reader};
#[cfg(feature = "tokenizers")]
pub use story::{Story, generate};

/// How tokens are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Greatest number of tokens to generate.
    pub tokens: usize,
    /// Divides the logits; 0 always takes the most likely token.
    pub temperature: f64,
    /// Only the most likely tokens that together have this probability are drawn.
    pub top_p: f64,
    /// Seed of the draws.
    pub seed: u64,
}

impl Default for Options {
    /// 256 tokens at temperature 0.8 from the likeliest 90%, seed 1.
    fn default() -> Self {
        Self { tokens: 256, temperature: 0.8, top_p: 0.9, seed: 1 }
    }
}

/// A story that could not be told.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// The temperature is negative or not finite.
    #[error("temperature {0}; expected a number of at least 0")]
    Temperature(f64),
    /// The probability to draw from is not a probability.
    #[error("top-p {0}; expected a number above 0 and at most 1")]
    TopP(f64),
    /// The model predicts nothing: a logit is infinite or not a number.
    #[error(
        "the logits after token {token} of the story are not finite; expected a model whose \
         predictions are"
    )]
    NotFinite {
        /// Number of tokens of the story before them.
        token: usize,
    },
    /// The tokenizer failed.
    #[cfg(feature = "tokenizers")]
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
}

/// Why a story ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// The model ended it with token 0.
    EndOfText,
    /// It reached the number of tokens asked for.
    Length,
    /// The listener stopped it.
    Stopped,
}
