//! A model with its tokenizer.

mod common;

use std::fs;

use rwkv::LanguageModel;
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
