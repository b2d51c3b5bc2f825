//! What was once accepted, or refused without the reason.

mod common;

use std::fs;
use std::path::Path;

use common::{refusal, wkv_in};

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

/// Runs a command in a folder with a model, a text and a netlist, and sees that it is refused and that
/// nothing has changed.
#[track_caller]
fn assert_kept(arguments: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/stories-1.5m");
    for file in ["model.safetensors", "tokenizer.json"] {
        fs::copy(model.join(file), folder.path().join(file)).expect("it is copied");
    }
    let netlist = ".model wire\n.inputs a\n.outputs y\n.names a y\n1 1\n.end\n";
    fs::write(folder.path().join("wire.blif"), netlist).expect("it is written");
    fs::write(folder.path().join("text.txt"), "Once upon a time\n").expect("it is written");
    let files = || -> Vec<(String, u64)> {
        let entries = fs::read_dir(folder.path()).expect("a folder").map(|e| e.expect("an entry"));
        let mut files: Vec<_> = entries
            .map(|e| (e.file_name().into_string().expect("UTF-8"), e.metadata().unwrap().len()))
            .collect();
        files.sort();
        files
    };
    let before = files();
    let finished = wkv_in(folder.path(), arguments);
    assert_eq!(finished.code, Some(2), "{}", finished.stderr);
    assert!(finished.stderr.contains("expected a file of its own"), "{}", finished.stderr);
    assert_eq!(files(), before);
}

#[test]
fn results_overwrite_nothing_that_the_command_reads() {
    let weights = "model.safetensors";
    assert_kept(&["convert", weights, "other.safetensors", "--json", weights]);
    assert_kept(&["generate", "--model", weights, "--tokens", "1", "--json", "./tokenizer.json"]);
    assert_kept(&["generate", "--model", ".", "--tokens", "1", "--json", weights]);
    let sweep = ["sweep", "--spec", "float", "--text", "text.txt", "--json"];
    assert_kept(&[&sweep[..], &["text.txt"]].concat());
    assert_kept(&[&sweep[..], &["new.jsonl", "--records", "new.jsonl"]].concat());
    assert_kept(&["netlist", "wire.blif", "--emit", "blif", "--out", "."]);
    assert_kept(&["netlist", "wire.blif", "--json", "wire.blif"]);
}

#[test]
fn results_overwrite_no_other_result() {
    let convert = ["convert", "model.safetensors", "other.safetensors", "--json"];
    assert_kept(&[&convert[..], &["other.safetensors"]].concat());
    let build = ["build", "--unit", "exp2", "--emit", "blif", "--out", ".", "--json"];
    assert_kept(&[&build[..], &["wkv_exp2.blif"]].concat());
}

#[test]
fn a_checkpoint_may_take_its_own_place() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/stories-1.5m");
    let weights = "model.safetensors";
    fs::copy(model.join(weights), folder.path().join(weights)).expect("it is copied");
    let finished = wkv_in(folder.path(), &["convert", weights, weights, "--type", "f16"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
}
