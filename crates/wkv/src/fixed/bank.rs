//! The integer model for many channels at once, written so that the compiler can use vector
//! instructions: no branches, no early exits, one array a register.

use pulp::{Arch, NullaryFnOnce};

use super::{State, exp2_table, mul};
use crate::recurrence::{Recurrence, check_tokens};
use crate::spec::{Division, Format, WkvSpec};
use crate::stats::{Counts, InputSaturations, Saturations, Underflows};

/// A raw integer that the format does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{name} at token {token}, channel {channel} is {raw}, but {format} holds raw integers from \
     {} to {}", format.min(), format.max()
)]
pub struct OutOfRange {
    /// Which input: `k`, `v`, `u` or `w`.
    pub name: &'static str,
    /// Token in this call; 0 for the constants `u` and `w`.
    pub token: usize,
    /// Channel in the bank.
    pub channel: usize,
    /// The offending integer.
    pub raw: i32,
    /// The format of the bank.
    pub format: Format,
}

/// Channels that take tokens together, each exactly as [`Model::step`](super::Model::step).
#[derive(Clone, Debug)]
pub struct Bank {
    kernel: Kernel,
    arch: Arch,
    channels: usize,
    blocks: Vec<Block>,
    counts: Counts,
}

impl Bank {
    /// A bank of `u.len()` channels with real bonus `u` and decay `w`, which it quantises.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn new(spec: &WkvSpec, u: &[f64], w: &[f64]) -> Self {
        let (u, u_saturations) = quantise_all(spec.format, u);
        let (w, w_saturations) = quantise_all(spec.format, w);
        let mut bank = Self::start(spec, &u, &w);
        bank.counts.inputs.u = u_saturations;
        bank.counts.inputs.w = w_saturations;
        bank
    }

    /// A bank of `u.len()` channels with raw bonus `u` and decay `w`.
    ///
    /// # Errors
    /// If a constant is outside the format.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn from_raw(spec: &WkvSpec, u: &[i32], w: &[i32]) -> Result<Self, OutOfRange> {
        check_range("u", spec.format, u.len(), u)?;
        check_range("w", spec.format, w.len(), w)?;
        Ok(Self::start(spec, u, w))
    }

    fn start(spec: &WkvSpec, u: &[i32], w: &[i32]) -> Self {
        assert_eq!(u.len(), w.len(), "a decay for every bonus");
        let blocks = u.chunks(LANES).zip(w.chunks(LANES));
        let mut bank = Self {
            kernel: Kernel::new(spec),
            arch: Arch::new(),
            channels: u.len(),
            blocks: blocks.map(|(u, w)| Block::new(u, w)).collect(),
            counts: Counts::default(),
        };
        bank.reset();
        bank
    }

    /// The format of all raw integers.
    pub fn format(&self) -> Format {
        self.kernel.format
    }

    /// The state of one channel.
    ///
    /// # Panics
    /// If there is no such channel.
    pub fn state(&self, channel: usize) -> State {
        assert!(channel < self.channels, "no channel {channel}");
        let (block, lane) = (&self.blocks[channel / LANES], channel % LANES);
        State { aa: block.aa[lane], bb: block.bb[lane], pp: block.pp[lane] }
    }

    /// Puts one channel into any state within the format.
    ///
    /// # Panics
    /// If there is no such channel or the state is outside the format.
    pub fn set_state(&mut self, channel: usize, state: State) {
        let State { aa, bb, pp } = state;
        let format = self.format();
        assert!([aa, bb, pp].iter().all(|&raw| format.holds(raw)), "{state:?} is outside {format}");
        assert!(channel < self.channels, "no channel {channel}");
        let (block, lane) = (&mut self.blocks[channel / LANES], channel % LANES);
        block.aa[lane] = aa;
        block.bb[lane] = bb;
        block.pp[lane] = pp;
    }

    /// [`Recurrence::run`] on raw integers.
    ///
    /// # Errors
    /// If an input is outside the format; then nothing has changed.
    ///
    /// # Panics
    /// If the slices differ in length or do not hold whole tokens.
    pub fn run_raw(&mut self, k: &[i32], v: &[i32], out: &mut [i32]) -> Result<(), OutOfRange> {
        check_tokens(self.channels, k.len(), v.len(), out.len());
        check_range("k", self.format(), self.channels, k)?;
        check_range("v", self.format(), self.channels, v)?;
        self.advance(k, v, out, |raw| (raw, false), |raw| raw);
        Ok(())
    }

    /// Advances all channels by all tokens; `read` makes an input raw and tells whether it
    /// saturated.
    fn advance<T: Copy + Default>(
        &mut self,
        k: &[T],
        v: &[T],
        out: &mut [T],
        read: impl Fn(T) -> (i32, bool),
        write: impl Fn(i32) -> T,
    ) {
        let Self { kernel, arch, channels, blocks, counts } = self;
        arch.dispatch(Advance {
            kernel,
            channels: *channels,
            blocks,
            counts,
            k,
            v,
            out,
            read,
            write,
        });
    }
}

