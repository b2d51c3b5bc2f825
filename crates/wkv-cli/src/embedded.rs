//! The model and the text that are part of the program, and those that the user names instead.

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use rwkv::LanguageModel;
use rwkv::language_model::{self, TokenizerSource, weights_file};
use rwkv::text::{self, Documents};

use crate::failure::Failure;

/// The name of the embedded model.
pub const MODEL: &str = "stories-1.5m";

/// The name of the embedded text.
pub const TEXT: &str = "stories.txt";

/// The weights of the embedded model, as stored.
pub const WEIGHTS: &[u8] = include_bytes!("../../../models/stories-1.5m/model.safetensors");
/// The tokenizer of the embedded model, as stored.
pub const TOKENIZER: &[u8] = include_bytes!("../../../models/stories-1.5m/tokenizer.json");
const STORIES: &[u8] = include_bytes!("../../../text/stories.txt");

/// The model at `path`, a folder or a checkpoint; without a path, the embedded one. With its
/// name: that of the folder, or of a file that has a name of its own.
pub fn language_model(path: Option<&Path>) -> Result<(String, LanguageModel), Failure> {
    language_model_with(path, &TokenizerSource::Beside)
}

/// As [`language_model()`], with a tokenizer from anywhere.
pub fn language_model_with(
    path: Option<&Path>,
    tokenizer: &TokenizerSource,
) -> Result<(String, LanguageModel), Failure> {
    Ok(match path {
        Some(path) => {
            let language_model = LanguageModel::read_with(path, tokenizer)?;
            (model_name(path), language_model)
        }
        None => (MODEL.to_owned(), LanguageModel::from_bytes(MODEL, WEIGHTS, TOKENIZER)?),
    })
}

/// The safetensors file at `path`, as for [`language_model()`]; nothing if it is of another kind.
pub fn safetensors(path: Option<&Path>) -> Result<Option<Cow<'static, [u8]>>, Failure> {
    let Some(path) = path else { return Ok(Some(WEIGHTS.into())) };
    let file = weights_file(path)?;
    let is_safetensors = file.extension().is_some_and(|extension| extension == "safetensors");
    Ok(if is_safetensors { Some(fs::read(file)?.into()) } else { None })
}

fn model_name(path: &Path) -> String {
    // What stands for the folder may be a dot.
    let whole = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = match path.file_name() {
        Some(name) if language_model::WEIGHTS.iter().any(|known| name == *known) => whole.parent(),
        _ => None,
    };
    let name = name(folder.unwrap_or(&whole));
    let ending = |end: &&str| name.strip_suffix(end)?.strip_suffix('.');
    language_model::ENDINGS.iter().find_map(ending).unwrap_or(&name).to_owned()
}

/// The last part of a path.
fn name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display(), |name| Path::new(name).display()).to_string()
}

/// The documents of the text at `path`; without a path, the embedded stories. With its name.
pub fn documents(path: Option<&Path>) -> Result<(String, Documents), Failure> {
    Ok(match path {
        Some(path) => (name(path), text::read(path)?),
        None => (TEXT.to_owned(), text::documents(TEXT, STORIES)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_named_after_its_folder_or_its_own_file() {
        assert_eq!(model_name(Path::new("/a/stories-1.5m")), "stories-1.5m");
        assert_eq!(model_name(Path::new("/a/stories-1.5m/")), "stories-1.5m");
        assert_eq!(model_name(Path::new("/a/stories-1.5m/model.safetensors")), "stories-1.5m");
        assert_eq!(model_name(Path::new("/a/stories-1.5m/pytorch_model.bin")), "stories-1.5m");
        assert_eq!(model_name(Path::new("/a/tuned.safetensors")), "tuned");
        assert_eq!(model_name(Path::new("/a/RWKV-4-Pile-169M.pth")), "RWKV-4-Pile-169M");
        assert_eq!(model_name(Path::new("/")), "/");
    }
}
