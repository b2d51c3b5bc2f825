//! Files that fuzzing found: accepted, or refused without their name.

mod common;

use std::path::Path;

use common::refusal;

#[track_caller]
fn assert_refused(arguments: &[&str], reason: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regressions");
    let message = refusal(&folder, arguments);
    let file = arguments.last().expect("the file comes last");
    let error = message.lines().find(|line| line.starts_with("error: "));
    assert!(error.is_some_and(|error| error.contains(file)), "{message}");
    assert!(message.contains(reason), "{message}");
}

#[test]
fn proof_of_unknown_unit() {
    assert_refused(&["verify", "--proof", "proof-of-unknown-unit.json"], "unknown unit \"exp3\"");
}

#[test]
fn proof_of_one_unit_twice() {
    assert_refused(&["verify", "--proof", "proof-of-one-unit-twice.json"], "tells of exp2 twice");
}

#[test]
fn stream_beyond_f64() {
    let arguments = ["run", "--engine", "float", "--in", "stream-beyond-f64.json"];
    assert_refused(&arguments, "a result is too large for f64");
}
