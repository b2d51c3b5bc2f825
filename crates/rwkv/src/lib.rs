//! The language model: an RWKV-v4 network whose attention recurrence can be swapped.
//!
//! A [`Checkpoint`] holds the trained weights as stored; [`Model`] is made from it with all
//! exponents in base 2 and runs on any [`wkv::Numerics`]. [`LanguageModel`] adds the
//! [`Tokenizer`]. On top: [`text`] splits a file into documents, [`eval`] measures perplexity
//! and what an arithmetic changes, [`generate`] tells a story, [`repetition`] measures one.

pub mod byte_pairs;
pub mod checkpoint;
pub mod eval;
pub mod generate;
#[cfg(feature = "tokenizers")]
pub mod language_model;
pub mod linear;
pub mod model;
pub mod repetition;
mod softmax;
pub mod text;
#[cfg(feature = "tokenizers")]
pub mod tokenizer;

pub use checkpoint::Checkpoint;
#[cfg(feature = "tokenizers")]
pub use language_model::LanguageModel;
pub use model::Model;
#[cfg(feature = "tokenizers")]
pub use tokenizer::Tokenizer;
