//! What `always` and `initial` blocks store.
//!
//! A clocked block is walked with the condition under which each statement is reached; an
//! assignment under a condition chooses between the new value and what was to be stored before.

use rustc_hash::FxHashMap;

use super::Reader;
use super::formula::{Formula, Node, Operator, SYNTHESISE};
use super::lexer::Token;
use super::lower::Bits;
use super::number::Digit;
use super::syntax::{Parsed, Reported};
use crate::format::source::{Cone, Cones, Net, Position, Register};
use crate::lut::Lut;

/// A statement that holds others.
enum Open {
    Block,
    /// An `if`: the condition of its `else` branch, and the one around it.
    If {
        otherwise: Cone,
        around: Cone,
    },
    Else {
        around: Cone,
    },
}

/// A clocked block while it is read.
struct Clocked {
    /// What each bit stores, in the order in which they come first.
    next: Vec<(Net, Cone, Position)>,
    places: FxHashMap<Net, usize>,
    /// When the statement at hand is reached.
    condition: Cone,
    open: Vec<Open>,
}

impl Reader<'_, '_, '_> {
    /// `always @(posedge clock) ...`; the word itself has been read.
    pub fn always(&mut self, position: Position) -> Parsed<()> {
        let Some((clock, edge)) = self.event(position)? else {
            self.skip_statement();
            return Ok(());
        };
        self.edges[edge].get_or_insert(position);
        let clocked = self.clocked();
        let mut clock_net = Cones { module: &mut self.body.module, position };
        let clock = clock_net.net(&clock);
        for (output, next, position) in clocked.next {
            let next = Cones { module: &mut self.body.module, position }.net(&next);
            let register = Register { next, output, initial: false, clock: Some(clock), position };
            self.body.registers.push(register);
        }
        Ok(())
    }

    /// The clock and its edge, 0 for the rising one; `None` if it is refused.
    fn event(&mut self, always: Position) -> Parsed<Option<(Cone, usize)>> {
        const HINT: &str = "a block stores at one edge: `always @(posedge clk)`; write other logic \
                            as `assign`, or synthesise it";
        let is_list = self.eats("@") && self.eats("(");
        let edge = match self.word() {
            Some("posedge") if is_list => 0,
            Some("negedge") if is_list => 1,
            _ => {
                let what = "`always` without the edge of a clock";
                self.refuse(always, what, HINT);
                return Ok(None);
            }
        };
        self.advance();
        let position = self.position;
        let formula = self.formula()?;
        let bits = self.lower(formula, None)?;
        if self.is_word("or") || self.is(",") {
            let what = "`always` with several events, such as an asynchronous reset,";
            self.refuse(always, what, HINT);
            return Ok(None);
        }
        self.expect(")")?;
        let [clock] = &bits[..] else {
            return Err(self.error(position, "a clock is one bit"));
        };
        Ok(Some((clock.clone(), edge)))
    }

    /// The statements of a clocked block.
    fn clocked(&mut self) -> Clocked {
        let mut clocked = Clocked {
            next: Vec::new(),
            places: FxHashMap::default(),
            condition: Cone::constant(true),
            open: Vec::new(),
        };
        loop {
            if self.token == Token::End || self.is_word("endmodule") {
                self.expected("a statement");
                return clocked;
            }
            match self.statement(&mut clocked) {
                Ok(true) => continue,
                Ok(false) => (),
                Err(Reported) => self.skip_to_semicolon(),
            }
            if self.close(&mut clocked) {
                return clocked;
            }
        }
    }

    /// Reads a statement, or the beginning of one that holds others: then true.
    fn statement(&mut self, clocked: &mut Clocked) -> Parsed<bool> {
        let position = self.position;
        if self.eats(";") {
            return Ok(false);
        }
        if self.is_word("end") && matches!(clocked.open.last(), Some(Open::Block)) {
            self.advance();
            clocked.open.pop();
            return Ok(false);
        }
        if self.eats_word("begin") {
            if self.eats(":") {
                self.name()?;
            }
            clocked.open.push(Open::Block);
            return Ok(true);
        }
        if self.eats_word("if") {
            self.expect("(")?;
            let formula = self.formula()?;
            let condition = self.condition(formula, position)?;
            self.expect(")")?;
            let mut cones = Cones { module: &mut self.body.module, position };
            let around = clocked.condition.clone();
            let otherwise = narrow(&mut cones, Lut::AND_NOT, &around, &condition);
            clocked.condition = narrow(&mut cones, Lut::AND, &around, &condition);
            clocked.open.push(Open::If { otherwise, around });
            return Ok(true);
        }
        if let Some((what, hint)) = self.word().and_then(refused_statement) {
            let word = self.word().expect("it is one");
            self.refuse_word(word, what, hint);
            self.skip_statement();
            return Ok(false);
        }
        // What is left of an `if` with an error.
        if self.problems.has_errors() && self.eats_word("else") {
            return Ok(true);
        }
        let targets = self.targets("<=")?;
        if self.is("=") {
            let what = "a blocking assignment in a clocked block";
            return Err(self.refuse(self.position, what, "store with `<=`"));
        }
        self.expect("<=")?;
        self.refuse_delay()?;
        let formula = self.formula()?;
        let bits = self.lower(formula, Some(targets.len() as u32))?;
        self.expect(";")?;
        self.store(clocked, &targets, bits, position);
        Ok(false)
    }

    fn store(&mut self, clocked: &mut Clocked, targets: &[Net], bits: Bits, position: Position) {
        for (&net, value) in std::iter::zip(targets, bits) {
            let place = *clocked.places.entry(net).or_insert_with(|| {
                clocked.next.push((net, Cone::net(net), position));
                clocked.next.len() - 1
            });
            let next = &mut clocked.next[place].1;
            let mut cones = Cones { module: &mut self.body.module, position };
            *next = match clocked.condition.as_net().and_then(Net::as_constant) {
                Some(true) => value,
                _ => cones.apply(Lut::MUX, &[&clocked.condition, next, &value]),
            };
        }
    }

    /// Ends the statements that end with the one just read; true if none is left open.
    fn close(&mut self, clocked: &mut Clocked) -> bool {
        while let Some(open) = clocked.open.pop() {
            match open {
                Open::Block => {
                    clocked.open.push(Open::Block);
                    return false;
                }
                Open::If { otherwise, around } if self.eats_word("else") => {
                    clocked.condition = otherwise;
                    clocked.open.push(Open::Else { around });
                    return false;
                }
                Open::If { around, .. } | Open::Else { around } => clocked.condition = around,
            }
        }
        true
    }

    fn skip_to_semicolon(&mut self) {
        while !matches!(self.token, Token::End | Token::Name(b"end" | b"endmodule")) {
            if self.eats(";") {
                return;
            }
            self.advance();
        }
    }

    /// `initial q = 1'b0;`, or a block of such statements; the word itself has been read.
    pub fn initial(&mut self) -> Parsed<()> {
        let mut depth = 0usize;
        loop {
            let position = self.position;
            if self.eats_word("begin") {
                depth += 1;
                if self.eats(":") {
                    self.name()?;
                }
                continue;
            }
            if depth > 0 && self.eats_word("end") {
                depth -= 1;
            } else if !self.eats(";") {
                let refused = match self.token {
                    Token::System(_) => Some((self.token.describe(), "leave it out")),
                    _ => self
                        .word()
                        .and_then(refused_statement)
                        .map(|(what, hint)| (what.to_string(), hint)),
                };
                if let Some((what, hint)) = refused {
                    self.refuse(position, &what, hint);
                    self.skip_statement();
                } else if self.initial_statement().is_err() {
                    self.skip_to_semicolon();
                }
            }
            if depth == 0 || self.token == Token::End || self.is_word("endmodule") {
                return Ok(());
            }
        }
    }

    fn initial_statement(&mut self) -> Parsed<()> {
        let targets = self.targets("<=")?;
        let position = self.position;
        if !self.eats("=") {
            self.expect("<=")?;
        }
        let formula = self.formula()?;
        self.set_initial_value(formula, targets, position)?;
        self.expect(";")
    }

    /// Gives bits the value of a constant; those of unknown digits stay as they are.
    pub fn set_initial_value(
        &mut self,
        formula: Formula,
        targets: Vec<Net>,
        position: Position,
    ) -> Parsed<()> {
        if let [Node { operator: Operator::Constant { signed: false, .. }, .. }] = formula.nodes[..]
            && formula.digits.contains(&Digit::Unknown)
        {
            let filler = std::iter::repeat(&Digit::Unknown);
            let digits = formula.digits.iter().chain(filler);
            for (net, &digit) in std::iter::zip(targets, digits) {
                if digit != Digit::Unknown {
                    self.body.initial.insert(net, digit == Digit::One);
                }
            }
            return Ok(());
        }
        let bits = self.lower(formula, Some(targets.len() as u32))?;
        for (net, bit) in std::iter::zip(targets, &bits) {
            let Some(value) = bit.as_net().and_then(Net::as_constant) else {
                let what = "an initial value that is no constant";
                return Err(self.refuse(position, what, "a register starts at a number"));
            };
            self.body.initial.insert(net, value);
        }
        Ok(())
    }

    /// The nets that an expression names, which is to be assigned to.
    pub fn targets(&mut self, stop: &str) -> Parsed<Vec<Net>> {
        let position = self.position;
        let formula = self.formula_until(stop)?;
        let names = |operator| matches!(operator, Operator::Nets { .. } | Operator::Concatenate);
        if !formula.nodes.iter().all(|node| names(node.operator)) {
            let text = "a value is given to names, parts of them and concatenations of those";
            return Err(self.error(position, text));
        }
        let bits = self.lower(formula, None)?;
        let nets: Vec<Net> = bits.iter().filter_map(Cone::as_net).collect();
        Ok(nets)
    }
}

/// Both, as one net if it would read more than a few.
fn narrow(cones: &mut Cones, lut: Lut, around: &Cone, condition: &Cone) -> Cone {
    const MOST: usize = 3;
    let both = cones.apply(lut, &[around, condition]);
    if both.width() > MOST { Cone::net(cones.net(&both)) } else { both }
}

/// What begins with a word inside a block, and is not read.
fn refused_statement(word: &str) -> Option<(&'static str, &'static str)> {
    Some(match word {
        "case" | "casex" | "casez" => ("", "write it with `if`, or synthesise it"),
        "for" | "while" | "repeat" | "forever" => ("a loop", SYNTHESISE),
        "assign" | "deassign" | "force" | "release" => ("on a variable", SYNTHESISE),
        "wait" | "fork" | "disable" => ("", "leave it out"),
        _ => return None,
    })
}
