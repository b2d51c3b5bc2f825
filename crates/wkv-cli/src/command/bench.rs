//! `wkv bench`: the speed of this program, each figure beside its reference.

mod cell;
mod child;
mod model;
mod package;
mod peers;
mod workload;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use wkv::WkvSpec;

use self::cell::Cell;
use self::model::Speaker;
use self::peers::Peers;
use crate::context::Context;
use crate::failure::Failure;
use crate::machine::Machine;
use crate::outcome::Outcome;
use crate::table::Table;

/// Arguments of `wkv bench`.
#[derive(Args)]
#[command(after_help = "\
Each figure is the median of several rounds, with the least and the greatest. A round measures
everything once, so that what disturbs the machine disturbs all. References are the figures of the
original compiler on a machine like this: cited, not measured here.

With --peers the same cell also runs in Verilator, on the same streams; needs verilator, make and g++.
Its outputs are compared with the integer model. The rwkv package of PyPI runs the same weights on the
CPU; needs python3 with rwkv and torch. Its logits are compared with ours.

Examples:
  wkv bench --json bench.json
  wkv bench --peers --model models/stories-1.5m")]
pub struct Arguments {
    /// The model whose stories and prompts are measured [default: the embedded stories-1.5m]
    #[arg(long, value_name = "PATH")]
    model: Option<PathBuf>,
    /// Measure Verilator and the rwkv package too; to build it takes a minute
    #[arg(long)]
    peers: bool,
    /// Much less work; the figures then say little
    #[arg(long)]
    quick: bool,
}

/// The result, as `--json` writes it.
#[derive(Serialize)]
struct Benchmark {
    machine: Machine,
    spec: WkvSpec,
    model: String,
    results: Vec<Figure>,
    skipped: Vec<Skipped>,
    /// Checks that failed; none if all is well.
    failures: Vec<String>,
}

/// One figure.
#[derive(Serialize)]
struct Figure {
    name: &'static str,
    /// Median of the runs.
    value: f64,
    min: f64,
    max: f64,
    runs: usize,
    unit: &'static str,
    /// What is measured.
    about: &'static str,
    reference: Option<Reference>,
}

/// A figure that there is not.
#[derive(Serialize)]
struct Skipped {
    name: &'static str,
    /// Why, and how to get it.
    reason: String,
}

/// What a figure is compared with.
#[derive(Clone, Copy, Serialize)]
struct Reference {
    name: &'static str,
    value: f64,
}

impl Reference {
    fn new(value: f64) -> Self {
        Self { name: REFERENCE, value }
    }
}

/// Something to measure.
struct Measurement {
    name: &'static str,
    unit: &'static str,
    about: &'static str,
    reference: Option<Reference>,
    /// One run: the figure.
    run: Box<dyn FnMut() -> Result<f64, Failure>>,
}

/// One figure by another of the same round.
struct Ratio {
    name: &'static str,
    about: &'static str,
    numerator: &'static str,
    denominator: &'static str,
}

/// Where the references come from.
const REFERENCE: &str = "the original compiler (Python, numpy), cited, not measured here";

/// Why there are no peers unless asked for.
const NOT_ASKED: &str = "not asked for: wkv bench --peers";

/// Runs `wkv bench`.
pub fn run(arguments: Arguments, context: &Context) -> Result<Outcome, Failure> {
    let spec: WkvSpec = "classic:q8.8".parse()?;
    let (rounds, size) = if arguments.quick { (1, workload::QUICK) } else { (7, workload::FULL) };
    let cell = Arc::new(Cell::new(&spec)?);
    let path = arguments.model.as_deref();
    let (model, speaker) = Speaker::new(path, size)?;
    let mut measurements = workload::all(&cell, &spec, size);
    measurements.extend(model::all(&speaker, spec, size));
    let mut peers;
    if arguments.peers {
        peers = Peers::build(&cell, &spec, size, context)?;
        peers.add_package(path, &speaker, size, context)?;
    } else {
        peers = Peers::none(&cell, &spec, size, NOT_ASKED);
        peers.skip_package(NOT_ASKED);
    }
    let Peers { measurements: of_peers, figures: builds, skipped, failures } = peers;
    measurements.extend(of_peers);
    let results = measure(measurements, rounds, context)?.into_iter().chain(builds).collect();
    let machine = Machine::here();
    let benchmark = Benchmark { machine, spec, model, results, skipped, failures };
    context.say(&benchmark);
    Ok(Outcome::checked(benchmark.failures.is_empty(), benchmark))
}

