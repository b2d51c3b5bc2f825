//! `wkv build`: a circuit, what it is made of, and its netlists.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use morpho::Netlist;
use morpho::format::{self, Format, test_bench};
use morpho::pass::{Mapping, Pass};
use morpho::prove::faults::Coverage;
use morpho::prove::{Limits, Vectors};
use serde::Serialize;
use wkv::WkvSpec;
use wkv::circuit::behavioural;
use wkv::prove::coverage::LIMITS;
use wkv::prove::vectors::{BenchVectors, bench_vectors};
use wkv::test_bench::{self as turns_bench, Turns};

use crate::arguments::{
    Circuit, MAP_HELP, SPEC_HELP, Style, Written, circuit_spec, distinct, mapping, netlist_format,
};
use crate::bench_streams;
use crate::circuit::Summary;
use crate::context::Context;
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::output::OutputFolder;
use crate::published::Size;
use crate::sizes::size;

/// Arguments of `wkv build`.
#[derive(Args)]
#[command(after_help = "\
Example:
  wkv build --spec classic:q8.8 --unit cell --emit blif,verilog --out out/cell
  wkv build --unit exp2 --map lut4 --out out/exp2
  wkv build --unit multiplier --test-bench --out out/multiplier")]
pub struct Arguments {
    #[arg(long, help = SPEC_HELP, default_value = "classic:q8.8", value_parser = circuit_spec)]
    spec: WkvSpec,
    /// exp2, multiplier, divider, step, cell, bank=N; the banks whose N channels take turns, serial=N,
    /// shared=N and pipeline=N with options (,dsp for multiplier blocks, ,stages=S or ,delay=PS of a
    /// stage); or a cell of the library such as ripple_adder:16,16,1
    #[arg(long, default_value = "cell")]
    unit: Circuit,
    /// How it is made: gates (of the cells with the fewest gates), carry (of cells for FPGAs with
    /// carry chains; write it as rtl) or behavioural (the cell from its formulas, Verilog with
    /// operators)
    #[arg(long, default_value = "gates")]
    style: Style,
    #[arg(long, value_name = "LUT", help = MAP_HELP, value_parser = mapping)]
    map: Option<Mapping>,
    /// Write netlists: blif, verilog, rtl, yosys-json, aiger, aiger-ascii, dot [default with --out:
    /// blif,verilog; of a circuit with memories rtl,yosys-json]
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', value_parser = netlist_format)]
    emit: Vec<Format>,
    /// Write a self-checking test bench too, `CIRCUIT_tb.v`: few vectors that find every stuck-at
    /// fault of a unit, as far as they are found, or a stream of tokens for a cell
    #[arg(long)]
    test_bench: bool,
    /// With --test-bench: take the tokens of the stream of the spec in this file instead; for a cell,
    /// a bench for each channel, `CIRCUIT_CHANNEL_tb.v`
    #[arg(long, value_name = "FILE", requires = "test_bench")]
    streams: Option<PathBuf>,
    /// The folder for netlists [default with --emit: out/build]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Random vectors for a test bench of a cell of the library.
const RANDOM: usize = 1024;

/// How long vectors that find faults are looked for: all units but the divider by reciprocals take less.
const SEARCH: Limits = Limits { time: Duration::from_secs(60), ..LIMITS };

/// Tokens for a test bench of a circuit whose channels take turns: of all channels together, at least;
/// and of each channel, at least.
const TOKENS: usize = 256;
const TURNS: usize = 4;

/// The result, as `--json` writes it.
#[derive(Serialize)]
struct Built<'a> {
    spec: WkvSpec,
    unit: String,
    /// What it is mapped to.
    #[serde(skip_serializing_if = "Option::is_none")]
    map: Option<&'static str>,
    /// Its size before it was mapped.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Size>,
    #[serde(flatten)]
    summary: Option<&'a Summary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test_bench: Option<&'a Found>,
    files: &'a [String],
}

/// What the vectors of a test bench find.
#[derive(Serialize)]
struct Found {
    vectors: usize,
    /// Stuck-at faults that they find.
    found: usize,
    /// Those that no input shows.
    hidden: usize,
    /// Those that are neither found nor known to be hidden.
    undecided: usize,
}

