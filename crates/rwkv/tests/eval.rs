//! Perplexities against an independent implementation in f64, and the comparison of arms.

mod common;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use common::{documents, go_on, shared, small_model, stories};
use rwkv::LanguageModel;
use rwkv::eval::{
    Arm, ArmResult, Bootstrap, Comparison, EvalError, Interval, Part, Sequence, Task, compare,
    evaluate, first_documents, measure,
};
use wkv::float::Float;
use wkv::stats::{Counts, ErrorStats};
use wkv::{Numerics, Recurrence, WkvSpec};

/// Relative difference that leaves the first figures alone: the reference is in f64, we in f32.
const CLOSE: f64 = 1e-6;

fn assert_perplexity(language_model: &LanguageModel, documents: &[Vec<u32>], expected: f64) {
    let started = Instant::now();
    let evaluation = evaluate(&language_model.model, &Float, documents, &go_on)
        .expect("nothing stops the evaluation");
    let seconds = started.elapsed().as_secs_f64();
    let tokens = evaluation.predicted_tokens();
    let perplexity = evaluation.perplexity();
    eprintln!(
        "perplexity {perplexity:.6}, expected {expected}: {} documents, {tokens} tokens, {seconds:.2} s, \
         {:.0} tokens/s",
        documents.len(),
        tokens as f64 / seconds,
    );
    assert!(
        (perplexity / expected - 1.0).abs() < CLOSE,
        "perplexity {perplexity}, expected {expected}"
    );
}

fn assert_shared_perplexity(model: &str, text: &str, tokens: u64, expected: f64) {
    let (Some(model), Some(text)) = (shared(model), shared(text)) else {
        return;
    };
    let language_model = LanguageModel::read(&model).expect("the model loads");
    let documents = documents(&language_model, &text);
    let predicted: usize = documents.iter().map(|document| document.len() + 1).sum();
    assert_eq!(predicted as u64, tokens);
    assert_perplexity(&language_model, &documents, expected);
}

#[test]
fn small_model_on_first_stories() {
    let language_model = small_model();
    let documents = stories(&language_model);
    assert_perplexity(&language_model, &documents[..20], 20.831900);
}

#[test]
fn small_model_on_all_stories() {
    let language_model = small_model();
    let documents = stories(&language_model);
    assert_eq!(documents.len(), 154);
    assert_perplexity(&language_model, &documents, 30.619469);
}

#[test]
fn small_model_on_valid() {
    let text = "text/tinystories/valid.txt";
    assert_shared_perplexity("models/stories-1.5m", text, 136_922, 6.685892);
}

#[test]
fn large_model_on_stories() {
    assert_shared_perplexity("models/stories-12m", "text/stories.txt", 45_715, 30.179310);
}

#[test]
#[ignore = "half a minute; reads the shared material"]
fn large_model_on_valid() {
    let text = "text/tinystories/valid.txt";
    assert_shared_perplexity("models/stories-12m", text, 136_922, 5.752880);
}

fn compare_specs(specs: &[&str], documents: &[Vec<u32>]) -> Comparison {
    let parsed: Vec<WkvSpec> =
        specs.iter().map(|spec| spec.parse().expect("a valid spec")).collect();
    let arms: Vec<Arm> =
        specs.iter().zip(&parsed).map(|(label, numerics)| Arm { label, numerics }).collect();
    compare(&small_model().model, &Float, &arms, documents, &go_on).expect("nothing stops it")
}

/// The figures of an independent script on the same documents.
#[test]
fn classic_formats_on_the_first_stories() {
    let documents = &stories(&small_model())[..16];
    let comparison = compare_specs(&["classic:q8.8", "classic:q10.6"], documents);
    assert_eq!(comparison.predicted_tokens(), 4_338);
    assert_about(comparison.reference_perplexity(), 20.230, 0.001);

    let expected = [(20.282, 4.5e-4, 0.987), (20.362, 4.9e-3, 0.958)];
    for (arm, (perplexity, kl, agreement)) in comparison.arms.iter().zip(expected) {
        assert_about(comparison.perplexity(arm), perplexity, 0.002);
        assert_about(comparison.kl_mean(arm) / kl, 1.0, 0.02);
        assert_about(comparison.top1_agreement(arm), agreement, 0.001);
        assert_intervals(&comparison, arm);
        assert_errors(&comparison, arm);
    }
}

#[track_caller]
fn assert_about(found: f64, expected: f64, tolerance: f64) {
    let error = (found - expected).abs();
    assert!(error < tolerance, "{found}, expected {expected}");
}

/// Every interval holds its figure, and pairing makes the ratio's far narrower.
fn assert_intervals(comparison: &Comparison, arm: &ArmResult) {
    let bootstrap = Bootstrap::default();
    let perplexity = comparison.perplexity_interval(arm, bootstrap);
    let ratio = comparison.perplexity_ratio_interval(arm, bootstrap);
    let figures = [
        (comparison.perplexity(arm), perplexity),
        (comparison.perplexity_ratio(arm), ratio),
        (comparison.kl_mean(arm), comparison.kl_mean_interval(arm, bootstrap)),
        (comparison.top1_agreement(arm), comparison.top1_agreement_interval(arm, bootstrap)),
    ];
    for (figure, Interval { low, high }) in figures {
        assert!(low < figure && figure < high, "{figure} in {low} to {high}");
    }
    let spread = perplexity.high / perplexity.low - 1.0;
    assert!(ratio.high - ratio.low < spread / 20.0);
}

