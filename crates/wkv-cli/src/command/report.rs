//! `wkv report`.

use clap::Args;

use crate::context::Context;
use crate::failure::Failure;
use crate::outcome::Outcome;

/// Arguments of `wkv report`.
#[derive(Args)]
#[command(after_help = "Example:\n  wkv report")]
pub struct Arguments {}

/// Runs `wkv report`.
pub fn run(_arguments: Arguments, _context: &Context) -> Result<Outcome, Failure> {
    Err(Failure::input("wkv report is not available yet"))
}
