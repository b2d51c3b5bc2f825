//! What all commands share: help, exit codes, results, interruption.

mod common;

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use common::{Finished, command, files, wkv, wkv_in};
use insta::assert_snapshot;

#[test]
fn help_fits_the_first_screen() {
    for name in ["", "build", "verify", "run", "bench"] {
        let arguments = [name, "--help"].into_iter().filter(|word| !word.is_empty());
        let Finished { code, stdout, .. } = wkv(&arguments.collect::<Vec<_>>());
        assert_eq!(code, Some(0));
        assert!(stdout.lines().count() <= 40, "{stdout}");
        assert!(stdout.lines().all(|line| line.len() <= 100), "{stdout}");
        let example = ["Example:\n  wkv ", "Examples:\n  wkv "];
        assert!(example.iter().any(|text| stdout.contains(text)), "{stdout}");
        assert_snapshot!(format!("help-{name}").trim_end_matches('-'), stdout);
    }
}

#[test]
fn bad_usage_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cases: [&[&str]; 4] = [
        &["brew"],
        &["build", "--json", "/dev/full"],
        &["build", "--json", "."],
        &["build", "--json", "/dev/null/result.json"],
    ];
    let messages: String =
        cases.iter().map(|case| refusal_without_output(folder.path(), case)).collect();
    assert_snapshot!(messages);
}

/// As [`refusal`], but text for people may have been printed before.
fn refusal_without_output(folder: &Path, arguments: &[&str]) -> String {
    let Finished { code, stderr, .. } = wkv_in(folder, arguments);
    assert_eq!(code, Some(2), "{arguments:?}: {stderr}");
    format!("wkv {}\n{stderr}\n", arguments.join(" "))
}

#[test]
fn result_goes_to_a_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let finished = wkv_in(folder.path(), &["build", "--unit", "exp2", "--json", "new/result.json"]);
    assert_eq!(finished.code, Some(0));
    assert!(finished.stdout.contains("wkv_exp2: "));
    assert_eq!(files(&folder.path().join("new")), ["result.json"]);
    let json = std::fs::read_to_string(folder.path().join("new/result.json")).expect("a result");
    assert!(json.starts_with(r#"{"spec":"classic:q8.8","unit":"exp2","#), "{json}");
}

#[test]
fn result_keeps_standard_output_to_itself() {
    let finished = wkv(&["build", "--unit", "exp2", "--json", "-"]);
    assert!(finished.stdout.starts_with('{') && finished.stdout.ends_with("}\n"));
    assert_eq!(finished.stdout.lines().count(), 1);
    assert!(finished.stderr.contains("wkv_exp2: "));
}

#[cfg(unix)]
#[test]
fn result_replaces_no_device() {
    use std::os::unix::fs::FileTypeExt;
    assert_eq!(wkv(&["build", "--unit", "exp2", "--json", "/dev/null"]).code, Some(0));
    let null = std::fs::metadata("/dev/null").expect("the device is there");
    assert!(null.file_type().is_char_device());
}

#[cfg(unix)]
#[test]
fn new_files_have_the_usual_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ours = folder.path().join("ours.json");
    wkv_in(folder.path(), &["build", "--unit", "exp2", "--json", "ours.json"]);
    let usual = folder.path().join("usual");
    std::fs::write(&usual, "").expect("the folder can be written");
    let mode = |path| std::fs::metadata(path).expect("the file exists").permissions().mode();
    assert_eq!(mode(&ours), mode(&usual));
}

#[test]
fn a_reader_may_leave() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut child = command(folder, &["build"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("the device is there");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = command(folder, &["build"]).stdout(full).output().expect("the command starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: standard output: "));
}

#[cfg(unix)]
#[test]
fn interruption_stops_and_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let child = command(folder.path(), &["bench", "--json", "result.json"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    thread::sleep(Duration::from_millis(700));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill starts").success());
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!(output.status.code(), Some(130));
    assert_snapshot!(String::from_utf8_lossy(&output.stderr), @"interrupted; nothing was written");
    assert!(files(folder.path()).is_empty());
}
