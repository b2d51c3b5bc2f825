//! `wkv build`.

mod common;

use common::{files, golden, refusal, result, wkv, wkv_in};
use insta::assert_snapshot;
use serde_json::{Value, json};

#[test]
fn describes_the_cell() {
    let built = result(&["build", "--spec", "classic:q8.8:lut32"]);
    assert_eq!(built["spec"], "classic:q8.8");
    assert_eq!(built["unit"], "cell");
    assert_eq!(built["registers"], 48);
    assert_eq!(built["inputs"], json!({"k": 16, "u": 16, "v": 16, "w": 16}));
    assert_eq!(built["files"], json!([]));
    let (gates, depth) = (built["gates"].as_u64(), built["depth"].as_u64());
    assert!(gates.is_some_and(|gates| gates <= 7201), "{gates:?}");
    assert!(depth.is_some_and(|depth| depth <= 553), "{depth:?}");
    let by_arity = built["by_arity"].as_object().expect("an object");
    assert_eq!(
        by_arity.values().map(|count| count.as_u64().unwrap_or(0)).sum::<u64>(),
        gates.unwrap_or(0)
    );
    let hierarchy = built["hierarchy"].as_array().expect("a list");
    let multiply = json!({"cell": "multiply", "widths": [16, 17], "count": 4});
    assert!(hierarchy.contains(&multiply));
}

#[test]
fn tables_fit_a_terminal() {
    let finished = wkv(&["build"]);
    assert!(finished.stdout.starts_with("cell of classic:q8.8\nwkv_cell: "), "{}", finished.stdout);
    assert!(finished.stdout.lines().all(|line| line.len() <= 100), "{}", finished.stdout);
}

#[test]
fn builds_cells_of_the_library() {
    let built = result(&["build", "--unit", "ripple_adder:16,16,1"]);
    assert_eq!(built["unit"], "ripple_adder:16,16,1");
    assert_eq!((&built["gates"], &built["depth"]), (&json!(32), &json!(16)));
    let built = result(&["build", "--unit", "serial_divider:1,8"]);
    assert_eq!(built["registers"], 8);
}

#[test]
fn maps_to_look_up_tables() {
    let plain = result(&["build", "--unit", "exp2"]);
    let size = |built: &Value, figure: &str| built[figure].as_u64().expect("a number");
    for (map, widest) in [("lut4", "4"), ("lut6", "6"), ("lut4-area", "4")] {
        let built = result(&["build", "--unit", "exp2", "--map", map]);
        assert_eq!(built["map"], map);
        assert_eq!(built["before"]["gates"], plain["gates"]);
        assert!(size(&built["by_arity"], widest) > 0 && built["by_arity"].get("7").is_none());
        assert!(size(&built, "depth") < size(&plain, "depth"));
    }
    assert!(plain.get("map").is_none());
    let shown = wkv(&["build", "--unit", "ripple_adder:16,16,1", "--map", "lut6"]).stdout;
    assert!(shown.contains("\nmapped to lut6; before 32 gates, depth 16\n"), "{shown}");
}

#[test]
fn mappings_that_there_are_not_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for map in ["lut1", "lut7", "lut", "4", "lut4-depth"] {
        let refused = refusal(folder.path(), &["build", "--map", map]);
        assert!(refused.contains("expected lut2 to lut6"), "{refused}");
    }
    let arguments = ["build", "--style", "behavioural", "--map", "lut4", "--out", "x"];
    let refused = refusal(folder.path(), &arguments);
    assert!(refused.contains("no gates to map"), "{refused}");
}

/// `divider` is a unit, and `divider:16,8` a cell of the library.
#[test]
fn builds_every_unit_by_its_name() {
    let units = [
        "saturating-add",
        "compare",
        "exp2",
        "multiplier",
        "divider",
        "step",
        "cell",
        "probed-cell",
    ];
    for unit in units {
        assert_eq!(result(&["build", "--unit", unit])["unit"], unit);
    }
    let built = result(&["build", "--unit", "divider:16,8"]);
    assert_eq!(
        (&built["unit"], &built["inputs"]["dividend"]),
        (&json!("divider:16,8"), &json!(16))
    );
}

