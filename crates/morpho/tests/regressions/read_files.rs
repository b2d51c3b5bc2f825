//! Malformed netlists, one file each in `read`, and what is said about them.

use std::path::Path;

use morpho::format::{self, Format, ReadOptions};

#[test]
fn malformed_files_are_explained() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regressions/read");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    files.sort();
    for path in files {
        let file = path.file_name().and_then(|name| name.to_str()).expect("it is text").to_string();
        let format = match path.extension().and_then(|extension| extension.to_str()) {
            Some("blif") => Format::Blif,
            Some("v") => Format::Verilog,
            Some("json") => Format::YosysJson,
            Some("aig") => Format::Aiger,
            Some("aag") => Format::AigerAscii,
            _ => continue,
        };
        let bytes = std::fs::read(&path).expect("it can be read");
        let options = ReadOptions { file: file.clone(), top: None };
        let problems = format::read(&bytes, format, &options).expect_err(&file);
        insta::assert_snapshot!(file, problems.to_string());
    }
}
