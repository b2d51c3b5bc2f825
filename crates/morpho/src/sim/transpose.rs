//! Between numbers, one per lane, and bit planes, one word of lanes per bit.

use pulp::{Simd, WithSimd};

use super::kernel::{Chunk, LANES, WORDS};

/// A number that a port can carry: its two's complement bits in words of 64, lowest first.
pub trait Number: Copy + Default {
    /// Whether the number is read as two's complement.
    const SIGNED: bool;

    /// Word `index`, 0 or 1, of the number; signed numbers are sign-extended.
    fn word(self, index: usize) -> u64;

    /// The number with these low and high words; bits that it has no room for are dropped.
    fn from_words(low: u64, high: u64) -> Self;
}

macro_rules! number {
    ($($ty:ty),*) => {$(
        impl Number for $ty {
            #[inline(always)]
            fn word(self, index: usize) -> u64 {
                match index {
                    0 => self as u64,
                    _ => (self as i128 >> 64) as u64,
                }
            }

            const SIGNED: bool = <$ty>::MIN != 0;

            #[inline(always)]
            fn from_words(low: u64, high: u64) -> Self {
                ((high as u128) << 64 | low as u128) as Self
            }
        }
    )*};
}

number!(u8, i8, u16, i16, u32, i32, u64, i64, u128, i128);

/// Rows of a square bit matrix, one matrix per field of a word: a matrix of `side` rows stands in
/// `side` bits of each of `side` words. Each word is a vector of [`WORDS`] independent ones.
#[inline(always)]
fn transpose(rows: &mut [Chunk], side: usize) {
    let mut half = side / 2;
    while half > 0 {
        // Ones where the lower half of each pair of sub-blocks stands, as in 0x0000FFFF0000FFFF.
        let mask = u64::MAX / ((1u64 << half) + 1);
        for top in (0..side).filter(|row| row & half == 0) {
            for word in 0..WORDS {
                let (low, high) = (rows[top].0[word], rows[top + half].0[word]);
                let swap = (low >> half ^ high) & mask;
                rows[top].0[word] = low ^ swap << half;
                rows[top + half].0[word] = high ^ swap;
            }
        }
        half /= 2;
    }
}

/// The side of the bit matrices that numbers of `width` bits are transposed in.
fn side(width: usize) -> usize {
    width.next_power_of_two().clamp(8, 64)
}

/// Writes word `index` of up to [`LANES`] numbers to one plane per bit, the lowest `width` of
/// them. Missing lanes are 0.
pub(super) struct Pack<'a, T> {
    pub numbers: &'a [T],
    pub index: usize,
    pub width: usize,
    pub planes: &'a mut [Chunk; 64],
}

impl<T: Number> WithSimd for Pack<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let (side, planes) = (side(self.width), self.planes);
        planes[..side].fill(Chunk::splat(false));
        for (group, numbers) in self.numbers.chunks(64).enumerate().take(WORDS) {
            for (field, numbers) in numbers.chunks(side).enumerate() {
                for (row, number) in numbers.iter().enumerate() {
                    let bits = number.word(self.index) & (u64::MAX >> (64 - side));
                    planes[row].0[group] |= bits << (field * side);
                }
            }
        }
        transpose(&mut planes[..side], side);
    }
}

/// The opposite of [`Pack`]: a word for each of [`LANES`] lanes from `width` planes, which are
/// overwritten.
pub(super) struct Unpack<'a> {
    pub planes: &'a mut [Chunk; 64],
    pub width: usize,
    pub words: &'a mut [u64; LANES],
}

impl WithSimd for Unpack<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let (side, planes) = (side(self.width), self.planes);
        planes[self.width..side].fill(Chunk::splat(false));
        transpose(&mut planes[..side], side);
        for (group, words) in self.words.chunks_mut(64).enumerate() {
            for (field, words) in words.chunks_mut(side).enumerate() {
                for (row, word) in words.iter_mut().enumerate() {
                    *word = planes[row].0[group] >> (field * side) & (u64::MAX >> (64 - side));
                }
            }
        }
    }
}