/// Every value is counted once, by block and by position.
fn assert_errors(comparison: &Comparison, arm: &ArmResult) {
    let values = comparison.predicted_tokens() * 6 * 128;
    let counts = |errors: &[ErrorStats]| errors.iter().map(|error| error.count).sum::<u64>();
    assert_eq!(arm.error().count, values);
    assert_eq!(counts(&arm.errors_by_block()), values);
    assert_eq!(counts(&arm.errors_by_position()), values);
    assert_eq!(arm.errors_by_position()[0].count, 16 * 32 * 6 * 128);
    assert_eq!(arm.errors_by_block().len(), 6);
    assert_eq!(arm.counts.len(), 6);
    assert!(arm.error().rms() < 0.1 * comparison.signal_rms());
    assert!(arm.error().max_abs >= arm.error().rms());
    assert!(arm.kl_max() > comparison.kl_mean(arm));
}

#[test]
fn reference_equals_itself() {
    let language_model = small_model();
    let documents = &stories(&language_model)[..2];
    let arm = Arm { label: "float", numerics: &Float };
    let comparison = compare(&language_model.model, &Float, &[arm], documents, &go_on)
        .expect("nothing stops it");
    let arm = &comparison.arms[0];
    assert_eq!(arm.error().max_abs, 0.0);
    assert_about(comparison.kl_mean(arm), 0.0, 1e-12);
    assert_eq!(comparison.top1_agreement(arm), 1.0);
    assert_eq!(comparison.perplexity_ratio(arm), 1.0);
    assert_eq!(arm.counts.iter().map(|counts| counts.saturations.total()).sum::<u64>(), 0);

    let evaluation =
        evaluate(&language_model.model, &Float, documents, &go_on).expect("nothing stops it");
    assert_eq!(evaluation.perplexity(), comparison.reference_perplexity());
    assert_eq!(evaluation.nll, comparison.reference_nll);
    assert_eq!(evaluation.tokens, comparison.tokens);
}

#[test]
fn threads_do_not_matter() {
    let documents = &stories(&small_model())[..6];
    let with = |threads: usize| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a pool")
            .install(|| compare_specs(&["classic:q8.8"], documents))
    };
    assert_eq!(with(1), with(3));
}

/// So that arms may be measured in any company, and parts of a sweep at any time.
#[test]
fn arms_do_not_depend_on_the_arms_beside_them() {
    let documents = &stories(&small_model())[..3];
    let together = compare_specs(&["classic:q10.6", "classic:q8.8", "classic:q6.10"], documents);
    let alone = compare_specs(&["classic:q8.8"], documents);
    assert_eq!(together.arms[1], alone.arms[0]);
    assert_eq!(together.reference_nll, alone.reference_nll);
    assert_eq!(together.signal, alone.signal);
}

#[test]
fn parts_add_up_to_the_comparison() {
    let model = small_model().model;
    let documents = &stories(&small_model())[..3];
    let spec: WkvSpec = "classic:q8.8".parse().expect("a spec");
    let arms = [Arm { label: "classic:q8.8", numerics: &spec }];
    let sequences = Sequence::of_documents(documents);
    // Last document first, and one of them without the arm.
    let tasks: Vec<Task> = [(2, vec![0]), (0, vec![0]), (1, vec![])]
        .map(|(number, arms)| Task { number, sequence: &sequences[number], arms })
        .to_vec();
    let found = Mutex::new(Vec::new());
    let keep = |part| {
        found.lock().expect("no panic").push(part);
        ControlFlow::Continue(())
    };
    measure(&model, &Float, &arms, &tasks, &go_on, &keep).expect("nothing stops it");
    let mut parts: Vec<Part> = found.into_inner().expect("no panic");
    parts.sort_by_key(|part| part.number);
    assert_eq!(parts.iter().map(|part| part.arms.len()).collect::<Vec<_>>(), [1, 0, 1]);

    let whole = compare_specs(&["classic:q8.8"], documents);
    let nll: Vec<f64> = parts.iter().map(|part| part.reference.nll).collect();
    assert_eq!(nll, whole.reference_nll);
    for number in [0, 2] {
        assert_eq!(parts[number].arms[0].1.result, whole.arms[0].documents[number]);
    }
    let stopped =
        measure(&model, &Float, &arms, &tasks, &go_on, &|_| ControlFlow::Break(())).expect_err("");
    assert_eq!(stopped, EvalError::Stopped);
}