/// A call of [`Bank::advance`], in the form that the run-time choice of vector width takes.
struct Advance<'a, T, Read, Write> {
    kernel: &'a Kernel,
    channels: usize,
    blocks: &'a mut [Block],
    counts: &'a mut Counts,
    k: &'a [T],
    v: &'a [T],
    out: &'a mut [T],
    read: Read,
    write: Write,
}

impl<T, Read, Write> NullaryFnOnce for Advance<'_, T, Read, Write>
where
    T: Copy + Default,
    Read: Fn(T) -> (i32, bool),
    Write: Fn(i32) -> T,
{
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { kernel, channels, blocks, counts, k, v, out, read, write } = self;
        // A local copy, which the compiler knows no store to change.
        let kernel = *kernel;
        for (index, block) in blocks.iter_mut().enumerate() {
            let start = index * LANES;
            let width = LANES.min(channels - start);
            for token in (start..out.len()).step_by(channels) {
                let lanes = token..token + width;
                let (k, k_saturations) = load(&k[lanes.clone()], &read);
                let (v, v_saturations) = load(&v[lanes.clone()], &read);
                let (raw_out, flags) = kernel.advance(block, &k, &v);
                block.clear_padding(width);
                for (out, &raw) in out[lanes].iter_mut().zip(&raw_out) {
                    *out = write(raw);
                }
                *counts += flags.counts();
                counts.inputs.k += k_saturations;
                counts.inputs.v += v_saturations;
            }
        }
    }
}

impl Recurrence for Bank {
    fn channels(&self) -> usize {
        self.channels
    }

    fn reset(&mut self) {
        for channel in 0..self.channels {
            self.set_state(channel, self.kernel.start);
        }
    }

    fn run(&mut self, k: &[f32], v: &[f32], out: &mut [f32]) {
        check_tokens(self.channels, k.len(), v.len(), out.len());
        let format = self.format();
        self.advance(
            k,
            v,
            out,
            #[inline(always)]
            |real| format.quantise(f64::from(real)),
            #[inline(always)]
            |raw| format.to_real(raw) as f32,
        );
    }

    fn counts(&self) -> Counts {
        self.counts
    }
}

/// Channels in a block: a few of the widest vectors.
const LANES: usize = 64;

/// One value for each channel of a block.
type Lanes = [i32; LANES];

/// The constants and registers of up to [`LANES`] channels. Fixed arrays, so that the compiler
/// knows that they do not overlap and needs no bounds checks.
#[derive(Clone, Debug)]
struct Block {
    u: Lanes,
    w: Lanes,
    aa: Lanes,
    bb: Lanes,
    pp: Lanes,
}

impl Block {
    fn new(u: &[i32], w: &[i32]) -> Self {
        let pad = |values: &[i32]| load(values, |raw| (raw, false)).0;
        Self { u: pad(u), w: pad(w), aa: [0; LANES], bb: [0; LANES], pp: [0; LANES] }
    }

    /// Puts the lanes from `width` on back to all zeros, where a token of zeros raises no flag.
    #[inline(always)]
    fn clear_padding(&mut self, width: usize) {
        // Such a token changes nothing else.
        self.bb[width..].fill(0);
    }
}

