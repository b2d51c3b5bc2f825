//! Named tensors as a file holds them, taken out one by one and checked on the way.

use std::collections::BTreeMap;
use std::io;

use super::element::ElementType;
use super::error::CheckpointError;
use super::layout::Shape;
use super::names::{self, Names};
use super::source::{Source, reserve};

/// One tensor: where its elements are.
#[derive(Clone, Debug)]
pub(super) struct Tensor {
    pub element_type: ElementType,
    pub shape: Vec<usize>,
    /// The distance of neighbours in each dimension, in elements; row-major if none.
    pub strides: Option<Vec<u64>>,
    /// The first byte of the first element. All elements lie within the file.
    pub start: u64,
}

/// The tensors of a file, by the names that it has for them.
#[derive(Debug)]
pub(super) struct Contents {
    pub tensors: BTreeMap<String, Tensor>,
    /// What the file says of the form of its exponents.
    pub exponents: Option<String>,
}

/// The tensors of a file that have not been taken yet, by BlinkDL's names.
#[derive(Debug)]
pub(super) struct Tensors<'a> {
    file: &'a str,
    source: &'a Source<'a>,
    names: Names,
    by_name: BTreeMap<String, Tensor>,
}

/// Bytes that are read at once.
const CHUNK: usize = 1 << 18;

impl Tensor {
    /// The bytes that its elements take; none if they fill no blocks or are too many.
    pub(super) fn bytes(&self) -> Option<u64> {
        let elements =
            self.shape.iter().try_fold(1u64, |product, &size| product.checked_mul(size as u64))?;
        self.element_type.bytes(elements)
    }

    /// The elements, row-major.
    fn read(&self, source: &Source) -> io::Result<Vec<f32>> {
        let row_major = row_major(&self.shape);
        let Some(strides) = self.strides.as_ref().filter(|&strides| {
            // The stride of a dimension of 1 is never used.
            self.shape.iter().zip(strides).zip(&row_major).any(|((&s, a), b)| s != 1 && a != b)
        }) else {
            return self.read_stored(source, self.shape.iter().product());
        };
        let last = self.shape.iter().zip(strides).map(|(&s, &stride)| (s as u64 - 1) * stride);
        let stored = self.read_stored(source, last.sum::<u64>() as usize + 1)?;
        let elements = self.shape.iter().product();
        let mut values = reserve(elements)?;
        let mut place = vec![0; self.shape.len()];
        for _ in 0..elements {
            let at: u64 = place.iter().zip(strides).map(|(&place, &stride)| place * stride).sum();
            values.push(stored[at as usize]);
            advance(&mut place, &self.shape);
        }
        Ok(values)
    }

    /// The first elements that are stored, in whole blocks.
    fn read_stored(&self, source: &Source, elements: usize) -> io::Result<Vec<f32>> {
        let Some((length, size)) = self.element_type.block() else { return Ok(Vec::new()) };
        let mut values = reserve(elements)?;
        let mut left = elements / length * size;
        let mut at = self.start;
        let mut chunk = vec![0; left.min(CHUNK / size * size)];
        while left > 0 {
            let bytes = &mut chunk[..left.min(CHUNK / size * size)];
            source.read(at, bytes)?;
            self.element_type.decode(bytes, &mut values);
            at += bytes.len() as u64;
            left -= bytes.len();
        }
        Ok(values)
    }
}

/// The strides of a tensor without gaps whose last dimension is the innermost.
pub(super) fn row_major(shape: &[usize]) -> Vec<u64> {
    let mut strides = vec![1; shape.len()];
    for place in (1..shape.len()).rev() {
        strides[place - 1] = strides[place] * shape[place] as u64;
    }
    strides
}

/// Steps to the next place, the last dimension first.
fn advance(place: &mut [u64], shape: &[usize]) {
    for (place, &size) in place.iter_mut().zip(shape).rev() {
        *place += 1;
        if *place < size as u64 {
            return;
        }
        *place = 0;
    }
}

