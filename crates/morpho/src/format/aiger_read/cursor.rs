//! A walk over the bytes of a file: lines of text, and numbers in groups of seven bits.

use crate::format::source::Position;

/// A place in the bytes.
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u32,
    /// Where the line begins.
    start: usize,
}

/// A line without its end.
pub(super) struct Line<'a> {
    text: &'a [u8],
    number: u32,
    /// The column of its first byte.
    column: u32,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, at: 0, line: 1, start: 0 }
    }

    /// The length of the file in bytes.
    pub fn length(&self) -> u64 {
        self.bytes.len() as u64
    }

    pub fn position(&self) -> Position {
        let column = u32::try_from(self.at - self.start + 1).unwrap_or(u32::MAX);
        Position { line: self.line, column }
    }

    /// The next line; none at the end of the file.
    pub fn line(&mut self) -> Option<Line<'a>> {
        let rest = &self.bytes[self.at..];
        if rest.is_empty() {
            return None;
        }
        let Position { line: number, column } = self.position();
        let length = rest.iter().position(|&byte| byte == b'\n');
        let text = &rest[..length.unwrap_or(rest.len())];
        self.at += text.len();
        if length.is_some() {
            self.end_line();
        }
        Some(Line { text: text.strip_suffix(b"\r").unwrap_or(text), number, column })
    }

    fn end_line(&mut self) {
        self.at += 1;
        self.line += 1;
        self.start = self.at;
    }

    /// A number of at most 35 bits; none if the file ends within it, or it is longer.
    pub fn delta(&mut self) -> Option<u64> {
        let mut delta = 0;
        for shift in (0..35).step_by(7) {
            let &byte = self.bytes.get(self.at)?;
            match byte {
                b'\n' => self.end_line(),
                _ => self.at += 1,
            }
            delta |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(delta);
            }
        }
        None
    }

    /// Whether the next line begins the comment: with a `c` that is not that of a symbol.
    pub fn at_comment(&self) -> bool {
        let rest = &self.bytes[self.at..];
        rest.first() == Some(&b'c') && !rest.get(1).is_some_and(u8::is_ascii_digit)
    }

    /// The name in the comment that begins here: `circuit NAME` in a line, or what stands before a
    /// zero byte in its first line, where ABC puts a name or a path; after a `cn` if it is short.
    pub fn name(&self) -> Option<String> {
        let comment = &self.bytes[self.at + 1..];
        let mut lines = comment.split(|&byte| byte == b'\n');
        let first = lines.clone().find(|line| !line.trim_ascii().is_empty())?;
        let of_abc = first.iter().position(|&byte| byte == 0).map(|end| &first[..end]);
        let of_abc = of_abc.map(|name| match comment.starts_with(b"n") {
            true => &name[1..],
            false => name,
        });
        let ours = || lines.find_map(|line| line.strip_prefix(b"circuit "));
        let name = String::from_utf8_lossy(of_abc.or_else(ours)?.trim_ascii()).into_owned();
        let name = name.rsplit('/').next().unwrap_or_default();
        (!name.is_empty()).then(|| name.to_string())
    }
}

impl<'a> Line<'a> {
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    pub fn position(&self) -> Position {
        Position { line: self.number, column: self.column }
    }

    /// The words, each with its place.
    pub fn words(&self) -> impl Iterator<Item = (&'a [u8], Position)> + use<'a> {
        let Line { text, number, column } = *self;
        let words = text.split(|&byte| byte == b' ' || byte == b'\t');
        words.filter(|word| !word.is_empty()).map(move |word| {
            let offset = word.as_ptr() as usize - text.as_ptr() as usize;
            (word, Position { line: number, column: column + offset as u32 })
        })
    }
}
