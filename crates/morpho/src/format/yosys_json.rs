//! The JSON netlist of Yosys, for Yosys, nextpnr and netlistsvg.
//!
//! A gate is a `$lut`, a register a `$dff` of all its bits whose initial value is the attribute
//! `init` of its name, a memory a `$mem_v2`. A net is the number of its wire, so an output that
//! shows a register or an input has the numbers of that. A register that is named as the output
//! which shows it is one name with it. Names hold any printable ASCII character but `$` and `\`, which
//! begin those of Yosys.
//!
//! A port or register of one wire whose name would read as a bit of a bus, such as `x_0`, has an
//! `offset` of 0, by which [`read`](super::read) tells it from one.

use std::fmt::{self, Display};
use std::io::{self, Write};

use rustc_hash::FxHashSet;

use super::names::{Names, Signal, reads_as_bit};
use crate::lut::Lut;
use crate::memory::Memory;
use crate::netlist::{Netlist, Register, Wire};

/// Writes `netlist`; many small writes, so `out` should have a buffer.
///
/// # Errors
/// What `out` reports.
pub fn write(netlist: &Netlist, out: &mut impl Write) -> io::Result<()> {
    let mut names = Names::new(netlist, is_legal);
    names.share_registers(netlist);
    let clock = netlist.nodes().len();
    let mut writer = Writer { netlist, names: &names, clock, fresh: clock + 1, out };
    writer.module()
}

fn is_legal(c: char) -> bool {
    c.is_ascii_graphic() && !matches!(c, '$' | '\\')
}

struct Writer<'n, W> {
    netlist: &'n Netlist,
    names: &'n Names,
    /// The number of the net of the clock.
    clock: usize,
    /// The next number that no net has.
    fresh: usize,
    out: &'n mut W,
}

/// The bits of a register under its name.
struct RegisterName {
    name: String,
    scalar: bool,
    bits: Vec<usize>,
    /// The initial values, highest first.
    initial: String,
}

