//! A unit's netlist as a map: its hierarchy, its critical path, the values on its wires.

use std::collections::BTreeMap;

use morpho::random::Random;
use morpho::{Instance, Netlist};
use wasm_bindgen::prelude::*;
use wkv::WkvSpec;
use wkv::circuit::{Style, Unit, UnitGates, build_in, inventory, unit_of, units};
use wkv::fixed::newton::{Newton, Reciprocal};
use wkv::fixed::{Model, State, mul};
use wkv::synthetic::{Course, Distribution};

use crate::schematic::{BusKind, MOST_STEPS, Notation, Schematic};

/// The most channels of a unit of many. More are built, but not drawn.
const MOST_CHANNELS: usize = 8;

/// What there is to choose from, one name a line.
#[wasm_bindgen]
pub fn unit_names() -> Vec<String> {
    let many = [Unit::Bank(2), Unit::Serial(2), Unit::Shared(2)];
    Unit::ALL.into_iter().chain(many).map(|unit| unit.to_string()).collect()
}

/// The names of the styles.
#[wasm_bindgen]
pub fn style_names() -> Vec<String> {
    Style::ALL.into_iter().map(|style| style.name().to_string()).collect()
}

/// The shortest text of a spec.
///
/// # Errors
/// If it is none, in words for the reader.
#[wasm_bindgen]
pub fn canonical_spec(spec: &str) -> Result<String, String> {
    Ok(parse(spec)?.to_string())
}

/// Bits after the point in the format of a spec.
///
/// # Errors
/// If it is none, in words for the reader.
#[wasm_bindgen]
pub fn fraction_bits(spec: &str) -> Result<u32, String> {
    Ok(parse(spec)?.format.fraction_bits())
}

/// The circuit of a unit, as `wkv build` makes it, to draw and to run.
///
/// # Errors
/// If there is no such spec, unit or style, or the circuit is too large to draw.
#[wasm_bindgen]
pub fn unit_schematic(spec: &str, unit: &str, style: &str) -> Result<Schematic, String> {
    let (spec, unit, style) = (parse(spec)?, parse_unit(unit)?, parse_style(style)?);
    let netlist = build_in(style, &spec, unit).map_err(|problems| problems.to_string())?;
    let parts = parts(&netlist);
    Schematic::new(netlist, &parts, |name| notation(&spec, unit, name))
}

/// One line of the inventory of a circuit.
#[wasm_bindgen(getter_with_clone)]
pub struct InventoryLine {
    /// The unit, in the words of a hardware engineer.
    pub unit: String,
    /// Instances of it; 0 for what belongs to no unit.
    pub instances: usize,
    /// Its gates, in all instances together.
    pub gates: usize,
    /// Gates on the longest path inside one instance.
    pub depth: u32,
    /// Its gates on the critical path of the circuit.
    pub on_path: usize,
}

/// What units a circuit is made of.
#[wasm_bindgen]
pub fn unit_inventory(schematic: &Schematic) -> Vec<InventoryLine> {
    let netlist = &schematic.netlist;
    let hierarchy = netlist.hierarchy();
    let by_unit = units(hierarchy);
    let is_of = |unit: Option<&str>, at: Instance| unit_of(hierarchy, at) == unit;
    let line = |line: UnitGates| {
        // The last line, of what belongs to no unit, has no instances.
        let unit = Some(line.unit).filter(|_| line.instances > 0);
        let depth = |at: Instance| schematic.shares()[at.index()].depth;
        let instances = hierarchy.instances().filter(|at| is_of(unit, *at));
        let legs = schematic.legs().iter();
        InventoryLine {
            unit: line.unit.to_string(),
            instances: line.instances,
            gates: line.gates,
            depth: instances.map(depth).max().unwrap_or(0),
            on_path: legs
                .filter(|leg| is_of(unit, by_unit[leg.part.index()]))
                .map(|leg| leg.gates.len())
                .sum(),
        }
    };
    inventory(netlist).into_iter().map(line).collect()
}

