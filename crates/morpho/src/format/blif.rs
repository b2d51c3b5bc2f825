//! The Berkeley Logic Interchange Format, for ABC, Yosys, VTR and SIS.
//!
//! A gate is a `.names` with an irredundant cover of its table, a register bit a rising-edge
//! `.latch` with its initial value. Bit `i` of a bus `a` is `a[i]`, and a bus of one wire is
//! `a`, unless that would itself read as a bit of a bus: the one wire of a port `x_0` is
//! `x_0[0]`. No two bits can meet under one name this way, as `a_1` of a port `a` and the port
//! `a_1` could. The format has no escapes: characters that it cannot hold become underscores.

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use super::cover::{Cube, cover, widen};
use super::names::{Names, Signal, WireNames};
use crate::lut::Lut;
use crate::netlist::{Gate, Netlist, Wire};

/// The column that a list of names is broken before.
const LINE_WIDTH: usize = 80;

/// Writes `netlist`; many small writes, so `out` should have a buffer.
///
/// # Errors
/// What `out` reports; unsupported if the circuit has a memory, which the format cannot express.
pub fn write(netlist: &Netlist, out: &mut impl Write) -> io::Result<()> {
    if let Some(memory) = netlist.memories().first() {
        let text = format!("BLIF has no memories, and the circuit has `{}`", memory.name);
        return Err(io::Error::new(io::ErrorKind::Unsupported, text));
    }
    let mut names = Names::new(netlist, is_legal);
    let constants = ["zero", "one"].map(|name| names.taken.claim(name, ""));
    let wires = WireNames::new(netlist, &names, constants, bit_name);
    writeln!(out, ".model {}", names.model)?;
    write_ports(&names, out)?;
    write_constants(netlist, &wires, out)?;
    write_latches(netlist, &names, &wires, out)?;
    write_gates(netlist, &wires, out)?;
    for (name, wire) in &wires.aliases {
        write_alias(name, *wire, &wires, out)?;
    }
    writeln!(out, ".end")
}

/// What a name can hold: `#` begins a comment, `\` continues a line, `=` binds a formal name, and
/// Yosys takes a name that begins with `$` for one of its own. A dot begins a command, but only
/// at the start of a line, where no name is ever put first.
fn is_legal(c: char) -> bool {
    c.is_ascii_graphic() && !matches!(c, '#' | '\\' | '=' | '$')
}

pub(super) fn bit_name(signal: &Signal, index: usize) -> String {
    match signal.is_scalar() {
        true => signal.name.clone(),
        false => format!("{}[{index}]", signal.name),
    }
}

fn write_ports(names: &Names, out: &mut impl Write) -> io::Result<()> {
    let bits = |signal: &Signal| -> Vec<String> {
        signal.bits.iter().map(|&(index, _)| bit_name(signal, index)).collect()
    };
    let inputs = names.clock.iter().cloned().chain(names.inputs.iter().flat_map(bits));
    write_list(".inputs", inputs, out)?;
    write_list(".outputs", names.outputs.iter().flat_map(bits), out)
}

/// A command with names behind it, on as many lines as it takes; nothing if there are none.
fn write_list(
    command: &str,
    names: impl Iterator<Item = String>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut column = 0;
    for name in names {
        if column == 0 {
            write!(out, "{command}")?;
            column = command.len();
        } else if column + name.len() + 3 > LINE_WIDTH {
            writeln!(out, " \\")?;
            column = 0;
        }
        write!(out, " {name}")?;
        column += name.len() + 1;
    }
    if column > 0 { writeln!(out) } else { Ok(()) }
}

/// The constants that gates and registers read.
fn write_constants(netlist: &Netlist, wires: &WireNames, out: &mut impl Write) -> io::Result<()> {
    let read_by_gates = netlist.gates().flat_map(|(_, gate)| written_inputs(gate).iter().copied());
    let read = read_by_gates.chain(netlist.register_bits().map(|bit| bit.next));
    let mut used = [false; 2];
    for value in read.filter_map(Wire::as_constant) {
        used[value as usize] = true;
    }
    for value in [false, true].into_iter().filter(|&value| used[value as usize]) {
        write_constant(&wires.of(Wire::constant(value)).to_string(), value, out)?;
    }
    Ok(())
}

fn write_constant(name: &str, value: bool, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, ".names {name}")?;
    if value { writeln!(out, "1") } else { Ok(()) }
}

fn write_latches(
    netlist: &Netlist,
    names: &Names,
    wires: &WireNames,
    out: &mut impl Write,
) -> io::Result<()> {
    let Some(clock) = &names.clock else { return Ok(()) };
    for bit in netlist.register_bits() {
        let (next, output) = (wires.of(bit.next), wires.of(bit.output));
        writeln!(out, ".latch {next} {output} re {clock} {}", bit.initial as u8)?;
    }
    Ok(())
}

fn write_gates(netlist: &Netlist, wires: &WireNames, out: &mut impl Write) -> io::Result<()> {
    let mut covers = FxHashMap::<Lut, String>::default();
    for (wire, gate) in netlist.gates() {
        write!(out, ".names")?;
        for &input in written_inputs(gate) {
            write!(out, " {}", wires.of(input))?;
        }
        let rows = covers.entry(gate.lut()).or_insert_with_key(|&lut| cover_text(lut));
        write!(out, " {}\n{rows}", wires.of(wire))?;
    }
    Ok(())
}

/// A constant is written without inputs, for ABC refuses an empty cover of some.
fn written_inputs(gate: &Gate) -> &[Wire] {
    if gate.lut().constant().is_some() { &[] } else { gate.inputs() }
}

/// The rows of a cover: for each product the values it wants, `-` for any, and a 1.
fn cover_text(lut: Lut) -> String {
    let symbol = |cube: Cube, input| match cube.literal(input) {
        Some(true) => '1',
        Some(false) => '0',
        None => '-',
    };
    let row = |cube: Cube| (0..lut.arity()).map(|input| symbol(cube, input)).collect::<String>();
    match lut.constant() {
        Some(false) => String::new(),
        Some(true) => "1\n".to_string(),
        None => cover(widen(lut)).into_iter().map(|cube| row(cube) + " 1\n").collect(),
    }
}

/// An output bit that shows a wire of another name.
fn write_alias(name: &str, wire: Wire, wires: &WireNames, out: &mut impl Write) -> io::Result<()> {
    match wire.as_constant() {
        Some(value) => write_constant(name, value, out),
        None => writeln!(out, ".names {} {name}\n1 1", wires.of(wire)),
    }
}
