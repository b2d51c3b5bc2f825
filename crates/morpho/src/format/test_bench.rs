//! Self-checking test benches in Verilog-2001.
//!
//! A bench instantiates a module by the name and the ports of a netlist, gives it one vector a clock
//! step and compares every output with what the netlist gives. So it tests any description of the
//! circuit that has these ports: the netlist written as [Verilog](super::verilog), a behavioural
//! one, or what a synthesis tool makes of either. It prints the first mismatches and `PASS` or
//! `FAIL`, and ends.

use std::io::{self, Write};

use super::names::{Names, Signal};
use super::verilog::{declaration, identifier};
use crate::netlist::{Netlist, Port};
use crate::prove::{PinKind, Vectors};
use crate::sim::Interpreter;

/// The widest port, in bits.
pub const WIDEST_PORT: usize = 128;

/// Mismatches that a bench prints.
const PRINTED: usize = 10;

/// Writes a test bench for `netlist`, in module `<name>_tb`; many small writes, so `out` should
/// have a buffer.
///
/// Vectors are applied in order, from the registers' initial values on, with a clock edge after
/// each: what they say of registers is left aside. Outputs are compared before the edge.
///
/// # Errors
/// What `out` reports; and [`io::ErrorKind::InvalidInput`] if a port is wider than
/// [`WIDEST_PORT`], if there are no vectors or they are for another circuit, or if a loop of the
/// circuit does not settle.
pub fn write(netlist: &Netlist, vectors: &Vectors, out: &mut impl Write) -> io::Result<()> {
    if let Some(port) = ports(netlist).find(|port| port.wires.len() > WIDEST_PORT) {
        let (name, width) = (&port.name, port.wires.len());
        let text =
            format!("port `{name}` has {width} bits; a test bench has {WIDEST_PORT} at most");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    if vectors.is_empty() {
        let text = "there are no vectors, so a bench would test nothing";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let mut names = Names::new(netlist, |c| c.is_ascii_graphic());
    let own = ["bench", "circuit", "stimuli", "expected", "given", "step", "failures"];
    let [bench, circuit, stimuli, expected, given, step, failures] = own.map(|name| {
        let wanted = if name == "bench" { format!("{}_tb", names.model) } else { name.to_string() };
        identifier(&names.taken.claim(&wanted, "_bench"))
    });
    let clock = names.clock.as_deref().map(identifier);
    let (inputs, outputs) = (signals(&names.inputs), signals(&names.outputs));
    let (in_bits, out_bits) = (bits(&inputs), bits(&outputs));
    let rows = rows(netlist, vectors)?;

    writeln!(out, "`timescale 1ns / 1ns\nmodule {bench};")?;
    if let Some(clock) = &clock {
        writeln!(out, "    reg {clock} = 1'b0;")?;
    }
    let declared = inputs.iter().filter_map(|signal| declaration("reg", signal));
    for line in declared.chain(outputs.iter().filter_map(|signal| declaration("wire", signal))) {
        writeln!(out, "    {line};")?;
    }
    let ports = clock.iter().cloned().chain(identifiers(&inputs)).chain(identifiers(&outputs));
    let connected: Vec<String> = ports.map(|name| format!(".{name}({name})")).collect();
    let model = identifier(&names.model);
    writeln!(out, "    {model} {circuit} (\n        {}\n    );", connected.join(",\n        "))?;
    let last = rows.len().saturating_sub(1);
    if in_bits > 0 {
        writeln!(out, "    reg [{}:0] {stimuli} [0:{last}];", in_bits - 1)?;
    }
    writeln!(out, "    reg [{}:0] {expected} [0:{last}];", out_bits.max(1) - 1)?;
    writeln!(out, "    wire [{}:0] {given} = {};", out_bits.max(1) - 1, concatenation(&outputs))?;
    writeln!(out, "    integer {step};\n    integer {failures};\n    initial begin")?;
    for (index, [into, from]) in rows.iter().enumerate() {
        if in_bits > 0 {
            write!(out, "        {stimuli}[{index}] = {in_bits}'h{};", hexadecimal(into))?;
        }
        writeln!(out, "        {expected}[{index}] = {}'h{};", out_bits.max(1), hexadecimal(from))?;
    }
    let count = rows.len();
    writeln!(out, "        {failures} = 0;")?;
    writeln!(out, "        for ({step} = 0; {step} < {count}; {step} = {step} + 1) begin")?;
    if in_bits > 0 {
        writeln!(out, "            {} = {stimuli}[{step}];", concatenation(&inputs))?;
    }
    writeln!(out, "            #1;")?;
    writeln!(out, "            if ({given} !== {expected}[{step}]) begin")?;
    writeln!(out, "                {failures} = {failures} + 1;")?;
    writeln!(out, "                if ({failures} <= {PRINTED})")?;
    let (shown, value) = match in_bits {
        0 => ("", String::new()),
        _ => (" inputs %h,", format!("{stimuli}[{step}], ")),
    };
    writeln!(
        out,
        "                    $display(\"step %0d:{shown} outputs %h, expected %h\", {step}, \
         {value}{given}, {expected}[{step}]);"
    )?;
    writeln!(out, "            end")?;
    if let Some(clock) = &clock {
        writeln!(out, "            {clock} = 1'b1;\n            #1;\n            {clock} = 1'b0;")?;
    }
    writeln!(out, "        end")?;
    writeln!(out, "        if ({failures} == 0) $display(\"PASS: {count} steps\");")?;
    writeln!(out, "        else $display(\"FAIL: %0d of {count} steps\", {failures});")?;
    writeln!(out, "        $finish;\n    end\nendmodule")
}

fn ports(netlist: &Netlist) -> impl Iterator<Item = &Port> {
    netlist.inputs().iter().chain(netlist.outputs())
}

/// Those that have bits.
fn signals(signals: &[Signal]) -> Vec<&Signal> {
    signals.iter().filter(|signal| !signal.bits.is_empty()).collect()
}

fn bits(signals: &[&Signal]) -> usize {
    signals.iter().map(|signal| signal.bits.len()).sum()
}

fn identifiers(signals: &[&Signal]) -> impl Iterator<Item = String> {
    signals.iter().map(|signal| identifier(&signal.name))
}

/// All signals side by side, the first one lowest.
fn concatenation(signals: &[&Signal]) -> String {
    match signals {
        [] => "1'b0".to_string(),
        _ => {
            let mut names: Vec<String> = identifiers(signals).collect();
            names.reverse();
            format!("{{{}}}", names.join(", "))
        }
    }
}

/// The bits that go in and those that come out, lowest first, for each step.
fn rows(netlist: &Netlist, vectors: &Vectors) -> io::Result<Vec<[Vec<bool>; 2]>> {
    let refuse = |text: String| io::Error::new(io::ErrorKind::InvalidInput, text);
    let mut interpreter = Interpreter::new(netlist);
    let row = |vector| {
        let mut into = Vec::new();
        for port in netlist.inputs().iter().filter(|port| !port.wires.is_empty()) {
            let number = vectors.number(vector, PinKind::Port, &port.name);
            let number = number.ok_or_else(|| {
                refuse(format!("the vectors have no value for the port `{}`", port.name))
            })?;
            interpreter.set(&port.name, &[number]);
            into.extend((0..port.wires.len()).map(|bit| number >> bit & 1 == 1));
        }
        interpreter.evaluate().map_err(|error| refuse(error.to_string()))?;
        let mut from = Vec::new();
        for port in netlist.outputs() {
            let number = interpreter.get(&port.name, 1)[0];
            from.extend((0..port.wires.len()).map(|bit| number >> bit & 1 == 1));
        }
        interpreter.step().map_err(|error| refuse(error.to_string()))?;
        Ok([into, from])
    };
    (0..vectors.len()).map(row).collect()
}

/// A number as hexadecimal digits.
fn hexadecimal(bits: &[bool]) -> String {
    let digit = |bits: &[bool]| {
        let value = bits.iter().rev().fold(0, |value, &bit| 2 * value + u32::from(bit));
        char::from_digit(value, 16).expect("four bits are a digit")
    };
    let digits: Vec<char> = bits.chunks(4).map(digit).collect();
    if digits.is_empty() { "0".to_string() } else { digits.into_iter().rev().collect() }
}
