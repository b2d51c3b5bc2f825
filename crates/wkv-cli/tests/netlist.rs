//! `wkv netlist`: netlists of other tools, read, described, converted, compared and simulated.

mod common;

use std::path::Path;

use common::{Finished, files, limited, refusal, wkv_in};
use insta::assert_snapshot;
use serde_json::{Value, json};
use tempfile::TempDir;

const ADDER: &str = ".model adder\n.inputs a_0 a_1 b_0 b_1\n.outputs s[0] s[1] s[2]\n\
    .names a_0 b_0 s[0]\n10 1\n01 1\n.names a_0 b_0 c\n11 1\n\
    .names a_1 b_1 c s[1]\n100 1\n010 1\n001 1\n111 1\n\
    .names a_1 b_1 c s[2]\n11- 1\n1-1 1\n-11 1\n.end\n";

/// Counts enabled steps from 2.
const COUNTER: &str = ".model counter\n.inputs clk enable\n.outputs q_0 q_1\n\
    .latch d0 q_0 re clk 0\n.latch d1 q_1 re clk 1\n.names q_0 enable d0\n10 1\n01 1\n\
    .names q_0 q_1 enable d1\n01- 1\n-10 1\n101 1\n.end\n";

/// Formats that are read and written.
const READ: [&str; 5] = ["blif", "verilog", "yosys-json", "aiger", "aiger-ascii"];

fn folder(contents: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, content) in contents {
        std::fs::write(folder.path().join(name), content).expect("the folder is writable");
    }
    folder
}

#[track_caller]
fn result(folder: &Path, arguments: &[&str], code: i32) -> Value {
    let arguments = [&["netlist"], arguments, &["--json", "-"]].concat();
    let finished = wkv_in(folder, &arguments);
    assert_eq!(finished.code, Some(code), "{}", finished.stderr);
    serde_json::from_str(&finished.stdout).expect("standard output holds JSON only")
}

#[test]
fn describes_the_circuit() {
    let folder = folder(&[("adder.blif", ADDER), ("counter.blif", COUNTER)]);
    let described = result(folder.path(), &["adder.blif"], 0);
    let expected = json!({
        "format": "blif", "top": "adder", "gates": 4, "registers": 0, "depth": 2, "clock": null,
        "inputs": {"a": 2, "b": 2}, "outputs": {"s": 3}, "memories": 0, "warnings": [], "files": [],
    });
    assert_eq!(described, expected);
    let described = result(folder.path(), &["counter.blif"], 0);
    assert_eq!((&described["registers"], &described["clock"]), (&json!(2), &json!("clk")));
    assert_eq!(described["inputs"], json!({"enable": 1}));
    assert_snapshot!(wkv_in(folder.path(), &["netlist", "counter.blif"]).stdout);
}

#[test]
fn simulates_vectors_and_steps() {
    let vectors: Vec<(u64, u64)> = (0..200).map(|at| (at % 4, at / 4 % 4)).collect();
    let (a, b): (Vec<u64>, Vec<u64>) = vectors.iter().copied().unzip();
    let stimuli = json!({"inputs": {"b": b, "a": a}}).to_string();
    let steps = r#"{"inputs": {"enable": [1, 1, "0x0", 1, 1, "0X1"]}}"#;
    let folder = folder(&[
        ("adder.blif", ADDER),
        ("counter.blif", COUNTER),
        ("vectors.json", &stimuli),
        ("steps.json", steps),
    ]);
    let sums: Vec<u64> = vectors.iter().map(|(a, b)| a + b).collect();
    let simulated = result(folder.path(), &["adder.blif", "--in", "vectors.json"], 0);
    assert_eq!(simulated["outputs_by_step"], json!({"s": sums}));
    let simulated = result(folder.path(), &["counter.blif", "--in", "steps.json"], 0);
    assert_eq!(simulated["outputs_by_step"], json!({"q": [2, 3, 0, 0, 1, 2]}));
    let optimised = result(folder.path(), &["counter.blif", "--optimise", "--in", "steps.json"], 0);
    assert_eq!(optimised["outputs_by_step"], simulated["outputs_by_step"]);
    let shown = wkv_in(folder.path(), &["netlist", "adder.blif", "--in", "vectors.json"]).stdout;
    assert!(shown.lines().all(|line| line.len() <= 100), "{shown}");
    assert_snapshot!(shown);
}

/// The file, in look-up tables, is proven to do what it did.
#[test]
fn maps_what_it_reads() {
    let built = tempfile::tempdir().expect("a folder");
    let build = ["build", "--unit", "ripple_adder:8,8,1", "--emit", "blif", "--out", "."];
    wkv_in(built.path(), &build);
    for map in ["lut2", "lut4", "lut6"] {
        let arguments = ["ripple_adder.blif", "--map", map, "--equal", "ripple_adder.blif"];
        let mapped = result(built.path(), &arguments, 0);
        assert_eq!(mapped["equal"]["verdict"], "equal");
        assert_eq!(mapped["before"]["gates"], 16);
        assert_ne!(mapped["gates"], 16);
    }
}

