//! Structural Verilog-2001.
//!
//! A gate is one continuous assignment with a formula of its table. Registers are vectors with
//! their initial values, all clocked by one `always @(posedge clk)` block; the clock becomes the
//! first port. A memory is an array with a block for each port. Bits that a register has lost leave gaps, so the others keep their positions.
//! A name that is no plain identifier, or is reserved in any standard up to SystemVerilog
//! 1800-2017, is written as an escaped identifier; characters that even those cannot hold become
//! underscores. Ports and registers without wires are left out.

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use super::expression::{Expression, Token};
use super::keywords::is_keyword;
pub use super::keywords::keywords;
use super::names::{Names, Signal, WireNames};
use crate::lut::Lut;
use crate::memory::MemoryWrite;
use crate::netlist::{Gate, Netlist, Wire};

/// Writes `netlist`; many small writes, so `out` should have a buffer.
///
/// # Errors
/// What `out` reports.
pub fn write(netlist: &Netlist, out: &mut impl Write) -> io::Result<()> {
    let names = Names::new(netlist, |c| c.is_ascii_graphic());
    let wires = wire_names(netlist, &names);
    write_header(&names, out)?;
    write_registers(netlist, &names, out)?;
    write_memories(netlist, &names, out)?;
    write_loop_wires(netlist, &wires, out)?;
    write_gates(netlist, &wires, out)?;
    for (name, wire) in &wires.aliases {
        writeln!(out, "    assign {name} = {};", wires.of(*wire))?;
    }
    write_clocked_block(netlist, &names, &wires, out)?;
    write_memory_blocks(netlist, &names, &wires, out)?;
    writeln!(out, "endmodule")
}

/// The names of all wires.
pub(super) fn wire_names(netlist: &Netlist, names: &Names) -> WireNames {
    let constants = ["1'b0", "1'b1"].map(String::from);
    WireNames::new(netlist, names, constants, bit_select)
}

/// `name` as the source text must have it. An escaped identifier ends with a space, which is
/// part of its spelling.
pub(super) fn identifier(name: &str) -> String {
    let begins_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let goes_on_well = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'));
    match begins_well && goes_on_well && !is_keyword(name) {
        true => name.to_string(),
        false => format!("\\{name} "),
    }
}

fn bit_select(signal: &Signal, index: usize) -> String {
    let name = identifier(&signal.name);
    if signal.is_scalar() { name } else { format!("{name}[{index}]") }
}

/// The type, range and name of a signal, `wire [7:0] a`; `None` if it has no wires.
pub(super) fn declaration(kind: &str, signal: &Signal) -> Option<String> {
    let (low, high) = signal.span()?;
    let range = if signal.is_scalar() { String::new() } else { format!(" [{high}:{low}]") };
    Some(format!("{kind}{range} {}", identifier(&signal.name)))
}

pub(super) fn write_header(names: &Names, out: &mut impl Write) -> io::Result<()> {
    let clock = names.clock.iter().map(|clock| format!("input wire {}", identifier(clock)));
    let inputs = names.inputs.iter().filter_map(|signal| declaration("input wire", signal));
    let outputs = names.outputs.iter().filter_map(|signal| declaration("output wire", signal));
    write!(out, "module {} (", identifier(&names.model))?;
    for (index, port) in clock.chain(inputs).chain(outputs).enumerate() {
        write!(out, "{}\n    {port}", if index > 0 { "," } else { "" })?;
    }
    writeln!(out, "\n);")
}

pub(super) fn write_registers(
    netlist: &Netlist,
    names: &Names,
    out: &mut impl Write,
) -> io::Result<()> {
    for (register, signal) in std::iter::zip(netlist.registers(), &names.registers) {
        let Some((low, high)) = signal.span() else { continue };
        // Bits that were dropped as dead are unknown, as they are never stored.
        let mut initial = vec!['x'; high + 1 - low];
        for bit in &register.bits {
            initial[high - bit.index] = if bit.initial { '1' } else { '0' };
        }
        let (width, digits) = (initial.len(), String::from_iter(initial));
        let declaration = declaration("reg", signal).expect("it has bits");
        writeln!(out, "    {declaration} = {width}'b{digits};")?;
    }
    Ok(())
}

/// A memory is an array with its initial words; the word of a read port is a register
/// without an initial value, as block memories have none.
pub(super) fn write_memories(
    netlist: &Netlist,
    names: &Names,
    out: &mut impl Write,
) -> io::Result<()> {
    for (memory, name) in std::iter::zip(netlist.memories(), &names.memories) {
        let (name, width) = (identifier(name), memory.width());
        // Yosys then leaves out what makes the port read before the write.
        let attribute = if memory.apart { "(* no_rw_check *) " } else { "" };
        let (high, last) = (width - 1, memory.depth() - 1);
        writeln!(out, "    {attribute}reg [{high}:0] {name} [0:{last}];")?;
        writeln!(out, "    initial begin")?;
        for (address, word) in memory.initial.iter().enumerate() {
            writeln!(out, "        {name}[{address}] = {width}'h{word:x};")?;
        }
        writeln!(out, "    end")?;
    }
    for read in &names.reads {
        writeln!(out, "    {};", declaration("reg", read).expect("a word has bits"))?;
    }
    Ok(())
}

