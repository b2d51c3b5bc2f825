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

/// What a file would add around a text is left out.
#[test]
fn documents_keep_their_ends() {
    let path = common::project().join("models/stories-1.5m/tokenizer.json");
    let mut file: Value = serde_json::from_slice(&fs::read(path).expect("bytes")).expect("JSON");
    file["post_processor"] = json!({
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<|endoftext|>", "type_id": 0}},
                   {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<|endoftext|>":
            {"id": "<|endoftext|>", "ids": [0], "tokens": ["<|endoftext|>"]}},
    });
    let tokenizer = Tokenizer::from_bytes("t.json", file.to_string().as_bytes()).expect("valid");
    let tokens = TOKENIZER.encode("Once upon a time").expect("tokens");
    assert_eq!(tokenizer.encode("Once upon a time").expect("tokens"), tokens);
}

/// A file of the structure of GPT-NeoX's `20B_tokenizer.json`: two special tokens first, the 256 bytes,
/// a few merges in the old spelling, and runs of spaces as added tokens at the end.
fn like_20b() -> Tokenizer {
    let mut tokens = vec!["<|endoftext|>".to_owned(), "<|padding|>".to_owned()];
    let printable = |byte: &u8| matches!(byte, 33..=126 | 161..=172 | 174..=255);
    let mut others = 256..;
    tokens.extend((0..=255u8).map(|byte| {
        let code = if printable(&byte) { byte.into() } else { others.next().expect("a code") };
        char::from_u32(code).expect("a character").to_string()
    }));
    let merges = ["Ġ Ġ", "ĠĠ ĠĠ", "h e", "t he", "Ġ the", "Ã ©"];
    tokens.extend(merges.iter().map(|merge| merge.replace(' ', "")));
    let vocabulary: Value =
        tokens.iter().enumerate().map(|(id, token)| (token.clone(), json!(id))).collect();
    let added = |id: usize, content: &str, special: bool| {
        json!({"id": id, "special": special, "content": content, "single_word": false,
               "lstrip": false, "rstrip": false, "normalized": !special})
    };
    let mut added_tokens = vec![added(0, &tokens[0], true), added(1, &tokens[1], true)];
    let spaces = (2..=24).rev().enumerate();
    added_tokens.extend(spaces.map(|(i, n)| added(tokens.len() + i, &" ".repeat(n), false)));
    let byte_level = json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true});
    let file = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": added_tokens,
        "normalizer": {"type": "NFC"}, "pre_tokenizer": byte_level, "post_processor": byte_level,
        "decoder": byte_level,
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "vocab": vocabulary, "merges": merges,
        },
    });
    Tokenizer::from_bytes("20B_tokenizer.json", file.to_string().as_bytes()).expect("it loads")
}

#[test]
fn tokenizer_of_the_pile_models() {
    let tokenizer = like_20b();
    let known = 2 + 256 + 6;
    assert_eq!(tokenizer.vocabulary(), known + 23);
    let tokens = |text: &str| tokenizer.encode(text).expect("tokens");
    assert_eq!(tokens("<|endoftext|>"), [0]);
    assert_eq!(tokens("the the"), [known as u32 - 3, known as u32 - 2]);
    // Runs of spaces are tokens of their own.
    assert_eq!(tokens(&" ".repeat(24)), [known as u32]);
    // A letter and its accent are one character.
    assert_eq!(tokens("e\u{301}"), [known as u32 - 1]);
    for text in ["the cafe\u{301}", "if x:\n        return", "\u{1f422}\u{0}\u{7f}"] {
        let composed = text.replace("e\u{301}", "\u{e9}");
        assert_eq!(tokenizer.decode(&tokens(text)).expect("text"), composed);
    }
    assert_eq!(tokenizer.decode(&[0, 1]).expect("nothing"), "");
}

#[test]
fn bytes_as_tokens() {
    let tokenizer = Tokenizer::bytes();
    assert_eq!(tokenizer.vocabulary(), 256);
    assert_eq!(tokenizer.encode("\"in").expect("bytes"), [34, 105, 110]);
    assert_eq!(tokenizer.decode(&[0, 104, 105, 0, 300, 0xFF]).expect("text"), "hi\u{fffd}");
    let message = tokenizer.check_vocabulary("m.bin", 2048).expect_err("too few").to_string();
    assert!(message.contains("the byte vocabulary: the tokenizer has 256 tokens"), "{message}");

    let mut stream = tokenizer.stream();
    let mut heard = |tokens: &[u32]| -> Vec<String> {
        tokens.iter().map(|&token| stream.push(token).expect("text")).collect()
    };
    let turtle = "\u{1f422}".bytes().map(u32::from).collect::<Vec<_>>();
    assert_eq!(heard(&turtle), ["", "", "", "\u{1f422}"]);
    // What never becomes a character is not held back.
    assert_eq!(heard(&[0xC3, 0x28, 0xFF, 97]), ["", "\u{fffd}(", "\u{fffd}", "a"]);
}
