//! Programs that hang, and what they started.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use eda::process::{End, run};

/// A program that starts another one, tells its number, and waits for it.
const PARENT: &str = "sleep 60 & echo $!; wait";

fn sh(script: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]);
    command
}

/// Whether the process whose number `log` tells has ended; it may take a moment to be cleared away.
fn child_ended(log: &Path) -> bool {
    let number = fs::read_to_string(log).expect("a log");
    let stat = Path::new("/proc").join(number.trim()).join("stat");
    assert!(!number.trim().is_empty(), "the program told no number");
    (0..100).any(|_| {
        thread::sleep(Duration::from_millis(20));
        let stat = fs::read_to_string(&stat);
        stat.map_or(true, |stat| stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')))
    })
}

#[test]
fn a_time_limit_ends_the_whole_group() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let start = Instant::now();
    let end = run(&mut sh(PARENT), &log, Duration::from_millis(500), &|| false);
    assert_eq!(end.expect("it starts"), End::TookTooLong);
    assert!(start.elapsed() < Duration::from_secs(20));
    assert!(child_ended(&log));
}

#[test]
fn a_stop_ends_the_whole_group() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let told = || fs::read_to_string(&log).is_ok_and(|text| text.ends_with('\n'));
    let end = run(&mut sh(PARENT), &log, Duration::from_secs(60), &told);
    assert_eq!(end.expect("it starts"), End::Stopped);
    assert!(child_ended(&log));
}

/// What a program leaves running when it ends by itself is ended too.
#[test]
fn nothing_is_left_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let end = run(&mut sh("sleep 60 & echo $!"), &log, Duration::from_secs(60), &|| false);
    assert!(matches!(end, Ok(End::Exited(status)) if status.success()));
    assert!(child_ended(&log));
}
