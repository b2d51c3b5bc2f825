//! Errors as values: what went wrong, where, and what may help.

use std::fmt;

/// One problem with a circuit or a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong, naming the wire, cell or line.
    pub message: String,
    /// Where: the path of cell instances, outermost first; empty when there is none.
    pub place: String,
    /// Where in a file, for a problem with one.
    pub source: Option<Box<SourcePlace>>,
    /// What may help, if anything is known.
    pub hint: Option<String>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePlace {
    /// The name of the file, as it was given.
    pub file: String,
    /// The line, counted from 1; 0 for the file as a whole.
    pub line: u32,
    /// The column in bytes, counted from 1.
    pub column: u32,
    /// The text of the line, cut to a width that can be shown; empty if there is none.
    pub excerpt: String,
    /// The number of bytes of `excerpt` before the place.
    pub offset: usize,
}

impl Diagnostic {
    /// A problem with no place and no hint yet.
    pub fn new(message: impl Into<String>) -> Diagnostic {
        Diagnostic { message: message.into(), place: String::new(), source: None, hint: None }
    }

    /// The same problem with a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = Some(hint.into());
        self
    }

    /// The same problem at a place in a file.
    pub fn in_source(mut self, source: SourcePlace) -> Diagnostic {
        self.source = Some(Box::new(source));
        self
    }

    /// The same problem with a place, unless it has one already.
    pub fn at(mut self, place: impl Into<String>) -> Diagnostic {
        if self.place.is_empty() {
            self.place = place.into();
        }
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if !self.place.is_empty() {
            write!(f, "\n  in {}", self.place)?;
        }
        if let Some(source) = &self.source {
            write!(f, "\n{source}")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SourcePlace { file, line, column, excerpt, offset } = self;
        if *line == 0 {
            return write!(f, "  at {file}");
        }
        write!(f, "  at {file}:{line}:{column}")?;
        if !excerpt.is_empty() {
            // Spaces and tabs stay, so that the mark stands under its place.
            let before = excerpt.chars().scan(0, |end, c| {
                *end += c.len_utf8();
                (*end <= *offset).then_some(if c == '\t' { '\t' } else { ' ' })
            });
            let (gutter, indent) = (line.to_string(), before.collect::<String>());
            write!(f, "\n  {gutter} | {excerpt}\n  {:w$} | {indent}^", "", w = gutter.len())?;
        }
        Ok(())
    }
}

/// All the problems found, at least one; they are gathered, not reported one at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Diagnostics {
        Diagnostics(vec![diagnostic])
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            diagnostic.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}