/// Every row of the page names a circuit as `--unit` takes it, and options that may follow.
#[test]
fn builds_every_row_of_the_page_of_cells() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cells.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let rows = page.lines().filter_map(|line| {
        let (unit, columns) = line.strip_prefix("| `")?.split_once("` | ")?;
        Some((unit, columns.split(" | ").collect::<Vec<_>>()))
    });
    let mut count = 0;
    for (unit, columns) in rows {
        let arguments: Vec<&str> = ["build", "--unit"].into_iter().chain(unit.split(' ')).collect();
        let built = result(&arguments);
        let gates = if columns.len() > 3 { columns[3] } else { columns[0] };
        assert_eq!(built["gates"].to_string(), gates, "{unit}");
        count += 1;
    }
    assert!(count > 40, "{count}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_need_not_be_utf_8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let name = OsStr::from_bytes(b"bad\xff");
    let build = ["build", "--unit", "exp2", "--emit", "blif", "--json", "result.json", "--out"];
    let output = common::command(folder.path(), &build).arg(name).output().expect("it starts");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(files(&folder.path().join(name)), ["wkv_exp2.blif"]);
    let json = std::fs::read_to_string(folder.path().join("result.json")).expect("a result");
    assert!(json.contains("bad\u{fffd}/wkv_exp2.blif"), "{json}");
}

#[test]
fn a_format_that_is_named_twice_is_written_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let build = ["build", "--unit", "exp2", "--emit", "blif,blif", "--out", ".", "--json", "-"];
    let built: serde_json::Value =
        serde_json::from_str(&wkv_in(folder.path(), &build).stdout).expect("a result");
    assert_eq!(built["files"], json!(["./wkv_exp2.blif"]));
}

#[test]
fn reports_to_people() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let finished = wkv_in(folder.path(), &["build", "--unit", "mux:4,2", "--emit", "verilog"]);
    assert_snapshot!(finished.stdout);
}

#[test]
fn writes_netlists() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let arguments = ["build", "--unit", "bank=2", "--emit", "dot,blif,verilog", "--out", "nets"];
    let finished = wkv_in(folder.path(), &arguments);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let nets = folder.path().join("nets");
    assert_eq!(files(&nets), ["wkv_bank_2.blif", "wkv_bank_2.dot", "wkv_bank_2.v"]);
    let blif = std::fs::read_to_string(nets.join("wkv_bank_2.blif")).expect("a netlist");
    assert!(blif.contains(".model wkv_bank_2"));
    assert_eq!(blif.matches(".latch").count(), 96);
}

#[test]
fn netlists_have_defaults() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    wkv_in(folder.path(), &["build", "--unit", "exp2", "--out", "."]);
    assert_eq!(files(folder.path()), ["wkv_exp2.blif", "wkv_exp2.v"]);
    wkv_in(folder.path(), &["build", "--unit", "exp2", "--emit", "blif"]);
    assert_eq!(files(&folder.path().join("out/build")), ["wkv_exp2.blif"]);
}

#[test]
fn a_netlist_in_the_way_leaves_no_other() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(folder.path().join("wkv_exp2.v")).expect("the folder can be written");
    assert_snapshot!(refusal(folder.path(), &["build", "--unit", "exp2", "--out", "."]));
    assert_eq!(files(folder.path()), ["wkv_exp2.v"]);
}

#[test]
fn refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("file"), "").expect("the folder can be written");
    let cases: [&[&str]; 21] = [
        &["build", "--spec", "q8.8"],
        &["build", "--spec", "classic:q9.8"],
        &["build", "--spec", "float"],
        &["build", "--spec", "missing.toml"],
        &["build", "--unit", "flux"],
        &["build", "--unit", "bank=0"],
        &["build", "--unit", "ripple_adder"],
        &["build", "--unit", "ripple_adder:16,8,1"],
        &["build", "--unit", "ripple_adder:16,x,1"],
        &["build", "--unit", "ripple_adder:16,,16,1"],
        &["build", "--unit", "ripple_adder:16,16,1,"],
        &["build", "--unit", "ripple_adder:"],
        &["build", "--unit", "adder:16"],
        &["build", "--unit", "exp2:16"],
        &["build", "--unit", "counter:1,0"],
        &["build", "--unit", "negate:0"],
        &["build", "--spec", "classic:q8.8:div=foo"],
        &["build", "--emit", "edif"],
        &["build", "--emit", "blif,"],
        &["build", "--emit", "blif,vhdl"],
        &["build", "--out", "file"],
    ];
    let messages: String = cases.iter().map(|case| refusal(folder.path(), case)).collect();
    assert_snapshot!(messages);
    assert_eq!(files(folder.path()), ["file"]);
}

