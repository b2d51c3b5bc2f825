//! `wkv report`.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use common::{Finished, files, refusal, wkv_in};
use insta::assert_snapshot;
use serde_json::Value;

/// A report on the first documents; gives the result.
#[track_caller]
fn report(folder: &Path, out: &str) -> Value {
    let Finished { code, stdout, stderr } =
        wkv_in(folder, &["report", "--tokens", "300", "--out", out, "--json", "-"]);
    assert_eq!(code, Some(0), "{stderr}");
    serde_json::from_str(&stdout).expect("standard output holds JSON only")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[track_caller]
fn assert_fields(object: &Value, fields: &str) {
    for field in fields.split(' ') {
        assert!(!object[field].is_null(), "{field} is missing in {object}");
    }
}

#[test]
fn everything_is_written_over_what_was_there() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("new/report");
    fs::create_dir_all(&out).expect("the folder can be written");
    for old in ["report.html", "report.json", "wkv_cell.v"] {
        fs::write(out.join(old), "old").expect("the folder can be written");
    }
    let result = report(folder.path(), "new/report");
    assert_result(&result);
    assert_files(folder.path(), &result);
    assert_page(&read(out.join("report.html")), &result);
    assert!(read(out.join("wkv_cell.v")).contains("module wkv_cell"));
}

/// The fields that scripts rely on, and that they agree with each other.
fn assert_result(result: &Value) {
    assert_fields(result, "committed why sweep build verify stories files");
    assert_fields(&result["sweep"], "model text tokens arms");
    let arms = result["sweep"]["arms"].as_array().expect("arms");
    assert!(arms.len() > 7);
    assert!(result["sweep"]["tokens"].as_u64() >= Some(300));

    let build = &result["build"];
    assert_fields(build, "spec unit gates registers depth by_arity hierarchy files");
    assert_eq!((&build["spec"], &build["unit"]), (&result["committed"], &"cell".into()));
    assert_eq!(build["registers"], 48);
    let inventory = build["inventory"].as_array().expect("an inventory").iter();
    let gates: u64 = inventory.map(|line| line["gates"].as_u64().expect("gates")).sum();
    assert_eq!(build["gates"], gates);
    let cell = build["units"].as_array().expect("units").last().expect("the cell");
    assert_eq!(cell["committed"]["gates"], gates);
    assert_eq!(cell["published"]["gates"], 7201);

    assert_eq!(result["verify"]["held"], true);
    assert_eq!(result["verify"]["spec"], result["committed"]);
    assert_eq!(result["model_run"]["mismatches"], 0);
    assert_eq!(result["model_run"]["tokens"], result["sweep"]["tokens"]);

    let candidates = result["candidates"].as_array().expect("candidates");
    assert!(candidates.iter().any(|candidate| candidate["spec"] == result["committed"]));
    // The float model and the arm with an exact exponential have no circuit.
    assert_eq!(candidates.len() + 2, arms.len());
    assert!(result["why"].as_str().expect("a text").contains(text(&result["committed"])));

    let stories = &result["stories"];
    let parts = |teller: &str| {
        let parts = &stories[format!("{teller}_parts")];
        ["shared", "first_different", "rest"].map(|part| text(&parts[part])).concat()
    };
    assert_eq!(parts("float"), text(&stories["float"]));
    assert_eq!(parts("circuit"), text(&stories["circuit"]));
    assert_eq!(stories["float_parts"]["shared"], stories["circuit_parts"]["shared"]);
}

/// The files of the result, which are those that there are.
fn assert_files(folder: &Path, result: &Value) {
    let paths = result["files"].as_array().expect("files").iter().map(text);
    let names: BTreeSet<String> =
        paths.map(|path| path.strip_prefix("new/report/").expect("a path").to_owned()).collect();
    let found: BTreeSet<String> = files(&folder.join("new/report")).into_iter().collect();
    assert_eq!(names, found);
    for expected in ["report.html", "report.json", "wkv_cell.blif", "wkv_exp2.v"] {
        assert!(names.contains(expected), "{expected}");
    }
    let arms = result["sweep"]["arms"].as_array().expect("arms");
    for picture in ["formats.svg", "errors.svg", "positions.svg", "saturations.svg", "spectrum.svg"]
    {
        let picture = read(folder.join("new/report").join(picture));
        assert_closes(&picture);
        for words in ["<title>", "<desc>", "role=\"img\""] {
            assert!(picture.contains(words), "{words}");
        }
        assert!(!picture.contains("NaN"));
    }
    let picture = |name: &str| read(folder.join("new/report").join(name));
    assert_formats(&picture("formats.svg"), arms);
    assert_spectrum(&picture("spectrum.svg"), &result["spectrum"]);
    assert_positions(&picture("positions.svg"), arms);
    assert_saturations(&picture("saturations.svg"), arms);
    let json: Value = serde_json::from_str(&read(folder.join("new/report/report.json")))
        .expect("the report is JSON");
    assert_eq!(json["committed"], result["committed"]);
    assert_eq!(json["sweep"], result["sweep"]);
}

