//! Ports, nets and variables as they are declared.

use rustc_hash::FxHashSet;

use super::formula::ARRAYS;
use super::number::{self, Digit, MOST_BITS};
use super::syntax::{Parsed, Reported};
use super::{Reader, Signal};
use crate::diagnostic::Diagnostic;
use crate::format::source::{Cones, Direction, Net, Port, Position};

/// What a declaration says of all its names.
#[derive(Clone, Copy, Default)]
pub(super) struct Kind {
    direction: Option<Direction>,
    variable: bool,
    signed: bool,
    range: Option<(i64, i64)>,
    /// The value that every bit has: `supply0` and `supply1`.
    supply: Option<bool>,
}

/// What to do with a port that goes both ways.
pub(super) const SPLIT: &str = "split it into an input and an output";

/// Whether a word begins a declaration that is read.
pub(super) fn declares(word: &str) -> bool {
    direction(word).is_some() || net_type(word).is_some()
}

fn direction(word: &str) -> Option<Direction> {
    match word {
        "input" => Some(Direction::Input),
        "output" => Some(Direction::Output),
        _ => None,
    }
}

/// Whether the words of a type mean a variable, and the value of a supply.
fn net_type(word: &str) -> Option<(bool, Option<bool>)> {
    match word {
        "wire" | "tri" | "uwire" => Some((false, None)),
        "reg" | "logic" | "bit" | "var" => Some((true, None)),
        "supply0" => Some((false, Some(false))),
        "supply1" => Some((false, Some(true))),
        _ => None,
    }
}

impl<'a> Reader<'a, '_, '_> {
    /// The names of the ports, `(a, b)`, or their declarations, `(input a, output [3:0] b)`.
    pub fn port_list(&mut self) -> Parsed<()> {
        if !self.eats("(") || self.eats(")") {
            return Ok(());
        }
        let mut kind = None;
        loop {
            if self.is(".") {
                let hint = "the ports are names of nets";
                return Err(self.refuse(self.position, "a port that is an expression", hint));
            }
            if self.word().is_some_and(|word| declares(word) || word == "inout") {
                kind = Some(self.kind()?);
            }
            match kind {
                Some(kind) => {
                    let position = self.position;
                    let name = self.name()?;
                    self.body.ports.push((name, position));
                    self.declared(name, position, kind)?;
                }
                None => {
                    let position = self.position;
                    let name = self.name()?;
                    self.body.ports.push((name, position));
                }
            }
            if !self.eats(",") {
                return self.expect(")");
            }
        }
    }

    /// `output reg [3:0] a, b;` and all shorter forms.
    pub fn declaration(&mut self) -> Parsed<()> {
        let kind = self.kind()?;
        loop {
            let position = self.position;
            let name = self.name()?;
            self.declared(name, position, kind)?;
            if !self.eats(",") {
                return self.expect(";");
            }
        }
    }

    /// The words before the names of a declaration.
    fn kind(&mut self) -> Parsed<Kind> {
        let mut kind = Kind::default();
        if self.is_word("inout") {
            self.refuse_word("inout", "a port that goes both ways", SPLIT);
            kind.direction = Some(Direction::Input);
            self.advance();
        } else if let Some(direction) = self.word().and_then(direction) {
            kind.direction = Some(direction);
            self.advance();
        }
        while let Some((variable, supply)) = self.word().and_then(net_type) {
            kind.variable |= variable;
            kind.supply = kind.supply.or(supply);
            self.advance();
        }
        if self.is("(") {
            return Err(self.refuse(self.position, "a strength", "leave it out"));
        }
        kind.signed = self.eats_word("signed");
        if self.is("[") {
            kind.range = Some(self.range()?);
            if self.is("[") {
                return Err(self.refuse(self.position, "an array, which is a memory,", ARRAYS));
            }
        }
        self.refuse_delay()?;
        Ok(kind)
    }

    /// `[7:0]`.
    pub fn range(&mut self) -> Parsed<(i64, i64)> {
        let position = self.position;
        self.expect("[")?;
        let left = self.index()?;
        self.expect(":")?;
        let right = self.index()?;
        self.expect("]")?;
        if left.abs_diff(right) >= MOST_BITS {
            let text = format!("a vector of more than {MOST_BITS} bits is not read");
            return Err(self.error(position, text));
        }
        Ok((left, right))
    }

    /// One name of a declaration, and its value if it has one.
    fn declared(&mut self, name: &'a [u8], position: Position, kind: Kind) -> Parsed<()> {
        let initial = self.initial_attribute(position)?;
        let signal = self.declare(name, position, kind)?;
        if self.is("[") {
            return Err(self.refuse(self.position, "an array, which is a memory,", ARRAYS));
        }
        if let Some(digits) = initial {
            self.set_initial(signal, &digits);
        }
        if let Some(value) = kind.supply {
            for net in signal.nets() {
                self.body.module.alias(net, Net::constant(value), position);
            }
        }
        let place = self.position;
        if !self.eats("=") {
            return Ok(());
        }
        let formula = self.formula()?;
        if signal.variable {
            return self.set_initial_value(formula, signal.nets().collect(), place);
        }
        let bits = self.lower(formula, Some(signal.width))?;
        let mut cones = Cones { module: &mut self.body.module, position: place };
        std::iter::zip(signal.nets(), &bits).for_each(|(net, bit)| cones.drive(net, bit));
        Ok(())
    }

