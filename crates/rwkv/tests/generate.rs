//! Telling stories.

mod common;

use std::ops::ControlFlow;
use std::sync::LazyLock;

use rwkv::LanguageModel;
use rwkv::eval::divergence;
use rwkv::generate::{Continuation, End, Options, Reader, Story, generate};
use rwkv::linear::Weights;
use wkv::circuit::gates::Gates;
use wkv::float::Float;
use wkv::{Numerics, WkvSpec};

static MODEL: LazyLock<LanguageModel> = LazyLock::new(common::small_model);

const PROMPT: &str = "Once upon a time, there was a";

fn tell(options: Options) -> Story {
    generate(&MODEL, &Float, PROMPT, options, |_| ControlFlow::Continue(())).expect("a story")
}

fn options(tokens: usize, temperature: f64, top_p: f64, seed: u64) -> Options {
    Options { tokens, temperature, top_p, seed }
}

#[test]
fn seed_decides() {
    let story = tell(options(40, 1.0, 0.9, 7));
    assert_eq!(tell(options(40, 1.0, 0.9, 7)).tokens, story.tokens);
    assert_ne!(tell(options(40, 1.0, 0.9, 8)).tokens, story.tokens);
}

#[test]
fn temperature_0_is_the_most_likely_continuation() {
    let story = tell(options(12, 0.0, 1.0, 1));
    // A nucleus so small that it has one token.
    assert_eq!(tell(options(12, 1.0, 1e-9, 2)).tokens, story.tokens);

    let model = &MODEL.model;
    let mut tokens = vec![0];
    tokens.extend(MODEL.tokenizer.encode(PROMPT).expect("tokens"));
    for &token in &story.tokens {
        let logits = model.forward(&tokens, &mut model.start(&Float));
        let last = &logits[logits.len() - model.sizes().vocabulary..];
        let greatest = last.iter().copied().fold(f32::MIN, f32::max);
        assert_eq!(last[token as usize], greatest);
        tokens.push(token);
    }
}

#[test]
fn pieces_make_the_text() {
    let mut heard = String::new();
    let story = generate(&MODEL, &Float, PROMPT, options(60, 1.5, 1.0, 3), |piece| {
        heard.push_str(piece);
        ControlFlow::Continue(())
    })
    .expect("a story");
    assert_eq!(heard, story.text);
    assert_eq!(MODEL.tokenizer.decode(&story.tokens).expect("text"), story.text);
}

