//! Stimuli of a netlist: read, checked, and simulated.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use morpho::format::Reading;
use morpho::sim::Interpreter;
use morpho::{Netlist, Port};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use wkv::file;

use crate::context::Context;
use crate::failure::Failure;
use crate::failure::shown;

/// What a file of stimuli looks like, for errors.
const FORM: &str = r#"{"inputs": {"a": [3, "0xff"]}}, a number for each input port and step"#;

/// The most steps of a circuit without inputs, whose file has no list to count them by.
const MOST_STEPS: usize = 1 << 24;

/// An unsigned number of any width: 64 bits a word, lowest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Number(Vec<u64>);

impl Number {
    /// A number as a file has it: not negative, or `"0x.."`.
    fn read(text: &str) -> Option<Self> {
        if !text.starts_with('"') {
            return text.parse().ok().map(|word| Self(vec![word]));
        }
        let text: Cow<str> = serde_json::from_str(text).ok()?;
        let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
        let sound = !digits.is_empty() && digits.bytes().all(|d| d.is_ascii_hexdigit());
        let word = |digits: &[u8]| {
            let text = std::str::from_utf8(digits).expect("digits are ASCII");
            u64::from_str_radix(text, 16).expect("sixteen digits fit")
        };
        sound.then(|| Self(digits.as_bytes().rchunks(16).map(word).collect()))
    }

    fn bit(&self, index: usize) -> bool {
        self.0.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    fn set(&mut self, index: usize) {
        if self.0.len() <= index / 64 {
            self.0.resize(index / 64 + 1, 0);
        }
        self.0[index / 64] |= 1 << (index % 64);
    }

    /// How many bits it takes.
    fn width(&self) -> usize {
        let highest = self.0.iter().rposition(|&word| word != 0);
        highest.map_or(0, |at| 64 * at + 64 - self.0[at].leading_zeros() as usize)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.width() <= 64 {
            return write!(f, "{}", self.0.first().unwrap_or(&0));
        }
        let mut words = self.0.iter().rev().skip_while(|word| **word == 0);
        write!(f, "0x{:x}", words.next().expect("it is wide"))?;
        words.try_for_each(|word| write!(f, "{word:016x}"))
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.width() {
            0..=64 => serializer.serialize_u64(self.0.first().copied().unwrap_or(0)),
            _ => serializer.collect_str(self),
        }
    }
}

/// The numbers of one port, one a step, side by side: a bit of a port takes a bit a step.
pub struct Column {
    width: usize,
    steps: usize,
    words: Vec<u64>,
}

impl Column {
    fn new(width: usize) -> Self {
        Self { width, steps: 0, words: Vec::new() }
    }

    /// Adds a step.
    fn push(&mut self, bit: impl Fn(usize) -> bool) {
        let start = self.steps * self.width;
        self.steps += 1;
        self.words.resize((start + self.width).div_ceil(64), 0);
        for index in (0..self.width).filter(|&index| bit(index)) {
            self.words[(start + index) / 64] |= 1 << ((start + index) % 64);
        }
    }

    fn bit(&self, step: usize, index: usize) -> bool {
        let at = step * self.width + index;
        self.words[at / 64] >> (at % 64) & 1 == 1
    }

    fn number(&self, step: usize) -> Number {
        let mut number = Number::default();
        (0..self.width).filter(|&bit| self.bit(step, bit)).for_each(|bit| number.set(bit));
        number
    }

    fn numbers(&self) -> impl Iterator<Item = Number> {
        (0..self.steps).map(|step| self.number(step))
    }
}

impl Serialize for Column {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.numbers())
    }
}

/// A file of stimuli as it stands. Lists stay text until their ports are known.
#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    inputs: Lists<'a>,
    /// For a circuit without inputs.
    steps: Option<usize>,
}

/// The fields of an object in their order, repeated ones too.
struct Lists<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Lists<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Lists<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with a list for each input port")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Lists<'de>, A::Error> {
                let mut lists = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    lists.push(entry);
                }
                Ok(Lists(lists))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// The list of a port, read into a column; problems with its numbers are gathered.
