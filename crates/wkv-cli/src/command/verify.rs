//! `wkv verify`: the units of a spec against the integer model, and the cell against its units.

use std::path::PathBuf;

use clap::Args;
use wkv::WkvSpec;
use wkv::circuit::Unit;
use wkv::verify::Effort;

use crate::arguments::{SPEC_HELP, circuit_spec};
use crate::context::Context;
use crate::coverage::{self, Coverages};
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::verification::{Kept, Verification, all_units};

/// Arguments of `wkv verify`.
#[derive(Args)]
#[command(after_help = "\
Exit code 1 if the gates and the integer model differ anywhere; with --coverage, if a fault or
mutant is neither detected by an input nor proven equivalent on every input that the cell can give
the unit.

The result of --json names each circuit by its digest. --proof builds the circuits again and tells
whether they are the ones that such a result is about, and which of them it proves.

Examples:
  wkv verify --spec classic:q6.10 --unit exp2
  wkv verify --exhaustive --json proof.json
  wkv verify --coverage --unit multiplier
  wkv verify --proof proof.json")]
pub struct Arguments {
    #[arg(long, help = SPEC_HELP, default_value = "classic:q8.8", value_parser = circuit_spec)]
    spec: WkvSpec,
    /// Check this unit only: exp2, multiplier, divider, step, cell, bank=N, ...
    #[arg(long)]
    unit: Option<Unit>,
    /// Try every input of each unit of one or two operands; takes minutes
    #[arg(long)]
    exhaustive: bool,
    /// Instead of checking the circuits, check the checks: what becomes of every stuck-at fault and
    /// every mutant of the units of one or two operands, or of --unit
    #[arg(long, conflicts_with = "exhaustive")]
    coverage: bool,
    /// With --coverage: how long the SAT solver may take for each unit
    #[arg(long, value_name = "SECONDS", default_value_t = 600, requires = "coverage")]
    sat_time: u64,
    /// Compare the circuits with those of an earlier result, instead of checking them
    #[arg(long, value_name = "FILE", conflicts_with_all = ["spec", "unit", "exhaustive", "coverage"])]
    proof: Option<PathBuf>,
}

/// Runs `wkv verify`.
pub fn run(arguments: Arguments, context: &Context) -> Result<Outcome, Failure> {
    let Arguments { spec, unit, exhaustive, coverage, sat_time, proof } = arguments;
    if let Some(path) = proof {
        let recheck = Kept::read(&path)?.recheck()?;
        context.say(&recheck);
        return Ok(Outcome::checked(recheck.held, &recheck));
    }
    if coverage {
        let units = unit.map_or_else(|| coverage::units(&spec).collect(), |unit| vec![unit]);
        context.note(format_args!(
            "the SAT solver has {sat_time} s for each unit; what it leaves is run over every input"
        ));
        let coverages = Coverages::run(&spec, &units, sat_time, context)?;
        context.say(&coverages);
        return Ok(Outcome::checked(coverages.held, &coverages));
    }
    let cell = matches!(unit, None | Some(Unit::Cell));
    let units = unit.map_or_else(|| all_units(&spec).collect(), |unit| vec![unit]);
    let effort = if exhaustive { Effort::Exhaustive } else { Effort::Vectors };
    if exhaustive {
        let seconds = Verification::estimate(&spec, &units, context)?;
        context.note(format_args!("every input of every unit takes about {seconds:.0} s here"));
    }
    let mut verification = Verification::run(&spec, units, effort, context)?;
    if cell {
        verification.prove_cell(context)?;
    }
    context.say(&verification);
    Ok(Outcome::checked(verification.held, &verification))
}
