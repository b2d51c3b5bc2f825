//! Reproducible vectors.

/// A generator of random numbers (splitmix64, Steele et al., 2014), the same on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// A raw number of 16 bits: any, small, or one of the corners.
    pub fn raw(&mut self) -> i32 {
        let bits = self.next();
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
