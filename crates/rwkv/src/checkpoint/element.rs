//! The number formats of stored weights, all little-endian.
//!
//! The quantised ones are ggml's, in blocks of 32 elements with half-precision scales, as they
//! are since its commit 00b49ec of May 2023 (`ggml.c`, `dequantize_row_q*`).

use std::fmt;

use half::{bf16, f16};

/// How a tensor's elements are stored.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ElementType {
    /// IEEE 754 half precision.
    F16,
    /// The upper half of an `F32`.
    Bf16,
    /// IEEE 754 single precision.
    F32,
    /// 4 bits and a scale: `(q - 8) * d`.
    Q4_0,
    /// 4 bits, a scale and an offset: `q * d + m`.
    Q4_1,
    /// 5 bits and a scale: `(q - 16) * d`.
    Q5_0,
    /// 5 bits, a scale and an offset: `q * d + m`.
    Q5_1,
    /// 8 bits with a sign, and a scale: `q * d`.
    Q8_0,
    /// A type that weights do not have, by its name in the file.
    Other(String),
}

/// Elements of a quantised block.
pub(super) const BLOCK: usize = 32;

impl ElementType {
    /// Elements that are stored together, and the bytes that they take; none for a type that
    /// weights do not have.
    pub(super) fn block(&self) -> Option<(usize, usize)> {
        match self {
            Self::F16 | Self::Bf16 => Some((1, 2)),
            Self::F32 => Some((1, 4)),
            Self::Q4_0 => Some((BLOCK, 2 + 16)),
            Self::Q4_1 => Some((BLOCK, 4 + 16)),
            Self::Q5_0 => Some((BLOCK, 2 + 4 + 16)),
            Self::Q5_1 => Some((BLOCK, 4 + 4 + 16)),
            Self::Q8_0 => Some((BLOCK, 2 + 32)),
            Self::Other(_) => None,
        }
    }

    /// Whether elements are stored in blocks with a scale.
    pub fn is_quantised(&self) -> bool {
        self.block().is_some_and(|(length, _)| length > 1)
    }

    /// The bytes of `elements` elements; none if they fill no whole blocks or are too many.
    pub(super) fn bytes(&self, elements: u64) -> Option<u64> {
        let (length, bytes) = self.block()?;
        let blocks = elements.is_multiple_of(length as u64).then(|| elements / length as u64)?;
        blocks.checked_mul(bytes as u64)
    }

    /// Appends the elements of whole blocks to `to`.
    pub(super) fn decode(&self, bytes: &[u8], to: &mut Vec<f32>) {
        match self {
            Self::F16 => extend(to, bytes, |bytes| f16::from_le_bytes(bytes).to_f32()),
            Self::Bf16 => extend(to, bytes, |bytes| bf16::from_le_bytes(bytes).to_f32()),
            Self::F32 => extend(to, bytes, f32::from_le_bytes),
            Self::Q4_0 => blocks::<18>(to, bytes, |block, place| {
                (nibble(&block[2..], place) - 8.0) * half(block)
            }),
            Self::Q4_1 => blocks::<20>(to, bytes, |block, place| {
                nibble(&block[4..], place) * half(block) + half(&block[2..])
            }),
            Self::Q5_0 => blocks::<22>(to, bytes, |block, place| {
                let high = fifth_bit(&block[2..], place);
                (nibble(&block[6..], place) + high - 16.0) * half(block)
            }),
            Self::Q5_1 => blocks::<24>(to, bytes, |block, place| {
                let high = fifth_bit(&block[4..], place);
                (nibble(&block[8..], place) + high) * half(block) + half(&block[2..])
            }),
            Self::Q8_0 => blocks::<34>(to, bytes, |block, place| {
                f32::from(block[2 + place] as i8) * half(block)
            }),
            Self::Other(_) => {}
        }
    }

    /// Whether a number is finite when rounded to this type.
    pub(super) fn holds(&self, value: f32) -> bool {
        match self {
            Self::F16 => f16::from_f32(value).is_finite(),
            Self::Bf16 => bf16::from_f32(value).is_finite(),
            // What has to fit is the scale, or the offset.
            Self::Q5_0 => f16::from_f32(value / -16.0).is_finite(),
            Self::Q5_1 => f16::from_f32(value).is_finite(),
            _ => value.is_finite(),
        }
    }

