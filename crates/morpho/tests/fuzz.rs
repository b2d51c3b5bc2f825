//! Random circuits through everything that takes a circuit. `scripts/fuzz` runs this for longer.

mod common;

use std::collections::HashSet;

use common::recipe::{Loops, Recipe, recipes};
use common::small::{BYTE, gate_seeds, netlist, table};
use common::soundness::{assert_same_behaviour, assert_well_formed, behaviour};
use morpho::format::{self, Format, ReadOptions, vcd};
use morpho::pass::{optimise, registry};
use morpho::prove::{CutFinder, Equivalence, PinKind, Verdict, quiet};
use morpho::{Builder, Bus, Netlist, Wire};
use proptest::prelude::*;

fn any_recipe() -> impl Strategy<Value = Recipe> {
    prop_oneof![recipes(Loops::None), recipes(Loops::Latches), recipes(Loops::Any)]
}

/// One pass after another, each on what the one before left.
fn check_passes(netlist: &Netlist, order: &[prop::sample::Index]) {
    assert_well_formed(netlist);
    let mut result = netlist.clone();
    for pass in order.iter().map(|index| index.get(registry())) {
        pass.run(&mut result);
        assert_well_formed(&result);
        assert_same_behaviour(netlist, &result, pass.name());
    }
    optimise(&mut result);
    assert_well_formed(&result);
    assert_same_behaviour(netlist, &result, "optimise");
}

/// A circuit that is nothing but a copy of `part` behaves as `part`.
fn check_copy(part: &Netlist) {
    let copy = Builder::build("copy", |n| {
        n.allow_loops();
        let inputs: Vec<Bus> =
            part.inputs().iter().map(|port| n.input(&port.name, port.wires.len())).collect();
        let outputs = n.embed(part, &inputs.iter().collect::<Vec<_>>())?;
        for (port, bus) in std::iter::zip(part.outputs(), outputs) {
            n.output(&port.name, &bus);
        }
        Ok(())
    })
    .expect("a copy of a sound circuit is sound");
    assert_well_formed(&copy);
    assert!(behaviour(part) == behaviour(&copy), "the copy differs");
}

/// Every signal of a BLIF text is driven once, and every one that is read is driven.
fn check_blif(text: &str) {
    let text = text.replace("\\\n", "");
    let (mut driven, mut read) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [".inputs", ref names @ ..] => driven.extend(names),
            [".outputs", ref names @ ..] => read.extend(names),
            [".names", ref inputs @ .., output] => {
                read.extend(inputs);
                driven.push(output);
            }
            [".latch", next, output, ..] => {
                read.push(next);
                driven.push(output);
            }
            _ => (),
        }
    }
    let once: HashSet<&str> = driven.iter().copied().collect();
    assert_eq!(once.len(), driven.len(), "a signal is driven twice:\n{text}");
    let floating = read.iter().find(|name| !once.contains(*name));
    assert_eq!(floating, None, "a signal is not driven:\n{text}");
}

fn check_writers(netlist: &Netlist) {
    for format in Format::ALL {
        let mut bytes = Vec::new();
        match format::write(netlist, format, &mut bytes) {
            Ok(()) => assert!(!bytes.is_empty(), "{format}"),
            Err(error) => assert!(!netlist.loops().is_empty(), "{format}: {error}"),
        }
    }
    check_blif(&format::to_string(netlist, Format::Blif));
    let mut waveform = vcd::Writer::new(netlist, Vec::new()).expect("memory takes it");
    for step in 0..3 {
        waveform.step(|wire| wire.index() % 3 == step).expect("memory takes it");
    }
    String::from_utf8(waveform.finish().expect("memory takes it")).expect("a VCD file is text");
}

/// Formats that are read.
const READ: [Format; 5] =
    [Format::Blif, Format::Verilog, Format::YosysJson, Format::Aiger, Format::AigerAscii];

/// Whatever the bytes are, they are a sound circuit or refused with reasons.
fn check_reading(bytes: &[u8], format: Format) {
    let options = ReadOptions { file: "fuzz".into(), top: None };
    match format::read(bytes, format, &options) {
        Ok(reading) => assert_well_formed(&reading.netlist),
        Err(problems) => {
            assert!(!problems.0.is_empty());
            assert!(problems.to_string().len() < 1 << 20);
        }
    }
}

/// A change to a file: at a place, bytes that are taken out and others that come in. What comes in
/// is a piece of the file itself, a number that is hostile, or anything.
#[derive(Clone, Debug)]
struct Damage {
    at: prop::sample::Index,
    removed: usize,
    inserted: Piece,
}

#[derive(Clone, Debug)]
enum Piece {
    Bytes(Vec<u8>),
    Own(prop::sample::Index, usize),
    Text(&'static str),
}

fn damage() -> impl Strategy<Value = Damage> {
    let texts = [
        "0",
        "1",
        "-",
        "4294967295",
        "18446744073709551616",
        "x",
        "\"",
        "{",
        "]",
        "\n",
        " ",
        "[0]",
        ";",
    ];
    let piece = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..4).prop_map(Piece::Bytes),
        (any::<prop::sample::Index>(), 0..60usize).prop_map(|(at, length)| Piece::Own(at, length)),
        prop::sample::select(texts.to_vec()).prop_map(Piece::Text),
    ];
    (any::<prop::sample::Index>(), 0..12usize, piece).prop_map(|(at, removed, inserted)| Damage {
        at,
        removed,
        inserted,
    })
}

