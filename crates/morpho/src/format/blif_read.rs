//! Reads the Berkeley Logic Interchange Format.
//!
//! What tools differ in is read like this:
//! * The first model is the top, as the format says. A file without `.model` holds one.
//! * `#` begins a comment at the start of a word, and anywhere in a row of a cover; inside a name
//!   it is part of the name.
//! * A cover of ones gives where the function is 1, one of zeros where it is 0; one without rows
//!   is 0.
//! * A latch that starts at 2, 3 or nothing, so at any value, starts at 0.
//! * Latches of every type store once in each clock step, as ABC takes them: level-sensitive and
//!   asynchronous ones, and those of the falling edge beside others of the rising one, with a
//!   warning.
//! * A `.subckt` of a model that the file does not define may be a cell of Yosys or of a device, as in
//!   the other formats; the bits of its pins are `A[0]`, `A[1]`, and so on.
//! * Times, loads and external don't-cares are passed over with a warning; `.gate` and `.mlatch`,
//!   which need a library of cells, are refused.

use rustc_hash::{FxHashMap, FxHashSet};

use super::source::cells::{Cell, Lowered, Parameter, lower_cell};
use super::source::{
    Connection, Design, Direction, Instance, MAX_INPUTS, Module, Net, Port, Position, Problems,
    Register, Tally, decompose,
};
use crate::diagnostic::Diagnostic;
use crate::lut::PROJECTION;

/// Reads the models of a file.
pub(super) fn parse(bytes: &[u8], problems: &mut Problems) -> Design {
    let mut reader = Reader {
        problems,
        design: Design::default(),
        model: None,
        cover: None,
        skip_to_end: false,
        cells: Vec::new(),
        after_subckt: false,
        unknown: Tally::default(),
        types: Default::default(),
    };
    let mut lines = Lines { text: bytes, at: 0, line: 1, start: 0 };
    let mut words = Vec::new();
    while lines.next(&mut words) {
        reader.line(&words);
    }
    reader.end_model();
    reader.place_instances();
    reader.warn_of_latches();
    reader.design.top = reader.design.modules.first().map(|module| module.name.clone());
    reader.design
}

#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a [u8],
    position: Position,
}

impl Word<'_> {
    fn name(&self) -> String {
        String::from_utf8_lossy(self.text).into_owned()
    }
}

/// Cuts a text into logical lines: comments gone, continued lines joined.
struct Lines<'a> {
    text: &'a [u8],
    at: usize,
    line: u32,
    /// Where the line begins.
    start: usize,
}

impl<'a> Lines<'a> {
    /// Puts the words of the next line that has any into `words`; false at the end of the text.
    fn next(&mut self, words: &mut Vec<Word<'a>>) -> bool {
        words.clear();
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'\n' => {
                    self.new_line();
                    if !words.is_empty() {
                        return true;
                    }
                }
                b'#' => self.skip_comment(),
                b'\\' if self.continues() => (),
                byte if byte.is_ascii_whitespace() || byte == 0 => self.at += 1,
                _ => words.push(self.word(words.first())),
            }
        }
        !words.is_empty()
    }

    fn new_line(&mut self) {
        self.at += 1;
        self.line += 1;
        self.start = self.at;
    }

    fn skip_comment(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    }

    /// Goes past a backslash, the rest of its line and the end of it, if that rest is blank.
    fn continues(&mut self) -> bool {
        let rest = &self.text[self.at + 1..];
        let blank = rest.iter().take_while(|&&byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        match rest.get(blank) {
            Some(b'\n') => {
                self.at += 1 + blank;
                self.new_line();
                true
            }
            None => {
                self.at = self.text.len();
                true
            }
            Some(_) => false,
        }
    }

    fn word(&mut self, first: Option<&Word>) -> Word<'a> {
        let start = self.at;
        let in_row = first.map_or(self.text[start], |word| word.text[0]) != b'.';
        self.at += 1;
        while let Some(&byte) = self.text.get(self.at) {
            let ends = match byte {
                b'#' => in_row,
                b'\\' => {
                    let rest = &self.text[self.at + 1..];
                    let end = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
                    end.is_none_or(|end| rest[end] == b'\n')
                }
                byte => byte.is_ascii_whitespace() || byte == 0,
            };
            if ends {
                break;
            }
            self.at += 1;
        }
        let column = u32::try_from(start - self.start + 1).unwrap_or(u32::MAX);
        Word { text: &self.text[start..self.at], position: Position { line: self.line, column } }
    }
}

