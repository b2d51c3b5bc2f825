//! `wkv generate`.

use clap::Args;

use crate::context::Context;
use crate::failure::Failure;
use crate::outcome::Outcome;

/// Arguments of `wkv generate`.
#[derive(Args)]
#[command(after_help = "Example:\n  wkv generate")]
pub struct Arguments {}

/// Runs `wkv generate`.
pub fn run(_arguments: Arguments, _context: &Context) -> Result<Outcome, Failure> {
    Err(Failure::input("wkv generate is not available yet"))
}
