//! Damage to files: random edits of text, and hostile values in JSON.

use proptest::prelude::*;
use serde_json::{Value, json};

/// One change of a text; places are taken modulo its length.
#[derive(Clone, Debug)]
pub enum Edit {
    /// Puts `bytes` over what is there.
    Overwrite { at: usize, bytes: Vec<u8> },
    /// Puts `bytes` between.
    Insert { at: usize, bytes: Vec<u8> },
    /// Takes up to `length` bytes out.
    Remove { at: usize, length: usize },
    /// Repeats up to `length` bytes from `from` at `at`.
    Copy { from: usize, length: usize, at: usize },
    /// Ends there.
    Cut { at: usize },
}

/// Some edits of any bytes.
pub fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let at = any::<usize>;
    let edit = prop_oneof![
        (at(), fragments()).prop_map(|(at, bytes)| Edit::Overwrite { at, bytes }),
        (at(), fragments()).prop_map(|(at, bytes)| Edit::Insert { at, bytes }),
        (at(), 1..40usize).prop_map(|(at, length)| Edit::Remove { at, length }),
        (at(), 1..80usize, at()).prop_map(|(from, length, at)| Edit::Copy { from, length, at }),
        at().prop_map(|at| Edit::Cut { at }),
    ];
    prop::collection::vec(edit, 1..5)
}

/// Pieces that parsers trip over, and any bytes.
fn fragments() -> impl Strategy<Value = Vec<u8>> {
    let known = [
        "",
        "\0",
        "\n",
        "\"",
        "\\u0000",
        "\\ud800",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "=",
        "#",
        "-",
        "-1",
        "1e999",
        "1e-999",
        "0.1",
        "NaN",
        "Infinity",
        "null",
        "true",
        "\"\"",
        "32",
        "q8.8",
        "18446744073709551615",
        "18446744073709551616",
        "9007199254740993",
        "-9223372036854775809",
        "lut",
        "div=",
        "classic:",
        "\u{feff}",
        "é",
        "\u{202e}",
    ];
    let repeated =
        (prop::sample::select(vec!["[", "{\"a\":", "[[", "a.", "9", " ", "\n"]), 1..5000usize)
            .prop_map(|(piece, times)| piece.repeat(times).into_bytes());
    prop_oneof![
        6 => prop::sample::select(known.to_vec()).prop_map(|piece| piece.as_bytes().to_vec()),
        3 => prop::collection::vec(any::<u8>(), 1..9),
        1 => repeated,
    ]
}

/// `original` with the edits made one after another.
pub fn edited(original: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut text = original.to_vec();
    for edit in edits {
        let length = text.len();
        let place = |at: &usize| at % (length + 1);
        let range = |at: &usize, wanted: &usize| place(at)..(place(at) + wanted).min(length);
        match edit {
            Edit::Overwrite { at, bytes } => {
                let range = range(at, &bytes.len());
                text.splice(range, bytes.iter().copied());
            }
            Edit::Insert { at, bytes } => {
                text.splice(place(at)..place(at), bytes.iter().copied());
            }
            Edit::Remove { at, length } => drop(text.drain(range(at, length))),
            Edit::Copy { from, length, at } => {
                let copied = text[range(from, length)].to_vec();
                text.splice(place(at)..place(at), copied);
            }
            Edit::Cut { at } => text.truncate(place(at)),
        }
    }
    text
}

/// One change of a JSON value: the walk to a place in it, and what happens there.
#[derive(Clone, Debug)]
pub struct Change {
    walk: Vec<usize>,
    action: Action,
}

#[derive(Clone, Debug)]
enum Action {
    Replace(Value),
    /// Takes it out of the array or object that it is in.
    Remove,
    /// Puts it a second time into the array that it is in, or renames it.
    Repeat,
}

/// Some changes of any JSON value.
pub fn changes() -> impl Strategy<Value = Vec<Change>> {
    let action = prop_oneof![
        6 => hostile_values().prop_map(Action::Replace),
        1 => Just(Action::Remove),
        1 => Just(Action::Repeat),
    ];
    let change = (prop::collection::vec(any::<usize>(), 0..6), action);
    prop::collection::vec(change.prop_map(|(walk, action)| Change { walk, action }), 1..4)
}

fn hostile_values() -> impl Strategy<Value = Value> {
    let huge = [1u64 << 31, 1 << 32, 1 << 53, 1 << 60, 1 << 61, u64::MAX / 8, u64::MAX];
    let known = [
        json!(null),
        json!(true),
        json!(""),
        json!("F64"),
        json!("I8"),
        json!("BPE"),
        json!("classic:q8.8"),
        json!("cell"),
        json!("bank=4096"),
        json!([]),
        json!({}),
        json!([[]]),
        json!([0, 0]),
        json!([1, 0]),
        json!([-1, 4]),
        json!(-1),
        json!(0),
        json!(1),
        json!(0.5),
        json!(-0.0),
        json!(1e308),
        json!(-1e308),
        json!(1e-320),
        json!(i64::MIN),
        json!(32767),
        json!(40000),
    ];
    prop_oneof![
        4 => prop::sample::select(known.to_vec()),
        1 => prop::sample::select(huge.to_vec()).prop_map(|size| json!(size)),
        1 => prop::sample::select(huge.to_vec()).prop_map(|size| json!([0, size])),
        1 => prop::sample::select(huge.to_vec()).prop_map(|size| json!([size, size])),
        1 => any::<i32>().prop_map(|number| json!(number)),
        1 => "\\PC{0,8}".prop_map(|text| json!(text)),
        1 => (1..200usize).prop_map(|depth| (0..depth).fold(json!(0), |inner, _| json!([inner]))),
        1 => (1..3000usize).prop_map(|length| json!("a".repeat(length))),
    ]
}

/// `original` with the changes made one after another.
pub fn changed(original: &Value, changes: &[Change]) -> Value {
    let mut value = original.clone();
    for Change { walk, action } in changes {
        change(&mut value, walk, action);
    }
    value
}

fn change(value: &mut Value, walk: &[usize], action: &Action) {
    let Some((step, rest)) = walk.split_first() else {
        if let Action::Replace(hostile) = action {
            *value = hostile.clone();
        }
        return;
    };
    match value {
        Value::Array(items) if !items.is_empty() => {
            let index = step % items.len();
            match action {
                Action::Remove if rest.is_empty() => drop(items.remove(index)),
                Action::Repeat if rest.is_empty() => items.push(items[index].clone()),
                _ => change(&mut items[index], rest, action),
            }
        }
        Value::Object(fields) if !fields.is_empty() => {
            let name = fields.keys().nth(step % fields.len()).expect("it is in range").clone();
            match action {
                Action::Remove if rest.is_empty() => drop(fields.remove(&name)),
                Action::Repeat if rest.is_empty() => {
                    let field = fields[&name].clone();
                    fields.insert(format!("{name}2"), field);
                }
                _ => change(fields.get_mut(&name).expect("it is there"), rest, action),
            }
        }
        leaf => change(leaf, &[], action),
    }
}
