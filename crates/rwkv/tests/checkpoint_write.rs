//! Checkpoints written and read again, by this crate and by PyTorch, and their exponents of 2.

mod common;

use std::f64::consts::LOG2_E;
use std::fs;
use std::process::Command;

use common::project;
use proptest::prelude::*;
use rwkv::checkpoint::{
    CheckpointFile, ElementType, Exponents, Format, Names, Target, TargetError,
};
use rwkv::{Checkpoint, Model};
use wkv::float::Float;

const FORMATS: [Format; 3] = [Format::Safetensors, Format::Pytorch, Format::RwkvCpp];

fn small() -> CheckpointFile {
    let path = project().join("models/stories-1.5m/model.safetensors");
    CheckpointFile::read(&path).expect("the project's model")
}

/// As before, in another container.
fn target(format: Format) -> Target {
    Target { format, names: Names::Blinkdl, element_type: None, base2: false }
}

fn written(file: CheckpointFile, target: &Target) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut prepared = file.prepare("m", target).expect("weights that fit");
    prepared.write(&mut bytes).expect("memory takes all");
    bytes
}

fn converted(file: CheckpointFile, target: &Target) -> CheckpointFile {
    CheckpointFile::from_bytes("m", &written(file, target)).expect("what was written loads")
}

#[test]
fn containers_keep_every_bit() {
    let before = small();
    for format in [Format::Safetensors, Format::Pytorch] {
        for names in [Names::Blinkdl, Names::HuggingFace] {
            let after = converted(small(), &Target { names, ..target(format) });
            assert_eq!((after.format, after.names), (format, names));
            assert_eq!(after.checkpoint, before.checkpoint);
            assert_eq!(after.element_types, before.element_types);
        }
    }
}

#[test]
fn rwkv_cpp_changes_decays_only() {
    let before = small();
    let mut after = converted(small(), &target(Format::RwkvCpp));
    assert_eq!(after.format, Format::RwkvCpp);
    assert_eq!(after.element_types, before.element_types);
    for (after, before) in after.checkpoint.blocks.iter_mut().zip(&before.checkpoint.blocks) {
        let (after, before) = (&mut after.time_mix, &before.time_mix);
        assert_eq!(after.exponents, Exponents::Rate);
        for (rate, decay) in after.time_decay.iter().zip(&before.time_decay) {
            assert_eq!(*rate, -f64::from(*decay).exp() as f32);
        }
        after.exponents = before.exponents;
        after.time_decay.clone_from(&before.time_decay);
    }
    assert_eq!(after.checkpoint, before.checkpoint);
}

#[test]
fn decays_come_back_to_rounding() {
    let before = small();
    for base2 in [false, true] {
        let format = if base2 { Format::Pytorch } else { Format::RwkvCpp };
        let other = converted(small(), &Target { base2, ..target(format) });
        let back = converted(other, &target(Format::Safetensors));
        let blocks = back.checkpoint.blocks.iter().zip(&before.checkpoint.blocks);
        for (back, before) in blocks {
            assert_eq!(back.time_mix.exponents, Exponents::Trained);
            let decays = back.time_mix.time_decay.iter().zip(&before.time_mix.time_decay);
            for (back, before) in decays {
                assert!((back - before).abs() < 5e-7, "{back} instead of {before}");
            }
        }
    }
}

#[test]
fn chosen_element_types() {
    for format in FORMATS {
        for element_type in [ElementType::F32, ElementType::F16, ElementType::Bf16] {
            let target = Target { element_type: Some(element_type.clone()), ..target(format) };
            if target.check() == Err(TargetError::NoBf16) {
                assert_eq!((format, element_type), (Format::RwkvCpp, ElementType::Bf16));
                continue;
            }
            let after = converted(small(), &target);
            assert_eq!(after.element_types["emb.weight"], element_type);
            let vector = if format == Format::RwkvCpp { ElementType::F32 } else { element_type };
            assert_eq!(after.element_types["ln_out.bias"], vector);
        }
    }
}