/// Measures everything in rounds.
fn measure(
    mut measurements: Vec<Measurement>,
    rounds: usize,
    context: &Context,
) -> Result<Vec<Figure>, Failure> {
    let progress = context.progress("bench", (measurements.len() * (rounds + 1)) as u64);
    let mut values = vec![Vec::new(); measurements.len()];
    // The first round warms the caches up and does not count.
    for round in 0..=rounds {
        for (measurement, values) in std::iter::zip(&mut measurements, &mut values) {
            let value = (measurement.run)()?;
            context.interrupt.check()?;
            progress.advance(1);
            if round > 0 {
                values.push(value);
            }
        }
    }
    let values_of = |name| {
        let place = measurements.iter().position(|measurement| measurement.name == name);
        &values[place.expect("a ratio is of measured figures")]
    };
    let all = workload::RATIOS.into_iter().chain(model::RATIOS);
    let ratios = all.map(|Ratio { name, about, numerator, denominator }| {
        let rounds = std::iter::zip(values_of(numerator), values_of(denominator));
        let quotients = rounds.map(|(numerator, denominator)| numerator / denominator).collect();
        Figure::new(name, quotients, "", about, None)
    });
    let figure = |(measurement, values): (&Measurement, &Vec<f64>)| {
        let Measurement { name, unit, about, reference, .. } = measurement;
        Figure::new(name, values.clone(), unit, about, *reference)
    };
    let measured = std::iter::zip(&measurements, &values).map(figure);
    Ok(measured.chain(ratios).collect())
}

impl Figure {
    /// The figure from the values of all runs, of which there is one at least.
    fn new(
        name: &'static str,
        mut values: Vec<f64>,
        unit: &'static str,
        about: &'static str,
        reference: Option<Reference>,
    ) -> Self {
        values.sort_by(f64::total_cmp);
        let runs = values.len();
        let (min, value, max) = (values[0], values[runs / 2], values[runs - 1]);
        Self { name, value, min, max, runs, unit, about, reference }
    }
}

impl fmt::Display for Benchmark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { machine, spec, model, results, skipped, failures } = self;
        let Machine { cpu, cores, instruction_set, date, version } = machine;
        writeln!(f, "{spec}, {model}, wkv {version}, {date}")?;
        writeln!(f, "{cpu}, {cores} cores, {instruction_set}\n")?;
        let headings = ["figure", "median", "least", "greatest", "unit", "reference"];
        let mut table = Table::new(headings);
        for Figure { name, value, min, max, unit, reference, .. } in results {
            let reference = reference.as_ref().map(|reference| short(reference.value));
            let [value, min, max] = [value, min, max].map(|&number| short(number));
            let reference = reference.unwrap_or_default();
            table.row([(*name).to_owned(), value, min, max, (*unit).to_owned(), reference]);
        }
        writeln!(f, "{table}\n")?;
        for Figure { name, about, .. } in results {
            writeln!(f, "  {name:27}  {about}")?;
        }
        for Skipped { name, reason } in skipped {
            writeln!(f, "  {name:27}  skipped: {reason}")?;
        }
        for failure in failures {
            writeln!(f, "\n  FAILED: {failure}")?;
        }
        write!(f, "\n  reference: {REFERENCE}")
    }
}

/// A positive number in three digits, large ones with a unit prefix.
fn short(number: f64) -> String {
    let prefixes = [(1e9, " G"), (1e6, " M"), (1e3, " k")];
    let prefix = prefixes.into_iter().find(|(scale, _)| number >= *scale);
    let (scale, prefix) = prefix.unwrap_or((1.0, ""));
    let scaled = number / scale;
    let digits_before_point = scaled.log10().floor() as i32 + 1;
    format!("{scaled:.*}{prefix}", (3 - digits_before_point).clamp(0, 9) as usize)
}
