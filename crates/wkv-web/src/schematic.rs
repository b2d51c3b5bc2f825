//! A netlist with what it takes to draw it and to run it step by step.

use morpho::composition::{Leg, Share, composition, legs};
use morpho::format::formula;
use morpho::graph::{critical_path, levels};
use morpho::sim::Interpreter;
use morpho::{Instance, Lut, Netlist, Node, Wire};
use wasm_bindgen::prelude::*;

use crate::layout::Layout;

/// The most gates that are drawn.
pub const MOST_GATES: usize = 40_000;

/// The most steps that are kept.
pub const MOST_STEPS: usize = 1024;

/// What a bus is at the border of a circuit or inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusKind {
    /// An input port.
    Input,
    /// What a register holds.
    Register,
    /// An output port.
    Output,
    /// What a register will hold.
    Next,
    /// A named bus inside.
    Signal,
}

/// How the number on a bus is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notation {
    /// Bits after the point; `None` where the bus is no number with a point.
    pub fraction_bits: Option<u32>,
    /// Whether it is in two's complement.
    pub signed: bool,
}

impl Notation {
    /// A plain unsigned number.
    pub const PLAIN: Notation = Notation { fraction_bits: None, signed: false };
}

/// A bus that has a name.
pub struct NamedBus {
    /// The name.
    pub name: String,
    /// What it is.
    pub kind: BusKind,
    /// How it is read.
    pub notation: Notation,
    /// The instance that named it.
    pub origin: Instance,
    /// Wires, low bit first, each with whether its complement is meant; `None` for a bit that the
    /// circuit has not any more.
    bits: Vec<Option<(Wire, bool)>>,
    /// The row beside which it stands.
    row: f32,
}

/// A netlist, its drawing, and what its wires carried in each step.
#[wasm_bindgen]
pub struct Schematic {
    pub(crate) netlist: Netlist,
    shares: Vec<Share>,
    levels: Vec<u32>,
    layout: Layout,
    path: Vec<Wire>,
    legs: Vec<Leg>,
    pub(crate) buses: Vec<NamedBus>,
    simulator: Interpreter<'static>,
    /// The value of each wire, by step.
    history: Vec<Vec<u8>>,
}

impl Schematic {
    /// Draws `netlist`; `part` tells for each instance, by its index, to which part of the circuit
    /// it counts on the critical path, and `notation` how a bus of a name is read.
    ///
    /// # Errors
    /// If it is too large.
    pub fn new(
        netlist: Netlist,
        part: &[Instance],
        notation: impl Fn(&str) -> Notation,
    ) -> Result<Schematic, String> {
        let gates = netlist.gates().count();
        if gates > MOST_GATES {
            return Err(format!(
                "This circuit has {gates} gates; the page draws up to {MOST_GATES}."
            ));
        }
        let shares = composition(&netlist);
        let layout = Layout::new(&netlist, &shares);
        let path = critical_path(&netlist);
        let legs = legs(&netlist, &path, |instance| part[instance.index()]);
        let buses = buses(&netlist, &layout, notation);
        Ok(Schematic {
            levels: levels(&netlist),
            shares,
            layout,
            path,
            legs,
            buses,
            simulator: Interpreter::owning(netlist.clone()),
            history: Vec::new(),
            netlist,
        })
    }

    /// The stretches of the critical path, part by part.
    pub fn legs(&self) -> &[Leg] {
        &self.legs
    }

    /// What each instance holds.
    pub fn shares(&self) -> &[Share] {
        &self.shares
    }

    /// Steps that are kept.
    pub fn steps(&self) -> usize {
        self.history.len()
    }

    /// The number on a bus in a step, as its notation says; `None` if bits are missing.
    pub fn number(&self, bus: &NamedBus, step: usize) -> Option<i64> {
        let values = self.history.get(step)?;
        let mut number = 0;
        for (place, bit) in bus.bits.iter().enumerate() {
            let (wire, complemented) = (*bit)?;
            let value = values[wire.index()] == 1;
            number |= i64::from(value != complemented).checked_shl(place as u32)?;
        }
        let width = bus.bits.len() as u32;
        let negative = bus.notation.signed && width > 0 && number >> (width - 1) & 1 == 1;
        Some(if negative { number - (1 << width) } else { number })
    }

