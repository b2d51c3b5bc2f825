//! `wkv sweep`.

mod common;

use std::fs;
use std::path::Path;

use common::{Finished, refusal, result, wkv};
use insta::assert_snapshot;
use serde_json::Value;

const MODEL: &str = "../../models/stories-1.5m";

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn arms(sweep: &Value) -> &Vec<Value> {
    sweep["arms"].as_array().expect("arms")
}

#[test]
fn arms_have_their_fields() {
    let sweep = result(&["sweep", "--tokens", "300"]);
    assert_eq!((&sweep["model"], &sweep["text"]), (&"stories-1.5m".into(), &"stories.txt".into()));
    let specs: Vec<&str> = arms(&sweep).iter().map(|arm| arm["spec"].as_str().unwrap()).collect();
    assert_eq!(
        specs,
        [
            "float",
            "classic:q8.8",
            "classic:q8.8:lut64",
            "classic:q8.8:nointerp",
            "classic:q8.8:exp2=exact",
            "classic:q8.8:div=exact",
            "classic:q6.10",
            "classic:q10.6"
        ]
    );
    for arm in arms(&sweep) {
        // A few documents give no interval.
        for field in ["perplexity_interval", "perplexity_ratio_interval", "kl_mean_interval"] {
            assert_eq!(arm[field], Value::Null, "{field}");
        }
        for field in ["kl_mean", "kl_max", "top1_agreement", "rms_error", "max_error"] {
            assert!(number(&arm[field]) >= 0.0, "{field}");
        }
        for register in ["ww", "ww2", "num", "den", "out", "aa", "bb"] {
            assert!(arm["saturations"][register].is_u64(), "{register}");
        }
        assert!(arm["underflows"].is_u64());
        assert_eq!(arm["by_block"].as_array().expect("blocks").len(), 6);
        assert!(!arm["by_position"].as_array().expect("positions").is_empty());
    }
    // The first token of a document saturates ww2 in every channel of every block.
    assert_eq!(arms(&sweep)[1]["saturations"]["ww2"], sweep["first_steps"]);
}

#[test]
fn formats_cost_what_the_model_shows() {
    let sweep = result(&["sweep", "--tokens", "3000"]);
    let [float, q8_8, .., q6_10, q10_6] = &arms(&sweep)[..] else { panic!("eight arms") };
    assert_eq!(float["engine"], "float");
    assert_eq!((number(&float["kl_mean"]), number(&float["top1_agreement"])), (0.0, 1.0));
    assert_eq!(float["perplexity"], sweep["float_perplexity"]);
    let kl = |arm: &Value| number(&arm["kl_mean"]);
    assert!(kl(q6_10) < kl(q8_8) && kl(q8_8) < kl(q10_6));
    for arm in arms(&sweep) {
        let [low, high] = [0, 1].map(|end| number(&arm["perplexity_interval"][end]));
        let perplexity = number(&arm["perplexity"]);
        assert!(low <= perplexity + 1e-9 && perplexity <= high + 1e-9, "{arm}");
        let rms = number(&arm["rms_error"]);
        let worst = arm["by_block"].as_array().expect("blocks").iter();
        let worst = worst.map(|block| number(&block["rms_error"])).fold(0.0, f64::max);
        assert!(rms <= worst && number(&arm["max_error"]) >= worst);
    }
}

/// The errors of all blocks and places are parts of the whole.
#[test]
fn errors_by_block_and_position_add_up() {
    let sweep = result(&["sweep", "--tokens", "300", "--spec", "classic:q8.8"]);
    let arm = &arms(&sweep)[0];
    let list = |parent: &Value, field: &str| parent[field].as_array().expect("a list").clone();
    let from = |cell: &Value| cell["from"].as_u64().expect("a place");
    let (mut squares, mut signal, mut values, mut greatest) = (0.0, 0.0, 0.0, 0.0f64);
    for block in list(arm, "by_block") {
        // The second of the two documents has more than 256 tokens.
        let places: Vec<u64> = list(&block, "by_position").iter().map(from).collect();
        assert_eq!(places, [0, 32, 128, 256]);
        for cell in list(&block, "by_position") {
            let count = number(&cell["values"]);
            values += count;
            squares += count * number(&cell["rms_error"]).powi(2);
            signal += count * number(&cell["signal_rms"]).powi(2);
            greatest = greatest.max(number(&cell["max_error"]));
            let relative = number(&cell["rms_error"]) / number(&cell["signal_rms"]);
            assert!((number(&cell["relative_rms_error"]) / relative - 1.0).abs() < 1e-12);
        }
        let registers = block["saturations_by_register"].as_object().expect("registers");
        let saturations: f64 = registers.values().map(number).sum();
        assert_eq!(saturations, number(&block["saturations"]));
    }
    assert_eq!(values, number(&sweep["channel_steps"]));
    assert!(((squares / values).sqrt() / number(&arm["rms_error"]) - 1.0).abs() < 1e-12);
    assert!(((signal / values).sqrt() / number(&sweep["signal_rms"]) - 1.0).abs() < 1e-12);
    assert_eq!(greatest, number(&arm["max_error"]));
}

