//! Random specs on random streams, and damaged specs. `scripts/fuzz` runs this for longer.

mod common;

use std::fs;
use std::path::PathBuf;

use common::mutation::{edited, edits};
use common::strategies;
use morpho::sim::Interpreter;
use proptest::prelude::*;
use wkv::circuit::gates::Gates;
use wkv::circuit::{Unit, build_unoptimised};
use wkv::fixed::{Bank, Model, State};
use wkv::stats::Counts;
use wkv::{Arithmetic, Recurrence, WkvSpec};

/// The constants of some channels, and tokens as `[token][channel]`.
#[derive(Clone, Debug)]
struct Stream {
    u: Vec<i32>,
    w: Vec<i32>,
    tokens: Vec<[Vec<i32>; 2]>,
}

/// Streams of up to 64 channels, as many as the interpreter has lanes.
fn streams() -> impl Strategy<Value = Stream> {
    (1..=64usize).prop_flat_map(|channels| {
        let row = || prop::collection::vec(strategies::raw(), channels);
        // A positive decay makes no sense, but every stage must agree on it too.
        let decay = prop_oneof![9 => strategies::decay(), 1 => strategies::raw()];
        let token = (row(), row()).prop_map(|(k, v)| [k, v]);
        (row(), prop::collection::vec(decay, channels), prop::collection::vec(token, 1..12))
            .prop_map(|(u, w, tokens)| Stream { u, w, tokens })
    })
}

/// Outputs of all tokens, `[token][channel]`, final states and what was counted.
type Outcome = (Vec<Vec<i32>>, Vec<State>, Counts);

fn model(spec: &WkvSpec, stream: &Stream) -> Outcome {
    let model = Model::new(spec);
    let mut states = vec![State::start(spec); stream.u.len()];
    let mut counts = Counts::default();
    let mut token = |[k, v]: &[Vec<i32>; 2]| {
        let channel = |(channel, state): (usize, &mut State)| {
            let (u, w) = (stream.u[channel], stream.w[channel]);
            let step = model.step(*state, k[channel], v[channel], u, w);
            *state = step.next;
            counts += step.counts;
            step.out
        };
        states.iter_mut().enumerate().map(channel).collect()
    };
    let out = stream.tokens.iter().map(&mut token).collect();
    (out, states, counts)
}

fn bank(spec: &WkvSpec, stream: &Stream) -> Outcome {
    let mut bank = Bank::from_raw(spec, &stream.u, &stream.w).expect("raw numbers");
    let channels = stream.u.len();
    let [k, v] = [0, 1].map(|part| {
        stream.tokens.iter().flat_map(|token| token[part].clone()).collect::<Vec<i32>>()
    });
    let mut out = vec![0; k.len()];
    bank.run_raw(&k, &v, &mut out).expect("raw numbers");
    let states = (0..channels).map(|channel| bank.state(channel)).collect();
    (out.chunks(channels).map(<[i32]>::to_vec).collect(), states, bank.counts())
}

fn gates(spec: &WkvSpec, stream: &Stream) -> Outcome {
    let mut bank = Gates::new(spec).raw_bank(&stream.u, &stream.w);
    let out = stream.tokens.iter().map(|[k, v]| bank.step_raw(k, v)).collect();
    (out, bank.states(), bank.counts())
}

/// The outputs of the cell as it grew, before any pass, in the plain simulator.
fn grown(spec: &WkvSpec, stream: &Stream) -> Vec<Vec<i32>> {
    let cell = build_unoptimised(spec, Unit::Cell).expect("every spec has a cell");
    let mut interpreter = Interpreter::new(&cell);
    let bits = |numbers: &[i32]| -> Vec<u128> {
        numbers.iter().map(|&number| u128::from(number as u16)).collect()
    };
    interpreter.set("u", &bits(&stream.u));
    interpreter.set("w", &bits(&stream.w));
    let mut token = |[k, v]: &[Vec<i32>; 2]| {
        interpreter.set("k", &bits(k));
        interpreter.set("v", &bits(v));
        interpreter.evaluate().expect("no loops");
        let out = interpreter.get("out", stream.u.len());
        interpreter.step().expect("no loops");
        out.into_iter().map(|bits| i32::from(bits as u16 as i16)).collect()
    };
    stream.tokens.iter().map(&mut token).collect()
}

/// A text that is a spec means what it prints; an error quotes the part that is wrong.
fn check_text(text: &str) {
    match text.parse::<WkvSpec>() {
        Ok(spec) => assert_eq!(spec.to_string().parse::<WkvSpec>().expect("it was printed"), spec),
        Err(error) => {
            let message = error.to_string();
            let quoted = message.split('"').nth(1).expect("something is quoted");
            assert!(text.contains(quoted), "{quoted:?} is not in {text:?}: {message}");
        }
    }
    if let Ok(arithmetic) = text.parse::<Arithmetic>() {
        assert_eq!(arithmetic.to_string().parse::<Arithmetic>().expect("printed"), arithmetic);
    }
}

/// A file that is a spec means what it prints; an error names the file.
fn check_file(content: &[u8]) {
    let name = format!("fuzz-{}.toml", std::process::id());
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(&name);
    fs::write(&path, content).expect("the target folder is writable");
    let resolved = WkvSpec::resolve(path.to_str().expect("a plain path"));
    fs::remove_file(&path).expect("it was written");
    match resolved {
        Ok(spec) => check_text(&spec.to_string()),
        Err(error) => assert!(error.to_string().contains(&name), "{error}"),
    }
}

const FILE: &[u8] =
    b"format = \"q6.10\"\ndivision = \"exact\"\n\n[exp2]\nentries = 64\ninterpolate = false\n";

/// A case builds the cell twice, which takes far longer than to read a text.
fn few() -> ProptestConfig {
    let all = ProptestConfig::default();
    ProptestConfig { cases: all.cases.div_ceil(4), ..all }
}

proptest! {
    #![proptest_config(few())]

    #[test]
    fn model_bank_and_gates_agree(spec in strategies::spec(), stream in streams()) {
        let expected = model(&spec, &stream);
        prop_assert_eq!(&bank(&spec, &stream), &expected, "bank, {}", spec);
        prop_assert_eq!(&gates(&spec, &stream), &expected, "gates, {}", spec);
        prop_assert_eq!(&grown(&spec, &stream), &expected.0, "before any pass, {}", spec);
    }
}

proptest! {
    #[test]
    fn damaged_text_is_a_spec_or_is_quoted(spec in strategies::spec(), edits in edits()) {
        let damaged = edited(spec.to_string().as_bytes(), &edits);
        check_text(&String::from_utf8_lossy(&damaged).replace('"', ""));
    }

    #[test]
    fn a_damaged_file_is_a_spec_or_is_named(edits in edits()) {
        check_file(&edited(FILE, &edits));
    }
}
