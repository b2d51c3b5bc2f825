//! `wkv site`.

mod common;

use std::fs;

use common::{project, refusal, result};

/// Whether the pages' code was built; says so if not.
fn is_built() -> bool {
    let built = project().join("crates/wkv-web/pages/wasm/circuits_bg.wasm").exists();
    if !built {
        println!("skipped: scripts/build-web was not run");
    }
    built
}

#[test]
fn the_pages_are_written_with_models_and_streams() {
    if !is_built() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("in/a folder");
    let written = result(&["site", "--out", &out.display().to_string()]);
    let paths = written["paths"].as_array().expect("paths");
    assert_eq!(written["files"].as_u64(), Some(paths.len() as u64));
    let sizes = paths.iter().map(|path| {
        let path = path.as_str().expect("a path");
        fs::metadata(path).expect("the file").len()
    });
    assert_eq!(written["bytes"].as_u64(), Some(sizes.sum()));
    for name in ["index.html", "recorded/block-5.bin", "models/stories-1.5m/model.safetensors"] {
        assert!(out.join(name).exists(), "{name}");
    }
    // 128 channels, 256 tokens, keys and values.
    let block = fs::metadata(out.join("recorded/block-0.bin")).expect("the file").len();
    assert_eq!(block, 128 * 256 * 2 * 4);
    let story = fs::read_to_string(out.join("index.html")).expect("the story");
    assert!(!story.contains("{{"), "every place is filled");
}

#[test]
fn two_models_of_one_name_are_refused() {
    if !is_built() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let model = project().join("models/stories-1.5m").display().to_string();
    let out = folder.path().join("out").display().to_string();
    let message = refusal(folder.path(), &["site", "--out", &out, "--model", &model]);
    assert!(message.contains("the second model of the name stories-1.5m"), "{message}");
    assert!(!folder.path().join("out").exists());
}