/// What Icarus Verilog prints for a circuit and its test bench; none if there is no such tool.
fn simulate(folder: &std::path::Path, name: &str) -> Option<String> {
    let run = |program: &str, arguments: &[&str]| {
        std::process::Command::new(program).args(arguments).current_dir(folder).output().ok()
    };
    let (circuit, bench) = (format!("{name}.v"), format!("{name}_tb.v"));
    let Some(built) = run("iverilog", &["-g2001", "-o", "bench.vvp", &circuit, &bench]) else {
        println!("skipped: iverilog is not on the PATH");
        return None;
    };
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = run("vvp", &["-n", "bench.vvp"]).expect("vvp comes with iverilog");
    Some(String::from_utf8(ran.stdout).expect("text"))
}

#[test]
fn test_benches_pass_on_the_circuit_and_fail_on_a_changed_one() {
    let units = ["saturating-add", "compare", "exp2", "cell"];
    for unit in units.into_iter().chain(["serial_divider:1,8"]) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let built = wkv_in(folder.path(), &["build", "--unit", unit, "--test-bench", "--out", "."]);
        assert_eq!(built.code, Some(0), "{}", built.stderr);
        let files = files(folder.path());
        let bench = files.iter().find_map(|file| file.strip_suffix("_tb.v"));
        let name = bench.expect("a test bench").to_owned();
        let Some(passed) = simulate(folder.path(), &name) else { return };
        assert!(passed.contains("PASS: "), "{unit}: {passed}");

        let path = folder.path().join(format!("{name}.v"));
        let verilog = std::fs::read_to_string(&path).expect("the circuit");
        std::fs::write(&path, verilog.replacen(" & ", " | ", 1)).expect("a changed circuit");
        let failed = simulate(folder.path(), &name).expect("it ran before");
        assert!(failed.contains("FAIL: ") && !failed.contains("PASS"), "{unit}: {failed}");
    }
}

/// The circuits whose channels take turns have memories, and so other formats and another bench.
#[test]
fn circuits_with_memories_have_their_own_defaults_and_test_benches() {
    for (unit, name) in [
        ("pipeline=32", "wkv_pipeline_32"),
        ("serial=2", "wkv_serial_2"),
        ("shared=2", "wkv_shared_2"),
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let built = wkv_in(folder.path(), &["build", "--unit", unit, "--test-bench", "--out", "."]);
        assert_eq!(built.code, Some(0), "{}", built.stderr);
        let [json, rtl, bench] = [".json", ".rtl.v", "_tb.v"].map(|end| format!("{name}{end}"));
        assert_eq!(files(folder.path()), [json, rtl.clone(), bench]);
        let path = |name: &str| folder.path().join(name);
        std::fs::rename(path(&rtl), path(&format!("{name}.v"))).expect("a new name");
        let Some(passed) = simulate(folder.path(), name) else { return };
        assert!(passed.contains("PASS: "), "{unit}: {passed}");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let refused = refusal(folder.path(), &["build", "--unit", "serial=2", "--emit", "blif"]);
    assert_snapshot!(refused);
    assert_eq!(files(folder.path()), Vec::<String>::new());
}

#[test]
fn a_bench_over_a_stream_takes_the_channels_in_turn() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("streams.json"), STREAM).expect("a stream");
    build_over(folder.path(), "serial=2", "streams.json");
    let [from, to] = ["wkv_serial_2.rtl.v", "wkv_serial_2.v"].map(|name| folder.path().join(name));
    std::fs::rename(from, to).expect("a new name");
    let Some(passed) = simulate(folder.path(), "wkv_serial_2") else { return };
    assert_eq!(passed, "PASS: 6 outputs\n");
}

/// A step alone is given denominators and products that it never gets in a cell, and a bench of it fails.
#[test]
fn a_step_for_carry_chains_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let build = ["build", "--unit", "step", "--style", "carry"];
    let refused = refusal(folder.path(), &build);
    assert!(refused.contains("wrong for numbers that it never gets in a cell"), "{refused}");
}

