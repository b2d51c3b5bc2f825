//! Instances, and what they are connected to once every module is known.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::formula::{ONE_BY_ONE, Operator};
use super::lexer::Token;
use super::number::{self, Digit};
use super::syntax::Parsed;
use super::{Body, Reader};
use crate::diagnostic::Diagnostic;
use crate::format::source::cells::{Cell, Lowered, Parameter, lower_cell};
use crate::format::source::{Cones, Connection, Direction, Instance, Module, Net, Position};

/// An instance as the file has it.
pub(super) struct Pending<'a> {
    module: &'a [u8],
    name: &'a [u8],
    position: Position,
    parameters: Vec<(&'a [u8], Parameter)>,
    pins: Vec<Pin<'a>>,
}

/// What a port of an instance is connected to.
struct Pin<'a> {
    /// Its name; `None` if it is known by its place.
    port: Option<&'a [u8]>,
    nets: SmallVec<[Net; 2]>,
    /// A number without a width, which takes that of the port.
    adapts: bool,
    position: Position,
}

/// A port of a module of the file.
struct Interface {
    name: String,
    direction: Direction,
    width: usize,
}

impl<'a> Reader<'a, '_, '_> {
    /// `module #(.P(1)) name (.a(x), .y(z)), ...;`.
    pub fn instances(&mut self) -> Parsed<()> {
        let module = self.name()?;
        let mut parameters = Vec::new();
        if self.eats("#") {
            parameters = self.parameters()?;
        }
        loop {
            let position = self.position;
            let name = self.name()?;
            if self.is("[") {
                return Err(self.refuse(self.position, "an array of instances", ONE_BY_ONE));
            }
            self.expect("(")?;
            let pins = self.pins()?;
            self.expect(")")?;
            let parameters = parameters.clone();
            self.body.instances.push(Pending { module, name, position, parameters, pins });
            if !self.eats(",") {
                return self.expect(";");
            }
        }
    }

    /// `(.LUT(4'h8), .MODE("ASYNC"))`.
    fn parameters(&mut self) -> Parsed<Vec<(&'a [u8], Parameter)>> {
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.eats(")") {
            if !self.is(".") {
                let hint = "write them as `#(.P(1))`";
                return Err(self.refuse(self.position, "a parameter without a name", hint));
            }
            self.advance();
            let name = self.name()?;
            let position = self.position;
            self.expect("(")?;
            match self.token {
                Token::Number(text) => {
                    let number = number::parse(text).map_err(|text| self.error(position, text))?;
                    let digits = number.digits.iter().map(|&digit| digit == Digit::One);
                    parameters.push((name, Parameter::Bits(digits.collect())));
                    self.advance();
                }
                Token::Text(text) => {
                    let text = String::from_utf8_lossy(text).into_owned();
                    parameters.push((name, Parameter::Text(text)));
                    self.advance();
                }
                _ => (),
            }
            if !self.is(")") {
                let hint = "a parameter is a number or a string";
                return Err(self.refuse(position, "the value of a parameter", hint));
            }
            self.advance();
            if !self.eats(",") && !self.is(")") {
                return Err(self.expected("`,` or `)`"));
            }
        }
        Ok(parameters)
    }