    /// The number on the bus of this kind and name in a step.
    pub fn number_of(&self, kind: BusKind, name: &str, step: usize) -> Option<i64> {
        let bus = self.buses.iter().find(|bus| bus.kind == kind && bus.name == name)?;
        self.number(bus, step)
    }
}

/// The named buses of a circuit: its ports, its registers, its signals.
fn buses(netlist: &Netlist, layout: &Layout, notation: impl Fn(&str) -> Notation) -> Vec<NamedBus> {
    let plain = |wire: &Wire| Some((*wire, false));
    let mut buses = Vec::new();
    let mut add = |kind, name: &str, origin, bits: Vec<_>| {
        let name = name.to_string();
        let notation = notation(&name);
        buses.push(NamedBus { name, kind, notation, origin, bits, row: 0.0 });
    };
    for port in netlist.inputs() {
        let bits = port.wires.iter().map(plain).collect();
        add(BusKind::Input, &port.name, Instance::TOP, bits);
    }
    for register in netlist.registers() {
        let width = register.bits.last().map_or(0, |bit| bit.index + 1);
        let (mut held, mut next) = (vec![None; width], vec![None; width]);
        for bit in &register.bits {
            held[bit.index] = plain(&bit.output);
            next[bit.index] = plain(&bit.next);
        }
        add(BusKind::Register, &register.name, Instance::TOP, held);
        add(BusKind::Next, &register.name, Instance::TOP, next);
    }
    for port in netlist.outputs() {
        let bits = port.wires.iter().map(plain).collect();
        add(BusKind::Output, &port.name, Instance::TOP, bits);
    }
    for signal in netlist.signals() {
        let bits = signal.bits().iter().map(|bit| bit.map(|bit| (bit.wire, bit.complemented)));
        add(BusKind::Signal, signal.name(), signal.origin(), bits.collect());
    }
    set_rows(&mut buses, netlist, layout);
    buses
}

/// Puts each bus beside the gates that it is connected to.
fn set_rows(buses: &mut [NamedBus], netlist: &Netlist, layout: &Layout) {
    let mut readers: Vec<Vec<Wire>> = vec![Vec::new(); netlist.nodes().len()];
    for (wire, gate) in netlist.gates() {
        gate.inputs().iter().for_each(|input| readers[input.index()].push(wire));
    }
    for bus in buses {
        let wires: Vec<Wire> = bus.bits.iter().flatten().map(|&(wire, _)| wire).collect();
        let beside: Vec<Wire> = match bus.kind {
            BusKind::Input | BusKind::Register => {
                wires.iter().flat_map(|wire| readers[wire.index()].iter().copied()).collect()
            }
            _ => wires,
        };
        bus.row = layout.middle(netlist, &beside).unwrap_or(0.0);
    }
}

/// What kind of node drives a wire.
const CONSTANT: u8 = 0;
const INPUT: u8 = 1;
const REGISTER: u8 = 2;
const MEMORY: u8 = 3;
const GATE: u8 = 4;

/// What the page reads. Arrays by instance and by wire go by their index.
#[wasm_bindgen]
impl Schematic {
    /// Before the first step again.
    pub fn restart(&mut self) {
        self.simulator = Interpreter::owning(self.netlist.clone());
        self.history.clear();
    }

    /// Puts a number on every input port, in their order, keeps the value of every wire, and goes
    /// one clock on.
    ///
    /// # Errors
    /// If an asynchronous loop does not settle.
    pub fn advance(&mut self, inputs: &[u32]) -> Result<(), String> {
        for (port, &number) in std::iter::zip(self.netlist.inputs(), inputs) {
            self.simulator.set(&port.name, &[u128::from(number)]);
        }
        self.simulator.evaluate().map_err(|error| error.to_string())?;
        let values = self.simulator.values();
        self.history.push(values.iter().map(|lanes| (lanes & 1) as u8).collect());
        self.simulator.step().map_err(|error| error.to_string())
    }

    /// Number of gates.
    pub fn gates(&self) -> usize {
        self.shares[0].gates
    }

    /// Number of register bits.
    pub fn registers(&self) -> usize {
        self.netlist.register_bits().count()
    }

    /// Gates on the longest path.
    pub fn depth(&self) -> usize {
        self.netlist.depth()
    }

