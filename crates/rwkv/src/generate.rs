//! Telling a story: one token after another, drawn from the model's predictions.
//!
//! The same seed and the same logits give the same story on every platform. Logits may differ in
//! their last bits between machines with different vector units, and then, rarely, so does a token.

use std::iter;
use std::ops::ControlFlow;
use std::time::Instant;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};
use wkv::Numerics;

use crate::eval::CHUNK;
use crate::language_model::LanguageModel;
use crate::model::{END_OF_TEXT, Model, State};
use crate::repetition;
use crate::softmax::most_likely;
use crate::tokenizer::{TextStream, Tokenizer, TokenizerError};

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
    let mut sampler = Sampler::new(options)?;
    let mut voice = Voice::new(tokenizer, on_text);
    let mut state = model.start(numerics);
    let prompt = [vec![END_OF_TEXT], tokenizer.encode(prompt)?].concat();
    let started = Instant::now();
    let mut logits = read(model, &prompt, &mut state);
    let prompt_seconds = started.elapsed().as_secs_f64();

    let started = Instant::now();
    let mut tokens = Vec::new();
    let end = loop {
        if tokens.len() == options.tokens {
            break End::Length;
        }
        if !tokens.is_empty() {
            logits = model.forward(&tokens[tokens.len() - 1..], &mut state);
        }
        if !logits.iter().all(|logit| logit.is_finite()) {
            return Err(GenerateError::NotFinite { token: tokens.len() });
        }
        let token = sampler.draw(&logits);
        if token == END_OF_TEXT {
            break End::EndOfText;
        }
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
    Ok(Story { tokens, text, end, seconds, prompt_tokens: prompt.len(), prompt_seconds })
}

