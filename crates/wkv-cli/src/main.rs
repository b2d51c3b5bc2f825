//! The `wkv` command: from a trained RWKV-v4 model to a circuit proven right.
//!
//! One file a subcommand under [`command`]; what they share is here: the [`Context`] that a
//! command talks through, and the [`Outcome`] or [`Failure`] that it ends in.

mod arguments;
mod bench_streams;
mod circuit;
mod claims;
mod command;
mod context;
mod cost;
mod coverage;
mod embedded;
mod engine;
mod equality;
mod failure;
mod inputs;
mod interrupt;
mod machine;
mod outcome;
mod output;
mod progress;
mod published;
mod report;
mod server;
mod site;
mod sizes;
mod stream;
mod sweep;
mod table;
mod verification;
mod waveform;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser};

use command::Command;
use context::Context;
use failure::Failure;
use outcome::Outcome;

const EXIT_CODES: &str = "\
Exit codes: 0 done and everything held, 1 a check failed, 2 bad input or usage, 70 a fault of
wkv itself, 130 interrupted.

Example:
  wkv report";

/// From the attention of a trained RWKV-v4 model to a circuit proven right.
#[derive(Parser)]
#[command(name = "wkv", version, after_help = EXIT_CODES, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Write the machine-readable result to FILE, or to standard output if FILE is `-`
    #[arg(long, global = true, value_name = "FILE")]
    json: Option<PathBuf>,
}

fn main() -> ExitCode {
    let mut definition = Cli::command();
    let matches = definition.get_matches_mut();
    let Cli { command, json } = Cli::from_arg_matches(&matches)
        .unwrap_or_else(|error| error.format(&mut definition).exit());
    inputs::protect(&definition, &matches);
    match run(command, json) {
        Ok(outcome) => outcome.exit_code(),
        Err(failure) => {
            // There is nowhere left to complain if standard error is closed.
            let _ = failure.print();
            failure.exit_code()
        }
    }
}

fn run(command: Command, json: Option<PathBuf>) -> Result<Outcome, Failure> {
    let context = Context::new()?;
    let json = json.map(|path| context.output_file("--json", &path)).transpose()?;
    let mut outcome = command.run(&context)?;
    let (mut files, last_words) = outcome.take_files();
    if let Some(mut json) = json {
        json.write(|out| writeln!(out, "{}", outcome.result()))?;
        files.push(json);
    }
    // All that can fail comes first, so that all files are placed or none.
    output::flush(&mut files)?;
    context.check_text()?;
    context.interrupt.check()?;
    output::place(files)?;
    if !last_words.is_empty() {
        context.say(last_words);
    }
    context.check_text()?;
    Ok(outcome)
}
