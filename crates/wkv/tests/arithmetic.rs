//! The names of arithmetics, and that each name computes what it says.

use wkv::{Arithmetic, Numerics, WkvSpec};

#[test]
fn names_parse_and_print() {
    assert_eq!("float".parse::<Arithmetic>().expect("a name"), Arithmetic::Float);
    let spec: WkvSpec = "classic:q6.10:lut64".parse().expect("a spec");
    assert_eq!(
        Arithmetic::resolve("classic:q6.10:lut64").expect("a name"),
        Arithmetic::Fixed(spec)
    );
    let exact: Arithmetic = "classic:q8.8:exp2=exact:div=exact".parse().expect("a name");
    assert_eq!(exact, Arithmetic::Exact("classic:q8.8:div=exact".parse().expect("a spec")));
    for name in ["float", "classic:q6.10:lut64", "classic:q8.8:exp2=exact"] {
        assert_eq!(name.parse::<Arithmetic>().expect(name).to_string(), name);
        let json = format!("\"{name}\"");
        let arithmetic: Arithmetic = serde_json::from_str(&json).expect(name);
        assert_eq!(serde_json::to_string(&arithmetic).expect(name), json);
    }
}

#[test]
fn unknown_names_list_what_there_is() {
    for error in [
        "flaot".parse::<Arithmetic>().expect_err("misspelt"),
        Arithmetic::resolve("flaot").expect_err("misspelt"),
    ] {
        let message = error.to_string();
        assert!(message.starts_with("unknown numerics \"flaot\": expected \"float\""), "{message}");
    }
}

#[test]
fn an_exact_exponential_has_no_table() {
    for name in [
        "classic:q8.8:exp2=exact:lut64",
        "classic:q8.8:nointerp:exp2=exact",
        "classic:q8.8:exp2=exact:exp2=exact",
    ] {
        let message = name.parse::<Arithmetic>().expect_err(name).to_string();
        assert!(message.contains("sets the exponential twice"), "{message}");
    }
    assert!("exp2=exact".parse::<Arithmetic>().is_err());
    assert!("classic:q8.8:exp2=exact".parse::<WkvSpec>().is_err());
}

#[test]
fn banks_compute_what_the_name_says() {
    let out = |name: &str| {
        let mut bank = name.parse::<Arithmetic>().expect(name).bank(&[0.0], &[-1.0]);
        let mut out = [0.0];
        bank.run(&[0.0], &[1.0], &mut out);
        out[0]
    };
    assert_eq!(out("float"), 1.0);
    // The guard makes the denominator 257: floor(256 * 256 / 257) = 255.
    assert_eq!(out("classic:q8.8"), 255.0 / 256.0);
    assert_eq!(out("classic:q10.6"), 63.0 / 64.0);
}
