//! The safetensors container: a length, a JSON header, then the bytes of all tensors.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use safetensors::Dtype;
use safetensors::tensor::{SafeTensorError, SafeTensors, TensorInfo};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::CheckpointError;
use super::tensors::{ElementType, Tensor, Tensors};

/// Bytes of the header's length, before the header.
const LENGTH_BYTES: usize = 8;

/// Reads all tensors of `bytes`; `file` names them in errors.
pub(super) fn read<'a>(file: &str, bytes: &'a [u8]) -> Result<Tensors<'a>, CheckpointError> {
    if let Some(error) = overrun(file, bytes).or_else(|| repeated_name(file, bytes)) {
        return Err(error);
    }
    let parsed = SafeTensors::deserialize(bytes).map_err(|error| diagnose(file, bytes, error))?;
    let tensors = parsed
        .tensors()
        .into_iter()
        .map(|(name, view)| {
            let tensor = Tensor {
                element_type: element_type(view.dtype()),
                shape: view.shape().to_vec(),
                bytes: view.data(),
            };
            (name, tensor)
        })
        .collect();
    Ok(Tensors::new(file, tensors))
}

fn element_type(dtype: Dtype) -> ElementType {
    match dtype {
        Dtype::F16 => ElementType::F16,
        Dtype::BF16 => ElementType::Bf16,
        Dtype::F32 => ElementType::F32,
        other => ElementType::Other(other.to_string()),
    }
}

/// Turns the parser's refusal into one that says what is wrong with the file.
fn diagnose(file: &str, bytes: &[u8], error: SafeTensorError) -> CheckpointError {
    let described = match error {
        SafeTensorError::InvalidHeaderLength => cut_header(file, bytes),
        SafeTensorError::MetadataIncompleteBuffer => wrong_length(file, bytes),
        SafeTensorError::TensorInvalidInfo => wrong_size(file, bytes),
        _ => None,
    };
    described.unwrap_or_else(|| CheckpointError::NotSafetensors {
        file: file.to_owned(),
        found: other_format(bytes).map_or_else(|| error.to_string(), str::to_owned),
    })
}

/// A familiar format, by its first bytes.
fn other_format(bytes: &[u8]) -> Option<&'static str> {
    const FORMATS: [(&[u8], &str); 6] = [
        (b"PK\x03\x04", "it is a zip archive, perhaps a PyTorch .pth"),
        (b"\x80\x02", "it is a Python pickle, perhaps an old .pth"),
        (b"fmgg", "it is a ggml file, perhaps of rwkv.cpp"),
        (b"GGUF", "it is a GGUF file"),
        (b"{", "it is JSON, perhaps a tokenizer"),
        (b"version https://git-lfs", "it is a Git LFS pointer, not the file itself"),
    ];
    if bytes.is_empty() {
        return Some("it is empty");
    }
    FORMATS.iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, name)| *name)
}

/// A header that is longer than the file, if what there is of it looks like one.
fn cut_header(file: &str, bytes: &[u8]) -> Option<CheckpointError> {
    let length = u64::from_le_bytes(*bytes.first_chunk()?);
    (bytes.get(LENGTH_BYTES) == Some(&b'{')).then(|| CheckpointError::WrongLength {
        file: file.to_owned(),
        found: bytes.len() as u64,
        expected: length.saturating_add(LENGTH_BYTES as u64),
    })
}

/// Tensors that end after the file. The parser would add up such sizes without care.
fn overrun(file: &str, bytes: &[u8]) -> Option<CheckpointError> {
    wrong_length(file, bytes).filter(|error| {
        matches!(error, CheckpointError::WrongLength { found, expected, .. } if expected > found)
    })
}

/// A name that the header has twice, of which the parser would take the last.
fn repeated_name(file: &str, bytes: &[u8]) -> Option<CheckpointError> {
    let Names(names) = serde_json::from_slice(header(bytes)?).ok()?;
    let mut seen = BTreeSet::new();
    let name = names.into_iter().find(|name| !seen.insert(name.clone()))?;
    Some(CheckpointError::NotSafetensors {
        file: file.to_owned(),
        found: format!("tensor `{name}` is in its header twice"),
    })
}

/// The keys of a JSON object, repeated ones too.
struct Names(Vec<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Names;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Names, A::Error> {
                let mut names = Vec::new();
                while let Some((name, IgnoredAny)) = map.next_entry()? {
                    names.push(name);
                }
                Ok(Names(names))
            }
        }
        input.deserialize_map(Keys)
    }
}

fn wrong_length(file: &str, bytes: &[u8]) -> Option<CheckpointError> {
    let header = header(bytes)?;
    let data = infos(header).map(|(_, info)| info.data_offsets.1).max()?;
    Some(CheckpointError::WrongLength {
        file: file.to_owned(),
        found: bytes.len() as u64,
        expected: (LENGTH_BYTES + header.len()).saturating_add(data) as u64,
    })
}

fn wrong_size(file: &str, bytes: &[u8]) -> Option<CheckpointError> {
    infos(header(bytes)?).find_map(|(tensor, info)| {
        let found = info.data_offsets.1.checked_sub(info.data_offsets.0)?;
        let expected = info
            .shape
            .iter()
            .try_fold(info.dtype.bitsize(), |bits, &size| bits.checked_mul(size))?
            / 8;
        (found != expected).then(|| CheckpointError::WrongSize {
            file: file.to_owned(),
            tensor,
            element_type: info.dtype.to_string(),
            shape: info.shape,
            found,
            expected,
        })
    })
}

fn header(bytes: &[u8]) -> Option<&[u8]> {
    let length = u64::from_le_bytes(*bytes.first_chunk()?);
    bytes[LENGTH_BYTES..].get(..usize::try_from(length).ok()?)
}

/// The tensors that a header declares, by name.
fn infos(header: &[u8]) -> impl Iterator<Item = (String, TensorInfo)> {
    serde_json::from_slice::<BTreeMap<String, Value>>(header)
        .unwrap_or_default()
        .into_iter()
        .filter_map(|(name, value)| Some((name, serde_json::from_value(value).ok()?)))
}
