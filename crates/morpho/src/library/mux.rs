//! Selection of one word out of many.

use crate::diagnostic::Diagnostic;
use crate::{Builder, Bus, Fits, cell};

/// One word out of many: `data`: \[N · 2^K\], words of N wires, word 0 lowest; `select`: \[K\],
/// unsigned -> word number `select`, \[N\]. `N (2^K - 1)` gates, depth `K`.
///
/// # Errors
/// Refused if the width of `data` is not a multiple of `2^K`.
#[cell(fallback = 0)]
pub fn mux(n: &mut Builder, data: &Bus, select: &Bus) -> Fits<Bus> {
    check_words(data, select)?;
    let (rest, highest) = select.hslice(&Bus::zero())?;
    let (low, high) = data.split()?;
    let (low, high) = (mux(n, &low, &rest)?, mux(n, &high, &rest)?);
    n.select(&highest, &low, &high)
}

fn check_words(data: &Bus, select: &Bus) -> Fits<()> {
    let (width, wires) = (data.width(), select.width());
    match 1usize.checked_shl(wires as u32) {
        Some(words) if width.is_multiple_of(words) => Ok(()),
        _ => {
            let text = format!("{wires} select wires do not share {width} wires into equal words");
            Err(Diagnostic::new(text).hint("give 2^select words of one width").into())
        }
    }
}