    /// By instance: the name of its cell.
    pub fn cells(&self) -> Vec<String> {
        let hierarchy = self.netlist.hierarchy();
        hierarchy.instances().map(|instance| hierarchy.cell(instance).to_string()).collect()
    }

    /// By instance: the widths of its arguments, with commas.
    pub fn widths(&self) -> Vec<String> {
        let hierarchy = self.netlist.hierarchy();
        let widths = |instance| {
            let widths: Vec<String> = hierarchy.widths(instance).map(|w| w.to_string()).collect();
            widths.join(",")
        };
        hierarchy.instances().map(widths).collect()
    }

    /// By instance: the one it stands in; the top stands in itself.
    pub fn parents(&self) -> Vec<u32> {
        let hierarchy = self.netlist.hierarchy();
        hierarchy.instances().map(|instance| hierarchy.parent(instance).index() as u32).collect()
    }

    /// By instance: gates, own gates, depth, first level and last level, five numbers each.
    pub fn sizes(&self) -> Vec<u32> {
        let five = |share: &Share| {
            let (gates, own) = (share.gates as u32, share.own_gates as u32);
            [gates, own, share.depth, share.first_level, share.last_level]
        };
        self.shares.iter().flat_map(five).collect()
    }

    /// By instance: left, top, right, bottom.
    pub fn boxes(&self) -> Vec<f32> {
        self.layout.boxes.iter().flatten().copied().collect()
    }

    /// The edges of the columns, by level from 0 on.
    pub fn columns(&self) -> Vec<f32> {
        self.layout.columns.clone()
    }

    /// By wire: the row of its gate.
    pub fn rows(&self) -> Vec<f32> {
        self.layout.rows.clone()
    }

    /// By wire: what drives it: 0 a constant, 1 an input, 2 a register, 3 a memory, 4 a gate.
    pub fn kinds(&self) -> Vec<u8> {
        let kind = |node: &Node| match node {
            Node::Constant(_) => CONSTANT,
            Node::Input => INPUT,
            Node::Register => REGISTER,
            Node::Memory => MEMORY,
            Node::Gate(_) => GATE,
        };
        self.netlist.nodes().iter().map(kind).collect()
    }

    /// By wire: the instance that built its gate; 0 if none did.
    pub fn origins(&self) -> Vec<u32> {
        let origin = |node: &Node| match node {
            Node::Gate(gate) => gate.origin().index() as u32,
            _ => 0,
        };
        self.netlist.nodes().iter().map(origin).collect()
    }

    /// By wire: its level.
    pub fn levels(&self) -> Vec<u32> {
        self.levels.clone()
    }

    /// By wire, and one more: where in [`Schematic::inputs`] the inputs of its gate begin.
    pub fn input_starts(&self) -> Vec<u32> {
        let mut starts = vec![0];
        let mut start = 0;
        for node in self.netlist.nodes() {
            start += inputs_of(node).len() as u32;
            starts.push(start);
        }
        starts
    }

    /// The wires that gates read, gate after gate.
    pub fn inputs(&self) -> Vec<u32> {
        let inputs = self.netlist.nodes().iter().flat_map(inputs_of);
        inputs.map(|wire| wire.index() as u32).collect()
    }

    /// By wire: which function of [`Schematic::functions`] its gate has.
    pub fn function_numbers(&self) -> Vec<u32> {
        let luts = self.luts();
        let number = |node: &Node| match node {
            Node::Gate(gate) => luts.binary_search(&gate.lut()).unwrap_or(0) as u32,
            _ => 0,
        };
        self.netlist.nodes().iter().map(number).collect()
    }

    /// The functions that gates have, each as: its name, a line break, its formula in a, b, c ..., a
    /// line break, the rows of its table.
    pub fn functions(&self) -> Vec<String> {
        let text = |lut: &Lut| {
            let rows: String =
                (0..1 << lut.arity()).map(|row| if lut.row(row) { '1' } else { '0' }).collect();
            let names = ["a", "b", "c", "d", "e", "f"];
            format!("{}\n{}\n{rows}", name_of(*lut), formula(*lut, &names))
        };
        self.luts().iter().map(text).collect()
    }

    /// The wires of a longest path, first to last.
    pub fn critical_path(&self) -> Vec<u32> {
        self.path.iter().map(|wire| wire.index() as u32).collect()
    }

