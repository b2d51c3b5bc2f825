//! A spec's steps in registers that cannot overflow: what would be without saturation, or without
//! rounding of the quotient.

use wkv::WkvSpec;
use wkv::fixed::{self, Advanced, Model, State};
use wkv::recurrence::{Numerics, Recurrence};
use wkv::stats::Counts;

/// The classic step of a spec with sums and registers in 64 bits and no clamp, or none but those of
/// the exponents. Inputs are quantised, and clamped, as the spec does.
#[derive(Clone, Copy)]
pub struct Unclamped {
    /// The spec.
    pub spec: WkvSpec,
    /// Whether the quotient becomes a raw integer, as the spec has it, or stays as it is.
    pub rounds: bool,
    /// Whether the exponents `ww` and `ww2` are clamped, as the spec does.
    pub clamps_exponents: bool,
}

/// Channels that take tokens together.
struct Bank {
    model: Model,
    rounds: bool,
    clamps_exponents: bool,
    u: Vec<i64>,
    w: Vec<i64>,
    states: Vec<State<i64>>,
}

impl Numerics for Unclamped {
    fn bank(&self, u: &[f64], w: &[f64]) -> Box<dyn Recurrence> {
        let quantise = |constants: &[f64]| -> Vec<i64> {
            constants.iter().map(|&x| self.spec.format.quantise(x).0.into()).collect()
        };
        let mut bank = Bank {
            model: Model::new(&self.spec),
            rounds: self.rounds,
            clamps_exponents: self.clamps_exponents,
            u: quantise(u),
            w: quantise(w),
            states: Vec::new(),
        };
        bank.reset();
        Box::new(bank)
    }
}

impl Bank {
    /// `2^-x` in Q0.16.
    fn exp2neg(&self, x: i64) -> i64 {
        self.model.exp2neg(i32::try_from(x).unwrap_or(i32::MAX)).into()
    }

    /// An exponent, clamped if exponents are.
    fn exponent(&self, raw: i64) -> i64 {
        let format = self.model.spec().format;
        if self.clamps_exponents {
            raw.clamp(format.min().into(), format.max().into())
        } else {
            raw
        }
    }

    /// The quotient, a real number.
    fn divide(&self, n: i64, d: i64) -> f64 {
        if !self.rounds {
            return n as f64 / d as f64;
        }
        let spec = self.model.spec();
        fixed::quotient(spec, n, d) as f64 * spec.format.resolution()
    }

    fn step(&self, state: State<i64>, inputs: [i64; 4]) -> (f64, State<i64>) {
        let Advanced { num, den, next, .. } = fixed::advance(
            self.model.spec(),
            state,
            inputs,
            |x| self.exp2neg(x),
            |raw| self.exponent(raw),
            |raw| raw,
        );
        (self.divide(num, den), next)
    }
}

impl Recurrence for Bank {
    fn channels(&self) -> usize {
        self.u.len()
    }

    fn reset(&mut self) {
        let pp = self.model.spec().format.min().into();
        self.states = vec![State { aa: 0, bb: 0, pp }; self.u.len()];
    }

    fn run(&mut self, k: &[f32], v: &[f32], out: &mut [f32]) {
        let format = self.model.spec().format;
        let raw = |x: f32| i64::from(format.quantise(x.into()).0);
        for (place, out) in out.iter_mut().enumerate() {
            let channel = place % self.u.len();
            let (k, v) = (raw(k[place]), raw(v[place]));
            let inputs = [k, v, self.u[channel], self.w[channel]];
            let (quotient, next) = self.step(self.states[channel], inputs);
            self.states[channel] = next;
            *out = quotient as f32;
        }
    }

    fn counts(&self) -> Counts {
        Counts::default()
    }
}

#[cfg(test)]
mod tests {
    use wkv::synthetic::{Course, Distribution};

    use super::*;

    fn outputs(spec: &str, value_scale: f64) -> [Vec<f32>; 2] {
        let spec: WkvSpec = spec.parse().expect("a spec");
        outputs_of(&spec, &Unclamped { spec, rounds: true, clamps_exponents: false }, value_scale)
    }

    fn outputs_of(a: &dyn Numerics, b: &dyn Numerics, value_scale: f64) -> [Vec<f32>; 2] {
        let distribution = Distribution { course: Course::Wandering, key_scale: 1.0, value_scale };
        let streams = distribution.draw(48, 256, 5);
        [a, b].map(|numerics| {
            let mut out = vec![0.0; streams.v.len()];
            numerics.bank(&streams.u, &streams.w).run(&streams.k, &streams.v, &mut out);
            out
        })
    }

    #[test]
    fn where_nothing_saturates_it_is_the_spec_bit_for_bit() {
        for spec in ["classic:q8.8", "classic:q8.8:nointerp:div=exact", "classic:q9.7:lut64"] {
            let [clamped, unclamped] = outputs(spec, 1.0);
            assert_eq!(clamped, unclamped, "{spec}");
        }
    }

    #[test]
    fn rounding_is_all_that_an_unrounded_quotient_lacks() {
        let spec: WkvSpec = "classic:q8.8:div=exact".parse().expect("a spec");
        let [rounded, unrounded] =
            outputs_of(&spec, &Unclamped { spec, rounds: false, clamps_exponents: false }, 1.0);
        let half = 0.5 * spec.format.resolution() + 1e-6;
        let apart = |(a, b): (&f32, &f32)| f64::from((a - b).abs()) <= half;
        assert!(std::iter::zip(&rounded, &unrounded).all(apart));
        assert_ne!(rounded, unrounded);
    }

    /// In a format whose range is so short that the exponents leave it.
    #[test]
    fn clamps_of_the_exponents_are_those_of_the_spec() {
        let spec: WkvSpec = "classic:q3.13:div=exact".parse().expect("a spec");
        let exponents = |clamps_exponents| Unclamped { spec, rounds: true, clamps_exponents };
        let fast = |numerics: &dyn Numerics| {
            let mut out = [0.0; 3];
            numerics.bank(&[0.0], &[-3.5]).run(&[-2.0, -3.9, -3.9], &[0.5, 0.25, -0.5], &mut out);
            out
        };
        assert_eq!(fast(&exponents(true)), fast(&spec));
        assert_ne!(fast(&exponents(false)), fast(&spec));
    }

    #[test]
    fn saturations_show() {
        let [clamped, unclamped] = outputs("classic:q4.12", 1.0);
        assert_ne!(clamped, unclamped);
    }
}
