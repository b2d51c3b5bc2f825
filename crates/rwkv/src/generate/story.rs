//! A continuation as text, with the time that it takes.

use std::iter;
use std::ops::ControlFlow;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use wkv::Numerics;

use super::{Continuation, End, GenerateError, Options};
use crate::language_model::LanguageModel;
use crate::repetition;
use crate::tokenizer::{TextStream, Tokenizer, TokenizerError};

/// A story after its prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Story {
    /// The tokens generated, without the one that ended the text.
    pub tokens: Vec<u32>,
    /// Their text.
    pub text: String,
    /// Why it ended.
    pub end: End,
    /// Time that the tokens took, the prompt's not counted, in seconds.
    pub seconds: f64,
    /// Number of tokens read before the story: token 0 and the prompt.
    pub prompt_tokens: usize,
    /// Time that they took, in seconds.
    pub prompt_seconds: f64,
}

impl Story {
    /// Tokens generated a second.
    pub fn tokens_per_second(&self) -> f64 {
        self.tokens.len() as f64 / self.seconds.max(f64::MIN_POSITIVE)
    }

    /// Tokens of the prompt read a second.
    pub fn prompt_tokens_per_second(&self) -> f64 {
        self.prompt_tokens as f64 / self.prompt_seconds.max(f64::MIN_POSITIVE)
    }

    /// rep-4: the share of 4-grams that occurred before in the story.
    pub fn rep_4(&self) -> Option<f64> {
        repetition::repeated(&self.tokens, 4)
    }

    /// distinct-2: the share of different bigrams among the story's.
    pub fn distinct_2(&self) -> Option<f64> {
        repetition::distinct(&self.tokens, 2)
    }

    /// The first token that differs from `other`'s, counted from 0, or is missing in one of both;
    /// none if the stories are the same.
    pub fn first_difference(&self, other: &Self) -> Option<usize> {
        let (a, b) = (&self.tokens, &other.tokens);
        let differs = iter::zip(a, b).position(|(a, b)| a != b);
        differs.or((a.len() != b.len()).then_some(a.len().min(b.len())))
    }
}

/// Continues `prompt` with any arithmetic of the recurrence.
///
/// The sequence starts with token 0, so an empty prompt starts a new story. `on_text` hears the
/// text piece by piece and may stop it.
///
/// # Errors
/// If an option is out of range, the model's predictions are not finite, or the tokenizer fails.
pub fn generate(
    language_model: &LanguageModel,
    numerics: &dyn Numerics,
    prompt: &str,
    options: Options,
    on_text: impl FnMut(&str) -> ControlFlow<()>,
) -> Result<Story, GenerateError> {
    let LanguageModel { model, tokenizer } = language_model;
    let mut continuation = Continuation::new(model, numerics, options)?;
    let mut voice = Voice::new(tokenizer, on_text);
    let prompt = tokenizer.encode(prompt)?;
    let started = Instant::now();
    continuation.read(model, &prompt);
    let prompt_seconds = started.elapsed().as_secs_f64();

    let started = Instant::now();
    let mut tokens = Vec::new();
    let end = loop {
        let token = match continuation.next(model)? {
            ControlFlow::Continue(token) => token,
            ControlFlow::Break(end) => break end,
        };
        tokens.push(token);
        if voice.say(token)?.is_break() {
            break End::Stopped;
        }
    };
    let seconds = started.elapsed().as_secs_f64();

    let text = tokenizer.decode(&tokens)?;
    if end != End::Stopped {
        voice.finish(&text);
    }
    let prompt_tokens = 1 + prompt.len();
    Ok(Story { tokens, text, end, seconds, prompt_tokens, prompt_seconds })
}

/// Says tokens aloud, whole characters only.
struct Voice<'a, F> {
    stream: TextStream<'a>,
    on_text: F,
    /// Bytes of text said so far.
    said: usize,
}

impl<'a, F: FnMut(&str) -> ControlFlow<()>> Voice<'a, F> {
    fn new(tokenizer: &'a Tokenizer, on_text: F) -> Self {
        Self { stream: tokenizer.stream(), on_text, said: 0 }
    }

    fn say(&mut self, token: u32) -> Result<ControlFlow<()>, TokenizerError> {
        let text = self.stream.push(token)?;
        self.said += text.len();
        Ok(if text.is_empty() { ControlFlow::Continue(()) } else { (self.on_text)(&text) })
    }

    /// Says what the last tokens left incomplete of the whole `text`.
    fn finish(mut self, text: &str) {
        if let Some(rest) = text.get(self.said..).filter(|rest| !rest.is_empty()) {
            // The story is over; there is nothing left to stop.
            let _ = (self.on_text)(rest);
        }
    }
}
