//! Scales of axes, and where their ticks are.

use crate::report::notation::{minus, superscript};

/// The scale of one axis.
#[derive(Clone, Debug)]
pub struct Axis {
    logarithmic: bool,
    /// Ends, as coordinates: the values, or their logarithms.
    low: f64,
    high: f64,
    /// Values with a tick, and what stands there.
    pub ticks: Vec<(f64, String)>,
}

/// Ticks of a linear axis, at most.
const TICKS: usize = 6;

/// The least number that is labelled as a decimal.
const LEAST_DECIMAL: f64 = 1e-3;

impl Axis {
    /// A linear axis that holds all `values`, with a little room, and ticks at round numbers.
    pub fn linear(values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = ends(values).unwrap_or((0.0, 1.0));
        let room = if low < high { (high - low) * 0.05 } else { low.abs().max(1.0) * 0.05 };
        let (low, high) = (low - room, high + room);
        let step = round_steps((high - low) / TICKS as f64)
            .find(|step| (high - low) / step < TICKS as f64)
            .expect("steps grow without end");
        let numbers = (low / step).ceil() as i64..=(high / step).floor() as i64;
        let ticks = numbers.map(|number| number as f64 * step);
        Self {
            logarithmic: false,
            low,
            high,
            ticks: ticks.map(|tick| (tick, decimal_label(tick))).collect(),
        }
    }

    /// A linear axis from `low` to `high` with these ticks.
    pub fn with_ticks(low: f64, high: f64, ticks: Vec<(f64, String)>) -> Self {
        Self { logarithmic: false, low, high, ticks }
    }

    /// A logarithmic axis from a round number below all positive `values` to one above, with
    /// ticks at powers of ten, and at 2 and 5 times those if there is room for so many.
    pub fn logarithmic(values: impl IntoIterator<Item = f64>, room: usize) -> Self {
        let positive = values.into_iter().filter(|&value| value > 0.0);
        let (least, greatest) = ends(positive).unwrap_or((0.1, 1.0));
        // The tolerance is for logarithms that should be whole and are not quite.
        let below = round_steps(least / 10.0).take_while(|&step| step <= least * (1.0 + 1e-9));
        let low = below.last().expect("a tenth of a number is below it");
        let last = round_steps(low).position(|step| step > low && step >= greatest);
        let last = last.expect("steps grow without end");
        let mut ticks: Vec<f64> = round_steps(low).take(last + 1).collect();
        let high = ticks[last];
        if ticks.len() > room {
            ticks.retain(|&tick| is_power_of_ten(tick));
        }
        let label = if low < LEAST_DECIMAL { power_label } else { decimal_label };
        Self {
            logarithmic: true,
            low: low.log10(),
            high: high.log10(),
            ticks: ticks.into_iter().map(|tick| (tick, label(tick))).collect(),
        }
    }

    /// A logarithmic axis from `low` to `high` with these ticks.
    pub fn logarithmic_between(low: f64, high: f64, ticks: Vec<(f64, String)>) -> Self {
        Self { logarithmic: true, low: low.log10(), high: high.log10(), ticks }
    }

    /// Where a value lies, as a share of the axis.
    pub fn share(&self, value: f64) -> f64 {
        let coordinate = if self.logarithmic { value.log10() } else { value };
        (coordinate - self.low) / (self.high - self.low)
    }

    /// Whether a value lies on the axis.
    pub fn holds(&self, value: f64) -> bool {
        (0.0..=1.0).contains(&self.share(value))
    }
}

fn ends(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.into_iter().filter(|value| value.is_finite());
    finite.fold(None, |ends, value| match ends {
        None => Some((value, value)),
        Some((low, high)) => Some((value.min(low), value.max(high))),
    })
}

/// The numbers 1, 2 and 5 times a power of ten, from the decade of `start` on, rising.
fn round_steps(start: f64) -> impl Iterator<Item = f64> {
    let decade = (start.log10() + 1e-9).floor() as i32;
    let steps = (decade..).flat_map(|decade| [1, 2, 5].map(|digit| round(digit, decade)));
    steps.skip_while(move |&step| step < start * (1.0 - 1e-9))
}

/// `digit` times ten to the `power`, as near as can be.
fn round(digit: i32, power: i32) -> f64 {
    format!("{digit}e{power}").parse().expect("a number")
}

fn is_power_of_ten(value: f64) -> bool {
    format!("{value:e}").starts_with("1e")
}

/// A round number as a decimal.
fn decimal_label(value: f64) -> String {
    // Sums of steps carry the error of binary fractions.
    let text = format!("{value:.6}");
    minus(text.trim_end_matches('0').trim_end_matches('.'))
}

/// A positive number of one digit as a power of ten.
fn power_label(value: f64) -> String {
    let text = format!("{value:e}");
    let (digit, power) = text.split_once('e').expect("scientific notation has an exponent");
    let factor = if digit == "1" { String::new() } else { format!("{digit}×") };
    format!("{factor}10{}", superscript(power))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn linear_ticks_are_round() {
        let axis = Axis::linear([-0.02, 0.68]);
        assert_eq!(labels(&axis), ["0", "0.2", "0.4", "0.6"]);
        assert!(axis.share(-0.02) > 0.0 && axis.share(0.68) < 1.0);
        assert_eq!(labels(&Axis::linear([5.0])), ["4.8", "4.9", "5", "5.1", "5.2"]);
        assert_eq!(labels(&Axis::linear([-4.0, 4.0])), ["−4", "−2", "0", "2", "4"]);
    }

    #[test]
    fn logarithmic_ends_are_round_and_hold_the_values() {
        let axis = Axis::logarithmic([1.5e-4, 5.4e-3, 0.0, f64::NAN], 6);
        assert_eq!(labels(&axis), ["10⁻⁴", "10⁻³", "10⁻²"]);
        assert_eq!((axis.share(1e-4), axis.share(1e-2)), (0.0, 1.0));
        assert_eq!(labels(&Axis::logarithmic([0.021, 0.16], 6)), ["0.02", "0.05", "0.1", "0.2"]);
        assert_eq!(labels(&Axis::logarithmic([0.1], 6)), ["0.1", "0.2"]);
        assert_eq!(labels(&Axis::logarithmic([3e-5, 9e-5], 6)), ["2×10⁻⁵", "5×10⁻⁵", "10⁻⁴"]);
    }
}
