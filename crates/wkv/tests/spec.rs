//! Specs as text, as TOML files and as values; formats.

mod common;

use std::path::PathBuf;

use common::strategies;
use proptest::prelude::*;
use wkv::WkvSpec;
use wkv::spec::{Division, Exp2, Format, SpecError};

fn parse_error(text: &str) -> String {
    text.parse::<WkvSpec>().expect_err(text).to_string()
}

/// Writes a TOML file for one test; `name` is unique among tests.
fn toml_file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("the target folder is writable");
    path
}

fn toml_error(name: &str, text: &str) -> String {
    WkvSpec::read_toml(&toml_file(name, text)).expect_err(text).to_string()
}

#[test]
fn every_spec_prints_and_parses_back() {
    for spec in strategies::all_specs() {
        let text = spec.to_string();
        assert_eq!(text.parse::<WkvSpec>().expect(&text), spec);
        let json = serde_json::to_string(&spec).expect("a string");
        assert_eq!(json, format!("\"{text}\""));
        assert_eq!(serde_json::from_str::<WkvSpec>(&json).expect(&json), spec);
    }
}

#[test]
fn every_option_of_the_printed_form_is_needed() {
    for spec in strategies::all_specs() {
        let text = spec.to_string();
        let parts: Vec<&str> = text.split(':').collect();
        for removed in 2..parts.len() {
            let mut fewer = parts.clone();
            fewer.remove(removed);
            assert_ne!(fewer.join(":").parse::<WkvSpec>().expect(&text), spec, "{text}");
        }
    }
}

#[test]
fn defaults_are_not_printed() {
    for text in ["classic:q8.8:lut32", "classic:q8.8:div=restoring", "classic:q8.8"] {
        assert_eq!(text.parse::<WkvSpec>().expect(text).to_string(), "classic:q8.8");
    }
}

#[test]
fn options_come_in_any_order() {
    let spec: WkvSpec = "classic:q6.10:noguard:div=exact:nointerp:lut64".parse().expect("a spec");
    assert_eq!(spec.to_string(), "classic:q6.10:lut64:nointerp:div=exact:noguard");
    assert_eq!(spec.exp2.entries(), 64);
    assert!(!spec.exp2.interpolate);
    assert_eq!(spec.division, Division::Exact);
}

#[test]
fn errors_name_the_bad_part_and_what_is_allowed() {
    let family = |text: &str| {
        format!(
            "unknown numerics \"{text}\": expected \"float\", \"classic:qM.F\" with options (such \
             as classic:q8.8:lut64), or a path that ends in .toml"
        )
    };
    let format = |text: &str| {
        format!(
            "unknown format \"{text}\": expected qM.F with M + F = 16 and F from 2 to 14, such as \
             q8.8"
        )
    };
    for text in ["", "q8.8", "clasic:q8.8", "CLASSIC:q8.8", " classic:q8.8"] {
        assert_eq!(parse_error(text), family(text));
    }
    assert_eq!(parse_error("classic"), format(""));
    for text in ["q8.9", "q15.1", "q1.15", "q08.8", "q+8.8", "8.8", "q8", "q8.8 ", "Q8.8"] {
        assert_eq!(parse_error(&format!("classic:{text}")), format(text));
    }
    assert_eq!(
        parse_error("classic:q8.8:fast"),
        "unknown option \"fast\": expected lutN, nointerp, div=restoring, div=newton, div=exact or noguard"
    );
    assert_eq!(
        parse_error("classic:q8.8:"),
        "unknown option \"\": expected lutN, nointerp, div=restoring, div=newton, div=exact or noguard"
    );
    for entries in ["0", "2", "33", "512", "032", ""] {
        assert_eq!(
            parse_error(&format!("classic:q8.8:lut{entries}")),
            format!(
                "a table of \"{entries}\" entries is not available: choose 4, 8, 16, 32, 64, 128 \
                 or 256"
            )
        );
    }
    assert_eq!(
        parse_error("classic:q8.8:div=foo"),
        "unknown division \"foo\": choose restoring, newton or exact"
    );
    assert_eq!(
        parse_error("classic:q8.8:lut32:lut64"),
        "\"classic:q8.8:lut32:lut64\" sets the table size twice: give one option for it"
    );
    assert_eq!(
        parse_error("classic:q8.8:div=exact:nointerp:div=exact"),
        "\"classic:q8.8:div=exact:nointerp:div=exact\" sets the division twice: give one option \
         for it"
    );
}

#[test]
fn a_toml_file_states_every_field() {
    let path = toml_file(
        "every-field.toml",
        "format = \"q6.10\"\ndivision = \"exact\"\n[exp2]\nentries = 64\ninterpolate = false\n",
    );
    let spec = WkvSpec::resolve(path.to_str().expect("a UTF-8 path")).expect("a spec");
    assert_eq!(spec.to_string(), "classic:q6.10:lut64:nointerp:div=exact");
}

