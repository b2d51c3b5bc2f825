//! Numbers and verdicts as markup.

use maud::{Markup, html};

/// A unit of a power of ten for a column of numbers, so that they read without exponents.
#[derive(Clone, Copy)]
pub struct Scale {
    power: i32,
}

impl Scale {
    /// The scale in which the least positive of `numbers` has one digit before the point.
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Self {
        let positive = numbers.into_iter().filter(|number| *number > 0.0);
        let least = positive.fold(f64::INFINITY, f64::min);
        Self { power: if least.is_finite() { least.log10().floor() as i32 } else { 0 } }
    }

    /// The unit, for the head of the column.
    pub fn unit(self) -> Markup {
        html! { "10" sup { (crate::report::notation::minus(&self.power.to_string())) } }
    }

    /// A number in this scale.
    pub fn number(self, number: f64) -> String {
        format!("{:.2}", number / 10f64.powi(self.power))
    }
}

/// An interval in brackets; a dash if there is none.
pub fn interval(ends: Option<[f64; 2]>, number: impl Fn(f64) -> String) -> String {
    match ends {
        Some([low, high]) => format!("[{}, {}]", number(low), number(high)),
        None => "–".to_owned(),
    }
}

/// Whether something held.
pub fn verdict(held: bool) -> Markup {
    html! { @if held { span.good { "agree" } } @else { span.bad { "DIFFER" } } }
}
