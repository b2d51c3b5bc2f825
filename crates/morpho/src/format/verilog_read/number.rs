//! Numbers of Verilog.

/// The widest vector and the longest number that is read.
pub(super) const MOST_BITS: u64 = 1 << 20;

/// A digit of a binary number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Digit {
    Zero,
    One,
    /// Unknown, or not driven: `x`, `z` and `?`.
    Unknown,
}

impl From<bool> for Digit {
    fn from(bit: bool) -> Digit {
        if bit { Digit::One } else { Digit::Zero }
    }
}

/// A number: its digits, lowest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub digits: Vec<Digit>,
    pub signed: bool,
    /// Whether its width is written.
    pub sized: bool,
}

impl Number {
    /// Its value, if it is known and fits.
    pub fn value(&self) -> Option<u64> {
        self.digits.iter().enumerate().try_fold(0, |value, (at, digit)| match digit {
            Digit::Zero => Some(value),
            Digit::One if at < 64 => Some(value | 1 << at),
            _ => None,
        })
    }
}

/// A number as it is written, `8'hff` or `12`.
///
/// # Errors
/// What is wrong with it.
pub(super) fn parse(text: &[u8]) -> Result<Number, String> {
    let Some(quote) = text.iter().position(|&byte| byte == b'\'') else {
        let digits = decimal(text, 32)?;
        return Ok(Number { digits, signed: true, sized: false });
    };
    let (size, rest) = (text[..quote].trim_ascii(), &text[quote + 1..]);
    let signed = rest[0].eq_ignore_ascii_case(&b's');
    let rest = &rest[usize::from(signed)..];
    let (base, digits) = (rest[0].to_ascii_lowercase(), rest[1..].trim_ascii());
    let width = match size {
        b"" => None,
        _ => Some(integer(size)?).filter(|&width| (1..=MOST_BITS as u128).contains(&width)),
    };
    if width.is_none() && !size.is_empty() {
        return Err(format!("a number has 1 to {MOST_BITS} bits"));
    }
    let known = match base {
        b'b' => binary(digits, 1)?,
        b'o' => binary(digits, 3)?,
        b'h' => binary(digits, 4)?,
        _ => decimal(digits, 1)?,
    };
    let width = width.map_or(known.len().max(32), |width| width as usize);
    let filler = known.last().filter(|&&digit| digit == Digit::Unknown && base != b'd');
    let filler = filler.copied().unwrap_or(Digit::Zero);
    let mut digits = known;
    digits.resize(width, filler);
    Ok(Number { digits, signed, sized: !size.is_empty() })
}

/// The digits of a number whose base is a power of two.
fn binary(text: &[u8], bits: usize) -> Result<Vec<Digit>, String> {
    if text.len() as u64 * bits as u64 > MOST_BITS {
        return Err(format!("a number has 1 to {MOST_BITS} bits"));
    }
    let mut digits = Vec::new();
    for &byte in text.iter().rev().filter(|&&byte| byte != b'_') {
        let value = (byte as char).to_digit(1 << bits);
        match (value, byte) {
            (Some(value), _) => {
                digits.extend((0..bits).map(|bit| Digit::from(value >> bit & 1 == 1)));
            }
            (None, b'x' | b'X' | b'z' | b'Z' | b'?') => {
                digits.extend(std::iter::repeat_n(Digit::Unknown, bits));
            }
            _ => return Err(format!("`{}` is no digit of this base", byte.escape_ascii())),
        }
    }
    if digits.is_empty() { Err("a number without digits".to_string()) } else { Ok(digits) }
}

/// The digits of a decimal number, at least `least`; or one unknown one.
fn decimal(text: &[u8], least: usize) -> Result<Vec<Digit>, String> {
    if let [b'x' | b'X' | b'z' | b'Z' | b'?', rest @ ..] = text
        && rest.iter().all(|&byte| byte == b'_')
    {
        return Ok(vec![Digit::Unknown; least.max(32)]);
    }
    let value = integer(text)?;
    let bits = (128 - value.leading_zeros() as usize).max(least);
    Ok((0..bits).map(|bit| Digit::from(value >> bit & 1 == 1)).collect())
}

fn integer(text: &[u8]) -> Result<u128, String> {
    let digits = text.iter().filter(|&&byte| byte != b'_');
    let mut value: Option<u128> = None;
    for &byte in digits {
        if !byte.is_ascii_digit() {
            let text = String::from_utf8_lossy(text);
            return Err(format!("`{text}` is no whole number"));
        }
        let next = value.unwrap_or(0).checked_mul(10);
        let next = next.and_then(|value| value.checked_add(u128::from(byte - b'0')));
        value = Some(next.ok_or("a decimal number of more than 128 bits")?);
    }
    value.ok_or_else(|| "a number without digits".to_string())
}
