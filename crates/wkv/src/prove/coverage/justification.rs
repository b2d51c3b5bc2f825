//! States and tokens that give the inside of the cell wanted values, and let what it makes of them
//! show.
//!
//! With `u = w = 0` the output and the update weigh the same state and token: the exponents are
//! `pp` and `k`, and whatever their distance is to be, there are two such numbers. Of `aa` and `v`,
//! the one with the larger exponent is added whole, the other one is scaled first; each can be any
//! number, so the numerator can. The quotient of equal numbers is 1.0, which tells every
//! denominator from smaller and from larger ones.

use morpho::prove::{PinKind, Vectors};

use crate::fixed::{Model, mul};
use crate::prove::stimuli::Numbers;

/// `aa`, `bb`, `pp`, `k`, `v`; `u` and `w` are 0.
#[derive(Clone, Copy, Debug)]
pub struct Token([i32; 5]);

impl Token {
    /// Adds the token to the vectors of a cell.
    pub fn push(self, vectors: &mut Vectors) {
        let (port, register) = (PinKind::Port, PinKind::Register);
        let kinds = [register, register, register, port, port];
        let names = ["aa", "bb", "pp", "k", "v"];
        let numbers: Vec<_> = std::iter::zip(kinds, names)
            .zip(self.0)
            .map(|((kind, name), number)| (kind, name, number as u32 as u128))
            .collect();
        vectors.push_numbers(&numbers);
    }
}

/// What one of the weights is and what it is applied to.
#[derive(Clone, Copy)]
pub struct Weighing {
    /// How far the exponents are apart, from 0 to 65535.
    pub distance: i32,
    /// Whether the token's is the larger one; then they are not equal.
    pub token_leads: bool,
}

impl Weighing {
    /// A weighing from the 16 bits of a distance and one that says what leads.
    pub fn from_bits(bits: i32) -> Weighing {
        Weighing { distance: bits & 0xffff, token_leads: bits >> 16 != 0 }
    }

    /// A token of which one number is scaled and the other one added to it whole.
    fn token(self, scaled: i32, whole: i32, bb: i32) -> Token {
        let larger = self.distance / 2;
        let smaller = larger - self.distance;
        let (state, token) = if self.token_leads { (smaller, larger) } else { (larger, smaller) };
        let (aa, v) = if self.token_leads { (scaled, whole) } else { (whole, scaled) };
        Token([aa, bb, state, token, v])
    }

    /// Tokens that show a wrong product of `scaled` and the weight.
    pub fn product(self, model: &Model, scaled: i32) -> Vec<Token> {
        let product = mul(scaled, model.exp2neg(self.distance));
        // The sum alone shows in the update. For the output to show it, the numerator is near the
        // denominator or smaller.
        let wholes = [-3, -2, -1, 0, 1, 2, 3, 100, -100].map(|near| raw(near - product));
        let tokens = [0].into_iter().chain(wholes);
        tokens.map(|whole| self.token(scaled, whole, 0)).collect()
    }

    /// Tokens that show a wrong sum of weights.
    pub fn weight_sum(self, model: &Model, bb: i32) -> Vec<Token> {
        let factor = model.exp2neg(self.distance);
        let (of_state, of_token) =
            if self.token_leads { (factor, 1 << 16) } else { (1 << 16, factor) };
        let fraction_bits = model.spec().format.fraction_bits();
        let sum = mul(bb, of_state) + (of_token >> (16 - fraction_bits));
        let denominator = raw(sum) + i32::from(model.spec().guard);
        [denominator, denominator - 1, 0].map(|whole| self.token(0, raw(whole), bb)).to_vec()
    }
}

/// Tokens that show that the exponents of state and token are compared wrongly.
pub fn exponents(numbers: &mut Numbers, state: i32, token: i32) -> Vec<Token> {
    let mut token = || {
        let [aa, v] = numbers.pair();
        let bb = numbers.magnitude(15);
        Token([aa, bb, state, token, v])
    };
    (0..32).map(|_| token()).collect()
}

/// Tokens that show a wrong sum of a whole number and a product: the product is `product << n` times
/// `2^-n`.
pub fn sum(model: &Model, whole: i32, product: i32) -> Vec<Token> {
    let shifts = (0..16).filter(|&shift| raw(product << shift) == product << shift);
    let weighing = |shift: i32| Weighing {
        distance: (shift << model.spec().format.fraction_bits()).min(0xffff),
        token_leads: false,
    };
    shifts
        .flat_map(|shift| [0, 1, 3].map(|bb| weighing(shift).token(product << shift, whole, bb)))
        .collect()
}

/// A token whose numerator and denominator are these, if the weight of a token can be 0.
pub fn quotient(numerator: i32, denominator: i32) -> Vec<Token> {
    let weighing = Weighing { distance: 0xffff, token_leads: false };
    vec![weighing.token(0, numerator, denominator - 1)]
}

fn raw(number: i32) -> i32 {
    number.clamp(-32768, 32767)
}