#[test]
fn a_toml_file_may_leave_out_defaults() {
    let path = toml_file("format-only.toml", "format = \"q8.8\"\n");
    assert_eq!(WkvSpec::read_toml(&path).expect("a spec").to_string(), "classic:q8.8");
    let path = toml_file("part-of-exp2.toml", "format = \"q8.8\"\nexp2.interpolate = false\n");
    assert_eq!(WkvSpec::read_toml(&path).expect("a spec").to_string(), "classic:q8.8:nointerp");
}

#[test]
fn toml_errors_name_the_file_the_key_and_what_was_expected() {
    let cases = [
        ("misspelt.toml", "fromat = \"q8.8\"\n", ["fromat", "`format`"]),
        ("incomplete.toml", "division = \"exact\"\n", ["missing field", "`format`"]),
        ("format.toml", "format = \"q8.9\"\n", ["format = \"q8.9\"", "M + F = 16"]),
        ("type.toml", "format = 8\n", ["format = 8", "expected a string"]),
        (
            "division.toml",
            "format = \"q8.8\"\ndivision = \"goldschmidt\"\n",
            ["division = \"goldschmidt\"", "`restoring`, `newton`, `exact`"],
        ),
        (
            "entries.toml",
            "format = \"q8.8\"\n[exp2]\nentries = 33\n",
            ["entries = 33", "choose 4, 8, 16, 32, 64, 128 or 256"],
        ),
        (
            "nested.toml",
            "format = \"q8.8\"\n[exp2]\nentrys = 32\n",
            ["entrys", "expected `entries` or `interpolate`"],
        ),
        ("syntax.toml", "format = \n", ["format =", "line 1"]),
    ];
    for (name, text, expected) in cases {
        let error = toml_error(name, text);
        for part in expected.into_iter().chain([name]) {
            assert!(error.contains(part), "{part:?} is not in: {error}");
        }
    }
}

#[test]
fn a_missing_toml_file_is_named() {
    let error = WkvSpec::resolve("no/such.toml").expect_err("there is none");
    assert!(matches!(error, SpecError::Read { .. }));
    assert!(error.to_string().starts_with("cannot read the spec no/such.toml: "), "{error}");
}

#[test]
fn formats_outside_the_family_are_refused() {
    for bits in [0, 1, 15, 16, u32::MAX] {
        assert!(Format::new(bits).is_err(), "{bits} fraction bits");
    }
    assert_eq!(Format::all().count(), 13);
    assert!(Exp2::default().with_entries(48).is_err());
}

#[test]
fn a_format_knows_its_range() {
    let format = Format::new(10).expect("10 is within 2 to 14");
    assert_eq!((format.bits(), format.integer_bits(), format.fraction_bits()), (16, 6, 10));
    assert_eq!((format.min(), format.max(), format.one()), (-32768, 32767, 1024));
    assert_eq!((format.saturate(40_000), format.saturate(-40_000)), (32767, -32768));
    assert_eq!((format.holds(32767), format.holds(32768)), (true, false));
    assert_eq!(format.to_real(-1536), -1.5);
    assert_eq!(format.resolution(), 1.0 / 1024.0);
}

#[test]
fn halves_are_quantised_upward() {
    let format = Format::new(8).expect("8 is within 2 to 14");
    let half = 0.5 / 256.0;
    for raw in [-300, -1, 0, 1, 300] {
        let exact = format.to_real(raw);
        assert_eq!(format.quantise(exact), (raw, false));
        assert_eq!(format.quantise(exact - half), (raw, false));
        assert_eq!(format.quantise((exact - half).next_down()), (raw - 1, false));
        assert_eq!(format.quantise((exact + half).next_down()), (raw, false));
        assert_eq!(format.quantise(exact + half), (raw + 1, false));
    }
}

#[test]
fn values_that_do_not_fit_are_told() {
    let format = Format::new(8).expect("8 is within 2 to 14");
    assert_eq!(format.quantise(127.998), (32767, false));
    assert_eq!(format.quantise(127.999), (32767, true));
    assert_eq!(format.quantise(-128.001), (-32768, false));
    assert_eq!(format.quantise(-128.01), (-32768, true));
    assert_eq!(format.quantise(f64::MAX), (32767, true));
    assert_eq!(format.quantise(f64::INFINITY), (32767, true));
    assert_eq!(format.quantise(f64::NEG_INFINITY), (-32768, true));
    assert_eq!(format.quantise(f64::NAN), (0, true));
}

proptest! {
    #[test]
    fn raw_integers_survive_real_numbers(spec in strategies::spec(), raw in strategies::raw()) {
        prop_assert_eq!(spec.format.quantise(spec.format.to_real(raw)), (raw, false));
    }

    #[test]
    fn quantising_errs_by_half_a_step_at_most(spec in strategies::spec(), x in -2.0..1.9f64) {
        let (raw, saturated) = spec.format.quantise(x);
        prop_assert!(!saturated);
        prop_assert!((spec.format.to_real(raw) - x).abs() <= spec.format.resolution() / 2.0);
    }
}
