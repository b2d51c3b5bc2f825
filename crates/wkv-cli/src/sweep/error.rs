//! The error at the output of the recurrence: of a block, and of places in a document.

use std::fmt;
use std::iter;

use rwkv::eval::{ArmResult, Comparison, POSITION_BUCKETS, PositionErrors};
use serde::{Deserialize, Serialize};
use wkv::stats::{Counts, ErrorStats, InputSaturations, Saturations, Underflows};

/// `error` as a share of the RMS of `signal`. Where the signal is zero so is the error, and this.
pub fn relative(error: f64, signal: &ErrorStats) -> f64 {
    match signal.rms() {
        0.0 => 0.0,
        rms => error / rms,
    }
}

/// The error and the losses of one block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockError {
    /// Number of the block, from 0.
    pub block: usize,
    /// Root of the mean squared error of the block's output.
    pub rms_error: f64,
    /// The greatest error.
    pub max_error: f64,
    /// Root of the mean squared output in the float model.
    pub signal_rms: f64,
    /// `rms_error` divided by `signal_rms`.
    pub relative_rms_error: f64,
    /// Saturations of all registers and sums in the block.
    pub saturations: u64,
    /// The same by register.
    pub saturations_by_register: Saturations,
    /// Saturations of the quantised inputs.
    pub input_saturations: InputSaturations,
    /// Exponentials that became 0.
    pub underflows: u64,
    /// The same by exponential.
    pub underflows_by_exponential: Underflows,
    /// The error by the place of a token in its document.
    pub by_position: Vec<PositionError>,
}

impl BlockError {
    /// The error of every block of an arm.
    pub fn all(comparison: &Comparison, arm: &ArmResult) -> Vec<Self> {
        let errors = iter::zip(&arm.errors, &comparison.signal);
        let blocks = iter::zip(errors, &arm.counts).enumerate();
        blocks
            .map(|(block, ((errors, signal), counts))| Self::of(block, errors, signal, counts))
            .collect()
    }

    fn of(block: usize, errors: &PositionErrors, signal: &PositionErrors, counts: &Counts) -> Self {
        let by_position = PositionError::all(errors, signal);
        let [error, signal] = [errors, signal].map(|parts| parts.iter().copied().sum());
        let error: ErrorStats = error;
        Self {
            block,
            rms_error: error.rms(),
            max_error: error.max_abs,
            signal_rms: signal.rms(),
            relative_rms_error: relative(error.rms(), &signal),
            saturations: counts.saturations.total(),
            saturations_by_register: counts.saturations,
            input_saturations: counts.inputs,
            underflows: counts.underflows.total(),
            underflows_by_exponential: counts.underflows,
            by_position,
        }
    }
}

/// The error at some places of a document.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PositionError {
    /// The first place, from 0.
    pub from: usize,
    /// The place after the last; none if there is no end.
    pub to: Option<usize>,
    /// How many outputs were compared.
    pub values: u64,
    /// Root of the mean squared error.
    pub rms_error: f64,
    /// The greatest error.
    pub max_error: f64,
    /// Root of the mean squared output in the float model.
    pub signal_rms: f64,
    /// `rms_error` divided by `signal_rms`.
    pub relative_rms_error: f64,
}

impl PositionError {
    /// The error at all places that the text reaches.
    pub fn all(errors: &PositionErrors, signal: &PositionErrors) -> Vec<Self> {
        let buckets = iter::zip(errors, signal).enumerate();
        buckets
            .filter(|(_, (error, _))| error.count > 0)
            .map(|(bucket, (error, signal))| Self {
                from: POSITION_BUCKETS[bucket],
                to: POSITION_BUCKETS.get(bucket + 1).copied(),
                values: error.count,
                rms_error: error.rms(),
                max_error: error.max_abs,
                signal_rms: signal.rms(),
                relative_rms_error: relative(error.rms(), signal),
            })
            .collect()
    }
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to {
            Some(to) => write!(f, "{}-{}", self.from, to - 1),
            None => write!(f, "{} on", self.from),
        }
    }
}
