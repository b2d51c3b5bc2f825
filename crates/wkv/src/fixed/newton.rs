//! Division by way of the reciprocal, after Newton and Raphson, to the bit.
//!
//! The divisor is normalised to `M` in `[1/2, 1)`. A table gives a seed `r` near `R = 1 / M`, and one
//! step `r (2 - M r)` squares its relative error. That step never exceeds `R`, and all roundings are
//! down, so the reciprocal falls short by less than `2^-15` of itself, and the quotient, below
//! `2^15`, by less than one: it is right, or one too small, which the remainder tells.

/// Bits of a divisor that choose its seed, below the leading one.
pub const SEED_INDEX_BITS: usize = 7;

/// Fraction bits of a seed.
pub const SEED_BITS: usize = 11;

/// Bits that `2 - M r` differs from 1 by, the sign included, below [`STEP_BITS`].
pub const CORRECTION_BITS: usize = 12;

/// Fraction bits of `2 - M r`.
pub const STEP_BITS: usize = 18;

/// Fraction bits of a reciprocal.
pub const RECIPROCAL_BITS: usize = 17;

/// The reciprocal of a divisor: `1 / d` is just above `mantissa 2^-33 2^(15 - place)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reciprocal {
    /// From 1 to 2, with [`RECIPROCAL_BITS`] after the point.
    pub mantissa: u32,
    /// The place of the leading one of the divisor.
    pub place: u32,
}

/// The seeds, from 1 to 2 with [`SEED_BITS`] after the point: entry `i` for `M` from
/// `(128 + i) / 256` to `(129 + i) / 256`, `2 / (a + b)` for an interval from `a` to `b`, rounded. So
/// `1 - M r` is as far above 0 at one end as below at the other.
pub fn seeds() -> Vec<i32> {
    let entries = 1 << SEED_INDEX_BITS;
    let seed = |i: i32| {
        let twice_middle = f64::from(2 * (entries + i) + 1) / f64::from(2 * entries);
        (f64::from(1 << (SEED_BITS + 1)) / twice_middle).round() as i32
    };
    (0..entries).map(seed).collect()
}

/// Divides by reciprocals.
#[derive(Clone, Debug)]
pub struct Newton {
    seeds: Vec<i32>,
}

impl Default for Newton {
    fn default() -> Self {
        Self { seeds: seeds() }
    }
}

impl Newton {
    /// The reciprocal of a divisor from 1 to 65535. That of 0 is what the circuit makes of it, and
    /// means nothing.
    pub fn reciprocal(&self, divisor: u32) -> Reciprocal {
        let place = divisor.checked_ilog2().unwrap_or(0);
        let mantissa = divisor << (15 - place);
        let index = mantissa as usize >> (15 - SEED_INDEX_BITS) & ((1 << SEED_INDEX_BITS) - 1);
        let seed = i64::from(self.seeds[index]);
        let product = i64::from(mantissa) * seed;
        let fraction_bits = 16 + SEED_BITS;
        // The complement is 2 - M r less one in the last place.
        let two_less = ((2 << fraction_bits) - 1 - product) >> (fraction_bits - STEP_BITS);
        let unused = i64::BITS as usize - CORRECTION_BITS;
        let correction = seed * (two_less << unused >> unused);
        let correction = correction >> (SEED_BITS + STEP_BITS - RECIPROCAL_BITS);
        let mantissa = (seed << (RECIPROCAL_BITS - SEED_BITS)) + correction;
        Reciprocal { mantissa: mantissa as u32, place }
    }

    /// `floor(numerator 2^F / divisor)` or one less, for a quotient below `2^15`: `numerator` up to
    /// `2^15`, a divisor from 1 to 65535.
    pub fn estimate(&self, numerator: u32, divisor: u32, fraction_bits: u32) -> u32 {
        let Reciprocal { mantissa, place } = self.reciprocal(divisor);
        let product = u64::from(numerator) * u64::from(mantissa);
        (product >> (RECIPROCAL_BITS as u32 + 1 - fraction_bits + place)) as u32
    }

    /// The [`estimate`](Newton::estimate), and one more if the remainder is not below the divisor.
    pub fn quotient(&self, numerator: u32, divisor: u32, fraction_bits: u32) -> u32 {
        let estimate = self.estimate(numerator, divisor, fraction_bits);
        let remainder = (numerator << fraction_bits).wrapping_sub(estimate.wrapping_mul(divisor));
        estimate + u32::from(remainder >= divisor)
    }
}
