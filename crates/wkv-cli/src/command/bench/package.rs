//! The `rwkv` package of PyPI on the same weights: a peer to compare the model with.

use std::cell::Cell;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;

use serde::Deserialize;
use tempfile::TempDir;
use wkv::float::Float;

use super::child::{self, End};
use super::model::Speaker;
use super::peers::{Peers, last_lines};
use super::workload::Size;
use super::{Measurement, Skipped};
use crate::context::Context;
use crate::embedded;
use crate::failure::Failure;
use crate::interrupt::Interrupt;

const PROMPT: &str = "rwkv-package-prompt";
const GENERATE: &str = "rwkv-package-generate";

/// How to get it.
const INSTALL: &str = "apt-get install python3-torch libopenblas0-pthread python3-pip, then \
                       pip install rwkv==0.8.32 for that python3";

/// Longest that it may take to be imported, and to run once.
const IMPORT_LIMIT: Duration = Duration::from_secs(120);
const RUN_LIMIT: Duration = Duration::from_secs(600);

/// Greatest difference between its logits and ours, by the greatest of ours.
const TOLERANCE: f32 = 1e-3;

/// What a run of the package gives.
#[derive(Deserialize)]
struct Figures {
    /// Tokens a second of a prompt read at once, and of tokens one by one.
    prompt: f64,
    generate: f64,
    /// Logits after the last token.
    logits: Vec<f32>,
}

/// The package with its weights and tokens, in a folder of its own.
struct Package {
    python: PathBuf,
    folder: TempDir,
    one_by_one: usize,
}

impl Peers {
    /// Adds the package, its logits compared with ours.
    pub fn add_package(
        &mut self,
        model: Option<&Path>,
        speaker: &Speaker,
        size: Size,
        context: &Context,
    ) -> Result<(), Failure> {
        let interrupt = &context.interrupt;
        let Some(weights) = embedded::safetensors(model)? else {
            self.skip_package("the weights are in no safetensors file");
            return Ok(());
        };
        let folder = TempDir::with_prefix("wkv-bench-")?;
        let Some(python) = python(&folder, interrupt)? else {
            self.skip_package(&format!("no python3 on the PATH imports rwkv.model: {INSTALL}"));
            return Ok(());
        };
        let lines: String = speaker.tokens.iter().map(|token| format!("{token}\n")).collect();
        fs::write(folder.path().join("weights"), weights)?;
        fs::write(folder.path().join("tokens"), lines)?;
        fs::write(folder.path().join("rwkv_package.py"), include_str!("rwkv.py"))?;
        let package = Package { python, folder, one_by_one: size.story.min(size.prompt / 2) };
        match package.run(interrupt)? {
            Ok(figures) => match difference(&figures.logits, speaker) {
                None => self.measurements.extend(package.measurements(interrupt)),
                Some(difference) => self.failures.push(difference),
            },
            Err(reason) => self.failures.push(format!("{GENERATE}: {reason}")),
        }
        Ok(())
    }

    /// Leaves the package out, for `reason`.
    pub fn skip_package(&mut self, reason: &str) {
        let skipped = |name| Skipped { name, reason: reason.to_owned() };
        self.skipped.extend([PROMPT, GENERATE].map(skipped));
    }
}

impl Package {
    /// Runs the package once; or tells why it cannot be.
    fn run(&self, interrupt: &Interrupt) -> Result<Result<Figures, String>, Failure> {
        let path = |name: &str| self.folder.path().join(name);
        let mut command = Command::new(&self.python);
        command.current_dir(self.folder.path()).args(["rwkv_package.py", "weights", "tokens"]);
        command.args([&self.one_by_one.to_string(), "figures"]);
        Ok(match child::run(&mut command, &path("run.log"), RUN_LIMIT, interrupt)? {
            End::Succeeded(_) => serde_json::from_slice(&fs::read(path("figures"))?)
                .map_err(|error| format!("its figures cannot be read: {error}")),
            End::Failed(log) => Err(format!("it failed:\n{}", last_lines(&log))),
            End::TookTooLong => Err(format!("it took more than {} s", RUN_LIMIT.as_secs())),
        })
    }

    /// Both figures; one run of the package gives them together.
    fn measurements(self, interrupt: &Interrupt) -> [Measurement; 2] {
        let generate = Rc::new(Cell::new(0.0));
        let (interrupt, of_this_round) = (interrupt.clone(), Rc::clone(&generate));
        let run = move || match self.run(&interrupt)? {
            Ok(figures) => {
                of_this_round.set(figures.generate);
                Ok(figures.prompt)
            }
            Err(reason) => Err(Failure::input(format!("the rwkv package: {reason}"))),
        };
        let measurement =
            |name, about, run| Measurement { name, unit: "tokens/s", about, reference: None, run };
        [
            measurement(
                PROMPT,
                "the rwkv package of PyPI on PyTorch, cpu fp32, all cores: beside prompt-f32",
                Box::new(run),
            ),
            measurement(
                GENERATE,
                "the same, one token at a time: beside generate-float",
                Box::new(move || Ok(generate.get())),
            ),
        ]
    }
}

/// The first `python3` on the path that has the package.
fn python(folder: &TempDir, interrupt: &Interrupt) -> Result<Option<PathBuf>, Failure> {
    let path = env::var_os("PATH").unwrap_or_default();
    for candidate in env::split_paths(&path).map(|folder| folder.join("python3")) {
        if !candidate.is_file() {
            continue;
        }
        let mut command = Command::new(&candidate);
        command.current_dir(folder.path()).args(["-c", "import rwkv.model"]);
        let log = folder.path().join("import.log");
        if let End::Succeeded(_) = child::run(&mut command, &log, IMPORT_LIMIT, interrupt)? {
            return Ok(Some(candidate));
        }
    }
    Ok(None)
}

/// Tells that the package's logits are not ours.
fn difference(logits: &[f32], speaker: &Speaker) -> Option<String> {
    let model = &speaker.f32.model;
    let all = model.forward(&speaker.tokens, &mut model.start(&Float));
    let ours = &all[all.len() - model.sizes().vocabulary..];
    let greatest = ours.iter().fold(0f32, |greatest, logit| greatest.max(logit.abs()));
    if logits.len() != ours.len() {
        return Some(format!("{GENERATE}: {} logits, but {} of ours", logits.len(), ours.len()));
    }
    let close = |(a, b): (&f32, &f32)| (a - b).abs() <= TOLERANCE * greatest;
    let token = std::iter::zip(logits, ours).position(|pair| !close(pair))?;
    let (found, expected) = (logits[token], ours[token]);
    Some(format!("{GENERATE}: token {token}: logit {found}, but {expected} of ours"))
}
