//! The page of placed and routed designs, `docs/silicon.md`, from kept results of `wkv synth`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use wkv::WkvSpec;

use super::placed::{self, Machine, Spread};
use crate::failure::Failure;
use crate::published;

/// One row: a circuit of ours or a file, on a device.
#[derive(Deserialize, Serialize)]
pub struct Row {
    /// The numerics, of a circuit of ours.
    pub spec: Option<WkvSpec>,
    unit: Option<String>,
    style: Option<String>,
    file: Option<String>,
    /// The device, as `wkv synth` names it.
    pub device: String,
    /// Why it does not fit the device, if so.
    refused: Option<String>,
    /// What was measured, if it fits.
    #[serde(flatten)]
    pub figures: Option<Figures>,
}

/// What was measured.
#[derive(Deserialize, Serialize)]
pub struct Figures {
    harness: Harness,
    /// Logic cells, of an ECP5 look-up tables.
    pub cells: usize,
    /// Flip-flops, with those of the harness.
    pub registers: usize,
    /// Blocks of memory.
    pub ram_blocks: usize,
    dsp: usize,
    /// The clock.
    pub mhz: Spread,
    clock_of: String,
    /// The placement seeds.
    pub seeds: Vec<u64>,
    /// Versions by tool.
    pub tools: BTreeMap<String, String>,
    /// The machine that placed it.
    pub machine: Machine,
}

#[derive(Deserialize, Serialize)]
struct Harness {
    style: String,
    outputs: usize,
}

/// The results of all rows, one line of JSON each.
#[derive(Serialize)]
pub struct Page {
    rows: Vec<Row>,
}

/// The published netlists, and the circuit of ours that does the same.
const PUBLISHED: [(&str, &str); 4] = [
    ("exp2neg.blif", "exp2"),
    ("divider.blif", "divider:16,8"),
    ("serial_divider.blif", "serial_divider:1,8"),
    ("wkv_cell.blif", "cell"),
];

impl Page {
    /// Reads the results.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        Ok(Self { rows: placed::read(path)? })
    }
}

impl Row {
    /// The circuit, as `--unit` names it.
    pub fn circuit(&self) -> &str {
        let published = |file: &str| PUBLISHED.iter().find(|(name, _)| *name == file);
        let file = self.file.as_deref().unwrap_or_default();
        self.unit.as_deref().or(published(file).map(|&(_, unit)| unit)).unwrap_or(file)
    }

    /// Whose it is: "published", or the style of ours.
    pub fn source(&self) -> &str {
        if self.file.is_some() { "published" } else { self.style.as_deref().unwrap_or("gates") }
    }

    /// Whether paths to outputs count for the clock.
    pub fn is_registered(&self) -> bool {
        self.figures.as_ref().is_none_or(|figures| figures.harness.outputs > 0)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| `{}", self.circuit())?;
        if let Some(spec) = self.spec.filter(|spec| *spec != published::spec()) {
            write!(f, " --spec {spec}")?;
        }
        write!(f, "` | {} | {} | ", self.source(), self.device)?;
        let Some(figures) = &self.figures else {
            let refused = self.refused.as_deref().unwrap_or("not measured");
            let refused = refused.split(';').next().unwrap_or_default();
            return writeln!(f, "{refused} | | | | | | |");
        };
        let Figures { cells, registers, ram_blocks, dsp, mhz, seeds, .. } = figures;
        let estimated = if figures.clock_of == "placed" { ", before routing" } else { "" };
        let serial = if figures.harness.style == "serial" { ", serial" } else { "" };
        writeln!(
            f,
            "{cells}{serial} | {registers} | {ram_blocks} | {dsp} | {:.2}{estimated} | {:.2} to {:.2} | {} |",
            mhz.median,
            mhz.min,
            mhz.max,
            seeds.len()
        )
    }
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{INTRODUCTION}\n{HEADINGS}")?;
        self.rows.iter().filter(|row| row.is_registered()).try_for_each(|row| row.write(f))?;
        if self.rows.iter().any(|row| !row.is_registered()) {
            write!(f, "{INPUTS_ONLY}\n{HEADINGS}")?;
            self.rows.iter().filter(|row| !row.is_registered()).try_for_each(|row| row.write(f))?;
        }
        let figures = || self.rows.iter().filter_map(|row| row.figures.as_ref());
        let tools: BTreeSet<String> = figures()
            .flat_map(|figures| &figures.tools)
            .map(|(tool, version)| match tool.as_str() {
                "yosys" => version.clone(),
                _ => format!("{tool} {version}"),
            })
            .collect();
        let machines: BTreeSet<String> = figures()
            .map(|Figures { machine: Machine { cpu, cores, date }, .. }| {
                let day = date.split('T').next().unwrap_or_default();
                format!("{cpu}, {cores} cores, {day}")
            })
            .collect();
        writeln!(f, "\n## Tools\n")?;
        tools.iter().try_for_each(|tool| writeln!(f, "- {tool}"))?;
        writeln!(f, "\nMeasured on:\n")?;
        machines.iter().try_for_each(|machine| writeln!(f, "- {machine}"))
    }
}

const INTRODUCTION: &str = "\
# Placed and routed

Generated from `docs/silicon.jsonl` by `cargo run -- docs --silicon docs/silicon.jsonl`; a test fails
when this page is out of date. `scripts/silicon` measures rows that are missing or have fewer than five
placement seeds, `scripts/silicon NAME` all rows of a circuit or device again; each line of the
results also holds the versions, the seeds and the commands of its row.

Numerics are `classic:q8.8` unless the row says otherwise. Published are the netlists of the MorphoHDL
contributors (Apache-2.0), run through the same tools in the same way. Ours are written as `gates`, the netlist gate by gate,
`carry`, the netlist with the operators that it proves of its wires, or `behavioural`, Verilog with
operators. Every row is one `wkv synth --unit NAME --style STYLE --device DEVICE`. Cells are logic cells: for an ECP5 look-up tables. Flip-flops include those of the harness.
The clock is the median over the placement seeds, in MHz after routing.

## Registers before inputs and after outputs

Every path counts, that from the state through the division to the output too. `serial` means that
the registers are reached through shift registers, which costs up to a cell an output bit.
";

const INPUTS_ONLY: &str = "
## Registers before inputs only

`wkv synth --inputs-only`. Paths that end at an output do not count, so the clock is that of the
state update alone, and the division is left out of it. The published figures of the cell, 5,648 cells
and 9.8 MHz (quoted), agree with this way of measuring and not with the one above.
";

const HEADINGS: &str = "\
| circuit | source | device | cells | flip-flops | RAM | multipliers | clock | least to greatest | seeds |
|---|---|---|--:|--:|--:|--:|--:|--:|--:|
";