    /// Appends the bytes of `values`, whole blocks, to `to`. Numbers are rounded to nearest, ties to
    /// even; blocks are quantised as ggml's `quantize_row_q5_*_reference` does it.
    ///
    /// # Panics
    /// If the type is none that is written.
    pub(super) fn encode(&self, values: &[f32], to: &mut Vec<u8>) {
        match self {
            Self::F16 => to.extend(values.iter().flat_map(|&x| f16::from_f32(x).to_le_bytes())),
            Self::Bf16 => to.extend(values.iter().flat_map(|&x| bf16::from_f32(x).to_le_bytes())),
            Self::F32 => to.extend(values.iter().flat_map(|x| x.to_le_bytes())),
            Self::Q5_0 => values.as_chunks().0.iter().for_each(|block| quantise_q5_0(block, to)),
            Self::Q5_1 => values.as_chunks().0.iter().for_each(|block| quantise_q5_1(block, to)),
            _ => panic!("{self} is not written"),
        }
    }
}

/// The number of greatest magnitude becomes 0, which stands for -16; the others follow.
fn quantise_q5_0(block: &[f32; BLOCK], to: &mut Vec<u8>) {
    let mut greatest = 0.0f32;
    for &value in block {
        if value.abs() > greatest.abs() {
            greatest = value;
        }
    }
    let scale = greatest / -16.0;
    to.extend(f16::from_f32(scale).to_le_bytes());
    let inverse = inverse(scale);
    put_five_bits(block.map(|value| ((value * inverse + 16.5) as u8).min(31)), to);
}

/// The least number becomes 0, the greatest 31.
fn quantise_q5_1(block: &[f32; BLOCK], to: &mut Vec<u8>) {
    let least = block.iter().copied().fold(f32::INFINITY, f32::min);
    let greatest = block.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let scale = (greatest - least) / 31.0;
    to.extend(f16::from_f32(scale).to_le_bytes());
    to.extend(f16::from_f32(least).to_le_bytes());
    let inverse = inverse(scale);
    put_five_bits(block.map(|value| ((value - least) * inverse + 0.5) as u8), to);
}

fn inverse(scale: f32) -> f32 {
    if scale == 0.0 { 0.0 } else { 1.0 / scale }
}

/// Appends the fifth bits of a block, then its nibbles.
fn put_five_bits(block: [u8; BLOCK], to: &mut Vec<u8>) {
    let fifth = block.iter().rev().fold(0u32, |bits, q| bits << 1 | u32::from(q >> 4 & 1));
    to.extend(fifth.to_le_bytes());
    let (low, high) = block.split_at(BLOCK / 2);
    to.extend(low.iter().zip(high).map(|(low, high)| low & 15 | high << 4));
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F16 => "F16",
            Self::Bf16 => "BF16",
            Self::F32 => "F32",
            Self::Q4_0 => "Q4_0",
            Self::Q4_1 => "Q4_1",
            Self::Q5_0 => "Q5_0",
            Self::Q5_1 => "Q5_1",
            Self::Q8_0 => "Q8_0",
            Self::Other(name) => name,
        })
    }
}

/// Appends elements of `N` bytes each.
fn extend<const N: usize>(to: &mut Vec<f32>, bytes: &[u8], element: impl Fn([u8; N]) -> f32) {
    to.extend(bytes.as_chunks().0.iter().map(|&bytes| element(bytes)));
}

/// Appends the elements of blocks of `N` bytes each.
fn blocks<const N: usize>(
    to: &mut Vec<f32>,
    bytes: &[u8],
    element: impl Fn(&[u8; N], usize) -> f32,
) {
    for block in bytes.as_chunks().0 {
        to.extend((0..BLOCK).map(|place| element(block, place)));
    }
}

/// The half-precision number at the start of `bytes`.
fn half(bytes: &[u8]) -> f32 {
    f16::from_le_bytes([bytes[0], bytes[1]]).to_f32()
}

/// The four bits of an element: the first half of a block has the low ones of its bytes.
fn nibble(bytes: &[u8], place: usize) -> f32 {
    let byte = bytes[place % (BLOCK / 2)];
    f32::from(if place < BLOCK / 2 { byte & 15 } else { byte >> 4 })
}

/// The value of the fifth bit of an element.
fn fifth_bit(bytes: &[u8], place: usize) -> f32 {
    f32::from((bytes[place / 8] >> (place % 8) & 1) << 4)
}
