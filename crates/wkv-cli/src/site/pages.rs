//! The pages themselves, part of the program.

use std::collections::BTreeMap;

use axum::body::Bytes;
use rust_embed::RustEmbed;

use super::bytes;
use crate::failure::Failure;

#[derive(RustEmbed)]
#[folder = "../wkv-web/pages"]
#[exclude = "*.d.ts"]
struct Pages;

/// What `scripts/build-web` adds to the pages, and they can't do without.
const BUILT: &str = "wasm/circuits_bg.wasm";

/// The pages' files by path.
///
/// # Errors
/// If the program was built before the code that the pages run.
pub fn files() -> Result<BTreeMap<String, Bytes>, Failure> {
    if Pages::get(BUILT).is_none() {
        return Err(Failure::input(
            "this wkv was built without the code that its pages run; expected scripts/build-web to \
             be run first, and wkv to be built again",
        ));
    }
    let file = |path: &str| bytes(Pages::get(path).expect("every path is a file's").data);
    Ok(Pages::iter().map(|path| (path.to_string(), file(&path))).collect())
}
