//! What holds for every reader, whatever it is given.

mod common;
mod format_common;

use std::path::Path;

use common::soundness::assert_well_formed;
use format_common::{Noise, adder, counter, lost_bits, ties};
use morpho::format::{self, Format, ReadOptions};
use morpho::sim::Interpreter;
use morpho::{Builder, Bus, Netlist};
use proptest::prelude::*;

const TEXTS: [Format; 2] = [Format::Blif, Format::Verilog];

/// Either a sound circuit or problems; never a panic.
fn check(bytes: &[u8], format: Format) {
    let options = ReadOptions { top: None, file: "fuzz".into() };
    match format::read(bytes, format, &options) {
        Ok(reading) => assert_well_formed(&reading.netlist),
        Err(problems) => assert!(!problems.0.is_empty()),
    }
}

/// Sound files to be damaged.
fn files() -> Vec<(Format, Vec<u8>)> {
    let ours = [adder(3), counter(), ties(), lost_bits()];
    let mut files: Vec<(Format, Vec<u8>)> = ours
        .iter()
        .flat_map(|netlist| {
            TEXTS.map(|format| (format, format::to_string(netlist, format).into_bytes()))
        })
        .collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for name in [
        "fixtures/mixed_cells.v",
        "fixtures/mixed_words.v",
        "fixtures/counter_abc.v",
        "regressions/read/refused_items.v",
        "regressions/read/instances.v",
    ] {
        let bytes = std::fs::read(folder.join(name)).expect("the file is there");
        files.push((Format::Verilog, bytes));
    }
    files
}

/// A change of a text: where it is, how many bytes go, and what comes.
fn damage() -> impl Strategy<Value = (prop::sample::Index, usize, Vec<u8>)> {
    let words = prop::sample::select(vec![
        "",
        ";",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ",",
        ".",
        "=",
        "<=",
        "?",
        ":",
        "'",
        "`",
        "\\",
        "\"",
        "/*",
        "//",
        "(*",
        "*)",
        "#",
        "@",
        "1'b0",
        "999999999999",
        "[2000000000:0]",
        "{1000000000{",
        "begin",
        "end",
        "else",
        "if",
        "module",
        "endmodule",
        "always",
        "posedge",
        ".names",
        ".latch",
        ".model",
        ".end",
        "\n",
        "\0",
        "\u{e9}",
        "input",
        "output",
        "wire",
        "assign",
        "initial",
    ]);
    let words = words.prop_map(|word| format!(" {word} ").into_bytes());
    let piece = prop_oneof![words, prop::collection::vec(any::<u8>(), 0..4)];
    (any::<prop::sample::Index>(), 0..30usize, piece)
}

proptest! {
    #[test]
    fn random_bytes_are_no_danger(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        TEXTS.iter().for_each(|&format| check(&bytes, format));
    }

    #[test]
    fn damaged_files_are_no_danger(
        file in any::<prop::sample::Index>(),
        changes in prop::collection::vec(damage(), 1..4),
    ) {
        let files = files();
        let (format, mut bytes) = file.get(&files).clone();
        for (place, length, piece) in changes {
            let start = place.index(bytes.len());
            let end = (start + length).min(bytes.len());
            bytes.splice(start..end, piece);
        }
        check(&bytes, format);
    }

    #[test]
    fn files_that_end_early_are_no_danger(
        file in any::<prop::sample::Index>(),
        end in any::<prop::sample::Index>(),
    ) {
        let files = files();
        let (format, bytes) = file.get(&files);
        check(&bytes[..end.index(bytes.len())], *format);
    }
}

/// Names that some format cannot hold, or that get in each other's way.
const HOSTILE: [&str; 37] = [
    "",
    " ",
    "a",
    "a[0]",
    "a[1]",
    "a_0",
    "a_1",
    "a b",
    "a\tb",
    "a\n",
    "\\a",
    "\\",
    "a\\",
    "\"q\"",
    "#",
    "@",
    "a#1",
    "$x",
    "$",
    "1",
    "1'b0",
    "clk",
    "clk_2",
    "n5",
    "n",
    "module",
    "logic",
    "endmodule",
    "a.b",
    "//",
    "/*",
    "(*",
    "`x",
    "\u{e9}",
    "=",
    "a=b",
    "zero",
];

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => prop::sample::select(HOSTILE.to_vec()).prop_map(String::from),
        2 => ".{0,12}",
        1 => "[ -~]{0,12}",
        1 => (1000..5000usize).prop_map(|length| "long".repeat(length)),
    ]
}

