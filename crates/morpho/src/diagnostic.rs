//! Errors as values: what went wrong, where, and what may help.

use std::fmt;

/// One problem with a circuit or a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong, naming the wire, cell or line.
    pub message: String,
    /// Where: the path of cell instances, outermost first; empty when there is none.
    pub place: String,
    /// What may help, if anything is known.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A problem with no place and no hint yet.
    pub fn new(message: impl Into<String>) -> Diagnostic {
        Diagnostic { message: message.into(), place: String::new(), hint: None }
    }

    /// The same problem with a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = Some(hint.into());
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
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
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