impl Found {
    fn of(vectors: &Vectors, faults: Coverage) -> Self {
        let Coverage { detected, untestable, missed, undecided } = faults;
        let undecided = missed + undecided;
        Self { vectors: vectors.len(), found: detected, hidden: untestable, undecided }
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { vectors, found, hidden, undecided } = self;
        let all = found + hidden + undecided;
        write!(
            f,
            "{vectors} vectors find {found} of {all} stuck-at faults; {hidden} show on no input"
        )?;
        match undecided {
            0 => Ok(()),
            _ => write!(f, ", and of {undecided} it is not known"),
        }
    }
}

/// Runs `wkv build`.
pub fn run(arguments: Arguments, context: &Context) -> Result<Outcome, Failure> {
    let Arguments { spec, unit, style, map, emit, test_bench, streams, out } = arguments;
    if let (Some(mapping), Style::Behavioural) = (map, style) {
        return Err(Failure::input(format!(
            "--map {} --style {style}: it has no gates to map; expected --style gates or carry",
            mapping.name()
        )));
    }
    let is_written = test_bench || !emit.is_empty() || out.is_some();
    let folder = is_written.then(|| out.as_deref().unwrap_or(Path::new("out/build")));
    let folder = folder.map(|path| context.output_folder("--out", path)).transpose()?;
    let (name, built) = (unit.to_string(), unit.clone());
    let map = map.map(|mapping| style.mapping(mapping));
    let (netlist, summary, before) =
        match context.interruptible(move || built.build_in(style, &spec))?? {
            Written::Text(text) => return write_text(&text, spec, unit, folder),
            Written::Netlist(mut netlist) => context.interruptible(move || {
                let before = map.map(|mapping| {
                    let before = size(&netlist);
                    mapping.run(&mut netlist);
                    before
                });
                let summary = Summary::of(&netlist);
                (netlist, summary, before)
            })?,
        };
    let (files, written, found) = match folder {
        None => (Vec::new(), Vec::new(), None),
        Some(mut folder) => {
            let formats = match &emit[..] {
                [] => default_formats(&netlist, out.is_some()),
                formats => formats,
            };
            let mut paths = add_netlists(&mut folder, &netlist, &distinct(formats))?;
            let mut found = None;
            if test_bench {
                let bench = Bench { netlist: &netlist, unit: &unit, spec: &spec };
                let added = bench.add(&mut folder, streams.as_deref(), context)?;
                paths.extend(added.paths);
                found = added.found;
            }
            (folder.into_files(), paths, found)
        }
    };

    if !matches!(unit, Circuit::Library(..)) {
        context.say(format_args!("{unit} of {spec}"));
    }
    context.say(&summary);
    let map = map.map(|mapping| mapping.name());
    if let (Some(map), Some(Size { gates, depth, .. })) = (map, before) {
        context.say(format_args!("\nmapped to {map}; before {gates} gates, depth {depth}"));
    }
    let found_words = found.iter().map(Found::to_string);
    let last_words: Vec<String> =
        found_words.chain(written.iter().map(|file| format!("wrote {file}"))).collect();
    let (summary, test_bench) = (Some(&summary), found.as_ref());
    let built = Built { spec, unit: name, map, before, summary, test_bench, files: &written };
    Ok(Outcome::held(built).with_files(files).with_last_words(last_words.join("\n")))
}

/// The formats of a circuit when none are asked for: ones that have memories if it has any, and with a
/// test bench alone the one that is simulated.
fn default_formats(netlist: &Netlist, has_folder: bool) -> &'static [Format] {
    match (netlist.memories().is_empty(), has_folder) {
        (true, true) => &[Format::Blif, Format::Verilog],
        (true, false) => &[Format::Verilog],
        (false, true) => &[Format::Rtl, Format::YosysJson],
        (false, false) => &[Format::Rtl],
    }
}

/// Writes a circuit that is a text, whatever formats are asked for.
fn write_text(
    text: &str,
    spec: WkvSpec,
    unit: Circuit,
    folder: Option<OutputFolder>,
) -> Result<Outcome, Failure> {
    let Some(mut folder) = folder else {
        return Err(Failure::input(format!(
            "--style behavioural --unit {unit}: there is nothing to say but its text; expected --out too"
        )));
    };
    let name = format!("{}.v", behavioural::MODULE);
    let path = folder.add(&name, |out| out.write_all(text.as_bytes()))?;
    let last_words = format!("wrote {path}");
    let files = [path];
    let unit = unit.to_string();
    let built = Built {
        spec,
        unit,
        map: None,
        before: None,
        summary: None,
        test_bench: None,
        files: &files,
    };
    Ok(Outcome::held(built).with_files(folder.into_files()).with_last_words(last_words))
}

