//! `wkv run`.

mod common;

use std::fs;
use std::path::Path;

use common::{files, golden, refusal, result, wkv_in};
use insta::assert_snapshot;
use serde_json::{Value, json};

const ENGINES: [&str; 2] = ["fixed", "gates"];

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

#[track_caller]
fn assert_reproduces(found: &Value, expected: &Value) {
    for field in ["spec", "k", "v", "u", "w", "out", "aa", "bb", "pp"] {
        assert!(found[field] == expected[field], "{field} of {}", expected["spec"]);
    }
}

#[test]
fn golden_stream_is_reproduced() {
    let file = golden("streams-q8.8.json");
    let expected: Value = serde_json::from_str(&read(&file)).expect("a golden vector");
    for engine in ENGINES {
        let found =
            result(&["run", "--spec", "classic:q8.8", "--engine", engine, "--in", path(&file)]);
        assert_eq!(found["engine"], engine);
        assert_reproduces(&found, &expected);
    }
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

#[test]
fn golden_formats_are_reproduced() {
    let file = golden("streams-formats.jsonl");
    let expected = lines(&read(&file));
    let folder = tempfile::tempdir().expect("a temporary folder");
    for engine in ENGINES {
        let arguments = ["run", "--engine", engine, "--in", path(&file), "--out", "results.jsonl"];
        let finished = wkv_in(folder.path(), &arguments);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let found = lines(&read(&folder.path().join("results.jsonl")));
        assert_eq!(found.len(), expected.len());
        for (found, expected) in std::iter::zip(&found, &expected) {
            assert_reproduces(found, expected);
            let (clips, saturations) = (&expected["page_clips"], &found["saturations"]);
            assert_eq!(saturations["aa"], clips["aa"]);
            assert_eq!(saturations["bb"], clips["bb"]);
            assert_eq!(saturations["ww2"], clips["pp"]);
            assert_eq!(found["underflows"], clips["lut"]);
        }
    }
}

#[test]
fn results_can_be_run_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = |from: &str, to: &str| {
        let finished = wkv_in(folder.path(), &["run", "--in", from, "--out", to]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        read(&folder.path().join(to))
    };
    let first = run(path(&golden("streams-formats.jsonl")), "first.jsonl");
    assert_eq!(first, run("first.jsonl", "second.jsonl"));
}

/// The sum over all tokens that the recurrence stands for.
fn weighted_mean(k: &[f64], v: &[f64], u: f64, w: f64, token: usize) -> f64 {
    let weight = |i: usize| {
        let exponent = if i == token { u + k[i] } else { k[i] + w * (token - 1 - i) as f64 };
        exponent.exp2()
    };
    let sum = |value: &dyn Fn(usize) -> f64| (0..=token).map(|i| weight(i) * value(i)).sum::<f64>();
    sum(&|i| v[i]) / sum(&|_| 1.0)
}

#[test]
fn float_takes_reals() {
    let (k, v, u, w) = ([0.5, -1.25, 3.0, 2.0], [1.5, -2.25, 0.125, 8.0], 0.75, -0.5);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("reals.json");
    let stream = json!({"k": [k], "v": [v], "u": [u], "w": [w]});
    fs::write(&file, stream.to_string()).expect("the folder can be written");
    let found = result(&["run", "--engine", "float", "--in", path(&file)]);
    assert_eq!(found["spec"], "float");
    for token in 0..k.len() {
        let out = found["out"][0][token].as_f64().expect("a real");
        assert!((out - weighted_mean(&k, &v, u, w, token)).abs() < 1e-12, "{out} at {token}");
    }
    assert_eq!(found["pp"], json!([2.5]));
    assert_eq!(found["underflows"], 0);
}

/// The spec names the engine where no option does.
#[test]
fn spec_float_is_run_by_float() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("reals.json");
    fs::write(&file, r#"{"k":[[0.5]],"v":[[1.5]],"u":[0],"w":[-1]}"#).expect("a file");
    let found = result(&["run", "--spec", "float", "--in", path(&file)]);
    assert_eq!((&found["engine"], &found["out"]), (&json!("float"), &json!([[1.5]])));
}

#[test]
fn positive_decay_is_noted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let stream = r#"{"spec":"classic:q8.8","k":[[1],[1]],"v":[[2],[2]],"u":[3,3],"w":[-4,4]}"#;
    fs::write(folder.path().join("in.json"), stream).expect("a file");
    let finished = wkv_in(folder.path(), &["run", "--in", "in.json"]);
    assert_eq!(finished.code, Some(0));
    assert_snapshot!(
        finished.stderr,
        @r#"note: in.json: "w" in channel 1 is positive; expected a decay of at most 0"#
    );
}

