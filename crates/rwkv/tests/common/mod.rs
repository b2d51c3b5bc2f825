//! Models and texts that the tests share.

// Each test file uses a part of this.
#![allow(dead_code)]

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

/// The tokenized documents of the project's text.
pub fn stories(language_model: &LanguageModel) -> Vec<Vec<u32>> {
    documents(language_model, &project().join("text/stories.txt"))
}

/// The tokenized documents of a file.
pub fn documents(language_model: &LanguageModel, path: &Path) -> Vec<Vec<u32>> {
    let documents = rwkv::text::read(path).expect("the text is readable");
    language_model.encode_documents(&documents).expect("every document has tokens")
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
