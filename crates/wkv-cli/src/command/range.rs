//! `wkv range`: what each register can reach, which channels can saturate, and which did.

mod analysis;
mod observation;
mod summary;

use std::iter;
use std::num::NonZeroU64;

use clap::Args;
use serde::Serialize;
use wkv::WkvSpec;
use wkv::range::Interval;

use self::analysis::{Block, Ranges};
use self::observation::Observation;
use crate::arguments::{SPEC_HELP, circuit_spec, positive_number};
use crate::context::Context;
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::report::subject::{Source, Subject};

/// The formats that every spec is compared with.
const COMPARED: [&str; 3] = ["classic:q8.8", "classic:q6.10", "classic:q10.6"];

/// Arguments of `wkv range`.
#[derive(Args)]
#[command(after_help = "\
Bounds hold for every stream whose keys and values stay in the given ranges or, without them, in
those that each channel shows on the text. Streams are constructed and run to see whether channels
that are not proven safe do saturate.

Exit code 1 if a run over the text left a bound.

Example:
  wkv range --spec classic:q8.8 --k -20,15 --v -8,8 --length 256")]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    #[arg(long, help = SPEC_HELP, default_value = COMPARED[0], value_parser = circuit_spec)]
    spec: WkvSpec,
    /// The range of every key, base 2, instead of the observed ones
    #[arg(
        long,
        value_name = "LO,HI",
        allow_hyphen_values = true,
        requires = "v",
        conflicts_with_all = ["text", "tokens"],
        value_parser = interval
    )]
    k: Option<Interval>,
    /// The range of every value, instead of the observed ones
    #[arg(
        long,
        value_name = "LO,HI",
        allow_hyphen_values = true,
        requires = "k",
        value_parser = interval
    )]
    v: Option<Interval>,
    /// Bounds for streams of at most N tokens [default: of any length]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = positive_number)]
    length: Option<NonZeroU64>,
}

/// The result, as `--json` writes it. Bounds that do not exist are null.
#[derive(Serialize)]
struct RangeResult {
    model: String,
    /// The text that was run; none if the ranges were given.
    text: Option<String>,
    /// Number of documents that were run.
    documents: usize,
    /// Number of tokens that every channel took.
    tokens: u64,
    /// Number of tokens of the longest document.
    longest_document: u64,
    /// The greatest length of the streams that the bounds hold for; none for any length.
    length: Option<u64>,
    /// The first is the one asked for.
    specs: Vec<WkvSpec>,
    /// Whether the run over the text stayed within all bounds.
    held: bool,
    blocks: Vec<Block>,
}

/// Runs `wkv range`.
pub fn run(arguments: Arguments, context: &Context) -> Result<Outcome, Failure> {
    let Arguments { source, spec, k, v, length } = arguments;
    let length = length.map(NonZeroU64::get);
    let others = COMPARED.iter().map(|spec| spec.parse().expect("a spec"));
    let specs: Vec<WkvSpec> =
        iter::once(spec).chain(others.filter(|other| *other != spec)).collect();

    let result = match (k, v) {
        (Some(k), Some(v)) => {
            let (name, language_model) = source.language_model(context)?;
            let ranges = Ranges::Given { k, v };
            RangeResult {
                blocks: analysis::run(&language_model.model, &ranges, &specs, length, context)?,
                model: name,
                text: None,
                documents: 0,
                tokens: 0,
                longest_document: 0,
                length,
                specs,
                held: true,
            }
        }
        _ => {
            let subject = Subject::load(&source, context)?;
            let observation = Observation::of(&subject, &specs, context)?;
            let Observation { tokens, longest_document, .. } = observation;
            let ranges = Ranges::Observed(&observation);
            let model = &subject.language_model.model;
            let blocks = analysis::run(model, &ranges, &specs, length, context)?;
            RangeResult {
                held: blocks.iter().all(|block| block.held(longest_document)),
                blocks,
                model: subject.model,
                text: Some(subject.text),
                documents: subject.documents.len(),
                tokens,
                longest_document,
                length,
                specs,
            }
        }
    };
    context.say(&result);
    Ok(Outcome::checked(result.held, &result))
}

/// Reads `LO,HI`, for `value_parser`.
fn interval(argument: &str) -> Result<Interval, String> {
    let expected = "expected two finite numbers, the lesser first, such as -20,15";
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let ends = argument.split_once(',').and_then(|(low, high)| Some((number(low)?, number(high)?)));
    let (low, high) = ends.ok_or(expected)?;
    Interval::new(low, high).map_err(|_| expected.to_owned())
}
