//! What all commands share: help, exit codes, results, interruption.

mod common;

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use common::{Finished, command, files, refusal, wkv, wkv_in};
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

/// A stream and a model's text, in a folder of its own.
fn with_stream() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let stream = r#"{"spec":"classic:q8.8","k":[[1,2]],"v":[[3,4]],"u":[5],"w":[-6]}"#;
    std::fs::write(folder.path().join("in.json"), stream).expect("the folder can be written");
    folder
}

#[test]
fn help_is_a_subcommand_too() {
    assert_eq!(wkv(&["help", "build"]).stdout, wkv(&["build", "--help"]).stdout);
}

#[test]
fn every_output_may_take_standard_output_alone() {
    let folder = with_stream();
    let run = ["run", "--engine", "gates", "--in", "in.json"];
    for option in ["--out", "--json"] {
        let finished = wkv_in(folder.path(), &[&run[..], &[option, "-"]].concat());
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert!(finished.stdout.starts_with('{') && finished.stdout.ends_with("}\n"));
        assert_eq!(finished.stdout.lines().count(), 1, "{}", finished.stdout);
        assert!(finished.stderr.contains("channel-steps: 2"), "{}", finished.stderr);
    }
    let finished = wkv_in(folder.path(), &[&run[..], &["--vcd", "-"]].concat());
    assert!(finished.stdout.starts_with('$') && !finished.stdout.contains("channel-steps"));
    let cases: [&[&str]; 5] = [
        &["run", "--in", "in.json", "--out", "-", "--json", "-"],
        &["run", "--in", "in.json", "--engine", "gates", "--out", "-", "--vcd", "-"],
        &["run", "--in", "in.json", "--engine", "gates", "--vcd", "-", "--json", "-"],
        &["build", "--out", "-"],
        &["report", "--out", "-"],
    ];
    let messages: String = cases.iter().map(|case| refusal(folder.path(), case)).collect();
    assert_snapshot!(messages);
    assert_eq!(files(folder.path()), ["in.json"]);
}

#[cfg(target_os = "linux")]
#[test]
fn one_output_that_fails_leaves_no_other() {
    let folder = with_stream();
    let run = ["run", "--engine", "gates", "--in", "in.json"];
    let cases: [&[&str]; 4] = [
        &["--out", "ok.json", "--json", "/dev/full"],
        &["--out", "/dev/full", "--json", "ok.json", "--vcd", "ok.vcd"],
        &["--out", "ok.json", "--vcd", "/dev/full"],
        &["--out", "new/deep/ok.json", "--vcd", "new/deep/ok.vcd", "--json", "/dev/full"],
    ];
    for case in cases {
        refusal_without_output(folder.path(), &[&run[..], case].concat());
        assert_eq!(files(folder.path()), ["in.json"], "{case:?}");
    }
    let build = ["build", "--unit", "exp2", "--out", "nets", "--json", "/dev/full"];
    refusal_without_output(folder.path(), &build);
    let full = std::fs::File::options().write(true).open("/dev/full").expect("the device is there");
    let mut build = command(folder.path(), &["build", "--unit", "exp2", "--out", "nets"]);
    assert_eq!(build.stdout(full).status().expect("it starts").code(), Some(2));
    assert_eq!(files(folder.path()), ["in.json"]);
}

#[test]
fn refused_input_leaves_no_folders() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cases: [&[&str]; 4] = [
        &["build", "--unit", "negate:0", "--out", "a/b/c"],
        &["build", "--unit", "negate:0", "--json", "a/b/result.json", "--out", "a/c"],
        &["report", "--text", "none.txt", "--out", "a/b/c"],
        &["run", "--in", "none.json", "--json", "a/b/c.json"],
    ];
    for case in cases {
        refusal(folder.path(), case);
        assert!(files(folder.path()).is_empty(), "{case:?}");
    }
}

/// Starts `wkv` with `arguments`, sends `signals` some time after it has put `appears` on disk, one
/// soon after another; gives its exit code.
#[cfg(unix)]
fn signalled(folder: &Path, arguments: &[&str], appears: &str, signals: &[&str]) -> Option<i32> {
    let mut child = command(folder, arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    while !folder.join(appears).exists() {
        thread::sleep(Duration::from_millis(5));
    }
    for signal in signals {
        thread::sleep(Duration::from_millis(100));
        let kill = Command::new("kill").arg(signal).arg(child.id().to_string()).status();
        // It may have ended at the first signal.
        kill.expect("kill starts");
    }
    child.wait().expect("the command ends").code()
}

#[cfg(unix)]
#[test]
fn signals_leave_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let build = ["build", "--unit", "bank=4096", "--out", "new/nets", "--json", "new/result.json"];
    for signals in [&["-INT"][..], &["-TERM"], &["-HUP"], &["-INT", "-INT"], &["-TERM", "-INT"]] {
        assert_eq!(signalled(folder.path(), &build, "new/nets", signals), Some(130), "{signals:?}");
        assert!(files(folder.path()).is_empty(), "{signals:?}");
    }
}

/// The first signal is not heeded while a reader takes nothing.
#[cfg(unix)]
#[test]
fn a_second_signal_ends_what_hangs_and_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (many, file) = (vec![1; 40_000], folder.path().join("in.json"));
    let stream = serde_json::json!({"k": [many], "v": [many], "u": [5], "w": [-6]});
    std::fs::write(file, stream.to_string()).expect("the folder can be written");
    let run = ["run", "--spec", "classic:q8.8", "--engine", "gates", "--in", "in.json"];
    let outputs = ["--vcd", "new/deep/wave.vcd", "--out", "-"];
    let mut child = command(folder.path(), &[&run[..], &outputs].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    thread::sleep(Duration::from_millis(1500));
    while child.try_wait().expect("its state is known").is_none() {
        let kill = Command::new("kill").arg("-INT").arg(child.id().to_string()).status();
        kill.expect("kill starts");
        thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(child.wait().expect("it ended").code(), Some(130));
    assert_eq!(files(folder.path()), ["in.json"]);
}

#[cfg(unix)]
#[test]
fn a_long_build_stops_at_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let build = ["build", "--unit", "bank=4096", "--out", "nets"];
    let started = std::time::Instant::now();
    assert_eq!(signalled(folder.path(), &build, "nets", &["-INT"]), Some(130));
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
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