#[test]
fn float_notes_that_numbers_are_reals() {
    let file = golden("streams-q8.8.json");
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::copy(file, folder.path().join("raw.json")).expect("the folder can be written");
    let finished = wkv_in(folder.path(), &["run", "--engine", "float", "--in", "raw.json"]);
    assert_eq!(finished.code, Some(0));
    assert_snapshot!(finished.stderr);
}

#[test]
fn streams_may_be_empty() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("empty.jsonl");
    fs::write(
        &file,
        r#"
        {"spec":"classic:q8.8","k":[],"v":[],"u":[],"w":[]}

        {"spec":"classic:q6.10","k":[[],[]],"v":[[],[]],"u":[1,2],"w":[-1,-2]}"#,
    )
    .expect("the folder can be written");
    for engine in ENGINES {
        let found = result(&["run", "--engine", engine, "--in", path(&file)]);
        assert_eq!((&found[0]["out"], &found[0]["pp"]), (&json!([]), &json!([])));
        assert_eq!(
            (&found[1]["out"], &found[1]["pp"]),
            (&json!([[], []]), &json!([-32768, -32768]))
        );
    }
    let found = result(&["run", "--engine", "float", "--in", path(&file)]);
    assert_eq!(found[1]["pp"], json!([null, null]));
}

#[test]
fn waveform_shows_ports_and_registers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let stream =
        json!({"spec": "classic:q8.8", "k": [[256, -256]], "v": [[512, 0]], "u": [0], "w": [-256]});
    fs::write(folder.path().join("in.json"), stream.to_string())
        .expect("the folder can be written");
    let arguments = ["run", "--engine", "gates", "--in", "in.json", "--vcd", "wave.vcd"];
    let finished = wkv_in(folder.path(), &arguments);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_snapshot!(read(&folder.path().join("wave.vcd")));
}

#[test]
fn refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let good = r#"{"spec":"classic:q8.8","k":[[1,2]],"v":[[3,4]],"u":[5],"w":[-6]}"#;
    let contents = [
        ("good.json", good.to_owned()),
        ("empty.json", "\n".to_owned()),
        ("cut.json", good[..40].to_owned()),
        ("missing.json", good.replace("\"v\"", "\"values\"")),
        ("ragged.json", good.replace("[[3,4]]", "[[3]]")),
        ("rows.json", good.replace("[[3,4]]", "[[3,4],[5,6]]")),
        ("constants.json", good.replace("[5]", "[]")),
        ("list.json", "[]".to_owned()),
        ("positional.json", r#"["classic:q8.8",[[1]],[[2]],[3],[-4]]"#.to_owned()),
        ("number.json", "7".to_owned()),
        ("list.jsonl", format!("{good}\n [1]")),
        ("large.json", good.replace('4', "40000")),
        ("fraction.json", good.replace("[5]", "[5.5]")),
        ("nan.json", good.replace('4', "NaN")),
        ("text.json", good.replace('4', "\"4\"")),
        ("huge.json", good.replace('4', "1e999")),
        ("own.json", good.replace("classic:q8.8", "classic:q7.8")),
        ("float.json", good.replace("classic:q8.8", "float")),
        ("none.json", good.replace("\"spec\":\"classic:q8.8\",", "")),
        ("lines.jsonl", format!("{good}\n\n{}", good.replace('2', "-99999"))),
        ("cut.jsonl", format!("{good}\n{good}\n{}", &good[..20])),
        ("channels.json", r#"{"spec":"classic:q8.8","k":[],"v":[],"u":[],"w":[]}"#.to_owned()),
    ];
    let mut messages = String::new();
    for (name, content) in &contents {
        fs::write(folder.path().join(name), content).expect("the folder can be written");
        if !["good.json", "channels.json"].contains(name) {
            let out = ["run", "--in", name, "--out", "result.json"];
            messages += &refusal(folder.path(), &out);
        }
    }
    fs::write(folder.path().join("bytes.json"), b"{\"k\": \"\xff\"}").expect("a file");
    let cases: [&[&str]; 9] = [
        &["run"],
        &["run", "--in", "bytes.json"],
        &["run", "--in", "absent.json"],
        &["run", "--in", "."],
        &["run", "--in", "good.json", "--spec", "classic:q6.10"],
        &["run", "--in", "good.json", "--engine", "quantum"],
        &["run", "--in", "good.json", "--vcd", "wave.vcd"],
        &["run", "--in", "channels.json", "--engine", "gates", "--vcd", "wave.vcd"],
        &["run", "--in", "good.json", "--out", "good.json/result.json"],
    ];
    messages.extend(cases.iter().map(|case| refusal(folder.path(), case)));
    assert_snapshot!(messages);
    assert_eq!(files(folder.path()).len(), contents.len() + 1);
}
