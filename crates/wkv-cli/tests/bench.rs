//! `wkv bench`.

mod common;

use common::result;

#[test]
fn measures_everything() {
    let bench = result(&["bench", "--quick"]);
    assert!(bench["machine"]["cores"].as_u64().is_some_and(|cores| cores > 0));
    let results = bench["results"].as_array().expect("a list");
    let unit = |name: &str| {
        let found = results.iter().find(|figure| figure["name"] == name).expect(name);
        let value = |field: &str| found[field].as_f64().expect(field);
        assert!(0.0 < value("min") && value("min") <= value("value"), "{found}");
        assert!(value("value") <= value("max"), "{found}");
        assert!(found["reference"].is_null() || found["reference"]["value"].is_number());
        found["unit"].as_str().expect("a unit")
    };
    for name in ["simulate-cell-1-core", "simulate-cell-all-cores", "fixed-cell-1-core"] {
        assert_eq!(unit(name), "channel-steps/s");
    }
    for name in ["compile-cell", "compile-bank-384"] {
        assert_eq!(unit(name), "s");
    }
    for name in ["generate-float", "generate-fixed", "generate-gates"] {
        assert_eq!(unit(name), "tokens/s");
    }
}