#[test]
fn documents_are_strung_together_and_cut() {
    let documents = [vec![1, 2], vec![3], vec![4, 5, 6]];
    let cut = |context| {
        let context = NonZeroUsize::new(context).expect("it is positive");
        let sequences = Sequence::cut(&documents, context);
        sequences.iter().map(|sequence| sequence.tokens().to_vec()).collect::<Vec<_>>()
    };
    // The last token of a sequence is the first input of the next.
    assert_eq!(cut(4), [vec![0, 1, 2, 0, 3], vec![3, 0, 4, 5, 6], vec![6, 0]]);
    assert_eq!(cut(9), [vec![0, 1, 2, 0, 3, 0, 4, 5, 6, 0]]);
    assert_eq!(cut(100), cut(9));
    assert_eq!(cut(1).len(), 9);
}

#[test]
fn results_survive_json() {
    let documents = &stories(&small_model())[..1];
    let comparison = compare_specs(&["classic:q8.8"], documents);
    let text = serde_json::to_string(&comparison).expect("it serialises");
    let back: Comparison = serde_json::from_str(&text).expect("it parses");
    assert_eq!(back.tokens, comparison.tokens);
    assert_eq!(back.arms[0].counts, comparison.arms[0].counts);
}

#[test]
fn progress_reaches_the_end_or_stops() {
    let language_model = small_model();
    let documents = &stories(&language_model)[..4];
    let greatest = AtomicU64::new(0);
    evaluate(&language_model.model, &Float, documents, &|progress| {
        greatest.fetch_max(progress.done, Ordering::Relaxed);
        assert!(progress.done <= progress.total);
        ControlFlow::Continue(())
    })
    .expect("nothing stops it");
    let tokens: usize = documents.iter().map(|document| document.len() + 1).sum();
    assert_eq!(greatest.into_inner(), tokens as u64);

    let calls = AtomicU64::new(0);
    let stopped = evaluate(&language_model.model, &Float, documents, &|_| {
        calls.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Break(())
    });
    assert_eq!(stopped, Err(EvalError::Stopped));
    assert!(calls.into_inner() <= rayon::current_num_threads() as u64);
}

#[test]
fn nothing_to_evaluate() {
    let model = small_model().model;
    let none = Err(EvalError::NoDocuments);
    assert_eq!(evaluate(&model, &Float, &[], &go_on), none);
    assert!(compare(&model, &Float, &[], &[], &go_on).is_err());
}

/// Finite weights whose predictions are not.
#[test]
fn undefined_predictions_are_an_error() {
    let model = common::undefined_model().model;
    let documents = [vec![1, 2], vec![3]];
    let of = |arm: Option<&str>| EvalError::NotFinite { document: 1, arm: arm.map(str::to_owned) };
    let one = &documents[..1];
    assert_eq!(evaluate(&model, &Float, one, &go_on), Err(of(None)));
    assert_eq!(compare(&model, &Float, &[], one, &go_on).expect_err("no prediction"), of(None));
    assert!(evaluate(&model, &Float, &documents, &go_on).is_err());

    // An arm alone may fail.
    let arm = Arm { label: "nothing", numerics: &Undefined };
    let found = compare(&small_model().model, &Float, &[arm], one, &go_on);
    assert_eq!(found.expect_err("no prediction"), of(Some("nothing")));
    assert!(of(Some("nothing")).to_string().contains("of nothing on document 1 is not finite"));
}

/// A recurrence that gives no number.
struct Undefined;

impl Numerics for Undefined {
    fn bank(&self, u: &[f64], _: &[f64]) -> Box<dyn Recurrence> {
        Box::new(UndefinedBank(u.len()))
    }
}

/// A bank of so many channels.
struct UndefinedBank(usize);

impl Recurrence for UndefinedBank {
    fn channels(&self) -> usize {
        self.0
    }

    fn reset(&mut self) {}

    fn counts(&self) -> Counts {
        Counts::default()
    }

    fn run(&mut self, _: &[f32], _: &[f32], out: &mut [f32]) {
        out.fill(f32::NAN);
    }
}

#[test]
fn first_documents_are_whole() {
    let documents = [vec![1; 9], vec![2; 4], vec![3; 7]];
    for (at_least, count) in [(0, 0), (1, 1), (10, 1), (11, 2), (15, 2), (16, 3), (1_000, 3)] {
        assert_eq!(first_documents(&documents, at_least).len(), count, "{at_least} tokens");
    }
}

#[test]
fn bootstrap_of_a_mean() {
    let values: Vec<f64> = (0..400).map(|i| f64::from(i % 20)).collect();
    let mean = |times: &[u32]| {
        let sum: f64 = times.iter().zip(&values).map(|(&n, x)| f64::from(n) * x).sum();
        sum / times.iter().sum::<u32>() as f64
    };
    let bootstrap = Bootstrap::default();
    let interval = bootstrap.interval(values.len(), mean);
    // The mean's standard error: the population's deviation over the root of its size.
    let error = (399.0f64 / 12.0 / 400.0).sqrt();
    assert_about(interval.low, 9.5 - 1.96 * error, 0.05);
    assert_about(interval.high, 9.5 + 1.96 * error, 0.05);
    assert_eq!(bootstrap.interval(values.len(), mean), interval);
    let other = Bootstrap { seed: 2, ..bootstrap };
    assert_ne!(other.interval(values.len(), mean), interval);
}
