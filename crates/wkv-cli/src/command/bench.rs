//! `wkv bench`: the speed of this program, each figure beside its reference.

mod workload;

use std::fmt;

use clap::Args;
use serde::Serialize;
use wkv::WkvSpec;

use crate::context::Context;
use crate::failure::Failure;
use crate::machine::Machine;
use crate::outcome::Outcome;
use crate::table::Table;

/// Arguments of `wkv bench`.
#[derive(Args)]
#[command(after_help = "\
Each figure is the median of several runs, with the least and the greatest. References are the
figures of the original compiler on a machine like this: cited, not measured here.

Example:
  wkv bench --json bench.json")]
pub struct Arguments {
    /// Much less work; the figures then say little
    #[arg(long)]
    quick: bool,
}

/// The result, as `--json` writes it.
#[derive(Serialize)]
struct Benchmark {
    machine: Machine,
    spec: WkvSpec,
    results: Vec<Figure>,
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

/// What a figure is compared with.
#[derive(Serialize)]
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
    run: Box<dyn FnMut() -> f64>,
}

/// Where the references come from.
const REFERENCE: &str = "the original compiler (Python, numpy), cited, not measured here";

/// Runs `wkv bench`.
pub fn run(arguments: Arguments, context: &Context) -> Result<Outcome, Failure> {
    let spec: WkvSpec = "classic:q8.8".parse()?;
    let (runs, size) = if arguments.quick { (1, workload::QUICK) } else { (7, workload::FULL) };
    let measurements = workload::all(&spec, size)?;
    let progress = context.progress("bench", (measurements.len() * (runs + 1)) as u64);
    let mut results = Vec::new();
    for mut measurement in measurements {
        let mut values = Vec::new();
        // The first run warms the caches up and does not count.
        for run in 0..=runs {
            let value = (measurement.run)();
            context.interrupt.check()?;
            progress.advance(1);
            if run > 0 {
                values.push(value);
            }
        }
        results.push(measurement.figure(values));
    }
    drop(progress);
    let benchmark = Benchmark { machine: Machine::here(), spec, results };
    context.say(&benchmark);
    Ok(Outcome::held(benchmark))
}

impl Measurement {
    /// The figure from the values of all runs, of which there is one at least.
    fn figure(self, mut values: Vec<f64>) -> Figure {
        values.sort_by(f64::total_cmp);
        let runs = values.len();
        let Self { name, unit, about, reference, .. } = self;
        let (min, value, max) = (values[0], values[runs / 2], values[runs - 1]);
        Figure { name, value, min, max, runs, unit, about, reference }
    }
}

impl fmt::Display for Benchmark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { machine, spec, results } = self;
        let Machine { cpu, cores, instruction_set, date, version } = machine;
        writeln!(f, "{spec}, wkv {version}, {date}")?;
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
            writeln!(f, "  {name:23}  {about}")?;
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