#[test]
fn reference_perplexity_is_reproduced() {
    let sweep = result(&["sweep", "--tokens", "5300", "--spec", "float"]);
    assert_eq!((&sweep["documents"], &sweep["tokens"]), (&20.into(), &5470.into()));
    assert!((number(&sweep["float_perplexity"]) - 20.8319).abs() < 1e-4);
}

#[test]
fn gates_give_what_the_integer_model_gives() {
    let sweep = |engine: &str| {
        let spec = ["--spec", "classic:q6.10:nointerp"];
        let arguments = ["sweep", "--tokens", "300", "--engine", engine];
        let mut sweep = result(&[&arguments[..], &spec].concat());
        assert_eq!(sweep["arms"][0]["engine"], engine);
        sweep["arms"][0]["engine"] = Value::Null;
        sweep
    };
    assert_eq!(sweep("gates"), sweep("fixed"));
}

#[test]
fn both_engines_agree_in_one_table() {
    let arguments = ["sweep", "--tokens", "300", "--engine", "fixed,gates", "--spec"];
    let Finished { code, stdout, .. } = wkv(&[&arguments[..], &["classic:q8.8:lut64"]].concat());
    assert_eq!(code, Some(0));
    let line = "classic:q8.8:lut64: gates and integer model are the same in every figure";
    assert!(stdout.contains(line), "{stdout}");
    assert!(stdout.contains("  classic:q8.8:lut64@gates  "), "{stdout}");
    assert!(stdout.lines().all(|line| line.chars().count() <= 100), "{stdout}");
}

#[test]
fn an_exact_exponential_is_close_to_its_table() {
    let arguments = ["sweep", "--tokens", "300", "--spec", "classic:q8.8:lut256"];
    let sweep = result(&[&arguments[..], &["--spec", "classic:q8.8:exp2=exact"]].concat());
    let [table, exact] = &arms(&sweep)[..] else { panic!("two arms") };
    assert_eq!(exact["engine"], "fixed");
    let ratio = number(&exact["rms_error"]) / number(&table["rms_error"]);
    assert!(ratio != 1.0 && (ratio - 1.0).abs() < 0.05, "{ratio}");
}

#[test]
fn a_preset_comes_before_the_specs_beside_it() {
    let preset = ["sweep", "--tokens", "1", "--preset", "published", "--spec", "classic:q7.9"];
    let sweep = result(&preset);
    let default = result(&["sweep", "--tokens", "1"]);
    assert_eq!(arms(&sweep)[..8], arms(&default)[..]);
    assert_eq!(arms(&sweep)[8]["spec"], "classic:q7.9");
}

#[test]
fn documents_are_strung_together() {
    let alone = result(&["sweep", "--tokens", "1500", "--spec", "classic:q8.8"]);
    let strung = ["sweep", "--tokens", "1500", "--spec", "classic:q8.8", "--context", "600"];
    let strung = result(&strung);
    assert_eq!((&strung["tokens"], &strung["documents"]), (&alone["tokens"], &alone["documents"]));
    let tokens = strung["tokens"].as_u64().expect("a count");
    assert_eq!(strung["sequences"].as_u64(), Some(tokens.div_ceil(600)));
    assert_eq!((&strung["context"], &alone["context"]), (&600.into(), &Value::Null));
    let places = |sweep: &Value| -> Vec<u64> {
        let places = arms(sweep)[0]["by_position"].as_array().expect("places").iter();
        places.map(|place| place["from"].as_u64().expect("a place")).collect()
    };
    assert_eq!(places(&strung), [0, 32, 128, 256, 512]);
    // `ww2` saturates at the first token of a sequence only.
    assert_eq!(arms(&strung)[0]["saturations"]["ww2"], strung["first_steps"]);
}

