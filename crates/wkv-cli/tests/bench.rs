//! `wkv bench`.

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{command, result};
use serde_json::Value;
use tempfile::TempDir;

#[test]
fn measures_everything() {
    let bench = result(&["bench", "--quick"]);
    assert_eq!(bench["failures"], Value::Array(Vec::new()));
    for name in ["verilator-structural-cell", "rwkv-package-generate"] {
        assert_eq!(skipped(&bench, name), "not asked for: wkv bench --peers");
    }
    assert!(bench["machine"]["cores"].as_u64().is_some_and(|cores| cores > 0));
    let results = bench["results"].as_array().expect("a list");
    let unit = |name: &str| {
        let found = results.iter().find(|figure| figure["name"] == name).expect(name);
        let value = |field: &str| found[field].as_f64().expect(field);
        assert!(0.0 < value("min") && value("min") <= value("value"), "{found}");
        assert!(value("value") <= value("max"), "{found}");
        assert!(found["reference"].is_null() || found["reference"]["value"].is_number());
        found["unit"].as_str().expect("a unit")
    };
    for name in [
        "simulate-cell-1-core",
        "simulate-cell-all-cores",
        "clock-cell-1-core",
        "ceiling-cell-1-core",
        "fixed-cell-1-core",
    ] {
        assert_eq!(unit(name), "channel-steps/s");
    }
    for name in ["simulate-cell-scaling", "clock-cell-of-ceiling"] {
        assert_eq!(unit(name), "");
    }
    for name in ["compile-cell", "compile-bank-384"] {
        assert_eq!(unit(name), "s");
    }
    for name in [
        "generate-float",
        "generate-fixed",
        "generate-gates",
        "generate-int8",
        "prompt-f32",
        "prompt-int8",
        "large-f32",
        "large-int8",
        "memory-large-int8",
    ] {
        assert_eq!(unit(name), "tokens/s");
    }
    assert_eq!(unit("memory-read-1-core"), "B/s");
    assert_eq!((unit("large-int8-of-memory"), &bench["model"]), ("", &"stories-1.5m".into()));
}

#[test]
fn tells_how_to_get_peers() {
    let nothing = TempDir::new().expect("a folder");
    let (code, bench) = peers(nothing.path());
    assert_eq!(code, Some(0));
    let reason = skipped(&bench, "verilator-behavioural-cell");
    assert!(reason.contains("verilator is not on the PATH: apt-get install"), "{reason}");
    let reason = skipped(&bench, "rwkv-package-prompt");
    assert!(reason.contains("pip install rwkv==0.8.32"), "{reason}");
}

/// A Python that imports the package, and writes these figures when it runs it.
fn package(figures: &str) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let script = format!("#!/bin/sh\n[ \"$1\" = -c ] || echo '{figures}' > figures\n");
    executable(&folder.path().join("python3"), &script);
    folder
}

#[test]
fn a_package_with_other_logits_is_a_failure() {
    let logits = vec!["0.5"; 2048].join(",");
    let right_number = format!(r#"{{"prompt": 1.0, "generate": 1.0, "logits": [{logits}]}}"#);
    let too_few = r#"{"prompt": 1.0, "generate": 1.0, "logits": [1]}"#;
    let cases = [
        (right_number.as_str(), "token 0: logit 0.5, but"),
        (too_few, "1 logits, but 2048 of ours"),
        ("none", "its figures cannot be read"),
    ];
    for (figures, expected) in cases {
        let (code, bench) = peers(package(figures).path());
        assert_eq!(code, Some(1));
        let failure = bench["failures"][0].as_str().expect("a failure");
        assert!(failure.contains(expected), "{failure}");
    }
}

#[test]
fn a_peer_that_cannot_be_built_is_a_failure() {
    let tools = tools("echo '%Error: no such luck'; exit 1");
    let (code, bench) = peers(tools.path());
    assert_eq!(code, Some(1));
    let failure = bench["failures"][0].as_str().expect("a failure");
    assert!(failure.starts_with("verilator-structural-cell: Verilator failed"), "{failure}");
    assert!(failure.contains("no such luck"), "{failure}");
}

#[test]
fn a_peer_with_other_outputs_is_a_failure() {
    // In place of the compiled cell, a program that writes zeros: 8 channels, 2 tokens.
    let tools = tools(
        "mkdir obj_dir
        printf '#!/bin/sh\\nhead -c 32 /dev/zero > outputs; echo 1.0' > obj_dir/Vcell
        chmod +x obj_dir/Vcell",
    );
    let (code, bench) = peers(tools.path());
    assert_eq!(code, Some(1));
    let failure = bench["failures"][0].as_str().expect("a failure");
    assert!(failure.contains("output 0, but"), "{failure}");
    let results = bench["results"].as_array().expect("a list");
    assert!(results.iter().all(|figure| figure["name"] != "verilator-structural-cell"));
}

#[test]
fn ends_verilator_when_interrupted() {
    let tools = tools("sleep 300 & echo $! > \"$(dirname \"$0\")/child\"; wait");
    let marker = tools.path().join("child");
    let mut bench = command(tools.path(), &["bench", "--quick", "--peers"]);
    let bench = bench.env("PATH", path(tools.path())).stdout(Stdio::null()).stderr(Stdio::null());
    let mut bench = bench.spawn().expect("the command starts");
    let child = wait_for(|| {
        let text = fs::read_to_string(&marker).ok()?;
        text.ends_with('\n').then(|| text.trim().to_owned())
    });
    let kill = Command::new("kill").args(["-INT", &bench.id().to_string()]).status();
    assert!(kill.expect("kill starts").success());
    assert_eq!(bench.wait().expect("it ends").code(), Some(130));
    wait_for(|| {
        // A process that ended may stay in the list until somebody asks for its result.
        let state = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        (state.is_empty() || state.contains(") Z ")).then_some(())
    });
}

/// Runs the peers with the tools in `folder` first on the path; gives the exit code and result.
fn peers(folder: &Path) -> (Option<i32>, Value) {
    let mut command = command(folder, &["bench", "--quick", "--peers", "--json", "-"]);
    let output = command.env("PATH", path(folder)).output().expect("the command starts");
    let result = serde_json::from_slice(&output.stdout).expect("standard output holds JSON only");
    (output.status.code(), result)
}

/// What the path is: `folder`, with the basic programs of the system if it holds a Verilator.
fn path(folder: &Path) -> String {
    let folder_path = folder.to_str().expect("a plain path");
    match folder.join("verilator").exists() {
        true => format!("{folder_path}:/usr/bin:/bin"),
        false => folder_path.to_owned(),
    }
}

/// A folder with tools, of which Verilator is this shell script.
fn tools(verilator: &str) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    for (tool, script) in [("verilator", verilator), ("make", "exit 1"), ("g++", "exit 1")] {
        executable(&folder.path().join(tool), &format!("#!/bin/sh\n{script}\n"));
    }
    folder
}

fn executable(path: &Path, script: &str) {
    fs::write(path, script).expect("the folder can be written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is ours");
}

fn skipped<'a>(bench: &'a Value, name: &str) -> &'a str {
    let skipped = bench["skipped"].as_array().expect("a list");
    let entry = skipped.iter().find(|entry| entry["name"] == name).expect(name);
    entry["reason"].as_str().expect("a reason")
}

/// Waits until there is something.
#[track_caller]
fn wait_for<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "nothing came");
        sleep(Duration::from_millis(20));
    }
}
