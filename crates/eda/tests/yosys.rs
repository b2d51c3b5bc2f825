//! What Yosys writes, as recorded.

use eda::device::Family;
use eda::harness::Port;
use eda::yosys::{Counts, Language, ports, synthesis_script};

#[test]
fn reads_counts() {
    let counts = Counts::parse(include_str!("fixtures/ice40.stat.json"), Family::Ice40);
    let counts = counts.expect("counts");
    assert_eq!(counts.version, "Yosys 0.70");
    assert_eq!((counts.luts, counts.registers, counts.ram_blocks, counts.dsp), (291, 33, 0, 0));
}

#[test]
fn reads_ports() {
    let json = r#"{"modules": {"cell": {"ports": {}}, "top": {"attributes": {"top": "1"}, "ports": {
        "a": {"direction": "input", "bits": [2, 3]}, "y": {"direction": "output", "bits": [4]}}}}}"#;
    let a = Port { name: "a".to_owned(), width: 2, input: true };
    let y = Port { name: "y".to_owned(), width: 1, input: false };
    assert_eq!(ports(json), Ok(("top".to_owned(), vec![a, y])));
}

#[test]
fn tables_that_are_kept_meet_no_mapper() {
    let device = "hx8k".parse().expect("a device");
    let kept = synthesis_script(Language::Tables, &device);
    assert!(kept.contains("read_blif design.blif") && !kept.contains("synth_"), "{kept}");
    assert!(synthesis_script(Language::Blif, &device).contains("synth_ice40"));
}

#[test]
fn refuses_what_it_does_not_expect() {
    for json in ["", "[]", r#"{"modules": {}}"#] {
        assert!(ports(json).is_err() && Counts::parse(json, Family::Ecp5).is_err(), "{json}");
    }
    let inout = r#"{"modules": {"m": {"attributes": {"top": "1"},
        "ports": {"p": {"direction": "inout", "bits": [2]}}}}}"#;
    assert_eq!(ports(inout), Err("port p is neither input nor output".to_owned()));
}
