//! `wkv synth`: a circuit placed and routed on a device, its cells and its clock.

mod design;

use std::fmt;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use clap::Args;
use eda::device::{self, Family};
use eda::harness::{self, Sides};
use eda::nextpnr::Stage;
use eda::synthesis::{self, Request};
use eda::tool::SearchPath;
use eda::{Device, Synthesis};
use morpho::pass::{Mapping, Pass};
use serde::Serialize;
use wkv::WkvSpec;

use self::design::Design;
use crate::arguments::{Circuit, SPEC_HELP, Style, circuit_spec, mapping, positive_number};
use crate::context::Context;
use crate::failure::Failure;
use crate::machine::Machine;
use crate::outcome::Outcome;
use crate::table::Table;

/// Arguments of `wkv synth`.
#[derive(Args)]
#[command(after_help = "\
Runs Yosys and nextpnr, with registers around the circuit so that it has a clock to measure. The
clock is the median over placement seeds 1 to N, with the least and the greatest; scripts, logs and
the bitstream of the fastest seed stay in the folder.

Example:
  wkv synth --unit exp2 --device hx8k --seeds 5")]
pub struct Arguments {
    #[arg(long, help = SPEC_HELP, default_value = "classic:q8.8", value_parser = circuit_spec)]
    spec: WkvSpec,
    /// The circuit, as `wkv build` takes it
    #[arg(long, default_value = "cell")]
    unit: Circuit,
    /// How the circuit is made: gates, the netlist gate by gate; carry, of cells for carry chains,
    /// with operators; behavioural, the cell from its formulas, with operators
    #[arg(long, default_value = "gates")]
    style: Style,
    /// Map to look-up tables ourselves, and keep them: lut4, lut4-area, or of fewer inputs; for hx8k
    /// and up5k
    #[arg(long, value_name = "LUT", value_parser = mapping, conflicts_with = "file")]
    map: Option<Mapping>,
    /// Take the design from a file in Verilog or BLIF (.v, .sv, .blif) instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["spec", "unit", "style"])]
    file: Option<PathBuf>,
    /// The top module of the file [default: found by Yosys]
    #[arg(long, value_name = "MODULE", requires = "file", value_parser = module_name)]
    top: Option<String>,
    /// hx8k, up5k, ecp5-25k, ecp5-85k or gw1nr-9
    #[arg(long, value_parser = device)]
    device: Device,
    /// Put no registers after outputs: paths to them then do not count for the clock
    #[arg(long)]
    inputs_only: bool,
    /// The number of placement seeds
    #[arg(long, value_name = "N", default_value = "5", value_parser = positive_number)]
    seeds: NonZeroU64,
    /// Seeds that are placed at once [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = positive_number)]
    jobs: Option<NonZeroU64>,
    /// The time for all tools together, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "3600", value_parser = positive_number)]
    time_limit: NonZeroU64,
    /// The folder for scripts, logs and the bitstream
    #[arg(long, value_name = "DIR", default_value = "out/synth")]
    out: PathBuf,
}

/// Inputs of a look-up table of an iCE40.
const TABLE_INPUTS: usize = 4;

/// The most placement seeds.
const MAX_SEEDS: u64 = 1000;

/// The result, as `--json` writes it.
#[derive(Serialize)]
struct Synthesised {
    #[serde(flatten)]
    design: Design,
    #[serde(flatten)]
    synthesis: Synthesis,
    machine: Machine,
}

/// Runs `wkv synth`.
pub fn run(arguments: Arguments, context: &Context) -> Result<Outcome, Failure> {
    let seeds = arguments.seeds.get();
    if seeds > MAX_SEEDS {
        return Err(Failure::input(format!(
            "--seeds {seeds}: too many; expected a number from 1 to {MAX_SEEDS}"
        )));
    }
    // Kept while tools run, so that a folder made for a run that is stopped goes with it.
    let folder = context.output_folder("--out", &arguments.out)?;
    let Arguments { spec, unit, style, map, file, top, device, inputs_only, .. } = arguments;
    if let Some(mapping) = map
        && (mapping.inputs() > TABLE_INPUTS || device.family != Family::Ice40)
    {
        return Err(Failure::input(format!(
            "--map {} --device {device}: such tables cannot be kept; expected lut2 to lut4 on hx8k or up5k",
            mapping.name()
        )));
    }
    let (design, source) = match (file, map) {
        (Some(file), _) => Design::read(&file)?,
        (None, Some(mapping)) => {
            context.interruptible(move || Design::mapped(&spec, &unit, style, mapping))??
        }
        (None, None) => context.interruptible(move || Design::of(&spec, &unit, style))??,
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let jobs = arguments.jobs.and_then(|jobs| jobs.get().try_into().ok()).unwrap_or(cores);
    let progress = context.progress(format!("{design} on {device}"), seeds);
    let synthesis = synthesis::run(&Request {
        source: &source.text,
        language: source.language,
        top: top.as_deref().or(source.top),
        device,
        registers: if inputs_only { Sides::Inputs } else { Sides::Both },
        seeds: &Vec::from_iter(1..=seeds),
        jobs,
        limit: Duration::from_secs(arguments.time_limit.get()),
        folder: &arguments.out,
        search: &SearchPath::of_environment(),
        stop: &|| context.interrupt.requested(),
        progress: &|done, total| {
            // Whether to go on is asked by `stop`.
            let _ = progress.set_of(done, total);
        },
    })?;
    drop((progress, folder));
    let synthesised = Synthesised { design, synthesis, machine: Machine::here() };
    context.say(&synthesised);
    Ok(Outcome::held(synthesised))
}

impl fmt::Display for Synthesised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { design, synthesis, .. } = self;
        let Synthesis { device, harness: registers, mhz, .. } = synthesis;
        writeln!(f, "{design} on {}\n", device.title)?;
        let mut table = Table::new(["figure", "value"]);
        let mut row = |name: &str, value: String| table.row([name.to_owned(), value]);
        row("cells", format!("{} of {}", synthesis.cells, device.cells));
        row("flip-flops", synthesis.registers.to_string());
        row("RAM blocks", format!("{} of {}", synthesis.ram_blocks, device.ram_blocks));
        row("multipliers", format!("{} of {}", synthesis.dsp, device.dsp));
        row("clock, median", format!("{:.2} MHz", mhz.median));
        row("least", format!("{:.2} MHz", mhz.min));
        row("greatest", format!("{:.2} MHz", mhz.max));
        row("seeds", synthesis.seeds.len().to_string());
        for (tool, version) in &synthesis.tools {
            row(tool, version.clone());
        }
        writeln!(f, "{table}\n")?;
        let how = match registers.style {
            harness::Style::Parallel => "a pin each",
            harness::Style::Serial => "in shift registers, as there are too few pins",
        };
        writeln!(
            f,
            "with {} registers before inputs and {} after outputs, {how}",
            registers.inputs, registers.outputs
        )?;
        if synthesis.clock_of == Stage::Placed {
            writeln!(f, "nextpnr gave no clock after routing; these are its estimates before")?;
        }
        write!(f, "bitstream {}, log {}", synthesis.bitstream.display(), synthesis.log.display())
    }
}

/// Reads the name of a device, for `value_parser`.
fn device(argument: &str) -> Result<Device, device::UnknownDevice> {
    argument.parse()
}

/// Reads the name of a module, which becomes part of a script, for `value_parser`.
fn module_name(argument: &str) -> Result<String, &'static str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_$.".contains(c);
    match !argument.is_empty() && argument.chars().all(plain) {
        true => Ok(argument.to_owned()),
        false => Err("expected a name of letters, digits, _, $ and dots"),
    }
}
