//! Circuits for the tests of file formats, and outside tools to check the files with.

// Each test file uses a part of it.
#![allow(dead_code)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use morpho::bus::cat;
use morpho::sim::Interpreter;
use morpho::{Builder, Bus, Fits, Lut, Netlist, cell, pass};
use proptest::prelude::*;

/// One bit of a sum: `a`, `b`, `carry`: \[1\] -> sum \[1\], carry out \[1\].
#[cell]
fn full_adder(n: &mut Builder, a: &Bus, b: &Bus, carry: &Bus) -> Fits<(Bus, Bus)> {
    Ok((n.lut(Lut::XOR3, &[a, b, carry])?, n.lut(Lut::MAJORITY, &[a, b, carry])?))
}

/// Ripple-carry addition: `a`, `b`: \[N\], `carry`: \[1\] -> sum \[N\], carry out \[1\].
#[cell(fallback = full_adder)]
fn ripple_adder(n: &mut Builder, a: &Bus, b: &Bus, carry: &Bus) -> Fits<(Bus, Bus)> {
    let ((a0, a1), (b0, b1)) = (a.split()?, b.split()?);
    let (s0, middle) = ripple_adder(n, &a0, &b0, carry)?;
    let (s1, out) = ripple_adder(n, &a1, &b1, &middle)?;
    Ok((cat([s0, s1]), out))
}

/// An adder of two numbers of `width` bits and a carry.
pub fn adder(width: usize) -> Netlist {
    Builder::build("adder", |n| {
        let (a, b, carry) = (n.input("a", width), n.input("b", width), n.input("carry", 1));
        let (sum, out) = ripple_adder(n, &a, &b, &carry)?;
        n.output("sum", &sum);
        n.output("out", &out);
        Ok(())
    })
    .expect("the circuit is sound")
}

/// A counter of three bits that starts at 5 and counts while `enable` is set, its register named
/// as its output.
pub fn counter() -> Netlist {
    let mut counter = Builder::build("counter", |n| {
        let enable = n.input("enable", 1);
        let count = n.reg("count", &Bus::constant(5, 3));
        let (next, _) = ripple_adder(n, &count, &Bus::constant(0, 3), &enable)?;
        n.drive(&count, &next);
        n.output("count", &count);
        Ok(())
    })
    .expect("the circuit is sound");
    pass::optimise(&mut counter);
    counter
}

/// Outputs that show an input, a register, constants, and one gate twice.
pub fn ties() -> Netlist {
    Builder::build("ties", |n| {
        let x = n.input("x", 2);
        let held = n.reg("held", &Bus::one());
        n.drive(&held, &Bus::zero());
        let both = n.and(&x.bit(0)?, &x.bit(1)?)?;
        n.output("y", &cat([&x.bit(1)?, &held, &Bus::zero(), &Bus::one(), &both]));
        n.output("again", &both);
        Ok(())
    })
    .expect("the circuit is sound")
}

/// A delay line of four bits of which the last alone is read, and one of which bits 1 and 3 are.
pub fn lost_bits() -> Netlist {
    let mut circuit = Builder::build("lost_bits", |n| {
        let x = n.input("x", 4);
        let (one, two) = (n.reg("one", &Bus::constant(15, 4)), n.reg("two", &Bus::constant(2, 4)));
        n.drive(&one, &x);
        n.drive(&two, &x);
        n.output("y", &cat([one.bit(3)?, two.bit(1)?, two.bit(3)?]));
        Ok(())
    })
    .expect("the circuit is sound");
    pass::optimise(&mut circuit);
    circuit
}

/// Two NOR gates that hold a bit between them.
pub fn latch() -> Netlist {
    Builder::build("latch", |n| {
        n.allow_loops();
        let (set, reset) = (n.input("set", 1), n.input("reset", 1));
        let q = n.forward("q", 1);
        let not_q = n.lut(Lut::NOR, &[&set, &q])?;
        let value = n.lut(Lut::NOR, &[&reset, &not_q])?;
        n.tie(&q, &value);
        n.output("q", &value);
        Ok(())
    })
    .expect("the circuit is sound")
}

/// A circuit without a name or anything else.
pub fn empty() -> Netlist {
    Builder::build("", |_| Ok(())).expect("the circuit is sound")
}