/// A sweep of a few documents with records.
const RECORDED: [&str; 8] =
    ["sweep", "--tokens", "1500", "--spec", "classic:q8.8", "--spec", "classic:q10.6", "--records"];

/// Runs a sweep that keeps its records in `folder/file`; gives its result.
fn recorded(folder: &Path, file: &str, more: &[&str]) -> Value {
    let path = folder.join(file);
    let path = path.to_str().expect("a plain path");
    result(&[&RECORDED[..], &[path], more].concat())
}

fn lines(file: &Path) -> Vec<String> {
    fs::read_to_string(file).expect("a file").lines().map(str::to_owned).collect()
}

/// However a file of records was cut off, the sweep goes on from it to the same result.
#[test]
fn an_interrupted_sweep_goes_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let whole = recorded(folder.path(), "whole.jsonl", &[]);
    assert_eq!(whole, result(&RECORDED[..RECORDED.len() - 1]));
    let bytes = fs::read(folder.path().join("whole.jsonl")).expect("a file");
    let (file, header) =
        (folder.path().join("cut.jsonl"), lines(&folder.path().join("whole.jsonl")));
    let header = header[0].len();
    for cut in [0, 1, header - 1, header, header + 1, header + 7, bytes.len() / 2, bytes.len() - 1]
    {
        fs::write(&file, &bytes[..cut]).expect("the folder can be written");
        assert_eq!(recorded(folder.path(), "cut.jsonl", &[]), whole, "after {cut} bytes");
        let mut found = lines(&file);
        found.sort();
        found.dedup();
        assert_eq!(found.len(), lines(&folder.path().join("whole.jsonl")).len());
    }
    // Nothing is measured twice.
    let before = fs::metadata(&file).expect("a file").len();
    assert_eq!(recorded(folder.path(), "cut.jsonl", &[]), whole);
    assert_eq!(fs::metadata(&file).expect("a file").len(), before);
}

#[cfg(unix)]
#[test]
fn a_killed_sweep_goes_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("killed.jsonl");
    let arguments = ["sweep", "--tokens", "4000", "--spec", "classic:q8.8", "--records"];
    let arguments = [&arguments[..], &["killed.jsonl"]].concat();
    for signal in ["-KILL", "-INT"] {
        let lines_before = fs::read(&file).unwrap_or_default().len();
        let mut child = common::command(folder.path(), &arguments)
            .env("RAYON_NUM_THREADS", "1")
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("the command starts");
        while fs::read(&file).unwrap_or_default().len() < lines_before + 3000 {
            assert!(child.try_wait().expect("its state is known").is_none(), "it was too fast");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let mut kill = std::process::Command::new("kill");
        kill.args([signal, &child.id().to_string()]);
        assert!(kill.status().expect("kill starts").success());
        let status = child.wait().expect("it ended");
        assert!(!status.success());
        if signal == "-INT" {
            assert_eq!(status.code(), Some(130));
        }
    }
    let resumed = common::wkv_in(folder.path(), &[&arguments[..], &["--json", "-"]].concat());
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    let resumed: Value = serde_json::from_str(&resumed.stdout).expect("JSON");
    assert_eq!(resumed, result(&arguments[..arguments.len() - 2]));
}

#[test]
fn arms_are_added_to_records() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    recorded(folder.path(), "arms.jsonl", &[]);
    let before = lines(&folder.path().join("arms.jsonl")).len();
    let more =
        recorded(folder.path(), "arms.jsonl", &["--spec", "float", "--spec", "classic:q7.9"]);
    let documents = more["documents"].as_u64().expect("a count") as usize;
    // One header; for each document the new arm, and the float model once more.
    let after = lines(&folder.path().join("arms.jsonl"));
    assert_eq!(after.len(), before + 1 + 2 * documents);
    let alone = [&RECORDED[..RECORDED.len() - 1], &["--spec", "float", "--spec", "classic:q7.9"]];
    assert_eq!(more, result(&alone.concat()));
    let path = folder.path().join("arms.jsonl");
    let merged = result(&["sweep", "merge", path.to_str().expect("a plain path")]);
    assert_eq!(merged["arms"], more["arms"]);
}