/// One block for each port, which is the form that synthesis tools take for a block memory.
pub(super) fn write_memory_blocks(
    netlist: &Netlist,
    names: &Names,
    wires: &WireNames,
    out: &mut impl Write,
) -> io::Result<()> {
    let Some(clock) = &names.clock else { return Ok(()) };
    let clock = identifier(clock);
    let mut words = names.reads.iter();
    for (memory, name) in std::iter::zip(netlist.memories(), &names.memories) {
        let name = identifier(name);
        let MemoryWrite { enable, address, data } = &memory.write;
        if !memory.is_rom() {
            writeln!(out, "    always @(posedge {clock})")?;
            let (place, data) = (concatenation(address, wires), concatenation(data, wires));
            writeln!(out, "        if ({}) {name}[{place}] <= {data};", wires.of(*enable))?;
        }
        for (read, word) in std::iter::zip(&memory.reads, &mut words) {
            let (place, word) = (concatenation(&read.address, wires), identifier(&word.name));
            writeln!(out, "    always @(posedge {clock})")?;
            match read.enable {
                Wire::ONE => writeln!(out, "        {word} <= {name}[{place}];")?,
                enable => {
                    writeln!(out, "        if ({}) {word} <= {name}[{place}];", wires.of(enable))?
                }
            }
        }
    }
    Ok(())
}

/// Wires as one number, `{a[1], a[0]}`.
fn concatenation(bus: &[Wire], wires: &WireNames) -> String {
    let names: Vec<String> = bus.iter().rev().map(|&wire| wires.of(wire).to_string()).collect();
    if names.is_empty() { "1'b0".to_string() } else { format!("{{{}}}", names.join(", ")) }
}

/// Gates of a loop are read before they are assigned, so their wires are declared ahead.
pub(super) fn write_loop_wires(
    netlist: &Netlist,
    wires: &WireNames,
    out: &mut impl Write,
) -> io::Result<()> {
    for (wire, _) in netlist.gates().filter(|&(wire, _)| is_in_loop(netlist, wire)) {
        if wires.is_numbered(wire) {
            writeln!(out, "    wire {};", wires.of(wire))?;
        }
    }
    Ok(())
}

fn is_in_loop(netlist: &Netlist, wire: Wire) -> bool {
    let after = netlist.loops().partition_point(|range| range.end <= wire.index());
    netlist.loops().get(after).is_some_and(|range| range.contains(&wire.index()))
}

fn write_gates(netlist: &Netlist, wires: &WireNames, out: &mut impl Write) -> io::Result<()> {
    let mut formulas = Formulas::default();
    for (wire, gate) in netlist.gates() {
        write_gate(netlist, wires, &mut formulas, wire, gate, out)?;
    }
    Ok(())
}

/// The formulas of tables that have been written before.
pub(super) type Formulas = FxHashMap<Lut, Vec<Token>>;

pub(super) fn write_gate(
    netlist: &Netlist,
    wires: &WireNames,
    formulas: &mut Formulas,
    wire: Wire,
    gate: &Gate,
    out: &mut impl Write,
) -> io::Result<()> {
    write_target(netlist, wires, wire, out)?;
    let formula = formulas.entry(gate.lut());
    let formula = formula.or_insert_with_key(|&lut| Expression::new(lut).tokens());
    write_formula(formula, gate, wires, out)?;
    writeln!(out, ";")
}

/// What stands before the formula of a wire.
pub(super) fn write_target(
    netlist: &Netlist,
    wires: &WireNames,
    wire: Wire,
    out: &mut impl Write,
) -> io::Result<()> {
    let declared = !wires.is_numbered(wire) || is_in_loop(netlist, wire);
    let keyword = if declared { "assign" } else { "wire" };
    write!(out, "    {keyword} {} = ", wires.of(wire))
}

fn write_formula(
    formula: &[Token],
    gate: &Gate,
    wires: &WireNames,
    out: &mut impl Write,
) -> io::Result<()> {
    for token in formula {
        match *token {
            Token::Text(text) => write!(out, "{text}")?,
            Token::Input(input) => write!(out, "{}", wires.of(gate.inputs()[input]))?,
        }
    }
    Ok(())
}

pub(super) fn write_clocked_block(
    netlist: &Netlist,
    names: &Names,
    wires: &WireNames,
    out: &mut impl Write,
) -> io::Result<()> {
    let Some(clock) = &names.clock else { return Ok(()) };
    if netlist.registers().is_empty() {
        return Ok(());
    }
    writeln!(out, "    always @(posedge {}) begin", identifier(clock))?;
    for bit in netlist.register_bits() {
        writeln!(out, "        {} <= {};", wires.of(bit.output), wires.of(bit.next))?;
    }
    writeln!(out, "    end")
}
