//! The examples for schedulers: their command lines do what they say, on a small text.
#![cfg(unix)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{files, project, wkv_in};
use serde_json::Value;

fn example(name: &str) -> PathBuf {
    project().join("examples/sweep").join(name)
}

/// A folder with a model and a text of so many short documents.
fn data(documents: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let model = project().join("models/stories-1.5m");
    let model = model.canonicalize().expect("the project's model");
    std::os::unix::fs::symlink(model, folder.path().join("model")).expect("a link");
    let text: String =
        (0..documents).map(|i| format!("One day {i} cats sat.\n<|endoftext|>\n")).collect();
    fs::write(folder.path().join("text.txt"), text).expect("the folder can be written");
    folder
}

/// A shell in `folder` that finds `wkv`.
fn shell(folder: &Path) -> Command {
    let bin = Path::new(env!("CARGO_BIN_EXE_wkv")).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.current_dir(folder).env("PATH", format!("{}:{path}", bin.display()));
    shell
}

fn assert_runs(mut command: Command) {
    let output = command.output().expect("a shell");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// All shards together are the whole sweep.
fn assert_merged(folder: &Path, records: &Path, shards: usize) {
    let names = files(records);
    assert_eq!(names.len(), shards);
    let names: Vec<String> =
        names.iter().map(|name| records.join(name).display().to_string()).collect();
    let names: Vec<&str> = names.iter().map(|name| &**name).collect();
    let json = |arguments: &[&str]| -> Value {
        let finished = wkv_in(folder, &[arguments, &["--json", "-"]].concat());
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        serde_json::from_str(&finished.stdout).expect("JSON")
    };
    let whole = json(&["sweep", "--model", "model", "--text", "text.txt"]);
    assert_eq!(json(&[&["sweep", "merge"], &names[..]].concat()), whole);
}

#[test]
fn slurm_array_measures_every_document() {
    let script = example("slurm.sh");
    let text = fs::read_to_string(&script).expect("the example");
    assert!(text.contains("#SBATCH --array=1-16\n") && text.contains("\nshards=16\n"));
    let folder = data(16);
    for task in 1..=16 {
        let mut shell = shell(folder.path());
        shell.arg(&script).env("MODEL", "model").env("TEXT", "text.txt");
        shell.env("SLURM_ARRAY_TASK_ID", task.to_string()).env("SLURM_CPUS_PER_TASK", "1");
        assert_runs(shell);
    }
    assert_merged(folder.path(), &folder.path().join("records"), 16);
}

/// The manifest as JSON, if there is a reader of YAML.
fn manifest(file: &Path) -> Option<Value> {
    const READ: &str =
        "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))";
    let output = Command::new("python3").args(["-c", READ]).arg(file).output().ok()?;
    serde_json::from_slice(&output.stdout).ok()
}

#[test]
fn kubernetes_job_measures_every_document() {
    let Some(job) = manifest(&example("kubernetes.yaml")) else {
        eprintln!("skipped: there is no Python with PyYAML");
        return;
    };
    assert_eq!((&job["kind"], &job["spec"]["completionMode"]), (&"Job".into(), &"Indexed".into()));
    let container = &job["spec"]["template"]["spec"]["containers"][0];
    let environment: Vec<(&str, &str)> = container["env"]
        .as_array()
        .expect("variables")
        .iter()
        .map(|variable| {
            [&variable["name"], &variable["value"]].map(|part| part.as_str().expect("text"))
        })
        .map(|[name, value]| (name, value))
        .collect();
    let shards = job["spec"]["completions"].as_u64().expect("a count");
    assert!(environment.contains(&("SHARDS", &shards.to_string())));
    assert_eq!(container["command"], serde_json::json!(["sh", "-euc"]));
    let script = container["args"][0].as_str().expect("a script");
    let folder = data(shards as usize);
    for index in 0..shards {
        let mut shell = shell(folder.path());
        shell.args(["-euc", script]).envs(environment.iter().copied());
        shell.env("DATA", folder.path()).env("JOB_COMPLETION_INDEX", index.to_string());
        assert_runs(shell);
    }
    assert_merged(folder.path(), &folder.path().join("records"), shards as usize);
}
