//! Files that a command line names, which no result may overwrite.

use std::any::TypeId;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};
use rwkv::language_model::weights_file;

use crate::output;

/// Arguments that name what is written. The file of `--records` is read, too.
const OUTPUTS: [&str; 4] = ["json", "out", "output", "vcd"];

/// Keeps every file that an argument names, and a model's weights and tokenizers, from being written.
/// `wkv convert` may write the file that it reads.
pub fn protect(command: &Command, matches: &ArgMatches) {
    let (mut command, mut matches) = (command, matches);
    while let Some((name, inner)) = matches.subcommand() {
        let Some(found) = command.find_subcommand(name) else { return };
        (command, matches) = (found, inner);
    }
    for argument in command.get_arguments() {
        let id = argument.get_id().as_str();
        let is_path = argument.get_value_parser().type_id() == TypeId::of::<PathBuf>();
        let values = matches.try_get_raw(id).ok().flatten().into_iter().flatten().map(Path::new);
        let is_file = |path: &&Path| is_path || path.extension().is_some_and(|end| end == "toml");
        for path in values.filter(|_| !OUTPUTS.contains(&id)).filter(is_file) {
            output::protect(path);
            protect_model(path);
        }
    }
    if command.get_name() == "convert"
        && let Some(output) = matches.get_one::<PathBuf>("output")
    {
        output::release(output);
    }
}

/// Protects the weights in a folder, and the tokenizers there or beside a file.
fn protect_model(path: &Path) {
    let folder = if path.is_dir() { path } else { output::folder_of(path) };
    if path.is_dir()
        && let Ok(weights) = weights_file(path)
    {
        output::protect(&weights);
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().as_encoded_bytes().ends_with(b"tokenizer.json") {
            output::protect(&entry.path());
        }
    }
}
