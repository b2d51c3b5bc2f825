//! Verilog-2001 with operators: `+`, `-`, `<`, `==` and `*` in place of the gates that compute them.
//!
//! A synthesiser maps operators to what the device has for them, such as carry chains; of gates it
//! only sees logic. An [`Operator`] is a vector of its own; the wires that it drives are bits of it.
//! Gates that only feed the inside of operators are not written, all others as in
//! [`verilog`](mod@super::verilog). A wire that does not come after every operand of its operator stays a
//! gate: this way no operator reads itself, not even where the bits of its operands depend on lower
//! bits of its result.

use std::io::{self, Write};

use super::names::{Names, WireNames};
use super::verilog;
use crate::netlist::{Netlist, Node, Wire};
use crate::operator::{Function, Literal, Operator};

/// Writes `netlist`; many small writes, so `out` should have a buffer.
///
/// # Errors
/// What `out` reports.
pub fn write(netlist: &Netlist, out: &mut impl Write) -> io::Result<()> {
    let names = Names::new(netlist, |c| c.is_ascii_graphic());
    let wires = verilog::wire_names(netlist, &names);
    let prefix = names.taken.free_prefix("word");
    let plan = Plan::of(netlist);
    verilog::write_header(&names, out)?;
    verilog::write_registers(netlist, &names, out)?;
    verilog::write_memories(netlist, &names, out)?;
    verilog::write_loop_wires(netlist, &wires, out)?;
    let mut formulas = verilog::Formulas::default();
    for index in 0..netlist.nodes().len() {
        for &number in &plan.written_before[index] {
            write_operator(&netlist.operators()[number], &prefix, number, &wires, out)?;
        }
        let wire = Wire::from_index(index);
        match (plan.needed[index], plan.driver[index], netlist.gate(wire)) {
            (false, ..) => (),
            (true, Some(driver), _) => {
                let not = if driver.complemented { "~" } else { "" };
                let Driver { operator, .. } = driver;
                let bit = driver.bit + has_carry(&netlist.operators()[operator]) as usize;
                verilog::write_target(netlist, &wires, wire, out)?;
                writeln!(out, "{not}{prefix}{operator}[{bit}];")?;
            }
            (true, None, Some(gate)) => {
                verilog::write_gate(netlist, &wires, &mut formulas, wire, gate, out)?;
            }
            (true, None, None) => (),
        }
    }
    for (name, wire) in &wires.aliases {
        writeln!(out, "    assign {name} = {};", wires.of(*wire))?;
    }
    verilog::write_clocked_block(netlist, &names, &wires, out)?;
    verilog::write_memory_blocks(netlist, &names, &wires, out)?;
    writeln!(out, "endmodule")
}

/// The bit of an operator that a wire is.
#[derive(Clone, Copy)]
struct Driver {
    operator: usize,
    bit: usize,
    complemented: bool,
}

/// What is written, and where.
struct Plan {
    /// For each wire the operator that drives it, if one does.
    driver: Vec<Option<Driver>>,
    /// For each wire, whether it is written.
    needed: Vec<bool>,
    /// For each wire the operators to write before it: their operands stand before it.
    written_before: Vec<Vec<usize>>,
}

impl Plan {
    fn of(netlist: &Netlist) -> Plan {
        let driver = drivers(netlist);
        let needed = needed(netlist, &driver);
        let mut written_before = vec![Vec::new(); netlist.nodes().len()];
        let mut written = vec![false; netlist.operators().len()];
        for index in (0..needed.len()).filter(|&index| needed[index]) {
            if let Some(driver) = driver[index]
                && !std::mem::replace(&mut written[driver.operator], true)
            {
                written_before[index].push(driver.operator);
            }
        }
        Plan { driver, needed, written_before }
    }
}

