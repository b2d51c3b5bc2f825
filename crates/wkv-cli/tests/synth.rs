//! `wkv synth`.

mod common;

use common::{command, files, refusal, wkv_in};
use insta::assert_snapshot;
use serde_json::Value;

#[test]
fn refuses_bad_input() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("notes.txt"), "hello").expect("a file");
    let refusals = [
        &["synth", "--device", "hx9k"][..],
        &["synth", "--device", "hx8k", "--unit", "exp2", "--style", "behavioural"],
        &["synth", "--device", "hx8k", "--file", "notes.txt"],
        &["synth", "--device", "hx8k", "--file", "absent.blif"],
        &["synth", "--device", "hx8k", "--seeds", "100000"],
        &["synth", "--device", "hx8k", "--map", "lut6"],
        &["synth", "--device", "ecp5-25k", "--map", "lut4"],
    ];
    let refusals = refusals.map(|arguments| refusal(folder.path(), arguments));
    assert_snapshot!(refusals.join("\n"));
    assert_eq!(files(folder.path()), ["notes.txt"]);
}

#[test]
fn says_how_to_install_a_missing_tool() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut command = command(folder.path(), &["synth", "--device", "hx8k", "--unit", "exp2"]);
    let output = command.env("PATH", folder.path()).output().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
    let message = "error: Yosys is not installed; install it with: pip install pyosys\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), message);
    assert!(files(folder.path()).is_empty());
}

/// One seed of a small circuit, with the real tools.
#[test]
fn places_exp2() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let synth = ["synth", "--device", "hx8k", "--unit", "exp2", "--seeds", "1", "--json", "-"];
    let finished = wkv_in(folder.path(), &synth);
    if finished.stderr.contains("is not installed") {
        println!("skipped: {}", finished.stderr);
        return;
    }
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let result: Value = serde_json::from_str(&finished.stdout).expect("a result");
    assert_eq!((&result["unit"], &result["device"]), (&"exp2".into(), &"hx8k".into()));
    assert_eq!((&result["registers"], &result["seeds"][0]), (&33.into(), &1.into()));
    let cells = result["cells"].as_u64().expect("a number");
    assert!((200..345).contains(&cells), "{cells}");
    assert!(result["mhz"]["median"].as_f64().is_some_and(|mhz| mhz > 40.0), "{}", result["mhz"]);
    assert!(folder.path().join(result["bitstream"].as_str().expect("a path")).exists());
    assert!(folder.path().join(result["log"].as_str().expect("a path")).exists());
}