struct List<'p> {
    port: &'p Port,
    problems: &'p mut Vec<String>,
}

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = Column;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Column, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = Column;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of numbers, one a step")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Column, A::Error> {
        let (name, width) = (&self.port.name, self.port.wires.len());
        let mut column = Column::new(width);
        while let Some(value) = list.next_element::<&RawValue>()? {
            let number = Number::read(value.get());
            let problem = match &number {
                None => {
                    let found = shown(value.get());
                    format!("{found} is no unsigned number below 2^64, and no \"0x..\"")
                }
                Some(number) if number.width() > width => {
                    format!("{} does not fit {width} bits", shown(&number.to_string()))
                }
                Some(_) => String::new(),
            };
            if !problem.is_empty() && self.problems.len() < MOST_PROBLEMS {
                let (name, step) = (shown(name), column.steps);
                self.problems.push(format!("port \"{name}\", step {step}: {problem}"));
            }
            let number = number.unwrap_or_default();
            column.push(|index| number.bit(index));
        }
        Ok(column)
    }
}

/// Problems with numbers that are told.
const MOST_PROBLEMS: usize = 50;

/// A number for each input port and step.
pub struct Stimuli {
    /// In the order of the ports.
    numbers: Vec<Column>,
    steps: usize,
}

impl Stimuli {
    /// Reads the stimuli at `path` for the circuit.
    pub fn read(path: &Path, circuit: &Reading) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let refuse = |problem: String| Failure::input(format!("{name}: {problem}"));
        let bytes = file::read(path, file::MOST_BYTES)
            .map_err(|error| refuse(format!("cannot be read: {error}; expected {FORM}")))?;
        // A list would be taken for the fields in their order.
        if bytes.trim_ascii_start().first() != Some(&b'{') {
            return Err(refuse(format!("no object; expected {FORM}")));
        }
        let document: Document = serde_json::from_slice(&bytes)
            .map_err(|error| refuse(format!("{error}; expected {FORM}")))?;
        Self::check(document, circuit).map_err(|problems| {
            Failure::all(problems.iter().map(|problem| format!("{name}: {problem}")))
        })
    }

    /// Checks that every input port has a number that fits it in each step.
    fn check(document: Document, circuit: &Reading) -> Result<Self, Vec<String>> {
        let ports = circuit.netlist.inputs();
        let mut problems = Vec::new();
        let mut lists: Vec<Option<&RawValue>> = vec![None; ports.len()];
        let places: BTreeMap<&str, usize> =
            ports.iter().enumerate().map(|(at, port)| (&port.name[..], at)).collect();
        for (name, list) in document.inputs.0 {
            match places.get(&name[..]) {
                Some(&at) if lists[at].is_none() => lists[at] = Some(list),
                Some(_) => problems.push(format!("port \"{}\" is given twice", shown(&name))),
                None => problems.push(unknown(&name, circuit)),
            }
        }
        let mut first: Option<(&str, usize)> = None;
        let mut numbers = Vec::new();
        for (port, list) in std::iter::zip(ports, lists) {
            let name = shown(&port.name);
            let Some(list) = list else {
                let width = port.wires.len();
                problems.push(format!("port \"{name}\" is missing; it has {width} bits"));
                continue;
            };
            let list_of = List { port, problems: &mut problems };
            let column = list_of.deserialize(&mut serde_json::Deserializer::from_str(list.get()));
            let column = match column {
                Ok(column) => column,
                Err(error) => {
                    let text = error.to_string();
                    // Its place is one in the list, not in the file.
                    let text = text.split(" at line ").next().unwrap_or_default();
                    problems.push(format!("port \"{name}\": {text}"));
                    continue;
                }
            };
            let (other, steps) = *first.get_or_insert((&port.name, column.steps));
            if column.steps != steps {
                let (other, found) = (shown(other), column.steps);
                problems
                    .push(format!("port \"{name}\" has {found} steps, port \"{other}\" {steps}"));
            }
            numbers.push(column);
        }
        let steps = match (first, document.steps) {
            (Some((_, counted)), Some(told)) if counted != told => {
                problems.push(format!("\"steps\" is {told}, but the ports have {counted}"));
                0
            }
            (Some((_, steps)), _) => steps,
            (None, Some(steps)) if steps <= MOST_STEPS => steps,
            (None, Some(_)) => {
                problems.push(format!("\"steps\" is above {MOST_STEPS}"));
                0
            }
            (None, None) => {
                if ports.is_empty() {
                    problems.push("a circuit without inputs takes {\"steps\": N}".to_owned());
                }
                0
            }
        };
        if problems.is_empty() && steps == 0 {
            problems.push("there are no steps; expected one at least".to_owned());
        }
        if problems.is_empty() { Ok(Self { numbers, steps }) } else { Err(problems) }
    }
}

