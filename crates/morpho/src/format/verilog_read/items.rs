//! Modules and what stands in them.

use rustc_hash::FxHashSet;

use super::declare::SPLIT;
use super::declare::declares;
use super::formula::{ONE_BY_ONE, SYNTHESISE};
use super::lexer::Token;
use super::syntax::Parsed;
use super::{Body, Reader};
use crate::format::source::{Cone, Cones, Net, Position};
use crate::lut::Lut;

/// How to get past something that is not read.
enum Skip {
    Semicolon,
    Statement,
    Word(&'static str),
}

/// What begins with a word inside a module, and is not read.
fn refused(word: &str) -> Option<(&'static str, &'static str, Skip)> {
    use Skip::{Semicolon, Statement, Word};
    const DRIVERS: &str = "each net has one driver that is always on";
    Some(match word {
        "inout" => ("a port that goes both ways", SPLIT, Semicolon),
        "parameter" | "localparam" | "specparam" => ("", SYNTHESISE, Semicolon),
        "defparam" => ("", "give parameters with the instance, `#(.P(1))`", Semicolon),
        "integer" | "real" | "realtime" | "time" | "event" | "genvar" | "int" | "byte"
        | "shortint" | "longint" | "string" => {
            ("a variable that is no vector of bits", SYNTHESISE, Semicolon)
        }
        "wand" | "wor" | "triand" | "trior" | "tri0" | "tri1" | "trireg" => {
            ("a net that several drivers may share", DRIVERS, Semicolon)
        }
        "bufif0" | "bufif1" | "notif0" | "notif1" => ("a tri-state gate", DRIVERS, Semicolon),
        "nmos" | "pmos" | "cmos" | "rnmos" | "rpmos" | "rcmos" | "tran" | "rtran" | "tranif0"
        | "tranif1" | "rtranif0" | "rtranif1" | "pullup" | "pulldown" => {
            ("a switch", DRIVERS, Semicolon)
        }
        "typedef" | "struct" | "enum" | "union" | "import" | "export" => {
            ("", SYNTHESISE, Semicolon)
        }
        "function" => ("", SYNTHESISE, Word("endfunction")),
        "task" => ("", SYNTHESISE, Word("endtask")),
        "generate" => ("", SYNTHESISE, Word("endgenerate")),
        "specify" => ("", "leave it out", Word("endspecify")),
        "for" | "if" | "case" => ("which is `generate`", SYNTHESISE, Statement),
        "always_comb" => ("", "write it as `assign`, or synthesise it", Statement),
        "always_latch" => {
            ("", "registers of one clock edge are read; map latches to those", Statement)
        }
        "assert" | "assume" | "cover" | "property" | "final" => ("", "leave it out", Statement),
        "alias" | "bind" | "modport" | "clocking" | "timeunit" | "timeprecision" => {
            ("", SYNTHESISE, Semicolon)
        }
        _ => return None,
    })
}

/// The function of a gate that the language has, and whether it is complemented.
fn gate(word: &str) -> Option<(Lut, bool)> {
    Some(match word {
        "and" => (Lut::AND, false),
        "nand" => (Lut::AND, true),
        "or" => (Lut::OR, false),
        "nor" => (Lut::OR, true),
        "xor" => (Lut::XOR, false),
        "xnor" => (Lut::XOR, true),
        "buf" => (Lut::BUFFER, false),
        "not" => (Lut::BUFFER, true),
        _ => return None,
    })
}

impl Reader<'_, '_, '_> {
    /// A module, from its first word on.
    pub fn module(&mut self) {
        let attributes = std::mem::take(&mut self.lexer.attributes);
        let has = |name: &[u8]| attributes.iter().any(|attribute| attribute.name == name);
        self.advance();
        if has(b"blackbox") || has(b"whitebox") {
            return self.skip_past_word("endmodule");
        }
        let position = self.position;
        if self.header().is_err() {
            self.skip_item();
        }
        if has(b"top") && self.design.top.is_none() {
            self.design.top = Some(self.body.module.name.clone());
        }
        while !self.eats_word("endmodule") {
            if matches!(self.token, Token::End | Token::Name(b"module" | b"macromodule")) {
                let name = &self.body.module.name;
                let text = format!("the module `{name}` has no `endmodule`");
                self.error(position, text);
                break;
            }
            if self.item().is_err() {
                self.skip_item();
            }
        }
        self.finish_variables();
        self.finish_ports();
        let empty = Body::new(b"", position);
        self.finished.push(std::mem::replace(&mut self.body, empty));
    }

    fn header(&mut self) -> Parsed<()> {
        let position = self.position;
        let name = self.name()?;
        self.body = Body::new(name, position);
        if self.is("#") {
            self.refuse(self.position, "a parameter", SYNTHESISE);
            self.advance();
            self.skip_brackets();
        }
        self.port_list()?;
        self.expect(";")
    }

