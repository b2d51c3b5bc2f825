//! `wkv generate`.

mod common;

use std::path::Path;

use common::{Finished, refusal, result, wkv};
use insta::assert_snapshot;
use serde_json::Value;

const PROMPT: [&str; 5] = ["generate", "--prompt", "One day, a bird", "--tokens", "40"];

fn told(arguments: &[&str]) -> Value {
    result(&[&PROMPT, arguments].concat())
}

#[test]
fn gates_tell_the_story_of_the_integer_model() {
    let story = |engine: &str| {
        let story = told(&["--spec", "classic:q8.8", "--engine", engine]);
        assert_eq!((&story["spec"], &story["engine"]), (&"classic:q8.8".into(), &engine.into()));
        story["text"].as_str().expect("a story").to_owned()
    };
    let text = story("fixed");
    assert!(text.len() > 40, "{text}");
    assert_eq!(story("gates"), text);
    assert_eq!(told(&[])["text"], text.as_str());
    assert_ne!(told(&["--seed", "2"])["text"], text.as_str());
}

#[test]
fn engines_are_compared() {
    let told = told(&["--spec", "classic:q6.10", "--compare"]);
    assert_eq!((&told["spec"], &told["held"]), (&"classic:q6.10".into(), &true.into()));
    assert!(told["fixed_gates_first_difference"].is_null());
    let stories = told["stories"].as_array().expect("three stories");
    let engines: Vec<&str> = stories.iter().filter_map(|s| s["engine"].as_str()).collect();
    assert_eq!(engines, ["float", "fixed", "gates"]);
    assert_eq!(stories[1]["tokens"], stories[2]["tokens"]);
    let differs = stories[0]["tokens"] != stories[1]["tokens"];
    assert_eq!(told["float_fixed_first_difference"].is_u64(), differs);
    for story in stories {
        let figure = |name: &str| story[name].as_f64().expect(name);
        assert!(figure("tokens_per_second") > 0.0 && figure("prompt_tokens_per_second") > 0.0);
        assert!((0.0..=1.0).contains(&figure("rep_4")), "{story}");
        assert!((0.0..=1.0).contains(&figure("distinct_2")), "{story}");
    }
}

#[test]
fn a_comparison_is_told_in_100_columns() {
    let Finished { code, stdout, .. } = wkv(&[&PROMPT[..], &["--compare"]].concat());
    assert_eq!(code, Some(0), "{stdout}");
    let table = stdout.lines().skip_while(|line| !line.starts_with("  engine"));
    assert!(table.clone().count() > 5 && table.clone().all(|line| line.len() <= 100), "{stdout}");
    assert!(stdout.contains("\nfixed and gates: identical, "), "{stdout}");
}

#[test]
fn weights_may_be_int8() {
    let story = told(&["--weights", "int8", "--temperature", "0"]);
    assert_eq!(story["weights"], "int8");
    assert_eq!(told(&["--temperature", "0"])["weights"], "f32");
}

#[test]
fn spec_float_is_told_by_float() {
    let story = told(&["--spec", "float"]);
    assert_eq!(story["engine"], "float");
    assert!(story["tokens_per_second"].as_f64() > Some(0.0));
    let by_engine = told(&["--spec", "classic:q8.8", "--engine", "float"]);
    assert_eq!((&by_engine["text"], &by_engine["spec"]), (&story["text"], &"float".into()));
}

#[test]
fn most_likely_story_needs_no_seed() {
    let greedy = |seed: &str| told(&["--temperature", "0", "--seed", seed])["text"].clone();
    assert_eq!(greedy("1"), greedy("2"));
}

#[test]
fn story_is_printed_after_its_prompt() {
    let Finished { code, stdout, stderr } = wkv(&PROMPT);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    let text = told(&[])["text"].as_str().expect("a story").to_owned();
    assert!(stdout.starts_with(&format!("One day, a bird{text}\n")), "{stdout}");
    assert!(stdout.ends_with(" tokens/s\n") && stdout.contains("rep-4 0."), "{stdout}");
}

#[test]
fn no_tokens_leave_the_prompt() {
    let Finished { code, stdout, .. } = wkv(&["generate", "--prompt", "Hello", "--tokens", "0"]);
    assert_eq!(code, Some(0));
    assert_eq!(stdout, "Hello\n\n0 tokens\n");
}

#[test]
fn one_token_is_no_plural() {
    let told = wkv(&["generate", "--prompt", "Once upon", "--tokens", "1"]).stdout;
    assert!(told.contains("\n1 token, "), "{told}");
}

/// Finite weights whose predictions are not.
#[test]
fn undefined_predictions_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let model = common::model_with(folder.path(), "large", "ln_out.weight", 0, 3e38);
    let message = refusal(folder.path(), &["generate", "--model", &model]);
    assert!(message.contains("error: large: the logits after token 0 of the story"), "{message}");
}

#[test]
fn refused() {
    let cases: [&[&str]; 12] = [
        &["generate", "--compare", "--spec", "float"],
        &["generate", "--compare", "--engine", "gates"],
        &["generate", "--weights", "int4"],
        &["generate", "--spec", "float", "--engine", "gates"],
        &["generate", "--engine", "abacus"],
        &["generate", "--temperature", "-1"],
        &["generate", "--temperature", "nan"],
        &["generate", "--top-p", "0"],
        &["generate", "--tokens", "-1"],
        &["generate", "--seed", "-1"],
        &["generate", "--model", "none"],
        &["generate", "--spec", "classic"],
    ];
    let messages: String = cases.iter().map(|case| refusal(Path::new("."), case)).collect();
    assert_snapshot!(messages);
}