/// By instance: which line of the inventory the innermost unit has that it is or is in; 255 where
/// there is none.
#[wasm_bindgen]
pub fn unit_lines(schematic: &Schematic) -> Vec<u8> {
    let netlist = &schematic.netlist;
    let hierarchy = netlist.hierarchy();
    let lines = inventory(netlist);
    let line = |unit: Instance| {
        let name = unit_of(hierarchy, unit)?;
        lines.iter().position(|line| line.unit == name).map(|line| line as u8)
    };
    units(hierarchy).into_iter().map(|unit| line(unit).unwrap_or(u8::MAX)).collect()
}

/// The parts into which the critical path is cut: units, or, in a circuit of one unit or of none,
/// what that one is made of.
fn parts(netlist: &Netlist) -> Vec<Instance> {
    let hierarchy = netlist.hierarchy();
    let by_unit = units(hierarchy);
    let first = netlist.gates().next().map(|(_, gate)| by_unit[gate.origin().index()]);
    let one = first.unwrap_or(Instance::TOP);
    if netlist.gates().any(|(_, gate)| by_unit[gate.origin().index()] != one) {
        return by_unit;
    }
    let mut parts: Vec<Instance> = hierarchy.instances().collect();
    for instance in hierarchy.instances().skip(1) {
        let parent = hierarchy.parent(instance);
        // Below the children of the one unit, everything counts for the child.
        let is_part = instance == one || parent == one || parent == Instance::TOP;
        parts[instance.index()] = if is_part { instance } else { parts[parent.index()] };
    }
    parts
}

/// How the bus of this name is read.
fn notation(spec: &WkvSpec, unit: Unit, name: &str) -> Notation {
    let point = spec.format.fraction_bits();
    let number = |fraction_bits, signed| Notation { fraction_bits: Some(fraction_bits), signed };
    match (unit, name) {
        (Unit::Serial(_) | Unit::Shared(_), "k" | "v" | "out") => number(point, true),
        (Unit::Serial(_) | Unit::Shared(_), _) => Notation::PLAIN,
        (_, "e" | "f") | (Unit::Exp2, "y") => number(16, false),
        (Unit::Exp2, "x") | (_, "den" | "distance") | (Unit::Divider, "d") => number(point, false),
        (Unit::Reciprocal, _) | (_, "less" | "saturated" | "underflowed") => Notation::PLAIN,
        _ => number(point, true),
    }
}

fn parse(spec: &str) -> Result<WkvSpec, String> {
    spec.parse().map_err(|error: wkv::spec::SpecError| error.to_string())
}

fn parse_style(style: &str) -> Result<Style, String> {
    style.parse().map_err(|error: wkv::circuit::StyleError| error.to_string())
}

fn parse_unit(unit: &str) -> Result<Unit, String> {
    let unit = unit.parse().map_err(|error: wkv::circuit::UnitError| error.to_string())?;
    match unit {
        Unit::Bank(channels) | Unit::Serial(channels) | Unit::Shared(channels)
            if channels > MOST_CHANNELS =>
        {
            Err(format!("{channels} channels are too many to draw: give up to {MOST_CHANNELS}."))
        }
        _ => Ok(unit),
    }
}

/// What goes into a unit step by step, and what the integer model says comes out.
#[wasm_bindgen]
pub struct Stimuli {
    unit: Unit,
    style: Style,
    /// Keys and values, raw; empty where the held numbers are taken.
    tokens: Vec<[i32; 2]>,
    /// Whether ports other than those of a token are drawn at random.
    drawn: bool,
    random: Random,
    held: BTreeMap<String, i32>,
    model: Model,
    state: State,
    /// Tokens that a cell of many channels took, loads of its constants included.
    taken: usize,
    claimed: usize,
    agreed: usize,
}

/// The scales of keys and values of a stream, base 2 and plain: those of the published model.
const SCALES: [f64; 2] = [2.0, 1.0];