/// A model that is being read.
struct Model<'a> {
    module: Module,
    nets: FxHashMap<&'a [u8], Net>,
    instances: FxHashMap<&'a [u8], usize>,
    subckts: Vec<Subckt>,
}

/// An instance of a model or cell, and its parameters.
struct Subckt {
    instance: Instance,
    parameters: Vec<(String, Parameter)>,
}

/// A cover whose rows are being read.
struct Cover {
    inputs: Vec<Net>,
    output: Net,
    /// The rows of the table in the cover; `None` if there are too many inputs.
    table: Option<Vec<u64>>,
    /// What the cover gives: where the function is 1 or where it is 0.
    value: Option<bool>,
    position: Position,
}

/// The types of latches, in the order of [`Reader::types`].
const TYPES: [&[u8]; 5] = [b"re", b"fe", b"ah", b"al", b"as"];

struct Reader<'a, 'p, 't> {
    problems: &'p mut Problems<'t>,
    design: Design,
    model: Option<Model<'a>>,
    cover: Option<Cover>,
    /// Inside external don't-cares.
    skip_to_end: bool,
    /// The instances of each model.
    cells: Vec<Vec<Subckt>>,
    /// Whether a parameter would be of an instance.
    after_subckt: bool,
    /// Latches without a known initial value.
    unknown: Tally,
    types: [Tally; 5],
}

impl<'a> Reader<'a, '_, '_> {
    fn line(&mut self, words: &[Word<'a>]) {
        let (first, rest) = words.split_first().expect("a line has words");
        if self.skip_to_end {
            self.skip_to_end = first.text != b".end";
            return;
        }
        if first.text[0] != b'.' {
            return self.row(words);
        }
        self.end_cover();
        let describes = matches!(first.text, b".cname" | b".attr" | b".param");
        self.after_subckt = first.text == b".subckt" || self.after_subckt && describes;
        match first.text {
            b".model" => self.begin_model(first, rest),
            b".inputs" => rest.iter().for_each(|name| self.port(name, Direction::Input)),
            b".outputs" => rest.iter().for_each(|name| self.port(name, Direction::Output)),
            b".clock" => rest.iter().for_each(|name| self.clock(name)),
            b".names" => self.begin_cover(first, rest),
            b".latch" => self.latch(first, rest),
            b".subckt" => self.subckt(first, rest),
            b".conn" | b".barbuf" => self.connect(first, rest),
            b".end" => self.end_model(),
            b".exdc" => {
                self.skip_to_end = true;
                let text = "external don't-cares are passed over";
                self.problems.warning(first.position, Diagnostic::new(text));
            }
            b".param" => self.parameter(rest),
            b".cname" | b".attr" => (),
            _ => self.other(first),
        }
    }

    fn error(&mut self, position: Position, text: impl Into<String>) {
        self.problems.error(position, Diagnostic::new(text));
    }

    /// A command that adds nothing to the circuit, or that is refused.
    fn other(&mut self, command: &Word) {
        const PASSED_OVER: [&[u8]; 17] = [
            b".area",
            b".delay",
            b".wire_load_slope",
            b".wire",
            b".input_arrival",
            b".default_input_arrival",
            b".output_required",
            b".default_output_required",
            b".input_drive",
            b".default_input_drive",
            b".output_load",
            b".default_output_load",
            b".input_required",
            b".default_max_input_load",
            b".max_input_load",
            b".cycle",
            b".clock_event",
        ];
        let name = command.name();
        if PASSED_OVER.contains(&command.text) {
            let text = format!("`{name}` is passed over");
            return self.problems.warning(command.position, Diagnostic::new(text));
        }
        let hint = match command.text {
            b".gate" | b".mlatch" => {
                "it names a cell of a library; write the netlist with `.names` and `.latch`, as \
                 ABC does after `strash` or `unmap`"
            }
            b".search" => "put all models into one file",
            b".blackbox" => "give the model a body",
            b".start_kiss" => "encode the state machine and write it with `.names` and `.latch`",
            _ => "see docs/formats.md for the commands that are read",
        };
        let text = Diagnostic::new(format!("`{name}` is not read")).hint(hint);
        self.problems.error(command.position, text);
    }

    fn begin_model(&mut self, command: &Word<'a>, rest: &[Word<'a>]) {
        self.end_model();
        if let Some(extra) = rest.get(1) {
            self.error(extra.position, "a model has one name");
        }
        let name = rest.first().map_or("unnamed".to_string(), Word::name);
        self.open_model(name, command.position);
    }

