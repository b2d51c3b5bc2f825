//! `wkv report`: from a model to a circuit proven right, on one page.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use morpho::format::Format;
use wkv::arithmetic::PUBLISHED;
use wkv::circuit::build;
use wkv::verify::Effort;
use wkv::{Arithmetic, WkvSpec};

use super::build::add_netlists;
use crate::arguments::command_line;
use crate::circuit::Summary;
use crate::context::Context;
use crate::failure::Failure;
use crate::machine::Machine;
use crate::outcome::Outcome;
use crate::output::OutputFolder;
use crate::published;
use crate::report::choice::Choice;
use crate::report::exp2::Exp2Deviation;
use crate::report::model_run::ModelRun;
use crate::report::notation::{counted, thousands};
use crate::report::page::page;
use crate::report::spectrum::Spectrum;
use crate::report::stories::Stories;
use crate::report::subject::{Source, Subject};
use crate::report::{Build, Netlists, Report, plot};
use crate::sizes::{UNITS, unit_sizes};
use crate::sweep::Sweep;
use crate::verification::{Verification, all_units};

/// Arms that the report measures beside the published ones: the formats between them, and the
/// option that saves most gates on the formats that look best.
const MORE_ARMS: [&str; 4] =
    ["classic:q7.9", "classic:q9.7", "classic:q7.9:nointerp", "classic:q6.10:nointerp"];

/// Arguments of `wkv report`.
#[derive(Args)]
#[command(after_help = "\
Writes report.html, report.json, the pictures and the netlists of the committed format. Exit code 1 if
the gates and the integer model differ anywhere.

Example:
  wkv report --tokens 5000 --out out/report")]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// The folder for the report
    #[arg(long, value_name = "DIR", default_value = "out/report")]
    out: PathBuf,
}

/// Runs `wkv report`.
pub fn run(arguments: Arguments, context: &Context) -> Result<Outcome, Failure> {
    let started = Instant::now();
    let Arguments { source, out } = arguments;
    let mut folder = context.output_folder("--out", &out)?;
    let in_folder = |name: &str| out.join(name).display().to_string();
    let mut files = vec![in_folder(Report::HTML), in_folder(Report::JSON)];
    let subject = Subject::load(&source, context)?;

    let sweep = Sweep::run(&subject, &arms(), context)?;
    context.say(format_args!("{sweep}\n"));

    let choice = Choice::make(&sweep)?;
    let committed = choice.committed;
    context.say(format_args!("committed: {committed}\n{}\n", choice.why));

    let build = build_units(&committed, &mut folder, context)?;
    files.extend(build.files.iter().cloned());
    context.say(format_args!(
        "cell: {} gates, {} flip-flops, depth {}\n",
        thousands(build.summary.gates as u64),
        build.summary.registers,
        build.summary.depth
    ));
    let exp2 = exp2_deviations(&committed)?;

    let mut verify =
        Verification::run(&committed, all_units(&committed), Effort::Vectors, context)?;
    verify.prove_cell(context)?;
    context.say(format_args!("{verify}\n"));
    let arm = sweep.arm(Arithmetic::Fixed(committed)).expect("the committed format was measured");
    let model_run = ModelRun::run(&subject, &committed, arm, context)?;
    context.say(format_args!(
        "gates in the model: {} channel-steps, {} of {} differ\n",
        thousands(model_run.channel_steps),
        model_run.mismatches,
        counted(model_run.documents as u64, "document")
    ));

    let stories = Stories::tell(&subject, &committed, context)?;
    let spectrum = Spectrum::of(&subject.language_model.model);
    for (name, picture) in Report::pictures(&sweep, &choice, &spectrum) {
        let picture = plot::standalone(&picture);
        files.push(folder.add(name, |file| file.write_all(picture.as_bytes()))?);
    }
    let report = Report {
        commands: commands(&source, &sweep, &committed, &stories),
        choice,
        sweep,
        spectrum,
        build,
        exp2,
        verify,
        model_run,
        stories,
        files,
        machine: Machine::here(),
        seconds: started.elapsed().as_secs_f64(),
    };
    folder.add(Report::JSON, |file| {
        serde_json::to_writer_pretty(&mut *file, &report)?;
        writeln!(file)
    })?;
    let page = page(&report);
    let path = folder.add(Report::HTML, |file| file.write_all(page.as_bytes()))?;
    let last_words = format!("{:.1} seconds; read {path}", report.seconds);
    let outcome = Outcome::checked(report.held(), &report);
    Ok(outcome.with_files(folder.into_files()).with_last_words(last_words))
}

fn arms() -> Vec<Arithmetic> {
    let arms = PUBLISHED.iter().chain(&MORE_ARMS);
    arms.map(|arm| arm.parse().expect("the arms are specs")).collect()
}

/// Describes the cell and adds the netlists of every unit to the folder.
fn build_units(
    spec: &WkvSpec,
    folder: &mut OutputFolder,
    context: &Context,
) -> Result<Build, Failure> {
    let mut netlists = Vec::new();
    let mut summary = None;
    for unit in UNITS {
        context.interrupt.check()?;
        let netlist = build(spec, unit)?;
        let files = add_netlists(folder, &netlist, &[Format::Blif, Format::Verilog])?;
        netlists.push(Netlists { unit: unit.to_string(), files });
        summary = Some((unit.to_string(), Summary::of(&netlist)));
    }
    let (unit, summary) = summary.expect("the last unit is the cell");
    let files = netlists.iter().flat_map(|netlist| netlist.files.iter().cloned()).collect();
    Ok(Build { spec: *spec, unit, summary, units: unit_sizes(spec)?, netlists, files })
}

/// The committed format's exp2 unit, the same with interpolation, and the published one.
fn exp2_deviations(committed: &WkvSpec) -> Result<Vec<Exp2Deviation>, Failure> {
    let mut interpolated = *committed;
    interpolated.exp2.interpolate = true;
    let mut specs = vec![*committed, interpolated, published::spec()];
    specs.dedup();
    specs.iter().map(Exp2Deviation::measure).collect()
}

/// Command lines that repeat the report and its parts.
fn commands(source: &Source, sweep: &Sweep, spec: &WkvSpec, stories: &Stories) -> Vec<String> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let spec = spec.to_string();
    let specs = sweep.arms.iter().flat_map(|arm| ["--spec".to_owned(), arm.spec.to_string()]);
    let model = Source { text: None, tokens: None, ..source.clone() };
    let options = stories.options;
    let story = |spec: &str, engine: &str| {
        let [tokens, seed] = [options.tokens.to_string(), options.seed.to_string()];
        let [temperature, top_p] = [options.temperature.to_string(), options.top_p.to_string()];
        [
            words(&["generate"]),
            model.options(),
            words(&["--prompt", &stories.prompt, "--spec", spec, "--engine", engine]),
            words(&["--tokens", &tokens, "--temperature", &temperature]),
            words(&["--top-p", &top_p, "--seed", &seed]),
        ]
        .concat()
    };
    [
        [words(&["report"]), source.options()].concat(),
        [words(&["sweep"]), source.options(), specs.collect()].concat(),
        words(&["build", "--spec", &spec, "--unit", "cell", "--emit", "blif,verilog"]),
        words(&["verify", "--spec", &spec]),
        words(&["verify", "--spec", &spec, "--exhaustive"]),
        story("float", "float"),
        story(&spec, "gates"),
    ]
    .iter()
    .map(|words| command_line(words))
    .collect()
}
