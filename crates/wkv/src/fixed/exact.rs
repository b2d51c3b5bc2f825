//! The integer model with an exact exponential, which no circuit computes: what the table and its
//! interpolation cost is the difference from it.

use super::{Model, State, quantise_all};
use crate::recurrence::{Numerics, Recurrence, check_tokens};
use crate::spec::WkvSpec;
use crate::stats::Counts;

/// A spec whose exponential is `2^-x` to the nearest Q0.16, whatever its table says.
#[derive(Clone, Copy, Debug)]
pub struct ExactExponential(pub WkvSpec);

/// `round(65536 * 2^(-x / 2^F))`: the exponential of a raw `x` with `fraction_bits` F, in Q0.16.
pub fn exp2neg(x: i32, fraction_bits: u32) -> i32 {
    let exponent = -f64::from(x) / f64::from(1 << fraction_bits);
    (65536.0 * exponent.exp2()).round() as i32
}

impl Numerics for ExactExponential {
    fn bank(&self, u: &[f64], w: &[f64]) -> Box<dyn Recurrence> {
        let Self(spec) = self;
        let (u, u_saturations) = quantise_all(spec.format, u);
        let (w, w_saturations) = quantise_all(spec.format, w);
        let mut counts = Counts::default();
        counts.inputs.u = u_saturations;
        counts.inputs.w = w_saturations;
        let fraction_bits = spec.format.fraction_bits();
        Box::new(Bank {
            model: Model::new(spec),
            exponentials: (0..=0xffff).map(|x| exp2neg(x, fraction_bits)).collect(),
            states: vec![State::start(spec); u.len()],
            u,
            w,
            counts,
        })
    }
}

/// Channels that take tokens together.
struct Bank {
    model: Model,
    /// Every exponential.
    exponentials: Vec<i32>,
    u: Vec<i32>,
    w: Vec<i32>,
    states: Vec<State>,
    counts: Counts,
}

impl Recurrence for Bank {
    fn channels(&self) -> usize {
        self.states.len()
    }

    fn reset(&mut self) {
        self.states.fill(State::start(self.model.spec()));
    }

    fn run(&mut self, k: &[f32], v: &[f32], out: &mut [f32]) {
        let channels = self.channels();
        check_tokens(channels, k.len(), v.len(), out.len());
        let format = self.model.spec().format;
        for (place, out) in out.iter_mut().enumerate() {
            let channel = place % channels;
            let (k, k_saturated) = format.quantise(f64::from(k[place]));
            let (v, v_saturated) = format.quantise(f64::from(v[place]));
            let (u, w) = (self.u[channel], self.w[channel]);
            let exp2neg = |x: i32| self.exponentials[x as usize];
            let step = self.model.step_by(exp2neg, self.states[channel], k, v, u, w);
            self.states[channel] = step.next;
            self.counts += step.counts;
            self.counts.inputs.k += u64::from(k_saturated);
            self.counts.inputs.v += u64::from(v_saturated);
            *out = format.to_real(step.out) as f32;
        }
    }

    fn counts(&self) -> Counts {
        self.counts
    }
}