/// Reads up to [`LANES`] values, pads them with zeros and counts the saturations.
#[inline(always)]
fn load<T: Copy + Default>(values: &[T], read: impl Fn(T) -> (i32, bool)) -> (Lanes, u64) {
    let full = <[T; LANES]>::try_from(values).unwrap_or_else(|_| {
        let mut padded = [T::default(); LANES];
        padded[..values.len()].copy_from_slice(values);
        padded
    });
    let mut raw = [0; LANES];
    let mut saturations = 0u32;
    for (raw, value) in raw.iter_mut().zip(full) {
        let (read, saturated) = read(value);
        *raw = read;
        saturations += u32::from(saturated);
    }
    (raw, u64::from(saturations))
}

fn check_range(
    name: &'static str,
    format: Format,
    channels: usize,
    raw: &[i32],
) -> Result<(), OutOfRange> {
    match raw.iter().position(|&raw| !format.holds(raw)) {
        None => Ok(()),
        Some(at) => Err(OutOfRange {
            name,
            token: at / channels,
            channel: at % channels,
            raw: raw[at],
            format,
        }),
    }
}

/// The raw integers of real numbers, and how many of them saturated.
pub(crate) fn quantise_all(format: Format, real: &[f64]) -> (Vec<i32>, u64) {
    let quantised = real.iter().map(|&real| format.quantise(real));
    let (raw, saturated): (Vec<i32>, Vec<bool>) = quantised.unzip();
    (raw, saturated.into_iter().map(u64::from).sum())
}

/// What saturated and underflowed, added over channels: the fields of [`Saturations`], then those
/// of [`Underflows`]. An array of small integers, because that sums in vectors.
#[derive(Clone, Copy, Default)]
struct Flags([u32; 11]);

impl Flags {
    fn counts(self) -> Counts {
        let [ww, ww2, num, den, out, aa, bb, e1, e2, f1, f2] = self.0.map(u64::from);
        Counts {
            saturations: Saturations { ww, ww2, num, den, out, aa, bb },
            underflows: Underflows { e1, e2, f1, f2 },
            inputs: InputSaturations::default(),
        }
    }
}

/// The arithmetic of one spec, its choices turned into shifts and masks.
#[derive(Clone, Copy, Debug)]
struct Kernel {
    format: Format,
    start: State,
    /// Entry `i` holds `T[i]` in its low 17 bits and `T[i] - T[i + 1]` above: one load for both.
    table: [i32; 256],
    index_mask: i32,
    /// Fraction bits of the exponent below the table's index, and zeros that pad the index.
    low_bits: u32,
    padding: u32,
    /// Selects the bits to interpolate by.
    low_mask: i32,
    /// -1 to round the quotient to nearest, else 0.
    round_quotient: i32,
    /// What is added to the denominator.
    guard: i32,
}

const ENTRY_BITS: u32 = 17;

/// The state and one value as a sum, not clamped.
struct Accumulated {
    numerator: i32,
    denominator: i32,
    /// The greater exponent, by which both sums are divided.
    exponent: i32,
    state_underflows: bool,
    value_underflows: bool,
}

impl Kernel {
    fn new(spec: &WkvSpec) -> Self {
        let fraction_bits = spec.format.fraction_bits();
        let index_bits = spec.exp2.entries().ilog2();
        let low_bits = fraction_bits.saturating_sub(index_bits);
        let mut table = [0; 256];
        for (entry, pair) in table.iter_mut().zip(exp2_table(spec).windows(2)) {
            *entry = pair[0] | (pair[0] - pair[1]) << ENTRY_BITS;
        }
        Self {
            format: spec.format,
            start: State::start(spec),
            table,
            index_mask: spec.exp2.entries() as i32 - 1,
            low_bits,
            padding: index_bits.saturating_sub(fraction_bits),
            low_mask: if spec.exp2.interpolate { (1 << low_bits) - 1 } else { 0 },
            round_quotient: -i32::from(spec.division == Division::Exact),
            guard: i32::from(spec.guard),
        }
    }

    /// Advances a block by one token.
    #[inline(always)]
    fn advance(&self, block: &mut Block, k: &Lanes, v: &Lanes) -> (Lanes, Flags) {
        let mut out = [0; LANES];
        let mut sums = Flags::default();
        for lane in 0..LANES {
            let state = State { aa: block.aa[lane], bb: block.bb[lane], pp: block.pp[lane] };
            let (result, next, flags) =
                self.step(state, k[lane], v[lane], block.u[lane], block.w[lane]);
            out[lane] = result;
            block.aa[lane] = next.aa;
            block.bb[lane] = next.bb;
            block.pp[lane] = next.pp;
            for (sum, flag) in sums.0.iter_mut().zip(flags) {
                *sum += u32::from(flag);
            }
        }
        (out, sums)
    }