/// Adds `netlist` in every format; gives the paths.
pub fn add_netlists(
    folder: &mut OutputFolder,
    netlist: &Netlist,
    formats: &[Format],
) -> Result<Vec<String>, Failure> {
    let add = |&format: &Format| {
        let name = format!("{}.{}", file_stem(netlist.name()), format.extension());
        folder.add(&name, |out| format::write(netlist, format, out))
    };
    formats.iter().map(add).collect()
}

/// The name of a circuit as that of a file: a circuit may be named by a stranger.
fn file_stem(name: &str) -> String {
    const LONGEST: usize = 100;
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_-.+=".contains(c) { c } else { '_' };
    let stem: String = name.chars().take(LONGEST).map(plain).collect();
    match stem.starts_with('.') || stem.is_empty() {
        true => format!("_{stem}"),
        false => stem,
    }
}

/// What test benches are for.
struct Bench<'b> {
    netlist: &'b Netlist,
    unit: &'b Circuit,
    spec: &'b WkvSpec,
}

/// Test benches that were added, and what their vectors find if they were chosen for that.
struct Added {
    paths: Vec<String>,
    found: Option<Found>,
}

impl Bench<'_> {
    /// Adds the test benches of the circuit.
    fn add(
        &self,
        folder: &mut OutputFolder,
        streams: Option<&Path>,
        context: &Context,
    ) -> Result<Added, Failure> {
        if let Some(channels) = self.unit.channels_in_turn() {
            return Ok(Added {
                paths: vec![self.add_turns(folder, channels, streams)?],
                found: None,
            });
        }
        let (benches, found) = self.vectors(streams, context)?;
        let mut paths = Vec::new();
        for (name, vectors) in benches {
            let mut text = Vec::new();
            if let Some(found) = &found {
                text.extend_from_slice(format!("// {found}.\n").as_bytes());
            }
            test_bench::write(self.netlist, &vectors, &mut text)
                .map_err(|error| Failure::input(format!("--test-bench: {error}")))?;
            paths.push(folder.add(&format!("{name}_tb.v"), |out| out.write_all(&text))?);
            context.interrupt.check()?;
        }
        Ok(Added { paths, found })
    }

    /// Adds the test bench of a circuit whose channels take turns.
    fn add_turns(
        &self,
        folder: &mut OutputFolder,
        channels: usize,
        streams: Option<&Path>,
    ) -> Result<String, Failure> {
        let turns = match streams {
            Some(path) => bench_streams::turns(path, self.spec, self.unit, channels)?,
            None => Turns::random(channels, TURNS.max(TOKENS.div_ceil(channels))),
        };
        let name = self.netlist.name();
        folder.add(&format!("{}_tb.v", file_stem(name)), |mut out| {
            turns_bench::write(name, self.spec, &turns, &mut out)
        })
    }

    /// The names of the test benches of another circuit, and their vectors; and what these find.
    fn vectors(&self, streams: Option<&Path>, context: &Context) -> Result<Benches, Failure> {
        let &Bench { netlist, unit, spec } = self;
        let name = file_stem(netlist.name());
        if let Some(path) = streams {
            return Ok((bench_streams::benches(path, spec, unit, netlist, &name)?, None));
        }
        let BenchVectors { vectors, faults } = match unit {
            Circuit::Unit(unit) => {
                let progress = context.progress(format!("vectors for {unit}"), 0);
                let progress = |done, total| progress.set_of(done, total);
                bench_vectors(spec, *unit, netlist, SEARCH, &progress)
            }
            Circuit::Pipeline(_) | Circuit::Library(..) => {
                BenchVectors { vectors: Vectors::random(netlist, RANDOM, 1), faults: None }
            }
        };
        context.interrupt.check()?;
        let found = faults.map(|faults| Found::of(&vectors, faults));
        Ok((vec![(name, vectors)], found))
    }
}

/// Names of test benches with their vectors, and what these find.
type Benches = (Vec<(String, Vectors)>, Option<Found>);
