//! `wkv run`: token streams through the cell.

use std::collections::HashMap;
use std::iter;
use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use serde::Serialize;
use wkv::circuit::gates::Gates;
use wkv::fixed::{Bank, State};
use wkv::stats::{Counts, Saturations, Underflows};
use wkv::{Arithmetic, Recurrence, WkvSpec, float};

use crate::arguments::SPEC_HELP;
use crate::context::Context;
use crate::engine::Engine;
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::output::OutputFile;
use crate::progress::Progress;
use crate::stream::{self, Numbers, Stream, by_channel, by_token};
use crate::table::Table;
use crate::waveform::{self, Channel};

/// Arguments of `wkv run`.
#[derive(Args)]
#[command(after_help = "\
A stream is {\"spec\": S, \"k\": [[..]], \"v\": [[..]], \"u\": [..], \"w\": [..]}: k and v as
[channel][token], u and w as [channel], all exponents base 2. Lines of a .jsonl file are
independent streams. The result is each stream with out, the final aa, bb and pp, and how often
each register saturated and an exponential underflowed.

Engines fixed and gates take raw integers of the spec; if a stream has a spec and --spec is given,
they must agree. Engine float takes the numbers as reals, as they stand, whatever the spec; it
counts no saturations, and pp is null before the first token. A decay w is at most 0; a positive
one is computed as it stands, with a note.

Example:
  wkv run --spec classic:q8.8 --engine gates --in streams.json --out result.json --vcd wave.vcd")]
pub struct Arguments {
    #[arg(long, help = SPEC_HELP, value_parser = Arithmetic::resolve)]
    spec: Option<Arithmetic>,
    /// float (f64), fixed (the integer model) or gates (the circuit)
    /// [default: fixed, or float for the spec float]
    #[arg(long, value_enum, hide_possible_values = true)]
    engine: Option<Engine>,
    /// The streams, .json or .jsonl
    #[arg(long = "in", value_name = "FILE")]
    input: PathBuf,
    /// Write the streams with their results, in the same form
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the waveform of channel 0 of the first stream; engine gates only
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,
}

/// A stream with its results, raw integers or reals.
#[derive(Serialize)]
#[serde(untagged)]
enum AnyResult {
    Raw(StreamResult<i32>),
    Real(StreamResult<f64>),
}

#[derive(Serialize)]
struct StreamResult<N> {
    spec: Arithmetic,
    engine: Engine,
    #[serde(flatten)]
    numbers: Numbers<N>,
    out: Vec<Vec<N>>,
    aa: Vec<N>,
    bb: Vec<N>,
    pp: Vec<N>,
    saturations: Saturations,
    underflows: u64,
    underflows_by_exponential: Underflows,
}

/// Runs `wkv run`.
pub fn run(arguments: Arguments, context: &Context) -> Result<Outcome, Failure> {
    let Arguments { spec, engine, input, out, vcd } = arguments;
    let engine = engine.unwrap_or_else(|| spec.map_or(Engine::Fixed, Engine::of));
    if vcd.is_some() && engine != Engine::Gates {
        return Err(Failure::input("--vcd shows the gates; expected --engine gates with it"));
    }
    let streams = stream::read(&input)?;
    let open = |option, path: Option<PathBuf>| -> Result<Option<OutputFile>, Failure> {
        path.map(|path| context.output_file(option, &path)).transpose()
    };
    let (mut out, mut vcd) = (open("--out", out)?, open("--vcd", vcd)?);

    let steps = streams.iter().map(Stream::steps).sum();
    let mut runner = Runner {
        engine,
        spec,
        context,
        progress: context.progress("channel-steps", steps),
        gates: HashMap::new(),
        counts: Counts::default(),
    };
    let run = |stream: &Stream| runner.run(stream);
    let results = streams.iter().map(run).collect::<Result<Vec<_>, _>>()?;
    if let Some(file) = &mut vcd {
        runner.waveform(&streams[0], file)?;
    }
    if let Some(file) = &mut out {
        results.iter().try_for_each(|result| file.write_json(result))?;
    }
    let Runner { counts, progress, .. } = runner;
    drop(progress);

    let (name, number) = (engine.to_possible_value(), streams.len());
    let name = name.as_ref().map_or("", PossibleValue::get_name);
    context.say(format_args!("engine: {name}; streams: {number}; channel-steps: {steps}"));
    if engine != Engine::Float {
        context.say(count_table("saturations", &counts.saturations.named()));
        context.say(count_table("underflows", &counts.underflows.named()));
    }
    let outcome = match &results[..] {
        [result] if !stream::is_lines(&input) => Outcome::held(result),
        results => Outcome::held(results),
    };
    Ok(outcome.with_files([vcd, out].into_iter().flatten().collect()))
}

fn count_table(heading: &str, counts: &[(&str, u64)]) -> Table {
    let (names, numbers): (Vec<&str>, Vec<String>) =
        counts.iter().map(|&(name, count)| (name, count.to_string())).unzip();
    let mut table = Table::new(iter::once(heading).chain(names));
    table.row(iter::once(String::new()).chain(numbers));
    table
}

/// Runs streams one after another.
struct Runner<'a> {
    engine: Engine,
    /// The numerics that the command line names.
    spec: Option<Arithmetic>,
    context: &'a Context,
    progress: Progress,
    /// The compiled cells so far.
    gates: HashMap<WkvSpec, Gates>,
    /// What all streams together saturated.
    counts: Counts,
}

