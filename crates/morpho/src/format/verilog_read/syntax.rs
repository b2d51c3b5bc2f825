//! Words in a row: what is expected, and what is passed over after an error.

use super::Reader;
use super::lexer::Token;
use crate::diagnostic::Diagnostic;
use crate::format::keywords::is_verilog_keyword;
use crate::format::source::Position;

/// An error has been reported; what it stands in is passed over.
pub(super) struct Reported;

pub(super) type Parsed<T> = Result<T, Reported>;

impl<'a> Reader<'a, '_, '_> {
    pub fn advance(&mut self) {
        (self.token, self.position) = self.lexer.next(self.problems);
    }

    pub fn is(&self, symbol: &str) -> bool {
        matches!(self.token, Token::Symbol(found) if found == symbol)
    }

    pub fn eats(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        if found {
            self.advance();
        }
        found
    }

    pub fn expect(&mut self, symbol: &str) -> Parsed<()> {
        match self.eats(symbol) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{symbol}`"))),
        }
    }

    pub fn is_word(&self, word: &str) -> bool {
        matches!(self.token, Token::Name(found) if found == word.as_bytes())
    }

    pub fn eats_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    /// The keyword or plain identifier that stands here.
    pub fn word(&self) -> Option<&'a str> {
        match self.token {
            Token::Name(text) => std::str::from_utf8(text).ok(),
            _ => None,
        }
    }

    /// An identifier.
    pub fn name(&mut self) -> Parsed<&'a [u8]> {
        match self.token {
            Token::Name(_) if self.word().is_some_and(is_verilog_keyword) => {
                Err(self.expected("a name"))
            }
            Token::Name(text) | Token::Escaped(text) => {
                self.advance();
                Ok(text)
            }
            _ => Err(self.expected("a name")),
        }
    }

    pub fn expected(&mut self, what: &str) -> Reported {
        let text = format!("{what} expected, but {} is there", self.token.describe());
        self.error(self.position, text)
    }

    pub fn error(&mut self, position: Position, text: impl Into<String>) -> Reported {
        self.problems.error(position, Diagnostic::new(text));
        Reported
    }

    /// Says that `what` is not read.
    pub fn refuse(&mut self, position: Position, what: &str, hint: &str) -> Reported {
        let text = format!("{what} is not read");
        self.problems.error(position, Diagnostic::new(text).hint(hint));
        Reported
    }

    /// Says that the item which begins with `word`, and is what `what` says, is not read.
    pub fn refuse_word(&mut self, word: &str, what: &str, hint: &str) -> Reported {
        let comma = if what.is_empty() { "" } else { ", " };
        self.refuse(self.position, format!("`{word}`{comma}{what}{comma}").trim_end(), hint)
    }

    fn at_end_of_module(&self) -> bool {
        self.token == Token::End || self.is_word("endmodule") || self.is_word("module")
    }

    /// Goes behind the next semicolon of the module.
    pub fn skip_item(&mut self) {
        while !self.at_end_of_module() {
            if self.eats(";") {
                return;
            }
            self.advance();
        }
    }

    /// Goes behind the next `word` of the module.
    pub fn skip_past_word(&mut self, word: &str) {
        while !self.at_end_of_module() {
            if self.eats_word(word) {
                return;
            }
            self.advance();
        }
    }

    /// Goes behind the bracket that closes the one here.
    pub fn skip_brackets(&mut self) {
        let mut depth = 0usize;
        while !self.at_end_of_module() {
            match self.token {
                Token::Symbol("(" | "[" | "{" | "'{") => depth += 1,
                Token::Symbol(")" | "]" | "}") => depth = depth.saturating_sub(1),
                _ => (),
            }
            self.advance();
            if depth == 0 {
                return;
            }
        }
    }

    /// Goes behind a statement, with its blocks and branches.
    pub fn skip_statement(&mut self) {
        let mut depth = 0usize;
        while !self.at_end_of_module() {
            let ended = match self.token {
                Token::Symbol("(" | "[" | "{" | "'{") => {
                    self.skip_brackets();
                    continue;
                }
                Token::Symbol(";") => true,
                Token::Name(b"begin" | b"fork" | b"case" | b"casex" | b"casez") => {
                    depth += 1;
                    false
                }
                Token::Name(b"end" | b"join" | b"endcase") => {
                    depth = depth.saturating_sub(1);
                    true
                }
                _ => false,
            };
            self.advance();
            if ended && depth == 0 && !self.is_word("else") {
                return;
            }
        }
    }
}
