//! `wkv claims`: the published claims about the numerics, measured.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::command_line;
use crate::claims::page::Page;
use crate::claims::{Claims, Place};
use crate::context::Context;
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::report::subject::{Source, Subject};

/// The names of the files in the folder of `--out`.
const PAGE: &str = "claims.md";
const JSON: &str = "claims.json";

/// Arguments of `wkv claims`.
#[derive(Args)]
#[command(after_help = "\
Measures each claim on the model and the text, on synthetic streams, or on the decays of the model,
and tells whether it is confirmed, corrected, or cannot be decided. A claim that does not hold is a
finding: the exit code is 0. Intervals are of 95%, by bootstrap over documents.

Example:
  wkv claims --tokens 5000 --out out/claims")]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// Write claims.md and claims.json into this folder, too
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs `wkv claims`.
pub fn run(arguments: Arguments, context: &Context) -> Result<Outcome, Failure> {
    let Arguments { source, out } = arguments;
    let folder = out.map(|out| context.output_folder("--out", &out)).transpose()?;
    let subject = Subject::load(&source, context)?;
    let command = command_line(&[vec!["claims".to_owned()], source.options()].concat());
    let claims = Claims::measure(&subject, command, Place::here(), context)?;
    context.say(&claims);
    let outcome = Outcome::held(&claims);
    let Some(mut folder) = folder else { return Ok(outcome) };
    folder.add(JSON, |file| {
        serde_json::to_writer(&mut *file, &claims)?;
        writeln!(file)
    })?;
    let page = Page::of(vec![claims]).to_string();
    let path = folder.add(PAGE, |file| file.write_all(page.as_bytes()))?;
    Ok(outcome.with_files(folder.into_files()).with_last_words(format!("\nread {path}")))
}
