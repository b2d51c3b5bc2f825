//! `wkv claims`.

mod common;

use std::fs;

use common::{Finished, files, refusal, wkv, wkv_in};
use insta::assert_snapshot;
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// One measurement for all that can be asked of it: documents enough for intervals.
#[test]
fn claims_are_measured_judged_and_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let arguments = ["claims", "--tokens", "3000", "--out", "new", "--json", "result.json"];
    let Finished { code, stdout, stderr } = wkv_in(folder.path(), &arguments);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.lines().all(|line| line.chars().count() <= 100), "{stdout}");
    assert!(stdout.starts_with("stories-1.5m on stories.txt: 1"), "{stdout}");
    assert_eq!(files(&folder.path().join("new")), ["claims.json", "claims.md"]);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("it was written");
    assert_eq!(read("new/claims.json").trim_end(), read("result.json").trim_end());

    let claims: Value = serde_json::from_str(&read("result.json")).expect("JSON");
    assert_eq!(claims["command"], "wkv claims --tokens 3000");
    assert_findings(&claims);
    assert_figures(&claims["figures"]);
    assert_page(folder.path(), &read("new/claims.md"), &claims);
}

fn assert_findings(claims: &Value) {
    let findings = claims["findings"].as_array().expect("findings");
    let names: Vec<&str> =
        findings.iter().map(|finding| finding["claim"].as_str().expect("a name")).collect();
    assert_eq!(
        names,
        [
            "equal-perplexity",
            "error-span",
            "free-saturations",
            "error-growth",
            "preset-error",
            "synthetic-dividers",
            "synthetic-quarters",
            "synthetic-saturations",
            "slow-channels"
        ]
    );
    for finding in findings {
        let verdict = finding["verdict"].as_str().expect("a verdict");
        assert!(["confirmed", "corrected", "undecided"].contains(&verdict), "{finding}");
        for text in ["ours", "brief", "rule"] {
            assert!(!finding[text].as_str().expect("a text").is_empty(), "{finding}");
        }
    }
    // Another size than the published model's.
    assert_eq!(findings[8]["verdict"], "undecided");
}

fn assert_figures(figures: &Value) {
    for arm in figures["arms"].as_array().expect("arms") {
        let error = &arm["rms_error"];
        let [low, high] = [0, 1].map(|end| number(&error["interval"][end]));
        assert!(low <= number(&error["value"]) && number(&error["value"]) <= high, "{arm}");
    }
    // Without saturation the format that saturates has no greater error.
    let saturations = &figures["saturations"];
    assert_eq!(saturations["spec"], "classic:q6.10");
    assert!(saturations["exponents_kl_difference"]["interval"].is_array(), "{saturations}");
    assert!(number(&saturations["rms_ratio"]["value"]) >= 1.0, "{saturations}");
    assert!(number(&saturations["error_span"]["value"]) >= number(&figures["error_span"]["value"]));
    let spectrum = &figures["spectrum"];
    let channels = |block: &Value| -> u64 {
        let histogram = block["histogram"].as_array().expect("bins").iter();
        histogram.map(|count| count.as_u64().expect("a count")).sum()
    };
    let blocks = spectrum["by_block"].as_array().expect("blocks");
    assert_eq!(blocks.iter().map(channels).collect::<Vec<_>>(), [128; 6]);
    assert!(spectrum["slow_by_half_life"].as_u64() <= spectrum["slow_by_e_life"].as_u64());
    for row in figures["synthetic"].as_array().expect("distributions") {
        // Rounding to nearest costs no more than half the last place.
        let rms = |divider: &str| number(&row[divider]["rms_error"]["value"]);
        let last_place = 1.0 / 256.0;
        assert!(
            (rms("nearest") - rms("unrounded")).abs() < last_place / 2.0 || saturates(row),
            "{row}"
        );
    }
}

fn saturates(row: &Value) -> bool {
    row["restoring"]["saturations"].as_u64() > Some(0)
}

/// The page is the one that the results of the run make again.
fn assert_page(folder: &std::path::Path, page: &str, claims: &Value) {
    let Finished { stdout, .. } = wkv_in(folder, &["docs", "--claims", "new/claims.json"]);
    assert_eq!(stdout, page);
    for finding in claims["findings"].as_array().expect("findings") {
        assert!(page.contains(finding["ours"].as_str().expect("a text")), "{finding}");
    }
}

#[cfg(unix)]
#[test]
fn interrupted_it_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let arguments = ["claims", "--out", "out", "--json", "result.json"];
    assert_eq!(common::interrupted(folder.path(), &arguments), Some(130));
    assert_eq!(files(folder.path()), [""; 0]);
}

#[test]
fn few_documents_have_no_intervals() {
    let Finished { code, stdout, .. } = wkv(&["claims", "--tokens", "1", "--json", "-"]);
    assert_eq!(code, Some(0));
    let claims: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!(claims["figures"]["error_span"]["interval"], Value::Null);
    assert_eq!(claims["findings"][2]["verdict"], "undecided");
}

#[test]
fn refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("the folder can be written");
    };
    write("empty.jsonl", "");
    write("words.jsonl", "{\"model\": \"m\"}\n");
    write("no-story.txt", " \n");
    let kept = fs::read_to_string("../../docs/claims.jsonl").expect("kept results");
    let mut result: Value = serde_json::from_str(kept.lines().next().expect("one")).expect("JSON");
    result["figures"]["synthetic"] = Value::Array(Vec::new());
    write("without-streams.jsonl", &format!("{result}\n"));
    let cases: [&[&str]; 7] = [
        &["claims", "--text", "no-story.txt"],
        &["claims", "--model", "none.safetensors"],
        &["claims", "--tokens", "0"],
        &["docs", "--claims", "none.jsonl"],
        &["docs", "--claims", "empty.jsonl"],
        &["docs", "--claims", "words.jsonl"],
        &["docs", "--claims", "without-streams.jsonl"],
    ];
    let messages: String = cases.iter().map(|case| refusal(folder.path(), case)).collect();
    assert_snapshot!(messages);
}