    fn item(&mut self) -> Parsed<()> {
        self.attributes = std::mem::take(&mut self.lexer.attributes);
        let position = self.position;
        let Some(word) = self.word() else {
            return match self.token {
                Token::Symbol(";") => {
                    self.advance();
                    Ok(())
                }
                Token::Escaped(_) => self.instances(),
                Token::System(_) => {
                    let what = self.token.describe();
                    Err(self.refuse(position, &what, "leave it out"))
                }
                _ => Err(self.expected("an item of a module")),
            };
        };
        if declares(word) {
            return self.declaration();
        }
        if let Some((what, hint, skip)) = refused(word) {
            self.refuse_word(word, what, hint);
            match skip {
                Skip::Semicolon => self.skip_item(),
                Skip::Statement => self.skip_statement(),
                Skip::Word(word) => self.skip_past_word(word),
            }
            return Ok(());
        }
        if let Some((lut, complement)) = gate(word) {
            self.advance();
            return self.gates(lut, complement);
        }
        match word {
            "assign" => {
                self.advance();
                self.assignments()
            }
            "always" | "always_ff" => {
                self.advance();
                self.always(position)
            }
            "initial" => {
                self.advance();
                self.initial()
            }
            // What is left of an item with an error.
            "end" | "else" | "endcase" if self.problems.has_errors() => {
                self.advance();
                Ok(())
            }
            _ => self.instances(),
        }
    }

    /// `y = a & b, z = c;`.
    fn assignments(&mut self) -> Parsed<()> {
        self.refuse_delay()?;
        loop {
            let targets = self.targets("")?;
            let position = self.position;
            self.expect("=")?;
            let formula = self.formula()?;
            let bits = self.lower(formula, Some(targets.len() as u32))?;
            let mut cones = Cones { module: &mut self.body.module, position };
            std::iter::zip(targets, &bits).for_each(|(net, bit)| cones.drive(net, bit));
            if !self.eats(",") {
                return self.expect(";");
            }
        }
    }

    /// A delay or strength of a gate or assignment.
    pub fn refuse_delay(&mut self) -> Parsed<()> {
        if self.is("#") {
            return Err(self.refuse(self.position, "a delay", "leave it out"));
        }
        Ok(())
    }

    /// `g1 (y, a, b), g2 (z, a, c);`, the name left out or not.
    fn gates(&mut self, lut: Lut, complement: bool) -> Parsed<()> {
        self.refuse_delay()?;
        loop {
            let position = self.position;
            if !self.is("(") {
                self.name()?;
                if self.is("[") {
                    return Err(self.refuse(self.position, "an array of gates", ONE_BY_ONE));
                }
            }
            self.expect("(")?;
            let mut terminals = Vec::new();
            loop {
                terminals.push(self.terminal()?);
                if !self.eats(",") {
                    break;
                }
            }
            self.expect(")")?;
            self.gate(lut, complement, &terminals, position)?;
            if !self.eats(",") {
                return self.expect(";");
            }
        }
    }

    /// What a gate is connected to.
    fn terminal(&mut self) -> Parsed<Cone> {
        let position = self.position;
        let formula = self.formula()?;
        let bits = self.lower(formula, None)?;
        match &bits[..] {
            [bit] => Ok(bit.clone()),
            _ => {
                let text = format!("a gate is connected to single bits, not to {}", bits.len());
                Err(self.error(position, text))
            }
        }
    }

    fn gate(
        &mut self,
        lut: Lut,
        complement: bool,
        terminals: &[Cone],
        position: Position,
    ) -> Parsed<()> {
        let outputs = if lut == Lut::BUFFER { terminals.len() - 1 } else { 1 };
        let (outputs, inputs) = terminals.split_at(outputs);
        if outputs.is_empty() || inputs.is_empty() {
            return Err(self.error(position, "a gate has an output and inputs"));
        }
        let mut cones = Cones { module: &mut self.body.module, position };
        let mut value = inputs[0].clone();
        for input in &inputs[1..] {
            value = cones.apply(lut, &[&value, input]);
        }
        if complement {
            value = cones.apply(Lut::NOT, &[&value]);
        }
        for output in outputs {
            match output.as_net().filter(|net| net.as_constant().is_none()) {
                Some(net) => cones.drive(net, &value),
                None => return Err(self.error(position, "the output of a gate is no net")),
            }
        }
        Ok(())
    }

    /// Variables that have an initial value and are never stored in keep that value.
    fn finish_variables(&mut self) {
        if self.body.initial.is_empty() {
            return;
        }
        let stored: FxHashSet<Net> =
            self.body.registers.iter().map(|register| register.output).collect();
        let variables = self.body.signals.values().filter(|signal| signal.variable);
        for signal in variables {
            for net in signal.nets().filter(|net| !stored.contains(net)) {
                if let Some(&value) = self.body.initial.get(&net) {
                    self.body.module.alias(net, Net::constant(value), signal.position);
                }
            }
        }
    }
}
