//! Damaged files through the command: it refuses them, names them, and takes little memory and
//! time over it. `scripts/fuzz` runs this for longer.

mod common;
#[path = "../../wkv/tests/common/mutation.rs"]
mod mutation;
#[path = "../../rwkv/tests/common/weights.rs"]
mod weights;

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use common::{Finished, limited, project};
use mutation::{Change, Edit, changed, changes, edited, edits};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;
use weights::Weights;

/// A folder for one case.
fn folder() -> TempDir {
    tempfile::tempdir().expect("there is room for temporary files")
}

/// Runs the command on `file` of `folder`, which becomes `content`. If it is refused, the message
/// names it; whether it is not.
fn accepted(folder: &Path, file: &str, content: &[u8], arguments: &[&str]) -> Option<Finished> {
    fs::write(folder.join(file), content).expect("the folder is writable");
    let finished = limited(folder, arguments);
    let Finished { code, stdout, stderr } = &finished;
    match code {
        Some(0 | 1) => Some(finished),
        _ => {
            assert_eq!(*code, Some(2), "{arguments:?}: {stderr}");
            let error = stderr.lines().find(|line| line.starts_with("error: "));
            assert!(error.is_some_and(|error| error.contains(file)), "{stderr}");
            assert_eq!(stdout, "");
            None
        }
    }
}

/// Damage to the text of a JSON value, after damage to the value or instead of it.
#[derive(Clone, Debug)]
struct Damage {
    changes: Vec<Change>,
    edits: Vec<Edit>,
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        3 => changes().prop_map(|changes| Damage { changes, edits: Vec::new() }),
        2 => edits().prop_map(|edits| Damage { changes: Vec::new(), edits }),
        1 => (changes(), edits()).prop_map(|(changes, edits)| Damage { changes, edits }),
    ]
}

impl Damage {
    fn done_to(&self, value: &Value) -> Vec<u8> {
        edited(changed(value, &self.changes).to_string().as_bytes(), &self.edits)
    }
}

fn stream() -> Value {
    json!({
        "spec": "classic:q8.8", "k": [[1, -2, 300], [4, 5, -32768]],
        "v": [[7, 8, 9], [32767, -11, 12]], "u": [13, -14], "w": [-15, -1600],
    })
}

/// Results are numbers: where there is a token, nothing is null.
fn assert_numbers(result: &Value) {
    let streams = result.as_array().map_or(std::slice::from_ref(result), Vec::as_slice);
    for stream in streams.iter().filter(|stream| stream["k"][0][0].is_number()) {
        for field in ["k", "v", "u", "w", "out", "aa", "bb", "pp"] {
            assert!(!stream[field].to_string().contains("null"), "{field} of {stream}");
        }
    }
}

static PROOF: LazyLock<Value> =
    LazyLock::new(|| common::result(&["verify", "--unit", "saturating-add"]));

/// A proof that is accepted proves no more than the original.
fn assert_proof(content: &[u8]) {
    // A deep value that the command has no use for is no fault of the proof.
    let Ok(proof) = serde_json::from_slice::<Value>(content) else { return };
    let proven = &PROOF["units"][0];
    let units = proof["units"].as_array().expect("it has units");
    assert!(!units.is_empty());
    for unit in units {
        assert_eq!(unit["unit"], proven["unit"]);
        assert_eq!(unit["netlist"], proven["netlist"]);
        assert_eq!(unit["mismatches"], 0);
    }
}

/// A case starts the command.
fn few() -> ProptestConfig {
    let all = ProptestConfig::default();
    ProptestConfig { cases: all.cases.div_ceil(16), ..all }
}

proptest! {
    #![proptest_config(few())]

    #[test]
    fn streams(
        damages in prop::collection::vec(damage(), 1..3),
        engine in prop::sample::select(vec!["fixed", "gates", "float"]),
    ) {
        let lines: Vec<Vec<u8>> = damages.iter().map(|damage| damage.done_to(&stream())).collect();
        let file = if lines.len() > 1 { "in.jsonl" } else { "in.json" };
        let arguments = ["run", "--engine", engine, "--in", file, "--json", "-"];
        if let Some(run) = accepted(folder().path(), file, &lines.join(&b'\n'), &arguments) {
            assert_numbers(&serde_json::from_str(&run.stdout).expect("JSON"));
        }
    }

    #[test]
    fn proofs(damage in damage()) {
        let content = damage.done_to(&PROOF);
        let arguments = ["verify", "--proof", "proof.json"];
        let finished = accepted(folder().path(), "proof.json", &content, &arguments);
        if finished.is_some_and(|finished| finished.code == Some(0)) {
            assert_proof(&content);
        }
    }

    #[test]
    fn weights(
        changes in changes(),
        length in prop_oneof![4 => Just(None), 1 => any::<u64>().prop_map(Some)],
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut weights = Weights::small();
        weights.header = changed(&weights.header, &changes);
        let mut bytes = weights.bytes(length);
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let arguments = ["generate", "--model", "m.safetensors", "--tokens", "1"];
        let folder = folder();
        fs::copy(project().join("models/stories-1.5m/tokenizer.json"), folder.path().join("tokenizer.json"))
            .expect("the folder is writable");
        prop_assert!(accepted(folder.path(), "m.safetensors", &bytes, &arguments).is_none());
    }

    #[test]
    fn tokenizers(damage in damage()) {
        let model = project().join("models/stories-1.5m");
        let file = fs::read(model.join("tokenizer.json")).expect("the project's tokenizer");
        let content = damage.done_to(&serde_json::from_slice(&file).expect("JSON"));
        let folder = folder();
        fs::copy(model.join("model.safetensors"), folder.path().join("model.safetensors"))
            .expect("the folder is writable");
        let arguments = ["generate", "--model", ".", "--tokens", "3"];
        accepted(folder.path(), "tokenizer.json", &content, &arguments);
    }

    #[test]
    fn specs(edits in edits()) {
        let original = b"format = \"q6.10\"\ndivision = \"exact\"\n[exp2]\nentries = 64\n";
        let arguments = ["build", "--unit", "exp2", "--spec", "spec.toml"];
        accepted(folder().path(), "spec.toml", &edited(original, &edits), &arguments);
    }

    #[test]
    fn texts(edits in edits()) {
        let original = "Once upon a time.\n<|endoftext|>\nA \u{1f422}.\n<|endoftext|>\n";
        let content = edited(original.as_bytes(), &edits);
        let arguments = ["sweep", "--spec", "float", "--text", "text.txt", "--tokens", "20"];
        accepted(folder().path(), "text.txt", &content, &arguments);
    }
}
