//! Reads AIGER, binary and text.
//!
//! * A port or register without a symbol is `i0`, `l0` or `o0`, with its number.
//! * Bad states of AIGER 1.9 are outputs, `b0` and so on, after the others: ABC writes the outputs of
//!   a circuit with latches as such.
//! * A latch that starts at any value starts at 0, with a warning.
//! * Constraints, justice and fairness are no part of the circuit and are passed over with a
//!   warning.
//! * A gate is a conjunction of literals; one more complements a literal where an output or latch
//!   takes its complement.
//! * The circuit has the name in a line `circuit NAME` of the comment, or before a zero byte there,
//!   as ABC writes it, or else that of the file.

mod cursor;

use cursor::{Cursor, Line};

use super::source::{Design, Direction, Module, Net, Port, Position, Problems, Register, Tally};
use crate::diagnostic::Diagnostic;
use crate::lut::Lut;

/// The most inputs of a binary file, which has no byte for them: so many beyond what its length lets
/// expect, and so many for each byte.
const MOST_INPUTS: u64 = 1 << 22;
const INPUTS_A_BYTE: u64 = 64;

/// Why reading ended early: it is reported already.
struct Stopped;

/// Reads the circuit of a file.
pub(super) fn parse(bytes: &[u8], file: &str, problems: &mut Problems) -> Design {
    let mut design = Design::default();
    let mut parser = Parser { cursor: Cursor::new(bytes), problems };
    if let Ok(file_parts) = parser.file() {
        let module = Builder::new(file_parts, file).module(parser.problems);
        design.top = Some(module.name.clone());
        design.modules.push(module);
    }
    design
}

/// Numbers of variables and sections.
#[derive(Clone, Copy)]
struct Header {
    binary: bool,
    variables: u64,
    inputs: u64,
    latches: u64,
    outputs: u64,
    gates: u64,
    bad: u64,
    /// Constraints, justice and fairness.
    checks: [u64; 3],
}

/// A literal and where it stands.
#[derive(Clone, Copy)]
struct Literal {
    number: u64,
    position: Position,
}

impl Literal {
    fn variable(self) -> usize {
        (self.number / 2) as usize
    }
}

struct Latch {
    output: Literal,
    next: Literal,
    /// None if it starts at any value.
    initial: Option<bool>,
}

struct Symbol {
    name: String,
    position: Position,
}

/// The symbols of inputs, latches, outputs and bad states.
type Symbols = [Vec<Option<Symbol>>; 4];

/// A file as it stands.
struct Parts {
    variables: u64,
    inputs: Vec<Literal>,
    latches: Vec<Latch>,
    /// Outputs, and bad states.
    outputs: [Vec<Literal>; 2],
    gates: Vec<[Literal; 3]>,
    symbols: Symbols,
    name: Option<String>,
}

struct Parser<'a, 'p, 't> {
    cursor: Cursor<'a>,
    problems: &'p mut Problems<'t>,
}

impl<'a> Parser<'a, '_, '_> {
    fn stop<T>(&mut self, position: Position, text: impl Into<String>) -> Result<T, Stopped> {
        self.problems.error(position, Diagnostic::new(text));
        Err(Stopped)
    }

    fn file(&mut self) -> Result<Parts, Stopped> {
        let header = self.header()?;
        let Header { binary, inputs, latches, outputs, gates, .. } = header;
        let start = self.cursor.position();
        let at = |number: u64| Literal { number: 2 * number, position: start };
        let inputs = match binary {
            true => (1..=inputs).map(at).collect(),
            false => self.each(inputs, |parser, _| parser.defined(&header, "an input"))?,
        };
        let first = inputs.len() as u64 + 1;
        let latches = self.each(latches, |parser, at| parser.latch(&header, first + at))?;
        let outputs = self.each(outputs, |parser, _| parser.literal_line(&header, "an output"))?;
        let bad = self.each(header.bad, |parser, _| parser.literal_line(&header, "a bad state"))?;
        self.checks(&header)?;
        let first = first + latches.len() as u64;
        let gates = match binary {
            true => self.each(gates, |parser, at| parser.binary_gate(first + at))?,
            false => self.each(gates, |parser, _| parser.gate(&header))?,
        };
        let counts = [inputs.len(), latches.len(), outputs.len(), bad.len()];
        let (symbols, name) = self.symbols(counts)?;
        let outputs = [outputs, bad];
        Ok(Parts { variables: header.variables, inputs, latches, outputs, gates, symbols, name })
    }

    /// So many items, which the file must hold: memory is taken as they come.
    fn each<T>(
        &mut self,
        count: u64,
        mut item: impl FnMut(&mut Self, u64) -> Result<T, Stopped>,
    ) -> Result<Vec<T>, Stopped> {
        (0..count).map(|at| item(self, at)).collect()
    }

