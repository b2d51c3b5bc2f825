//! Raw numbers for vectors and streams.

use morpho::random::Random;

/// A source of raw numbers.
pub struct RawNumbers(Random);

impl RawNumbers {
    pub fn new(seed: u64) -> RawNumbers {
        RawNumbers(Random::new(seed))
    }

    /// The next 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0.word()
    }

    /// A raw number of 16 bits: any, small, or one of the corners.
    pub fn raw(&mut self) -> i32 {
        let bits = self.word();
        let any = (bits >> 32) as i16;
        match bits & 7 {
            0 => CORNERS[(bits >> 8) as usize % CORNERS.len()].into(),
            1..=3 => (any >> 5).into(),
            _ => any.into(),
        }
    }

    /// A raw number that is not negative.
    pub fn magnitude(&mut self) -> i32 {
        self.raw().clamp(-32767, 32767).abs()
    }
}

/// The rails, the numbers around 0, and powers of two with their neighbours.
const CORNERS: [i16; 20] = [
    -32768, -32767, -16385, -16384, -257, -256, -255, -2, -1, 0, 1, 2, 127, 255, 256, 257, 16383,
    16384, 32766, 32767,
];
