//! Models and texts that the tests share.

// Each test file uses a part of this.
#![allow(dead_code)]

pub mod pytorch;
pub mod rwkv_cpp;
pub mod weights;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use rwkv::LanguageModel;
use rwkv::eval::Progress;

/// The top folder of the project.
pub fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The small model of the project.
pub fn small_model() -> LanguageModel {
    LanguageModel::read(&project().join("models/stories-1.5m")).expect("the project's model loads")
}

/// The small model with a finite weight so large that its logits are not finite.
pub fn undefined_model() -> LanguageModel {
    let folder = project().join("models/stories-1.5m");
    let read = |name: &str| std::fs::read(folder.join(name)).expect("the project's model");
    let mut weights = read("model.safetensors");
    let length = u64::from_le_bytes(*weights.first_chunk().expect("a length")) as usize;
    let header: serde_json::Value = serde_json::from_slice(&weights[8..][..length]).expect("JSON");
    let offset = header["ln_out.weight"]["data_offsets"][0].as_u64().expect("an offset");
    weights[8 + length + offset as usize..][..4].copy_from_slice(&3e38f32.to_le_bytes());
    LanguageModel::from_bytes("large", &weights, &read("tokenizer.json")).expect("it loads")
}

/// The tokenized documents of the project's text.
pub fn stories(language_model: &LanguageModel) -> Vec<Vec<u32>> {
    documents(language_model, &project().join("text/stories.txt"))
}

/// The tokenized documents of a file.
pub fn documents(language_model: &LanguageModel, path: &Path) -> Vec<Vec<u32>> {
    let documents = rwkv::text::read(path).expect("the text is readable");
    language_model.encode_documents(&documents.texts).expect("every document has tokens")
}

/// A file of the shared material, or nothing, with a word on it, where that is not at hand.
pub fn shared(path: &str) -> Option<PathBuf> {
    let root =
        std::env::var_os("WKV_SHARED").map_or_else(|| project().join("../shared"), PathBuf::from);
    let file = root.join(path);
    if file.exists() {
        return Some(file);
    }
    eprintln!("skipped: {path} is not at hand; WKV_SHARED names the folder that has it");
    None
}

/// A progress callback that never stops.
pub fn go_on(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}
