//! `wkv verify`.

mod common;

use common::{refusal, result, wkv};
use insta::assert_snapshot;

#[test]
fn proves_exp2_exhaustively() {
    let verified = result(&["verify", "--spec", "classic:q6.10", "--unit", "exp2"]);
    assert_eq!(verified["spec"], "classic:q6.10");
    assert_eq!(verified["held"], true);
    let check = &verified["units"][0];
    assert_eq!((&check["unit"], &check["method"]), (&"exp2".into(), &"exhaustive".into()));
    assert_eq!((&check["cases"], &check["mismatches"]), (&65536.into(), &0.into()));
    assert!(check["seconds"].is_number());
}

#[test]
fn tells_people() {
    let finished = wkv(&["verify", "--unit", "exp2"]);
    assert_eq!(finished.code, Some(0));
    assert!(finished.stdout.contains("classic:q8.8: gates and integer model agree\n"));
}

#[test]
fn a_proof_is_checked_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let proof = folder.path().join("proof.json");
    let proof = proof.to_str().expect("a plain path");
    assert_eq!(wkv(&["verify", "--unit", "exp2", "--json", proof]).code, Some(0));
    let again = wkv(&["verify", "--proof", proof]);
    assert_eq!(again.code, Some(0));
    assert!(again.stdout.contains("circuits that were checked, and all held"), "{}", again.stdout);
    assert!(again.stdout.contains("does not tell of: saturating-add,"), "{}", again.stdout);

    // Another circuit, a mismatch, and a claim that was left open.
    let text = std::fs::read_to_string(proof).expect("the proof");
    let changes = [
        ("q8.8", "q6.10"),
        ("\"mismatches\":0", "\"mismatches\":1"),
        ("\"undecided\":0", "\"undecided\":1"),
    ];
    for (from, to) in changes {
        assert!(text.contains(from));
        std::fs::write(proof, text.replace(from, to)).expect("a file");
        let again = wkv(&["verify", "--proof", proof]);
        assert_eq!(again.code, Some(1), "{}", again.stdout);
        assert!(again.stdout.contains("are NOT all the circuits"), "{}", again.stdout);
    }
}

#[test]
fn proofs_that_tell_nothing_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cases = [
        ("empty.json", ""),
        ("list.json", "[]"),
        ("none.json", "{\"spec\": \"classic:q8.8\", \"units\": []}"),
        ("other.json", "{\"spec\": \"classic:q8.8\"}"),
    ];
    let messages = cases.map(|(name, text)| {
        std::fs::write(folder.path().join(name), text).expect("a file");
        refusal(folder.path(), &["verify", "--proof", name])
    });
    assert_snapshot!(messages.concat());
}

#[test]
fn refused() {
    let cases: [&[&str]; 5] = [
        &["verify", "--proof", "missing.json"],
        &["verify", "--proof", "missing.json", "--exhaustive"],
        &["verify", "--spec", "float"],
        &["verify", "--unit", "ripple_adder:16,16,1"],
        &["verify", "--spec", "classic:q8.8:lut33"],
    ];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let messages: String = cases.iter().map(|case| refusal(folder.path(), case)).collect();
    assert_snapshot!(messages);
}

#[test]
fn tells_what_becomes_of_faults_and_mutants() {
    let covered = result(&["verify", "--coverage", "--unit", "exp2"]);
    assert_eq!(covered["held"], true);
    let unit = &covered["units"][0];
    for changes in ["stuck_at", "mutants"] {
        let count = |name: &str| unit[changes][name].as_u64().expect("a count");
        assert!(count("detected") > 0);
        assert_eq!(count("undecided"), 0);
        assert_eq!(count("detected") + count("equivalent"), count("all"));
    }
    let finished = wkv(&["verify", "--coverage", "--unit", "compare"]);
    assert!(finished.stdout.contains("detected, or proven equivalent"), "{}", finished.stdout);
    assert!(finished.stdout.lines().all(|line| line.len() <= 100), "{}", finished.stdout);
}

#[test]
fn coverage_of_a_bank_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let refused = refusal(folder.path(), &["verify", "--coverage", "--unit", "bank=2"]);
    assert!(refused.contains("expected --unit cell"), "{refused}");
}
