//! Reads the JSON that Yosys writes with `write_json`.
//!
//! * Cells are those of [`cells`](super::source::cells), as in the other formats.
//! * The module with the attribute `top` is the top; black boxes are passed over.
//! * The initial value of a register is the attribute `init` of a name of its net; a register
//!   without one starts at 0, with a warning.
//! * A bit that is `x` or `z` is 0, with a warning.
//! * A net has the name that is not hidden and no port, if it has one. Bits count from the lowest,
//!   whatever their index in the source was.
//!
//! Latches, asynchronous resets and all other cells are refused by their type.

mod body;
mod document;
mod places;

use rustc_hash::FxHashSet;
use serde_json::value::RawValue;

use body::{Body, Counts};
use document::{Bit, CellText, Document, Fields, ModuleText, NetNameText, PortText, Text, Value};
use places::{Places, of_error};

use super::source::cells::{Cell, Lowered, Parameter, is_known, lower_cell};
use super::source::{Connection, Design, Direction, Instance, Module, Port, Position, Problems};
use crate::diagnostic::Diagnostic;

/// Reads the modules of a file.
pub(super) fn parse(bytes: &[u8], problems: &mut Problems) -> Design {
    let mut design = Design::default();
    let start = Position { line: 1, column: 1 };
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let line = bytes[..error.valid_up_to()].iter().filter(|&&b| b == b'\n').count() as u32;
            let position = Position { line: line + 1, column: 1 };
            problems.error(position, Diagnostic::new("the line is not UTF-8"));
            return design;
        }
    };
    let document: Document = match serde_json::from_str(text) {
        Ok(document) => document,
        Err(error) => {
            let (position, text) = of_error(&error, start);
            problems.error(position, Diagnostic::new(text).hint(FORM));
            return design;
        }
    };
    let mut reader = Reader {
        places: Places::new(text.as_bytes()),
        problems,
        modules: FxHashSet::default(),
        counts: Counts::default(),
        top: None,
    };
    let modules = reader.modules(&document.modules);
    reader.modules = modules.iter().map(|(name, ..)| &name.0[..]).collect();
    for (name, module, position) in &modules {
        design.modules.push(reader.module(&name.0, module, *position));
    }
    reader.warn();
    design.top = reader.top;
    design
}

const FORM: &str = "a netlist of Yosys is {\"modules\": {\"name\": {\"ports\": .., \"cells\": .., \
                    \"netnames\": ..}}}, as `write_json` writes it";

struct Reader<'a, 'p, 't> {
    places: Places<'a>,
    problems: &'p mut Problems<'t>,
    /// The names of the modules that are read.
    modules: FxHashSet<&'a str>,
    counts: Counts,
    top: Option<String>,
}

impl<'a> Reader<'a, '_, '_> {
    fn error(&mut self, position: Position, text: impl Into<String>) {
        self.problems.error(position, Diagnostic::new(text));
    }

