//! Matrix products with weights in f32 or int8, with the widest vectors of the machine.
//!
//! The weights are laid out once so that the innermost loop reads them in order: in panels of
//! 64 outputs, each `[input][output]`. The loop keeps a tile of sums, a few tokens by a few
//! vectors of outputs, in registers.
//!
//! An int8 weight stands for itself times the scale of its output, `max |w| / 127` over the
//! output's weights, as in Dettmers et al., "LLM.int8(): 8-bit Matrix Multiplication for
//! Transformers at Scale" (2022), section 2, "absmax" with vectors of rows. Inputs stay f32: the
//! weights become f32 in registers, so a product differs from that of the f32 weights only by
//! their rounding. What it saves is memory to read, which bounds the speed of a single stream.

use std::fmt;
use std::str::FromStr;

use pulp::{Arch, Simd, WithSimd, bytemuck};

/// Outputs of a panel: four of the widest vectors.
const PANEL: usize = 64;

/// How weights are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Weights {
    /// As they are.
    #[default]
    F32,
    /// Rounded to 8 bits, with a scale for each output.
    Int8,
}

/// A way to keep weights that there is not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown weights \"{0}\": expected f32 or int8")]
pub struct UnknownWeights(String);

impl FromStr for Weights {
    type Err = UnknownWeights;

    fn from_str(text: &str) -> Result<Self, UnknownWeights> {
        match text {
            "f32" => Ok(Self::F32),
            "int8" => Ok(Self::Int8),
            other => Err(UnknownWeights(other.to_owned())),
        }
    }
}

impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::Int8 => "int8",
        })
    }
}

/// A matrix that maps rows of `inputs` numbers to rows of `outputs` numbers, without bias.
#[derive(Clone, Debug)]
pub struct Linear {
    inputs: usize,
    outputs: usize,
    panels: Panels,
}

/// Weights as `[panel][input][PANEL]`, the last panel filled up with zeros.
#[derive(Clone, Debug)]
enum Panels {
    F32(Vec<f32>),
    Int8 {
        weights: Vec<i8>,
        /// What a unit of each output's weights is worth, `[panel][PANEL]`.
        scales: Vec<f32>,
    },
}

impl Linear {
    /// A matrix of `weights`, `[output][input]` row-major, as checkpoints store them; kept in f32.
    ///
    /// # Panics
    /// If a size is 0 or `weights` does not have `outputs * inputs` elements.
    pub fn new(outputs: usize, inputs: usize, weights: &[f32]) -> Self {
        assert!(inputs > 0 && outputs > 0, "an empty matrix");
        assert_eq!(weights.len(), outputs * inputs, "a weight for every input");
        let mut panels = vec![0.0; outputs.next_multiple_of(PANEL) * inputs];
        for (output, row) in weights.chunks_exact(inputs).enumerate() {
            let panel = &mut panels[output / PANEL * PANEL * inputs..];
            for (weights, &weight) in panel.chunks_exact_mut(PANEL).zip(row) {
                weights[output % PANEL] = weight;
            }
        }
        Self { inputs, outputs, panels: Panels::F32(panels) }
    }

    /// The same matrix, its weights rounded to int8.
    #[must_use]
    pub fn to_int8(&self) -> Self {
        let panels = match &self.panels {
            Panels::F32(panels) => quantise(panels, self.inputs),
            int8 @ Panels::Int8 { .. } => int8.clone(),
        };
        Self { panels, ..*self }
    }

    /// How the weights are kept.
    pub fn weights(&self) -> Weights {
        match self.panels {
            Panels::F32(_) => Weights::F32,
            Panels::Int8 { .. } => Weights::Int8,
        }
    }

    /// Bytes of memory that a product reads of the matrix.
    pub fn bytes(&self) -> usize {
        match &self.panels {
            Panels::F32(panels) => size_of_val(&panels[..]),
            Panels::Int8 { weights, scales } => weights.len() + size_of_val(&scales[..]),
        }
    }

