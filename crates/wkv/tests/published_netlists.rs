//! The published netlists, read from BLIF, do exactly what our circuits and the integer model do.

mod common;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use common::golden;
use morpho::Netlist;
use morpho::format::{self, Format, ReadOptions};
use morpho::prove::{Limits, Verdict, quiet};
use morpho::sim::{Program, Simulator};
use wkv::circuit::{Unit, build};
use wkv::fixed::Model;
use wkv::prove::peer::prove_peer;

/// A published netlist, or `None` if it is not at hand.
fn published(name: &str) -> Option<Netlist> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("WKV_SHARED").map_or_else(beside, PathBuf::from);
    let path = shared.join("golden/netlists").join(name);
    let Ok(bytes) = std::fs::read(path) else {
        println!("skipped: the published {name} is not at hand; WKV_SHARED names its folder");
        return None;
    };
    let options = ReadOptions { top: None, file: name.to_owned() };
    let reading = format::read(&bytes, Format::Blif, &options);
    let reading = reading.unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(reading.warnings, []);
    Some(reading.netlist)
}

fn widths(netlist: &Netlist) -> Vec<(&str, usize)> {
    let ports = netlist.inputs().iter().chain(netlist.outputs());
    ports.map(|port| (&port.name[..], port.wires.len())).collect()
}

/// A circuit with a number on each lane.
struct Lanes {
    program: Arc<Program>,
    simulator: Simulator,
}

impl Lanes {
    fn new(netlist: &Netlist, lanes: usize) -> Lanes {
        let program = Arc::new(Program::compile(netlist));
        Lanes { simulator: Simulator::new(Arc::clone(&program), lanes), program }
    }

    fn set(&mut self, port: &str, numbers: &[u32]) {
        self.simulator.set(self.program.input(port).expect(port), numbers);
    }

    fn get(&self, port: &str) -> Vec<u32> {
        self.simulator.get(self.program.output(port).expect(port))
    }

    /// What a port shows for these inputs.
    fn of(&mut self, inputs: &[(&str, &[u32])], port: &str) -> Vec<u32> {
        inputs.iter().for_each(|(name, numbers)| self.set(name, numbers));
        self.simulator.evaluate().expect("there are no loops");
        self.get(port)
    }
}

fn classic() -> wkv::WkvSpec {
    "classic:q8.8".parse().expect("a spec")
}

#[test]
fn exp2neg_for_every_input() {
    let Some(netlist) = published("exp2neg.blif") else { return };
    assert_eq!(widths(&netlist), [("x", 16), ("y", 17)]);
    let all: Vec<u32> = (0..1 << 16).collect();
    let theirs = Lanes::new(&netlist, all.len()).of(&[("x", &all)], "y");
    let ours = build(&classic(), Unit::Exp2).expect("a unit");
    assert!(theirs == Lanes::new(&ours, all.len()).of(&[("x", &all)], "y"));
    let model = Model::new(&classic());
    let expected = all.iter().map(|&x| model.exp2neg(x as i32) as u32);
    assert!(theirs.into_iter().eq(expected));
}

/// Dividends and divisors: every divisor with dividends all over the range.
fn divisions() -> (Vec<u32>, Vec<u32>) {
    let dividends = (0..1 << 16).step_by(61).chain([0xffff, 0x8000, 0x7fff, 255, 256]);
    dividends.flat_map(|a| (0..256).map(move |b| (a, b))).unzip()
}

#[test]
fn divider_over_many_vectors() {
    let Some(netlist) = published("divider.blif") else { return };
    assert_eq!(widths(&netlist), [("a", 16), ("b", 8), ("q", 16), ("rem", 8)]);
    let (a, b) = divisions();
    let mut theirs = Lanes::new(&netlist, a.len());
    let quotients = theirs.of(&[("a", &a), ("b", &b)], "q");
    let remainders = theirs.get("rem");
    let ours = morpho::library::build("divider", &[16, 8]).expect("a cell");
    let mut ours = Lanes::new(&ours, a.len());
    assert!(quotients == ours.of(&[("dividend", &a), ("divisor", &b)], "quotient"));
    for (at, (&a, &b)) in std::iter::zip(&a, &b).enumerate().filter(|(_, (_, b))| **b > 0) {
        assert_eq!((quotients[at], remainders[at]), (a / b, a % b), "{a} / {b}");
    }
    assert!(std::iter::zip(&b, &quotients).all(|(&b, &q)| b > 0 || q == 0xffff));
}

