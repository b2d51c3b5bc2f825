//! The checks hold for the circuits that are built, and fail for ones that are not.

use std::ops::ControlFlow;

use morpho::{Builder, Bus, Lut, Netlist};
use wkv::WkvSpec;
use wkv::circuit::{Unit, build};
use wkv::verify::{Check, Effort, Method, digest, exhaustive_cases, verify, verify_netlist};

fn classic() -> WkvSpec {
    "classic:q8.8".parse().expect("a spec")
}

fn quiet(_: u64, _: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn check(netlist: &Netlist, unit: Unit) -> Check {
    verify_netlist(netlist, &classic(), unit, Effort::Vectors, &quiet).expect("not broken off")
}

#[test]
fn exp2_is_proven_over_its_whole_input_space() {
    assert_eq!(exhaustive_cases(Unit::Exp2), Some(65536));
    for spec in ["classic:q8.8", "classic:q2.14:lut4", "classic:q14.2:lut256:nointerp"] {
        let spec = spec.parse().expect(spec);
        let check = verify(&spec, Unit::Exp2, Effort::Vectors, &quiet).expect("not broken off");
        assert_eq!((check.method, check.cases), (Method::Exhaustive, 65536));
        assert_eq!(check.mismatches, 0, "{:?}", check.first_mismatch);
    }
}

/// The unit with output bit `bit` of its last port wrong for one combination of inputs: where all
/// the bits of its first port are those of `pattern`.
fn with_one_wrong_case(unit: Unit, pattern: u64) -> Netlist {
    let good = build(&classic(), unit).expect("a unit");
    Builder::build("wrong", |n| {
        let inputs: Vec<Bus> =
            good.inputs().iter().map(|port| n.input(&port.name, port.wires.len())).collect();
        let outputs = n.embed(&good, &inputs.iter().collect::<Vec<_>>())?;
        let mut hit = Bus::one();
        for (bit, wire) in inputs[0].wires().iter().enumerate() {
            let lut = if pattern >> bit & 1 == 1 { Lut::AND } else { Lut::AND_NOT };
            hit = n.lut(lut, &[&hit, &Bus::from(*wire)])?;
        }
        for (port, bus) in std::iter::zip(good.outputs(), &outputs) {
            let flipped = n.xor(&bus.bit(0)?, &hit)?;
            n.output(&port.name, &morpho::bus::cat([&flipped, &bus.skip(1)]));
        }
        Ok(())
    })
    .expect("a circuit")
}

#[test]
fn one_wrong_input_in_65536_is_found() {
    for unit in [Unit::Exp2, Unit::Multiplier, Unit::SaturatingAdd, Unit::Compare] {
        let check = check(&with_one_wrong_case(unit, 0x1234), unit);
        assert!(check.mismatches > 0, "{unit}");
        let text = check.first_mismatch.expect("a mismatch is described");
        assert!(text.contains(&0x1234.to_string()), "{unit}: {text}");
    }
}

#[test]
fn a_cell_of_another_format_is_refused() {
    let other = "classic:q8.8:lut64".parse().expect("a spec");
    for unit in [Unit::Step, Unit::Cell] {
        let check = check(&build(&other, unit).expect("a unit"), unit);
        assert!(check.mismatches > 0, "{unit}");
        assert!(check.first_mismatch.expect("described").contains(" at "), "{unit}");
    }
}

#[test]
fn a_bank_whose_channels_are_mixed_up_is_found() {
    let bank = build(&classic(), Unit::Bank(2)).expect("a bank");
    assert_eq!(check(&bank, Unit::Bank(2)).mismatches, 0);
    let mixed = Builder::build("mixed", |n| {
        let names = bank.inputs().iter().map(|port| (&port.name, port.wires.len()));
        let mut inputs: Vec<Bus> = names.map(|(name, width)| n.input(name, width)).collect();
        // The decay of one channel goes to the other.
        let w = |name: &str| bank.inputs().iter().position(|port| port.name == name);
        inputs.swap(w("w0").expect("a port"), w("w1").expect("a port"));
        let outputs = n.embed(&bank, &inputs.iter().collect::<Vec<_>>())?;
        for (port, bus) in std::iter::zip(bank.outputs(), &outputs) {
            n.output(&port.name, bus);
        }
        Ok(())
    });
    let check = check(&mixed.expect("a circuit"), Unit::Bank(2));
    assert!(check.mismatches > 0);
}

#[test]
fn a_check_can_be_broken_off() {
    let stop = |done: u64, _: u64| match done {
        0 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    for unit in Unit::ALL {
        assert_eq!(verify(&classic(), unit, Effort::Exhaustive, &stop), None, "{unit}");
    }
}

#[test]
fn a_digest_names_one_circuit() {
    let of = |spec: &str, unit| digest(&build(&spec.parse().expect(spec), unit).expect("a unit"));
    let exp2 = of("classic:q8.8", Unit::Exp2);
    assert_eq!(exp2, of("classic:q8.8", Unit::Exp2));
    assert_ne!(exp2, of("classic:q8.8:lut64", Unit::Exp2));
    assert_ne!(exp2, digest(&with_one_wrong_case(Unit::Exp2, 0)));
    let check = verify(&classic(), Unit::Exp2, Effort::Vectors, &quiet).expect("not broken off");
    assert_eq!(check.netlist, exp2);
}

#[test]
fn a_serial_cell_is_checked_and_another_spec_is_told() {
    let cell = build(&classic(), Unit::Serial(3)).expect("a cell");
    assert_eq!(check(&cell, Unit::Serial(3)).mismatches, 0);
    let other = build(&"classic:q8.8:div=exact".parse().expect("a spec"), Unit::Serial(3));
    let check = check(&other.expect("a cell"), Unit::Serial(3));
    assert!(check.mismatches > 0);
    let first = check.first_mismatch.expect("it is told");
    assert!(first.starts_with("out at stream "), "{first}");
}