    /// The products of `x`, whole rows of inputs one after another; one row of outputs for each.
    ///
    /// Runs on the calling thread. Sums are formed in another order, and with or without fused
    /// multiply-adds, on machines with other vectors, so the last bits may differ there.
    ///
    /// # Panics
    /// If `x` does not hold whole rows.
    pub fn apply(&self, x: &[f32]) -> Vec<f32> {
        assert!(x.len().is_multiple_of(self.inputs), "whole rows of inputs");
        let mut y = vec![0.0; x.len() / self.inputs * self.outputs];
        Arch::new().dispatch(Product { matrix: self, x, y: &mut y });
        y
    }
}

/// Rounds f32 panels to int8, each output by its own scale.
fn quantise(panels: &[f32], inputs: usize) -> Panels {
    let mut scales = Vec::with_capacity(panels.len() / inputs);
    let mut weights = Vec::with_capacity(panels.len());
    for panel in panels.chunks_exact(PANEL * inputs) {
        let mut greatest = [0f32; PANEL];
        for row in panel.as_chunks::<PANEL>().0 {
            for (greatest, weight) in greatest.iter_mut().zip(row) {
                *greatest = greatest.max(weight.abs());
            }
        }
        let scale = greatest.map(|greatest| greatest / 127.0);
        for row in panel.as_chunks::<PANEL>().0 {
            weights.extend(row.iter().zip(scale).map(|(&weight, scale)| round(weight, scale)));
        }
        scales.extend(scale);
    }
    Panels::Int8 { weights, scales }
}

/// The nearest whole number of `scale`; 0 if that is 0, as it is for weights that are all 0.
fn round(weight: f32, scale: f32) -> i8 {
    // Not a number becomes 0. The least of scales are rounded themselves: none exceeds 127 by it.
    (weight / scale).round().clamp(-127.0, 127.0) as i8
}

/// One product, to be run with the vectors of the machine.
struct Product<'a> {
    matrix: &'a Linear,
    x: &'a [f32],
    y: &'a mut [f32],
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { matrix, x, y } = self;
        match &matrix.panels {
            Panels::F32(panels) => matrix.product(simd, panels, x, y),
            Panels::Int8 { weights, scales } => {
                matrix.product(simd, weights, x, y);
                for y in y.chunks_exact_mut(matrix.outputs) {
                    for (y, scale) in y.iter_mut().zip(scales) {
                        *y *= scale;
                    }
                }
            }
        }
    }
}

/// A number that weights are kept as.
trait Weight: Copy {
    /// A vector of the first of `weights`.
    fn vector<S: Simd>(simd: S, weights: &[Self]) -> S::f32s;
}

impl Weight for f32 {
    #[inline(always)]
    fn vector<S: Simd>(_: S, weights: &[f32]) -> S::f32s {
        bytemuck::cast_slice(&weights[..S::F32_LANES])[0]
    }
}

impl Weight for i8 {
    #[inline(always)]
    fn vector<S: Simd>(simd: S, weights: &[i8]) -> S::f32s {
        let mut vector = [simd.splat_f32s(0.0)];
        let lanes: &mut [f32] = bytemuck::cast_slice_mut(&mut vector);
        for (lane, &weight) in lanes.iter_mut().zip(&weights[..S::F32_LANES]) {
            *lane = f32::from(weight);
        }
        vector[0]
    }
}

impl Linear {
    /// Runs tiles as tall as the vector registers hold, then the remaining rows one by one.
    #[inline(always)]
    fn product<S: Simd, W: Weight>(&self, simd: S, panels: &[W], x: &[f32], y: &mut [f32]) {
        // WebAssembly has no registers of its own; most machines that run it have 16.
        let rows = if S::REGISTER_COUNT >= 32 && !cfg!(target_family = "wasm") {
            self.apply_tiles::<S, W, 12, 2>(simd, panels, x, y)
        } else {
            self.apply_tiles::<S, W, 6, 2>(simd, panels, x, y)
        };
        let x = &x[rows * self.inputs..];
        let y = &mut y[rows * self.outputs..];
        // Enough sums beside each other that an addition need not wait for the one before.
        if cfg!(target_family = "wasm") {
            self.apply_tiles::<S, W, 1, 8>(simd, panels, x, y);
        } else {
            self.apply_tiles::<S, W, 1, 4>(simd, panels, x, y);
        }
    }