    #[inline(always)]
    fn step(&self, state: State, k: i32, v: i32, u: i32, w: i32) -> (i32, State, [bool; 11]) {
        let (ww, ww_saturated) = self.sat(u + k);
        let output = self.accumulate(state, ww, v);
        let (num, num_saturated) = self.sat(output.numerator);
        let (den, den_saturated) = self.sat(output.denominator);
        let (out, out_saturated) = self.sat(self.div(num, (den + self.guard) & 0xffff));

        let (ww2, ww2_saturated) = self.sat(state.pp + w);
        let update = self.accumulate(State { pp: ww2, ..state }, k, v);
        let (aa, aa_saturated) = self.sat(update.numerator);
        let (bb, bb_saturated) = self.sat(update.denominator);
        let pp = update.exponent;

        let flags = [
            ww_saturated,
            ww2_saturated,
            num_saturated,
            den_saturated,
            out_saturated,
            aa_saturated,
            bb_saturated,
            output.state_underflows,
            output.value_underflows,
            update.state_underflows,
            update.value_underflows,
        ];
        (out, State { aa, bb, pp }, flags)
    }

    /// Adds the value `v` with weight `2^exponent` to a state.
    ///
    /// Of the two factors the greater exponent's is 1 and its product is exact, so one
    /// exponential and two multiplications suffice.
    #[inline(always)]
    fn accumulate(&self, state: State, exponent: i32, v: i32) -> Accumulated {
        let State { aa, bb, pp } = state;
        let one = self.format.one();
        let value_leads = exponent > pp;
        let factor = self.exp2neg((exponent - pp).abs());
        let (kept, scaled) = if value_leads { (v, aa) } else { (aa, v) };
        let (kept_weight, scaled_weight) = if value_leads { (one, bb) } else { (bb, one) };
        Accumulated {
            numerator: kept + mul(scaled, factor),
            denominator: kept_weight + mul(scaled_weight, factor),
            exponent: pp.max(exponent),
            state_underflows: (factor == 0) & value_leads,
            value_underflows: (factor == 0) & !value_leads,
        }
    }

    #[inline(always)]
    fn sat(&self, raw: i32) -> (i32, bool) {
        let clamped = self.format.saturate(raw);
        (clamped, clamped != raw)
    }

    #[inline(always)]
    fn exp2neg(&self, x: i32) -> i32 {
        let whole = x >> self.format.fraction_bits();
        let index = ((x >> self.low_bits) << self.padding) & self.index_mask;
        // The second mask changes nothing; it tells the compiler that the index is in range.
        let entry = self.table[(index & 255) as usize];
        let (upper, difference) = (entry & ((1 << ENTRY_BITS) - 1), entry >> ENTRY_BITS);
        let y = upper - ((difference * (x & self.low_mask)) >> self.low_bits);
        // All ones below 16, else 0: an `if` here would keep the loop from being vectorised.
        let in_range = (whole - 16) >> 31;
        (y >> (whole & 15)) & in_range
    }

    /// Division by way of f32: an estimate, then the exact remainder corrects it.
    ///
    /// `|n| * 2^F` and `d` have 16 significant bits and are exact in f32. The estimate is capped
    /// beyond every quotient that a register holds; up to there f32 has all integers, so rounding
    /// can lift the estimate to the next integer but never drop it below one. A divisor of 0
    /// gives the cap.
    #[inline(always)]
    fn div(&self, n: i32, d: i32) -> i32 {
        let cap = (self.format.max() + 2) as f32;
        let scaled = n.abs() << self.format.fraction_bits();
        let estimate = (scaled as f32 / d as f32).min(cap) as i32;
        let excess = scaled - estimate * d;
        let quotient = estimate - i32::from(excess < 0);
        let remainder = excess + if excess < 0 { d } else { 0 };
        // Halves go upward, so a negative quotient needs more than half.
        let up = 2 * remainder >= d + i32::from(n < 0);
        let magnitude = quotient + (i32::from(up) & self.round_quotient);
        if n < 0 { -magnitude } else { magnitude }
    }
}
