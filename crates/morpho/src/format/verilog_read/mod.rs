//! Reads Verilog-2001 as tools write netlists.
//!
//! A module is declarations, continuous assignments of bit-wise expressions, gates, instances, and
//! `always` blocks that store at one edge of the clock. Anything else is refused by its name. What
//! needs care:
//! * Widths and signs go by the rules of the language, so `~a` in a wider context has ones on top.
//! * A constant shifted to the right by a vector is a look-up table, which is how Yosys writes one.
//! * A register without an initial value starts at 0, and digits `x` and `z` are 0, with a warning.
//! * An instance of a module that the file does not define may be a cell of Yosys or of a device,
//!   see [`cells`](super::source::cells).
//! * Nets may be used before they are declared; one that never is has one bit.

mod connect;
mod declare;
mod formula;
mod items;
mod lexer;
mod lower;
mod number;
mod process;
mod syntax;

use rustc_hash::FxHashMap;

use self::connect::Pending;
use self::formula::Formula;
use self::lexer::{Attribute, Lexer, Token};
use self::lower::Shape;
use super::source::{Design, Direction, Module, Net, Position, Problems, Register};
use crate::diagnostic::Diagnostic;

/// Reads the modules of a file.
pub(super) fn parse(bytes: &[u8], problems: &mut Problems) -> Design {
    let mut reader = Reader {
        lexer: Lexer::new(bytes),
        token: Token::End,
        position: Position::default(),
        attributes: Vec::new(),
        problems,
        design: Design::default(),
        finished: Vec::new(),
        body: Body::new(b"", Position::default()),
        spare: Formula::default(),
        shapes: Vec::new(),
        budget: (1 << 26) + 64 * bytes.len() as u64,
        nets: (1 << 22) + 16 * bytes.len() as u64,
        unknown_digits: Tally::default(),
        unknown_registers: Tally::default(),
        edges: [None; 2],
    };
    reader.advance();
    reader.modules();
    reader.connect();
    reader.check_edges();
    reader.warn();
    reader.design
}

/// How often something was met, and where first.
#[derive(Default)]
struct Tally {
    count: usize,
    first: Position,
}

impl Tally {
    fn add(&mut self, position: Position) {
        if self.count == 0 {
            self.first = position;
        }
        self.count += 1;
    }
}

/// A net or variable.
#[derive(Clone, Copy)]
struct Signal {
    /// Its lowest bit; the others follow.
    first: Net,
    width: u32,
    /// The range as it is declared.
    left: i64,
    right: i64,
    vector: bool,
    signed: bool,
    /// Whether it is a variable, which `always` blocks store in.
    variable: bool,
    /// Whether it has only been used so far.
    implicit: bool,
    direction: Option<Direction>,
    position: Position,
}

impl Signal {
    /// The place of a bit, from the lowest on.
    fn offset(&self, index: i64) -> Option<u32> {
        let offset = match self.left >= self.right {
            true => index.checked_sub(self.right)?,
            false => self.right.checked_sub(index)?,
        };
        u32::try_from(offset).ok().filter(|&offset| offset < self.width)
    }
}

/// The module that is being read.
struct Body<'a> {
    module: Module,
    signals: FxHashMap<&'a [u8], Signal>,
    /// The names of the ports, in their order.
    ports: Vec<(&'a [u8], Position)>,
    registers: Vec<Register>,
    /// The initial values of bits.
    initial: FxHashMap<Net, bool>,
    instances: Vec<Pending<'a>>,
}

impl Body<'_> {
    fn new(name: &[u8], position: Position) -> Self {
        Body {
            module: Module::new(String::from_utf8_lossy(name), position),
            signals: FxHashMap::default(),
            ports: Vec::new(),
            registers: Vec::new(),
            initial: FxHashMap::default(),
            instances: Vec::new(),
        }
    }
}

struct Reader<'a, 'p, 't> {
    lexer: Lexer<'a>,
    /// The word that is looked at, and its place.
    token: Token<'a>,
    position: Position,
    /// The attributes of the item that is read.
    attributes: Vec<Attribute<'a>>,
    problems: &'p mut Problems<'t>,
    design: Design,
    /// The modules that have been read, before their instances are connected.
    finished: Vec<Body<'a>>,
    body: Body<'a>,
    /// An expression that is no longer needed, and shapes, to be filled anew.
    spare: Formula,
    shapes: Vec<Shape>,
    /// How many bits of expressions, and how many declared ones, may still come.
    budget: u64,
    nets: u64,
    unknown_digits: Tally,
    unknown_registers: Tally,
    /// Where the first register stands that stores at the rising and at the falling edge.
    edges: [Option<Position>; 2],
}

impl Reader<'_, '_, '_> {
    fn modules(&mut self) {
        loop {
            match self.token {
                Token::End => return,
                Token::Name(b"module" | b"macromodule") => self.module(),
                Token::Symbol(";") => self.advance(),
                _ => {
                    match self.word().and_then(outside) {
                        Some((what, hint)) => _ = self.refuse(self.position, what, hint),
                        None => _ = self.expected("a module"),
                    }
                    while !matches!(self.token, Token::End | Token::Name(b"module")) {
                        self.advance();
                    }
                }
            }
        }
    }

    fn check_edges(&mut self) {
        if let [Some(rising), Some(falling)] = self.edges {
            let (first, other) = (rising.min(falling), rising.max(falling));
            let text = "registers store at both edges of the clock";
            let hint = format!(
                "circuits are read where all store at one edge; the other edge is on line {}",
                first.line
            );
            self.problems.error(other, Diagnostic::new(text).hint(hint));
        }
        if let [None, Some(falling)] = self.edges {
            let text =
                "registers store at the falling edge; they are taken to store at the rising one";
            self.problems.warning(falling, Diagnostic::new(text));
        }
    }

    fn warn(&mut self) {
        let mut warn = |tally: &Tally, what: &str| {
            if tally.count > 0 {
                let text = format!("{} {what}; the first is here", tally.count);
                self.problems.warning(tally.first, Diagnostic::new(text));
            }
        };
        warn(&self.unknown_digits, "numbers have digits x or z, which are taken to be 0");
        let what = "register bits have no initial value and are taken to start at 0";
        warn(&self.unknown_registers, what);
    }
}

/// What begins with a word outside modules, and is not read.
fn outside(word: &str) -> Option<(&'static str, &'static str)> {
    Some(match word {
        "primitive" => ("a primitive with a table", "write it as a module of gates"),
        "package" | "import" => ("a package", formula::SYNTHESISE),
        "interface" => ("an interface", formula::SYNTHESISE),
        "config" | "library" => ("a configuration", "put all modules into one file"),
        "typedef" | "class" | "program" => ("SystemVerilog beyond modules", formula::SYNTHESISE),
        _ => return None,
    })
}
