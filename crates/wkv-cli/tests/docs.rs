//! The generated page of the documentation.

mod common;

use std::path::Path;

use common::{result, wkv};

#[test]
fn page_of_cells_is_up_to_date() {
    is_up_to_date("cells.md", &["docs"]);
}

/// The page says what the results say; the tools are not run again.
#[test]
fn page_of_silicon_is_up_to_date() {
    is_up_to_date("silicon.md", &["docs", "--silicon", "../../docs/silicon.jsonl"]);
}

/// Likewise; the models are not run again.
#[test]
fn page_of_claims_is_up_to_date() {
    is_up_to_date("claims.md", &["docs", "--claims", "../../docs/claims.jsonl"]);
}

/// The page names what ABC makes of the circuits; the tools of the iCE40 are not run again.
#[test]
fn page_of_mappings_is_up_to_date() {
    let found = std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|folder| folder.join("berkeley-abc").is_file())
    });
    match found {
        true => is_up_to_date("mapping.md", &["docs", "--mapping", "../../docs/mapping.jsonl"]),
        false => println!("skipped: berkeley-abc is not installed"),
    }
}

#[track_caller]
fn is_up_to_date(page: &str, arguments: &[&str]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    let generated = wkv(arguments).stdout;
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &generated).expect("the page can be written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == generated,
        "docs/{page} is out of date; run `UPDATE=1 cargo test -p wkv-cli --test docs`"
    );
}

#[test]
fn no_cell_is_larger_or_deeper_than_published() {
    let page = result(&["docs"]);
    let cells = page["cells"].as_array().expect("a list");
    let published = cells.iter().filter(|cell| !cell["published"].is_null());
    for cell in published.clone() {
        for figure in ["gates", "registers", "depth"] {
            let (ours, theirs) = (&cell["size"][figure], &cell["published"][figure]);
            assert!(ours.as_u64() <= theirs.as_u64(), "{cell}");
        }
    }
    assert_eq!(published.count(), 17);
}