    /// The stretches of that path: of each the instance it is in, and how many gates it has there.
    pub fn path_legs(&self) -> Vec<u32> {
        let leg = |leg: &Leg| [leg.part.index() as u32, leg.gates.len() as u32];
        self.legs.iter().flat_map(leg).collect()
    }

    /// The names of the named buses.
    pub fn bus_names(&self) -> Vec<String> {
        self.buses.iter().map(|bus| bus.name.clone()).collect()
    }

    /// By bus, five numbers: its kind (0 input, 1 register, 2 output, 3 next of a register, 4
    /// signal), its width, its bits after the point or 255, whether it is signed, the instance that
    /// named it.
    pub fn bus_forms(&self) -> Vec<u32> {
        let form = |bus: &NamedBus| {
            let Notation { fraction_bits, signed } = bus.notation;
            let (point, origin) = (fraction_bits.unwrap_or(255), bus.origin.index() as u32);
            [bus.kind as u32, bus.bits.len() as u32, point, u32::from(signed), origin]
        };
        self.buses.iter().flat_map(form).collect()
    }

    /// The wires of the buses, one bus after another, low bit first; 4294967295 where a bit is
    /// gone.
    pub fn bus_wires(&self) -> Vec<u32> {
        let bits = self.buses.iter().flat_map(|bus| &bus.bits);
        bits.map(|bit| bit.map_or(u32::MAX, |(wire, _)| wire.index() as u32)).collect()
    }

    /// By bus: the row beside which it stands.
    pub fn bus_rows(&self) -> Vec<f32> {
        self.buses.iter().map(|bus| bus.row).collect()
    }

    /// By bus: the number on it in a step that was run; not a number if bits are gone.
    pub fn bus_numbers(&self, step: usize) -> Vec<f64> {
        let number = |bus| self.number(bus, step).map_or(f64::NAN, |number| number as f64);
        self.buses.iter().map(number).collect()
    }

    /// By wire: its value in a step that was run, before the clock edge; empty for another step.
    pub fn values(&self, step: usize) -> Vec<u8> {
        self.history.get(step).cloned().unwrap_or_default()
    }
}

impl Schematic {
    /// Every function that a gate has, in order.
    fn luts(&self) -> Vec<Lut> {
        let mut luts: Vec<Lut> = self.netlist.gates().map(|(_, gate)| gate.lut()).collect();
        luts.sort_unstable();
        luts.dedup();
        luts
    }
}

fn inputs_of(node: &Node) -> &[Wire] {
    match node {
        Node::Gate(gate) => gate.inputs(),
        _ => &[],
    }
}

/// The usual names of functions of up to three inputs; `lut` and the number of inputs for others.
fn name_of(lut: Lut) -> String {
    let named = [
        (Lut::BUFFER, "buffer"),
        (Lut::NOT, "not"),
        (Lut::AND, "and"),
        (Lut::AND.complement(), "nand"),
        (Lut::OR, "or"),
        (Lut::NOR, "nor"),
        (Lut::XOR, "xor"),
        (Lut::XNOR, "xnor"),
        (Lut::XOR3, "xor3"),
        (Lut::XOR3.complement(), "xnor3"),
        (Lut::MAJORITY, "majority"),
        (Lut::MAJORITY.complement(), "minority"),
        (Lut::AND_NOT, "and-not"),
        (Lut::AND_NOT.swap(0, 1), "and-not"),
        (Lut::OR_NOT, "or-not"),
        (Lut::OR_NOT.swap(0, 1), "or-not"),
    ];
    if let Some((_, name)) = named.iter().find(|(known, _)| *known == lut) {
        return (*name).to_string();
    }
    let orders = [[0, 1, 2], [1, 0, 2], [2, 1, 0], [0, 2, 1], [1, 2, 0], [2, 0, 1]];
    let reordered = |[a, b, c]: [usize; 3]| {
        Lut::from_fn(3, |row| {
            Lut::MUX.row(row >> a & 1 | (row >> b & 1) << 1 | (row >> c & 1) << 2)
        })
    };
    match lut.arity() {
        3 if orders.map(reordered).contains(&lut) => "mux".to_string(),
        arity => format!("lut{arity}"),
    }
}
