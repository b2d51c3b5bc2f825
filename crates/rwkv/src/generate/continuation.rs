//! A sequence going on, token by token: no text, no clock.

use std::ops::ControlFlow;

use wkv::Numerics;

use super::sampler::Sampler;
use super::{End, GenerateError, Options};
use crate::eval::CHUNK;
use crate::model::{END_OF_TEXT, Model, State};

/// A sequence that a model reads, and what it predicts next. It starts with [`END_OF_TEXT`].
pub struct Reader {
    state: State,
    /// Tokens that the state has not taken yet.
    unread: Vec<u32>,
    /// What is predicted after the tokens that it has taken, `[vocabulary]`; empty before any.
    logits: Vec<f32>,
}

impl Reader {
    /// A sequence without any other token yet.
    pub fn new(model: &Model, numerics: &dyn Numerics) -> Self {
        Self { state: model.start(numerics), unread: vec![END_OF_TEXT], logits: Vec::new() }
    }

    /// Appends `tokens` and runs the model on them. In how many pieces a sequence comes changes no
    /// bit of its predictions.
    ///
    /// # Panics
    /// If a token is outside the vocabulary or the model is not the one of [`Reader::new`].
    pub fn read(&mut self, model: &Model, tokens: &[u32]) {
        self.unread.extend(tokens);
        let mut last = Vec::new();
        for chunk in self.unread.chunks(CHUNK) {
            let hidden = model.hidden(chunk, &mut self.state, |_| ());
            last = hidden[hidden.len() - model.sizes().channels..].to_vec();
        }
        if !last.is_empty() {
            self.logits = model.logits(&last);
        }
        self.unread.clear();
    }

    /// The logits after the last token, `[vocabulary]`.
    ///
    /// # Panics
    /// As for [`Reader::read`].
    pub fn logits(&mut self, model: &Model) -> &[f32] {
        self.read(model, &[]);
        &self.logits
    }

    /// Appends a token, which the model reads when its prediction is asked for.
    pub fn push(&mut self, token: u32) {
        self.unread.push(token);
    }
}

/// A model that goes on from what it has read, one drawn token after another.
///
/// The sequence starts with [`END_OF_TEXT`], so that without a prompt it starts a new story.
pub struct Continuation {
    reader: Reader,
    sampler: Sampler,
    /// How many tokens are still to be drawn.
    left: usize,
    /// How many have been.
    drawn: usize,
    end: Option<End>,
}

impl Continuation {
    /// Nothing read and nothing drawn.
    ///
    /// # Errors
    /// If an option is out of range.
    pub fn new(
        model: &Model,
        numerics: &dyn Numerics,
        options: Options,
    ) -> Result<Self, GenerateError> {
        let sampler = Sampler::new(options)?;
        let reader = Reader::new(model, numerics);
        Ok(Self { reader, sampler, left: options.tokens, drawn: 0, end: None })
    }

    /// Reads `tokens` of the prompt; may be called again with more of them.
    ///
    /// # Panics
    /// As for [`Reader::read`].
    pub fn read(&mut self, model: &Model, tokens: &[u32]) {
        self.reader.read(model, tokens);
    }

    /// The next token, or why there is none.
    ///
    /// # Errors
    /// If the model's predictions are not finite.
    ///
    /// # Panics
    /// If the model is not the one of [`Continuation::new`].
    pub fn next(&mut self, model: &Model) -> Result<ControlFlow<End, u32>, GenerateError> {
        if self.left == 0 {
            self.end.get_or_insert(End::Length);
        }
        if let Some(end) = self.end {
            return Ok(ControlFlow::Break(end));
        }
        let logits = self.reader.logits(model);
        if !logits.iter().all(|logit| logit.is_finite()) {
            return Err(GenerateError::NotFinite { token: self.drawn });
        }
        let token = self.sampler.draw(logits);
        if token == END_OF_TEXT {
            self.end = Some(End::EndOfText);
            return Ok(ControlFlow::Break(End::EndOfText));
        }
        self.reader.push(token);
        self.left -= 1;
        self.drawn += 1;
        Ok(ControlFlow::Continue(token))
    }

    /// The logits that the last token was drawn from, or that ended the text, `[vocabulary]`; empty
    /// before the first.
    pub fn logits(&self) -> &[f32] {
        &self.reader.logits
    }
}