/// Runs tokens, one at least, through the model in chunks: the logits after the last.
fn read(model: &Model, tokens: &[u32], state: &mut State) -> Vec<f32> {
    let mut last = Vec::new();
    for chunk in tokens.chunks(CHUNK) {
        let hidden = model.hidden(chunk, state, |_| ());
        last = hidden[hidden.len() - model.sizes().channels..].to_vec();
    }
    model.logits(&last)
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

/// Draws tokens from logits.
struct Sampler {
    options: Options,
    random: Xoshiro256PlusPlus,
}

/// A token that may be drawn, with its weight: its probability times some constant.
#[derive(Clone, Copy)]
struct Candidate {
    token: u32,
    weight: f64,
}

impl Sampler {
    fn new(options: Options) -> Result<Self, GenerateError> {
        let Options { temperature, top_p, .. } = options;
        if !temperature.is_finite() || temperature < 0.0 {
            return Err(GenerateError::Temperature(temperature));
        }
        if !(top_p > 0.0 && top_p <= 1.0) {
            return Err(GenerateError::TopP(top_p));
        }
        Ok(Self { options, random: Xoshiro256PlusPlus::seed_from_u64(options.seed) })
    }

    fn draw(&mut self, logits: &[f32]) -> u32 {
        let most_likely = most_likely(logits);
        if self.options.temperature == 0.0 {
            return most_likely;
        }
        let candidates = self.nucleus(logits, f64::from(logits[most_likely as usize]));
        let total: f64 = candidates.iter().map(|candidate| candidate.weight).sum();
        let mut rest = self.random.random::<f64>() * total;
        for candidate in candidates {
            rest -= candidate.weight;
            if rest < 0.0 {
                return candidate.token;
            }
        }
        most_likely
    }

    /// The fewest tokens that reach the probability asked for, likeliest first.
    fn nucleus(&self, logits: &[f32], greatest: f64) -> Vec<Candidate> {
        let Options { temperature, top_p, .. } = self.options;
        let mut candidates: Vec<Candidate> = (0..)
            .zip(logits)
            .map(|(token, &logit)| Candidate {
                token,
                weight: ((f64::from(logit) - greatest) / temperature).exp(),
            })
            .collect();
        let enough = top_p * candidates.iter().map(|c| c.weight).sum::<f64>();
        // Few tokens are enough as a rule, and to sort a large vocabulary takes longer than a token.
        let mut sorted = 256;
        loop {
            sort_first(&mut candidates, sorted);
            if let Some(count) = reaching(&candidates[..candidates.len().min(sorted)], enough) {
                candidates.truncate(count);
                return candidates;
            }
            if sorted >= candidates.len() {
                // What is missing is the rounding of the sum.
                return candidates;
            }
            sorted *= 8;
        }
    }
}

/// Brings the `count` likeliest candidates to the front, likeliest first, then in the order of the
/// vocabulary.
fn sort_first(candidates: &mut [Candidate], count: usize) {
    let order = |a: &Candidate, b: &Candidate| {
        b.weight.total_cmp(&a.weight).then_with(|| a.token.cmp(&b.token))
    };
    if count < candidates.len() {
        candidates.select_nth_unstable_by(count, order);
    }
    let count = candidates.len().min(count);
    candidates[..count].sort_unstable_by(order);
}

/// How many candidates, from the first on, have `enough` weight together.
fn reaching(candidates: &[Candidate], enough: f64) -> Option<usize> {
    let mut sum = 0.0;
    let last = candidates.iter().position(|candidate| {
        sum += candidate.weight;
        sum >= enough
    })?;
    Some(last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(temperature: f64, top_p: f64) -> [f64; 4] {
        let options = Options { temperature, top_p, ..Options::default() };
        let mut sampler = Sampler::new(options).expect("options in range");
        let logits = [0.4f32, 0.1, 0.3, 0.2].map(f32::ln);
        let mut shares = [0.0; 4];
        for _ in 0..20_000 {
            shares[sampler.draw(&logits) as usize] += 1.0 / 20_000.0;
        }
        shares
    }

    #[track_caller]
    fn assert_shares(found: [f64; 4], expected: [f64; 4]) {
        for (share, expected) in found.iter().zip(expected) {
            assert!((share - expected).abs() < 0.02, "{found:?}");
        }
    }

    #[test]
    fn draws_follow_the_softmax() {
        assert_shares(shares(1.0, 1.0), [0.4, 0.1, 0.3, 0.2]);
        assert_shares(shares(0.5, 1.0), [16.0, 1.0, 9.0, 4.0].map(|x| x / 30.0));
    }

    /// However large the vocabulary, and however flat: the first tokens of a full sort.
    #[test]
    fn nucleus_is_the_beginning_of_a_full_sort() {
        for (temperature, top_p) in [(0.05, 0.9), (1.0, 0.3), (50.0, 0.9), (1e6, 0.5), (1.0, 1.0)] {
            let options = Options { temperature, top_p, ..Options::default() };
            let sampler = Sampler::new(options).expect("options in range");
            // Many logits are equal: ties are in the order of the vocabulary.
            let logits: Vec<f32> = (0..5000).map(|i| (i * 7919 % 997) as f32 / 100.0).collect();
            let found = sampler.nucleus(&logits, 9.96);

            let weight = |token: u32| f64::from(logits[token as usize]);
            let mut sorted: Vec<u32> = (0..5000).collect();
            sorted.sort_by(|&a, &b| weight(b).total_cmp(&weight(a)));
            let found_tokens: Vec<u32> = found.iter().map(|candidate| candidate.token).collect();
            assert_eq!(found_tokens, sorted[..found.len()]);

            let share = |token: u32| ((weight(token) - 9.96) / temperature).exp();
            let sum = |tokens: &[u32]| tokens.iter().map(|&token| share(token)).sum::<f64>();
            let all = sum(&sorted);
            assert!(sum(&sorted[..found.len()]) >= top_p * all * (1.0 - 1e-12));
            assert!(
                found.len() == 1 || sum(&sorted[..found.len() - 1]) < top_p * all * (1.0 + 1e-12)
            );
        }
    }

    #[test]
    fn nucleus_leaves_out_the_unlikely() {
        assert_shares(shares(1.0, 0.65), [4.0, 0.0, 3.0, 0.0].map(|x| x / 7.0));
        assert_eq!(shares(1.0, 0.65)[1], 0.0);
        assert_shares(shares(1.0, 0.2), [1.0, 0.0, 0.0, 0.0]);
        assert_shares(shares(0.0, 1.0), [1.0, 0.0, 0.0, 0.0]);
    }
}