    /// What the attribute `init` says, which Yosys gives to the outputs of registers.
    fn initial_attribute(&mut self, position: Position) -> Parsed<Option<Vec<Digit>>> {
        let found = self.attributes.iter().find(|attribute| attribute.name == b"init");
        match found.and_then(|attribute| attribute.value) {
            Some(text) => {
                let number = number::parse(text).map_err(|text| self.error(position, text))?;
                Ok(Some(number.digits))
            }
            None => Ok(None),
        }
    }

    fn set_initial(&mut self, signal: Signal, digits: &[Digit]) {
        for (net, digit) in std::iter::zip(signal.nets(), digits) {
            if *digit != Digit::Unknown {
                self.body.initial.insert(net, *digit == Digit::One);
            }
        }
    }

    /// A signal under this name: a new one, or one that was declared in part.
    fn declare(&mut self, name: &'a [u8], position: Position, kind: Kind) -> Parsed<Signal> {
        let Some(&before) = self.body.signals.get(name) else {
            let signal = self.new_signal(name, position, kind)?;
            self.body.signals.insert(name, signal);
            return Ok(signal);
        };
        let again = match (before.direction, kind.direction) {
            (Some(_), Some(_)) => true,
            (Some(_), None) => before.variable,
            (None, Some(_)) => false,
            (None, None) => !before.implicit,
        };
        let same = match kind.range {
            Some((left, right)) => before.vector && (before.left, before.right) == (left, right),
            None => !before.vector,
        };
        let text = String::from_utf8_lossy(name);
        let line = before.position.line;
        if again || !same {
            let hint = if before.implicit { "it is used" } else { "it is declared" };
            let problem = if again { "is declared twice" } else { "has another width before" };
            let text = Diagnostic::new(format!("`{text}` {problem}"));
            self.problems.error(position, text.hint(format!("{hint} on line {line}")));
            return Err(Reported);
        }
        let signal = Signal {
            signed: before.signed || kind.signed,
            variable: before.variable || kind.variable,
            implicit: false,
            direction: before.direction.or(kind.direction),
            ..before
        };
        self.body.signals.insert(name, signal);
        Ok(signal)
    }

    fn new_signal(&mut self, name: &'a [u8], position: Position, kind: Kind) -> Parsed<Signal> {
        let (left, right) = kind.range.unwrap_or((0, 0));
        let width = left.abs_diff(right) as u32 + 1;
        self.nets = self.nets.saturating_sub(width.into());
        if self.nets == 0 {
            let text = "the file declares too many bits for its length";
            return Err(self.error(position, text));
        }
        let text = String::from_utf8_lossy(name);
        let first = match kind.range {
            None => self.body.module.named(&text, position),
            Some(_) => {
                let step = if left >= right { 1 } else { -1 };
                let bit = |at: u32| u32::try_from(right + step * i64::from(at)).unwrap_or(at);
                self.body.module.vector(&text, (0..width).map(bit), position)
            }
        };
        Ok(Signal {
            first,
            width,
            left,
            right,
            vector: kind.range.is_some(),
            signed: kind.signed,
            variable: kind.variable,
            implicit: false,
            direction: kind.direction,
            position,
        })
    }

    /// The signal of a name; a net of one bit if there is none yet.
    pub fn signal(&mut self, name: &'a [u8], position: Position) -> Signal {
        if let Some(&signal) = self.body.signals.get(name) {
            return signal;
        }
        let first = self.body.module.named(&String::from_utf8_lossy(name), position);
        let signal = Signal {
            first,
            width: 1,
            left: 0,
            right: 0,
            vector: false,
            signed: false,
            variable: false,
            implicit: true,
            direction: None,
            position,
        };
        self.body.signals.insert(name, signal);
        signal
    }

    /// Makes the ports of the module of the names in its list.
    pub fn finish_ports(&mut self) {
        let mut listed = FxHashSet::default();
        for (name, position) in std::mem::take(&mut self.body.ports) {
            let text = String::from_utf8_lossy(name);
            if !listed.insert(name) {
                self.error(position, format!("the port `{text}` is twice in the list"));
                continue;
            }
            let signal = self.body.signals.get_mut(name);
            let signal = signal.and_then(|signal| Some((*signal, signal.direction.take()?)));
            let Some((signal, direction)) = signal else {
                let text = format!("the port `{text}` is declared neither as input nor as output");
                self.error(position, text);
                continue;
            };
            self.body.module.port(Port {
                name: text.into_owned(),
                direction,
                bits: signal.nets().collect(),
                vector: signal.vector,
                position,
            });
        }
        let left = self.body.signals.iter().filter(|(_, signal)| signal.direction.is_some());
        let mut left: Vec<_> = left.map(|(name, signal)| (signal.position, *name)).collect();
        left.sort_unstable();
        for (position, name) in left {
            let text = String::from_utf8_lossy(name);
            self.error(position, format!("the port `{text}` is not in the list of ports"));
        }
    }
}

impl Signal {
    /// Its bits, lowest first.
    pub fn nets(&self) -> impl Iterator<Item = Net> + use<> {
        (self.first.0..self.first.0 + self.width).map(Net)
    }
}
