//! The channel of the pages, run natively: the same code that a browser runs.

use std::path::Path;

use serde_json::Value;
use wkv_web::channel::{CompiledCell, IntegerChannel, count_names};

/// The committed streams of the published circuit.
fn golden(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wkv/tests/golden");
    std::fs::read_to_string(folder.join(name)).expect("the golden file is committed")
}

fn integers(numbers: &Value) -> Vec<i32> {
    let numbers = numbers.as_array().expect("a list").iter();
    numbers.map(|number| number.as_i64().expect("an integer") as i32).collect()
}

/// One channel of a stream: constants, tokens, outputs and last state.
struct Golden {
    spec: String,
    u: i32,
    w: i32,
    k: Vec<i32>,
    v: Vec<i32>,
    out: Vec<i32>,
    last: [i32; 3],
}

fn channels() -> Vec<Golden> {
    let formats = golden("streams-formats.jsonl");
    let texts = formats.lines().map(str::to_owned).chain([golden("streams-q8.8.json")]);
    let streams = texts.map(|text| serde_json::from_str::<Value>(&text).expect("JSON"));
    streams
        .flat_map(|stream| {
            let (u, w) = (integers(&stream["u"]), integers(&stream["w"]));
            let channel = |c: usize| Golden {
                spec: stream["spec"].as_str().expect("a spec").to_owned(),
                u: u[c],
                w: w[c],
                k: integers(&stream["k"][c]),
                v: integers(&stream["v"][c]),
                out: integers(&stream["out"][c]),
                last: ["aa", "bb", "pp"].map(|register| integers(&stream[register])[c]),
            };
            (0..u.len()).map(channel).collect::<Vec<_>>()
        })
        .collect()
}

fn outputs(rows: &[i32]) -> Vec<i32> {
    rows.chunks(4).map(|row| row[0]).collect()
}

#[test]
fn the_integer_model_gives_the_published_rows() {
    for golden in channels() {
        let mut channel = IntegerChannel::new(&golden.spec, golden.u, golden.w).expect("it fits");
        let rows = channel.run(&golden.k, &golden.v).expect("it fits");
        assert_eq!(outputs(&rows), golden.out);
        assert_eq!(rows[rows.len() - 3..], golden.last);
    }
}

#[test]
fn the_gates_give_the_published_rows() {
    let of_classic = channels().into_iter().filter(|golden| golden.spec == "classic:q8.8");
    let cell = CompiledCell::new("classic:q8.8").expect("a spec");
    for golden in of_classic {
        let mut channel = cell.channel(golden.u, golden.w).expect("it has its ports");
        let mut model = IntegerChannel::new(&golden.spec, golden.u, golden.w).expect("it fits");
        let rows = channel.run(&golden.k, &golden.v).expect("it settles");
        assert_eq!(outputs(&rows), golden.out);
        assert_eq!(rows, model.run(&golden.k, &golden.v).expect("it fits"));
    }
}

#[test]
fn tokens_in_parts_are_tokens_together() {
    let golden = channels().pop().expect("there are channels");
    let cell = CompiledCell::new(&golden.spec).expect("a spec");
    let mut whole = cell.channel(golden.u, golden.w).expect("it has its ports");
    let mut parts = cell.channel(golden.u, golden.w).expect("it has its ports");
    let rows = whole.run(&golden.k, &golden.v).expect("it settles");
    let (before, after) = (&golden.k[..100], &golden.k[100..]);
    let mut found = parts.run(before, &golden.v[..100]).expect("it settles");
    found.extend(parts.run(after, &golden.v[100..]).expect("it settles"));
    assert_eq!(found, rows);
}

#[test]
fn counts_have_the_order_of_their_names() {
    let mut channel = IntegerChannel::new("classic:q8.8", 100, 0).expect("it fits");
    channel.run(&[], &[]).expect("nothing to do");
    assert_eq!(channel.counts(), vec![0.0; count_names().len()]);
    channel.run(&[0, 32767], &[0, 32767]).expect("it fits");
    let counted: Vec<(String, f64)> =
        count_names().into_iter().zip(channel.counts()).filter(|(_, count)| *count > 0.0).collect();
    let counted: Vec<(&str, f64)> =
        counted.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(counted, [("ww", 1.0), ("e1", 2.0), ("f1", 2.0)]);
}

#[test]
fn a_cell_tells_its_size_and_its_netlist() {
    let cell = CompiledCell::new("classic:q8.8:nointerp").expect("a spec");
    assert_eq!(cell.registers(), 48);
    assert!(cell.gates() > 1000 && cell.depth() > 100);
    let blif = cell.blif().expect("it has no memories");
    assert!(blif.starts_with(".model wkv_cell\n") && blif.ends_with(".end\n"));
    assert_eq!(blif.matches("\n.latch").count(), 48);
}

#[test]
fn what_does_not_fit_is_refused_in_words() {
    let refused = |spec, u, w| IntegerChannel::new(spec, u, w).err().expect("refused");
    assert!(refused("classic:q8.9", 0, 0).contains("qM.F"));
    assert!(refused("classic:q8.8", 32768, 0).contains("u is 32768"));
    assert!(CompiledCell::new("classic:q8.8:exp2=exact").err().is_some());
    let mut channel = IntegerChannel::new("classic:q8.8", 0, 0).expect("it fits");
    assert!(channel.run(&[40000], &[0]).expect_err("refused").contains("40000"));
    assert!(channel.run(&[1, 2], &[0]).expect_err("refused").contains("2 keys and 1 values"));
    let cell = CompiledCell::new("classic:q8.8:nointerp").expect("a spec");
    let mut gates = cell.channel(0, 0).expect("it has its ports");
    assert!(gates.run(&[], &[1]).is_err());
}