#[test]
fn shards_are_merged() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let whole = recorded(folder.path(), "whole.jsonl", &[]);
    for shard in ["1/3", "2/3", "3/3"] {
        let file = format!("{}.jsonl", shard.replace('/', "-"));
        let part = recorded(folder.path(), &file, &["--shard", shard]);
        assert!(part["documents"].as_u64() < whole["documents"].as_u64());
    }
    let merge = |files: &[&str]| {
        let merged = common::wkv_in(folder.path(), &[&["sweep", "merge"], files].concat());
        (merged.code, merged.stdout, merged.stderr)
    };
    let files = ["3-3.jsonl", "1-3.jsonl", "2-3.jsonl"];
    let arguments = [&["sweep", "merge", "--json", "-"], &files[..]].concat();
    let merged = common::wkv_in(folder.path(), &arguments);
    assert_eq!(merged.code, Some(0), "{}", merged.stderr);
    assert_eq!(serde_json::from_str::<Value>(&merged.stdout).expect("JSON"), whole);
    // The same records twice are no contradiction.
    assert_eq!(merge(&["3-3.jsonl", "1-3.jsonl", "2-3.jsonl", "whole.jsonl"]).0, Some(0));

    let (code, _, message) = merge(&["1-3.jsonl", "3-3.jsonl"]);
    assert_eq!(code, Some(2));
    assert!(message.contains("classic:q10.6 lacks the documents 2, 5"), "{message}");

    let changed = fs::read_to_string(folder.path().join("1-3.jsonl")).expect("a file");
    let changed = changed.replacen("\"kl_max\":\"", "\"kl_max\":\"1", 1);
    fs::write(folder.path().join("changed.jsonl"), changed).expect("the folder can be written");
    let (code, _, message) = merge(&["whole.jsonl", "changed.jsonl"]);
    assert_eq!(code, Some(2));
    // Whichever document of the shard was done first is the changed one.
    let tells = |document: u32| {
        message.contains(&format!("on document {document} differ from those in the files before"))
    };
    assert!(tells(1) || tells(4), "{message}");
}

#[test]
fn records_of_something_else_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    recorded(folder.path(), "records.jsonl", &[]);
    let content = fs::read_to_string(folder.path().join("records.jsonl")).expect("a file");
    // Documents are recorded as they are done; the messages name lines.
    let mut lines: Vec<&str> = content.lines().collect();
    lines[1..].sort_by_key(|line| {
        serde_json::from_str::<Value>(line).expect("a record")["document"].as_u64()
    });
    let content = lines.join("\n") + "\n";
    fs::write(folder.path().join("records.jsonl"), &content).expect("the folder can be written");
    let write = |name: &str, content: &str| {
        fs::write(folder.path().join(name), content).expect("the folder can be written");
    };
    write("empty.jsonl", "");
    write("words.jsonl", "these are words");
    write("more-words.jsonl", "these are words\nand more\n");
    write("json.jsonl", "{\"a\": 1}\n");
    write("version.jsonl", &content.replacen("\"version\":1", "\"version\":2", 1));
    write("program.jsonl", &content.replacen("\"wkv\":\"", "\"wkv\":\"9.", 1));
    write("middle.jsonl", &content.replacen("{\"record\":\"arm\"", "{\"record\":\"leg\"", 1));
    write("number.jsonl", &content.replacen("\"nll\":\"", "\"nll\":\"x", 1));
    write("place.jsonl", &content.replacen("\"document\":1,", "\"document\":99,", 1));
    write("blocks.jsonl", &content.replacen("\"blocks\":6", "\"blocks\":7", 1));
    let model = common::model_with(folder.path(), "other", "ln_out.weight", 0, 0.5);
    assert!(model.ends_with("other"));
    let records = |file: &'static str, more: &[&'static str]| {
        [&["sweep", "--tokens", "1500", "--records", file], more].concat()
    };
    let cases = [
        records(".", &[]),
        records("none/records.jsonl", &[]),
        records("words.jsonl", &[]),
        records("more-words.jsonl", &[]),
        records("json.jsonl", &[]),
        records("version.jsonl", &[]),
        records("program.jsonl", &[]),
        records("middle.jsonl", &[]),
        records("number.jsonl", &[]),
        records("place.jsonl", &[]),
        records("blocks.jsonl", &[]),
        records("records.jsonl", &["--model", "other"]),
        records("records.jsonl", &["--weights", "int8"]),
        records("records.jsonl", &["--context", "100"]),
        records("records.jsonl", &["--shard", "0/0"]),
        records("records.jsonl", &["--shard", "3/2"]),
        records("records.jsonl", &["--shard", "9/9"]),
        vec!["sweep", "--tokens", "1500", "--shard", "1/2"],
        vec!["sweep", "--tokens", "1500", "--context", "0"],
        vec!["sweep", "--tokens", "1500", "--context", "1000000"],
        vec!["sweep", "--tokens", "1500", "--context", "-5"],
        vec!["sweep", "--preset", "unheard"],
        vec!["sweep", "--engine", "fixed,float"],
        vec!["sweep", "--engine", "gates", "--spec", "classic:q8.8:exp2=exact"],
        vec!["build", "--spec", "classic:q8.8:exp2=exact"],
        vec!["sweep", "merge"],
        vec!["sweep", "merge", "."],
        vec!["sweep", "merge", "none.jsonl"],
        vec!["sweep", "merge", "empty.jsonl"],
        vec!["sweep", "merge", "words.jsonl"],
    ];
    let messages: String = cases.iter().map(|case| refusal(folder.path(), case)).collect();
    assert_snapshot!(messages);
    // Not a byte of a file that is no record was lost.
    assert_eq!(fs::read(folder.path().join("words.jsonl")).expect("a file"), b"these are words");
    let kept = fs::read_to_string(folder.path().join("records.jsonl")).expect("a file");
    assert_eq!(kept, content);
}