/// A port that the circuit does not have.
fn unknown(name: &str, circuit: &Reading) -> String {
    /// Ports that are named.
    const NAMED: usize = 12;
    if circuit.clock.as_deref() == Some(name) {
        return format!("\"{}\" is the clock, which each step is one edge of", shown(name));
    }
    let ports = circuit.netlist.inputs();
    let mut names: Vec<String> = ports.iter().take(NAMED).map(|port| shown(&port.name)).collect();
    if ports.len() > NAMED {
        names.push("...".to_owned());
    }
    format!("there is no input port \"{}\"; the input ports are {}", shown(name), names.join(", "))
}

/// What the output ports show in each step.
pub fn simulate(
    netlist: &Netlist,
    stimuli: &Stimuli,
    context: &Context,
) -> Result<BTreeMap<String, Column>, Failure> {
    let Stimuli { numbers, steps } = stimuli;
    let clocked = netlist.register_bits().next().is_some() || !netlist.memories().is_empty();
    // The steps of a clocked circuit follow each other; others are done 64 at a time.
    let lanes = if clocked { 1 } else { 64 };
    let progress = context.progress("simulate", *steps as u64);
    let mut interpreter = Interpreter::new(netlist);
    let mut outputs: Vec<Column> =
        netlist.outputs().iter().map(|port| Column::new(port.wires.len())).collect();
    for first in (0..*steps).step_by(lanes) {
        let step = first..(first + lanes).min(*steps);
        for (port, numbers) in std::iter::zip(netlist.inputs(), numbers) {
            for (bit, &wire) in port.wires.iter().enumerate() {
                let lane = |(lane, step)| u64::from(numbers.bit(step, bit)) << lane;
                let lanes = step.clone().enumerate().map(lane).sum();
                interpreter.set_wire(wire, lanes);
            }
        }
        interpreter.evaluate()?;
        for (port, shown) in std::iter::zip(netlist.outputs(), &mut outputs) {
            for lane in 0..step.len() {
                shown.push(|bit| interpreter.wire(port.wires[bit]) >> lane & 1 == 1);
            }
        }
        if clocked {
            interpreter.step()?;
        }
        if progress.set(step.end as u64).is_break() {
            return Err(Failure::Interrupted);
        }
    }
    let names = netlist.outputs().iter().map(|port| port.name.clone());
    Ok(names.zip(outputs).collect())
}

/// The first outputs of a simulation, a line a port.
pub fn for_people(outputs: &BTreeMap<String, Column>) -> String {
    /// Ports that are shown.
    const PORTS: usize = 20;
    const WIDTH: usize = 96;
    let steps = outputs.values().next().map_or(0, |column| column.steps);
    let mut text = format!("outputs in {steps} steps:");
    for (name, numbers) in outputs.iter().take(PORTS) {
        let mut line = format!("  {}: ", shown(name));
        for (at, number) in numbers.numbers().enumerate() {
            let number = number.to_string();
            if line.len() + number.len() + 5 > WIDTH {
                line.push_str("...");
                break;
            }
            line += &number;
            line.push_str(if at + 1 < numbers.steps { ", " } else { "" });
        }
        text = text + "\n" + line.trim_end();
    }
    if outputs.len() > PORTS {
        text += &format!("\n  and {} more ports", outputs.len() - PORTS);
    }
    text
}