#[test]
fn what_formats_do_not_have() {
    let target = target(Format::RwkvCpp);
    let base2 = Target { base2: true, ..target.clone() };
    assert_eq!(base2.check(), Err(TargetError::NoMark));
    let names = Target { names: Names::HuggingFace, ..target };
    assert_eq!(names.check(), Err(TargetError::NoNames));
    let format = Format::Pytorch;
    let quantised = Target { format, element_type: Some(ElementType::Q5_1), ..names };
    assert_eq!(quantised.check(), Err(TargetError::NoQuantised));
}

#[test]
fn weights_that_do_not_fit() {
    let refused = |change: fn(&mut Checkpoint), element_type, format| {
        let mut file = small();
        change(&mut file.checkpoint);
        let target = Target { element_type: Some(element_type), ..target(format) };
        file.prepare("m", &target).expect_err("an overflow").to_string()
    };
    let message = refused(
        |checkpoint| {
            checkpoint.blocks[2].time_mix.value[7] = -65520.0;
            checkpoint.ln_out.bias[3] = 1e5;
        },
        ElementType::F16,
        Format::Safetensors,
    );
    let expected = "m: tensor `blocks.2.att.value.weight` holds -65520 at element 7, which F16 cannot \
                    hold\nm: tensor `ln_out.bias` holds 100000 at element 3, which F16 cannot hold";
    assert_eq!(message, expected);
    let message =
        refused(|checkpoint| checkpoint.head[0] = f32::MAX, ElementType::Bf16, Format::Pytorch);
    assert!(message.contains("`head.weight` holds 340282350"), "{message}");
    let message = refused(
        |checkpoint| checkpoint.blocks[0].time_mix.time_decay[5] = 100.0,
        ElementType::F32,
        Format::RwkvCpp,
    );
    let expected = "`blocks.0.att.time_decay` holds 100 at element 5, which the form of rwkv.cpp \
                    cannot hold";
    assert!(message.contains(expected), "{message}");
    // The largest numbers that fit.
    let mut file = small();
    file.checkpoint.head[0] = 65519.0;
    let f16 = Target { element_type: Some(ElementType::F16), ..target(Format::Safetensors) };
    assert_eq!(converted(file, &f16).checkpoint.head[0], 65504.0);
}

/// Logits of the small model over the start of a story.
fn logits(checkpoint: &Checkpoint) -> Vec<f32> {
    let model = Model::new(checkpoint);
    let tokens: Vec<u32> = (0..256).map(|i| (i * i + 7 * i) % 2048).collect();
    model.forward(&tokens, &mut model.start(&Float))
}

fn deviation(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max)
}

#[test]
fn base_2_is_marked_and_predicts_the_same() {
    let before = logits(&small().checkpoint);
    for format in [Format::Safetensors, Format::Pytorch] {
        let after = converted(small(), &Target { base2: true, ..target(format) });
        let time_mix = &after.checkpoint.blocks[3].time_mix;
        assert_eq!(time_mix.exponents, Exponents::Base2);
        // Changed tensors are stored in F32, others as before.
        assert_eq!(after.element_types["blocks.3.att.key.weight"], ElementType::F32);
        assert_eq!(after.element_types["blocks.3.att.value.weight"], ElementType::F16);
        let trained = &small().checkpoint.blocks[3].time_mix;
        let [decay, first, key] = [trained.time_decay[1], trained.time_first[1], trained.key[1]];
        assert_eq!(time_mix.time_decay[1], (-f64::from(decay).exp() * LOG2_E) as f32);
        assert_eq!(time_mix.time_first[1], (f64::from(first) * LOG2_E) as f32);
        assert_eq!(time_mix.key[1], (f64::from(key) * LOG2_E) as f32);
        let deviation = deviation(&logits(&after.checkpoint), &before);
        eprintln!("base 2, {format}: logits deviate by {deviation:.2e} at most");
        assert!(deviation < 1e-4, "{deviation}");
    }
}