    /// Parses a part of the text. What is wrong with it is reported.
    fn parse<T: serde::Deserialize<'a>>(&mut self, part: &'a RawValue) -> Option<(T, Position)> {
        let position = self.places.of(part);
        match serde_json::from_str(part.get()) {
            Ok(parsed) => Some((parsed, position)),
            Err(error) => {
                let (position, text) = of_error(&error, position);
                self.error(position, text);
                None
            }
        }
    }

    /// The modules that have a body.
    fn modules<'f>(
        &mut self,
        fields: &'f Fields<'a, &'a RawValue>,
    ) -> Vec<(&'f Text<'a>, ModuleText<'a>, Position)> {
        let mut modules = Vec::new();
        for (name, text) in &fields.0 {
            let Some((module, position)) = self.parse::<ModuleText>(text) else { continue };
            let set = |attribute: &str| {
                let value = module.attributes.get(attribute).and_then(Value::number);
                value.is_some_and(|value| value != 0)
            };
            if set("blackbox") || set("whitebox") {
                continue;
            }
            if set("top") {
                if self.top.is_some() {
                    self.error(position, format!("`{}` is the second top module", name.0));
                }
                self.top = Some(name.0.to_string());
            }
            modules.push((name, module, position));
        }
        modules
    }

    fn module(&mut self, name: &str, text: &ModuleText<'a>, position: Position) -> Module {
        let mut counts = std::mem::take(&mut self.counts);
        let mut body = Body::new(Module::new(name, position), &mut counts);
        if let Some((memory, text)) = text.memories.0.first() {
            let position = self.places.of(text);
            self.error(position, format!("memories are not read, and there is `{}`", memory.0));
        }
        self.names(&mut body, text);
        self.ports(&mut body, text);
        for (name, text) in &text.cells.0 {
            if let Some((cell, position)) = self.parse::<CellText>(text) {
                self.cell(&mut body, &name.0, &cell, position);
            }
        }
        let module = body.module;
        self.counts = counts;
        module
    }

    /// Names the nets: by names of their own first, then by ports, then by hidden names.
    fn names(&mut self, body: &mut Body, text: &ModuleText<'a>) {
        let ports: FxHashSet<&str> = text.ports.0.iter().map(|(name, _)| &name.0[..]).collect();
        let mut names = Vec::new();
        for (name, text) in &text.netnames.0 {
            let Some((parsed, position)) = self.parse::<NetNameText>(text) else { continue };
            let rank = match (parsed.hide_name, ports.contains(&name.0[..])) {
                (_, true) => 1,
                (0, _) => 0,
                _ => 2,
            };
            names.push((rank, name, parsed, position));
        }
        names.sort_by_key(|&(rank, ..)| rank);
        for (_, name, NetNameText { bits, offset, .. }, position) in &names {
            body.name(&name.0, bits, bits.len() > 1 || offset.is_some(), *position);
        }
        for (_, name, NetNameText { bits, attributes, .. }, position) in &names {
            let Some(init) = attributes.get("init") else { continue };
            let Some(init) = init.bits() else {
                self.error(*position, format!("the init of `{}` is no bits", name.0));
                continue;
            };
            for (&bit, value) in std::iter::zip(bits, init) {
                let Some(value) = value else { continue };
                if matches!(bit, Bit::Net(_)) && !body.start(bit, value, *position) {
                    let text = format!("`{}` has another init under another name", name.0);
                    self.error(*position, text);
                    break;
                }
            }
        }
    }

    fn ports(&mut self, body: &mut Body, text: &ModuleText<'a>) {
        for (name, text) in &text.ports.0 {
            let Some((port, position)) = self.parse::<PortText>(text) else { continue };
            let PortText { direction, bits, offset } = port;
            let direction = match &direction.0[..] {
                "input" => Direction::Input,
                "output" => Direction::Output,
                other => {
                    let text =
                        format!("the port `{}` is neither input nor output: {other}", name.0);
                    self.error(position, text);
                    continue;
                }
            };
            let vector = bits.len() != 1 || offset.is_some();
            body.name(&name.0, &bits, vector, position);
            let bits = bits.iter().map(|&bit| body.net(bit, position)).collect();
            let name = name.0.to_string();
            body.module.port(Port { name, direction, bits, vector, position });
        }
    }

    fn cell(&mut self, body: &mut Body, name: &str, cell: &CellText, position: Position) {
        let connect = |(port, bits): &(Text, Vec<Bit>)| {
            let bits = bits.iter().map(|&bit| body.net(bit, position)).collect();
            Connection { port: port.0.to_string(), bits, position }
        };
        let connections = cell.connections.0.iter().map(connect).collect();
        let (module, name) = (cell.kind.0.to_string(), name.to_string());
        let instance = Instance { module, name, connections, position };
        if self.modules.contains(&instance.module[..]) && !is_known(&instance.module) {
            return body.module.instance(instance);
        }
        let parameter = |name: &str| cell.parameters.get(name).map(parameter);
        let lowered =
            lower_cell(&mut body.module, Cell { instance: &instance, parameter: &parameter });
        let Instance { module: kind, name, .. } = &instance;
        let diagnostic = match lowered {
            Lowered::Logic => return,
            Lowered::Registers { registers, falling, initial } => {
                body.edge(!falling, position);
                return registers.into_iter().for_each(|register| body.register(register, initial));
            }
            Lowered::Wrong(problem) => {
                Diagnostic::new(format!("`{name}`, a cell `{kind}`, {problem}"))
            }
            Lowered::Refused(what, hint) => {
                Diagnostic::new(format!("{what} is not read: `{name}`")).hint(hint)
            }
            Lowered::Unknown => {
                let text = format!("cells of type {kind} are not read: `{name}`");
                let hint =
                    "add the module to the file; docs/formats.md lists the cells that are read";
                Diagnostic::new(text).hint(hint)
            }
        };
        self.problems.error(position, diagnostic);
    }

    fn warn(&mut self) {
        let Counts { unknown, uninitialised, falling } = &self.counts;
        unknown.warn(self.problems, "bits are x or z; they are taken for 0");
        uninitialised
            .warn(self.problems, "register bits start at any value; they are taken to start at 0");
        falling.warn(
            self.problems,
            "flip-flops store at the falling edge; they are taken to store at the rising one",
        );
    }
}

/// The value of a parameter: bits, where those that are not known are 0, or a text.
fn parameter(value: &Value) -> Parameter {
    match (value.bits(), value) {
        (Some(bits), _) => Parameter::Bits(bits.into_iter().map(|bit| bit == Some(true)).collect()),
        (None, Value::Text(text)) => Parameter::Text(text.to_string()),
        (None, Value::Number(_)) => unreachable!("a number has bits"),
    }
}
