//! The safetensors container: a length, a JSON header, then the bytes of all tensors.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, Write};

use safetensors::Dtype;
use safetensors::tensor::TensorInfo;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;

use super::BASE2;
use super::element::ElementType;
use super::error::CheckpointError;
use super::format::{Format, LONGEST_HEADER};
use super::source::Source;
use super::tensors::{Contents, Tensor};
use super::write::Output;

/// Bytes of the header's length, before the header.
const LENGTH_BYTES: u64 = 8;

/// The key of the header that is no tensor.
const METADATA: &str = "__metadata__";

/// The metadata that marks the form of exponents.
const EXPONENTS: &str = "exponents";

/// Reads the tensors of a file; `file` names it in errors.
pub(super) fn read(file: &str, source: &Source) -> Result<Contents, CheckpointError> {
    let unreadable = |source| CheckpointError::Unreadable { file: file.to_owned(), source };
    let unusable = |found: String| CheckpointError::Unusable {
        file: file.to_owned(),
        format: Format::Safetensors,
        found,
    };
    let wrong_length = |expected| CheckpointError::WrongLength {
        file: file.to_owned(),
        found: source.length(),
        expected,
    };
    let mut length = [0; LENGTH_BYTES as usize];
    source.read(0, &mut length).map_err(unreadable)?;
    let length = u64::from_le_bytes(length);
    let data = LENGTH_BYTES.saturating_add(length);
    if data > source.length() {
        return Err(wrong_length(data));
    }
    if length > LONGEST_HEADER {
        return Err(unusable(format!(
            "its header has {length} bytes; expected {LONGEST_HEADER} at most"
        )));
    }
    let header = source.bytes(LENGTH_BYTES, length).map_err(unreadable)?;
    let header: Header = serde_json::from_slice(&header)
        .map_err(|error| unusable(format!("invalid header: {error}")))?;
    let end = header.tensors.values().map(|info| info.data_offsets.1 as u64).max().unwrap_or(0);
    if data.saturating_add(end) > source.length() {
        return Err(wrong_length(data.saturating_add(end)));
    }
    check_sizes(file, &header.tensors)?;
    check_offsets(&header.tensors).map_err(unusable)?;
    if data + end < source.length() {
        return Err(wrong_length(data + end));
    }
    let tensor = |info: TensorInfo| Tensor {
        element_type: element_type(info.dtype),
        shape: info.shape,
        strides: None,
        start: data + info.data_offsets.0 as u64,
    };
    let tensors = header.tensors.into_iter().map(|(name, info)| (name, tensor(info))).collect();
    let exponents = header.metadata.and_then(|mut metadata| metadata.remove(EXPONENTS));
    Ok(Contents { tensors, exponents })
}

fn element_type(dtype: Dtype) -> ElementType {
    match dtype {
        Dtype::F16 => ElementType::F16,
        Dtype::BF16 => ElementType::Bf16,
        Dtype::F32 => ElementType::F32,
        other => ElementType::Other(other.to_string()),
    }
}

/// Refuses tensors whose shape and type do not fill their bytes.
fn check_sizes(file: &str, tensors: &BTreeMap<String, TensorInfo>) -> Result<(), CheckpointError> {
    for (name, info) in tensors {
        let (start, end) = info.data_offsets;
        // Ends before starts are told with the offsets.
        let Some(found) = end.checked_sub(start) else { continue };
        let bits = info.shape.iter().try_fold(info.dtype.bitsize(), |bits, &n| bits.checked_mul(n));
        let expected = bits.filter(|bits| bits.is_multiple_of(8)).map(|bits| bits / 8);
        if expected != Some(found) {
            return Err(CheckpointError::WrongSize {
                file: file.to_owned(),
                tensor: name.clone(),
                declared: format!("{} of shape {:?}", info.dtype, info.shape),
                found,
                expected: expected.map_or("other sizes".to_owned(), |bytes| bytes.to_string()),
            });
        }
    }
    Ok(())
}

/// Refuses tensors that overlap, leave gaps, or end before they start.
fn check_offsets(tensors: &BTreeMap<String, TensorInfo>) -> Result<(), String> {
    let mut in_order: Vec<(&String, (usize, usize))> =
        tensors.iter().map(|(name, info)| (name, info.data_offsets)).collect();
    in_order.sort_by_key(|&(_, offsets)| offsets);
    let mut expected = 0;
    for (name, (start, end)) in in_order {
        if end < start {
            return Err(format!("tensor `{name}` ends at {end}, before it starts at {start}"));
        }
        if start != expected {
            let what = if start < expected { "overlaps another" } else { "leaves a gap" };
            return Err(format!(
                "tensor `{name}` {what}: it starts at byte {start} of the data; expected {expected}"
            ));
        }
        expected = end;
    }
    Ok(())
}

/// The header of a file; no name is in it twice.
struct Header {
    tensors: BTreeMap<String, TensorInfo>,
    metadata: Option<BTreeMap<String, String>>,
}

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Header;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Header, A::Error> {
                let mut header = Header { tensors: BTreeMap::new(), metadata: None };
                let mut seen = BTreeSet::new();
                while let Some(name) = map.next_key::<String>()? {
                    if !seen.insert(name.clone()) {
                        let what = format!("tensor `{name}` is in its header twice");
                        return Err(Error::custom(what));
                    }
                    if name == METADATA {
                        header.metadata = map.next_value()?;
                        continue;
                    }
                    let info: Value = map.next_value()?;
                    let info = serde_json::from_value(info)
                        .map_err(|error| Error::custom(format!("tensor `{name}`: {error}")))?;
                    header.tensors.insert(name, info);
                }
                Ok(header)
            }
        }
        input.deserialize_map(Entries)
    }
}

/// Writes a file of `outputs`.
pub(super) fn write(mut outputs: Vec<Output>, base2: bool, out: &mut dyn Write) -> io::Result<()> {
    // Wide elements first, so that all are aligned.
    outputs.sort_by(|a, b| {
        let width = |output: &Output| Reverse(output.element_type.block());
        (width(a), &a.name).cmp(&(width(b), &b.name))
    });
    let mut metadata = BTreeMap::from([("format", "pt")]);
    if base2 {
        metadata.insert(EXPONENTS, BASE2);
    }
    let mut entries = BTreeMap::from([(METADATA, serde_json::to_value(metadata)?)]);
    let mut end = 0;
    for output in &outputs {
        let start = end;
        end += output.bytes() as usize;
        let info = TensorInfo {
            dtype: dtype(&output.element_type),
            shape: output.shape.stored(),
            data_offsets: (start, end),
        };
        entries.insert(&output.name, serde_json::to_value(info)?);
    }
    let mut header = serde_json::to_vec(&entries)?;
    header.resize(header.len().next_multiple_of(LENGTH_BYTES as usize), b' ');
    out.write_all(&(header.len() as u64).to_le_bytes())?;
    out.write_all(&header)?;
    outputs.iter().try_for_each(|output| output.encode(|piece| out.write_all(piece)))
}

fn dtype(element_type: &ElementType) -> Dtype {
    match element_type {
        ElementType::F16 => Dtype::F16,
        ElementType::Bf16 => Dtype::BF16,
        _ => Dtype::F32,
    }
}