/// The texts that a picture shows, without its title and description.
fn shown(picture: &str) -> Vec<&str> {
    let texts = picture.split("<text").skip(1).filter_map(|rest| rest.split_once('>'));
    texts.filter_map(|(_, rest)| Some(rest.split('<').next()?.trim())).collect()
}

/// Every format has its row, and its figures in words.
fn assert_formats(picture: &str, arms: &[Value]) {
    for spec in arms.iter().map(|arm| text(&arm["spec"])).filter(|spec| *spec != "float") {
        assert_eq!(shown(picture).iter().filter(|text| **text == spec).count(), 1, "{spec}");
        assert!(picture.contains(&format!("{spec}: perplexity")), "{spec}");
    }
}

/// A bar for every bin that holds a channel, beside the paper itself.
fn assert_spectrum(picture: &str, spectrum: &Value) {
    let blocks = spectrum["by_block"].as_array().expect("blocks");
    let bins = blocks.iter().flat_map(|block| block["histogram"].as_array().expect("bins"));
    let full = bins.filter(|count| count.as_u64() != Some(0)).count();
    assert_eq!(picture.matches("<rect").count(), full + 1);
    for block in 0..blocks.len() {
        assert!(shown(picture).contains(&&*format!("block {block}")), "{block}");
    }
}

/// A line for every block in both panels, which start at ever later tokens.
fn assert_positions(picture: &str, arms: &[Value]) {
    let blocks = arms[0]["by_block"].as_array().expect("blocks").len();
    let names = shown(picture).into_iter().filter(|text| text.starts_with("block ")).count();
    assert_eq!(names, blocks);
    let mut places = shown(picture).into_iter().filter_map(|text| text.parse::<u64>().ok());
    let start = |_: &Value| places.next();
    let starts = arms[0]["by_position"].as_array().expect("positions").iter().filter_map(start);
    assert!(starts.is_sorted_by(|a, b| a < b));
}

/// Every block in which a register of Q6.10 saturated, with the count, and no other format's.
fn assert_saturations(picture: &str, arms: &[Value]) {
    let arm = arms.iter().find(|arm| arm["spec"] == "classic:q6.10").expect("a published arm");
    let mut places = 0;
    for block in arm["by_block"].as_array().expect("blocks") {
        for register in ["num", "den", "out", "aa", "bb"] {
            let count = block["saturations_by_register"][register].as_u64().expect("a count");
            let words = format!("classic:q6.10, block {}, {register}: {count}.", block["block"]);
            assert_eq!(picture.contains(&words), count > 0, "{words}");
            places += usize::from(count > 0);
        }
    }
    assert!(places > 0 && shown(picture).contains(&"classic:q6.10"));
    assert!(!shown(picture).contains(&"classic:q10.6"));
}

/// The page is whole, links to what there is, loads nothing, and shows the figures of the result.
fn assert_page(page: &str, result: &Value) {
    assert_closes(page);
    for unwanted in ["<script", "NaN", "inf<", "null", "{}", "://\""] {
        assert!(!page.contains(unwanted), "{unwanted}");
    }
    let links = page.split("href=\"").skip(1).map(|rest| rest.split('"').next().expect("a link"));
    let names: Vec<&str> = links.collect();
    assert!(names.len() > 10);
    for name in names {
        let is_it = |path: &Value| text(path).ends_with(&format!("/{name}"));
        assert!(result["files"].as_array().expect("files").iter().any(is_it), "{name}");
    }
    assert_eq!(page.matches("<svg ").count(), 6);
    for shown in [&result["committed"], &result["machine"]["date"], &result["stories"]["prompt"]] {
        assert!(page.contains(text(shown)), "{shown}");
    }
    for arm in result["sweep"]["arms"].as_array().expect("arms") {
        let perplexity = format!("{:.4}", arm["perplexity"].as_f64().expect("a number"));
        assert!(page.contains(&perplexity), "{perplexity}");
    }
}

/// Every element that is opened is closed, in order.
#[track_caller]
fn assert_closes(page: &str) {
    const EMPTY: [&str; 2] = ["meta", "!DOCTYPE"];
    let mut open = Vec::new();
    for tag in page.split('<').skip(1).map(|tag| tag.split('>').next().expect("a tag")) {
        let name = tag.split([' ', '\n']).next().expect("a name");
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None if tag.ends_with('/') || EMPTY.contains(&name) => {}
            None => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

#[test]
fn refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("file"), "").expect("the folder can be written");
    fs::write(folder.path().join("empty.txt"), "\n").expect("the folder can be written");
    let cases: [&[&str]; 5] = [
        &["report", "--out", "file"],
        &["report", "--out", "file/below"],
        &["report", "--text", "empty.txt", "--out", "out"],
        &["report", "--model", "none", "--out", "out"],
        &["report", "--tokens", "0"],
    ];
    let messages: String = cases.iter().map(|case| refusal(folder.path(), case)).collect();
    assert_snapshot!(messages);
    assert_eq!(files(folder.path()), ["empty.txt", "file"]);
}

#[cfg(unix)]
#[test]
fn interrupted_it_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    assert_eq!(common::interrupted(folder.path(), &["report", "--out", "out"]), Some(130));
    assert_eq!(files(folder.path()), [""; 0]);
}
