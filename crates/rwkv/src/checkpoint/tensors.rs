//! Named tensors as a file holds them, taken out one by one and checked on the way.

use std::collections::BTreeMap;

use half::{bf16, f16};

use super::CheckpointError;

/// How a tensor's elements are stored, little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ElementType {
    F16,
    Bf16,
    F32,
    /// A type that weights do not have, by its name in the file.
    Other(String),
}

/// One tensor, row-major.
#[derive(Clone, Debug)]
pub(super) struct Tensor<'a> {
    pub element_type: ElementType,
    pub shape: Vec<usize>,
    pub bytes: &'a [u8],
}

/// The tensors of a file that have not been taken yet.
#[derive(Debug)]
pub(super) struct Tensors<'a> {
    file: String,
    by_name: BTreeMap<String, Tensor<'a>>,
}

impl<'a> Tensors<'a> {
    pub(super) fn new(file: &str, by_name: BTreeMap<String, Tensor<'a>>) -> Self {
        Self { file: file.to_owned(), by_name }
    }

    /// The names left.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
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

    /// Takes a vector of `length` elements. Leading dimensions of 1 are accepted.
    pub(super) fn take_vector(
        &mut self,
        name: &str,
        length: usize,
    ) -> Result<Vec<f32>, CheckpointError> {
        self.take(name, &[length], |shape| {
            let leading = shape.iter().take_while(|&&size| size == 1).count();
            shape == [length] || shape[leading..] == [length]
        })
    }

    /// Takes a matrix of `rows` by `columns`.
    pub(super) fn take_matrix(
        &mut self,
        name: &str,
        rows: usize,
        columns: usize,
    ) -> Result<Vec<f32>, CheckpointError> {
        self.take(name, &[rows, columns], |shape| shape == [rows, columns])
    }

    /// Refuses tensors that nothing took.
    pub(super) fn finish(self, blocks: usize) -> Result<(), CheckpointError> {
        match self.by_name.into_keys().next() {
            None => Ok(()),
            Some(tensor) => Err(CheckpointError::Unexpected { file: self.file, tensor, blocks }),
        }
    }

    fn take(
        &mut self,
        name: &str,
        expected: &[usize],
        fits: impl Fn(&[usize]) -> bool,
    ) -> Result<Vec<f32>, CheckpointError> {
        let expected = format!("{expected:?}");
        let Some(tensor) = self.by_name.remove(name) else {
            return Err(self.missing(name, &expected));
        };
        if !fits(&tensor.shape) {
            return Err(self.wrong_shape(name, &tensor.shape, &expected));
        }
        let values = self.floats(name, &tensor)?;
        match values.iter().position(|value| !value.is_finite()) {
            None => Ok(values),
            Some(index) => Err(CheckpointError::NotFinite {
                file: self.file.clone(),
                tensor: name.to_owned(),
                index,
                value: values[index],
            }),
        }
    }

    fn floats(&self, name: &str, tensor: &Tensor) -> Result<Vec<f32>, CheckpointError> {
        Ok(match &tensor.element_type {
            ElementType::F16 => decode(tensor.bytes, |bytes| f16::from_le_bytes(bytes).to_f32()),
            ElementType::Bf16 => decode(tensor.bytes, |bytes| bf16::from_le_bytes(bytes).to_f32()),
            ElementType::F32 => decode(tensor.bytes, f32::from_le_bytes),
            ElementType::Other(found) => {
                return Err(CheckpointError::WrongType {
                    file: self.file.clone(),
                    tensor: name.to_owned(),
                    found: found.clone(),
                });
            }
        })
    }

    /// Refuses a tensor with rows of `row` weights if what is made of a weight, `what` in
    /// words, is not usable.
    pub(super) fn check(
        &self,
        name: &str,
        weights: &[f32],
        row: usize,
        what: &'static str,
        usable: impl Fn(f32) -> bool,
    ) -> Result<(), CheckpointError> {
        match weights.iter().position(|&weight| !usable(weight)) {
            None => Ok(()),
            Some(place) => Err(CheckpointError::TooLarge {
                file: self.file.clone(),
                tensor: name.to_owned(),
                channel: place / row,
                value: weights[place],
                what,
            }),
        }
    }

    pub(super) fn missing_block(&self, block: usize, last: usize) -> CheckpointError {
        CheckpointError::MissingBlock { file: self.file.clone(), block, last }
    }

    fn missing(&self, tensor: &str, expected: &str) -> CheckpointError {
        CheckpointError::Missing {
            file: self.file.clone(),
            tensor: tensor.to_owned(),
            expected: expected.to_owned(),
        }
    }

    fn wrong_shape(&self, tensor: &str, found: &[usize], expected: &str) -> CheckpointError {
        CheckpointError::WrongShape {
            file: self.file.clone(),
            tensor: tensor.to_owned(),
            found: found.to_vec(),
            expected: expected.to_owned(),
        }
    }
}

/// Elements of `N` bytes each.
fn decode<const N: usize>(bytes: &[u8], element: impl Fn([u8; N]) -> f32) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|&bytes| element(bytes)).collect()
}
