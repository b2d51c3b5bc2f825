//! Problems with a file, gathered with their places.

use super::Position;
use crate::diagnostic::{Diagnostic, Diagnostics, SourcePlace};

/// Problems after this many are counted, not kept.
const MOST: usize = 50;

/// The widest piece of a line that is shown, in bytes.
const EXCERPT: usize = 88;

/// Errors and warnings of one file.
pub(crate) struct Problems<'a> {
    file: &'a str,
    text: &'a [u8],
    errors: Vec<(Position, Diagnostic)>,
    more_errors: usize,
    warnings: Vec<(Position, Diagnostic)>,
}

impl<'a> Problems<'a> {
    /// Of the file `file`, which holds `text`; without text no line is shown.
    pub fn new(file: &'a str, text: &'a [u8]) -> Problems<'a> {
        Problems { file, text, errors: Vec::new(), more_errors: 0, warnings: Vec::new() }
    }

    pub fn error(&mut self, position: Position, diagnostic: Diagnostic) {
        match self.errors.len() < MOST {
            true => self.errors.push((position, diagnostic)),
            false => self.more_errors += 1,
        }
    }

    pub fn warning(&mut self, position: Position, diagnostic: Diagnostic) {
        if self.warnings.len() < MOST {
            self.warnings.push((position, diagnostic));
        }
    }

    pub fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// The warnings if there are no errors; both in the order of the file.
    pub fn finish(mut self) -> Result<Vec<Diagnostic>, Diagnostics> {
        if self.errors.is_empty() {
            let warnings = std::mem::take(&mut self.warnings);
            return Ok(self.placed(warnings));
        }
        let errors = std::mem::take(&mut self.errors);
        let mut errors = self.placed(errors);
        if self.more_errors > 0 {
            let text = format!("{} more errors are not shown", self.more_errors);
            errors.push(Diagnostic::new(text));
        }
        Err(Diagnostics(errors))
    }

    fn placed(&self, mut problems: Vec<(Position, Diagnostic)>) -> Vec<Diagnostic> {
        problems.sort_by_key(|(position, _)| *position);
        let lines = self.lines(&problems);
        let place = |((position, diagnostic), line): ((Position, Diagnostic), &[u8])| {
            diagnostic.in_source(self.place(position, line))
        };
        std::iter::zip(problems, lines).map(place).collect()
    }

    /// The line of each problem, found in one walk over the text.
    fn lines(&self, problems: &[(Position, Diagnostic)]) -> Vec<&'a [u8]> {
        let mut lines = self.text.split(|&byte| byte == b'\n');
        let (mut number, mut line) = (0, &self.text[..0]);
        let of = |(position, _): &(Position, Diagnostic)| {
            while number < position.line {
                number += 1;
                line = lines.next().unwrap_or_default();
            }
            line
        };
        problems.iter().map(of).collect()
    }

    fn place(&self, position: Position, line: &[u8]) -> SourcePlace {
        let column = (position.column.max(1) as usize - 1).min(line.len());
        let start = column.saturating_sub(EXCERPT / 2);
        let end = line.len().min(start + EXCERPT);
        let clean = |bytes: &[u8]| -> String {
            let text = String::from_utf8_lossy(bytes).into_owned();
            text.chars().map(|c| if c.is_control() && c != '\t' { ' ' } else { c }).collect()
        };
        let (before, after) = (clean(&line[start..column]), clean(&line[column..end]));
        SourcePlace {
            file: self.file.to_string(),
            line: position.line,
            column: position.column,
            offset: before.len(),
            excerpt: (before + &after).trim_end().to_string(),
        }
    }
}

/// How often something was met, and where first.
#[derive(Default)]
pub(crate) struct Tally {
    pub count: usize,
    first: Position,
}

impl Tally {
    pub fn add(&mut self, position: Position) {
        if self.count == 0 {
            self.first = position;
        }
        self.count += 1;
    }

    /// Warns that so many are `what`, if any; "3 latches start at any value", say.
    pub fn warn(&self, problems: &mut Problems, what: &str) {
        if self.count > 0 {
            let text = format!("{} {what}; the first is here", self.count);
            problems.warning(self.first, Diagnostic::new(text));
        }
    }
}