/// Names, no two alike, each with a width.
fn buses() -> impl Strategy<Value = Vec<(String, usize)>> {
    prop::collection::btree_map(name(), 1..3usize, 0..8)
        .prop_map(|buses| buses.into_iter().collect())
}

/// A circuit with these ports and registers, in which every output depends on all of them.
fn circuit(
    name: &str,
    inputs: &[(String, usize)],
    registers: &[(String, usize)],
    outputs: &[(String, usize)],
) -> Netlist {
    Builder::build(name, |n| {
        let mut parity = Bus::one();
        let mut held = Vec::new();
        for (name, width) in inputs {
            let input = n.input(name, *width);
            for bit in 0..*width {
                parity = n.xor(&parity, &input.bit(bit)?)?;
            }
        }
        for (name, width) in registers {
            let register = n.reg(name, &Bus::constant(1, *width));
            for bit in 0..*width {
                parity = n.xor(&parity, &register.bit(bit)?)?;
            }
            held.push(register);
        }
        for register in held {
            let next = n.xor(&register, &parity)?;
            n.drive(&register, &next);
        }
        for (at, (name, width)) in outputs.iter().enumerate() {
            let turned = if at % 2 == 0 { parity.clone() } else { n.not(&parity)? };
            let bits: Vec<Bus> = (0..*width).map(|_| turned.clone()).collect();
            n.output(name, &morpho::bus::cat(bits));
        }
        Ok(())
    })
    .expect("the circuit is sound")
}

/// The outputs, by their places, for random inputs, known by their places too.
fn behaviour(netlist: &Netlist) -> Vec<Vec<u128>> {
    let (mut noise, mut interpreter) = (Noise(9), Interpreter::new(netlist));
    let mut outputs = Vec::new();
    for _ in 0..4 {
        for port in netlist.inputs() {
            let mask = (1 << port.wires.len()) - 1;
            let numbers: Vec<u128> = (0..16).map(|_| u128::from(noise.next()) & mask).collect();
            interpreter.set(&port.name, &numbers);
        }
        interpreter.evaluate().expect("there are no loops");
        outputs.extend(netlist.outputs().iter().map(|port| interpreter.get(&port.name, 16)));
        interpreter.step().expect("there are no loops");
    }
    outputs
}

fn widths(netlist: &Netlist) -> Vec<usize> {
    let ports = netlist.inputs().iter().chain(netlist.outputs());
    ports.map(|port| port.wires.len()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    /// A circuit comes back from each format as it was, whatever its names are.
    #[test]
    fn any_names_survive(
        module in name(),
        inputs in buses(),
        registers in buses(),
        outputs in buses(),
    ) {
        let netlist = circuit(&module, &inputs, &registers, &outputs);
        for format in TEXTS {
            let text = format::to_string(&netlist, format);
            let options = ReadOptions { top: None, file: "names".into() };
            let back = format::read(text.as_bytes(), format, &options);
            let back = back.unwrap_or_else(|problems| panic!("{problems}\n{text}")).netlist;
            prop_assert_eq!(widths(&back), widths(&netlist), "{}", text);
            prop_assert!(behaviour(&back) == behaviour(&netlist), "{}", text);
            // From one format into the other.
            let again = format::to_string(&back, format);
            format::read(again.as_bytes(), format, &options).expect("it is sound");
        }
    }
}

#[test]
fn icarus_takes_any_names() {
    let buses = |width| HOSTILE.iter().map(|name| (name.to_string(), width)).collect::<Vec<_>>();
    let netlist = circuit("dut", &buses(2), &buses(1), &buses(1));
    let text = format::to_string(&netlist, Format::Verilog);
    format_common::check_verilog("hostile", &netlist, text, 3);
}
