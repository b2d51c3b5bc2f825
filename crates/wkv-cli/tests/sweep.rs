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
    let [float, q8_8, .., q6_10, q10_6] = &arms(&sweep)[..] else { panic!("seven arms") };
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
fn one_document_is_no_plural() {
    let Finished { stdout, .. } = wkv(&["sweep", "--tokens", "1", "--spec", "float"]);
    assert!(stdout.starts_with("stories-1.5m on stories.txt: 1 document, "), "{stdout}");
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