/// The operator bits that stand in for gates. A wire that several operators claim is that of the
/// first.
fn drivers(netlist: &Netlist) -> Vec<Option<Driver>> {
    let mut drivers = vec![None; netlist.nodes().len()];
    let looped = |wire: Wire| netlist.loops().iter().any(|range| range.contains(&wire.index()));
    for (operator, claim) in netlist.operators().iter().enumerate() {
        let operands = claim.operands().iter().flatten();
        let Some(last) = operands.map(|bit| bit.wire).max() else { continue };
        for (bit, literal) in claim.result().iter().enumerate() {
            let Some(Literal { wire, complemented }) = *literal else { continue };
            let place = &mut drivers[wire.index()];
            let is_gate = matches!(netlist.node(wire), Node::Gate(_));
            if is_gate && wire > last && !looped(wire) && place.is_none() {
                *place = Some(Driver { operator, bit, complemented });
            }
        }
    }
    drivers
}

/// The wires that outputs and registers depend on when operators are read as such.
fn needed(netlist: &Netlist, drivers: &[Option<Driver>]) -> Vec<bool> {
    let mut needed = vec![false; netlist.nodes().len()];
    let mut reached: Vec<Wire> = netlist.sinks().collect();
    while let Some(wire) = reached.pop() {
        if !std::mem::replace(&mut needed[wire.index()], true) {
            match (drivers[wire.index()], netlist.gate(wire)) {
                (Some(driver), _) => {
                    let operands = netlist.operators()[driver.operator].operands();
                    reached.extend(operands.iter().flatten().map(|bit| bit.wire));
                }
                (None, Some(gate)) => reached.extend(gate.inputs()),
                (None, None) => (),
            }
        }
    }
    needed
}

fn write_operator(
    operator: &Operator,
    prefix: &str,
    number: usize,
    wires: &WireNames,
    out: &mut impl Write,
) -> io::Result<()> {
    let high = operator.result().len() - 1;
    let word = |index: usize| concatenation(&operator.operands()[index], wires);
    match operator.function() {
        Function::Add | Function::Subtract => {
            let sign = if operator.function() == Function::Add { "+" } else { "-" };
            if has_carry(operator) {
                let filler = if sign == "+" { "1'b1" } else { "1'b0" };
                writeln!(out, "    wire [{}:0] {prefix}{number} =", high + 1)?;
                write!(out, "        {{1'b0, {}, {filler}}} {sign} ", word(0))?;
                writeln!(out, "{{1'b0, {}, {}}};", word(1), word(2))
            } else {
                writeln!(out, "    wire [{high}:0] {prefix}{number} =")?;
                writeln!(out, "        {{1'b0, {}}} {sign} {{1'b0, {}}};", word(0), word(1))
            }
        }
        Function::Less | Function::Equal => {
            let sign = if operator.function() == Function::Less { "<" } else { "==" };
            writeln!(out, "    wire [0:0] {prefix}{number} =")?;
            writeln!(out, "        {} {sign} {};", word(0), word(1))
        }
        Function::Multiply { a_signed, b_signed } => {
            writeln!(out, "    wire signed [{high}:0] {prefix}{number} =")?;
            let factor = |index, signed| match signed {
                true => format!("$signed({})", word(index)),
                false => format!("$signed({{1'b0, {}}})", word(index)),
            };
            writeln!(out, "        {} * {};", factor(0, a_signed), factor(1, b_signed))
        }
    }
}

/// Whether a sum or difference has a carry in. It is made by a bit below the lowest.
fn has_carry(operator: &Operator) -> bool {
    let carry = operator.operands().get(2).map(|carry| carry[0]);
    carry.is_some_and(|carry| carry != Literal::from(Wire::ZERO))
}

/// The bits as one vector, high bit first.
fn concatenation(bits: &[Literal], wires: &WireNames) -> String {
    let bit = |bit: &Literal| {
        format!("{}{}", if bit.complemented { "~" } else { "" }, wires.of(bit.wire))
    };
    format!("{{{}}}", bits.iter().rev().map(bit).collect::<Vec<_>>().join(", "))
}
