//! Cells that somebody else built.

use morpho::format::{Format, ReadOptions, read, to_bytes};
use morpho::prove::{Change, Limits, Mismatch, Verdict, quiet};
use morpho::{Lut, Netlist};
use wkv::WkvSpec;
use wkv::circuit::{Unit, build};
use wkv::prove::peer::prove_peer;

fn classic() -> WkvSpec {
    "classic:q8.8".parse().expect("a spec")
}

/// The cell as BLIF, with other names for its ports and registers, read back.
fn renamed(cell: &Netlist) -> Netlist {
    let text = to_bytes(cell, Format::Blif);
    let mut text = String::from_utf8(text).expect("BLIF is text");
    for (ours, theirs) in
        [("k[", "kq["), ("v[", "vq["), ("u[", "uq["), ("w[", "wq["), ("aa[", "r1["), ("bb[", "r0[")]
    {
        text = text.replace(&format!(" {ours}"), &format!(" {theirs}"));
    }
    let reading = read(text.as_bytes(), Format::Blif, &ReadOptions::default());
    reading.expect("names do not matter").netlist
}

#[test]
fn other_names_do_not_matter() {
    let cell = build(&classic(), Unit::Cell).expect("a cell");
    let peer = renamed(&cell);
    assert!(peer.inputs().iter().any(|port| port.name == "kq"));
    let proof = prove_peer(&peer, &classic(), Limits::default(), &quiet).expect("the same ports");
    assert_eq!(proof.verdict, Verdict::Equal);
}

#[test]
fn a_mutant_is_no_peer() {
    let cell = build(&classic(), Unit::Cell).expect("a cell");
    let gates: Vec<_> = cell.gates().map(|(wire, gate)| (wire, gate.lut())).collect();
    let (wire, lut) = gates[gates.len() / 2];
    let lut = Lut::from_fn(lut.arity(), |row| lut.row(row) != (row == 0));
    let mutant = renamed(&Change::Gate { wire, lut }.apply(&cell));
    let limits = Limits { exhaustive_bits: 0, ..Limits::default() };
    let proof = prove_peer(&mutant, &classic(), limits, &quiet).expect("the same ports");
    assert!(matches!(proof.verdict, Verdict::Different(_)), "{proof:?}");
}

#[test]
fn the_cell_of_another_format_is_no_peer() {
    let other = build(&"classic:q6.10".parse().expect("a spec"), Unit::Cell).expect("a cell");
    let limits = Limits { exhaustive_bits: 0, ..Limits::default() };
    let proof = prove_peer(&other, &classic(), limits, &quiet).expect("the same ports");
    assert!(matches!(proof.verdict, Verdict::Different(_)), "{proof:?}");
}

#[test]
fn a_unit_is_refused() {
    let divider = build(&classic(), Unit::Divider).expect("a divider");
    let refused = prove_peer(&divider, &classic(), Limits::default(), &quiet);
    assert!(matches!(refused, Err(Mismatch::Port { .. })), "{refused:?}");
}
