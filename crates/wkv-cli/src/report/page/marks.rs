//! Numbers and verdicts as markup.

use maud::{Markup, html};

use crate::report::notation;

/// Three significant digits and a power of ten: 4.90 × 10⁻⁴.
pub fn scientific(number: f64) -> Markup {
    let text = notation::scientific(number);
    match text.split_once('e') {
        Some((digits, "0")) => html! { (digits) },
        Some((digits, power)) => html! { (digits) "\u{2009}×\u{2009}10" sup { (minus(power)) } },
        None => html! { (text) },
    }
}

/// A signed number with its hyphen as a minus sign.
pub fn minus(number: &str) -> String {
    number.replace('-', "−")
}

/// A change in percent, with its sign.
pub fn percent(change: f64) -> Markup {
    html! { (minus(&format!("{change:+.2}"))) "%" }
}

/// An interval in brackets.
pub fn interval([low, high]: [f64; 2], number: impl Fn(f64) -> Markup) -> Markup {
    html! { "[" (number(low)) ", " (number(high)) "]" }
}

/// Whether something held.
pub fn verdict(held: bool) -> Markup {
    html! { @if held { span.good { "agree" } } @else { span.bad { "DIFFER" } } }
}
