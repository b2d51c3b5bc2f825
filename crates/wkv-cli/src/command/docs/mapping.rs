//! The page of mapped circuits, `docs/mapping.md`: our look-up tables beside those of ABC, and what
//! place and route makes of ours.

use std::fmt;
use std::fs;
use std::path::Path;
use std::time::Duration;

use eda::process::{self, End};
use eda::tool::{self, SearchPath};
use morpho::format::{self, Format};
use morpho::pass::{Mapping, Pass};
use serde::{Deserialize, Serialize};
use wkv::circuit::Unit;

use super::placed::{self, Machine, Spread};
use crate::arguments::Circuit;
use crate::context::Context;
use crate::failure::Failure;
use crate::published;
use crate::sizes::size;

const UNITS: [Unit; 5] = [Unit::Exp2, Unit::Multiplier, Unit::Divider, Unit::Step, Unit::Cell];

/// Inputs of the look-up tables.
const INPUTS: [usize; 2] = [4, 6];

/// The options of ABC's `if`: least depth first, and few tables.
const OPTIONS: [&str; 2] = ["", " -a"];

/// For ABC, a unit.
const LIMIT: Duration = Duration::from_secs(120);

/// A circuit in look-up tables.
#[derive(Clone, Copy, Serialize)]
struct Mapped {
    tables: usize,
    depth: usize,
}

/// A circuit in look-up tables of one size.
#[derive(Serialize)]
struct Row {
    unit: String,
    inputs: usize,
    /// The gates that are mapped.
    gates: Mapped,
    /// Least depth first, then few tables.
    ours: [Mapped; 2],
    abc: [Mapped; 2],
}

/// A result of `wkv synth`.
#[derive(Deserialize, Serialize)]
struct Placed {
    unit: String,
    map: Option<String>,
    device: String,
    cells: usize,
    mhz: Spread,
    seeds: Vec<u64>,
    machine: Machine,
}

/// The whole page.
#[derive(Serialize)]
pub struct Page {
    rows: Vec<Row>,
    placed: Vec<Placed>,
}

impl Page {
    /// Maps every unit in both ways; reads the results of `wkv synth`, one a line.
    pub fn new(results: &Path, context: &Context) -> Result<Self, Failure> {
        let placed = placed::read(results)?;
        let mut rows = Vec::new();
        for unit in UNITS {
            rows.extend(map(unit, context)?);
        }
        Ok(Self { rows, placed })
    }
}

/// The rows of a unit.
fn map(unit: Unit, context: &Context) -> Result<Vec<Row>, Failure> {
    let netlist = Circuit::Unit(unit).build(&published::spec())?;
    let mapped = |mapping: Mapping| {
        let mut result = netlist.clone();
        mapping.run(&mut result);
        Mapped::of(size(&result))
    };
    let gates = Mapped::of(size(&netlist));
    let abc = abc(&format::to_string(&netlist, Format::Blif), context)?;
    let row = |(inputs, abc): (usize, &[Mapped])| {
        let ours = [Mapping::new(inputs), Mapping::new(inputs).for_area()].map(mapped);
        Row { unit: unit.to_string(), inputs, gates, ours, abc: [abc[0], abc[1]] }
    };
    Ok(INPUTS.into_iter().zip(abc.chunks(OPTIONS.len())).map(row).collect())
}

/// What ABC makes of a circuit in BLIF, by inputs and option.
fn abc(blif: &str, context: &Context) -> Result<Vec<Mapped>, Failure> {
    let refuse = |problem: &str| Failure::input(format!("ABC: {problem}"));
    let found = SearchPath::of_environment().tool(&tool::ABC)?;
    let folder = tempfile::tempdir().map_err(|error| refuse(&error.to_string()))?;
    let file = |error: std::io::Error| refuse(&error.to_string());
    fs::write(folder.path().join("circuit.blif"), blif).map_err(file)?;
    let runs = INPUTS.into_iter().flat_map(|inputs| OPTIONS.map(|option| (inputs, option)));
    let script: String = runs
        .clone()
        .map(|(inputs, option)| {
            format!("read_blif circuit.blif; strash; if{option} -K {inputs}; print_stats; ")
        })
        .collect();
    let log = folder.path().join("abc.log");
    let mut command = found.command(folder.path(), &["-c", &script]);
    let end = process::run(&mut command, &log, LIMIT, &|| context.interrupt.requested());
    context.interrupt.check()?;
    match end.map_err(file)? {
        End::Exited(status) if status.success() => (),
        _ => return Err(refuse("it failed or took too long")),
    }
    let text = fs::read_to_string(&log).map_err(file)?;
    let mapped: Vec<Mapped> = text.lines().filter_map(Mapped::of_statistics).collect();
    match mapped.len() == runs.count() {
        true => Ok(mapped),
        false => Err(refuse("its statistics are not understood")),
    }
}

