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
fn refused() {
    let cases: [&[&str]; 3] = [
        &["verify", "--spec", "float"],
        &["verify", "--unit", "ripple_adder:16,16,1"],
        &["verify", "--spec", "classic:q8.8:lut33"],
    ];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let messages: String = cases.iter().map(|case| refusal(folder.path(), case)).collect();
    assert_snapshot!(messages);
}