    /// `aig M I L O A`, or `aag`, and up to four numbers of checks.
    fn header(&mut self) -> Result<Header, Stopped> {
        let Some(line) = self.cursor.line() else {
            return self.stop(Position::default(), "the file is empty");
        };
        let position = line.position();
        let binary = match line.words().next() {
            Some((b"aig", _)) => true,
            Some((b"aag", _)) => false,
            _ => return self.stop(position, "an AIGER file begins with `aig` or `aag`"),
        };
        let numbers = self.numbers(&line, 1)?;
        if !(5..=9).contains(&numbers.len()) {
            let text = "the header is `aig M I L O A`: the greatest variable, and how many inputs, \
                        latches, outputs and gates there are";
            return self.stop(position, text);
        }
        let number = |at: usize| numbers.get(at).map_or(0, |literal| literal.number);
        let header = Header {
            binary,
            variables: number(0),
            inputs: number(1),
            latches: number(2),
            outputs: number(3),
            gates: number(4),
            bad: number(5),
            checks: [number(6), number(7), number(8)],
        };
        self.check(&header, position)?;
        Ok(header)
    }

    /// Whether the numbers of the header fit each other and the length of the file.
    fn check(&mut self, header: &Header, position: Position) -> Result<(), Stopped> {
        let Header { binary, variables, inputs, latches, gates, .. } = *header;
        let defined = inputs.saturating_add(latches).saturating_add(gates);
        if defined > variables || binary && defined < variables {
            let (word, than) =
                if defined > variables { ("more", "than") } else { ("fewer", "than") };
            let text = format!(
                "{inputs} inputs, {latches} latches and {gates} gates are {word} {than} the \
                 {variables} variables of the header"
            );
            return self.stop(position, text);
        }
        // A latch, an output, a gate or an input in text takes two bytes or more.
        let room = self.cursor.length() / 2;
        let with_bytes = match binary {
            true => latches.saturating_add(gates),
            false => defined,
        };
        let outputs = header.outputs.saturating_add(header.bad);
        let checks = header.checks.iter().fold(outputs, |sum, &n| sum.saturating_add(n));
        if with_bytes.saturating_add(checks) > room {
            return self.stop(position, "the header announces more than the file can hold");
        }
        let most = match binary {
            true => room + MOST_INPUTS.min(INPUTS_A_BYTE * self.cursor.length()),
            false => 16 * room + 64,
        };
        if variables > most {
            let text = format!("{variables} variables are more than are read in a file this long");
            return self.stop(position, text);
        }
        Ok(())
    }

    /// The numbers of a line from its word `skip` on.
    fn numbers(&mut self, line: &Line<'a>, skip: usize) -> Result<Vec<Literal>, Stopped> {
        let number = |(word, position): (&[u8], Position)| {
            let text = std::str::from_utf8(word).ok().filter(|_| word[0].is_ascii_digit());
            match text.and_then(|text| text.parse().ok()) {
                Some(number) => Ok(Literal { number, position }),
                None => {
                    self.stop(position, format!("`{}` is no number", String::from_utf8_lossy(word)))
                }
            }
        };
        line.words().skip(skip).map(number).collect()
    }

    /// A line of numbers, which must be there.
    fn line(&mut self, what: &str) -> Result<(Vec<Literal>, Position), Stopped> {
        match self.cursor.line() {
            Some(line) => Ok((self.numbers(&line, 0)?, line.position())),
            None => {
                let position = self.cursor.position();
                self.stop(position, format!("the file ends where {what} should be"))
            }
        }
    }

    fn in_range(&mut self, header: &Header, literal: Literal) -> Result<Literal, Stopped> {
        if literal.number / 2 > header.variables {
            let (number, variables) = (literal.number, header.variables);
            let text = format!("the literal {number} is beyond the {variables} variables");
            return self.stop(literal.position, text);
        }
        Ok(literal)
    }

    /// A line of one literal.
    fn literal_line(&mut self, header: &Header, what: &str) -> Result<Literal, Stopped> {
        let (numbers, position) = self.line(what)?;
        match numbers[..] {
            [literal] => self.in_range(header, literal),
            _ => self.stop(position, format!("{what} is one number")),
        }
    }

    /// A line of one literal that is a variable of its own.
    fn defined(&mut self, header: &Header, what: &str) -> Result<Literal, Stopped> {
        let literal = self.literal_line(header, what)?;
        self.positive(literal)
    }

