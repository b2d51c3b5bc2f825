//! One story told by every engine, and where they part.

use rwkv::LanguageModel;
use rwkv::generate::{Options, Story};
use rwkv::linear::Weights;
use serde::Serialize;
use wkv::{Arithmetic, WkvSpec};

use super::{Telling, pace};
use crate::context::Context;
use crate::engine::Engine;
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::report::notation::counted;
use crate::table::Table;

/// The result, as `--json` writes it.
#[derive(Serialize)]
struct Comparison<'a> {
    model: &'a str,
    weights: Weights,
    spec: WkvSpec,
    prompt: &'a str,
    options: Options,
    stories: Vec<Telling>,
    /// The first token, from 0, that differs between the float model's story and the integer
    /// model's; none if there is none.
    float_fixed_first_difference: Option<usize>,
    /// The same for the integer model and the gates: none, or something is wrong.
    fixed_gates_first_difference: Option<usize>,
    held: bool,
}

/// Who tells, what and how.
pub struct Teller<'a> {
    pub model: &'a str,
    pub language_model: &'a LanguageModel,
    pub prompt: &'a str,
    pub options: Options,
}

/// Tells the story with float, with the integer model and with the gates of `spec`. The last two
/// have to agree token for token.
pub fn run(teller: &Teller, spec: Arithmetic, context: &Context) -> Result<Outcome, Failure> {
    let Arithmetic::Fixed(spec) = spec else {
        return Err(Failure::input(format!(
            "--compare: no circuit computes the spec {spec}; expected a fixed-point spec such as \
             classic:q8.8"
        )));
    };
    let tell = |engine: Engine| {
        let numerics = engine.numerics(Arithmetic::Fixed(spec))?;
        let progress = context.progress(format!("story by {engine}"), teller.options.tokens as u64);
        super::tell(teller, &*numerics, context, |_| progress.advance(1))
    };
    let [float, fixed, gates] = [tell(Engine::Float)?, tell(Engine::Fixed)?, tell(Engine::Gates)?];
    let float_fixed = float.first_difference(&fixed);
    let fixed_gates = fixed.first_difference(&gates);
    let held = fixed_gates.is_none();

    let Teller { model, language_model, prompt, options } = *teller;
    context.say(format_args!("by float:\n{prompt}{}\n", float.text));
    match float_fixed {
        None => context.say(format_args!("by {spec}: the same")),
        Some(_) => context.say(format_args!("by {spec}:\n{prompt}{}", fixed.text)),
    }
    if !held {
        context.say(format_args!("\nby the gates:\n{prompt}{}", gates.text));
    }
    let stories = [(Engine::Float, &float), (Engine::Fixed, &fixed), (Engine::Gates, &gates)];
    context.say(format_args!("\n{}\n", table(&stories)));
    context.say(verdict("float and fixed", float_fixed, &fixed));
    context.say(verdict("fixed and gates", fixed_gates, &gates));
    Ok(Outcome::checked(
        held,
        Comparison {
            model,
            weights: language_model.model.weights(),
            spec,
            prompt,
            options,
            stories: vec![
                Telling::new(Engine::Float, float),
                Telling::new(Engine::Fixed, fixed),
                Telling::new(Engine::Gates, gates),
            ],
            float_fixed_first_difference: float_fixed,
            fixed_gates_first_difference: fixed_gates,
            held,
        },
    ))
}

fn table(stories: &[(Engine, &Story)]) -> Table {
    let mut table =
        Table::new(["engine", "tokens", "tokens/s", "prompt tokens/s", "rep-4", "distinct-2"]);
    for (engine, story) in stories {
        let share =
            |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{share:.3}"));
        table.row([
            engine.to_string(),
            story.tokens.len().to_string(),
            pace(story.tokens_per_second()),
            pace(story.prompt_tokens_per_second()),
            share(story.rep_4()),
            share(story.distinct_2()),
        ]);
    }
    table
}

fn verdict(names: &str, first_difference: Option<usize>, story: &Story) -> String {
    match first_difference {
        None => format!("{names}: identical, {}", counted(story.tokens.len() as u64, "token")),
        Some(token) => format!("{names}: token {} is the first that differs", token + 1),
    }
}