impl<'a> Tensors<'a> {
    /// Brings the names to BlinkDL's.
    pub(super) fn new(
        file: &'a str,
        source: &'a Source<'a>,
        tensors: BTreeMap<String, Tensor>,
    ) -> Result<Self, CheckpointError> {
        let foreign = tensors.keys().any(|name| name.starts_with(names::PREFIX));
        let names = if foreign { Names::HuggingFace } else { Names::Blinkdl };
        let mut by_name = BTreeMap::new();
        for (name, tensor) in tensors {
            let own = names::blinkdl(&name).unwrap_or_else(|| name.clone());
            if by_name.insert(own, tensor).is_some() {
                return Err(CheckpointError::Twice { file: file.to_owned(), tensor: name });
            }
        }
        if foreign && !by_name.contains_key(HEAD) {
            by_name.extend(by_name.get(EMBEDDING).cloned().map(|tied| (HEAD.to_owned(), tied)));
        }
        Ok(Self { file, source, names, by_name })
    }

    /// Who named them.
    pub(super) fn naming(&self) -> Names {
        self.names
    }

    /// The names left.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// The element types of those left.
    pub(super) fn element_types(&self) -> BTreeMap<String, ElementType> {
        self.by_name.iter().map(|(name, t)| (name.clone(), t.element_type.clone())).collect()
    }

    /// Rows and columns of a matrix that sets sizes; `expected` names them in an error.
    pub(super) fn matrix_shape(
        &self,
        name: &str,
        expected: &str,
    ) -> Result<[usize; 2], CheckpointError> {
        let tensor = self.by_name.get(name).ok_or_else(|| self.missing(name, expected))?;
        match tensor.shape[..] {
            [rows, columns] if rows > 0 && columns > 0 => Ok([rows, columns]),
            _ => Err(self.wrong_shape(name, &tensor.shape, expected)),
        }
    }

    /// What is wrong with the tensor `name`, if it is to have `shape`.
    pub(super) fn problem(&self, name: &str, shape: Shape) -> Option<CheckpointError> {
        let expected = || format!("{:?}", shape.plain());
        let Some(tensor) = self.by_name.get(name) else {
            return Some(self.missing(name, &expected()));
        };
        if !shape.fits(&tensor.shape) {
            return Some(self.wrong_shape(name, &tensor.shape, &expected()));
        }
        tensor.element_type.block().is_none().then(|| CheckpointError::WrongType {
            file: self.file.to_owned(),
            tensor: name.to_owned(),
            found: tensor.element_type.to_string(),
        })
    }

    /// Takes the values of a tensor that has no [`Self::problem`]; all are finite.
    pub(super) fn take(&mut self, name: &str) -> Result<Vec<f32>, CheckpointError> {
        let Some(tensor) = self.by_name.remove(name) else { return Err(self.missing(name, "")) };
        let values = tensor
            .read(self.source)
            .map_err(|source| CheckpointError::Unreadable { file: self.file.to_owned(), source })?;
        match values.iter().position(|value| !value.is_finite()) {
            None => Ok(values),
            Some(index) => Err(CheckpointError::NotFinite {
                file: self.file.to_owned(),
                tensor: name.to_owned(),
                index,
                value: values[index],
            }),
        }
    }

    fn missing(&self, tensor: &str, expected: &str) -> CheckpointError {
        let with_prefix = format!(".{tensor}");
        let other = self.by_name.keys().find(|name| name.ends_with(&with_prefix));
        CheckpointError::Missing {
            file: self.file.to_owned(),
            tensor: tensor.to_owned(),
            expected: match other {
                Some(other) => format!("{expected}, under that name and not as `{other}`"),
                None => expected.to_owned(),
            },
        }
    }

    fn wrong_shape(&self, tensor: &str, found: &[usize], expected: &str) -> CheckpointError {
        CheckpointError::WrongShape {
            file: self.file.to_owned(),
            tensor: tensor.to_owned(),
            found: found.to_vec(),
            expected: expected.to_owned(),
        }
    }
}

/// The tensors that set the sizes of a model.
pub(super) const EMBEDDING: &str = "emb.weight";
pub(super) const HEAD: &str = "head.weight";
