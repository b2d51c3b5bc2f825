//! `wkv sweep`: what each arithmetic costs the model.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use wkv::Arithmetic;
use wkv::arithmetic::PUBLISHED;

use crate::arguments::distinct;
use crate::context::Context;
use crate::cost::Cost;
use crate::engine::Engine;
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::report::subject::{Source, Subject};
use crate::sweep::merge::merge;
use crate::sweep::request::{Keep, Request};
use crate::sweep::shard::Shard;
use crate::sweep::{ArmName, Sweep, identity};

/// Arguments of `wkv sweep`.
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Every figure compares the arm with the float model on the same text; intervals are of 95%, by
bootstrap over documents, paired with the float model. Exit code 1 if the gates and the integer
model of a spec, both asked for, differ anywhere.

Example:
  wkv sweep --spec classic:q8.8 --spec classic:q7.9:nointerp --tokens 5000"
)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    source: Source,
    /// An arithmetic to measure; may be repeated [default: the published arms]
    #[arg(long = "spec", value_name = "SPEC", value_parser = Arithmetic::resolve)]
    specs: Vec<Arithmetic>,
    /// Arms with a name: published, those of the published page
    #[arg(long, value_name = "NAME")]
    preset: Option<Preset>,
    /// What computes the fixed-point arms: fixed, gates, or both as fixed,gates
    #[arg(
        long = "engine",
        value_name = "ENGINE",
        default_value = "fixed",
        value_delimiter = ',',
        value_parser = fixed_point_engine
    )]
    engines: Vec<Engine>,
    /// String documents together to sequences of N predicted tokens, or take each document alone
    #[arg(
        long,
        value_name = "N|document",
        default_value = "document",
        allow_negative_numbers = true,
        value_parser = sequence_length
    )]
    context: SequenceLength,
    /// Keep every result in FILE, and go on from what is there
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    /// Measure shard I of N of the documents only, counted from 1; `merge` puts them together
    #[arg(long, value_name = "I/N", requires = "records")]
    shard: Option<Shard>,
}

/// What else there is to do with a sweep.
#[derive(Subcommand)]
enum Action {
    /// Put the records of all shards together
    Merge(MergeArguments),
}

/// Arguments of `wkv sweep merge`.
#[derive(Args)]
#[command(after_help = "\
Example:
  wkv sweep merge shard-*.jsonl --json sweep.json")]
struct MergeArguments {
    /// Files that `wkv sweep --records` wrote
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Arms with a name.
#[derive(Clone, Copy, ValueEnum)]
enum Preset {
    /// The arms of the published page
    Published,
}

/// Predicted tokens of a sequence; none for each document alone.
#[derive(Clone, Copy)]
struct SequenceLength(Option<NonZeroUsize>);

/// Runs `wkv sweep`.
pub fn run(arguments: Arguments, context: &Context) -> Result<Outcome, Failure> {
    let cost = Cost::start();
    let sweep = match arguments.action {
        Some(Action::Merge(MergeArguments { files })) => merge(&files)?,
        None => measure(arguments, context)?,
    };
    context.say(&sweep);
    context.say(cost);
    let held = sweep.agreements().iter().all(|agreement| agreement.held);
    Ok(Outcome::checked(held, sweep))
}

fn measure(arguments: Arguments, context: &Context) -> Result<Sweep, Failure> {
    let arms = arms(&arguments)?;
    let Arguments { source, context: SequenceLength(sequence_length), records, shard, .. } =
        arguments;
    let subject = Subject::load(&source, context)?;
    let keep = |path| -> Result<Keep, Failure> {
        let model = source.model.path.as_deref();
        Ok(Keep { path, model_digest: identity::model_digest(model, source.weights)? })
    };
    let records = records.map(keep).transpose()?;
    let shard = shard.unwrap_or(Shard::WHOLE);
    Request { arms, sequence_length, shard, records }.run(&subject, context)
}

/// The arms that were asked for. Of a preset, an arm that an engine cannot compute is left out.
fn arms(arguments: &Arguments) -> Result<Vec<ArmName>, Failure> {
    let Arguments { specs, preset, engines, .. } = arguments;
    let preset = preset.or(specs.is_empty().then_some(Preset::Published));
    let mut arms = Vec::new();
    if let Some(Preset::Published) = preset {
        let published = published_arms();
        arms.extend(published.iter().flat_map(|&spec| names(spec, engines)));
    }
    for &spec in specs {
        let names = names(spec, engines);
        if names.is_empty() {
            // It says why.
            Engine::Gates.numerics(spec)?;
        }
        arms.extend(names);
    }
    Ok(distinct(&arms))
}

/// An arithmetic on each of the engines that can compute it.
fn names(spec: Arithmetic, engines: &[Engine]) -> Vec<ArmName> {
    match spec {
        Arithmetic::Float => vec![ArmName::usual(spec)],
        Arithmetic::Exact(_) if engines.contains(&Engine::Fixed) => vec![ArmName::usual(spec)],
        Arithmetic::Exact(_) => Vec::new(),
        Arithmetic::Fixed(_) => engines.iter().map(|&engine| ArmName { spec, engine }).collect(),
    }
}

fn published_arms() -> Vec<Arithmetic> {
    PUBLISHED.iter().map(|arm| arm.parse().expect("published arms are specs")).collect()
}

fn fixed_point_engine(argument: &str) -> Result<Engine, String> {
    match argument {
        "fixed" => Ok(Engine::Fixed),
        "gates" => Ok(Engine::Gates),
        _ => Err("computes no fixed-point arm; expected fixed or gates".to_owned()),
    }
}

fn sequence_length(argument: &str) -> Result<SequenceLength, &'static str> {
    match argument {
        "document" => Ok(SequenceLength(None)),
        number => match number.parse() {
            Ok(length) => Ok(SequenceLength(Some(length))),
            Err(_) => Err("expected a number of tokens of at least 1, or document"),
        },
    }
}
