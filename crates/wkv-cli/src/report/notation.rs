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

/// Three significant digits and a power of ten: `4.90e-4`.
pub fn scientific(number: f64) -> String {
    format!("{number:.2e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        let texts = [0, 999, 1_000, 45_715, 1_234_567].map(thousands);
        assert_eq!(texts, ["0", "999", "1,000", "45,715", "1,234,567"]);
    }
}
