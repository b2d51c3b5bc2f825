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
    assert!(again.stdout.contains("are the ones that were proven"), "{}", again.stdout);

    // A proof of another circuit, and one that tells of a mismatch.
    let text = std::fs::read_to_string(proof).expect("the proof");
    for (from, to) in [("q8.8", "q6.10"), ("\"mismatches\":0", "\"mismatches\":1")] {
        assert!(text.contains(from));
        std::fs::write(proof, text.replace(from, to)).expect("a file");
        let again = wkv(&["verify", "--proof", proof]);
        assert_eq!(again.code, Some(1), "{}", again.stdout);
        assert!(again.stdout.contains("are NOT all the ones"), "{}", again.stdout);
    }
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