    /// Connections by name, or by place.
    fn pins(&mut self) -> Parsed<Vec<Pin<'a>>> {
        let mut pins = Vec::new();
        if self.is(")") {
            return Ok(pins);
        }
        loop {
            let position = self.position;
            if self.eats(".") {
                if self.is("*") {
                    let hint = "name the ports";
                    return Err(self.refuse(position, "a connection of all ports, `.*`,", hint));
                }
                let port = self.name()?;
                if self.eats("(") {
                    let pin = self.pin(Some(port), position)?;
                    pins.push(pin);
                    self.expect(")")?;
                } else {
                    let nets = self.signal(port, position).nets().collect();
                    pins.push(Pin { port: Some(port), nets, adapts: false, position });
                }
            } else {
                let pin = self.pin(None, position)?;
                pins.push(pin);
            }
            if !self.eats(",") {
                return Ok(pins);
            }
        }
    }

    fn pin(&mut self, port: Option<&'a [u8]>, position: Position) -> Parsed<Pin<'a>> {
        if self.is(")") || self.is(",") {
            return Ok(Pin { port, nets: SmallVec::new(), adapts: false, position });
        }
        let formula = self.formula()?;
        let adapts = formula
            .nodes
            .iter()
            .any(|node| matches!(node.operator, Operator::Constant { sized, .. } if !sized));
        let bits = self.lower(formula, None)?;
        let mut cones = Cones { module: &mut self.body.module, position };
        let nets = bits.iter().map(|bit| cones.net(bit)).collect();
        Ok(Pin { port, nets, adapts, position })
    }

    /// Connects the instances of all modules, and gives registers their initial values.
    pub fn connect(&mut self) {
        let mut interfaces = FxHashMap::default();
        let mut lines = FxHashMap::default();
        for body in &self.finished {
            let Module { name, position, .. } = &body.module;
            if let Some(line) = lines.insert(name, position.line) {
                let text = format!("there are two modules `{name}`; the first is on line {line}");
                self.problems.error(*position, Diagnostic::new(text));
            }
            let ports = body.module.ports().iter().map(|port| Interface {
                name: port.name.clone(),
                direction: port.direction,
                width: port.bits.len(),
            });
            interfaces.insert(body.module.name.clone(), ports.collect::<Vec<_>>());
        }
        for mut body in std::mem::take(&mut self.finished) {
            for instance in std::mem::take(&mut body.instances) {
                let module = String::from_utf8_lossy(instance.module).into_owned();
                match interfaces.get(&module) {
                    Some(ports) => self.connect_module(&mut body, module, ports, instance),
                    None => self.connect_cell(&mut body, module, instance),
                }
            }
            for mut register in std::mem::take(&mut body.registers) {
                match body.initial.get(&register.output) {
                    Some(&initial) => register.initial = initial,
                    None => self.unknown_registers.add(register.position),
                }
                body.module.register(register);
            }
            self.design.modules.push(body.module);
        }
    }

    fn connect_module(
        &mut self,
        body: &mut Body,
        module: String,
        ports: &[Interface],
        instance: Pending,
    ) {
        let Pending { position, .. } = instance;
        let name = String::from_utf8_lossy(instance.name).into_owned();
        if !instance.parameters.is_empty() {
            let what = format!("a parameter of `{module}`");
            self.refuse(position, &what, super::formula::SYNTHESISE);
        }
        // Few ports are searched one by one; many by a table.
        let table: FxHashMap<&str, usize> = match instance.pins.len() {
            0..=8 => FxHashMap::default(),
            _ => ports.iter().enumerate().map(|(at, port)| (&port.name[..], at)).collect(),
        };
        let find = |name: &str| match table.is_empty() {
            true => ports.iter().position(|port| port.name == name),
            false => table.get(name).copied(),
        };
        let mut connections = Vec::new();
        for (place, pin) in instance.pins.into_iter().enumerate() {
            let at = match pin.port {
                Some(port) => find(&String::from_utf8_lossy(port)),
                None => Some(place),
            };
            let Some(port) = at.and_then(|at| ports.get(at)) else {
                let text = match pin.port {
                    Some(port) => format!("no port `{}`", String::from_utf8_lossy(port)),
                    None => format!("{} ports, not {}", ports.len(), place + 1),
                };
                let text = format!("`{name}`, an instance of `{module}`, has {text}");
                self.error(pin.position, text);
                continue;
            };
            let bits = self.fitted(body, &name, port, &pin);
            let (port, position) = (port.name.clone(), pin.position);
            connections.push(Connection { port, bits, position });
        }
        body.module.instance(Instance { module, name, connections, position });
    }

    /// As many bits as the port has, as the language widens or cuts what it is connected to.
    fn fitted(&mut self, body: &mut Body, name: &str, port: &Interface, pin: &Pin) -> Vec<Net> {
        let mut bits = pin.nets.to_vec();
        if bits.is_empty() || bits.len() == port.width {
            return bits;
        }
        if !pin.adapts {
            let (given, width) = (bits.len(), port.width);
            let text = format!(
                "the port `{}` of `{name}` has {width} bits and is given {given}",
                port.name
            );
            self.problems.warning(pin.position, Diagnostic::new(text));
        }
        bits.truncate(port.width);
        while bits.len() < port.width {
            bits.push(match port.direction {
                Direction::Input => Net::constant(false),
                Direction::Output => body.module.net(pin.position),
            });
        }
        bits
    }

    /// An instance of a module that the file does not define.
    fn connect_cell(&mut self, body: &mut Body, module: String, instance: Pending) {
        let Pending { name, position, parameters, pins, .. } = instance;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let connections = pins.into_iter().map(|pin| Connection {
            port: pin.port.map(text).unwrap_or_default(),
            bits: pin.nets.to_vec(),
            position: pin.position,
        });
        let instance =
            Instance { module, name: text(name), connections: connections.collect(), position };
        let parameter = |name: &str| {
            let mut parameters = parameters.iter();
            parameters.find(|found| found.0 == name.as_bytes()).map(|(_, value)| value.clone())
        };
        let cell = Cell { instance: &instance, parameter: &parameter };
        match lower_cell(&mut body.module, cell) {
            Lowered::Logic => (),
            Lowered::Registers { registers, falling, initial } => {
                self.edges[usize::from(falling)].get_or_insert(position);
                for register in &registers {
                    if let Some(initial) = initial {
                        body.initial.entry(register.output).or_insert(initial);
                    }
                }
                body.registers.extend(registers);
            }
            Lowered::Refused(what, hint) => _ = self.refuse(position, &what, hint),
            Lowered::Wrong(text) => {
                let text = format!("`{}`, a cell `{}`, {text}", instance.name, instance.module);
                self.error(position, text);
            }
            Lowered::Unknown => body.module.instance(instance),
        }
    }
}