#[test]
fn one_document_is_no_plural() {
    let Finished { stdout, .. } = wkv(&["sweep", "--tokens", "1", "--spec", "float"]);
    assert!(stdout.starts_with("stories-1.5m on stories.txt: 1 document, "), "{stdout}");
}

#[test]
fn empty_documents_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = folder.path().join("text.txt");
    fs::write(&text, "<|endoftext|>\nOnce.\n<|endoftext|>\n \n<|endoftext|>\n")
        .expect("it is written");
    let text = text.to_str().expect("a name in UTF-8");
    let Finished { code, stderr, .. } = wkv(&["sweep", "--text", text, "--spec", "float"]);
    assert_eq!(code, Some(0));
    assert_eq!(stderr, "note: text.txt: 2 empty documents left out\n");
}

#[test]
fn ten_documents_give_intervals() {
    let sweep = result(&["sweep", "--tokens", "3000", "--spec", "classic:q8.8"]);
    assert!(sweep["documents"].as_u64() >= Some(10));
    for field in ["perplexity_interval", "perplexity_ratio_interval", "kl_mean_interval"] {
        assert_eq!(arms(&sweep)[0][field].as_array().map(Vec::len), Some(2), "{field}");
    }
}

#[test]
fn a_spec_that_is_named_twice_is_measured_once() {
    let spec = ["--spec", "classic:q8.8", "--spec", "float", "--spec", "classic:q8.8:lut32"];
    let sweep = result(&[&["sweep", "--tokens", "100"][..], &spec].concat());
    let specs: Vec<&Value> = arms(&sweep).iter().map(|arm| &arm["spec"]).collect();
    assert_eq!(specs, ["classic:q8.8", "float"]);
}

/// Finite weights whose predictions are not, in every command that measures.
#[test]
fn undefined_predictions_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let model = common::model_with(folder.path(), "large", "ln_out.weight", 0, 3e38);
    let broken = common::model_with(folder.path(), "block", "blocks.2.ln1.weight", 5, 3e38);
    for (command, model, place) in [
        ("sweep", &model, "large on stories.txt: "),
        ("report", &model, "large on stories.txt: "),
        ("sweep", &broken, "block on stories.txt: "),
        ("range", &broken, "block on stories.txt: "),
    ] {
        let message = refusal(folder.path(), &[command, "--model", model, "--tokens", "1"]);
        assert!(message.contains(place), "{message}");
        assert!(
            message.contains(" not finite; expected a model with weights of the usual size"),
            "{message}"
        );
    }
}

