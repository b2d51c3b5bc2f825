//! `wkv range`: bounds for the embedded model, for given ranges, and on a text.

mod common;

use common::{refusal, result, wkv};
use insta::assert_snapshot;
use serde_json::Value;

/// Every channel of every block.
fn channels(result: &Value) -> Vec<&Value> {
    let blocks = result["blocks"].as_array().expect("blocks");
    blocks.iter().flat_map(|block| block["channels"].as_array().expect("channels")).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn observes_every_channel_and_stays_within_the_bounds() {
    let result = result(&["range", "--tokens", "600"]);
    assert_eq!((&result["held"], &result["length"]), (&Value::from(true), &Value::Null));
    assert_eq!(
        (&result["model"], &result["text"]),
        (&"stories-1.5m".into(), &"stories.txt".into())
    );
    assert_eq!(result["specs"].as_array().map(Vec::len), Some(3));
    assert!(number(&result["tokens"]) >= 600.0);
    assert!(number(&result["longest_document"]) <= number(&result["tokens"]));

    let channels = channels(&result);
    assert_eq!(channels.len(), 6 * 128);
    for channel in &channels {
        let observed = &channel["observed"];
        assert_eq!(observed["k"], channel["k"]);
        for register in ["aa", "bb"] {
            let (seen, bound) = (&observed[register], &channel["real"]["bounds"][register]);
            assert!(number(&seen["high"]) <= number(&bound["high"]) * (1.0 + 1e-9));
        }
        for (spec, seen) in channel["specs"]
            .as_array()
            .expect("specs")
            .iter()
            .zip(observed["saturations"].as_array().expect("a spec"))
        {
            for register in ["aa", "bb", "num", "den", "out"] {
                let safe = spec["first_saturation"][register].is_null();
                assert!(!safe || seen[register] == 0, "{register} of {spec}");
            }
            assert_eq!(spec["first_saturation"]["out"], Value::Null);
        }
    }
    // Values of up to 18 do not fit Q6.10 with their sums, and the text shows it.
    let seen_in_q6_10 =
        channels.iter().map(|channel| number(&channel["observed"]["saturations"][1]["aa"]));
    assert!(seen_in_q6_10.sum::<f64>() > 0.0);
}

#[test]
fn given_ranges_need_no_text() {
    let arguments =
        ["range", "--k", "-20,15", "--v", "-8,8", "--length", "256", "--spec", "classic:q10.6"];
    let result = result(&arguments);
    assert_eq!((&result["text"], &result["tokens"]), (&Value::Null, &Value::from(0)));
    assert_eq!(result["specs"][0], "classic:q10.6");
    assert_eq!(result["specs"].as_array().map(Vec::len), Some(3));
    for channel in channels(&result) {
        assert_eq!(channel["observed"], Value::Null);
        assert_eq!(channel["k"]["low"], -20.0);
        // No sum of 256 weights needs more than 10 bits with its sign; times 8, 13.
        let spec = &channel["specs"][0];
        assert!(number(&spec["bounds"]["bb"]["high"]) <= 256.001);
        assert!(number(&spec["integer_bits"]["bb"]) <= 10.0);
        assert!(number(&spec["integer_bits"]["aa"]) <= 13.0);
        let (first, witness) = (&spec["first_saturation"]["aa"], &spec["witness"]["aa"]);
        assert!(witness.is_null() || number(witness) >= number(first));
    }
}

#[test]
fn a_decay_lost_to_the_format_has_no_bound() {
    let result = result(&["range", "--k", "0,0", "--v", "0,1", "--spec", "classic:q12.4"]);
    let unbounded = |channel: &&&Value| channel["specs"][0]["bounds"]["bb"]["high"].is_null();
    let channels = channels(&result);
    let slow: Vec<_> = channels.iter().filter(unbounded).collect();
    assert!(!slow.is_empty());
    for channel in slow {
        // Quantised to 0 in Q12.4, so that constant keys add up for ever.
        assert!(number(&channel["w"]) > -1.0 / 32.0);
        assert_eq!(channel["specs"][0]["integer_bits"]["bb"], Value::Null);
        assert_eq!(channel["specs"][0]["first_saturation"]["bb"], 2048);
        assert_eq!(channel["specs"][0]["witness"]["bb"], 2048);
    }
}

#[test]
fn tells_people_in_100_columns() {
    let longest = "classic:q10.6:lut128:nointerp:div=exact";
    for arguments in [
        &["range", "--tokens", "100", "--spec", longest][..],
        &["range", "--k", "-20,15", "--v", "-8,8", "--spec", longest],
    ] {
        let finished = wkv(arguments);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let wide = finished.stdout.lines().find(|line| line.chars().count() > 100);
        assert_eq!(wide, None);
        assert!(finished.stdout.contains(&format!("{longest}: integer bits needed")));
    }
}

#[test]
fn refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cases: [&[&str]; 10] = [
        &["range", "--k", "3,2", "--v", "0,1"],
        &["range", "--k", "1", "--v", "0,1"],
        &["range", "--k", "0,inf", "--v", "0,1"],
        &["range", "--k", "0,1"],
        &["range", "--k", "0,1", "--v", "0,1", "--text", "stories.txt"],
        &["range", "--length", "0"],
        &["range", "--length", "-1"],
        &["range", "--spec", "float"],
        &["range", "--model", "missing"],
        &["range", "--text", "missing.txt"],
    ];
    let messages: String = cases.iter().map(|case| refusal(folder.path(), case)).collect();
    assert_snapshot!(messages);
}