/// Inputs, outputs and registers of one bit with these names; every output is a gate.
pub fn named(inputs: &[&str], outputs: &[&str], registers: &[&str]) -> Netlist {
    Builder::build("dut", |n| {
        let mut parity = Bus::zero();
        for name in inputs {
            let input = n.input(*name, 1);
            parity = n.xor(&parity, &input)?;
        }
        for name in registers {
            let register = n.reg(name, &Bus::one());
            n.drive(&register, &parity);
            parity = n.xor(&parity, &register)?;
        }
        for name in outputs {
            let output = n.not(&parity)?;
            n.output(*name, &output);
        }
        Ok(())
    })
    .expect("the circuit is sound")
}

const INPUT_NAMES: [&str; 4] = ["a", "a_0", "reg", "n5"];
const REGISTER_NAMES: [&str; 4] = ["a", "core.a", "n7", "a[1]"];
const OUTPUT_NAMES: [&str; 4] = ["a", "clk", "y", "wire"];

/// Any small circuit, with names that get in each other's way; with registers if `clocked`.
pub fn any_netlist(clocked: bool) -> impl Strategy<Value = Netlist> {
    let pick = any::<prop::sample::Index>;
    let bus = prop::collection::vec(pick(), 0..4);
    let gate = (0..=6usize, any::<u64>(), prop::collection::vec(pick(), 6));
    let registers = if clocked { 0..=4 } else { 0..=0usize };
    let register = prop::collection::vec((any::<bool>(), pick()), 0..4);
    (
        prop::collection::vec(0..4usize, 0..=4),
        prop::collection::vec(register, registers),
        prop::collection::vec(gate, 0..20),
        prop::collection::vec(bus, 1..=4),
        any::<bool>(),
    )
        .prop_map(|(inputs, registers, gates, outputs, optimised)| {
            let mut netlist = Builder::build("dut", |n| {
                let mut wires = cat([Bus::zero(), Bus::one()]);
                for (name, width) in std::iter::zip(INPUT_NAMES, inputs) {
                    wires = cat([&wires, &n.input(name, width)]);
                }
                let mut pending = Vec::new();
                for (name, bits) in std::iter::zip(REGISTER_NAMES, &registers) {
                    let initial = bits.iter().map(|(bit, _)| Bus::constant(u64::from(*bit), 1));
                    let register = n.reg(name, &cat(initial));
                    wires = cat([&wires, &register]);
                    pending.push((register, bits));
                }
                let choose =
                    |wires: &Bus, at: &prop::sample::Index| Bus::from(*at.get(wires.wires()));
                for (arity, table, arguments) in &gates {
                    let arguments: Vec<Bus> =
                        arguments[..*arity].iter().map(|at| choose(&wires, at)).collect();
                    let gate =
                        n.lut(Lut::new(*arity, *table), &arguments.iter().collect::<Vec<_>>())?;
                    wires = cat([wires, gate]);
                }
                for (register, bits) in pending {
                    n.drive(&register, &cat(bits.iter().map(|(_, at)| choose(&wires, at))));
                }
                for (name, bits) in std::iter::zip(OUTPUT_NAMES, &outputs) {
                    n.output(name, &cat(bits.iter().map(|at| choose(&wires, at))));
                }
                Ok(())
            })
            .expect("the circuit is sound");
            if optimised {
                pass::optimise(&mut netlist);
            }
            netlist
        })
}

/// Numbers that look random: the same ones for the same seed.
pub struct Noise(pub u64);

impl Noise {
    /// The next 64 bits. Source: xorshift64*, S. Vigna, 2016.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 32) as usize % limit
    }
}

/// What the interpreter makes of random inputs: for each step the numbers that went in, a list of
/// `lanes` for each input port, and those that came out, for each output port.
pub fn simulate(
    netlist: &Netlist,
    lanes: usize,
    steps: usize,
    seed: u64,
) -> Vec<[Vec<Vec<u128>>; 2]> {
    let mut noise = Noise(seed | 1);
    let mut interpreter = Interpreter::new(netlist);
    let mut step = || {
        let mut numbers = |width: usize| -> Vec<u128> {
            (0..lanes).map(|_| u128::from(noise.next()) & ((1 << width) - 1)).collect()
        };
        let inputs: Vec<_> = netlist.inputs().iter().map(|p| numbers(p.wires.len())).collect();
        for (port, numbers) in std::iter::zip(netlist.inputs(), &inputs) {
            interpreter.set(&port.name, numbers);
        }
        interpreter.evaluate().expect("there are no loops");
        let outputs = netlist.outputs().iter().map(|p| interpreter.get(&p.name, lanes)).collect();
        interpreter.step().expect("there are no loops");
        [inputs, outputs]
    };
    (0..steps).map(|_| step()).collect()
}

