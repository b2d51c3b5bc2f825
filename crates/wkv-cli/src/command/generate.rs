//! `wkv generate`: a story.

mod comparison;

use clap::Args;
use rwkv::generate::{End, GenerateError, Options, Story, generate};
use rwkv::linear::Weights;
use serde::Serialize;
use wkv::{Arithmetic, Numerics};

use self::comparison::Teller;
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
token on. rep-4 is the share of 4-grams of tokens that occurred before in the story, distinct-2
the share of different bigrams.

Examples:
  wkv generate --prompt \"Once upon a time\" --spec classic:q8.8 --engine gates --seed 7
  wkv generate --spec classic:q8.8 --compare")]
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
    /// Tell the story with each engine: where they part, and how fast they are. Fails unless the
    /// integer model's story and the gates' are the same
    #[arg(long, conflicts_with = "engine")]
    compare: bool,
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
    prompt: &'a str,
    options: Options,
    #[serde(flatten)]
    telling: Telling,
}

/// A story by an engine, with its figures.
#[derive(Serialize)]
struct Telling {
    engine: Engine,
    #[serde(flatten)]
    story: Story,
    tokens_per_second: f64,
    prompt_tokens_per_second: f64,
    /// None of a story of fewer than 4 tokens.
    rep_4: Option<f64>,
    /// None of a story of fewer than 2 tokens.
    distinct_2: Option<f64>,
}

impl Telling {
    fn new(engine: Engine, story: Story) -> Self {
        Self {
            engine,
            tokens_per_second: story.tokens_per_second(),
            prompt_tokens_per_second: story.prompt_tokens_per_second(),
            rep_4: story.rep_4(),
            distinct_2: story.distinct_2(),
            story,
        }
    }
}

/// Runs `wkv generate`.
pub fn run(arguments: Arguments, context: &Context) -> Result<Outcome, Failure> {
    let Arguments { model, weights, prompt, spec, engine, compare, .. } = arguments;
    let Arguments { tokens, temperature, top_p, seed, .. } = arguments;
    let options = Options { tokens, temperature, top_p, seed };
    let engine = engine.unwrap_or_else(|| Engine::of(spec));
    // Engine float computes in f64, whatever the spec.
    let arithmetic = if engine == Engine::Float { Arithmetic::Float } else { spec };
    let numerics = engine.numerics(arithmetic)?;
    let (model, language_model) = model.load(context)?;
    let language_model = language_model.with_weights(weights);
    let teller =
        Teller { model: &model, language_model: &language_model, prompt: &prompt, options };
    if compare {
        return comparison::run(&teller, spec, context);
    }

    // Nothing is said before the options are known to be good.
    let mut beginning = Some(&prompt);
    let story = tell(&teller, &*numerics, context, |text| {
        context.say_part(format_args!("{}{text}", beginning.take().map_or("", String::as_str)));
    })?;
    context.say(beginning.map_or("", String::as_str));
    context.say(figures(&story));
    Ok(Outcome::held(Told {
        model: &model,
        weights,
        spec: arithmetic,
        prompt: &prompt,
        options,
        telling: Telling::new(engine, story),
    }))
}

/// Tells a story; `on_text` hears it piece by piece.
fn tell(
    teller: &Teller,
    numerics: &dyn Numerics,
    context: &Context,
    mut on_text: impl FnMut(&str),
) -> Result<Story, Failure> {
    let Teller { model, language_model, prompt, options } = *teller;
    let story = generate(language_model, numerics, prompt, options, |text| {
        on_text(text);
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
    match story.end {
        End::Stopped => Err(Failure::Interrupted),
        End::EndOfText | End::Length => Ok(story),
    }
}

/// What a reader may want to know of a story.
fn figures(story: &Story) -> String {
    if story.tokens.is_empty() {
        return "\n0 tokens".to_owned();
    }
    let measure = |name, share: Option<f64>| {
        share.map_or(String::new(), |share| format!("{name} {share:.3}, "))
    };
    format!(
        "\n{}, {}{}{} tokens/s; a prompt of {}, {} tokens/s",
        counted(story.tokens.len() as u64, "token"),
        measure("rep-4", story.rep_4()),
        measure("distinct-2", story.distinct_2()),
        pace(story.tokens_per_second()),
        counted(story.prompt_tokens as u64, "token"),
        pace(story.prompt_tokens_per_second()),
    )
}

/// Tokens a second.
fn pace(tokens_per_second: f64) -> String {
    format!("{tokens_per_second:.0}")
}
