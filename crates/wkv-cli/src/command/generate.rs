//! `wkv generate`: a story.

use clap::Args;
use rwkv::generate::{End, GenerateError, Options, Story, generate};
use rwkv::linear::Weights;
use serde::Serialize;
use wkv::Arithmetic;

use crate::arguments::{SPEC_HELP, WEIGHTS_HELP, whole_number};
use crate::context::Context;
use crate::engine::Engine;
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::report::notation::counted;
use crate::report::subject::ModelChoice;

/// Arguments of `wkv generate`.
#[derive(Args)]
#[command(after_help = "\
The same seed gives the same story; another arithmetic of the recurrence may change it from some
token on.

Example:
  wkv generate --prompt \"Once upon a time\" --spec classic:q8.8 --engine gates --seed 7")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelChoice,
    #[arg(long, value_name = "KIND", help = WEIGHTS_HELP, default_value_t = Weights::F32)]
    weights: Weights,
    /// How the story begins
    #[arg(long, value_name = "TEXT", default_value = "Once upon a time")]
    prompt: String,
    #[arg(long, help = SPEC_HELP, default_value = "classic:q8.8", value_parser = Arithmetic::resolve)]
    spec: Arithmetic,
    /// float (f64), fixed (the integer model) or gates (the circuit) [default: fixed, or float for
    /// the spec float]
    #[arg(long, value_enum, hide_possible_values = true)]
    engine: Option<Engine>,
    /// The greatest number of tokens
    #[arg(long, value_name = "N", default_value_t = Options::default().tokens,
          allow_negative_numbers = true, value_parser = whole_number::<usize>)]
    tokens: usize,
    /// Divides the logits; 0 always takes the most likely token
    #[arg(long, value_name = "X", default_value_t = Options::default().temperature,
          allow_negative_numbers = true)]
    temperature: f64,
    /// Draw only from the likeliest tokens that together have this probability
    #[arg(long, value_name = "X", default_value_t = Options::default().top_p,
          allow_negative_numbers = true)]
    top_p: f64,
    /// Seed of the draws
    #[arg(long, value_name = "N", default_value_t = Options::default().seed,
          allow_negative_numbers = true, value_parser = whole_number::<u64>)]
    seed: u64,
}

/// The result, as `--json` writes it.
#[derive(Serialize)]
struct Told<'a> {
    model: &'a str,
    weights: Weights,
    spec: Arithmetic,
    engine: Engine,
    prompt: &'a str,
    options: Options,
    #[serde(flatten)]
    story: &'a Story,
    tokens_per_second: f64,
}

/// Runs `wkv generate`.
pub fn run(arguments: Arguments, context: &Context) -> Result<Outcome, Failure> {
    let Arguments { model, weights, prompt, spec, engine, tokens, temperature, top_p, seed } =
        arguments;
    let options = Options { tokens, temperature, top_p, seed };
    let engine = engine.unwrap_or_else(|| Engine::of(spec));
    // Engine float computes in f64, whatever the spec.
    let spec = if engine == Engine::Float { Arithmetic::Float } else { spec };
    let numerics = engine.numerics(spec)?;
    let (model, language_model) = model.load(context)?;
    let language_model = language_model.with_weights(weights);

    // Nothing is said before the options are known to be good.
    let mut beginning = Some(&prompt);
    let story = generate(&language_model, &*numerics, &prompt, options, |text| {
        context.say_part(format_args!("{}{text}", beginning.take().map_or("", String::as_str)));
        context.interrupt.flow()
    })
    .map_err(|error| match error {
        // They begin with the name of the option.
        GenerateError::Temperature(_) | GenerateError::TopP(_) => {
            Failure::input(format!("--{error}"))
        }
        GenerateError::NotFinite { .. } => Failure::input(format!("{model}: {error}")),
        GenerateError::Tokenizer(error) => error.into(),
    })?;
    context.say(beginning.map_or("", String::as_str));
    if story.end == End::Stopped {
        return Err(Failure::Interrupted);
    }
    let tokens_per_second = story.tokens_per_second();
    context.say(match story.tokens.len() {
        0 => "\n0 tokens".to_owned(),
        tokens => {
            format!("\n{}, {tokens_per_second:.0} tokens/s", counted(tokens as u64, "token"))
        }
    });
    Ok(Outcome::held(Told {
        model: &model,
        weights,
        spec,
        engine,
        prompt: &prompt,
        options,
        story: &story,
        tokens_per_second,
    }))
}