    fn positive(&mut self, literal: Literal) -> Result<Literal, Stopped> {
        if literal.number < 2 || literal.number % 2 == 1 {
            let text = format!("{} is no variable: those are even and above 1", literal.number);
            return self.stop(literal.position, text);
        }
        Ok(literal)
    }

    /// `next [initial]`, in text `latch next [initial]`.
    fn latch(&mut self, header: &Header, variable: u64) -> Result<Latch, Stopped> {
        let (numbers, position) = self.line("a latch")?;
        let (output, rest) = match (header.binary, &numbers[..]) {
            (true, rest) => (Literal { number: 2 * variable, position }, rest),
            (false, [output, rest @ ..]) => (self.in_range(header, *output)?, rest),
            (false, []) => return self.stop(position, "a latch is two numbers or three"),
        };
        let output = self.positive(output)?;
        let (next, initial) = match *rest {
            [next] => (next, Some(false)),
            [next, Literal { number: 0, .. }] => (next, Some(false)),
            [next, Literal { number: 1, .. }] => (next, Some(true)),
            [next, initial] if initial.number == output.number => (next, None),
            [_, initial] => {
                let text = format!("a latch starts at 0, 1 or itself, not at {}", initial.number);
                return self.stop(initial.position, text);
            }
            _ => {
                let count =
                    if header.binary { "one number or two" } else { "two numbers or three" };
                return self.stop(position, format!("a latch is {count}"));
            }
        };
        Ok(Latch { output, next: self.in_range(header, next)?, initial })
    }

    /// Constraints, justice and fairness: passed over.
    fn checks(&mut self, header: &Header) -> Result<(), Stopped> {
        let [constraints, justice, fairness] = header.checks;
        let position = self.cursor.position();
        for _ in 0..constraints {
            self.literal_line(header, "a property")?;
        }
        let mut lines = 0u64;
        for _ in 0..justice {
            let (numbers, position) = self.line("the size of a justice property")?;
            match numbers[..] {
                [size] => lines = lines.saturating_add(size.number),
                _ => return self.stop(position, "the size of a justice property is one number"),
            }
        }
        for _ in 0..lines.saturating_add(fairness) {
            self.literal_line(header, "a property")?;
        }
        if header.checks != [0; 3] {
            let text = "properties to be checked are no part of a circuit and are passed over";
            self.problems.warning(position, Diagnostic::new(text));
        }
        Ok(())
    }

    fn gate(&mut self, header: &Header) -> Result<[Literal; 3], Stopped> {
        let (numbers, position) = self.line("a gate")?;
        match numbers[..] {
            [output, a, b] => {
                let output = self.in_range(header, output)?;
                Ok([self.positive(output)?, self.in_range(header, a)?, self.in_range(header, b)?])
            }
            _ => self.stop(position, "a gate is three numbers"),
        }
    }

    fn binary_gate(&mut self, variable: u64) -> Result<[Literal; 3], Stopped> {
        let output = 2 * variable;
        let position = self.cursor.position();
        let (Some(first), Some(second)) = (self.cursor.delta(), self.cursor.delta()) else {
            return self.stop(position, format!("the file ends within the gate {output}"));
        };
        // Literals of a gate are below its own, the greater one first.
        let high = output.checked_sub(first).filter(|_| first > 0);
        let low = high.and_then(|high| high.checked_sub(second));
        match (high, low) {
            (Some(high), Some(low)) => {
                Ok([output, high, low].map(|number| Literal { number, position }))
            }
            _ => self.stop(position, format!("the gate {output} does not read smaller literals")),
        }
    }

    /// The symbols, and the name in the comment.
    fn symbols(&mut self, counts: [usize; 4]) -> Result<(Symbols, Option<String>), Stopped> {
        let mut symbols = counts.map(|count| {
            let mut empty = Vec::new();
            empty.resize_with(count, || None);
            empty
        });
        while !self.cursor.at_comment() {
            let Some(line) = self.cursor.line() else { return Ok((symbols, None)) };
            let (text, position) = (line.text(), line.position());
            if text.trim_ascii().is_empty() {
                continue;
            }
            let digits = text[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            let number = std::str::from_utf8(&text[1..1 + digits]).ok();
            let number: Option<usize> = number.and_then(|number| number.parse().ok());
            let kind = b"ilobcjf".iter().position(|&kind| kind == text[0]);
            let (Some(kind), Some(number), Some(b' ')) = (kind, number, text.get(1 + digits))
            else {
                return self.stop(position, "a symbol is `i0 NAME`, `l0 NAME` or `o0 NAME`");
            };
            let Some(table) = symbols.get_mut(kind) else { continue };
            let name = String::from_utf8_lossy(&text[2 + digits..]).into_owned();
            match table.get_mut(number) {
                Some(slot @ None) => *slot = Some(Symbol { name, position }),
                Some(Some(_)) => {
                    let text = format!("`{}{number}` has a symbol already", char::from(text[0]));
                    self.problems.error(position, Diagnostic::new(text));
                }
                None => {
                    let text = format!("there is no `{}{number}`", char::from(text[0]));
                    self.problems.error(position, Diagnostic::new(text));
                }
            }
        }
        Ok((symbols, self.cursor.name()))
    }
}

/// Makes a module of the parts of a file.
struct Builder {
    parts: Parts,
    module: Module,
    /// The net of each variable, and of its complement.
    nets: Vec<[Option<Net>; 2]>,
}

impl Builder {
    fn new(mut parts: Parts, file: &str) -> Builder {
        let stem = std::path::Path::new(file).file_stem();
        let stem = stem.map(|stem| stem.to_string_lossy().into_owned()).filter(|s| !s.is_empty());
        let name = parts.name.take().or(stem).unwrap_or_else(|| "unnamed".to_string());
        let module = Module::new(name, Position { line: 1, column: 1 });
        let mut nets = vec![[None; 2]; parts.variables as usize + 1];
        nets[0] = [Some(Net::constant(false)), Some(Net::constant(true))];
        Builder { parts, module, nets }
    }

