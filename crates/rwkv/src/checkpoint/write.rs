//! Checkpoints as files of any format, written tensor by tensor.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::element::ElementType;
use super::error::CheckpointError;
use super::exponents::Exponents;
use super::format::Format;
use super::layout::{Place, Shape, places};
use super::names::{Names, hugging_face};
use super::tensors::{EMBEDDING, HEAD};
use super::{Checkpoint, CheckpointFile, TimeMixWeights, gathered};
use super::{rwkv_cpp, safetensors, torch};

/// How a checkpoint is to be written.
#[derive(Clone, Debug)]
pub struct Target {
    /// The container.
    pub format: Format,
    /// Who names the tensors; rwkv.cpp has BlinkDL's names only.
    pub names: Names,
    /// How elements are stored. If none, as they were; in F32 where they were quantised or are
    /// changed, or where the format has no such type. In rwkv.cpp's format vectors are in F32, and
    /// Q5_0 and Q5_1 leave embedding, head, and rows that fill no blocks of 32 as they were.
    pub element_type: Option<ElementType>,
    /// Whether decays, bonuses and keys become exponents of 2.
    pub base2: bool,
}

/// A target that there is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// The format has no place for a mark.
    #[error("rwkv.cpp's format cannot say that exponents are of base 2; expected another format")]
    NoMark,
    /// The format does not have the type.
    #[error("rwkv.cpp's format has no BF16; expected F32 or F16")]
    NoBf16,
    /// The format does not have the type.
    #[error("only rwkv.cpp's format has quantised weights; expected F32, F16 or BF16")]
    NoQuantised,
    /// The format has other names.
    #[error("rwkv.cpp's format has BlinkDL's names only; expected another format")]
    NoNames,
}

/// A checkpoint that is ready to be written: every weight fits its element type.
#[derive(Debug)]
pub struct Prepared {
    checkpoint: Checkpoint,
    element_types: BTreeMap<String, ElementType>,
    format: Format,
    names: Names,
    base2: bool,
}

/// A tensor to be written.
pub(super) struct Output<'a> {
    /// Its name in the file.
    pub name: String,
    pub shape: Shape,
    pub element_type: ElementType,
    pub values: &'a [f32],
}

/// Values that are encoded at once.
const CHUNK: usize = 1 << 16;

impl Target {
    /// Refuses what the format does not have.
    ///
    /// # Errors
    /// If it is rwkv.cpp's, which has no mark for base 2, no `BF16` and no other names.
    pub fn check(&self) -> Result<(), TargetError> {
        if self.format != Format::RwkvCpp {
            let quantised = self.element_type.as_ref().is_some_and(ElementType::is_quantised);
            return if quantised { Err(TargetError::NoQuantised) } else { Ok(()) };
        }
        match (self.base2, self.names, &self.element_type) {
            (true, _, _) => Err(TargetError::NoMark),
            (_, Names::HuggingFace, _) => Err(TargetError::NoNames),
            (_, _, Some(ElementType::Bf16)) => Err(TargetError::NoBf16),
            _ => Ok(()),
        }
    }

    fn exponents(&self) -> Exponents {
        match (self.base2, self.format) {
            (true, _) => Exponents::Base2,
            (false, Format::RwkvCpp) => Exponents::Rate,
            (false, _) => Exponents::Trained,
        }
    }

    /// How the tensor of a place, which was stored as `stored`, is written.
    fn element_type(&self, place: &Place, stored: Option<&ElementType>) -> ElementType {
        let chosen = self.element_type.as_ref().filter(|chosen| {
            let outside = [EMBEDDING, HEAD].contains(&&place.name[..]);
            !chosen.is_quantised() || !outside && place.shape.fills_blocks()
        });
        let vector = !matches!(place.shape, Shape::Matrix(..));
        match chosen.or(stored.filter(|stored| !stored.is_quantised())) {
            _ if vector && self.format == Format::RwkvCpp => ElementType::F32,
            Some(ElementType::Bf16) if self.format == Format::RwkvCpp => ElementType::F32,
            Some(kept) => kept.clone(),
            None => ElementType::F32,
        }
    }
}