#[test]
fn ends() {
    let story = tell(options(5, 1.0, 0.9, 1));
    assert_eq!((story.end, story.tokens.len()), (End::Length, 5));
    assert!(story.tokens_per_second() > 0.0);

    let story = tell(options(0, 1.0, 0.9, 1));
    assert_eq!((story.end, story.text.as_str()), (End::Length, ""));

    let story = tell(options(2_000, 0.5, 0.9, 1));
    assert_eq!(story.end, End::EndOfText);
    assert!(!story.tokens.contains(&0));

    let mut pieces = 0;
    let story = generate(&MODEL, &Float, "", options(50, 1.0, 0.9, 1), |_| {
        pieces += 1;
        if pieces < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
    .expect("a story");
    assert_eq!((story.end, pieces), (End::Stopped, 3));
}

/// The prompt is read in chunks, whose number does not matter.
#[test]
fn a_prompt_may_be_longer_than_a_chunk() {
    let prompt = "The cat sat on the mat. ".repeat(100);
    let options = options(8, 0.0, 1.0, 1);
    let story = generate(&MODEL, &Float, &prompt, options, |_| ControlFlow::Continue(()));
    let story = story.expect("a story");
    let tokens = [vec![0], MODEL.tokenizer.encode(&prompt).expect("tokens")].concat();
    assert_eq!(story.prompt_tokens, tokens.len());
    assert!(tokens.len() > 2 * rwkv::eval::CHUNK && story.prompt_tokens_per_second() > 0.0);

    let logits = MODEL.model.forward(&tokens, &mut MODEL.model.start(&Float));
    let last = &logits[logits.len() - MODEL.model.sizes().vocabulary..];
    let greatest = last.iter().copied().fold(f32::MIN, f32::max);
    assert_eq!(last[story.tokens[0] as usize], greatest);
}

/// The tokens of a continuation whose prompt is read in pieces of `piece` tokens.
fn continuation(options: Options, piece: usize) -> (Vec<u32>, End) {
    let model = &MODEL.model;
    let mut continuation = Continuation::new(model, &Float, options).expect("options in range");
    for tokens in MODEL.tokenizer.encode(PROMPT).expect("tokens").chunks(piece) {
        continuation.read(model, tokens);
    }
    let mut tokens = Vec::new();
    loop {
        match continuation.next(model).expect("finite predictions") {
            ControlFlow::Continue(token) => tokens.push(token),
            ControlFlow::Break(end) => {
                // It stays ended.
                assert_eq!(continuation.next(model).expect("an end"), ControlFlow::Break(end));
                return (tokens, end);
            }
        }
    }
}

#[test]
fn a_continuation_is_the_story_without_its_text() {
    for (options, end) in [
        (options(30, 0.9, 0.9, 4), End::Length),
        (options(0, 0.9, 0.9, 4), End::Length),
        (options(2_000, 0.5, 0.9, 1), End::EndOfText),
    ] {
        let story = tell(options);
        assert_eq!(story.end, end);
        for piece in [1, 3, 100] {
            assert_eq!(continuation(options, piece), (story.tokens.clone(), end));
        }
    }
}

/// One reader takes the tokens that a continuation in another arithmetic draws.
#[test]
fn predictions_on_the_tokens_of_another_arithmetic() {
    let model = &MODEL.model;
    let spec: WkvSpec = "classic:q10.6".parse().expect("a valid spec");
    let options = options(20, 0.9, 0.9, 4);
    let mut float = Continuation::new(model, &Float, options).expect("options in range");
    let mut same = Reader::new(model, &Float);
    let mut coarse = Reader::new(model, &spec);
    let mut tokens = vec![0];
    assert!(float.logits().is_empty());
    while let ControlFlow::Continue(token) = float.next(model).expect("finite predictions") {
        assert_eq!(same.logits(model), float.logits());
        assert_eq!(divergence(float.logits(), same.logits(model)), 0.0);
        let logits = model.forward(&tokens, &mut model.start(&spec));
        let last = &logits[logits.len() - model.sizes().vocabulary..];
        assert_eq!(coarse.logits(model), last);
        let kl = divergence(float.logits(), last);
        assert!((1e-9..1.0).contains(&kl), "{kl}");
        tokens.push(token);
        same.push(token);
        coarse.push(token);
    }
    assert_eq!(tokens.len(), 21);
}

fn story(tokens: &[u32]) -> Story {
    Story { tokens: tokens.to_vec(), ..tell(options(0, 1.0, 0.9, 1)) }
}

#[test]
fn stories_differ_where_a_token_does_or_one_ends() {
    let first_difference = |a, b| story(a).first_difference(&story(b));
    assert_eq!(first_difference(&[1, 2, 3], &[1, 2, 3]), None);
    assert_eq!(first_difference(&[1, 2, 3], &[1, 9, 3]), Some(1));
    assert_eq!(first_difference(&[1, 2], &[1, 2, 3]), Some(2));
    assert_eq!(first_difference(&[], &[1]), Some(0));
}

#[test]
fn repetition_of_a_story() {
    let story = story(&[1, 2, 3, 4, 1, 2, 3, 4]);
    assert_eq!((story.rep_4(), story.distinct_2()), (Some(0.2), Some(4.0 / 7.0)));
}

#[track_caller]
fn assert_gates_tell_the_integer_models_story(model: &LanguageModel, spec: &str, tokens: usize) {
    let spec: WkvSpec = spec.parse().expect("a valid spec");
    let tell = |numerics: &dyn Numerics| {
        let options = options(tokens, 0.9, 0.95, 5);
        generate(model, numerics, PROMPT, options, |_| ControlFlow::Continue(())).expect("a story")
    };
    let (fixed, gates) = (tell(&spec), tell(&Gates::new(&spec)));
    assert_eq!(gates.tokens, fixed.tokens, "{spec}");
    assert!(fixed.tokens.len() > tokens / 4, "{}", fixed.text);
}

#[test]
fn gates_tell_the_integer_models_story() {
    assert_gates_tell_the_integer_models_story(&MODEL, "classic:q8.8", 100);
    assert_gates_tell_the_integer_models_story(&MODEL, "classic:q6.10:lut64:nointerp", 40);
    let int8 = MODEL.clone().with_weights(Weights::Int8);
    assert_gates_tell_the_integer_models_story(&int8, "classic:q8.8", 40);
}

#[test]
fn gates_tell_the_story_of_a_larger_integer_model() {
    let Some(folder) = common::shared("models/stories-12m") else { return };
    let model = LanguageModel::read(&folder).expect("it loads");
    assert_gates_tell_the_integer_models_story(&model, "classic:q8.8", 60);
}

#[test]
fn fixed_point_tells_a_story_too() {
    let spec: WkvSpec = "classic:q8.8".parse().expect("a valid spec");
    let options = options(10, 0.0, 1.0, 1);
    let story = generate(&MODEL, &spec, PROMPT, options, |_| ControlFlow::Continue(()));
    assert_eq!(story.expect("a story").tokens, tell(options).tokens);
}

#[test]
fn options_out_of_range() {
    let refused = |temperature, top_p| {
        generate(&MODEL, &Float, "", options(1, temperature, top_p, 1), |_| {
            ControlFlow::Continue(())
        })
        .expect_err("out of range")
        .to_string()
    };
    for temperature in [-0.1, f64::NAN, f64::INFINITY] {
        assert!(refused(temperature, 0.9).starts_with("temperature"));
    }
    for top_p in [0.0, -1.0, 1.1, f64::NAN] {
        assert!(refused(1.0, top_p).starts_with("top-p"));
    }
}

#[test]
fn undefined_predictions_are_an_error() {
    let model = common::undefined_model();
    let story =
        generate(&model, &Float, PROMPT, options(5, 0.0, 1.0, 1), |_| ControlFlow::Continue(()));
    let message = story.expect_err("no prediction").to_string();
    assert!(message.contains(" of the story are not finite"), "{message}");
}