#[test]
fn a_decay_too_large_for_its_use_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let name = "blocks.3.att.time_decay";
    let model = common::model_with(folder.path(), "large", name, 7, 1000.0);
    let message = refusal(folder.path(), &["sweep", "--model", &model]);
    assert!(message.contains(&format!("tensor `{name}` holds 1000 in channel 7")), "{message}");
}

#[test]
fn tables_fit_a_terminal() {
    let Finished { code, stdout, .. } = wkv(&["sweep", "--tokens", "300"]);
    assert_eq!(code, Some(0));
    assert!(stdout.contains("no intervals: they need at least 10 documents"), "{stdout}");
    assert!(stdout.starts_with("stories-1.5m on stories.txt: 2 documents, 528 "), "{stdout}");
    assert!(stdout.lines().all(|line| line.chars().count() <= 100), "{stdout}");
    assert!(stdout.contains("  classic:q8.8:div=exact  "), "{stdout}");
}

#[test]
fn model_and_text_are_read_from_files() {
    let text = "../../text/stories.txt";
    let embedded = result(&["sweep", "--tokens", "300", "--spec", "float"]);
    for model in [MODEL, &format!("{MODEL}/"), &format!("{MODEL}/model.safetensors")] {
        let read = result(&[
            "sweep", "--model", model, "--text", text, "--tokens", "300", "--spec", "float",
        ]);
        assert_eq!(
            (&read["model"], &read["text"]),
            (&"stories-1.5m".into(), &"stories.txt".into())
        );
        assert_eq!(read["arms"], embedded["arms"]);
    }
}

/// A tokenizer with one token fewer.
fn without_last_token(tokenizer: &[u8]) -> Vec<u8> {
    let mut tokenizer: Value = serde_json::from_slice(tokenizer).expect("JSON");
    tokenizer["model"]["merges"].as_array_mut().expect("merges").pop();
    let vocabulary = tokenizer["model"]["vocab"].as_object_mut().expect("tokens by text");
    let last = vocabulary.len() as u64 - 1;
    vocabulary.retain(|_, number| number.as_u64() != Some(last));
    tokenizer.to_string().into_bytes()
}

/// A folder with files that cannot be used.
fn broken(folder: &Path) {
    let read = |name: &str| fs::read(Path::new(MODEL).join(name)).expect("the embedded model");
    let (weights, tokenizer) = (read("model.safetensors"), read("tokenizer.json"));
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be written");
        fs::write(path, bytes).expect("the folder can be written");
    };
    write("truncated/model.safetensors", &weights[..weights.len() / 2]);
    write("truncated/tokenizer.json", &tokenizer);
    write("alone/model.safetensors", &weights);
    write("words/model.safetensors", b"these are words, not weights");
    write("words/tokenizer.json", &tokenizer);
    // The same length: names and types stand in the header.
    let rename = |from: &str, to: &str| {
        let mut weights = weights.clone();
        let place = weights.windows(from.len()).position(|part| part == from.as_bytes());
        let place = place.expect("the header has it");
        weights[place..place + from.len()].copy_from_slice(to.as_bytes());
        weights
    };
    write("misnamed/model.safetensors", &rename("ln_out.weight", "ln_oot.weight"));
    write("misnamed/tokenizer.json", &tokenizer);
    write("unfit/model.safetensors", &weights);
    write("unfit/tokenizer.json", &without_last_token(&tokenizer));
    write("empty.txt", b" \n");
    write("latin.txt", b"caf\xe9");
    write("bad.toml", b"format = \"q8.9\"");
}

#[test]
fn refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    broken(folder.path());
    let cases: [&[&str]; 15] = [
        &["sweep", "--model", "truncated"],
        &["sweep", "--model", "misnamed"],
        &["sweep", "--model", "words"],
        &["sweep", "--model", "alone"],
        &["sweep", "--model", "unfit"],
        &["sweep", "--model", "none.safetensors"],
        &["sweep", "--text", "empty.txt"],
        &["sweep", "--text", "latin.txt"],
        &["sweep", "--text", "none.txt"],
        &["sweep", "--spec", "classic:q8.9"],
        &["sweep", "--spec", "classic:q8.8:lut48"],
        &["sweep", "--spec", "bad.toml"],
        &["sweep", "--engine", "float"],
        &["sweep", "--tokens", "0"],
        &["sweep", "--tokens", "-1"],
    ];
    let messages: String = cases.iter().map(|case| refusal(folder.path(), case)).collect();
    assert_snapshot!(messages);
}
