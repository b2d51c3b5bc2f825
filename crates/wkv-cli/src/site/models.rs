//! The models that the pages can load.

use std::path::{Path, PathBuf};

use axum::body::Bytes;
use rwkv::LanguageModel;
use rwkv::checkpoint::{CheckpointFile, Format, Names, Target};
use rwkv::language_model::weights_file;
use serde::Serialize;

use super::{Site, bytes};
use crate::context::Context;
use crate::embedded;
use crate::failure::Failure;

/// The files of a model in its folder.
const WEIGHTS: &str = "model.safetensors";
const TOKENIZER: &str = "tokenizer.json";

/// A model as the pages list it.
#[derive(Debug, Serialize)]
struct Entry {
    name: String,
    folder: String,
    /// Bytes of both files.
    bytes: usize,
    blocks: usize,
    channels: usize,
}

/// Adds the embedded model, read as `language_model` of this `name`, and those at `paths`, and the
/// list of them, `models/index.json`.
///
/// # Errors
/// If a model can't be read, has no `tokenizer.json` beside it, or has another one's name.
pub fn add(
    site: &mut Site,
    name: String,
    language_model: &LanguageModel,
    paths: &[PathBuf],
    context: &Context,
) -> Result<(), Failure> {
    let mut entries = vec![add_files(
        site,
        name,
        language_model.model.sizes(),
        Bytes::from_static(embedded::WEIGHTS),
        Bytes::from_static(embedded::TOKENIZER),
    )];
    for path in paths {
        context.interrupt.check()?;
        let entry = add_model(site, path, &entries)?;
        entries.push(entry);
    }
    site.add_json("models/index.json", &entries);
    Ok(())
}

fn add_model(site: &mut Site, path: &Path, others: &[Entry]) -> Result<Entry, Failure> {
    let (name, language_model) = embedded::language_model(Some(path))?;
    if others.iter().any(|other| other.name == name) {
        return Err(Failure::input(format!(
            "{}: the second model of the name {name}; expected names that differ",
            path.display()
        )));
    }
    let weights = weights_file(path)?;
    let tokenizer = weights.with_file_name(TOKENIZER);
    let tokenizer = std::fs::read(&tokenizer)
        .map_err(|error| Failure::input(format!("{}: {error}", tokenizer.display())))?;
    let sizes = language_model.model.sizes();
    drop(language_model);
    Ok(add_files(site, name, sizes, safetensors(path, &weights)?, tokenizer.into()))
}

/// The weights as safetensors: as they are, or converted.
fn safetensors(path: &Path, weights: &Path) -> Result<Bytes, Failure> {
    if let Some(stored) = embedded::safetensors(Some(path))? {
        return Ok(bytes(stored));
    }
    let target = Target {
        format: Format::Safetensors,
        names: Names::Blinkdl,
        element_type: None,
        base2: false,
    };
    let file = CheckpointFile::read_watched(weights, &|_, _| ())?;
    let mut prepared = file.prepare(&weights.display().to_string(), &target)?;
    let mut converted = Vec::new();
    prepared.write(&mut converted)?;
    Ok(converted.into())
}

fn add_files(
    site: &mut Site,
    name: String,
    sizes: rwkv::checkpoint::Sizes,
    weights: Bytes,
    tokenizer: Bytes,
) -> Entry {
    let folder = format!("models/{name}");
    let bytes = weights.len() + tokenizer.len();
    site.add(format!("{folder}/{WEIGHTS}"), weights);
    site.add(format!("{folder}/{TOKENIZER}"), tokenizer);
    Entry { name, folder, bytes, blocks: sizes.blocks, channels: sizes.channels }
}
