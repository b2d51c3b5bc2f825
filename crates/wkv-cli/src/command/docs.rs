//! `wkv docs`: the generated pages of the documentation, `docs/cells.md`, `docs/silicon.md`,
//! `docs/claims.md` and `docs/mapping.md`.
//!
//! Hidden from `--help`: it is for those who change the circuits.

mod mapping;
pub mod placed;
pub mod silicon;

use std::fmt;
use std::path::PathBuf;

use clap::Args;
use morpho::library::{self, Published};
use serde::Serialize;
use wkv::WkvSpec;
use wkv::circuit::Unit;
use wkv::spec::Division;

use crate::arguments::Circuit;
use crate::claims;
use crate::context::Context;
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::published::{self, Size};
use crate::sizes::size;

/// Arguments of `wkv docs`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  wkv docs > docs/cells.md
  wkv docs --silicon docs/silicon.jsonl > docs/silicon.md
  wkv docs --claims docs/claims.jsonl > docs/claims.md
  wkv docs --mapping docs/mapping.jsonl > docs/mapping.md")]
pub struct Arguments {
    /// The page of placed and routed designs instead, from these results of `wkv synth`
    #[arg(long, value_name = "FILE")]
    silicon: Option<PathBuf>,
    /// The page of published claims instead, from these results of `wkv claims`
    #[arg(long, value_name = "FILE", conflicts_with = "silicon")]
    claims: Option<PathBuf>,
    /// The page of mapped circuits instead, with these results of `wkv synth`; needs ABC
    #[arg(long, value_name = "FILE", conflicts_with_all = ["silicon", "claims"])]
    mapping: Option<PathBuf>,
}

/// Runs `wkv docs`.
pub fn run(arguments: Arguments, context: &Context) -> Result<Outcome, Failure> {
    if let Some(results) = arguments.silicon {
        let page = silicon::Page::read(&results)?;
        context.say_part(&page);
        return Ok(Outcome::held(&page));
    }
    if let Some(results) = arguments.claims {
        let page = claims::page::Page::read(&results)?;
        context.say_part(&page);
        return Ok(Outcome::held(&page));
    }
    if let Some(results) = arguments.mapping {
        let page = mapping::Page::new(&results, context)?;
        context.say_part(&page);
        return Ok(Outcome::held(&page));
    }
    let page = Page::new(&published::spec())?;
    context.say_part(&page);
    Ok(Outcome::held(&page))
}

/// The units of the recurrence, the published ones first.
const UNITS: [Unit; 5] = [Unit::Exp2, Unit::Multiplier, Unit::Divider, Unit::Cell, Unit::Step];

/// The units of which a cell that divides by reciprocals has its own.
const BY_RECIPROCAL: [Unit; 3] = [Unit::Reciprocal, Unit::Divider, Unit::Cell];

/// A circuit, as `wkv build --unit` names it.
#[derive(Serialize)]
struct Row {
    unit: String,
    size: Size,
    published: Option<Size>,
}

/// The size of every cell that can be built alone.
#[derive(Serialize)]
struct Page {
    spec: WkvSpec,
    cells: Vec<Row>,
}

impl Page {
    fn new(spec: &WkvSpec) -> Result<Self, Failure> {
        let library = library::table().iter().flat_map(|entry| {
            let cell = |numbers: &[usize]| Circuit::Library(entry.name.into(), numbers.into());
            let example = entry.published.is_empty().then(|| (cell(entry.example), None));
            let published = entry.published.iter().map(move |figures| {
                let &Published { numbers, gates, registers, depth } = figures;
                (cell(numbers), Some(Size { gates, registers, depth }))
            });
            published.chain(example)
        });
        let units = UNITS.map(|unit| (Circuit::Unit(unit), published::size(unit)));
        let row = |(circuit, published): (Circuit, Option<Size>)| -> Result<Row, Failure> {
            let size = size(&circuit.build(spec)?);
            Ok(Row { unit: circuit.to_string(), size, published })
        };
        let mut cells: Vec<Row> = library.chain(units).map(row).collect::<Result<_, _>>()?;
        let mut newton = *spec;
        newton.division = Division::Newton;
        for unit in BY_RECIPROCAL {
            let size = size(&Circuit::Unit(unit).build(&newton)?);
            cells.push(Row { unit: format!("{unit} --spec {newton}"), size, published: None });
        }
        Ok(Self { spec: *spec, cells })
    }
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{INTRODUCTION}")?;
        for Row { unit, size, published } in &self.cells {
            if let Some(published) = published {
                let change = 100.0 * (size.gates as f64 / published.gates as f64 - 1.0);
                writeln!(
                    f,
                    "| `{unit}` | {} | {} | {change:.0}% |",
                    columns(published),
                    columns(size)
                )?;
            }
        }
        write!(f, "{MEDUSA}")?;
        for Row { unit, size, .. } in self.cells.iter().filter(|row| row.published.is_none()) {
            writeln!(f, "| `{unit}` | {} |", columns(size))?;
        }
        Ok(())
    }
}

/// The columns of a size.
fn columns(Size { gates, registers, depth }: &Size) -> String {
    format!("{gates} | {registers} | {depth}")
}

const INTRODUCTION: &str = "\
# Cells and their sizes

Generated by `cargo run -- docs`; a test fails when this page is out of date.

A gate is a look-up table of one to four inputs. Depth is the number of gates on the longest path
between inputs, registers and outputs. Each circuit stands alone and is optimised; `wkv build --unit
NAME` builds it. The units of the recurrence are those of `classic:q8.8`: `exp2` is 2^-x of 16 bits,
`multiplier` a Q8.8 number times a Q0.16 one, `divider` signed and saturating, `step` one token of one
channel, and `cell` the step with its registers.

## Beside the published figures

Published are the counts of the original MorphoHDL compiler (Mordvintsev, \"MorphoHDL: a minimalistic
language for growing circuits\", 2026), quoted, not measured here; the original does no structural
hashing.

| circuit | gates, published | flip-flops | depth | gates, ours | flip-flops | depth | change in gates |
|---|--:|--:|--:|--:|--:|--:|--:|
";

const MEDUSA: &str = "
The published table has one more circuit, `medusa` 36,8 with 4144 gates and depth 63. We know no
definition of it, so it is not reproduced.

## Without published figures

| circuit | gates | flip-flops | depth |
|---|--:|--:|--:|
";
