//! `wkv site`: the pages as static files.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::context::Context;
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::report::notation::{counted, thousands};
use crate::site::{Site, Size, Source};

/// Arguments of `wkv site`.
#[derive(Args)]
#[command(after_help = "\
The files work from any host of static files, and from a folder below its root. They ask for nothing
from elsewhere. Without a server a browser runs no modules, so a page opened as a file stays still.

Example:
  wkv site --out public")]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// The folder for the files
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// The result, as `--json` writes it.
#[derive(Serialize)]
struct Written {
    out: String,
    #[serde(flatten)]
    size: Size,
    paths: Vec<String>,
}

/// Runs `wkv site`.
pub fn run(arguments: Arguments, context: &Context) -> Result<Outcome, Failure> {
    let Arguments { source, out } = arguments;
    let mut folder = context.output_folder("--out", &out)?;
    let site = Site::build(&source, context)?;
    let mut paths = Vec::new();
    for (path, bytes) in site.files() {
        paths.push(folder.add(path, |file| file.write_all(bytes))?);
    }
    let size = site.size();
    let last_words = format!(
        "{}, {} bytes, in {}",
        counted(size.files as u64, "file"),
        thousands(size.bytes),
        out.display()
    );
    let written = Written { out: out.display().to_string(), size, paths };
    Ok(Outcome::held(written).with_files(folder.into_files()).with_last_words(last_words))
}