impl<W: Write> Writer<'_, W> {
    fn module(&mut self) -> io::Result<()> {
        writeln!(self.out, "{{\n  \"creator\": \"morpho\",\n  \"modules\": {{")?;
        writeln!(self.out, "    {}: {{", quoted(&self.names.model))?;
        writeln!(self.out, "      \"attributes\": {{ \"top\": \"{:032b}\" }},", 1)?;
        let registers = self.register_names();
        self.ports()?;
        self.cells(&registers)?;
        self.net_names(&registers)?;
        writeln!(self.out, "    }}\n  }}\n}}")
    }

    /// What each port, cell or name is, in an object of this name.
    fn list(&mut self, name: &str, items: impl Iterator<Item = String>) -> io::Result<()> {
        write!(self.out, "      \"{name}\": {{")?;
        for (at, item) in items.enumerate() {
            write!(self.out, "{}\n        {item}", if at > 0 { "," } else { "" })?;
        }
        write!(self.out, "\n      }}")
    }

    fn ports(&mut self) -> io::Result<()> {
        let (names, clock) = (self.names, self.clock);
        let port = |signal: &Signal, direction: &str| {
            let wires = Array(signal.bits.iter().map(|&(_, wire)| Bit(wire)));
            let offset = offset(&signal.name, signal.span() == Some((0, 0)));
            let name = quoted(&signal.name);
            format!("{name}: {{ \"direction\": \"{direction}\",{offset} \"bits\": {wires} }}")
        };
        let clock = names.clock.iter().map(|name| {
            format!("{}: {{ \"direction\": \"input\", \"bits\": [ {clock} ] }}", quoted(name))
        });
        let some = |signal: &&Signal| !signal.bits.is_empty();
        let inputs = names.inputs.iter().filter(some).map(|signal| port(signal, "input"));
        let outputs = names.outputs.iter().filter(some).map(|signal| port(signal, "output"));
        self.list("ports", clock.chain(inputs).chain(outputs))?;
        writeln!(self.out, ",")
    }

    fn cells(&mut self, registers: &[RegisterName]) -> io::Result<()> {
        let (netlist, names, clock) = (self.netlist, self.names, self.clock);
        let gates = netlist.gates().map(|(wire, gate)| {
            let (lut, inputs) = match gate.lut().arity() {
                // Yosys wants an input.
                0 => (Lut::from_fn(1, |_| gate.lut().row(0)), &[Wire::ZERO][..]),
                _ => (gate.lut(), gate.inputs()),
            };
            let (rows, width) = (1 << lut.arity(), lut.arity());
            let parameters =
                format!("\"LUT\": \"{:0rows$b}\", \"WIDTH\": \"{width:032b}\"", lut.table());
            let inputs = Array(inputs.iter().map(|&wire| Bit(wire)));
            let pins = format!("\"A\": {inputs}, \"Y\": [ {} ]", wire.index());
            let directions = r#""A": "input", "Y": "output""#;
            cell(&format!("$lut${}", wire.index()), "$lut", &parameters, directions, &pins)
        });
        let named = std::iter::zip(netlist.registers(), registers);
        let registers = named.filter(|(register, _)| !register.bits.is_empty());
        let registers = registers.map(|(register, RegisterName { name, .. })| {
            let width = register.bits.len();
            let parameters = format!("\"CLK_POLARITY\": \"1\", \"WIDTH\": \"{width:032b}\"");
            let next = Array(register.bits.iter().map(|bit| Bit(bit.next)));
            let output = Array(register.bits.iter().map(|bit| Bit(bit.output)));
            let pins = format!("\"CLK\": [ {clock} ], \"D\": {next}, \"Q\": {output}");
            let directions = r#""CLK": "input", "D": "input", "Q": "output""#;
            cell(&format!("$dff${name}"), "$dff", &parameters, directions, &pins)
        });
        let memories = std::iter::zip(netlist.memories(), &names.memories);
        let memories = memories.map(|(memory, name)| memory_cell(memory, name, clock));
        self.list("cells", gates.chain(registers).chain(memories))?;
        writeln!(self.out, ",")
    }

    fn net_names(&mut self, registers: &[RegisterName]) -> io::Result<()> {
        let (names, clock) = (self.names, self.clock);
        let net_name = |name: &str, scalar: bool, bits: String, attributes: String| {
            let (offset, name) = (offset(name, scalar), quoted(name));
            format!(
                "{name}: {{ \"hide_name\": 0,{offset} \"bits\": {bits}, \
                 \"attributes\": {{{attributes}}} }}"
            )
        };
        let of_signal = |signal: &Signal| {
            let bits = Array(signal.bits.iter().map(|&(_, wire)| Bit(wire))).to_string();
            net_name(&signal.name, signal.span() == Some((0, 0)), bits, String::new())
        };
        let clock = names
            .clock
            .iter()
            .map(|name| net_name(name, true, format!("[ {clock} ]"), String::new()));
        let of_registers: FxHashSet<&str> =
            registers.iter().map(|register| &register.name[..]).collect();
        let is_register = |signal: &&Signal| of_registers.contains(&signal.name[..]);
        let signals = names.inputs.iter().chain(&names.outputs).chain(&names.reads);
        let signals = signals.filter(|signal| !signal.bits.is_empty());
        let signals = signals.filter(|signal| !is_register(signal)).map(of_signal);
        let stored = registers.iter().filter(|register| !register.bits.is_empty());
        let stored = stored.map(|register| {
            let RegisterName { name, scalar, bits, initial } = register;
            let attributes = format!(" \"init\": \"{initial}\" ");
            net_name(name, *scalar, Array(bits.iter()).to_string(), attributes)
        });
        self.list("netnames", clock.chain(signals).chain(stored))?;
        writeln!(self.out)
    }

    /// Registers with the numbers of all their bits, lost ones too, from the lowest on.
    fn register_names(&mut self) -> Vec<RegisterName> {
        let (netlist, names) = (self.netlist, self.names);
        let named = |(register, signal): (&Register, &Signal)| {
            let width = signal.span().map_or(0, |(_, high)| high + 1);
            let mut places = register.bits.iter().peekable();
            let (mut bits, mut initial) = (Vec::new(), Vec::new());
            for index in 0..width {
                match places.next_if(|bit| bit.index == index) {
                    Some(bit) => {
                        bits.push(bit.output.index());
                        initial.push(if bit.initial { '1' } else { '0' });
                    }
                    None => {
                        bits.push(self.fresh);
                        self.fresh += 1;
                        initial.push('x');
                    }
                }
            }
            RegisterName {
                name: signal.name.clone(),
                scalar: width == 1,
                bits,
                initial: initial.into_iter().rev().collect(),
            }
        };
        std::iter::zip(netlist.registers(), &names.registers).map(named).collect()
    }
}

/// What tells a bus of one wire from a bit of another bus.
fn offset(name: &str, scalar: bool) -> &'static str {
    if scalar && reads_as_bit(name) { " \"offset\": 0," } else { "" }
}