#[wasm_bindgen]
impl Stimuli {
    /// Inputs of a unit: `course` is `wandering` or `independent`, drawn from `seed`, or `held`.
    /// `names` and `numbers` are input ports and the raw numbers on them: those of all ports where
    /// they are held, else `u` and `w` alone.
    ///
    /// # Errors
    /// If there is no such spec, unit, style or course, or a number has no port of 16 bits or so.
    #[wasm_bindgen(constructor)]
    pub fn new(
        spec: &str,
        unit: &str,
        style: &str,
        course: &str,
        seed: u32,
        names: Vec<String>,
        numbers: Vec<i32>,
    ) -> Result<Stimuli, String> {
        let (spec, unit, style) = (parse(spec)?, parse_unit(unit)?, parse_style(style)?);
        let course = match course {
            "held" => None,
            "wandering" => Some(Course::Wandering),
            "independent" => Some(Course::Independent),
            _ => return Err(format!("There is no course \"{course}\".")),
        };
        let raw = |real: f32| spec.format.quantise(f64::from(real)).0;
        let tokens = course.map_or_else(Vec::new, |course| {
            let [key_scale, value_scale] = SCALES;
            let distribution = Distribution { course, key_scale, value_scale };
            let streams = distribution.draw(1, MOST_STEPS, u64::from(seed));
            std::iter::zip(streams.k, streams.v).map(|(k, v)| [raw(k), raw(v)]).collect()
        });
        Ok(Stimuli {
            unit,
            style,
            tokens,
            drawn: course.is_some(),
            random: Random::new(u64::from(seed)),
            held: std::iter::zip(names, numbers).collect(),
            model: Model::new(&spec),
            state: State::start(&spec),
            taken: 0,
            claimed: 0,
            agreed: 0,
        })
    }

    /// Runs a schematic of the unit from where it is until step `step` is kept.
    ///
    /// # Errors
    /// If it does not settle, or so many steps are not kept.
    pub fn run(&mut self, schematic: &mut Schematic, step: usize) -> Result<(), String> {
        if step >= MOST_STEPS {
            return Err(format!("Steps go from 0 to {}.", MOST_STEPS - 1));
        }
        while schematic.steps() <= step {
            self.advance(schematic)?;
        }
        Ok(())
    }

    /// Steps of which the integer model says what they give.
    pub fn claimed(&self) -> usize {
        self.claimed
    }

    /// Steps in which the gates gave that, in every bit of every output and register.
    pub fn agreed(&self) -> usize {
        self.agreed
    }

    fn advance(&mut self, schematic: &mut Schematic) -> Result<(), String> {
        let step = schematic.steps();
        let ports = schematic.netlist.inputs();
        let inputs: BTreeMap<String, i32> =
            ports.iter().map(|port| (port.name.clone(), self.input(&port.name, step))).collect();
        let masked = ports.iter().map(|port| {
            let mask = u32::MAX >> (32 - port.wires.len().clamp(1, 32));
            inputs[&port.name] as u32 & mask
        });
        let masked: Vec<u32> = masked.collect();
        schematic.advance(&masked)?;
        if schematic.number_of(BusKind::Output, "ready", step) == Some(1) {
            self.taken += 1;
        }
        if let Some(expected) = self.expected(&inputs) {
            let holds = |(kind, name, number): &(BusKind, &str, i64)| {
                // Bits that nothing reads are gone from the circuit.
                schematic.number_of(*kind, name, step).is_none_or(|given| given == *number)
            };
            self.claimed += 1;
            self.agreed += usize::from(expected.iter().all(holds));
        }
        Ok(())
    }

    /// The raw number on an input port in a step.
    fn input(&mut self, port: &str, step: usize) -> i32 {
        if matches!(self.unit, Unit::Serial(_) | Unit::Shared(_)) {
            return self.streaming_input(port);
        }
        let token = self.tokens.get(step).copied();
        let held = self.held.get(port).copied().unwrap_or(0);
        match (port, token) {
            ("k", Some([k, _])) => k,
            ("v", Some([_, v])) => v,
            ("aa", Some(_)) if self.unit == Unit::Step => self.state.aa,
            ("bb", Some(_)) if self.unit == Unit::Step => self.state.bb,
            ("pp", Some(_)) if self.unit == Unit::Step => self.state.pp,
            ("u" | "w", _) => held,
            _ if self.drawn => self.draw(port),
            _ => held,
        }
    }

