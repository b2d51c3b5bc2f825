//! One story told twice: by the float model, and with the circuit's gates in its place.

use std::iter;

use rwkv::generate::{End, Options, Story, generate};
use serde::Serialize;
use wkv::circuit::gates::Gates;
use wkv::{Arithmetic, Numerics, WkvSpec};

use super::subject::Subject;
use crate::context::Context;
use crate::failure::Failure;

/// How the story begins.
const PROMPT: &str = "Once upon a time, there was a small robot";

/// The two stories, after their prompt.
#[derive(Clone, Debug, Serialize)]
pub struct Stories {
    /// How both begin.
    pub prompt: String,
    /// How tokens were drawn.
    pub options: Options,
    /// The float model's story.
    pub float: String,
    /// The circuit's story.
    pub circuit: String,
    /// The first token that differs, counted from 0; none if the stories are the same.
    pub first_difference: Option<usize>,
    /// The parts of the float model's story.
    pub float_parts: Parts,
    /// The parts of the circuit's story.
    pub circuit_parts: Parts,
    /// Tokens a second of the float model.
    pub float_tokens_per_second: f64,
    /// Tokens a second of the circuit, simulated.
    pub circuit_tokens_per_second: f64,
}

/// A story in three parts that make up its text.
#[derive(Clone, Debug, Serialize)]
pub struct Parts {
    /// What both stories share.
    pub shared: String,
    /// The first token that differs; empty if there is none or the story ends there.
    pub first_different: String,
    /// The rest.
    pub rest: String,
    /// Number of tokens of the whole story.
    pub tokens: usize,
}

impl Stories {
    /// Tells both stories, with progress shown.
    pub fn tell(subject: &Subject, spec: &WkvSpec, context: &Context) -> Result<Self, Failure> {
        let options = Options::default();
        let float = tell(subject, &Arithmetic::Float, options, "story by float", context)?;
        let gates = Gates::new(spec);
        let circuit = tell(subject, &gates, options, "story by the circuit's gates", context)?;
        let first_difference = float.first_difference(&circuit);
        Ok(Self {
            prompt: PROMPT.to_owned(),
            options,
            first_difference,
            float_parts: parts(subject, &float, first_difference)?,
            circuit_parts: parts(subject, &circuit, first_difference)?,
            float_tokens_per_second: float.tokens_per_second(),
            circuit_tokens_per_second: circuit.tokens_per_second(),
            float: float.text,
            circuit: circuit.text,
        })
    }
}

fn tell(
    subject: &Subject,
    numerics: &dyn Numerics,
    options: Options,
    what: &str,
    context: &Context,
) -> Result<Story, Failure> {
    let progress = context.progress(what, options.tokens as u64);
    let story = generate(&subject.language_model, numerics, PROMPT, options, |_| {
        progress.advance(1);
        context.interrupt.flow()
    })
    .map_err(|error| Failure::input(format!("{}: {error}", subject.model)))?;
    match story.end {
        End::Stopped => Err(Failure::Interrupted),
        End::EndOfText | End::Length => Ok(story),
    }
}

fn parts(
    subject: &Subject,
    story: &Story,
    first_difference: Option<usize>,
) -> Result<Parts, Failure> {
    let tokens = story.tokens.len();
    let shared = first_difference.unwrap_or(tokens);
    let decode = |tokens: &[u32]| subject.language_model.tokenizer.decode(tokens);
    let beginning = decode(&story.tokens[..shared])?;
    let until_different = decode(&story.tokens[..tokens.min(shared + 1)])?;
    // A token may end within a character; the story is then cut before that character.
    let cut = |beginning: &str| common_prefix(&story.text, beginning);
    let (shared, different) = (cut(&beginning), cut(&until_different));
    let part = |range: std::ops::Range<usize>| story.text[range].to_owned();
    Ok(Parts {
        shared: part(0..shared),
        first_different: part(shared..different),
        rest: part(different..story.text.len()),
        tokens,
    })
}

/// Length in bytes of the longest common beginning, in whole characters.
fn common_prefix(a: &str, b: &str) -> usize {
    iter::zip(a.chars(), b.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_prefix_keeps_characters_whole() {
        assert_eq!(common_prefix("añb", "añc"), 3);
        assert_eq!(common_prefix("añ", "a\u{fffd}"), 1);
    }
}
