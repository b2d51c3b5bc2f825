//! The module around a circuit that makes its clock measurable: registers on every side.
//!
//! Tools measure paths from register to register, so a circuit without registers has no clock; and
//! most circuits have more ports than a package has pins.

use std::fmt::Write;

use serde::Serialize;

use crate::error::Error;

/// The name of the module that [`Harness::verilog`] writes.
pub const MODULE: &str = "harness";

/// The input that is taken for the clock.
pub const CLOCK: &str = "clk";

/// A port of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name, as the module has it.
    pub name: String,
    /// How many bits.
    pub width: usize,
    /// Whether it is an input.
    pub input: bool,
}

/// How registers are reached from the pins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// A pin a bit: a register before each input and after each output.
    Parallel,
    /// Three pins: inputs come from a shift register; outputs are captured into another when
    /// `capture` is 1 and shifted out otherwise, which costs up to a look-up table an output bit.
    Serial,
}

/// Registers around a module.
#[derive(Clone, Debug)]
pub struct Harness {
    module: String,
    ports: Vec<Port>,
    style: Style,
    sides: Sides,
}

/// Where registers stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// Before inputs and after outputs.
    Both,
    /// Before inputs only. Paths that end at an output then do not count for the clock; some
    /// published figures are of this kind.
    Inputs,
}

impl Harness {
    /// Registers around `module`, in parallel if a package of `pins` pins has one for every bit.
    ///
    /// # Errors
    /// The module has no output, or a clock that is a bus; or outputs without registers would need
    /// more pins than there are.
    pub fn new(module: &str, ports: Vec<Port>, pins: usize, sides: Sides) -> Result<Self, Error> {
        if !ports.iter().any(|port| !port.input && port.width > 0) {
            return Err(Error::Design(format!(
                "module {module} has no output; expected one, or nothing of it would be left"
            )));
        }
        if let Some(port) = ports.iter().find(|port| is_clock(port) && port.width != 1) {
            let width = port.width;
            return Err(Error::Design(format!(
                "port {CLOCK} of module {module} has {width} bits; expected a clock of one bit"
            )));
        }
        let mut harness = Self { module: module.to_owned(), ports, style: Style::Parallel, sides };
        let needed = harness.inputs() + harness.outputs() + 1;
        match sides {
            _ if needed <= pins => Ok(harness),
            Sides::Both => {
                harness.style = Style::Serial;
                Ok(harness)
            }
            Sides::Inputs => Err(Error::Design(format!(
                "module {module} has {needed} bits of ports, and the device {pins} pins for them; \
                 expected registers at the outputs, which shift them out"
            ))),
        }
    }

    /// How registers are reached from the pins.
    pub fn style(&self) -> Style {
        self.style
    }

    /// Bits of all inputs but the clock.
    pub fn inputs(&self) -> usize {
        self.bits(|port| port.input && !is_clock(port))
    }

    /// Bits of all outputs.
    pub fn outputs(&self) -> usize {
        self.bits(|port| !port.input)
    }

    /// Flip-flops after outputs.
    pub fn output_registers(&self) -> usize {
        if self.sides == Sides::Both { self.outputs() } else { 0 }
    }

    /// The names of the pins.
    pub fn pins(&self) -> &'static [&'static str] {
        match self.style {
            Style::Parallel => &["clk", "in", "out"],
            Style::Serial => &["clk", "in", "capture", "out"],
        }
    }

    fn bits(&self, filter: impl Fn(&Port) -> bool) -> usize {
        self.ports.iter().filter(|port| filter(port)).map(|port| port.width).sum()
    }

    /// The text of [`MODULE`], in Verilog-2001.
    pub fn verilog(&self) -> String {
        // A register needs a bit, even where the module takes nothing.
        let (inputs, outputs) = (self.inputs().max(1), self.outputs());
        let (last_input, last_output) = (inputs - 1, outputs - 1);
        let pins = match self.style {
            Style::Parallel => {
                let kind = if self.sides == Sides::Both { "reg" } else { "wire" };
                format!(
                    "    input wire [{last_input}:0] in,\n    output {kind} [{last_output}:0] out\n"
                )
            }
            Style::Serial => {
                "    input wire in,\n    input wire capture,\n    output wire out\n".to_owned()
            }
        };
        let registers = match self.style {
            Style::Parallel if self.sides == Sides::Inputs => {
                "    always @(posedge clk) inputs <= in;\n    assign out = outputs;\n".to_owned()
            }
            Style::Parallel => {
                "    always @(posedge clk) begin\n        inputs <= in;\n        out <= outputs;\n    end\n"
                    .to_owned()
            }
            Style::Serial => format!(
                "    reg [{last_output}:0] captured;\n    \
                 always @(posedge clk) begin\n        \
                 inputs <= {{inputs, in}};\n        \
                 captured <= capture ? outputs : {{captured, 1'b0}};\n    \
                 end\n    \
                 assign out = captured[{last_output}];\n"
            ),
        };
        format!(
            "// Registers around \\{module} .\n\
             module {MODULE} (\n    input wire clk,\n{pins});\n    \
             reg [{last_input}:0] inputs;\n    \
             wire [{last_output}:0] outputs;\n\
             {registers}    \\{module} circuit (\n{connections}\n    );\n\
             endmodule\n",
            module = self.module,
            connections = self.connections()
        )
    }

    /// The ports of the instance. Names are escaped: in other people's netlists they may be
    /// anything.
    fn connections(&self) -> String {
        let (mut input, mut output) = (0, 0);
        let mut text = String::new();
        for port in self.ports.iter().filter(|port| port.width > 0) {
            let (bus, next) =
                if port.input { ("inputs", &mut input) } else { ("outputs", &mut output) };
            let separator = if text.is_empty() { "" } else { ",\n" };
            let signal = if is_clock(port) {
                "clk".to_owned()
            } else {
                let low = *next;
                *next += port.width;
                match port.width {
                    1 => format!("{bus}[{low}]"),
                    _ => format!("{bus}[{}:{low}]", *next - 1),
                }
            };
            // Writing to a string cannot fail.
            let _ = write!(text, "{separator}        .\\{} ({signal})", port.name);
        }
        text
    }
}

fn is_clock(port: &Port) -> bool {
    port.input && port.name == CLOCK
}
