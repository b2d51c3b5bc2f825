//! `wkv verify`: the units of a spec against the integer model.

use clap::Args;
use wkv::WkvSpec;
use wkv::circuit::Unit;
use wkv::verify::Effort;

use crate::arguments::{SPEC_HELP, circuit_spec};
use crate::context::Context;
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::verification::{Verification, all_units};

/// Arguments of `wkv verify`.
#[derive(Args)]
#[command(after_help = "\
Exit code 1 if the gates and the integer model differ anywhere.

Example:
  wkv verify --spec classic:q6.10 --unit exp2")]
pub struct Arguments {
    #[arg(long, help = SPEC_HELP, default_value = "classic:q8.8", value_parser = circuit_spec)]
    spec: WkvSpec,
    /// Check this unit only: exp2, multiplier, divider, step, cell, bank=N, ...
    #[arg(long)]
    unit: Option<Unit>,
    /// Try every input of each unit of one or two operands; takes minutes
    #[arg(long)]
    exhaustive: bool,
}

/// Runs `wkv verify`.
pub fn run(arguments: Arguments, context: &Context) -> Result<Outcome, Failure> {
    let Arguments { spec, unit, exhaustive } = arguments;
    let effort = if exhaustive { Effort::Exhaustive } else { Effort::Vectors };
    let units = unit.map_or_else(|| all_units().collect(), |unit| vec![unit]);
    let verification = Verification::run(&spec, units, effort, context)?;
    context.say(&verification);
    Ok(Outcome::checked(verification.held, &verification))
}
