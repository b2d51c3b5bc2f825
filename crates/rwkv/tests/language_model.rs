//! A model with its tokenizer.

mod common;

use std::fs;

use common::rwkv_cpp::Small;
use rwkv::LanguageModel;
use rwkv::language_model::TokenizerSource;
use serde_json::{Value, json};

fn read(name: &str) -> Vec<u8> {
    fs::read(common::project().join("models/stories-1.5m").join(name)).expect("it is there")
}

#[test]
fn folder_file_and_bytes_are_one_model() {
    let folder = common::small_model();
    let file = common::project().join("models/stories-1.5m/model.safetensors");
    let file = LanguageModel::read(&file).expect("the file loads");
    let bytes =
        LanguageModel::from_bytes("embedded", &read("model.safetensors"), &read("tokenizer.json"))
            .expect("the bytes load");
    for other in [file, bytes] {
        assert_eq!(other.model.sizes(), folder.model.sizes());
        assert_eq!(other.tokenizer.vocabulary(), folder.tokenizer.vocabulary());
    }
}

#[test]
fn tokenizer_of_another_model() {
    let mut tokenizer: Value = serde_json::from_slice(&read("tokenizer.json")).expect("JSON");
    tokenizer["model"]["vocab"]["another"] = json!(2048);
    let tokenizer = tokenizer.to_string();
    let message =
        LanguageModel::from_bytes("embedded", &read("model.safetensors"), tokenizer.as_bytes())
            .expect_err("one token too many")
            .to_string();
    for part in ["embedded/tokenizer.json", "2049 tokens", "embedded/model.safetensors", "2048"] {
        assert!(message.contains(part), "{part:?} is not in {message:?}");
    }
}

#[test]
fn folder_without_a_model() {
    let message =
        LanguageModel::read(&common::project().join("text")).expect_err("no model").to_string();
    assert!(message.contains("model.safetensors: cannot be read"), "{message}");
}

/// A folder of the test's own.
fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("wkv-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn weights_and_tokenizer_of_other_names() {
    let folder = folder("names");
    fs::write(folder.join("tuned.safetensors"), read("model.safetensors")).expect("a file");
    fs::write(folder.join("20B_tokenizer.json"), read("tokenizer.json")).expect("a file");
    let model = LanguageModel::read(&folder).expect("the only checkpoint of the folder");
    assert_eq!(model.tokenizer.vocabulary(), 2048);
    fs::write(folder.join("other.pth"), b"").expect("a file");
    let message = LanguageModel::read(&folder).expect_err("two of them").to_string();
    assert!(message.contains("holds other.pth, tuned.safetensors; expected one"), "{message}");
    let file = folder.join("tuned.safetensors");
    assert!(LanguageModel::read(&file).is_ok());

    let elsewhere = common::project().join("models/stories-1.5m/tokenizer.json");
    fs::remove_file(folder.join("20B_tokenizer.json")).expect("it is there");
    let message = LanguageModel::read(&file).expect_err("no tokenizer").to_string();
    assert!(message.contains("tokenizer.json: cannot be read"), "{message}");
    assert!(LanguageModel::read_with(&file, &TokenizerSource::File(elsewhere)).is_ok());
    let message =
        LanguageModel::read_with(&file, &TokenizerSource::Bytes).expect_err("too few").to_string();
    assert!(message.contains("256 tokens"), "{message}");
    fs::remove_dir_all(folder).expect("it is ours");
}

#[test]
fn bytes_are_the_tokens_of_a_model_without_a_tokenizer() {
    let folder = folder("bytes");
    let mut small = Small::zeros();
    small.header[0] = 256;
    for tensor in &mut small.tensors {
        if ["emb.weight", "head.weight"].contains(&&tensor.name[..]) {
            tensor.shape[1] = 256;
            tensor.bytes = vec![0; 4 * 32 * 256];
        }
    }
    fs::write(folder.join("m.bin"), small.bytes()).expect("a file");
    let model = LanguageModel::read(&folder.join("m.bin")).expect("it loads");
    assert!(model.tokenizer.is_bytes());
    fs::write(folder.join("tokenizer.json"), read("tokenizer.json")).expect("a file");
    let message = LanguageModel::read(&folder.join("m.bin")).expect_err("another's").to_string();
    assert!(message.contains("2048 tokens"), "{message}");
    fs::remove_dir_all(folder).expect("it is ours");
}