/// The recurrence as a sum over the past, in exponents of `base`, for one channel.
fn recurrence(base: f64, u: f64, w: f64, tokens: &[(f64, f64)]) -> Vec<f64> {
    (0..tokens.len())
        .map(|now| {
            let exponent = |then: usize| match now - then {
                0 => u + tokens[then].0,
                past => (past - 1) as f64 * w + tokens[then].0,
            };
            let greatest = (0..=now).map(exponent).fold(f64::NEG_INFINITY, f64::max);
            let weights = (0..=now).map(|then| base.powf(exponent(then) - greatest));
            let (mut above, mut below) = (0.0, 0.0);
            for (weight, (_, v)) in weights.zip(tokens) {
                above += weight * v;
                below += weight;
            }
            above / below
        })
        .collect()
}

proptest! {
    /// `2^(x log2 e)` is `e^x`: with all exponents times `log2 e` the base 2 gives the same.
    #[test]
    fn base_2_is_an_identity(
        time_decay in -8.0..3.0f64,
        u in -5.0..5.0f64,
        tokens in prop::collection::vec((-20.0..20.0f64, -10.0..10.0f64), 1..60),
    ) {
        let w = -time_decay.exp();
        let natural = recurrence(std::f64::consts::E, u, w, &tokens);
        let scaled: Vec<_> = tokens.iter().map(|&(k, v)| (k * LOG2_E, v)).collect();
        let base2 = recurrence(2.0, u * LOG2_E, w * LOG2_E, &scaled);
        for (natural, base2) in natural.iter().zip(base2) {
            // Rounding of exponents up to 1,200 in f64.
            prop_assert!((natural - base2).abs() < 1e-11, "{} {}", natural, base2);
        }
    }
}

/// A Python with PyTorch, or nothing, with a word on it.
fn python() -> Option<&'static str> {
    let has_torch = |python: &&str| {
        let check = Command::new(python).args(["-c", "import torch"]).output();
        check.is_ok_and(|output| output.status.success())
    };
    let found = ["python3", "/usr/bin/python3"].into_iter().find(has_torch);
    if found.is_none() {
        eprintln!("skipped: no python3 with PyTorch is at hand");
    }
    found
}

#[test]
fn pytorch_reads_what_is_written() {
    let Some(python) = python() else { return };
    let folder = std::env::temp_dir().join(format!("wkv-pytorch-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("m.pth");
    const PROGRAM: &str = "
import sys, torch
m = torch.load(sys.argv[1])
for name in ['emb.weight', 'blocks.0.att.time_mix_k', 'blocks.5.ffn.key.weight']:
    t = m[name]
    print(name, t.dtype, list(t.shape), float(t.flatten()[1]), float(t.double().sum()))
print(len(m), m.get('exponents'))
";
    for base2 in [false, true] {
        let bf16 =
            Target { element_type: Some(ElementType::Bf16), base2, ..target(Format::Pytorch) };
        let bytes = written(small(), &bf16);
        fs::write(&path, &bytes).expect("a file");
        let output =
            Command::new(python).args(["-c", PROGRAM]).arg(&path).output().expect("it starts");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let checkpoint = Checkpoint::from_bytes("m", &bytes).expect("it loads");
        for (name, shape, values) in [
            ("emb.weight", "[2048, 128]", &checkpoint.embedding),
            ("blocks.0.att.time_mix_k", "[1, 1, 128]", &checkpoint.blocks[0].time_mix.mix_k),
            ("blocks.5.ffn.key.weight", "[512, 128]", &checkpoint.blocks[5].channel_mix.key),
        ] {
            let first = told.lines().find(|line| line.starts_with(name)).unwrap_or_default();
            let start = format!("{name} torch.bfloat16 {shape} {:?} ", f64::from(values[1]));
            let sum: f64 =
                first.rsplit(' ').next().and_then(|sum| sum.parse().ok()).expect("a sum");
            let ours: f64 = values.iter().map(|&value| f64::from(value)).sum();
            assert!((sum - ours).abs() < 1e-9 * values.len() as f64, "{sum} instead of {ours}");
            assert!(first.starts_with(&start), "{first} instead of {start}");
        }
        let (count, mark) = if base2 { (1, "base2") } else { (0, "None") };
        let count = count + small().element_types.len();
        assert_eq!(told.lines().last(), Some(&format!("{count} {mark}")[..]));
    }
    fs::remove_dir_all(&folder).expect("it is ours");
}
