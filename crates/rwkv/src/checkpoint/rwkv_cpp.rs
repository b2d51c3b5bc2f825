//! The format of rwkv.cpp: a header of six numbers, then one tensor after another.
//!
//! Described in `docs/FILE_FORMAT.md` of rwkv.cpp. Decays are stored as `-e^time_decay`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::Sizes;
use super::element::ElementType;
use super::error::CheckpointError;
use super::format::{Format, RWKV_CPP as MAGIC};
use super::source::Source;
use super::tensors::{Contents, Tensor};
use super::write::Output;

/// Version of files without quantised tensors, or with those of an older ggml.
const OLD: u32 = 100;
/// Version whose quantised tensors are as [`ElementType`] has them.
const VERSION: u32 = 101;

const MOST_DIMENSIONS: u32 = 4;
const LONGEST_NAME: u32 = 1024;
/// A few bytes are enough for a tensor; a model has some hundreds.
const MOST_TENSORS: usize = 100_000;

/// The sizes in the header of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub vocabulary: u32,
    pub channels: u32,
    pub blocks: u32,
}

/// Reads the tensors of a file; `file` names it in errors.
pub(super) fn read(file: &str, source: &Source) -> Result<(Header, Contents), CheckpointError> {
    contents(source).map_err(|found| CheckpointError::Unusable {
        file: file.to_owned(),
        format: Format::RwkvCpp,
        found,
    })
}

fn contents(source: &Source) -> Result<(Header, Contents), String> {
    let mut cursor = Cursor { source, at: 0 };
    let [_, version, vocabulary, channels, blocks, _] = cursor.numbers()?;
    if version != OLD && version != VERSION {
        return Err(format!("version {version}; expected {OLD} or {VERSION}"));
    }
    let mut tensors = BTreeMap::new();
    while cursor.at < source.length() {
        let (name, tensor) = cursor.tensor(version)?;
        if tensors.insert(name.clone(), tensor).is_some() {
            return Err(format!("tensor `{name}` is in it twice"));
        }
        if tensors.len() > MOST_TENSORS {
            return Err(format!("more than {MOST_TENSORS} tensors"));
        }
    }
    Ok((Header { vocabulary, channels, blocks }, Contents { tensors, exponents: None }))
}

struct Cursor<'a> {
    source: &'a Source<'a>,
    at: u64,
}

impl Cursor<'_> {
    fn numbers<const N: usize>(&mut self) -> Result<[u32; N], String> {
        let bytes = self.take(4 * N)?;
        let mut numbers = bytes.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes));
        Ok([(); N].map(|()| numbers.next().unwrap_or_default()))
    }

    fn take(&mut self, length: usize) -> Result<Vec<u8>, String> {
        let bytes = self.source.bytes(self.at, length as u64).map_err(|error| error.to_string())?;
        if bytes.len() < length {
            return Err(format!(
                "it ends at byte {}, in the middle of a header: truncated; copy or download it \
                 again",
                self.source.length()
            ));
        }
        self.at += length as u64;
        Ok(bytes)
    }

    /// The next tensor and its name.
    fn tensor(&mut self, version: u32) -> Result<(String, Tensor), String> {
        let place = self.at;
        let damaged = |what: String| format!("the tensor at byte {place} has {what}");
        let [dimensions, name_length, data_type] = self.numbers()?;
        if !(1..=MOST_DIMENSIONS).contains(&dimensions) {
            return Err(damaged(format!(
                "{dimensions} dimensions; expected 1 to {MOST_DIMENSIONS}"
            )));
        }
        if !(1..=LONGEST_NAME).contains(&name_length) {
            return Err(damaged(format!(
                "a name of {name_length} bytes; expected 1 to {LONGEST_NAME}"
            )));
        }
        let shape = self.take(4 * dimensions as usize)?;
        let shape = shape.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes) as usize);
        // The innermost dimension comes first.
        let shape: Vec<usize> = shape.rev().collect();
        let name = String::from_utf8(self.take(name_length as usize)?)
            .map_err(|_| damaged("a name that is not UTF-8".to_owned()))?;
        let element_type = element_type(data_type, version)
            .map_err(|found| format!("tensor `{name}`: {found}"))?;
        let tensor = Tensor { element_type, shape, strides: None, start: self.at };
        let end = tensor.bytes().and_then(|bytes| bytes.checked_add(self.at));
        self.at = end.filter(|&end| end <= self.source.length()).ok_or_else(|| {
            format!(
                "tensor `{name}` of type {} and shape {:?} reaches beyond the file, which has {} \
                 bytes: truncated; copy or download it again",
                tensor.element_type,
                tensor.shape,
                self.source.length()
            )
        })?;
        Ok((name, tensor))
    }
}

fn element_type(data_type: u32, version: u32) -> Result<ElementType, String> {
    let element_type = match data_type {
        0 => return Ok(ElementType::F32),
        1 => return Ok(ElementType::F16),
        2 => ElementType::Q4_0,
        3 => ElementType::Q4_1,
        7 => ElementType::Q5_0,
        8 => ElementType::Q5_1,
        9 => ElementType::Q8_0,
        other => return Err(format!("elements of type {other}; expected F32, F16, Q4_0 to Q8_0")),
    };
    if version < VERSION {
        return Err(format!(
            "elements of type {element_type} as they were in version {version}, which is not read; \
             expected version {VERSION}: quantise the model again"
        ));
    }
    Ok(element_type)
}

/// Writes a file of `outputs`.
pub(super) fn write(outputs: &[Output], sizes: Sizes, out: &mut dyn Write) -> io::Result<()> {
    let (vocabulary, channels, blocks) = (sizes.vocabulary, sizes.channels, sizes.blocks);
    let magic = u32::from_le_bytes(MAGIC) as usize;
    // The type of most of the weights.
    let types = outputs.iter().map(|output| data_type(&output.element_type));
    let most = types.max().unwrap_or_default();
    put(out, &[magic, VERSION as usize, vocabulary, channels, blocks, most])?;
    for output in outputs {
        let shape = output.shape.plain();
        put(out, &[shape.len(), output.name.len(), data_type(&output.element_type)])?;
        put(out, &shape.into_iter().rev().collect::<Vec<_>>())?;
        out.write_all(output.name.as_bytes())?;
        output.encode(|piece| out.write_all(piece))?;
    }
    Ok(())
}

/// The number of a type that is written.
fn data_type(element_type: &ElementType) -> usize {
    match element_type {
        ElementType::F16 => 1,
        ElementType::Q5_0 => 7,
        ElementType::Q5_1 => 8,
        _ => 0,
    }
}

fn put(out: &mut dyn Write, numbers: &[usize]) -> io::Result<()> {
    numbers.iter().try_for_each(|&number| {
        let number = i32::try_from(number).map_err(io::Error::other)?;
        out.write_all(&number.to_le_bytes())
    })
}
