//! `wkv sweep`: what each arithmetic costs the model.

use clap::Args;
use wkv::Arithmetic;

use crate::arguments::distinct;
use crate::context::Context;
use crate::engine::Engine;
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::report::subject::{Source, Subject};
use crate::sweep::{PUBLISHED_ARMS, Sweep};

/// Arguments of `wkv sweep`.
#[derive(Args)]
#[command(after_help = "\
Every figure compares the arm with the float model on the same text; intervals are of 95%, by
bootstrap over documents, paired with the float model.

Example:
  wkv sweep --spec classic:q8.8 --spec classic:q7.9:nointerp --tokens 5000")]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// An arithmetic to measure; may be repeated [default: the published arms]
    #[arg(long = "spec", value_name = "SPEC", value_parser = Arithmetic::resolve)]
    specs: Vec<Arithmetic>,
    /// What computes the fixed-point arms: fixed or gates
    #[arg(long, value_name = "ENGINE", default_value = "fixed", value_parser = fixed_point_engine)]
    engine: Engine,
}

/// Runs `wkv sweep`.
pub fn run(arguments: Arguments, context: &Context) -> Result<Outcome, Failure> {
    let Arguments { source, specs, engine } = arguments;
    let specs = if specs.is_empty() { published_arms() } else { distinct(&specs) };
    let subject = Subject::load(&source, context)?;
    let sweep = Sweep::run(&subject, &specs, engine, context)?;
    context.say(&sweep);
    Ok(Outcome::held(sweep))
}

fn published_arms() -> Vec<Arithmetic> {
    PUBLISHED_ARMS.iter().map(|arm| arm.parse().expect("published arms are specs")).collect()
}

fn fixed_point_engine(argument: &str) -> Result<Engine, String> {
    match argument {
        "fixed" => Ok(Engine::Fixed),
        "gates" => Ok(Engine::Gates),
        _ => Err("computes no fixed-point arm; expected fixed or gates".to_owned()),
    }
}
