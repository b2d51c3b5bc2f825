//! Cells of Yosys and of devices, which are the same in every format: netlists that Yosys made of one
//! circuit for devices of four makers.

mod common;
mod format_common;
mod format_reading;

use std::path::Path;

use format_common::Noise;
use morpho::format::{self, Format, ReadOptions, Reading};
use morpho::sim::Interpreter;
use morpho::{Diagnostics, Netlist};

fn read(text: &[u8], format: Format) -> Result<Reading, Diagnostics> {
    format::read(text, format, &ReadOptions { file: "test".into(), top: None })
}

fn fixture(name: &str) -> Netlist {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    let text = std::fs::read(&path).expect(name);
    let format = Format::of_file(&path).expect("the ending says it");
    let reading = read(&text, format).unwrap_or_else(|problems| panic!("{problems}"));
    format_reading::sound(Ok(reading))
}

/// A bus, or bits `name[first]` and so on where the format has no buses that begin elsewhere than at 0.
fn get(interpreter: &mut Interpreter, netlist: &Netlist, name: &str, first: usize) -> u128 {
    if netlist.outputs().iter().any(|port| port.name == name) {
        return interpreter.get(name, 1)[0];
    }
    (0..4)
        .fold(0, |sum, bit| sum | interpreter.get(&format!("{name}[{}]", first + bit), 1)[0] << bit)
}

/// What `mixed` shows in some steps, its outputs by name. In BLIF its bus `sel [0:2]` counts from the
/// other end.
fn trace(netlist: &Netlist, reversed: bool) -> Vec<[u128; 3]> {
    let mut noise = Noise(7);
    let mut interpreter = Interpreter::new(netlist);
    let mut step = || {
        let bits = noise.next();
        let sel = if reversed { (bits & 7).reverse_bits() >> 61 } else { bits & 7 };
        let reset = u64::from(bits >> 8 & 7 == 0);
        for (port, value) in
            [("sel", sel), ("a", bits >> 3 & 15), ("en", bits >> 7 & 1), ("rst", reset)]
        {
            interpreter.set(port, &[u128::from(value)]);
        }
        interpreter.evaluate().expect("there are no loops");
        let shown = [("q", 0), ("z", 4), ("p", 0)]
            .map(|(name, first)| get(&mut interpreter, netlist, name, first));
        interpreter.step().expect("there are no loops");
        shown
    };
    (0..400).map(|_| step()).collect()
}

#[test]
fn netlists_for_devices_do_what_their_source_does() {
    let expected = trace(&fixture("mixed_gates.v"), false);
    for name in ["amd", "ecp5", "gowin", "ice40"] {
        for ending in ["v", "json", "blif"] {
            if (name, ending) == ("gowin", "json") {
                continue;
            }
            let netlist = fixture(&format!("mixed_{name}.{ending}"));
            assert!(trace(&netlist, ending == "blif") == expected, "{name}, {ending}");
        }
    }
}