#[test]
fn wide_ports_take_hexadecimal() {
    let bits = |name: &str| (0..130).map(|bit| format!(" {name}[{bit}]")).collect::<String>();
    let mut wide = format!(".inputs{}\n.outputs{}\n", bits("a"), bits("y"));
    (0..130).for_each(|bit| wide += &format!(".names a[{bit}] y[{bit}]\n0 1\n"));
    let stimuli = r#"{"inputs": {"a": [0, "0x3123456789abcdef0fedcba9876543210", 7]}}"#;
    let folder = folder(&[("wide.blif", &wide), ("in.json", stimuli)]);
    let simulated = result(folder.path(), &["wide.blif", "--in", "in.json"], 0);
    let expected = [
        "0x3ffffffffffffffffffffffffffffffff",
        "0xedcba9876543210f0123456789abcdef",
        "0x3fffffffffffffffffffffffffffffff8",
    ];
    assert_eq!(simulated["outputs_by_step"]["y"], json!(expected));
}

#[test]
fn converts() {
    // Its registers have names of their own, which survive.
    let counter = COUNTER
        .replace("q_0", "r_0")
        .replace("q_1", "r_1")
        .replace(".outputs r_0 r_1", ".outputs q_0 q_1")
        .replace(".end", ".names r_0 q_0\n1 1\n.names r_1 q_1\n1 1\n.end");
    let folder = folder(&[("counter.blif", &counter)]);
    let emit = ["counter.blif", "--emit", "blif,verilog", "--out", "nets"];
    let written = result(folder.path(), &emit, 0);
    assert_eq!(written["files"], json!(["nets/counter.blif", "nets/counter.v"]));
    assert_eq!(files(&folder.path().join("nets")), ["counter.blif", "counter.v"]);
    for format in READ {
        let emit = ["counter.blif", "--emit", format, "--out", format];
        let written = result(folder.path(), &emit, 0);
        let file = written["files"][0].as_str().expect("a path");
        let same = result(folder.path(), &[file, "--equal", "counter.blif"], 0);
        assert_eq!(same["equal"]["verdict"], "equal", "{format}");
        assert_eq!((&same["format"], &same["top"]), (&json!(format), &json!("counter")));
    }
}

/// A file cannot say where another one is written.
#[test]
fn names_of_circuits_are_no_paths() {
    let text = ADDER.replace(".model adder", ".model ../../a/b\u{1b}[31m");
    let folder = folder(&[("adder.blif", &text)]);
    let arguments = ["netlist", "adder.blif", "--emit", "blif", "--out", "nets"];
    let finished = wkv_in(folder.path(), &arguments);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(files(&folder.path().join("nets")), ["_.._.._a_b__31m.blif"]);
    assert!(!finished.stdout.contains('\u{1b}'), "{}", finished.stdout);
}

#[test]
fn compares() {
    let other = ADDER.replace("11- 1\n1-1 1\n-11 1\n", "-11 1\n1-1 1\n110 1\n");
    let wrong = ADDER.replace("-11 1\n", "");
    let initial = COUNTER.replace("re clk 1", "re clk 0");
    let folder = folder(&[
        ("adder.blif", ADDER),
        ("other.blif", &other),
        ("wrong.blif", &wrong),
        ("counter.blif", COUNTER),
        ("initial.blif", &initial),
    ]);
    let equal = result(folder.path(), &["adder.blif", "--equal", "other.blif"], 0);
    assert_eq!(equal["equal"]["verdict"], "equal");
    let different = &result(folder.path(), &["adder.blif", "--equal", "wrong.blif"], 1)["equal"];
    assert_eq!(different["verdict"], "different");
    assert_eq!(different["output"], "s[2]");
    assert_eq!(different["inputs"]["b[1]"], 1);
    let finished = wkv_in(folder.path(), &["netlist", "adder.blif", "--equal", "wrong.blif"]);
    assert_eq!(finished.code, Some(1));
    assert!(finished.stdout.contains("DIFFERS from wrong.blif: a = 0b"), "{}", finished.stdout);
    let renamed = COUNTER.replace("q_1", "p").replace(".outputs q_0 p", ".outputs q_0 q_1");
    let renamed = renamed.replace(".end", ".names p q_1\n1 1\n.end");
    std::fs::write(folder.path().join("renamed.blif"), renamed).expect("the folder is writable");
    let arguments = ["counter.blif", "--equal", "renamed.blif"];
    assert_eq!(result(folder.path(), &arguments, 0)["equal"]["verdict"], "equal");
    let different =
        &result(folder.path(), &["counter.blif", "--equal", "initial.blif"], 1)["equal"];
    assert_eq!(different["text"], "register q[1] starts with another value");
}

