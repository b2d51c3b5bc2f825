//! `wkv verify`: the units of a spec against the integer model, and the cell against its units.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use morpho::prove::Limits;
use serde::Serialize;
use wkv::WkvSpec;
use wkv::circuit::Unit;
use wkv::prove::peer::prove_peer;
use wkv::verify::Effort;

use crate::arguments::{SPEC_HELP, circuit_spec};
use crate::command::netlist;
use crate::context::Context;
use crate::coverage::{self, Coverages};
use crate::equality::Equality;
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
  wkv verify --netlist somebodys_cell.blif
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
    /// Instead, prove that this netlist (BLIF, Verilog, ...) does what the cell of the spec does, for
    /// every stream; ports and registers are matched by name, or else by order and by what they store
    #[arg(long, value_name = "FILE", conflicts_with_all = ["unit", "exhaustive", "coverage", "proof"])]
    netlist: Option<PathBuf>,
    /// With --netlist: the time for the proof, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300, requires = "netlist")]
    time_limit: u64,
    /// Compare the circuits with those of an earlier result, instead of checking them
    #[arg(long, value_name = "FILE", conflicts_with_all = ["spec", "unit", "exhaustive", "coverage"])]
    proof: Option<PathBuf>,
}

/// Runs `wkv verify`.
pub fn run(arguments: Arguments, context: &Context) -> Result<Outcome, Failure> {
    let Arguments { spec, unit, exhaustive, coverage, sat_time, netlist, time_limit, proof } =
        arguments;
    if let Some(path) = netlist {
        let peer = Peer::prove(&spec, path, Duration::from_secs(time_limit), context)?;
        context.say(&peer);
        return Ok(Outcome::checked(peer.held, &peer));
    }
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

/// Whether the netlist of a file is the cell of a spec.
#[derive(Serialize)]
struct Peer {
    spec: WkvSpec,
    held: bool,
    #[serde(flatten)]
    equality: Equality,
}

impl Peer {
    fn prove(
        spec: &WkvSpec,
        path: PathBuf,
        time: Duration,
        context: &Context,
    ) -> Result<Self, Failure> {
        let file = path.display().to_string();
        let (_, reading) = netlist::read(path, None, None, context)?;
        let limits = Limits { time, ..Limits::default() };
        let equality = Equality::by(file, context, |progress| {
            prove_peer(&reading.netlist, spec, limits, progress)
        })?;
        Ok(Self { spec: *spec, held: equality.held(), equality })
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the cell of {}: {}", self.spec, self.equality)
    }
}
