//! Tokens in a row, as the model takes them.

use std::num::NonZeroUsize;

use crate::model::END_OF_TEXT;

/// Tokens in a row: each but the first is predicted from those before it, from an empty state on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence(Vec<u32>);

impl Sequence {
    /// A document between two tokens 0.
    pub fn of_document(document: &[u32]) -> Self {
        Self([&[END_OF_TEXT], document, &[END_OF_TEXT]].concat())
    }

    /// Each document alone.
    pub fn of_documents(documents: &[Vec<u32>]) -> Vec<Self> {
        documents.iter().map(|document| Self::of_document(document)).collect()
    }

    /// All documents in a row, a token 0 before each and after the last, cut so that `context`
    /// tokens are predicted in each sequence; in the last, the rest. The state runs on from
    /// document to document, not from sequence to sequence. The same tokens are predicted at any
    /// cut.
    pub fn cut(documents: &[Vec<u32>], context: NonZeroUsize) -> Vec<Self> {
        let mut tokens = vec![END_OF_TEXT];
        for document in documents {
            tokens.extend(document);
            tokens.push(END_OF_TEXT);
        }
        let predicted = tokens.len() - 1;
        let piece = |start: usize| tokens[start..=predicted.min(start + context.get())].to_vec();
        (0..predicted).step_by(context.get()).map(|start| Self(piece(start))).collect()
    }

    /// The tokens.
    pub fn tokens(&self) -> &[u32] {
        &self.0
    }

    /// Number of tokens that are predicted: all but the first.
    pub fn predicted_tokens(&self) -> u64 {
        self.0.len() as u64 - 1
    }

    /// Input tokens with the tokens that follow them, in chunks of `size`.
    pub(super) fn chunks(&self, size: usize) -> impl Iterator<Item = (&[u32], &[u32])> {
        let inputs = self.0[..self.0.len() - 1].chunks(size);
        inputs.zip(self.0[1..].chunks(size))
    }
}
