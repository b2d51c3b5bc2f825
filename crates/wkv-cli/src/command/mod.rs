//! The subcommands, one file each: its arguments, and what it does.

mod bench;
mod build;
mod claims;
mod convert;
pub mod docs;
mod generate;
mod netlist;
mod range;
mod report;
mod run;
mod serve;
mod site;
mod sweep;
mod synth;
mod verify;

use clap::Subcommand;

use crate::context::Context;
use crate::failure::Failure;
use crate::outcome::Outcome;

/// A subcommand with its arguments.
#[derive(Subcommand)]
pub enum Command {
    /// From a model to a report: sweep of formats, circuit, proof, netlists, and pages
    Report(report::Arguments),
    /// Measure what each format costs the model
    Sweep(sweep::Arguments),
    /// Measure the published claims about the numerics, and judge them
    Claims(claims::Arguments),
    /// Build a circuit, describe it, and write netlists
    Build(build::Arguments),
    /// Read a netlist of any tool: check, describe, convert and simulate it
    Netlist(netlist::Arguments),
    /// Place and route a circuit on a device: cells, clock and bitstream
    Synth(synth::Arguments),
    /// Prove the units of a spec against the integer model
    Verify(verify::Arguments),
    /// Bound what every register can reach, and find the channels that can saturate
    Range(range::Arguments),
    /// Push token streams through the cell
    Run(run::Arguments),
    /// Tell a story
    Generate(generate::Arguments),
    /// Write a checkpoint in another format
    Convert(convert::Arguments),
    /// Measure the speed of this program, each figure beside its reference
    Bench(bench::Arguments),
    /// Serve the pages, live in a browser
    Serve(serve::Arguments),
    /// Write the pages as static files
    Site(site::Arguments),
    /// Print the generated page of the documentation
    #[command(hide = true)]
    Docs(docs::Arguments),
}

impl Command {
    /// Runs the subcommand.
    pub fn run(self, context: &Context) -> Result<Outcome, Failure> {
        match self {
            Self::Report(arguments) => report::run(arguments, context),
            Self::Sweep(arguments) => sweep::run(arguments, context),
            Self::Claims(arguments) => claims::run(arguments, context),
            Self::Build(arguments) => build::run(arguments, context),
            Self::Netlist(arguments) => netlist::run(arguments, context),
            Self::Synth(arguments) => synth::run(arguments, context),
            Self::Verify(arguments) => verify::run(arguments, context),
            Self::Range(arguments) => range::run(arguments, context),
            Self::Run(arguments) => run::run(arguments, context),
            Self::Generate(arguments) => generate::run(arguments, context),
            Self::Convert(arguments) => convert::run(arguments, context),
            Self::Bench(arguments) => bench::run(arguments, context),
            Self::Serve(arguments) => serve::run(arguments, context),
            Self::Site(arguments) => site::run(arguments, context),
            Self::Docs(arguments) => docs::run(arguments, context),
        }
    }
}
