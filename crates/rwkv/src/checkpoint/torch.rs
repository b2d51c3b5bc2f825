//! What `torch.save` writes since PyTorch 1.6: a zip archive of one pickle and the storages.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::BASE2;
use super::element::ElementType;
use super::error::CheckpointError;
use super::format::Format;
use super::pickle::{self, View};
use super::source::Source;
use super::tensors::{Contents, Tensor};
use super::write::Output;
use super::zip::{self, Stored};

/// How many times the file's length its tensors may have together. Tensors share storages where
/// weights are tied, and a few bytes can stand for a tensor of any size.
const MOST_SHARING: u64 = 4;

/// The key that marks what the tensors of a state dict mean.
const EXPONENTS: &str = "exponents";

/// Reads the tensors of the archive; `file` names it in errors.
pub(super) fn read(file: &str, source: &Source) -> Result<Contents, CheckpointError> {
    contents(source).map_err(|found| CheckpointError::Unusable {
        file: file.to_owned(),
        format: Format::Pytorch,
        found,
    })
}

fn contents(source: &Source) -> Result<Contents, String> {
    let files = zip::read(source)?;
    let (folder, pickle) = find_pickle(&files)?;
    if files.contains_key(&format!("{folder}constants.pkl")) {
        return Err("it is a TorchScript archive; expected a state dict of tensors, as \
                    torch.save(model.state_dict(), FILE) writes it"
            .to_owned());
    }
    check_byte_order(source, &files, folder)?;
    let state_dict = pickle::read(&read_file(source, pickle, "data.pkl", pickle::MOST_BYTES)?)?;
    let mut together = 0u64;
    let mut tensors = BTreeMap::new();
    for (name, view) in state_dict.tensors {
        let tensor =
            locate(&files, folder, &view).map_err(|found| format!("tensor `{name}`: {found}"))?;
        if tensor.element_type.block().is_some() {
            together = together.saturating_add(tensor.bytes().unwrap_or(u64::MAX));
        }
        tensors.insert(name, tensor);
    }
    if together > source.length().saturating_mul(MOST_SHARING) {
        return Err(format!(
            "its tensors have {together} bytes together, more than {MOST_SHARING} times those of the \
             file"
        ));
    }
    if let Some(name) = state_dict.texts.keys().find(|name| *name != EXPONENTS) {
        return Err(format!("`{name}` is no tensor; expected a state dict of tensors"));
    }
    Ok(Contents { tensors, exponents: state_dict.texts.get(EXPONENTS).cloned() })
}

/// The pickle of the archive, and the folder that it and the storages are in.
fn find_pickle(files: &BTreeMap<String, Stored>) -> Result<(&str, Stored), String> {
    let mut pickles = files.iter().filter_map(|(name, stored)| {
        let folder = name.strip_suffix("data.pkl")?;
        (folder.is_empty() || folder.ends_with('/')).then_some((folder, *stored))
    });
    match (pickles.next(), pickles.next()) {
        (Some(pickle), None) => Ok(pickle),
        (None, _) => {
            Err("it is a zip archive without data.pkl; expected what torch.save writes".to_owned())
        }
        (Some(_), Some(_)) => Err("it has several files data.pkl".to_owned()),
    }
}

/// Newer archives say how their numbers are stored; older ones are little-endian.
fn check_byte_order(
    source: &Source,
    files: &BTreeMap<String, Stored>,
    folder: &str,
) -> Result<(), String> {
    let Some(&stored) = files.get(&format!("{folder}byteorder")) else { return Ok(()) };
    match &read_file(source, stored, "byteorder", 16)?[..] {
        b"little" => Ok(()),
        _ => Err("its numbers are not little-endian".to_owned()),
    }
}

/// The content of a small file of the archive.
fn read_file(source: &Source, stored: Stored, name: &str, most: u64) -> Result<Vec<u8>, String> {
    if stored.length > most {
        return Err(format!(
            "its file {name} has {} bytes; expected {most} at most",
            stored.length
        ));
    }
    let bytes = source.bytes(stored.start, stored.length).map_err(|error| error.to_string())?;
    if crc32fast::hash(&bytes) != stored.crc {
        return Err(format!("its file {name} is damaged: its checksum is another"));
    }
    Ok(bytes)
}

/// Where the elements of a view are.
fn locate(files: &BTreeMap<String, Stored>, folder: &str, view: &View) -> Result<Tensor, String> {
    let element_type = element_type(&view.class);
    let name = format!("data/{}", view.key);
    let stored = files
        .get(&format!("{folder}{name}"))
        .ok_or_else(|| format!("its file {name} is missing"))?;
    // A type that weights do not have is refused by the one who asks for its elements.
    if let Some((_, size)) = element_type.block() {
        if view.elements.checked_mul(size as u64) != Some(stored.length) {
            return Err(format!(
                "its storage of {} elements of type {element_type} does not fill the {} bytes of \
                 {name}",
                view.elements, stored.length
            ));
        }
        let end = span(view).and_then(|span| span.checked_add(view.offset));
        if end.is_none_or(|end| end > view.elements) {
            return Err(format!(
                "offset {}, shape {:?} and strides {:?} reach beyond its storage of {} elements",
                view.offset, view.shape, view.strides, view.elements
            ));
        }
    }
    let (_, size) = element_type.block().unwrap_or((1, 0));
    Ok(Tensor {
        start: stored.start + view.offset * size as u64,
        element_type,
        shape: view.shape.clone(),
        strides: Some(view.strides.clone()),
    })
}

/// Elements of the storage from the first to the last of a view.
fn span(view: &View) -> Option<u64> {
    if view.shape.contains(&0) {
        return Some(0);
    }
    view.shape.iter().zip(&view.strides).try_fold(1u64, |span, (&size, &stride)| {
        span.checked_add((size as u64 - 1).checked_mul(stride)?)
    })
}

fn element_type(class: &str) -> ElementType {
    match class {
        "HalfStorage" => ElementType::F16,
        "BFloat16Storage" => ElementType::Bf16,
        "FloatStorage" => ElementType::F32,
        other => ElementType::Other(other.to_owned()),
    }
}

/// The folder in the archive.
const FOLDER: &str = "archive";

/// Writes an archive of `outputs` that `torch.load` reads.
pub(super) fn write(outputs: &[Output], base2: bool, out: &mut dyn Write) -> io::Result<()> {
    let mut archive = zip::Archive::new(out);
    let pickle = pickle::write(outputs, base2.then_some((EXPONENTS, BASE2)));
    archive.add(&format!("{FOLDER}/data.pkl"), |piece| piece(&pickle))?;
    for (key, output) in outputs.iter().enumerate() {
        archive.add(&format!("{FOLDER}/data/{key}"), |piece| output.encode(piece))?;
    }
    archive.add(&format!("{FOLDER}/version"), |piece| piece(b"3\n"))?;
    archive.finish()
}

/// The class of storages of a type.
pub(super) fn storage_class(element_type: &ElementType) -> &'static str {
    match element_type {
        ElementType::F16 => "HalfStorage",
        ElementType::Bf16 => "BFloat16Storage",
        _ => "FloatStorage",
    }
}