impl Mapped {
    fn of(size: published::Size) -> Self {
        Self { tables: size.gates, depth: size.depth }
    }

    /// Reads a line such as `cell: i/o = 65/ 16 lat = 48 nd = 3794 edge = 12789 lev = 297`.
    fn of_statistics(line: &str) -> Option<Self> {
        let number = |name: &str| {
            let (_, rest) = line.split_once(name)?;
            let rest = rest.trim_start();
            rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
        };
        Some(Self { tables: number(" nd =")?, depth: number(" lev =")? })
    }
}

impl fmt::Display for Mapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} | {}", self.tables, self.depth)
    }
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{INTRODUCTION}")?;
        for Row { unit, inputs, gates, ours, abc } in &self.rows {
            writeln!(
                f,
                "| `{unit}` | {inputs} | {gates} | {} | {} | {} | {} |",
                ours[0], abc[0], ours[1], abc[1]
            )?;
        }
        write!(f, "{PLACED}")?;
        for Placed { unit, map, device, cells, mhz, seeds, .. } in &self.placed {
            let map =
                map.as_deref().map_or("Yosys and its ABC".to_owned(), |map| format!("`{map}`"));
            writeln!(
                f,
                "| `{unit}` | {map} | {device} | {cells} | {:.2} | {:.2} to {:.2} | {} |",
                mhz.median,
                mhz.min,
                mhz.max,
                seeds.len()
            )?;
        }
        if let Some(Placed { machine, .. }) = self.placed.first() {
            let date = machine.date.split('T').next().unwrap_or_default();
            writeln!(f, "\nMeasured on {}, {} cores, {date}.", machine.cpu, machine.cores)?;
        }
        Ok(())
    }
}

const INTRODUCTION: &str = "\
# Mapping to look-up tables

Generated by `cargo run -- docs --mapping docs/mapping.jsonl`.

    wkv build --unit cell --map lut4 --out out/cell
    wkv netlist design.blif --optimise --map lut6-area --emit blif

The pass `morpho::pass::Mapping` covers a circuit with look-up tables of 2 to 6 inputs: priority cuts,
after Mishchenko, Cho, Chatterjee and Brayton, \"Combinational and sequential mapping with priority
cuts\", ICCAD 2007.

1. Gates are taken apart to conjunctions and exclusive ors of two inputs, equal ones once. Pairs of
   inputs that matter only together are joined, early ones first; else the latest input chooses.
2. A first round over the nodes keeps, of the cuts of each, the eight of least depth; the gate as it
   was is one of the candidates. For trees the depth is the least of all covers.
3. Two rounds by area flow and two by exact local area save tables where the required times allow it.
   Of cuts of one area the less deep is better: it saves more tables later than the narrower one.

`lut4` takes the least depth first; `lut4-area` is the same without required times. Registers and
memories are cut points, and with `--style carry` the wires of operators too. A complement that an
output needs has its own table, and waits for nothing.

Each is proven equal to the gates by SAT (`cargo test -p wkv --test circuit_mapped`, and for the
library `cargo test -p morpho --test pass`), and random circuits exhaustively.

## Beside ABC

The gates of `wkv build --unit NAME` as they are, and what `lut4` and `lut6` make of them. ABC gets
them as BLIF: `strash; if -K 4` and `strash; if -a -K 4`.

| circuit | inputs | gates | depth | ours | depth | ABC | depth | ours, `-area` | depth | ABC, `-a` | depth |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
";

const PLACED: &str = "
With the least depth first, ours is less deep than ABC's and takes more tables. With `-area` it takes
about as many of four inputs as ABC's `-a`, and fewer of six.

## Placed and routed

`wkv synth --unit NAME --device hx8k --map lut4` gives nextpnr the tables as they are; without `--map`
Yosys synthesises the gates, written as Verilog, with its own ABC. Registers stand before inputs and after
outputs.

| circuit | mapped by | device | cells | clock, MHz | least to greatest | seeds |
|---|---|---|--:|--:|--:|--:|
";
