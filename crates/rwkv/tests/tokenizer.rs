//! Text to tokens and back.

mod common;

use std::fs;
use std::sync::LazyLock;

use proptest::prelude::*;
use rwkv::Tokenizer;
use serde_json::{Value, json};

static TOKENIZER: LazyLock<Tokenizer> = LazyLock::new(|| {
    let path = common::project().join("models/stories-1.5m/tokenizer.json");
    Tokenizer::read(&path).expect("the project's tokenizer")
});

/// What a listener hears of tokens that come one by one.
fn heard(tokens: &[u32]) -> Vec<String> {
    let mut stream = TOKENIZER.stream();
    tokens.iter().map(|&token| stream.push(token).expect("a token of the vocabulary")).collect()
}

#[test]
fn known_tokens() {
    assert_eq!(TOKENIZER.vocabulary(), 2048);
    let tokens = TOKENIZER.encode("Once upon a time").expect("tokens");
    let pieces: Vec<String> =
        tokens.iter().map(|&token| TOKENIZER.decode(&[token]).expect("text")).collect();
    assert_eq!(pieces, ["Once", " upon", " a", " time"]);
    assert_eq!(TOKENIZER.encode("").expect("none"), [0u32; 0]);
    assert_eq!(TOKENIZER.encode("<|endoftext|>").expect("one"), [0]);
    assert_eq!(TOKENIZER.decode(&[0]).expect("nothing"), "");
}

proptest! {
    #[test]
    fn decoding_gives_the_text_back(text in "\\PC{0,40}") {
        // U+FFFD stands for incomplete bytes, so a stream holds it back.
        prop_assume!(!text.contains("<|endoftext|>") && !text.contains('\u{fffd}'));
        let tokens = TOKENIZER.encode(&text).expect("tokens");
        prop_assert_eq!(&TOKENIZER.decode(&tokens).expect("text"), &text);
        prop_assert_eq!(heard(&tokens).concat(), text);
    }
}

#[test]
fn incomplete_characters_are_held_back() {
    let tokens = TOKENIZER.encode("a\u{1f422}b").expect("tokens");
    assert_eq!(tokens.len(), 6, "four bytes of a turtle, between two letters");
    assert_eq!(heard(&tokens), ["a", "", "", "", "\u{1f422}", "b"]);
}

#[test]
fn not_a_tokenizer() {
    let error = Tokenizer::from_bytes("t.json", b"{\"version\": 1}").expect_err("no tokenizer");
    let message = error.to_string();
    assert!(message.starts_with("t.json: not a tokenizer: "), "{message}");
    let missing = common::project().join("models/none.json");
    let message = Tokenizer::read(&missing).expect_err("no file").to_string();
    assert!(message.contains("none.json: cannot be read"), "{message}");
}

#[test]
fn wrong_vocabulary() {
    assert!(TOKENIZER.check_vocabulary("m.safetensors", 2048).is_ok());
    for model in [2000, 4096] {
        let message = TOKENIZER
            .check_vocabulary("m.safetensors", model)
            .expect_err("another model")
            .to_string();
        for part in ["tokenizer.json", "2048 tokens", "m.safetensors", &format!("of {model};")] {
            assert!(message.contains(part), "{part:?} is not in {message:?}");
        }
    }
}

/// A file that asks for padding and truncation does not change documents.
#[test]
fn documents_keep_their_length() {
    let path = common::project().join("models/stories-1.5m/tokenizer.json");
    let mut file: Value = serde_json::from_slice(&fs::read(path).expect("bytes")).expect("JSON");
    file["truncation"] = json!({
        "direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0,
    });
    file["padding"] = json!({
        "strategy": {"Fixed": 8}, "direction": "Right", "pad_to_multiple_of": null,
        "pad_id": 0, "pad_type_id": 0, "pad_token": "<|endoftext|>",
    });
    let tokenizer = Tokenizer::from_bytes("t.json", file.to_string().as_bytes()).expect("valid");
    assert_eq!(tokenizer.encode("Once upon a time").expect("tokens").len(), 4);
    assert_eq!(tokenizer.encode("Once").expect("tokens").len(), 1);
}