    /// Computes as many rows of `y` as fill tiles of `ROWS` rows, and returns how many.
    ///
    /// Blocks of a few tiles of `x` are laid out, then every panel runs over them: the block
    /// stays in the second-level cache, a panel's part in the first while it is used.
    #[inline(always)]
    fn apply_tiles<S: Simd, W: Weight, const ROWS: usize, const VECTORS: usize>(
        &self,
        simd: S,
        panels: &[W],
        x: &[f32],
        y: &mut [f32],
    ) -> usize {
        const TILES: usize = 8;
        let Self { inputs, outputs, .. } = *self;
        let width = VECTORS * S::F32_LANES;
        let rows = x.len() / (inputs * ROWS) * ROWS;
        let mut block = vec![[0.0; ROWS]; inputs * TILES.min(rows / ROWS)];
        let xs = x[..rows * inputs].chunks(inputs * ROWS * TILES);
        let ys = y[..rows * outputs].chunks_mut(outputs * ROWS * TILES);
        for (x, y) in xs.zip(ys) {
            let block = &mut block[..x.len() / ROWS];
            interleave(x, inputs, block);
            for (number, panel) in panels.chunks_exact(PANEL * inputs).enumerate() {
                let first = number * PANEL;
                let last = outputs.min(first + PANEL);
                for output in (first..last).step_by(width) {
                    let count = width.min(last - output);
                    for (x, y) in block.chunks_exact(inputs).zip(y.chunks_exact_mut(outputs * ROWS))
                    {
                        let sums = tile::<S, W, ROWS, VECTORS>(simd, x, panel, output - first);
                        for (y, sums) in y.chunks_exact_mut(outputs).zip(&sums) {
                            let sums: &[f32] = bytemuck::cast_slice(sums);
                            y[output..][..count].copy_from_slice(&sums[..count]);
                        }
                    }
                }
            }
        }
        rows
    }
}

/// Lays whole tiles of `ROWS` rows of `x` out as `[tile][input][row]`.
#[inline(always)]
fn interleave<const ROWS: usize>(x: &[f32], inputs: usize, tiles: &mut [[f32; ROWS]]) {
    for (tile, x) in tiles.chunks_exact_mut(inputs).zip(x.chunks_exact(inputs * ROWS)) {
        for (input, rows) in tile.iter_mut().enumerate() {
            *rows = std::array::from_fn(|row| x[row * inputs + input]);
        }
    }
}

/// The sums of `ROWS` rows and of the vectors of outputs from `column` of the panel on.
#[inline(always)]
fn tile<S: Simd, W: Weight, const ROWS: usize, const VECTORS: usize>(
    simd: S,
    x: &[[f32; ROWS]],
    panel: &[W],
    column: usize,
) -> [[S::f32s; VECTORS]; ROWS] {
    let mut sums = [[simd.splat_f32s(0.0); VECTORS]; ROWS];
    for (x, weights) in x.iter().zip(panel.chunks_exact(PANEL)) {
        let weights = &weights[column..][..VECTORS * S::F32_LANES];
        let mut vectors = [simd.splat_f32s(0.0); VECTORS];
        for (vector, weights) in vectors.iter_mut().zip(weights.chunks_exact(S::F32_LANES)) {
            *vector = W::vector(simd, weights);
        }
        for (sums, &x) in sums.iter_mut().zip(x) {
            let x = simd.splat_f32s(x);
            for (sum, weight) in sums.iter_mut().zip(vectors) {
                *sum = simd.mul_add_e_f32s(x, weight, *sum);
            }
        }
    }
    sums
}