/// A multiplier and itself with its operands exchanged are hard for a solver.
#[test]
fn what_is_undecided_is_said() {
    let folder = folder(&[]);
    let build = ["build", "--unit", "wallace:20,20", "--emit", "blif", "--out", "."];
    let built = wkv_in(folder.path(), &build);
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let name = &files(folder.path())[0];
    let text = std::fs::read_to_string(folder.path().join(name)).expect("a netlist");
    let exchanged = text.replace("a[", "@[").replace("b[", "a[").replace("@[", "b[");
    assert_ne!(exchanged, text);
    std::fs::write(folder.path().join("exchanged.blif"), exchanged).expect("writable");
    let arguments = [&name[..], "--equal", "exchanged.blif", "--time-limit", "1"];
    let told = &result(folder.path(), &arguments, 1)["equal"];
    assert_eq!(told["verdict"], "undecided");
    assert_eq!(told["reason"], "the time limit was reached");
}

#[test]
fn refused() {
    let missing = ADDER.replace(".names a_0 b_0 c\n11 1\n", "").replace("s[1]\n100", "s[1]\n1x0");
    let stimuli = |text: &str| format!("{{\"inputs\": {text}}}");
    let folder = folder(&[
        ("adder.blif", ADDER),
        ("counter.blif", COUNTER),
        ("bad.blif", &missing),
        ("loop.blif", ".inputs a\n.outputs y\n.names a z y\n11 1\n.names y z\n0 1\n"),
        ("netlist.txt", ADDER),
        ("list.json", "[[1], [2]]"),
        ("cut.json", "{\"inputs\": {\"a\": [1"),
        ("none.json", &stimuli("{}")),
        ("twice.json", &stimuli("{\"a\": [1], \"a\": [1], \"b\": [1], \"q\": [1]}")),
        (
            "values.json",
            &stimuli("{\"a\": [4, -1, 1.5, \"0x\", \"12\", \"0x4\"], \"b\": [1, null]}"),
        ),
        ("clock.json", &stimuli("{\"clk\": [0], \"enable\": [1]}")),
        ("no_steps.json", &stimuli("{\"enable\": []}")),
        ("no_list.json", &stimuli("{\"enable\": {\"a\": 1}}")),
    ]);
    std::fs::write(folder.path().join("bytes.blif"), b"\xff\xfe\0.mo\xffdel").expect("writable");
    let cases: [&[&str]; 19] = [
        &["netlist", "bad.blif"],
        &["netlist", "loop.blif"],
        &["netlist", "bytes.blif"],
        &["netlist", "netlist.txt"],
        &["netlist", "adder.blif", "--format", "vhdl"],
        &["netlist", "adder.blif", "--format", "dot"],
        &["netlist", "adder.blif", "--top", "cell"],
        &["netlist", "adder.blif", "--equal", "counter.blif"],
        &["netlist", "missing.blif"],
        &["netlist", "."],
        &["netlist", ".", "--format", "blif"],
        &["netlist", "adder.blif", "--in", "list.json"],
        &["netlist", "adder.blif", "--in", "cut.json"],
        &["netlist", "adder.blif", "--in", "none.json"],
        &["netlist", "adder.blif", "--in", "twice.json"],
        &["netlist", "adder.blif", "--in", "values.json"],
        &["netlist", "counter.blif", "--in", "clock.json"],
        &["netlist", "counter.blif", "--in", "no_steps.json"],
        &["netlist", "counter.blif", "--in", "no_list.json"],
    ];
    let messages: String = cases.iter().map(|case| refusal(folder.path(), case)).collect();
    assert_snapshot!(messages);
}

/// Whatever never ends is refused at once, by every command that reads a file.
#[cfg(unix)]
#[test]
fn devices_and_pipes_are_refused_in_little_memory() {
    let folder = folder(&[("adder.blif", ADDER)]);
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()), "there is a mkfifo");
    for endless in ["/dev/zero", "pipe"] {
        let cases: [&[&str]; 7] = [
            &["netlist", endless, "--format", "blif"],
            &["netlist", "adder.blif", "--in", endless],
            &["netlist", "adder.blif", "--format", "blif", "--equal", endless],
            &["run", "--in", endless],
            &["verify", "--proof", endless],
            &["sweep", "--text", endless],
            &["generate", "--model", endless],
        ];
        for arguments in cases {
            let Finished { code, stderr, .. } = limited(folder.path(), arguments);
            assert_eq!(code, Some(2), "{arguments:?}: {stderr}");
            assert!(stderr.contains(endless), "{arguments:?}: {stderr}");
        }
    }
}
