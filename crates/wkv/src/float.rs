//! The recurrence in f64, the reference for every fixed-point spec.
//!
//! Each token `k`, `v` enters a softmax-weighted mean whose weights decay by `2^w` a token. The
//! state is the mean's numerator `aa` and denominator `bb`, both divided by `2^pp`, where `pp` is
//! the largest exponent so far; `u` is a bonus for the current token. All exponents are base 2.

use crate::recurrence::{Numerics, Recurrence, check_tokens};
use crate::stats::Counts;

/// The state of one channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// Weighted sum of the values, divided by `2^pp`.
    pub aa: f64,
    /// Sum of the weights, divided by `2^pp`. At least 1 after the first token.
    pub bb: f64,
    /// The largest exponent, decayed.
    pub pp: f64,
}

impl State {
    /// The state before the first token.
    pub const START: Self = Self { aa: 0.0, bb: 0.0, pp: f64::NEG_INFINITY };
}

/// The factors `2^(older - p)` and `2^(newer - p)` with `p` the greater exponent, and `p`.
///
/// Neither factor exceeds 1 and the greater exponent's is exactly 1. `newer` must be finite.
#[inline(always)]
pub fn factors(older: f64, newer: f64) -> (f64, f64, f64) {
    if older < newer {
        ((older - newer).exp2(), 1.0, newer)
    } else {
        (1.0, (newer - older).exp2(), older)
    }
}

/// One token of one channel: the output and the next state. All inputs are finite.
#[inline(always)]
pub fn step(state: State, k: f64, v: f64, u: f64, w: f64) -> (f64, State) {
    let State { aa, bb, pp } = state;

    let (e1, e2, _) = factors(pp, u + k);
    let out = (e1 * aa + e2 * v) / (e1 * bb + e2);

    let (f1, f2, pp) = factors(pp + w, k);
    let next = State { aa: f1 * aa + f2 * v, bb: f1 * bb + f2, pp };
    (out, next)
}

/// The f64 arithmetic.
#[derive(Clone, Copy, Debug)]
pub struct Float;

impl Numerics for Float {
    fn bank(&self, u: &[f64], w: &[f64]) -> Box<dyn Recurrence> {
        Box::new(Bank::new(u, w))
    }
}

/// Channels that take tokens together.
#[derive(Clone, Debug)]
pub struct Bank {
    u: Vec<f64>,
    w: Vec<f64>,
    states: Vec<State>,
}

impl Bank {
    /// A bank of `u.len()` channels with bonus `u` and decay `w`, before the first token.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn new(u: &[f64], w: &[f64]) -> Self {
        assert_eq!(u.len(), w.len(), "a decay for every bonus");
        Self { u: u.to_vec(), w: w.to_vec(), states: vec![State::START; u.len()] }
    }

    /// The states, one a channel.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// Like [`Recurrence::run`], in f64 throughout.
    ///
    /// # Panics
    /// If the slices differ in length or do not hold whole tokens.
    pub fn run_f64(&mut self, k: &[f64], v: &[f64], out: &mut [f64]) {
        self.advance(k, v, out, |out| out);
    }

    fn advance<T: Copy + Into<f64>>(
        &mut self,
        k: &[T],
        v: &[T],
        out: &mut [T],
        narrow: impl Fn(f64) -> T,
    ) {
        let channels = self.channels();
        check_tokens(channels, k.len(), v.len(), out.len());
        for (token, out) in out.chunks_exact_mut(channels.max(1)).enumerate() {
            let (k, v) = (&k[token * channels..], &v[token * channels..]);
            for (channel, out) in out.iter_mut().enumerate() {
                let (result, next) = step(
                    self.states[channel],
                    k[channel].into(),
                    v[channel].into(),
                    self.u[channel],
                    self.w[channel],
                );
                *out = narrow(result);
                self.states[channel] = next;
            }
        }
    }
}

impl Recurrence for Bank {
    fn channels(&self) -> usize {
        self.states.len()
    }

    fn reset(&mut self) {
        self.states.fill(State::START);
    }

    fn run(&mut self, k: &[f32], v: &[f32], out: &mut [f32]) {
        self.advance(k, v, out, |out| out as f32);
    }

    fn counts(&self) -> Counts {
        Counts::default()
    }
}
