//! `wkv sweep`.

use clap::Args;

use crate::context::Context;
use crate::failure::Failure;
use crate::outcome::Outcome;

/// Arguments of `wkv sweep`.
#[derive(Args)]
#[command(after_help = "Example:\n  wkv sweep")]
pub struct Arguments {}

/// Runs `wkv sweep`.
pub fn run(_arguments: Arguments, _context: &Context) -> Result<Outcome, Failure> {
    Err(Failure::input("wkv sweep is not available yet"))
}
