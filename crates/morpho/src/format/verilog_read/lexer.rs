//! Words of Verilog.

use crate::diagnostic::Diagnostic;
use crate::format::source::{Position, Problems};

/// A word and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// An identifier or keyword.
    Name(&'a [u8]),
    /// An escaped identifier, without its backslash.
    Escaped(&'a [u8]),
    /// The name of a system task or function, `$display`.
    System(&'a [u8]),
    /// A number as it is written.
    Number(&'a [u8]),
    /// A string literal, without its quotes.
    Text(&'a [u8]),
    Symbol(&'static str),
    /// A character that begins nothing.
    Unknown(u8),
    End,
}

impl Token<'_> {
    /// The word for a message.
    pub fn describe(&self) -> String {
        match *self {
            Token::Name(text)
            | Token::Escaped(text)
            | Token::System(text)
            | Token::Number(text) => format!("`{}`", String::from_utf8_lossy(text)),
            Token::Text(_) => "a string".to_string(),
            Token::Symbol(text) => format!("`{text}`"),
            Token::Unknown(byte) => format!("`{}`", byte.escape_ascii()),
            Token::End => "the end of the file".to_string(),
        }
    }
}

/// An attribute of the item that follows, `(* init = 1'h0 *)`.
#[derive(Clone, Copy)]
pub(super) struct Attribute<'a> {
    pub name: &'a [u8],
    /// Its value if it is a number.
    pub value: Option<&'a [u8]>,
}

/// Cuts a text into words. Comments, attributes and compiler directives are passed over.
pub(super) struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    line: u32,
    line_start: usize,
    /// The attributes that matter, since they were last taken.
    pub attributes: Vec<Attribute<'a>>,
}

/// Symbols of more than one character, longer ones first.
const SYMBOLS: [&str; 24] = [
    "<<<", ">>>", "===", "!==", "<=", ">=", "==", "!=", "&&", "||", "~&", "~|", "~^", "^~", "<<",
    ">>", "**", "+:", "-:", "->", "'{", "::", "++", "--",
];

impl<'a> Lexer<'a> {
    pub fn new(text: &'a [u8]) -> Lexer<'a> {
        Lexer { text, at: 0, line: 1, line_start: 0, attributes: Vec::new() }
    }

    pub fn next(&mut self, problems: &mut Problems) -> (Token<'a>, Position) {
        loop {
            self.skip_space();
            let position = self.position();
            let Some(&byte) = self.text.get(self.at) else { return (Token::End, position) };
            match byte {
                b'/' if self.follows(b"//") => _ = self.take(|byte| byte != b'\n'),
                b'/' if self.follows(b"/*") => self.skip_comment(problems),
                b'(' if self.follows(b"(*") && !self.follows(b"(*)") => self.attribute(problems),
                b'`' => {
                    if let Some(token) = self.directive(problems) {
                        return (token, position);
                    }
                }
                _ => return (self.word(byte, problems), position),
            }
        }
    }

    fn position(&self) -> Position {
        Position { line: self.line, column: (self.at - self.line_start + 1) as u32 }
    }

    fn follows(&self, text: &[u8]) -> bool {
        self.text[self.at..].starts_with(text)
    }

    fn skip_space(&mut self) {
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'\n' => self.new_line(),
                byte if byte.is_ascii_whitespace() || matches!(byte, 0 | 11) => self.at += 1,
                _ => break,
            }
        }
    }

    fn new_line(&mut self) {
        self.at += 1;
        self.line += 1;
        self.line_start = self.at;
    }

    /// Goes to `end`, counting lines.
    fn skip_to(&mut self, end: usize) {
        while let Some(length) = self.text[self.at..end].iter().position(|&byte| byte == b'\n') {
            self.at += length;
            self.new_line();
        }
        self.at = end;
    }

    /// Goes to the end of the line, and of those that a backslash adds to it.
    fn skip_line(&mut self) {
        let rest = &self.text[self.at..];
        let ends = |&at: &usize| rest[at] == b'\n' && (at == 0 || rest[at - 1] != b'\\');
        self.skip_to(self.at + (0..rest.len()).find(ends).unwrap_or(rest.len()));
    }

    fn skip_comment(&mut self, problems: &mut Problems) {
        let position = self.position();
        let inside = self.at + 2;
        match self.text[inside..].windows(2).position(|pair| pair == b"*/") {
            Some(length) => self.skip_to(inside + length + 2),
            None => {
                self.skip_to(self.text.len());
                problems.error(position, Diagnostic::new("a comment without an end"));
            }
        }
    }

    /// The characters from here on that are `part` of a word.
    fn take(&mut self, part: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|&byte| !part(byte)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn word(&mut self, first: u8, problems: &mut Problems) -> Token<'a> {
        match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => Token::Name(self.take(is_part_of_name)),
            b'\\' => {
                self.at += 1;
                Token::Escaped(self.take(|byte| !byte.is_ascii_whitespace()))
            }
            b'0'..=b'9' => self.number(),
            b'\'' if self.base_length(self.at) > 0 => self.number(),
            b'$' => Token::System(self.take(is_part_of_name)),
            b'"' => self.string(problems),
            _ => self.symbol(first),
        }
    }

    /// The length of `'b`, `'sh` and such at `at`; 0 if there is none.
    fn base_length(&self, at: usize) -> usize {
        let byte = |offset: usize| self.text.get(at + offset).map_or(0, u8::to_ascii_lowercase);
        let signed = usize::from(byte(1) == b's');
        let has_base = byte(0) == b'\'' && b"bodh".contains(&byte(1 + signed));
        if has_base { 2 + signed } else { 0 }
    }

    /// A number with its size, base and digits, between which there may be spaces.
    fn number(&mut self) -> Token<'a> {
        let start = self.at;
        self.take(|byte| byte.is_ascii_digit() || byte == b'_');
        let spaces = |at: usize| {
            let blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
            self.text[at..].iter().take_while(blank).count()
        };
        let base = self.at + spaces(self.at);
        let length = self.base_length(base);
        if length > 0 {
            let digits = base + length;
            self.at = digits + spaces(digits);
            self.take(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'?'));
        } else if self.text.get(self.at) == Some(&b'.')
            && self.text.get(self.at + 1).is_some_and(u8::is_ascii_digit)
        {
            self.take(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_'));
        }
        Token::Number(&self.text[start..self.at])
    }

    fn string(&mut self, problems: &mut Problems) -> Token<'a> {
        let position = self.position();
        self.at += 1;
        let start = self.at;
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'"' => {
                    self.at += 1;
                    return Token::Text(&self.text[start..self.at - 1]);
                }
                b'\n' => break,
                b'\\' if self.text.get(self.at + 1).is_some_and(|&next| next != b'\n') => {
                    self.at += 2;
                }
                _ => self.at += 1,
            }
        }
        problems.error(position, Diagnostic::new("a string without an end"));
        Token::Text(&self.text[start..self.at])
    }

    fn symbol(&mut self, first: u8) -> Token<'a> {
        const SINGLE: &str = "()[]{};:,.=#@?~&|^!+-*/%<>'";
        if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| self.follows(symbol.as_bytes())) {
            self.at += symbol.len();
            return Token::Symbol(symbol);
        }
        self.at += 1;
        match SINGLE.bytes().position(|byte| byte == first) {
            Some(at) => Token::Symbol(&SINGLE[at..=at]),
            None => Token::Unknown(first),
        }
    }

    /// Passes over `(* ... *)`; keeps what says something about the circuit.
    fn attribute(&mut self, problems: &mut Problems) {
        let position = self.position();
        self.at += 2;
        loop {
            self.skip_space();
            match self.text.get(self.at) {
                _ if self.follows(b"*)") => {
                    self.at += 2;
                    return;
                }
                Some(&byte) => match self.word(byte, problems) {
                    Token::Name(name) | Token::Escaped(name) => {
                        let value = self.attribute_value(problems);
                        if matches!(name, b"init" | b"top" | b"blackbox" | b"whitebox") {
                            self.attributes.push(Attribute { name, value });
                        }
                    }
                    _ => (),
                },
                None => {
                    problems.error(position, Diagnostic::new("an attribute without an end"));
                    return;
                }
            }
        }
    }

    fn attribute_value(&mut self, problems: &mut Problems) -> Option<&'a [u8]> {
        self.skip_space();
        if !self.follows(b"=") {
            return None;
        }
        self.at += 1;
        self.skip_space();
        let &first = self.text.get(self.at)?;
        if self.follows(b"*)") {
            return None;
        }
        match self.word(first, problems) {
            Token::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Passes over a compiler directive. One that changes the text is refused; where it may be
    /// the use of a macro, a number takes its place.
    fn directive(&mut self, problems: &mut Problems) -> Option<Token<'a>> {
        const PASSED_OVER: [&[u8]; 11] = [
            b"timescale",
            b"default_nettype",
            b"celldefine",
            b"endcelldefine",
            b"resetall",
            b"line",
            b"pragma",
            b"begin_keywords",
            b"end_keywords",
            b"unconnected_drive",
            b"nounconnected_drive",
        ];
        const REFUSED: [&[u8]; 8] =
            [b"define", b"undef", b"include", b"ifdef", b"ifndef", b"else", b"elsif", b"endif"];
        let position = self.position();
        self.at += 1;
        let name = self.take(is_part_of_name);
        if PASSED_OVER.contains(&name) {
            self.skip_line();
            return None;
        }
        let text = format!("`` `{} `` is not read", String::from_utf8_lossy(name));
        let hint = "run a preprocessor first: `iverilog -E`, or Yosys";
        problems.error(position, Diagnostic::new(text).hint(hint));
        if !REFUSED.contains(&name) {
            return Some(Token::Number(b"0"));
        }
        self.skip_line();
        None
    }
}

fn is_part_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
}
