//! Numbers as text.

/// An integer with its thousands apart: `45,715`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// So many of what `noun` names: `1 document`, `45,715 documents`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// Three significant digits and a power of ten: `4.90×10⁻⁴`.
pub fn scientific(number: f64) -> String {
    raised(&format!("{number:.2e}"))
}

/// A number in Rust's scientific notation, with its power of ten as people write it.
pub fn raised(number: &str) -> String {
    match number.split_once('e') {
        Some((digits, power)) if power != "0" => format!("{digits}×10{}", superscript(power)),
        Some((digits, _)) => digits.to_owned(),
        None => number.to_owned(),
    }
}

/// The digits of an exponent, raised.
pub fn superscript(power: &str) -> String {
    let raise = |digit| match digit {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '0' | '4'..='9' => {
            let above = u32::from(digit) - u32::from('0') + u32::from('⁰');
            char::from_u32(above).expect("raised digits stand together")
        }
        other => other,
    };
    power.chars().map(raise).collect()
}

/// A change in percent, with its sign: `+0.21%`.
pub fn percent(change: f64) -> String {
    format!("{}%", minus(&format!("{change:+.2}")))
}

/// A number with its hyphen as a minus sign.
pub fn minus(number: &str) -> String {
    number.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        let texts = [0, 999, 1_000, 45_715, 1_234_567].map(thousands);
        assert_eq!(texts, ["0", "999", "1,000", "45,715", "1,234,567"]);
    }

    #[test]
    fn one_is_no_plural() {
        let texts = [0, 1, 45_715].map(|number| counted(number, "document"));
        assert_eq!(texts, ["0 documents", "1 document", "45,715 documents"]);
    }

    #[test]
    fn powers_are_raised() {
        assert_eq!(scientific(4.9e-4), "4.90×10⁻⁴");
        assert_eq!(scientific(1.234e15), "1.23×10¹⁵");
        assert_eq!(scientific(2.0), "2.00");
    }
}
