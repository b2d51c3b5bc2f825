//! Lines and columns of parts of a text.

use serde_json::value::RawValue;

use crate::format::source::Position;

/// Finds places in a text. What is near the place found last is found soon.
pub(super) struct Places<'a> {
    text: &'a [u8],
    at: usize,
    line: u32,
    /// Where the line begins.
    start: usize,
}

impl<'a> Places<'a> {
    pub fn new(text: &'a [u8]) -> Places<'a> {
        Places { text, at: 0, line: 1, start: 0 }
    }

    /// The place of a part of the text.
    pub fn of(&mut self, part: &'a RawValue) -> Position {
        let offset = (part.get().as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        self.at_offset(offset.min(self.text.len()))
    }

    fn at_offset(&mut self, offset: usize) -> Position {
        let newlines = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'\n').count() as u32;
        let start_of = |bytes: &[u8]| bytes.iter().rposition(|&byte| byte == b'\n');
        if offset >= self.at {
            let between = &self.text[self.at..offset];
            if let Some(last) = start_of(between) {
                self.line += newlines(between);
                self.start = self.at + last + 1;
            }
        } else if offset < self.start {
            self.line -= newlines(&self.text[offset..self.at]);
            self.start = start_of(&self.text[..offset]).map_or(0, |last| last + 1);
        }
        self.at = offset;
        let column = u32::try_from(offset - self.start + 1).unwrap_or(u32::MAX);
        Position { line: self.line, column }
    }
}

/// What a parser says, and where, if the text that it parsed begins at `start`.
pub(super) fn of_error(error: &serde_json::Error, start: Position) -> (Position, String) {
    let (line, column) = (error.line() as u32, (error.column() as u32).max(1));
    let text = error.to_string();
    let suffix = format!(" at line {} column {}", error.line(), error.column());
    let text = text.strip_suffix(&suffix).unwrap_or(&text).to_string();
    let position = match line {
        0 => start,
        1 => Position { line: start.line, column: start.column.saturating_add(column - 1) },
        _ => Position { line: start.line.saturating_add(line - 1), column },
    };
    (position, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_any_order() {
        let text = b"ab\n\ncde\nf";
        let mut places = Places::new(text);
        let mut find = |offset| {
            let Position { line, column } = places.at_offset(offset);
            (line, column)
        };
        let expected = [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1), (3, 2), (3, 3), (3, 4), (4, 1)];
        for (from, to) in (0..9).flat_map(|from| (0..9).map(move |to| (from, to))) {
            assert_eq!(find(from), expected[from]);
            assert_eq!(find(to), expected[to]);
        }
    }
}