fn cell(name: &str, kind: &str, parameters: &str, directions: &str, pins: &str) -> String {
    format!(
        "{}: {{ \"hide_name\": 1, \"type\": \"{kind}\", \"parameters\": {{ {parameters} }}, \
         \"attributes\": {{}}, \"port_directions\": {{ {directions} }}, \
         \"connections\": {{ {pins} }} }}",
        quoted(name)
    )
}

/// A memory whose reads are registered, and give the old word where one is written.
fn memory_cell(memory: &Memory, name: &str, clock: usize) -> String {
    let (reads, width, address) = (memory.reads.len(), memory.width(), memory.address_bits());
    let number = |value: usize| format!("\"{value:032b}\"");
    let all = |bit: char, count: usize| format!("\"{}\"", bit.to_string().repeat(count.max(1)));
    let words = memory.initial.iter().rev().map(|word| format!("{word:0width$b}"));
    let parameters: [(&str, String); 21] = [
        ("MEMID", quoted(&format!("\\{name}"))),
        ("SIZE", number(memory.depth())),
        ("OFFSET", number(0)),
        ("ABITS", number(address)),
        ("WIDTH", number(width)),
        ("INIT", format!("\"{}\"", words.collect::<String>())),
        ("RD_PORTS", number(reads)),
        ("RD_CLK_ENABLE", all('1', reads)),
        ("RD_CLK_POLARITY", all('1', reads)),
        ("RD_TRANSPARENCY_MASK", all('0', reads)),
        ("RD_COLLISION_X_MASK", all('0', reads)),
        ("RD_WIDE_CONTINUATION", all('0', reads)),
        ("RD_CE_OVER_SRST", all('0', reads)),
        ("RD_ARST_VALUE", all('x', reads * width)),
        ("RD_SRST_VALUE", all('x', reads * width)),
        ("RD_INIT_VALUE", all('x', reads * width)),
        ("WR_PORTS", number(usize::from(!memory.is_rom()))),
        ("WR_CLK_ENABLE", all('1', 1)),
        ("WR_CLK_POLARITY", all('1', 1)),
        ("WR_PRIORITY_MASK", all('0', 1)),
        ("WR_WIDE_CONTINUATION", all('0', 1)),
    ];
    let bits = |wires: &mut dyn Iterator<Item = Wire>| {
        Array(wires.collect::<Vec<_>>().into_iter().map(Bit)).to_string()
    };
    let ports = &memory.reads;
    let of_clock = |count| Array(std::iter::repeat_n(clock, count)).to_string();
    let of_zero = |count| bits(&mut std::iter::repeat_n(Wire::ZERO, count));
    let (write, writes) = (&memory.write, usize::from(!memory.is_rom()));
    let pins: [(&str, &str, String); 10] = [
        ("RD_CLK", "input", of_clock(reads)),
        ("RD_EN", "input", bits(&mut ports.iter().map(|read| read.enable))),
        ("RD_ARST", "input", of_zero(reads)),
        ("RD_SRST", "input", of_zero(reads)),
        ("RD_ADDR", "input", bits(&mut ports.iter().flat_map(|r| r.address.iter().copied()))),
        ("RD_DATA", "output", bits(&mut ports.iter().flat_map(|r| r.data.iter().copied()))),
        ("WR_CLK", "input", of_clock(writes)),
        ("WR_EN", "input", bits(&mut std::iter::repeat_n(write.enable, writes * width))),
        ("WR_ADDR", "input", bits(&mut write.address.iter().copied().take(writes * address))),
        ("WR_DATA", "input", bits(&mut write.data.iter().copied().take(writes * width))),
    ];
    let parameters = parameters.map(|(name, value)| format!("\"{name}\": {value}")).join(", ");
    let directions = pins.each_ref().map(|(pin, way, _)| format!("\"{pin}\": \"{way}\""));
    let nets = pins.each_ref().map(|(pin, _, bits)| format!("\"{pin}\": {bits}"));
    let name = format!("$mem${name}");
    cell(&name, "$mem_v2", &parameters, &directions.join(", "), &nets.join(", "))
}

/// A JSON string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A wire as a bit.
struct Bit(Wire);

impl Display for Bit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_constant() {
            Some(value) => write!(f, "\"{}\"", u8::from(value)),
            None => write!(f, "{}", self.0.index()),
        }
    }
}

/// A JSON list.
struct Array<I>(I);

impl<I: Iterator<Item: Display> + Clone> Display for Array<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (at, item) in self.0.clone().enumerate() {
            write!(f, "{} {item}", if at > 0 { "," } else { "" })?;
        }
        f.write_str(" ]")
    }
}
