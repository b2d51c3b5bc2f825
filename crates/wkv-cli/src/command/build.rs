//! `wkv build`: a circuit, what it is made of, and its netlists.

use std::path::{Path, PathBuf};

use clap::Args;
use morpho::Netlist;
use morpho::format::{self, Format, test_bench};
use morpho::pass::{Mapping, Pass};
use morpho::prove::Vectors;
use serde::Serialize;
use wkv::WkvSpec;
use wkv::circuit::behavioural;
use wkv::prove::coverage::LIMITS;
use wkv::prove::vectors::bench_vectors;

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
    /// exp2, multiplier, divider, step, cell, bank=N, ..., or a cell of the library such as
    /// ripple_adder:16,16,1
    #[arg(long, default_value = "cell")]
    unit: Circuit,
    /// The cells it is made of: gates (the fewest gates) or carry (for FPGAs with carry chains; write
    /// it as rtl)
    #[arg(long, default_value = "gates")]
    style: Style,
    #[arg(long, value_name = "LUT", help = MAP_HELP, value_parser = mapping)]
    map: Option<Mapping>,
    /// Write netlists: blif, verilog, rtl, yosys-json, aiger, aiger-ascii, dot [default with --out:
    /// blif,verilog]
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', value_parser = netlist_format)]
    emit: Vec<Format>,
    /// Write a self-checking test bench too, `CIRCUIT_tb.v`: the fewest vectors that find every
    /// stuck-at fault of a unit, or a stream of tokens for a cell
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
    files: &'a [String],
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
    let (formats, folder) = match (&emit[..], &out) {
        ([], None) if !test_bench => (&[][..], None),
        ([], None) => (&[Format::Verilog][..], Some(Path::new("out/build"))),
        ([], Some(folder)) => (&[Format::Blif, Format::Verilog][..], Some(folder.as_path())),
        (formats, folder) => (formats, Some(folder.as_deref().unwrap_or(Path::new("out/build")))),
    };
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
    let (files, written) = match folder {
        None => (Vec::new(), Vec::new()),
        Some(mut folder) => {
            let mut paths = add_netlists(&mut folder, &netlist, &distinct(formats))?;
            if test_bench {
                for (name, vectors) in benches(&netlist, &unit, &spec, streams.as_deref(), context)?
                {
                    paths.push(add_test_bench(&mut folder, &netlist, &name, &vectors)?);
                    context.interrupt.check()?;
                }
            }
            (folder.into_files(), paths)
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
    let last_words: Vec<String> = written.iter().map(|file| format!("wrote {file}")).collect();
    let built = Built { spec, unit: name, map, before, summary: Some(&summary), files: &written };
    Ok(Outcome::held(built).with_files(files).with_last_words(last_words.join("\n")))
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
    let built = Built { spec, unit, map: None, before: None, summary: None, files: &files };
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

/// The test benches of a circuit: their names, and their vectors.
fn benches(
    netlist: &Netlist,
    unit: &Circuit,
    spec: &WkvSpec,
    streams: Option<&Path>,
    context: &Context,
) -> Result<Vec<(String, Vectors)>, Failure> {
    if !netlist.memories().is_empty() {
        return Err(Failure::input(format!(
            "--test-bench --unit {unit}: it has memories, which show anything before they are read; \
             expected a unit without memories"
        )));
    }
    let name = file_stem(netlist.name());
    if let Some(path) = streams {
        return bench_streams::benches(path, spec, unit, netlist, &name);
    }
    let vectors = match unit {
        Circuit::Unit(unit) => {
            let progress = context.progress(format!("vectors for {unit}"), 0);
            let progress = |done, total| progress.set_of(done, total);
            bench_vectors(spec, *unit, netlist, LIMITS, &progress)
        }
        Circuit::Pipeline(_) | Circuit::Library(..) => Vectors::random(netlist, RANDOM, 1),
    };
    context.interrupt.check()?;
    Ok(vec![(name, vectors)])
}

/// Adds a test bench of a circuit; gives its path.
fn add_test_bench(
    folder: &mut OutputFolder,
    netlist: &Netlist,
    name: &str,
    vectors: &Vectors,
) -> Result<String, Failure> {
    let mut text = Vec::new();
    test_bench::write(netlist, vectors, &mut text)
        .map_err(|error| Failure::input(format!("--test-bench: {error}")))?;
    folder.add(&format!("{name}_tb.v"), |out| out.write_all(&text))
}