/// Tokens that an engine takes at a time, so that it can be interrupted.
const CHUNK: usize = 256;

impl Runner<'_> {
    fn run(&mut self, stream: &Stream) -> Result<AnyResult, Failure> {
        if let Some(channel) = stream.w.iter().position(|&w| w > 0.0) {
            self.context.note(format_args!(
                "{}: \"w\" in channel {channel} is positive; expected a decay of at most 0",
                stream.place
            ));
        }
        match self.engine {
            Engine::Float => self.run_float(stream).map(AnyResult::Real),
            Engine::Fixed => self.run_fixed(stream).map(AnyResult::Raw),
            Engine::Gates => self.run_gates(stream).map(AnyResult::Raw),
        }
    }

    fn run_float(&self, stream: &Stream) -> Result<StreamResult<f64>, Failure> {
        if let Some(Arithmetic::Fixed(spec)) = stream.spec {
            self.context.note(format_args!(
                "{}: its spec is {spec}, but engine float takes its numbers as reals",
                stream.place
            ));
        }
        let numbers = stream.real();
        let mut bank = float::Bank::new(&numbers.u, &numbers.w);
        let out = self.advance(&numbers, CHUNK, |k, v| {
            let mut out = vec![0.0; k.len()];
            bank.run_f64(k, v, &mut out);
            out
        })?;
        let states = bank.states();
        // Before the first token `pp` is infinite by definition.
        let reached = states.iter().filter(|_| !out.is_empty());
        let registers = reached.flat_map(|state| [state.aa, state.bb, state.pp]);
        if out.iter().copied().chain(registers).any(|number| !number.is_finite()) {
            return Err(stream.fault("a result is too large for f64; expected smaller numbers"));
        }
        Ok(StreamResult {
            spec: Arithmetic::Float,
            engine: self.engine,
            out: by_channel(&out, stream.channels()),
            aa: states.iter().map(|state| state.aa).collect(),
            bb: states.iter().map(|state| state.bb).collect(),
            pp: states.iter().map(|state| state.pp).collect(),
            numbers,
            saturations: Saturations::default(),
            underflows: 0,
            underflows_by_exponential: Underflows::default(),
        })
    }

    fn run_fixed(&mut self, stream: &Stream) -> Result<StreamResult<i32>, Failure> {
        let spec = self.spec_of(stream)?;
        let numbers = stream.raw(spec.format)?;
        let mut bank = Bank::from_raw(&spec, &numbers.u, &numbers.w)?;
        let out = self.advance(&numbers, CHUNK, |k, v| {
            let mut out = vec![0; k.len()];
            bank.run_raw(k, v, &mut out).expect("the stream fits the format");
            out
        })?;
        let states: Vec<State> = (0..stream.channels()).map(|c| bank.state(c)).collect();
        Ok(self.raw_result(spec, numbers, &out, &states, bank.counts()))
    }

    fn run_gates(&mut self, stream: &Stream) -> Result<StreamResult<i32>, Failure> {
        let spec = self.spec_of(stream)?;
        let numbers = stream.raw(spec.format)?;
        let mut bank = self.compiled(spec).raw_bank(&numbers.u, &numbers.w);
        let out = self.advance(&numbers, 1, |k, v| bank.step_raw(k, v))?;
        Ok(self.raw_result(spec, numbers, &out, &bank.states(), bank.counts()))
    }

    /// The numerics of a stream, from the command line or the file.
    fn spec_of(&self, stream: &Stream) -> Result<WkvSpec, Failure> {
        match (self.spec, stream.spec) {
            (Some(given), Some(own)) if given != own => Err(stream.fault(format_args!(
                "its spec is {own} but --spec is {given}; expected the same, or no --spec"
            ))),
            (Some(Arithmetic::Fixed(spec)), _) | (None, Some(Arithmetic::Fixed(spec))) => Ok(spec),
            (None, None) => {
                Err(stream.fault("it has no \"spec\"; expected one there, or the option --spec"))
            }
            (Some(exact @ Arithmetic::Exact(_)), _)
            | (None, Some(exact @ Arithmetic::Exact(_))) => Err(stream.fault(format_args!(
                "its spec is {exact}, an arm of wkv sweep alone; expected one without exp2=exact"
            ))),
            _ => Err(stream.fault(
                "its spec is float, which has no raw integers; expected a fixed-point spec, or \
                 --engine float",
            )),
        }
    }

    fn compiled(&mut self, spec: WkvSpec) -> &Gates {
        self.gates.entry(spec).or_insert_with(|| Gates::new(&spec))
    }

    /// Runs all tokens through a bank, `chunk` at a time; gives its outputs, `[token][channel]`.
    fn advance<N: Copy>(
        &self,
        numbers: &Numbers<N>,
        chunk: usize,
        mut bank: impl FnMut(&[N], &[N]) -> Vec<N>,
    ) -> Result<Vec<N>, Failure> {
        let (k, v) = (by_token(&numbers.k), by_token(&numbers.v));
        let chunk = chunk * numbers.u.len().max(1);
        let mut out = Vec::with_capacity(k.len());
        for (k, v) in iter::zip(k.chunks(chunk), v.chunks(chunk)) {
            out.extend(bank(k, v));
            self.progress.advance(k.len() as u64);
            self.context.interrupt.check()?;
        }
        Ok(out)
    }

    fn raw_result(
        &mut self,
        spec: WkvSpec,
        numbers: Numbers<i32>,
        out: &[i32],
        states: &[State],
        counts: Counts,
    ) -> StreamResult<i32> {
        self.counts += counts;
        StreamResult {
            spec: Arithmetic::Fixed(spec),
            engine: self.engine,
            out: by_channel(out, states.len()),
            aa: states.iter().map(|state| state.aa).collect(),
            bb: states.iter().map(|state| state.bb).collect(),
            pp: states.iter().map(|state| state.pp).collect(),
            numbers,
            saturations: counts.saturations,
            underflows: counts.underflows.total(),
            underflows_by_exponential: counts.underflows,
        }
    }

    /// Writes the waveform of channel 0 of `stream`.
    fn waveform(&mut self, stream: &Stream, file: &mut OutputFile) -> Result<(), Failure> {
        let spec = self.spec_of(stream)?;
        let Numbers { k, v, u, w } = stream.raw(spec.format)?;
        let (Some(k), Some(v), Some(&u), Some(&w)) = (k.first(), v.first(), u.first(), w.first())
        else {
            return Err(stream.fault("it has no channels; --vcd expects at least one"));
        };
        let channel = Channel { k, v, u, w };
        file.write(|out| waveform::write(&spec, self.compiled(spec), &channel, out))
    }
}
