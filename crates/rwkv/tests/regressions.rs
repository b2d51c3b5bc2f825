//! Files that fuzzing found: accepted, taken for something else, or the cause of a panic.

use std::path::{Path, PathBuf};

use rwkv::{Checkpoint, Tokenizer, text};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regressions").join(name)
}

/// The message that refuses a file of `tests/regressions`.
fn refusal(name: &str) -> String {
    let file = file(name);
    let message = match file.extension().and_then(|extension| extension.to_str()) {
        Some("safetensors") => Checkpoint::read(&file).expect_err(name).to_string(),
        _ => Tokenizer::read(&file).expect_err(name).to_string(),
    };
    assert!(message.contains(name), "{message}");
    message
}

#[track_caller]
fn assert_refused(name: &str, reason: &str) {
    let message = refusal(name);
    assert!(message.contains(reason), "{message}");
}

#[test]
fn sizes_past_64_bits() {
    assert_refused("sizes-past-64-bits.safetensors", "but its header describes 184467440737095516");
}

#[test]
fn repeated_name() {
    assert_refused("repeated-name.safetensors", "`emb.weight` is in its header twice");
}

#[test]
fn merge_longer_than_tokens() {
    assert_refused("merge-longer-than-tokens.json", "a merge gives \"abab\", which is no token");
}

#[test]
fn token_shorter_than_prefix() {
    assert_refused("token-shorter-than-prefix.json", "its tokens have prefixes or suffixes");
}

#[test]
fn deep_decoder() {
    assert_refused("deep-decoder.json", "recursion limit exceeded");
}

#[test]
fn indented_end() {
    // Trimmed, the second document would have become the token that ends documents.
    assert_eq!(
        text::read(&file("indented-end.txt")).expect("two documents").texts,
        ["One.", "Two."]
    );
}