#[test]
fn serial_divider_over_clocked_streams() {
    let Some(netlist) = published("serial_divider.blif") else { return };
    assert_eq!(widths(&netlist), [("a_bit", 1), ("b", 8), ("q", 1)]);
    assert_eq!(netlist.register_bits().count(), 8);
    let (a, b) = divisions();
    let ours = morpho::library::build("serial_divider", &[1, 8]).expect("a cell");
    let names: Vec<&str> = widths(&ours).into_iter().map(|(name, _)| name).collect();
    let mut theirs = Lanes::new(&netlist, a.len());
    let mut ours = Lanes::new(&ours, a.len());
    theirs.set("b", &b);
    ours.set(names[1], &b);
    let mut quotients = vec![0; a.len()];
    for step in (0..16).rev() {
        let bits: Vec<u32> = a.iter().map(|a| a >> step & 1).collect();
        theirs.set("a_bit", &bits);
        ours.set(names[0], &bits);
        theirs.simulator.step().expect("there are no loops");
        ours.simulator.step().expect("there are no loops");
        let shown = theirs.get("q");
        assert!(shown == ours.get(names[2]), "bit {step}");
        std::iter::zip(&mut quotients, shown).for_each(|(q, bit)| *q |= bit << step);
    }
    for (at, (&a, &b)) in std::iter::zip(&a, &b).enumerate().filter(|(_, (_, b))| **b > 0) {
        assert_eq!(quotients[at], a / b, "{a} / {b}");
    }
}

/// Every channel a lane, its state included.
#[test]
fn wkv_cell_on_the_golden_streams() {
    let Some(netlist) = published("wkv_cell.blif") else { return };
    let streams = golden::streams();
    let stream = &streams[0];
    assert_eq!(stream.spec, classic());
    let raw = |numbers: &[i32]| numbers.iter().map(|&n| n as u32 & 0xffff).collect::<Vec<_>>();
    let mut cell = Lanes::new(&netlist, stream.channels());
    cell.set("uq", &raw(&stream.u));
    cell.set("wq", &raw(&stream.w));
    let column = |rows: &[Vec<i32>], token| -> Vec<u32> {
        raw(&rows.iter().map(|row| row[token]).collect::<Vec<_>>())
    };
    for token in 0..stream.tokens() {
        cell.set("kq", &column(&stream.k, token));
        cell.set("vq", &column(&stream.v, token));
        cell.simulator.step().expect("there are no loops");
        assert_eq!(cell.get("wkv"), column(&stream.out, token), "token {token}");
    }
    for (first, expected) in [(66, &stream.aa), (82, &stream.bb), (98, &stream.pp)] {
        let mut numbers = vec![0; stream.channels()];
        for bit in 0..16 {
            let register = cell.program.register(&format!("r{}", first + bit));
            let bits: Vec<u32> = cell.simulator.get_register(register.expect("a register"));
            std::iter::zip(&mut numbers, bits).for_each(|(n, value)| *n |= value << bit);
        }
        assert_eq!(numbers, raw(expected), "registers from r{first}");
    }
}

/// For every stream, not a sample. About a minute:
/// `cargo test --release -p wkv --test published_netlists -- --ignored`.
#[test]
#[ignore = "a minute in release mode"]
fn the_published_cell_is_proven_to_be_ours() {
    let Some(theirs) = published("wkv_cell.blif") else { return };
    let spec = "classic:q8.8".parse().expect("a spec");
    let limits = Limits { time: Duration::from_secs(300), ..Limits::default() };
    let proof = prove_peer(&theirs, &spec, limits, &quiet).expect("its ports are ours");
    assert_eq!(proof.verdict, Verdict::Equal);
}