    /// A cell of many channels is loaded with `u` and `w`, then given tokens as fast as it takes
    /// them, all channels the same.
    fn streaming_input(&mut self, port: &str) -> i32 {
        let channels = match self.unit {
            Unit::Serial(channels) | Unit::Shared(channels) => channels,
            _ => 1,
        };
        let loads = self.taken < channels;
        let token = self.taken.saturating_sub(channels) / channels;
        let [k, v] =
            self.tokens.get(token).copied().unwrap_or_else(|| {
                ["k", "v"].map(|name| self.held.get(name).copied().unwrap_or(0))
            });
        let constant = |name| self.held.get(name).copied().unwrap_or(0);
        match port {
            "k" if loads => constant("u"),
            "v" if loads => constant("w"),
            "k" => k,
            "v" => v,
            "valid" | "out_ready" => 1,
            "load" => i32::from(loads),
            "first" => i32::from(!loads && token == 0),
            _ => 0,
        }
    }

    /// A random number within what the port of a unit is made for.
    fn draw(&mut self, port: &str) -> i32 {
        let word = (self.random.word() >> 40) as i32;
        let carry = self.style == Style::Carry;
        match (self.unit, port) {
            (Unit::Multiplier, "e") => word % 65_537,
            (Unit::Multiplier, "a") if carry => word & 0x7fff,
            // Denominators of every size that the unit is made for.
            (Unit::Divider | Unit::Reciprocal, "d") => {
                ((word & 0x7fff) >> (word >> 16 & 15)).max(self.least_denominator())
            }
            _ => (word & 0xffff) - 0x8000,
        }
    }

    /// The least raw denominator that the divider is made for: with carry chains, above 1.
    fn least_denominator(&self) -> i32 {
        match self.style {
            Style::Gates => 1,
            Style::Carry => self.model.spec().format.one() + 1,
        }
    }

    /// What the integer model says of outputs and next register values; `None` where it says
    /// nothing.
    fn expected(
        &mut self,
        inputs: &BTreeMap<String, i32>,
    ) -> Option<Vec<(BusKind, &'static str, i64)>> {
        use BusKind::{Next, Output};
        let of = |name: &str| inputs.get(name).copied().unwrap_or(0);
        let format = self.model.spec().format;
        let output = |name, number: i32| (Output, name, i64::from(number));
        let carry = self.style == Style::Carry;
        match self.unit {
            Unit::SaturatingAdd => Some(vec![output("y", format.saturate(of("a") + of("b")))]),
            Unit::Compare => {
                let (a, b) = (of("a"), of("b"));
                let distance = (a - b).abs();
                let less = output("less", i32::from(a < b));
                Some(vec![output("maximum", a.max(b)), output("distance", distance), less])
            }
            Unit::Exp2 => Some(vec![output("y", self.model.exp2neg(of("x") & 0xffff))]),
            Unit::Multiplier => {
                let (a, e) = (of("a"), of("e"));
                let within = (0..=65_536).contains(&e) && !(carry && a < 0);
                within.then(|| vec![output("y", mul(a, e))])
            }
            Unit::Divider => {
                let divisor = of("d") & 0xffff;
                let within = divisor >= self.least_denominator();
                let quotient = format.saturate(self.model.div(of("n"), divisor.max(1)));
                within.then(|| vec![output("q", quotient)])
            }
            Unit::Reciprocal => {
                let divisor = of("d") & 0xffff;
                let Reciprocal { mantissa, place } =
                    Newton::default().reciprocal(divisor.max(1) as u32);
                let within = divisor > 0;
                within.then(|| vec![output("r", mantissa as i32), output("place", place as i32)])
            }
            Unit::Step => {
                let state = State { aa: of("aa"), bb: of("bb"), pp: of("pp") };
                let step = self.model.step(state, of("k"), of("v"), of("u"), of("w"));
                self.state = step.next;
                let next = step.next;
                let numbers = [("aa_next", next.aa), ("bb_next", next.bb), ("pp_next", next.pp)];
                let all = numbers.into_iter().chain([("out", step.out)]);
                (state.bb >= 0).then(|| all.map(|(name, raw)| output(name, raw)).collect())
            }
            Unit::Cell | Unit::ProbedCell => {
                let step = self.model.step(self.state, of("k"), of("v"), of("u"), of("w"));
                self.state = step.next;
                let next = step.next;
                let registers = [("aa", next.aa), ("bb", next.bb), ("pp", next.pp)];
                let registers = registers.map(|(name, raw)| (Next, name, i64::from(raw)));
                Some(registers.into_iter().chain([output("out", step.out)]).collect())
            }
            Unit::Bank(_) | Unit::Serial(_) | Unit::Shared(_) => None,
        }
    }
}