#[test]
fn what_a_bench_finds_is_said() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let build =
        ["build", "--unit", "compare", "--test-bench", "--out", ".", "--json", "found.json"];
    let built = wkv_in(folder.path(), &build);
    let words = " stuck-at faults; ";
    assert!(built.stdout.contains(words), "{}", built.stdout);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect(name);
    let json: serde_json::Value = serde_json::from_str(&read("found.json")).expect("a result");
    assert_eq!(json["test_bench"]["undecided"], 0);
    assert!(json["test_bench"]["found"].as_u64().is_some_and(|found| found > 50), "{json}");
    assert!(read("wkv_compare_tb.v").lines().next().is_some_and(|line| line.contains(words)));
}

/// Two channels of three tokens, values and keys of any size.
const STREAM: &str = r#"{"spec": "classic:q8.8", "k": [[100, -300, 32767], [0, 5, -6]],
    "v": [[1000, -2000, 300], [-32768, 32767, 77]], "u": [12, -400], "w": [-3, -700]}"#;

/// Two channels without tokens.
const NO_TOKENS: &str = r#"{"k": [[], []], "v": [[], []], "u": [12, -400], "w": [-3, -700]}"#;

/// Builds a circuit with benches over a stream.
fn build_over(folder: &std::path::Path, unit: &str, stream: &str) {
    let built = wkv_in(
        folder,
        &["build", "--unit", unit, "--test-bench", "--streams", stream, "--out", "."],
    );
    assert_eq!(built.code, Some(0), "{}", built.stderr);
}

/// Runs every bench of a folder on a circuit: how many there are, and how many pass.
fn passing(folder: &std::path::Path, circuit: &str) -> Option<(usize, usize)> {
    let source = std::fs::read_to_string(folder.join(format!("{circuit}.v"))).expect("a circuit");
    let files = files(folder);
    let benches: Vec<&str> = files.iter().filter_map(|file| file.strip_suffix("_tb.v")).collect();
    let mut passing = 0;
    for bench in &benches {
        std::fs::write(folder.join(format!("{bench}.v")), &source).expect("a copy");
        passing += usize::from(simulate(folder, bench)?.contains("PASS: "));
    }
    Some((benches.len(), passing))
}

#[test]
fn test_benches_over_streams_pass_on_the_circuit_and_fail_on_a_changed_one() {
    for (unit, circuit, benches) in [("cell", "wkv_cell", 2), ("bank=2", "wkv_bank_2", 1)] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("streams.json"), STREAM).expect("a stream");
        build_over(folder.path(), unit, "streams.json");
        let Some(result) = passing(folder.path(), circuit) else { return };
        assert_eq!(result, (benches, benches), "{unit}");
        let path = folder.path().join(format!("{circuit}.v"));
        let verilog = std::fs::read_to_string(&path).expect("the circuit");
        std::fs::write(&path, verilog.replace(" & ", " | ")).expect("a changed circuit");
        assert_eq!(passing(folder.path(), circuit), Some((benches, 0)), "{unit}");
    }
}

#[test]
fn test_benches_over_golden_streams_pass() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let golden = golden("streams-q8.8.json").canonicalize().expect("golden streams");
    build_over(folder.path(), "cell", golden.to_str().expect("a path of text"));
    let Some(result) = passing(folder.path(), "wkv_cell") else { return };
    assert_eq!(result, (16, 16));
}

#[test]
fn streams_that_no_bench_can_take_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("streams.json"), STREAM).expect("a stream");
    let bench = ["build", "--test-bench", "--out", "out", "--streams", "streams.json", "--unit"];
    let units = [&["exp2"][..], &["bank=3"], &["serial=3"], &["ripple_adder:4,4,1"]];
    let cases = units.into_iter().chain([&["cell", "--spec", "classic:q6.10"][..]]);
    let messages: String =
        cases.map(|case| refusal(folder.path(), &[&bench[..], case].concat())).collect();
    std::fs::write(folder.path().join("streams.json"), NO_TOKENS).expect("a stream");
    let empty =
        ["cell", "serial=2"].map(|unit| refusal(folder.path(), &[&bench[..], &[unit]].concat()));
    assert_snapshot!(messages + &empty.concat());
    assert_eq!(files(folder.path()), ["streams.json"]);
}
