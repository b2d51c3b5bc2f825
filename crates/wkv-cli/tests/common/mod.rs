//! Running the `wkv` command.
#![allow(dead_code, reason = "no test uses all of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// What a finished command left.
pub struct Finished {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// The command with `arguments`, in `folder`.
pub fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wkv"));
    command.current_dir(folder).args(arguments).stdin(Stdio::null());
    command
}

/// Runs `wkv` with `arguments` in `folder`.
pub fn wkv_in(folder: &Path, arguments: &[&str]) -> Finished {
    finished(command(folder, arguments))
}

fn finished(mut command: Command) -> Finished {
    let output = command.output().expect("the command starts");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    Finished { code: output.status.code(), stdout, stderr }
}

/// Runs `wkv` with `arguments` in `folder`, in 2 GiB of memory and for 20 seconds at most.
#[track_caller]
pub fn limited(folder: &Path, arguments: &[&str]) -> Finished {
    const LIMITS: &str = "ulimit -v 2097152; exec timeout 20 \"$@\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", LIMITS, "sh", env!("CARGO_BIN_EXE_wkv")]).args(arguments);
    shell.current_dir(folder).stdin(Stdio::null()).env("RAYON_NUM_THREADS", "2");
    finished(shell)
}

/// The top folder of the project.
pub fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs `wkv` with `arguments` in the folder of this crate.
pub fn wkv(arguments: &[&str]) -> Finished {
    wkv_in(Path::new(env!("CARGO_MANIFEST_DIR")), arguments)
}

/// Runs `wkv`, which must succeed, with `--json -`; gives the result.
#[track_caller]
pub fn result(arguments: &[&str]) -> Value {
    let finished = wkv(&[arguments, &["--json", "-"]].concat());
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    serde_json::from_str(&finished.stdout).expect("standard output holds JSON only")
}

/// Runs `wkv`, which must refuse `arguments`; gives the message.
#[track_caller]
pub fn refusal(folder: &Path, arguments: &[&str]) -> String {
    let Finished { code, stdout, stderr } = wkv_in(folder, arguments);
    assert_eq!(code, Some(2), "{arguments:?}: {stdout}{stderr}");
    assert_eq!(stdout, "", "{arguments:?}");
    format!("wkv {}\n{stderr}\n", arguments.join(" "))
}

/// A golden vector.
pub fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../wkv/tests/golden").join(name)
}

/// The files in a folder, hidden ones too.
pub fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder exists");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.expect("the folder can be listed").file_name().into_string().expect("a plain name")
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

/// The small model in `folder/name`, with the F32 weight at `place` of `tensor` set to `value`;
/// gives its path.
pub fn model_with(folder: &Path, name: &str, tensor: &str, place: usize, value: f32) -> String {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/stories-1.5m");
    let mut bytes = std::fs::read(source.join("model.safetensors")).expect("the model");
    let length = u64::from_le_bytes(*bytes.first_chunk().expect("a length")) as usize;
    let header: Value = serde_json::from_slice(&bytes[8..][..length]).expect("a header");
    let tensor = &header[tensor];
    let start = 8 + length + tensor["data_offsets"][0].as_u64().expect("an offset") as usize;
    assert_eq!(tensor["dtype"], "F32");
    bytes[start + 4 * place..][..4].copy_from_slice(&value.to_le_bytes());
    let to = folder.join(name);
    std::fs::create_dir_all(&to).expect("the folder can be written");
    std::fs::write(to.join("model.safetensors"), bytes).expect("the folder can be written");
    std::fs::copy(source.join("tokenizer.json"), to.join("tokenizer.json")).expect("a copy");
    to.to_str().expect("a plain path").to_owned()
}

/// Interrupts a command soon after it has made its folder `out`; gives its exit code.
#[cfg(unix)]
pub fn interrupted(folder: &Path, arguments: &[&str]) -> Option<i32> {
    let mut running = command(folder, arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    while !folder.join("out").exists() {
        thread::sleep(Duration::from_millis(10));
    }
    thread::sleep(Duration::from_millis(300));
    let sent = Command::new("kill").args(["-INT", &running.id().to_string()]).status();
    assert!(sent.expect("kill starts").success());
    running.wait().expect("the command ends").code()
}