    fn open_model(&mut self, name: String, position: Position) {
        let module = Module::new(name, position);
        let (nets, instances) = (FxHashMap::default(), FxHashMap::default());
        self.model = Some(Model { module, nets, instances, subckts: Vec::new() });
    }

    /// The model that is being read; one without a name if none was begun.
    fn model(&mut self, position: Position) -> &mut Model<'a> {
        if self.model.is_none() {
            self.open_model("unnamed".to_string(), position);
        }
        self.model.as_mut().expect("it is open")
    }

    fn end_model(&mut self) {
        self.end_cover();
        if let Some(Model { module, subckts, .. }) = self.model.take() {
            self.design.modules.push(module);
            self.cells.push(subckts);
        }
    }

    fn net(&mut self, word: &Word<'a>) -> Net {
        let Model { module, nets, .. } = self.model(word.position);
        *nets.entry(word.text).or_insert_with(|| module.named(&word.name(), word.position))
    }

    fn port(&mut self, word: &Word<'a>, direction: Direction) {
        let net = self.net(word);
        let port = Port {
            name: word.name(),
            direction,
            bits: vec![net],
            vector: false,
            position: word.position,
        };
        self.model(word.position).module.port(port);
    }

    /// A clock is an input, whether it is among the inputs or not.
    fn clock(&mut self, word: &Word<'a>) {
        let net = self.net(word);
        let ports = self.model(word.position).module.ports();
        let known = |port: &Port| port.direction == Direction::Input && port.bits[0] == net;
        if !ports.iter().any(known) {
            self.port(word, Direction::Input);
        }
    }

    fn begin_cover(&mut self, command: &Word<'a>, names: &[Word<'a>]) {
        let Some((output, inputs)) = names.split_last() else {
            return self.error(command.position, "`.names` without an output");
        };
        let position = command.position;
        let fits = inputs.len() <= MAX_INPUTS;
        if !fits {
            let (name, count) = (output.name(), inputs.len());
            let text =
                format!("the cover of `{name}` has {count} inputs; at most {MAX_INPUTS} are read");
            self.error(position, text);
        }
        let output = self.net(output);
        let inputs: Vec<Net> = inputs.iter().map(|input| self.net(input)).collect();
        let table = fits.then(|| vec![0; 1 << inputs.len().saturating_sub(6)]);
        self.cover = Some(Cover { inputs, output, table, value: None, position });
    }

    fn row(&mut self, words: &[Word<'a>]) {
        let position = words[0].position;
        let Some(cover) = &mut self.cover else {
            let text = format!("`{}` is neither a command nor a row of a cover", words[0].name());
            return self.error(position, text);
        };
        let Some(table) = &mut cover.table else { return };
        let (inputs, output) = match words {
            [output] if cover.inputs.is_empty() => (&[][..], output),
            [inputs, output] if !cover.inputs.is_empty() => (inputs.text, output),
            _ => {
                let wanted =
                    if cover.inputs.is_empty() { "a 0 or 1" } else { "the inputs and a 0 or 1" };
                return self.error(position, format!("a row of this cover is {wanted}"));
            }
        };
        let value = match output.text {
            b"0" => false,
            b"1" => true,
            _ => {
                let text = format!("a row ends with 0 or 1, not `{}`", output.name());
                return self.error(output.position, text);
            }
        };
        if inputs.len() != cover.inputs.len() {
            let (count, wanted) = (inputs.len(), cover.inputs.len());
            return self
                .error(position, format!("the row is for {count} inputs, the cover has {wanted}"));
        }
        if let Some(at) = inputs.iter().position(|literal| !b"01-".contains(literal)) {
            let column = position.column + at as u32;
            let text = format!("an input is 0, 1 or -, not `{}`", inputs[at].escape_ascii());
            return self.error(Position { column, ..position }, text);
        }
        if *cover.value.get_or_insert(value) != value {
            return self.error(output.position, "the rows of a cover all end with 0 or all with 1");
        }
        add_cube(table, inputs);
    }

    fn end_cover(&mut self) {
        let Some(Cover { inputs, output, table, value, position }) = self.cover.take() else {
            return;
        };
        let Some(mut table) = table else { return };
        if value == Some(false) {
            table.iter_mut().for_each(|word| *word = !*word);
        }
        decompose(&mut self.model(position).module, &table, &inputs, output, position);
    }

    /// `.latch input output [type control] [initial]`.
    fn latch(&mut self, command: &Word<'a>, words: &[Word<'a>]) {
        let position = command.position;
        let (input, output, kind, control, initial) = match words {
            [input, output] => (input, output, None, None, None),
            [input, output, last] => match kind_of(last) {
                Some(kind) => (input, output, Some(kind), None, None),
                None => (input, output, None, None, Some(last)),
            },
            [input, output, kind, control] => (input, output, kind_of(kind), Some(control), None),
            [input, output, kind, control, initial] => {
                (input, output, kind_of(kind), Some(control), Some(initial))
            }
            _ => {
                let text = "a latch is an input, an output, perhaps a type and a control, and an initial value";
                return self.error(position, text);
            }
        };
        if let (Some(_), None) = (control, kind) {
            let text =
                format!("`{}` is not a type of latch: re, fe, ah, al or as", words[2].name());
            return self.error(words[2].position, text);
        }
        let initial = match initial.map(|word| word.text) {
            Some(b"0") => false,
            Some(b"1") => true,
            None | Some(b"2" | b"3") => {
                self.unknown.add(position);
                false
            }
            Some(_) => {
                let word = words.last().expect("there are some");
                let text = format!("a latch starts at 0, 1, 2 or 3, not at `{}`", word.name());
                return self.error(word.position, text);
            }
        };
        self.types[kind.unwrap_or(0)].add(position);
        let clock = control.filter(|control| control.text != b"NIL").map(|word| self.net(word));
        let (next, output) = (self.net(input), self.net(output));
        let register = Register { next, output, initial, clock, position };
        self.model(position).module.register(register);
    }

    fn warn_of_latches(&mut self) {
        self.unknown
            .warn(self.problems, "latches start at any value; they are taken to start at 0");
        let [_, falling, high, low, free] = &self.types;
        falling.warn(
            self.problems,
            "latches store at the falling edge; they are taken to store at the rising one",
        );
        for level in [high, low] {
            let text =
                "latches are open while the clock has a level; they are taken to store once a step";
            level.warn(self.problems, text);
        }
        free.warn(self.problems, "latches are asynchronous; they are taken to store once a step");
    }

    /// `.subckt model formal=actual ...`.
    fn subckt(&mut self, command: &Word<'a>, words: &[Word<'a>]) {
        let Some((inner, pins)) = words.split_first() else {
            return self.error(command.position, "`.subckt` without a model");
        };
        let mut connections = Vec::new();
        for pin in pins {
            let position = pin.position;
            let Some(at) = pin.text.iter().position(|&byte| byte == b'=') else {
                self.error(position, format!("`{}` is no pair `formal=actual`", pin.name()));
                continue;
            };
            let (formal, actual) = (&pin.text[..at], &pin.text[at + 1..]);
            let net = (!actual.is_empty()).then(|| self.net(&Word { text: actual, position }));
            let port = String::from_utf8_lossy(formal).into_owned();
            connections.push(Connection { port, bits: net.into_iter().collect(), position });
        }
        let model = self.model(command.position);
        let number = model.instances.entry(inner.text).or_default();
        let name = format!("{}_{number}", inner.name());
        *number += 1;
        let (module, position) = (inner.name(), command.position);
        let instance = Instance { module, name, connections, position };
        model.subckts.push(Subckt { instance, parameters: Vec::new() });
    }

    /// `.param NAME VALUE` of an instance: bits, or a text in quotes.
    fn parameter(&mut self, words: &[Word<'a>]) {
        let ([name, value], Some(model), true) = (words, &mut self.model, self.after_subckt) else {
            return;
        };
        let digits = value.text.iter().rev();
        let value = match value.text.iter().all(|digit| b"01xz".contains(digit)) {
            true => Parameter::Bits(digits.map(|&digit| digit == b'1').collect()),
            false => Parameter::Text(value.name().trim_matches('"').to_string()),
        };
        if let Some(subckt) = model.subckts.last_mut() {
            subckt.parameters.push((name.name(), value));
        }
    }

    /// Puts the instances into their models: those of cells as what they do.
    fn place_instances(&mut self) {
        let modules: FxHashSet<String> =
            self.design.modules.iter().map(|module| module.name.clone()).collect();
        for (index, subckts) in std::mem::take(&mut self.cells).into_iter().enumerate() {
            // Yosys names the constants, `$false` and `$true`.
            let constants = self.design.modules[index].constants();
            for mut subckt in subckts {
                if modules.contains(&subckt.instance.module) {
                    self.design.modules[index].instance(subckt.instance);
                    continue;
                }
                for net in subckt.instance.connections.iter_mut().flat_map(|pin| &mut pin.bits) {
                    *net = constants.get(net).map_or(*net, |&value| Net::constant(value));
                }
                self.place_cell(index, subckt);
            }
        }
    }

    fn place_cell(&mut self, model: usize, Subckt { instance, parameters }: Subckt) {
        let parameter = |name: &str| {
            parameters.iter().find(|(found, _)| found == name).map(|(_, value)| value.clone())
        };
        let Instance { module, name, position, .. } = &instance;
        let position = *position;
        let gathered = Instance {
            module: module.clone(),
            name: name.clone(),
            connections: gather(&instance.connections),
            position,
        };
        let cell = Cell { instance: &gathered, parameter: &parameter };
        match lower_cell(&mut self.design.modules[model], cell) {
            Lowered::Logic => (),
            Lowered::Registers { registers, falling, initial } => {
                self.types[usize::from(falling)].add(position);
                for register in registers {
                    if initial.is_none() {
                        self.unknown.add(position);
                    }
                    let initial = initial.unwrap_or(false);
                    self.design.modules[model].register(Register { initial, ..register });
                }
            }
            Lowered::Refused(what, hint) => {
                let text = Diagnostic::new(format!("{what} is not read")).hint(hint);
                self.problems.error(position, text);
            }
            Lowered::Wrong(text) => {
                self.error(position, format!("`{name}`, a cell `{module}`, {text}"));
            }
            Lowered::Unknown => self.design.modules[model].instance(instance),
        }
    }

    /// `.conn input output`.
    fn connect(&mut self, command: &Word<'a>, words: &[Word<'a>]) {
        match words {
            [input, output] => {
                let (input, output) = (self.net(input), self.net(output));
                let position = command.position;
                self.model(position).module.alias(output, input, position);
            }
            _ => self.error(
                command.position,
                format!("`{}` has an input and an output", command.name()),
            ),
        }
    }
}

