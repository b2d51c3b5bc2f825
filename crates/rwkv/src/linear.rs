//! Matrix products in f32, with the widest vectors of the machine.
//!
//! The weights are laid out once so that the innermost loop reads them in order: in panels of
//! 32 outputs, each `[input][output]`. The loop keeps a tile of sums, a few tokens by two
//! vectors of outputs, in registers.

use pulp::{Arch, Simd, WithSimd, bytemuck};

/// Outputs of a panel: two of the widest vectors.
const PANEL: usize = 32;

/// A matrix that maps rows of `inputs` numbers to rows of `outputs` numbers, without bias.
#[derive(Clone, Debug)]
pub struct Linear {
    inputs: usize,
    outputs: usize,
    /// `[panel][input][PANEL]`, the last panel filled up with zeros.
    panels: Vec<f32>,
}

impl Linear {
    /// A matrix of `weights`, `[output][input]` row-major, as checkpoints store them.
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
        Self { inputs, outputs, panels }
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

/// One product, to be run with the vectors of the machine.
struct Product<'a> {
    matrix: &'a Linear,
    x: &'a [f32],
    y: &'a mut [f32],
}

impl WithSimd for Product<'_> {
    type Output = ();

    /// Runs tiles as tall as the vector registers hold, then the remaining rows one by one.
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { matrix, x, y } = self;
        let rows = if S::REGISTER_COUNT >= 32 {
            matrix.apply_tiles::<S, 12>(simd, x, y)
        } else {
            matrix.apply_tiles::<S, 6>(simd, x, y)
        };
        let x = &x[rows * matrix.inputs..];
        let y = &mut y[rows * matrix.outputs..];
        matrix.apply_tiles::<S, 1>(simd, x, y);
    }
}

impl Linear {
    /// Computes as many rows of `y` as fill tiles of `ROWS` rows, and returns how many.
    #[inline(always)]
    fn apply_tiles<S: Simd, const ROWS: usize>(&self, simd: S, x: &[f32], y: &mut [f32]) -> usize {
        let x = interleave::<ROWS>(x, self.inputs);
        let width = 2 * S::F32_LANES;
        for (number, panel) in self.panels.chunks_exact(PANEL * self.inputs).enumerate() {
            let first = number * PANEL;
            let last = self.outputs.min(first + PANEL);
            let panel: &[S::f32s] = bytemuck::cast_slice(panel);
            for (x, y) in x.chunks_exact(self.inputs).zip(y.chunks_exact_mut(self.outputs * ROWS)) {
                for output in (first..last).step_by(width) {
                    let column = (output - first) / S::F32_LANES;
                    let sums = tile(simd, x, panel, column);
                    let count = width.min(last - output);
                    for (y, sums) in y.chunks_exact_mut(self.outputs).zip(&sums) {
                        let sums: &[f32] = bytemuck::cast_slice(sums);
                        y[output..][..count].copy_from_slice(&sums[..count]);
                    }
                }
            }
        }
        x.len() / self.inputs * ROWS
    }
}

/// Whole tiles of `ROWS` rows of `x`, each laid out `[input][row]`.
#[inline(always)]
fn interleave<const ROWS: usize>(x: &[f32], inputs: usize) -> Vec<[f32; ROWS]> {
    let mut tiles = vec![[0.0; ROWS]; x.len() / (inputs * ROWS) * inputs];
    for (tile, rows) in tiles.chunks_exact_mut(inputs).zip(x.chunks_exact(inputs * ROWS)) {
        for (row, x) in rows.chunks_exact(inputs).enumerate() {
            for (tile, &x) in tile.iter_mut().zip(x) {
                tile[row] = x;
            }
        }
    }
    tiles
}

/// The sums of `ROWS` rows and of the two vectors of outputs that start at `column` of the panel.
#[inline(always)]
fn tile<S: Simd, const ROWS: usize>(
    simd: S,
    x: &[[f32; ROWS]],
    panel: &[S::f32s],
    column: usize,
) -> [[S::f32s; 2]; ROWS] {
    let mut sums = [[simd.splat_f32s(0.0); 2]; ROWS];
    for (x, weights) in x.iter().zip(panel.chunks_exact(PANEL / S::F32_LANES)) {
        let weights = [weights[column], weights[column + 1]];
        for (sums, &x) in sums.iter_mut().zip(x) {
            let x = simd.splat_f32s(x);
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum = simd.mul_add_e_f32s(x, weight, *sum);
            }
        }
    }
    sums
}
