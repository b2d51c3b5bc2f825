//! The model's page, without its browser.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use rwkv::generate::{Options, generate};
use rwkv::{LanguageModel, text};
use serde_json::{Value, json};
use wkv::circuit::gates::Gates;
use wkv::{Arithmetic, WkvSpec};
use wkv_web::model::{
    Model, Numerics, Reader, Story, checked_numerics, presets, refused_tokenizer,
};

const PROMPT: &str = "Once upon a time, there was a";

static LANGUAGE_MODEL: LazyLock<LanguageModel> =
    LazyLock::new(|| LanguageModel::read(&folder()).expect("the project's model loads"));

fn folder() -> PathBuf {
    project().join("models/stories-1.5m")
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn file(name: &str) -> Vec<u8> {
    fs::read(folder().join(name)).expect("the project's model")
}

fn model() -> Model {
    Model::new("stories-1.5m", &file("model.safetensors"), false).expect("the model loads")
}

fn prompt() -> Vec<u32> {
    LANGUAGE_MODEL.tokenizer.encode(PROMPT).expect("tokens")
}

fn numerics(name: &str) -> Numerics {
    Numerics::new(name).expect("known numerics")
}

/// A story whose prompt came in pieces, and all its tokens.
fn story(model: &Model, name: &str, tokens: usize) -> (Story, Vec<u32>) {
    let mut story =
        Story::new(model, &numerics(name), tokens, 0.9, 0.95, 5).expect("options in range");
    for piece in prompt().chunks(3) {
        story.read(model, piece).expect("tokens of the model");
    }
    let mut drawn = Vec::new();
    while let Some(token) = story.next(model).expect("finite predictions") {
        drawn.push(token);
    }
    (story, drawn)
}

#[track_caller]
fn assert_story_of_the_command_line(name: &str, numerics: &dyn wkv::Numerics, tokens: usize) {
    let options = Options { tokens, temperature: 0.9, top_p: 0.95, seed: 5 };
    let go_on = |_: &str| ControlFlow::Continue(());
    let expected = generate(&LANGUAGE_MODEL, numerics, PROMPT, options, go_on).expect("a story");
    let (story, drawn) = story(&model(), name, tokens);
    assert_eq!(drawn, expected.tokens, "{name}");
    assert_eq!((story.rep_4(), story.distinct_2()), (expected.rep_4(), expected.distinct_2()));
}

#[test]
fn stories_are_those_of_the_command_line() {
    let spec: WkvSpec = "classic:q8.8".parse().expect("a valid spec");
    assert_story_of_the_command_line("float", &Arithmetic::Float, 60);
    assert_story_of_the_command_line("classic:q8.8", &spec, 60);
    assert_story_of_the_command_line("classic:q8.8@gates", &Gates::new(&spec), 30);
    assert_story_of_the_command_line("float", &Arithmetic::Float, 0);
}

#[test]
fn a_reader_predicts_the_tokens_of_a_story() {
    let model = model();
    let followed = |name: &str| -> Vec<f64> {
        let mut story =
            Story::new(&model, &numerics("float"), 12, 0.9, 0.95, 5).expect("options in range");
        let mut reader = Reader::new(&model, &numerics(name));
        story.read(&model, &prompt()).expect("tokens of the model");
        reader.read(&model, &prompt()).expect("tokens of the model");
        let mut divergences = Vec::new();
        while story.next(&model).expect("finite predictions").is_some() {
            divergences.push(reader.follow(&model, &story));
        }
        divergences
    };
    assert_eq!(followed("float"), [0.0; 12]);

    let spec: WkvSpec = "classic:q10.6".parse().expect("a valid spec");
    let (_, drawn) = story(&model, "float", 12);
    let tokens = [vec![0], prompt(), drawn].concat();
    let predictions = |numerics: &dyn wkv::Numerics| {
        let model = &LANGUAGE_MODEL.model;
        model.forward(&tokens[..tokens.len() - 1], &mut model.start(numerics))
    };
    let [float, fixed] = [predictions(&Arithmetic::Float), predictions(&spec)];
    let vocabulary = model.vocabulary();
    let expected: Vec<f64> = float
        .chunks_exact(vocabulary)
        .zip(fixed.chunks_exact(vocabulary))
        .skip(prompt().len())
        .map(|(float, fixed)| rwkv::eval::divergence(float, fixed))
        .collect();
    assert_eq!(followed("classic:q10.6"), expected);
    assert!(expected.iter().all(|kl| (1e-9..1.0).contains(kl)), "{expected:?}");
}

#[test]
fn the_model_may_end_its_story() {
    let (told, drawn) = story(&model(), "float", 2_000);
    assert!(told.ended_by_model() && drawn.len() < 2_000);
    let (told, drawn) = story(&model(), "float", 5);
    assert!(!told.ended_by_model() && drawn.len() == 5);
}

#[test]
fn names_of_numerics() {
    let checked = |name: &str| checked_numerics(name);
    assert_eq!(checked("float"), Ok("float".to_owned()));
    assert_eq!(checked("classic:q8.8:lut32"), Ok("classic:q8.8".to_owned()));
    assert_eq!(checked("classic:q6.10@gates"), Ok("classic:q6.10@gates".to_owned()));
    for (name, reason) in [
        ("float@gates", "no circuit computes float"),
        ("classic:q8.8:exp2=exact@gates", "no circuit computes classic:q8.8:exp2=exact"),
        ("classic:q1.15", "unknown format \"q1.15\""),
        ("", "unknown numerics \"\""),
        ("classic:q8.8@", "unknown format \"q8.8@\""),
    ] {
        let refused = checked(name).expect_err(name);
        assert!(refused.starts_with(reason), "{refused}");
        assert_eq!(Numerics::new(name).err(), Some(refused));
    }
    let presets = presets();
    assert_eq!(&presets[..3], ["classic:q8.8", "classic:q6.10", "classic:q10.6"]);
    assert!(presets.iter().all(|name| checked(name).as_ref() == Ok(name)), "{presets:?}");
}

#[test]
fn damaged_and_foreign_files() {
    let weights = file("model.safetensors");
    let refused = |bytes: &[u8]| Model::new("mine", bytes, false).err().expect("refused");
    let cut = refused(&weights[..weights.len() - 1]);
    assert!(cut.starts_with("mine: ") && cut.contains("truncated"), "{cut}");
    assert!(refused(b"").starts_with("mine: no checkpoint"));
    assert!(refused(b"<!doctype html>").starts_with("mine: no checkpoint"));

    let tokenizer = file("tokenizer.json");
    assert_eq!(refused_tokenizer(&tokenizer), None);
    assert!(refused_tokenizer(&tokenizer[..1000]).is_some());
    let mut other: Value = serde_json::from_slice(&tokenizer).expect("JSON");
    other["model"]["type"] = json!("WordPiece");
    let reason = refused_tokenizer(other.to_string().as_bytes()).expect("refused");
    assert!(reason.contains("WordPiece"), "{reason}");
}

#[test]
fn tokens_and_options_out_of_range() {
    let model = model();
    let float = numerics("float");
    let refused = |temperature, top_p| {
        Story::new(&model, &float, 1, temperature, top_p, 1).err().expect("refused")
    };
    assert!(refused(-1.0, 0.9).starts_with("temperature -1"));
    assert!(refused(f64::NAN, 0.9).starts_with("temperature NaN"));
    assert!(refused(1.0, 0.0).starts_with("top-p 0"));
    let mut story = Story::new(&model, &float, 1, 1.0, 0.9, 1).expect("options in range");
    assert_eq!(
        story.read(&model, &[1, 2048]).expect_err("refused"),
        "token 2048 is none of the model's 2048"
    );
    assert!(Reader::new(&model, &float).read(&model, &[4000]).is_err());
}

#[test]
fn weights_in_8_bits_are_a_quarter() {
    let [full, rounded] = [false, true]
        .map(|int8| Model::new("m", &file("model.safetensors"), int8).expect("the model loads"));
    let share = rounded.bytes() as f64 / full.bytes() as f64;
    assert!((0.25..0.27).contains(&share), "{share}");
    assert_eq!((full.blocks(), full.channels(), full.vocabulary()), (6, 128, 2048));
}

/// Texts that a tokenizer may get wrong.
const ODD: [&str; 14] = [
    "",
    " ",
    "\n\n \n",
    "Hello,   world\t\tand\r\nmore  ",
    "don't I'll WE'VE it's 'tis",
    "1234567890 12 345",
    "na\u{ef}ve caf\u{e9} cafe\u{301}",
    "\u{65e5}\u{672c}\u{8a9e} \u{2603} \u{1f469}\u{200d}\u{1f467}",
    "\u{feff}byte order",
    "\u{0}\u{1}\u{ad}\u{a0}\u{7f}\u{2028}",
    "<|endoftext|>",
    "one<|endoftext|> two <|endoftext",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "\u{10ffff}\u{fffd}!?;:\u{201c}\u{201d}\u{2014}",
];

/// What the pages' tokenizer has to give, told by ours: `tests/tokens.test.mjs` reads it.
/// `TOKENS_UPDATE=1` writes it again.
#[test]
fn tokens_for_the_pages() {
    let documents =
        text::read(&project().join("text/stories.txt")).expect("the text is readable").texts;
    let tokenized = LANGUAGE_MODEL.encode_documents(&documents).expect("tokens");
    let mut checksum = crc32fast::Hasher::new();
    for token in tokenized.iter().flat_map(|document| document.iter().chain(&[0])) {
        checksum.update(&token.to_le_bytes());
    }
    let odd = ODD.map(|text| {
        let tokens = LANGUAGE_MODEL.tokenizer.encode(text).expect("tokens");
        let back = LANGUAGE_MODEL.tokenizer.decode(&tokens).expect("text");
        json!({ "text": text, "tokens": tokens, "decoded": back })
    });
    let told = json!({
        "documents": tokenized.len(),
        "tokens": tokenized.iter().map(Vec::len).sum::<usize>(),
        "crc32": checksum.finalize(),
        "odd": odd,
    });
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tokens.json");
    if std::env::var_os("TOKENS_UPDATE").is_some() {
        let text = serde_json::to_string_pretty(&told).expect("JSON");
        fs::write(&file, text + "\n").expect("written");
    }
    let kept: Value = serde_json::from_slice(&fs::read(file).expect("kept")).expect("JSON");
    assert_eq!(told, kept);
}
