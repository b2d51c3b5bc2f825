//! `wkv bench`.

use clap::Args;

use crate::context::Context;
use crate::failure::Failure;
use crate::outcome::Outcome;

/// Arguments of `wkv bench`.
#[derive(Args)]
#[command(after_help = "Example:\n  wkv bench")]
pub struct Arguments {}

/// Runs `wkv bench`.
pub fn run(_arguments: Arguments, _context: &Context) -> Result<Outcome, Failure> {
    Err(Failure::input("wkv bench is not available yet"))
}