impl CheckpointFile {
    /// Brings the weights to the form of `target`; `file` names the checkpoint in errors.
    ///
    /// # Errors
    /// For every tensor that holds a weight which its element type, or the other form of exponents,
    /// cannot hold.
    pub fn prepare(mut self, file: &str, target: &Target) -> Result<Prepared, CheckpointError> {
        let to = target.exponents();
        let blocks = self.checkpoint.blocks.iter_mut().enumerate();
        let problems: Vec<_> = blocks
            .flat_map(|(block, weights)| {
                let changed = change_exponents(file, block, &mut weights.time_mix, to);
                for name in changed.names {
                    self.element_types.remove(&name);
                }
                changed.problems
            })
            .collect();
        gathered(problems)?;
        let element_types: BTreeMap<String, ElementType> = places(&mut self.checkpoint)
            .into_iter()
            .map(|place| {
                let stored = self.element_types.get(&place.name);
                (place.name.clone(), target.element_type(&place, stored))
            })
            .collect();
        let overflow = |place: Place| {
            let element_type = &element_types[&place.name];
            let index = place.values.iter().position(|&value| !element_type.holds(value))?;
            Some(CheckpointError::NotHeld {
                file: file.to_owned(),
                tensor: place.name,
                index,
                value: place.values[index],
                target: element_type.to_string(),
            })
        };
        gathered(places(&mut self.checkpoint).into_iter().filter_map(overflow))?;
        Ok(Prepared {
            checkpoint: self.checkpoint,
            element_types,
            format: target.format,
            names: target.names,
            base2: target.base2,
        })
    }
}

/// What a change of exponents did to a block.
struct Changed {
    /// The tensors that have other values now.
    names: Vec<String>,
    problems: Vec<CheckpointError>,
}

fn change_exponents(
    file: &str,
    block: usize,
    weights: &mut TimeMixWeights,
    to: Exponents,
) -> Changed {
    let from = weights.exponents;
    weights.exponents = to;
    let mut changed = Changed { names: Vec::new(), problems: Vec::new() };
    let TimeMixWeights { time_decay, time_first, key, .. } = weights;
    let decay = |stored| from.decay_in(to, stored);
    let exponent = |stored| from.exponent_in(to, stored);
    let mut change = |name, values: &mut [f32], in_form: &dyn Fn(f32) -> f32| {
        let tensor = format!("blocks.{block}.att.{name}");
        for (index, value) in values.iter_mut().enumerate() {
            let before = std::mem::replace(value, in_form(*value));
            if !value.is_finite() {
                let (file, target) = (file.to_owned(), format!("the form {to}"));
                let tensor = tensor.clone();
                let problem =
                    CheckpointError::NotHeld { file, tensor, index, value: before, target };
                changed.problems.push(problem);
                break;
            }
        }
        changed.names.push(tensor);
    };
    if from != to {
        change("time_decay", time_decay, &decay);
    }
    if (from == Exponents::Base2) != (to == Exponents::Base2) {
        change("time_first", time_first, &exponent);
        change("key.weight", key, &exponent);
    }
    changed
}

impl Prepared {
    /// The checkpoint in its new form, before elements are rounded to their types.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// How elements are stored, by BlinkDL's names of tensors.
    pub fn element_types(&self) -> &BTreeMap<String, ElementType> {
        &self.element_types
    }

    /// Writes the file. Nothing longer than a piece of a tensor is held beside the weights.
    ///
    /// # Errors
    /// If `out` fails.
    pub fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let sizes = self.checkpoint.sizes;
        let outputs: Vec<Output> = places(&mut self.checkpoint)
            .into_iter()
            .map(|Place { name, shape, values }| Output {
                element_type: self.element_types[&name].clone(),
                name: match self.names {
                    Names::Blinkdl => name,
                    Names::HuggingFace => hugging_face(&name),
                },
                shape,
                values,
            })
            .collect();
        match self.format {
            Format::Safetensors => safetensors::write(outputs, self.base2, out),
            Format::Pytorch => torch::write(&outputs, self.base2, out),
            Format::RwkvCpp => rwkv_cpp::write(&outputs, sizes, out),
        }
    }
}

impl Output<'_> {
    /// Bytes of all elements.
    pub(super) fn bytes(&self) -> u64 {
        self.element_type
            .bytes(self.values.len() as u64)
            .expect("whole blocks of a type that is written")
    }

    /// Gives the elements in pieces.
    pub(super) fn encode(&self, mut piece: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut bytes = Vec::new();
        for values in self.values.chunks(CHUNK) {
            bytes.clear();
            self.element_type.encode(values, &mut bytes);
            piece(&bytes)?;
        }
        Ok(())
    }
}