/// Two bits of a sum in a cell of the ECP5, with the tables that Yosys gives it for `+`.
#[test]
fn the_carry_of_the_ecp5_adds() {
    let text = "module m (input [1:0] a, b, input c, output [1:0] s, output o);
        CCU2C #(.INIT0(16'h96AA), .INIT1(16'h96AA), .INJECT1_0(\"NO\"), .INJECT1_1(\"NO\")) add (
            .CIN(c), .A0(a[0]), .B0(b[0]), .C0(1'b0), .D0(1'b1), .A1(a[1]), .B1(b[1]), .C1(1'b0),
            .D1(1'b1), .S0(s[0]), .S1(s[1]), .COUT(o));
        endmodule";
    let netlist = format_reading::sound(read(text.as_bytes(), Format::Verilog));
    let mut interpreter = Interpreter::new(&netlist);
    for (a, b, c) in (0..32).map(|at: u128| (at & 3, at >> 2 & 3, at >> 4)) {
        for (name, value) in [("a", a), ("b", b), ("c", c)] {
            interpreter.set(name, &[value]);
        }
        interpreter.evaluate().expect("there are no loops");
        let sum = interpreter.get("s", 1)[0] | interpreter.get("o", 1)[0] << 2;
        assert_eq!(sum, a + b + c);
    }
}

/// The resets without a clock edge of every maker are read where they are off for good.
#[test]
fn asynchronous_resets_are_read_where_they_are_off() {
    let cells = [
        ("FDCE", ".C(c), .CE(e), .D(d), .Q(q), .CLR"),
        ("FDPE", ".C(c), .CE(e), .D(d), .Q(q), .PRE"),
        ("DFFCE", ".CLK(c), .CE(e), .D(d), .Q(q), .CLEAR"),
        ("DFFPE", ".CLK(c), .CE(e), .D(d), .Q(q), .PRESET"),
        ("SB_DFFER", ".C(c), .E(e), .D(d), .Q(q), .R"),
        (
            "TRELLIS_FF #(.SRMODE(\"ASYNC\"), .CEMUX(\"CE\"))",
            ".CLK(c), .CE(e), .DI(d), .Q(q), .LSR",
        ),
    ];
    for (cell, pins) in cells {
        let text = |reset: &str| {
            format!("module m (input c, e, d, r, output q); {cell} f ({pins}({reset})); endmodule")
        };
        let netlist = format_reading::sound(read(text("1'b0").as_bytes(), Format::Verilog));
        assert_eq!(netlist.register_bits().count(), 1, "{cell}");
        let refused = read(text("r").as_bytes(), Format::Verilog).expect_err(cell).to_string();
        assert!(refused.contains("the asynchronous set or reset of"), "{refused}");
    }
}

/// A cell of Yosys in BLIF, whose pins are bits, and one of several bits.
#[test]
fn blif_has_cells() {
    let text = ".model m\n.inputs c e d a[0] a[1]\n.outputs q y\n\
        .subckt $_DFFE_PP_ C=c D=d E=e Q=q\n\
        .subckt $reduce_xor A[1]=a[1] A[0]=a[0] Y=y\n.param A_WIDTH 00000000000000000000000000000010\n\
        .end\n";
    let reading = read(text.as_bytes(), Format::Blif).expect("it is read");
    assert_eq!(reading.clock.as_deref(), Some("c"));
    assert!(reading.warnings[0].message.contains("start at any value"), "{:?}", reading.warnings);
    let mut interpreter = Interpreter::new(&reading.netlist);
    let mut shown = Vec::new();
    for (d, e, a) in [(1, 0, 1), (1, 1, 3), (0, 0, 2), (0, 1, 0), (1, 0, 1)] {
        for (name, value) in [("d", d), ("e", e), ("a", a)] {
            interpreter.set(name, &[value]);
        }
        interpreter.evaluate().expect("there are no loops");
        shown.push([interpreter.get("q", 1)[0], interpreter.get("y", 1)[0]]);
        interpreter.step().expect("there are no loops");
    }
    assert_eq!(shown, [[0, 1], [0, 0], [1, 1], [1, 0], [0, 1]]);
}

/// What is not read is refused by the same words in every format.
#[test]
fn cells_that_are_not_read_are_refused_in_every_format() {
    let refused = |text: &str, format| read(text.as_bytes(), format).expect_err(text).to_string();
    for (cell, words) in [
        ("$_DFF_PP0_", "the asynchronous set or reset of `$_DFF_PP0_`"),
        ("$_DLATCH_P_", "the latch `$_DLATCH_P_`"),
        ("$mem", "the memory `$mem`"),
        ("$mul", "the cell `$mul`"),
        ("DSP48E1", "the block `DSP48E1`"),
    ] {
        let texts = [
            (Format::Blif, format!(".inputs a\n.outputs y\n.subckt {cell} A=a Y=y\n.end\n")),
            (
                Format::Verilog,
                format!("module m (input a, output y); \\{cell} c (.A(a), .Y(y)); endmodule"),
            ),
            (
                Format::YosysJson,
                format!(
                    "{{\"modules\": {{\"m\": {{\"cells\": {{\"c\": {{\"type\": \"{cell}\", \
                     \"connections\": {{\"A\": [2], \"Y\": [3]}}}}}}}}}}}}"
                ),
            ),
        ];
        for (format, text) in texts {
            let refused = refused(&text, format);
            assert!(refused.contains(words), "{format:?}: {refused}");
        }
    }
}
