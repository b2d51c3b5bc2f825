//! The reserved words of Verilog and SystemVerilog.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// The reserved words of IEEE 1800-2017 (annex B), sorted, one a line; those that IEEE 1364-2005
/// (Verilog) reserves already are marked.
const TABLE: &str = include_str!("keywords.txt");

/// Each reserved word, and whether Verilog reserves it.
static RESERVED: LazyLock<FxHashMap<&str, bool>> = LazyLock::new(|| rows().collect());

fn rows() -> impl Iterator<Item = (&'static str, bool)> {
    TABLE.lines().map(|line| match line.split_once(' ') {
        Some((word, _)) => (word, true),
        None => (line, false),
    })
}

/// Every reserved word of IEEE 1800-2017 (annex B), sorted; those of Verilog-2005 are among them.
pub fn keywords() -> impl Iterator<Item = &'static str> {
    rows().map(|(word, _)| word)
}

/// Whether SystemVerilog or Verilog reserves `word`.
pub(super) fn is_keyword(word: &str) -> bool {
    RESERVED.contains_key(word)
}

/// Whether Verilog reserves `word`.
pub(super) fn is_verilog_keyword(word: &str) -> bool {
    RESERVED.get(word).copied().unwrap_or(false)
}