impl Damage {
    fn done_to(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let at = self.at.index(bytes.len());
        let end = (at + self.removed).min(bytes.len());
        let inserted = match &self.inserted {
            Piece::Bytes(bytes) => bytes.clone(),
            Piece::Text(text) => text.as_bytes().to_vec(),
            Piece::Own(from, length) => {
                let from = from.index(bytes.len());
                bytes[from..(from + length).min(bytes.len())].to_vec()
            }
        };
        bytes.splice(at..end, inserted);
    }
}

/// The verdict on two circuits is that of a comparison on every input and stored value, with and
/// without a cut through some wires of the right one, and a counterexample is one of them.
fn check_proof(left: &Netlist, right: &Netlist, cut: &[prop::sample::Index]) {
    let (left_table, right_table) = (table(left), table(right));
    let wires: Vec<Wire> = right.gates().map(|(wire, _)| wire).collect();
    let chosen: Vec<Wire> = match wires[..] {
        [] => Vec::new(),
        _ => cut.iter().map(|index| *index.get(&wires)).collect(),
    };
    let claim = || Equivalence::new(left, right).expect("the same ports");
    let found = CutFinder::new(left, right).expect("the same ports").cut(&chosen);
    let cuts = found.into_iter().flat_map(|cut| [cut.clone(), cut.by_cases()]);
    let claims = cuts.map(|cut| claim().cut(cut)).chain([claim()]);
    for claim in claims {
        match claim.prove(&quiet).verdict {
            Verdict::Equal => {
                assert!(left_table == right_table, "unequal circuits are proven equal")
            }
            Verdict::Different(found) => {
                let number = |kind, name| found.number(kind, name).unwrap_or(0) as usize;
                let row = number(PinKind::Register, "state") << 8 | number(PinKind::Port, "a");
                assert_ne!(left_table[row], right_table[row], "{found}");
            }
            undecided => panic!("{undecided:?}"),
        }
    }
}

proptest! {
    /// A circuit against itself after some passes, perhaps with a row of a gate flipped before.
    #[test]
    fn proofs_agree_with_every_input(
        gates in gate_seeds(1..=6usize, 1..60),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 3 + 4),
        flip in prop::option::of((any::<prop::sample::Index>(), 0..64u32)),
        order in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        cut in prop::collection::vec(any::<prop::sample::Index>(), 1..5),
    ) {
        let left = netlist(&BYTE, &gates, &picks);
        let mut changed = gates;
        if let Some((place, row)) = flip {
            let place = place.index(changed.len());
            changed[place].1 ^= 1u64 << (row % (1 << changed[place].0));
        }
        let mut right = netlist(&BYTE, &changed, &picks);
        for pass in order.iter().map(|index| index.get(registry())) {
            // A register that a pass drops is one that nothing reads; it has no row of its own.
            let before = right.clone();
            pass.run(&mut right);
            if right.register_bits().count() < 3 {
                right = before;
            }
        }
        check_proof(&left, &right, &cut);
    }

    #[test]
    fn readers_take_any_bytes(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        start in prop::sample::select(vec!["", ".names a b\n", "module m(", "{\"modules\":", "aig 3 1 0 1 2\n", "aag "]),
    ) {
        let bytes = [start.as_bytes(), &bytes].concat();
        READ.into_iter().for_each(|format| check_reading(&bytes, format));
    }

    #[test]
    fn readers_take_damaged_files(
        recipe in recipes(Loops::None),
        damages in prop::collection::vec(damage(), 1..5),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let netlist = recipe.build();
        for format in READ {
            let mut bytes = format::to_bytes(&netlist, format);
            damages.iter().for_each(|damage| damage.done_to(&mut bytes));
            if let Some(cut) = cut {
                bytes.truncate(cut.index(bytes.len() + 1));
            }
            check_reading(&bytes, format);
        }
    }

    #[test]
    fn passes_keep_what_a_circuit_computes(
        recipe in any_recipe(),
        order in prop::collection::vec(any::<prop::sample::Index>(), 1..8),
    ) {
        check_passes(&recipe.build(), &order);
    }

    #[test]
    fn copies_do_what_the_original_does(recipe in prop_oneof![recipes(Loops::None), recipes(Loops::Latches)]) {
        let mut netlist = recipe.build();
        check_copy(&netlist);
        optimise(&mut netlist);
        check_copy(&netlist);
    }

    #[test]
    fn writers_take_every_circuit(recipe in any_recipe()) {
        let mut netlist = recipe.build();
        check_writers(&netlist);
        optimise(&mut netlist);
        check_writers(&netlist);
    }
}
