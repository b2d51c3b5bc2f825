//! Which files are read, and how much of them.

use std::path::Path;

use wkv::file::{MOST_BYTES, read, read_text};

fn scratch(name: &str, bytes: &[u8]) -> std::path::PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).expect("the folder for test files can be written");
    path
}

fn reason(path: &Path, most: u64) -> String {
    read(path, most).expect_err("it is refused").to_string()
}

#[test]
fn a_regular_file_is_read_up_to_the_limit() {
    let path = scratch("file-of-nine", b"nine byte");
    assert_eq!(read(&path, 9).expect("it fits"), b"nine byte");
    assert_eq!(read_text(&path, MOST_BYTES).expect("it is text"), "nine byte");
    assert_eq!(reason(&path, 8), "it is longer than 8 bytes");
    let empty = scratch("file-of-none", b"");
    assert_eq!(read(&empty, 0).expect("it fits"), b"");
}

#[test]
fn text_is_utf_8() {
    let path = scratch("file-of-latin-1", b"caf\xe9");
    let error = read_text(&path, MOST_BYTES).expect_err("it is refused");
    assert_eq!(error.to_string(), "it is not UTF-8, from byte 3 on");
}

#[cfg(unix)]
#[test]
fn what_may_never_end_is_not_opened() {
    assert_eq!(reason(Path::new("/dev/zero"), 1), "it is a device or a pipe, no regular file");
    assert_eq!(reason(Path::new("."), 1), "it is a folder");
    let pipe = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("pipe-{}", std::process::id()));
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        println!("skipped: there is no mkfifo");
        return;
    }
    assert_eq!(reason(&pipe, 1), "it is a device or a pipe, no regular file");
    std::fs::remove_file(pipe).expect("it can be removed");
}

/// A file without a length of its own.
#[cfg(target_os = "linux")]
#[test]
fn what_has_no_length_is_read_to_its_end() {
    let path = Path::new("/proc/self/status");
    assert!(read_text(path, MOST_BYTES).expect("it is there").starts_with("Name:"));
    assert_eq!(reason(path, 10), "it is longer than 10 bytes");
}