    fn module(mut self, problems: &mut Problems) -> Module {
        let Parts { inputs, latches, outputs, gates, symbols, .. } = &mut self.parts;
        let (inputs, latches) = (std::mem::take(inputs), std::mem::take(latches));
        let (outputs, gates) = (std::mem::take(outputs), std::mem::take(gates));
        let symbols = std::mem::take(symbols);
        let symbol = |kind: usize, at: usize, literal: Literal| match &symbols[kind][at] {
            Some(Symbol { name, position }) => (name.clone(), *position),
            None => (format!("{}{at}", ["i", "l", "o", "b"][kind]), literal.position),
        };
        for (at, &input) in inputs.iter().enumerate() {
            let (name, position) = symbol(0, at, input);
            let net = self.named(input, &name, position);
            let direction = Direction::Input;
            self.module.port(Port { name, direction, bits: vec![net], vector: false, position });
        }
        for (at, latch) in latches.iter().enumerate() {
            let (name, position) = symbol(1, at, latch.output);
            self.named(latch.output, &name, position);
        }
        for [output, a, b] in gates {
            let output_net = self.net(output.variable(), output.position);
            let mut lut = Lut::AND;
            let nets = [(0, a), (1, b)].map(|(input, literal)| {
                // The literal of a constant has the net of its value.
                let complement = literal.number % 2 == 1;
                match literal.variable() {
                    0 => Net::constant(complement),
                    variable => {
                        if complement {
                            lut = lut.complement_input(input);
                        }
                        self.net(variable, literal.position)
                    }
                }
            });
            self.module.gate(lut, &nets, output_net, output.position);
        }
        let mut free = Tally::default();
        for Latch { output, next, initial } in latches {
            let position = output.position;
            if initial.is_none() {
                free.add(position);
            }
            let (next, output) = (self.literal(next), self.net(output.variable(), position));
            let initial = initial.unwrap_or(false);
            self.module.register(Register { next, output, initial, clock: None, position });
        }
        free.warn(problems, "latches start at any value; they are taken to start at 0");
        let [outputs, bad] = outputs.map(|outputs| outputs.into_iter().enumerate());
        let outputs = outputs.map(|(at, output)| (2, at, output));
        for (kind, at, output) in outputs.chain(bad.map(|(at, output)| (3, at, output))) {
            let (name, position) = symbol(kind, at, output);
            let bits = vec![self.literal(output)];
            let direction = Direction::Output;
            self.module.port(Port { name, direction, bits, vector: false, position });
        }
        self.module
    }

    /// The net of a variable, named unless it is there already.
    fn named(&mut self, literal: Literal, name: &str, position: Position) -> Net {
        let Builder { module, nets, .. } = self;
        *nets[literal.variable()][0].get_or_insert_with(|| module.named(name, position))
    }

    fn net(&mut self, variable: usize, position: Position) -> Net {
        let Builder { module, nets, .. } = self;
        *nets[variable][0].get_or_insert_with(|| module.net(position))
    }

    /// The net of a literal; a gate complements a variable once.
    fn literal(&mut self, literal: Literal) -> Net {
        let Literal { number, position } = literal;
        let net = self.net(literal.variable(), position);
        if number % 2 == 0 {
            return net;
        }
        let Builder { module, nets, .. } = self;
        *nets[literal.variable()][1].get_or_insert_with(|| {
            let complement = module.net(position);
            module.gate(Lut::NOT, &[net], complement, position);
            complement
        })
    }
}