/// The first of these programs that can be started; says so if a test is skipped for want of one.
pub fn tool(programs: &[&str]) -> Option<String> {
    let runs = |program: &&&str| Command::new(program).arg("-h").output().is_ok();
    let found = programs.iter().find(runs);
    if found.is_none() {
        println!("skipped: none of {} is on the PATH", programs.join(", "));
    }
    found.map(|program| program.to_string())
}

/// What a program prints; it must succeed.
pub fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().expect("the program starts");
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{program} {arguments:?} failed:\n{text}");
    text
}

/// A file for an outside tool, removed when it goes.
pub struct Scratch(PathBuf);

impl Scratch {
    /// A file of this text; `name` must be the caller's own.
    pub fn new(name: &str, text: &str) -> Scratch {
        // Two runs of the tests at once do not meet.
        let name = format!("{}-{name}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, text).expect("the folder for test files can be written");
        Scratch(path)
    }

    /// Its path.
    pub fn path(&self) -> &str {
        self.0.to_str().expect("the path is text")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Compiles with Icarus Verilog and runs; gives what the program prints, `None` without Icarus.
pub fn icarus(name: &str, text: &str) -> Option<String> {
    let compiler = tool(&["iverilog"])?;
    let runtime = tool(&["vvp"])?;
    let source = Scratch::new(&format!("{name}.v"), text);
    let program = Scratch::new(&format!("{name}.vvp"), "");
    let warnings = run(&compiler, &["-g2012", "-Wall", "-o", program.path(), source.path()]);
    let about_us = |line: &&str| !line.contains("timescale");
    let warnings: Vec<&str> = warnings.lines().filter(about_us).collect();
    assert!(warnings.is_empty(), "{warnings:#?}\n{text}");
    Some(run(&runtime, &[program.path()]))
}

/// A module that puts the inputs of each step at the ports of `dut`, which it knows by their
/// order, shows the outputs, and gives a clock edge.
fn bench(netlist: &Netlist, steps: &[[Vec<Vec<u128>>; 2]]) -> String {
    let ports = |prefix: char, ports: &[morpho::Port]| -> Vec<(String, usize)> {
        let widths = ports.iter().map(|port| port.wires.len());
        let named = widths.enumerate().map(|(index, width)| (format!("{prefix}{index}"), width));
        named.filter(|(_, width)| *width > 0).collect()
    };
    let (inputs, outputs) = (ports('i', netlist.inputs()), ports('o', netlist.outputs()));
    let clocked = netlist.register_bits().next().is_some();
    let mut text = String::from("module bench;\n    reg clk = 0;\n");
    for (kind, ports) in [("reg", &inputs), ("wire", &outputs)] {
        for (name, width) in ports {
            writeln!(text, "    {kind} [{}:0] {name};", width - 1).unwrap();
        }
    }
    let names = |ports: &[(String, usize)]| ports.iter().map(|p| p.0.clone()).collect::<Vec<_>>();
    let clock = clocked.then(|| "clk".to_string());
    let all: Vec<String> = clock.into_iter().chain(names(&inputs)).chain(names(&outputs)).collect();
    writeln!(text, "    dut dut ({});\n    initial begin", all.join(", ")).unwrap();
    for [numbers, _] in steps {
        for (index, number) in numbers.iter().enumerate() {
            let width = netlist.inputs()[index].wires.len();
            if width > 0 {
                writeln!(text, "        i{index} = {width}'d{};", number[0]).unwrap();
            }
        }
        let format = vec!["%b"; outputs.len()].join(" ");
        let shown = names(&outputs).join(", ");
        writeln!(text, "        #1 $display(\"{format}\", {shown});").unwrap();
        writeln!(text, "        #1 clk = 1;\n        #1 clk = 0;").unwrap();
    }
    text + "    end\nendmodule\n"
}

/// Checks by Icarus Verilog that the module `dut` in `text` does what `netlist` does.
pub fn check_verilog(name: &str, netlist: &Netlist, text: String, seed: u64) {
    let steps = simulate(netlist, 1, 5, seed);
    let text = text + &bench(netlist, &steps);
    let Some(shown) = icarus(name, &text) else { return };
    let number = |(port, lanes): (&morpho::Port, &Vec<u128>)| match port.wires.len() {
        0 => None,
        width => Some(format!("{:0width$b}", lanes[0])),
    };
    let step = |[_, outputs]: &[Vec<Vec<u128>>; 2]| {
        let numbers = std::iter::zip(netlist.outputs(), outputs).filter_map(number);
        numbers.collect::<Vec<_>>().join(" ")
    };
    let expected: Vec<String> = steps.iter().map(step).collect();
    assert_eq!(shown.lines().collect::<Vec<_>>(), expected, "{text}");
}
