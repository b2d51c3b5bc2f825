//! `wkv convert`.

mod common;

use std::fs;
use std::path::Path;

use common::{Finished, project, refusal, result, wkv_in};
use insta::assert_snapshot;
use serde_json::Value;
use tempfile::TempDir;

const MODEL: &str = "models/stories-1.5m";

/// A folder with the small model's tokenizer.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tokenizer = project().join(MODEL).join("tokenizer.json");
    fs::copy(tokenizer, folder.path().join("tokenizer.json")).expect("a copy");
    folder
}

/// Converts the small model to `name` in `folder`; gives the result and the path.
fn converted(folder: &Path, name: &str, arguments: &[&str]) -> (Value, String) {
    let model = project().join(MODEL).display().to_string();
    let output = folder.join(name).display().to_string();
    (result(&[&["convert", &model, &output], arguments].concat()), output)
}

fn story(model: &str) -> Value {
    result(&["generate", "--model", model, "--tokens", "60", "--seed", "3"])["text"].clone()
}

#[test]
fn every_format_tells_the_same_story() {
    let folder = folder();
    let model = project().join(MODEL).display().to_string();
    let expected = story(&model);
    for (name, arguments) in [
        ("m.pth", &[][..]),
        ("m.bin", &[]),
        ("names.safetensors", &["--names", "hugging-face"]),
        ("base2.safetensors", &["--base2"]),
        ("base2.pth", &["--base2", "--names", "hugging-face"]),
        ("odd.weights", &["--format", "pytorch", "--type", "f32"]),
    ] {
        let (_, path) = converted(folder.path(), name, arguments);
        assert_eq!(story(&path), expected, "{name}");
    }
}

#[test]
fn perplexity_of_a_base_2_file() {
    let folder = folder();
    let sweep = |model: &str| {
        result(&["sweep", "--model", model, "--spec", "float", "--tokens", "600"])["arms"][0]
            ["perplexity"]
            .as_f64()
            .expect("a perplexity")
    };
    let (_, path) = converted(folder.path(), "base2.safetensors", &["--base2"]);
    let (before, after) = (sweep(&project().join(MODEL).display().to_string()), sweep(&path));
    assert!((after / before - 1.0).abs() < 1e-6, "{after} instead of {before}");
}

#[test]
fn tells_what_was_written() {
    let folder = folder();
    let (result, path) = converted(
        folder.path(),
        "m.pth",
        &["--type", "bf16", "--base2", "--names", "hugging-face"],
    );
    assert_eq!(result["output"], path.as_str());
    assert_eq!((&result["format"], &result["names"]), (&"pytorch".into(), &"hugging-face".into()));
    assert_eq!(result["from"]["format"], "safetensors");
    assert_eq!((&result["base2"], &result["parameters"]), (&true.into(), &1_811_200.into()));
    assert_eq!(result["element_types"][0]["type"], "BF16");
    assert_eq!(result["sizes"]["vocabulary"], 2048);

    let Finished { code, stdout, .. } =
        wkv_in(folder.path(), &["convert", "m.pth", "back.safetensors"]);
    assert_eq!(code, Some(0));
    assert_snapshot!(stdout);
}

/// A file that is there already stays as it was, and no other is left.
#[test]
fn nothing_is_left_of_a_failure() {
    let folder = folder();
    let model = common::model_with(folder.path(), "large", "ln_out.weight", 0, 1e6);
    fs::write(folder.path().join("m.safetensors"), "before").expect("a file");
    let arguments = ["convert", &model, "m.safetensors", "--type", "f16"];
    let message = refusal(folder.path(), &arguments);
    let expected = "tensor `ln_out.weight` holds 1000000 at element 0, which F16 cannot hold";
    assert!(message.contains(expected), "{message}");
    assert_eq!(common::files(folder.path()), ["large", "m.safetensors", "tokenizer.json"]);
    let kept = fs::read(folder.path().join("m.safetensors")).expect("it is there");
    assert_eq!(kept, b"before");
}

#[test]
fn refused() {
    let folder = folder();
    let write = |name: &str, bytes: &[u8]| {
        fs::write(folder.path().join(name), bytes).expect("the folder can be written");
    };
    write("words.pth", b"these are words, not weights");
    fs::create_dir(folder.path().join("two")).expect("a folder");
    write("two/a.pth", b"");
    write("two/b.bin", b"");
    let model = project().join(MODEL);
    std::os::unix::fs::symlink(model, folder.path().join("small")).expect("a link");
    let cases: [&[&str]; 10] = [
        &["convert", "small", "m.gguf"],
        &["convert", "small", "m"],
        &["convert", "small", "-"],
        &["convert", "small", "m.bin", "--base2"],
        &["convert", "small", "m.bin", "--type", "bf16"],
        &["convert", "small", "m.bin", "--names", "hugging-face"],
        &["convert", "small", "m.pth", "--type", "f64"],
        &["convert", "words.pth", "m.safetensors"],
        &["convert", "two", "m.safetensors"],
        &["convert", "none", "m.safetensors"],
    ];
    let messages: String = cases.iter().map(|case| refusal(folder.path(), case)).collect();
    assert_snapshot!(messages);
    assert_eq!(common::files(folder.path()), ["small", "tokenizer.json", "two", "words.pth"]);
}

/// The test model of rwkv.cpp has no tokenizer: its tokens are bytes.
#[test]
fn bytes_as_vocabulary() {
    let shared = std::env::var_os("WKV_SHARED")
        .map_or_else(|| project().join("../shared"), std::path::PathBuf::from);
    let model = shared.join("models/rwkv-cpp-tiny/tiny-rwkv-4v0-660K-FP32.bin");
    if !model.exists() {
        eprintln!("skipped: {} of the shared material is not at hand", model.display());
        return;
    }
    let folder = folder();
    let model = model.display().to_string();
    let arguments = ["generate", "--model", &model, "--prompt", "in", "--tokens", "3"];
    let Finished { code, stderr, .. } = wkv_in(folder.path(), &arguments);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("note: tiny-rwkv-4v0-660K-FP32 has no tokenizer"), "{stderr}");
    let told = [&arguments[..], &["--tokenizer", "bytes"]].concat();
    assert_eq!(wkv_in(folder.path(), &told).stderr, "");
    let message =
        refusal(folder.path(), &[&arguments[..], &["--tokenizer", "tokenizer.json"]].concat());
    assert!(message.contains("the tokenizer has 2048 tokens"), "{message}");
}
