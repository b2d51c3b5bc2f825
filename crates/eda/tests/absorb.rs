//! Flip-flops that move into memories and multipliers.

use eda::absorb::absorb;
use serde_json::{Map, Value, json};

fn flip_flop(data: u32, output: u32) -> Value {
    json!({
        "type": "TRELLIS_FF",
        "parameters": {"CEMUX": "1 ", "CLKMUX": "CLK", "LSRMUX": "LSR", "REGSET": "RESET"},
        "port_directions": {"CLK": "input", "DI": "input", "LSR": "input", "Q": "output"},
        "connections": {"CLK": [2], "DI": [data], "LSR": ["0"], "Q": [output]},
    })
}

/// A memory whose word has two bits, nets 10 and 11.
fn memory() -> Value {
    json!({
        "type": "DP16KD",
        "parameters": {"REGMODE_A": "NOREG", "REGMODE_B": "NOREG"},
        "port_directions": {"CLKA": "input", "OCEA": "input", "DOA0": "output", "DOA1": "output"},
        "connections": {"CLKA": [2], "OCEA": ["1"], "DOA0": [10], "DOA1": [11]},
    })
}

/// A multiplier of nets 10 and 11 by net 12, the product net 13.
fn multiplier() -> Value {
    json!({
        "type": "MULT18X18D",
        "parameters": {},
        "port_directions": {"A0": "input", "A1": "input", "A2": "input", "B0": "input", "P0": "output"},
        "connections": {"A0": [10], "A1": [11], "A2": ["0"], "B0": [12], "P0": [13]},
    })
}

/// The cells after the pass, and how many are gone; net `shown` is an output.
fn cells(cells: &[(&str, Value)], shown: &[u32]) -> (Map<String, Value>, usize) {
    let cells: Map<String, Value> =
        cells.iter().map(|(name, cell)| (name.to_string(), cell.clone())).collect();
    let ports = json!({"y": {"direction": "output", "bits": shown}});
    let design = json!({"creator": "a tool", "modules": {"top": {"ports": ports, "cells": cells}}});
    let (netlist, gone) = absorb(&design.to_string()).expect("a netlist");
    let netlist: Value = serde_json::from_str(&netlist).expect("a netlist");
    assert_eq!(netlist["creator"], "a tool");
    (netlist["modules"]["top"]["cells"].as_object().expect("cells").clone(), gone)
}

#[test]
fn a_register_behind_a_memory_is_its_own() {
    let design = [("m", memory()), ("f", flip_flop(10, 20)), ("g", flip_flop(11, 21))];
    let (cells, gone) = cells(&design, &[20, 21]);
    assert_eq!(gone, 2);
    assert_eq!(cells["m"]["parameters"]["REGMODE_A"], "OUTREG");
    assert_eq!(cells["m"]["connections"]["DOA1"], json!([21]));
}

#[test]
fn a_word_that_is_read_without_a_register_stays() {
    for shown in [&[20, 21, 11][..], &[20, 21]] {
        let mut g = flip_flop(11, 21);
        if shown.len() == 2 {
            g["parameters"]["CEMUX"] = json!("CE");
        }
        let design = [("m", memory()), ("f", flip_flop(10, 20)), ("g", g)];
        let (cells, gone) = cells(&design, shown);
        assert_eq!((gone, cells.len()), (0, 3));
        assert_eq!(cells["m"]["parameters"]["REGMODE_A"], "NOREG");
    }
}

/// A memory that is written at side A and read at side B: its word of two bits, nets 10 and 11, comes
/// out at both sides. The write port runs on net `written`.
fn wide_memory(written: u32) -> Value {
    let width = "00000000000000000000000000100100";
    let register = "NOREG";
    json!({
        "type": "DP16KD",
        "parameters": {
            "DATA_WIDTH_A": width, "DATA_WIDTH_B": width,
            "REGMODE_A": register, "REGMODE_B": register,
        },
        "port_directions": {
            "CLKA": "input", "CLKB": "input", "OCEA": "input", "OCEB": "input",
            "DOA0": "output", "DOB0": "output",
        },
        "connections": {
            "CLKA": [written], "CLKB": [2], "OCEA": ["0"], "OCEB": ["1"],
            "DOA0": [10], "DOB0": [11],
        },
    })
}

#[test]
fn a_register_behind_a_wide_word_is_on_at_both_sides() {
    let design = [("m", wide_memory(2)), ("f", flip_flop(10, 20)), ("g", flip_flop(11, 21))];
    let (cells, gone) = cells(&design, &[20, 21]);
    let m = &cells["m"];
    assert_eq!(gone, 2);
    for side in ["A", "B"] {
        assert_eq!(m["parameters"][format!("REGMODE_{side}")], "OUTREG");
        assert_eq!(m["connections"][format!("OCE{side}")], json!(["1"]));
    }
    assert_eq!(m["connections"]["DOA0"], json!([20]));
    assert_eq!(m["connections"]["DOB0"], json!([21]));
}

#[test]
fn a_wide_word_keeps_its_registers_whole_or_not_at_all() {
    let both = || vec![("f", flip_flop(10, 20)), ("g", flip_flop(11, 21))];
    for (written, shown) in [(3, &[20, 21][..]), (2, &[20, 21, 11]), (2, &[20, 21, 10])] {
        let design: Vec<_> = [("m", wide_memory(written))].into_iter().chain(both()).collect();
        let (cells, gone) = cells(&design, shown);
        assert_eq!((gone, cells.len()), (0, 3));
        assert_eq!(cells["m"]["parameters"]["REGMODE_B"], "NOREG");
    }
}

#[test]
fn a_multiplier_takes_registers_on_both_sides() {
    let design = [
        ("m", multiplier()),
        ("a0", flip_flop(30, 10)),
        ("a1", flip_flop(31, 11)),
        ("b0", flip_flop(32, 12)),
        ("p", flip_flop(13, 14)),
        ("q", flip_flop(14, 15)),
        ("r", flip_flop(15, 16)),
    ];
    // Net 11 is read elsewhere too, so its flip-flop stays.
    let (cells, gone) = cells(&design, &[16, 11]);
    assert_eq!(gone, 4);
    assert_eq!(cells.keys().collect::<Vec<_>>(), ["a1", "m", "r"]);
    let m = &cells["m"];
    assert_eq!(m["connections"]["A0"], json!([30]));
    assert_eq!(m["connections"]["A1"], json!([31]));
    assert_eq!(m["connections"]["P0"], json!([15]));
    assert_eq!(m["connections"]["CLK0"], json!([2]));
    for register in ["INPUTA", "INPUTB", "PIPELINE", "OUTPUT"] {
        assert_eq!(m["parameters"][format!("REG_{register}_CLK")], "CLK0");
    }
}

#[test]
fn a_netlist_that_is_none_is_refused() {
    assert!(absorb("{}").is_err());
}
