//! `wkv netlist`: a netlist that any tool wrote, checked, described, converted and simulated.

mod description;
mod stimuli;

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use morpho::Diagnostics;
use morpho::format::{self, Format, ReadOptions, Reading};
use morpho::pass::{self, Mapping, Pass};
use serde::Serialize;
use wkv::file;

use self::description::{Description, Size};
use self::stimuli::{Column, Stimuli};
use crate::arguments::{MAP_HELP, distinct, mapping, netlist_format, positive_number};
use crate::command::build::add_netlists;
use crate::context::Context;
use crate::equality::Equality;
use crate::failure::Failure;
use crate::outcome::Outcome;

/// Arguments of `wkv netlist`.
#[derive(Args)]
#[command(after_help = "\
Stimuli are one unsigned number, or \"0x..\", for each input port and clock step:
  {\"inputs\": {\"a\": [3, 5], \"b\": [\"0xff\", 0]}}
The bits a[0], a[1], ... or a_0, a_1, ... form the port a. Registers start from their initial
values; a circuit without any takes the steps as independent vectors.

Example:
  wkv netlist adder.blif --in stimuli.json --emit verilog --out out/adder")]
pub struct Arguments {
    /// The netlist
    file: PathBuf,
    /// Its format: blif, verilog, ... [default: by the ending of its name]
    #[arg(long, value_name = "FORMAT", value_parser = netlist_format)]
    format: Option<Format>,
    /// The module that is the circuit [default: the one that the file says, or that no other uses]
    #[arg(long, value_name = "MODULE")]
    top: Option<String>,
    /// Make the circuit smaller
    #[arg(long, visible_alias = "optimize")]
    optimise: bool,
    #[arg(long, value_name = "LUT", help = MAP_HELP, value_parser = mapping)]
    map: Option<Mapping>,
    /// Simulate the stimuli of this JSON file
    #[arg(long = "in", value_name = "STIMULI")]
    stimuli: Option<PathBuf>,
    /// Prove that this other netlist does the same; ports and registers are matched by name, or else
    /// by order and by what they store
    #[arg(long, value_name = "OTHER")]
    equal: Option<PathBuf>,
    /// The time for that proof, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = positive_number)]
    time_limit: NonZeroU64,
    /// Write the circuit in these formats
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', value_parser = netlist_format)]
    emit: Vec<Format>,
    /// The folder for netlists
    #[arg(long, value_name = "DIR", default_value = "out/netlist")]
    out: PathBuf,
}

/// The result, as `--json` writes it.
#[derive(Serialize)]
struct Examined<'a> {
    #[serde(flatten)]
    description: &'a Description,
    #[serde(skip_serializing_if = "Option::is_none")]
    outputs_by_step: Option<&'a BTreeMap<String, Column>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    equal: Option<&'a Equality>,
    files: &'a [String],
}

/// Runs `wkv netlist`.
pub fn run(arguments: Arguments, context: &Context) -> Result<Outcome, Failure> {
    let Arguments { file, format, top, optimise, map, stimuli, equal, time_limit, emit, out } =
        arguments;
    let folder = match &emit[..] {
        [] => None,
        _ => Some(context.output_folder("--out", &out)?),
    };
    let name = file.display().to_string();
    let (format, mut reading) = read(file, format, top, context)?;
    let before = Size::of(&reading.netlist);
    let changed = optimise || map.is_some();
    if changed {
        reading = context.interruptible(move || {
            if optimise {
                pass::optimise(&mut reading.netlist);
            }
            if let Some(mapping) = map {
                mapping.run(&mut reading.netlist);
            }
            reading
        })?;
    }
    let description = Description::of(name, format, &reading, changed.then_some(before));
    let netlist = &reading.netlist;
    let outputs = stimuli
        .map(|path| stimuli::simulate(netlist, &Stimuli::read(&path, &reading)?, context))
        .transpose()?;
    let equality = equal
        .map(|path| -> Result<Equality, Failure> {
            let name = path.display().to_string();
            let (_, other) = read(path, None, None, context)?;
            let limit = Duration::from_secs(time_limit.get());
            Equality::of(netlist, name, &other.netlist, limit, context)
        })
        .transpose()?;
    let (files, written) = match folder {
        None => (Vec::new(), Vec::new()),
        Some(mut folder) => {
            let paths = add_netlists(&mut folder, netlist, &distinct(&emit))?;
            (folder.into_files(), paths)
        }
    };

    context.say(&description);
    if let Some(outputs) = &outputs {
        context.say(format_args!("\n{}", stimuli::for_people(outputs)));
    }
    if let Some(equality) = &equality {
        context.say(format_args!("\n{equality}"));
    }
    let last_words: Vec<String> = written.iter().map(|file| format!("wrote {file}")).collect();
    let held = equality.as_ref().is_none_or(Equality::held);
    let examined = Examined {
        description: &description,
        outputs_by_step: outputs.as_ref(),
        equal: equality.as_ref(),
        files: &written,
    };
    Ok(Outcome::checked(held, examined).with_files(files).with_last_words(last_words.join("\n")))
}

/// Reads the netlist at `path`.
pub fn read(
    path: PathBuf,
    format: Option<Format>,
    top: Option<String>,
    context: &Context,
) -> Result<(Format, Reading), Failure> {
    let file = path.display().to_string();
    let format = format.or_else(|| Format::of_file(&path)).ok_or_else(|| {
        Failure::input(format!(
            "{file}: its name does not tell its format; expected an ending such as .blif or .v, or \
             --format"
        ))
    })?;
    let reading = context.interruptible(move || parse(&path, format, top))??;
    Ok((format, reading))
}

fn parse(path: &Path, format: Format, top: Option<String>) -> Result<Reading, Failure> {
    let file = path.display().to_string();
    let bytes = file::read(path, file::MOST_BYTES)
        .map_err(|error| Failure::input(format!("{file}: cannot be read: {error}")))?;
    format::read(&bytes, format, &ReadOptions { top, file }).map_err(|problems| refused(&problems))
}

/// All that is wrong with a file.
fn refused(Diagnostics(problems): &Diagnostics) -> Failure {
    Failure::all(problems)
}
