//! `wkv run`.

use clap::Args;

use crate::context::Context;
use crate::failure::Failure;
use crate::outcome::Outcome;

/// Arguments of `wkv run`.
#[derive(Args)]
#[command(after_help = "Example:\n  wkv run")]
pub struct Arguments {}

/// Runs `wkv run`.
pub fn run(_arguments: Arguments, _context: &Context) -> Result<Outcome, Failure> {
    Err(Failure::input("wkv run is not available yet"))
}
