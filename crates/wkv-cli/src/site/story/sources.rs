//! Where the figures of the story come from.
//!
//! Results that take long are kept in `docs/`, each as a command wrote it, and are part of the
//! program. What is quick is computed anew: the circuits, and whether they are those of the proofs.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use wkv::WkvSpec;

use crate::claims::Claims;
use crate::command::docs::placed;
use crate::command::docs::silicon::Row;
use crate::failure::Failure;
use crate::report::choice::Candidate;
use crate::report::model_run::ModelRun;
use crate::sweep::Sweep;
use crate::verification::{Kept, Recheck};

/// A kept result: its name for people, what writes it, and its text.
struct File {
    name: &'static str,
    command: &'static str,
    text: &'static str,
}

macro_rules! kept {
    ($name:literal, $command:literal) => {
        File {
            name: $name,
            command: $command,
            text: include_str!(concat!("../../../../../", $name)),
        }
    };
}

const REPORT: File = kept!("docs/results/report.json", "wkv report");
const CLAIMS: File = kept!("docs/claims.jsonl", "wkv claims");
const SILICON: File = kept!("docs/silicon.jsonl", "scripts/silicon");
const PROOF: File = kept!("docs/results/proof.json", "wkv verify --exhaustive --json proof.json");
/// Everything that the story tells figures of.
pub struct Sources {
    /// What each format costs the model.
    pub report: Origin<Report>,
    /// The same on other models, among the published claims.
    pub claims: Origin<Vec<Claims>>,
    /// Circuits placed and routed.
    pub silicon: Origin<Vec<Row>>,
    /// What was proven of the units and of the cell, and whether it is about the circuits of today.
    pub proof: Origin<Recheck>,
}

/// Results, with the file that holds them and the command that wrote it.
pub struct Origin<T> {
    /// The file, from the top folder of the project.
    pub file: String,
    /// The command line.
    pub command: String,
    /// The results.
    pub results: T,
}

/// The part of a report that the story needs.
#[derive(Clone, Debug, Deserialize)]
pub struct Report {
    /// The format that the report's rule chose.
    pub committed: WkvSpec,
    /// The formats that it chose from.
    pub candidates: Vec<Candidate>,
    /// What each costs the model.
    pub sweep: Sweep,
    /// The committed circuit in the model.
    pub model_run: ModelRun,
    /// One story told twice.
    pub stories: Stories,
    /// Command lines that repeat it, that of the report first.
    pub commands: Vec<String>,
    /// The machine that measured.
    pub machine: placed::Machine,
}

/// One story told by the float model and by the circuit.
#[derive(Clone, Debug, Deserialize)]
pub struct Stories {
    /// How both begin.
    pub prompt: String,
    /// The first token that differs, counted from 0; none if the stories are the same.
    pub first_difference: Option<usize>,
    /// The parts of the circuit's story.
    pub circuit_parts: Parts,
}

/// A story in parts.
#[derive(Clone, Debug, Deserialize)]
pub struct Parts {
    /// What both stories share.
    pub shared: String,
    /// Number of tokens of the whole story.
    pub tokens: usize,
}

impl Sources {
    /// The kept results; the report is that in the folder `report`, if one is given.
    pub fn read(report: Option<&Path>) -> Result<Self, Failure> {
        let report = match report {
            Some(folder) => read_report(folder)?,
            None => kept_json(&REPORT)?,
        };
        let claims = parse(&CLAIMS, placed::parse)?;
        let silicon = parse(&SILICON, placed::parse)?;
        let proof = parse(&PROOF, Kept::parse)?;
        Ok(Self {
            report: Origin { command: report_command(&report.results), ..report },
            claims,
            silicon,
            proof: Origin {
                file: proof.file,
                command: proof.command,
                results: proof.results.recheck()?,
            },
        })
    }
}

fn report_command(report: &Report) -> String {
    report.commands.first().cloned().unwrap_or_else(|| REPORT.command.to_owned())
}

fn read_report(folder: &Path) -> Result<Origin<Report>, Failure> {
    let path = folder.join(crate::report::Report::JSON);
    let refuse = |problem: String| {
        Failure::input(format!(
            "--report {}: {problem}; expected a folder that `wkv report --out` wrote",
            path.display()
        ))
    };
    let text = fs::read_to_string(&path).map_err(|error| refuse(error.to_string()))?;
    let results = serde_json::from_str(&text).map_err(|error| refuse(error.to_string()))?;
    let file = crate::report::Report::JSON.to_owned();
    Ok(Origin { file, command: REPORT.command.to_owned(), results })
}

fn kept_json<T: DeserializeOwned>(file: &File) -> Result<Origin<T>, Failure> {
    parse(file, |text| serde_json::from_str(text).map_err(|error| error.to_string()))
}

fn parse<T>(
    file: &File,
    results: impl FnOnce(&'static str) -> Result<T, String>,
) -> Result<Origin<T>, Failure> {
    let results = results(file.text)
        .map_err(|problem| Failure::Internal(format!("{}: {problem}", file.name)))?;
    Ok(Origin { file: file.name.to_owned(), command: file.command.to_owned(), results })
}
