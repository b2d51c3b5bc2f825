//! Damaged weights, tokenizers and texts. `scripts/fuzz` runs this for longer.

mod common;
#[path = "../../wkv/tests/common/mutation.rs"]
mod mutation;

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use common::pytorch;
use common::rwkv_cpp::Small;
use common::weights::Weights;
use mutation::{changed, changes, edited, edits};
use proptest::prelude::*;
use rwkv::checkpoint::Sizes;
use rwkv::{Checkpoint, Tokenizer, text};
use serde_json::{Value, json};

const FILE: &str = "hostile.file";

/// The error, which must name the file and stay readable.
fn named<T, E: std::fmt::Display>(result: Result<T, E>) -> Option<T> {
    result.map_err(|error| assert!(error.to_string().contains(FILE), "{error}")).ok()
}

/// Weights that load have the sizes that they tell, and finite numbers.
fn check_weights(bytes: &[u8]) {
    let Some(checkpoint) = named(Checkpoint::from_bytes(FILE, bytes)) else { return };
    let Sizes { blocks, channels, vocabulary, feed_forward } = checkpoint.sizes;
    assert_eq!(checkpoint.embedding.len(), vocabulary * channels);
    assert_eq!(checkpoint.head.len(), vocabulary * channels);
    assert_eq!(checkpoint.blocks.len(), blocks);
    for block in &checkpoint.blocks {
        assert_eq!(block.channel_mix.key.len(), feed_forward * channels);
        assert_eq!(block.time_mix.key.len(), channels * channels);
        assert!(block.time_mix.time_decay.iter().all(|decay| decay.is_finite()));
    }
}

/// A tokenizer that loads takes any text and any tokens, or names its file.
fn check_tokenizer(bytes: &[u8]) {
    let Some(tokenizer) = named(Tokenizer::from_bytes(FILE, bytes)) else { return };
    named(tokenizer.check_vocabulary("m.safetensors", 2048).map_err(|error| error.to_string()));
    for text in ["", "Once upon a time, ", "a\u{1f422} \u{1}\n\n<|endoftext|>é", "aaaaaaaaaaaaaaaa"]
    {
        if let Some(tokens) = named(tokenizer.encode(text)) {
            named(tokenizer.decode(&tokens));
        }
    }
    let mut stream = tokenizer.stream();
    for token in [0, 1, 255, 2047, 2048, u32::MAX] {
        named(tokenizer.decode(&[token, token]));
        named(stream.push(token));
    }
}

/// What PyTorch wrote.
static ARCHIVE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/views.pth");
    let bytes = fs::read(path).expect("a fixture");
    check_weights(&bytes);
    bytes
});

static TOKENIZER: LazyLock<Value> = LazyLock::new(|| {
    let path = common::project().join("models/stories-1.5m/tokenizer.json");
    serde_json::from_slice(&fs::read(path).expect("the project's tokenizer")).expect("JSON")
});

/// Parts that the project's tokenizer does not have, but that a file may ask for.
fn parts() -> impl Strategy<Value = (&'static str, Value)> {
    let byte_level = json!({"type": "ByteLevel", "add_prefix_space": true, "use_regex": false});
    let model = json!({
        "type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "<0x62>": 3}, "merges": ["a b"],
        "continuing_subword_prefix": "", "end_of_word_suffix": "", "byte_fallback": true,
        "unk_token": "a", "fuse_unk": true, "ignore_merges": true, "dropout": 0.5,
    });
    let added = json!([
        {"id": 7, "content": "a ", "single_word": true, "lstrip": true, "rstrip": true,
         "normalized": true, "special": false},
    ]);
    let charsmap = json!({"type": "Precompiled", "precompiled_charsmap": "BAAAAAEAAAAAAAAA"});
    let unigram = json!({"type": "Unigram", "unk_id": 0, "vocab": [["a", 0.0]]});
    let parts = vec![
        ("normalizer", json!({"type": "NFC"})),
        ("normalizer", charsmap),
        ("pre_tokenizer", byte_level.clone()),
        ("post_processor", byte_level.clone()),
        ("decoder", byte_level),
        ("model", model),
        ("model", unigram),
        ("added_tokens", added),
    ];
    prop::sample::select(parts)
}

proptest! {
    #[test]
    fn damaged_headers_of_weights(
        changes in changes(),
        length in prop_oneof![4 => Just(None), 1 => any::<u64>().prop_map(Some)],
        data in prop::option::of(0..5000usize),
    ) {
        let mut weights = Weights::small();
        weights.header = changed(&weights.header, &changes);
        if let Some(length) = data {
            weights.data.resize(length, 0xFF);
        }
        check_weights(&weights.bytes(length));
    }

    #[test]
    fn damaged_bytes_of_weights(edits in edits(), header_only: bool) {
        let weights = Weights::small();
        let bytes = if header_only {
            weights.bytes_with(&edited(weights.header.to_string().as_bytes(), &edits))
        } else {
            edited(&weights.bytes(None), &edits)
        };
        check_weights(&bytes);
    }

    #[test]
    fn damaged_archives(edits in edits()) {
        check_weights(&edited(&ARCHIVE, &edits));
    }

    #[test]
    fn damaged_pickles(edits in edits()) {
        let mut files = pytorch::files(&ARCHIVE);
        let pickle = files.iter_mut().find(|(name, _)| name.ends_with("data.pkl"));
        let (_, pickle) = pickle.expect("a pickle");
        *pickle = edited(pickle, &edits);
        let files: Vec<_> = files.iter().map(|(name, bytes)| (&name[..], &bytes[..])).collect();
        check_weights(&pytorch::archive(&files));
    }

    #[test]
    fn damaged_files_of_rwkv_cpp(edits in edits(), data_type in 0..10u32) {
        let mut small = Small::zeros();
        if let Some(tensor) = small.tensors.last_mut() {
            tensor.data_type = data_type;
        }
        check_weights(&edited(&small.bytes(), &edits));
    }

    #[test]
    fn damaged_tokenizers(part in prop::option::of(parts()), changes in changes()) {
        let mut file = TOKENIZER.clone();
        if let Some((name, part)) = part {
            file[name] = changed(&part, &changes);
        } else {
            file = changed(&file, &changes);
        }
        check_tokenizer(file.to_string().as_bytes());
    }

    #[test]
    fn damaged_bytes_of_tokenizers(edits in edits()) {
        let mut small = TOKENIZER.clone();
        small["model"]["vocab"] = json!({"a": 1, "b": 2, "ab": 3});
        small["model"]["merges"] = json!([["a", "b"]]);
        check_tokenizer(&edited(small.to_string().as_bytes(), &edits));
    }

    #[test]
    fn damaged_texts(edits in edits()) {
        let bytes = edited("One.\n<|endoftext|>\n\u{1f422} two\n<|endoftext|>\n".as_bytes(), &edits);
        let Some(documents) = named(text::documents(FILE, &bytes)) else { return Ok(()) };
        prop_assert!(!documents.texts.is_empty());
        for document in documents.texts {
            prop_assert!(!document.is_empty() && document.trim() == document);
            prop_assert!(document.lines().all(|line| line.trim() != text::END_OF_TEXT));
        }
    }
}