/// The pins of a cell: `A[0]` and `A[1]` as the two bits of `A`. Bits that are missing are 0.
fn gather(connections: &[Connection]) -> Vec<Connection> {
    let mut pins: Vec<Connection> = Vec::new();
    for Connection { port, bits, position } in connections {
        let split = port.strip_suffix(']').and_then(|port| port.rsplit_once('['));
        let place = split.and_then(|(name, digits)| Some((name, digits.parse::<usize>().ok()?)));
        let (name, at) = place.filter(|(_, at)| *at < connections.len()).unwrap_or((port, 0));
        let index = pins.iter().position(|pin| pin.port == name).unwrap_or_else(|| {
            pins.push(Connection { port: name.into(), bits: Vec::new(), position: *position });
            pins.len() - 1
        });
        let pin = &mut pins[index].bits;
        for &bit in bits {
            pin.resize(pin.len().max(at + 1), Net::constant(false));
            pin[at] = bit;
        }
    }
    pins
}

fn kind_of(word: &Word) -> Option<usize> {
    TYPES.iter().position(|&kind| kind == word.text)
}

/// Sets the rows that agree with the literals: word by word, the rows of a word by masks.
fn add_cube(table: &mut [u64], literals: &[u8]) {
    let (low, high) = literals.split_at(literals.len().min(PROJECTION.len()));
    let mask =
        std::iter::zip(low, PROJECTION).fold(u64::MAX, |mask, (literal, ones)| match literal {
            b'1' => mask & ones,
            b'0' => mask & !ones,
            _ => mask,
        });
    let bits = |wanted: u8| {
        let literals = high.iter().enumerate();
        literals.fold(0, |all, (at, &literal)| all | usize::from(literal == wanted) << at)
    };
    let (ones, zeros) = (bits(b'1'), bits(b'0'));
    for (at, word) in table.iter_mut().enumerate() {
        if at & ones == ones && at & zeros == 0 {
            *word |= mask;
        }
    }
}
