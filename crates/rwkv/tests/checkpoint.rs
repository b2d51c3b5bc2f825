//! Loading weights: the tensor types, and every way in which a file can be wrong.

mod common;

use std::collections::BTreeMap;
use std::fs;

use half::{bf16, f16};
use rwkv::Checkpoint;
use rwkv::checkpoint::{CheckpointError, Sizes};
use safetensors::Dtype;
use safetensors::tensor::TensorView;

const SIZES: Sizes = Sizes { blocks: 2, channels: 4, vocabulary: 6, feed_forward: 5 };

/// A tensor to be written.
#[derive(Clone)]
struct Tensor {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Tensor {
    /// A tensor of numbers that all three types hold exactly.
    fn new(dtype: Dtype, shape: &[usize]) -> Self {
        let numbers = (0..shape.iter().product::<usize>()).map(|i| (i % 16) as f32 / 8.0 - 1.0);
        let bytes = match dtype {
            Dtype::F16 => numbers.flat_map(|x| f16::from_f32(x).to_le_bytes()).collect(),
            Dtype::BF16 => numbers.flat_map(|x| bf16::from_f32(x).to_le_bytes()).collect(),
            Dtype::F32 => numbers.flat_map(f32::to_le_bytes).collect(),
            Dtype::F64 => numbers.flat_map(|x| f64::from(x).to_le_bytes()).collect(),
            other => panic!("no test needs {other}"),
        };
        Self { dtype, shape: shape.to_vec(), bytes }
    }
}

type Tensors = BTreeMap<String, Tensor>;

/// A model of `SIZES`, matrices in one type, vectors in F32.
fn model(matrices: Dtype) -> Tensors {
    let Sizes { blocks, channels, vocabulary, feed_forward } = SIZES;
    let mut tensors = Tensors::new();
    let mut add = |name: String, dtype, shape: &[usize]| {
        tensors.insert(name, Tensor::new(dtype, shape));
    };
    for name in ["emb.weight", "head.weight"] {
        add(name.into(), matrices, &[vocabulary, channels]);
    }
    for name in ["blocks.0.ln0", "ln_out"] {
        add(format!("{name}.weight"), Dtype::F32, &[channels]);
        add(format!("{name}.bias"), Dtype::F32, &[channels]);
    }
    for block in 0..blocks {
        for name in
            ["ln1.weight", "ln1.bias", "ln2.weight", "ln2.bias", "att.time_decay", "att.time_first"]
        {
            add(format!("blocks.{block}.{name}"), Dtype::F32, &[channels]);
        }
        for name in [
            "att.time_mix_k",
            "att.time_mix_v",
            "att.time_mix_r",
            "ffn.time_mix_k",
            "ffn.time_mix_r",
        ] {
            add(format!("blocks.{block}.{name}"), Dtype::F32, &[1, 1, channels]);
        }
        for name in ["att.key", "att.value", "att.receptance", "att.output", "ffn.receptance"] {
            add(format!("blocks.{block}.{name}.weight"), matrices, &[channels, channels]);
        }
        add(format!("blocks.{block}.ffn.key.weight"), matrices, &[feed_forward, channels]);
        add(format!("blocks.{block}.ffn.value.weight"), matrices, &[channels, feed_forward]);
    }
    tensors
}

fn bytes(tensors: &Tensors) -> Vec<u8> {
    let views = tensors.iter().map(|(name, tensor)| {
        let view = TensorView::new(tensor.dtype, tensor.shape.clone(), &tensor.bytes);
        (name, view.expect("a tensor that fills its bytes"))
    });
    safetensors::serialize(views, None).expect("tensors that can be written")
}

fn load(tensors: &Tensors) -> Result<Checkpoint, CheckpointError> {
    Checkpoint::from_bytes("small.safetensors", &bytes(tensors))
}

/// The error of a model that `change` spoiled.
fn spoiled(change: impl FnOnce(&mut Tensors)) -> String {
    let mut tensors = model(Dtype::F16);
    change(&mut tensors);
    load(&tensors).expect_err("a spoiled model").to_string()
}

/// The error of a file that is no model.
fn refused(bytes: &[u8]) -> String {
    Checkpoint::from_bytes("small.safetensors", bytes).expect_err("no model").to_string()
}

#[track_caller]
fn assert_says(message: &str, parts: &[&str]) {
    for part in ["small.safetensors"].iter().chain(parts) {
        assert!(message.contains(part), "{part:?} is not in {message:?}");
    }
}

#[test]
fn all_three_types_give_the_same_model() {
    let expected = load(&model(Dtype::F32)).expect("F32 loads");
    assert_eq!(expected.sizes, SIZES);
    assert_eq!(expected.embedding[..3], [-1.0, -0.875, -0.75]);
    for dtype in [Dtype::F16, Dtype::BF16] {
        assert_eq!(load(&model(dtype)).expect("16 bits load"), expected);
    }
}

#[test]
fn project_model_has_its_sizes() {
    let path = common::project().join("models/stories-1.5m/model.safetensors");
    let checkpoint = Checkpoint::read(&path).expect("the project's model loads");
    let sizes = Sizes { blocks: 6, channels: 128, vocabulary: 2048, feed_forward: 512 };
    assert_eq!(checkpoint.sizes, sizes);
    assert_eq!(checkpoint.head, checkpoint.embedding);
}

#[test]
fn missing_tensor() {
    let message = spoiled(|tensors| drop(tensors.remove("blocks.1.att.value.weight")));
    assert_says(&message, &["`blocks.1.att.value.weight` is missing", "[4, 4]"]);
    let message = spoiled(|tensors| drop(tensors.remove("emb.weight")));
    assert_says(&message, &["`emb.weight` is missing", "[vocabulary, channels]"]);
    let message = spoiled(|tensors| drop(tensors.remove("head.weight")));
    assert_says(&message, &["`head.weight` is missing", "[6, 4]"]);
}

#[test]
fn every_tensor_is_needed() {
    for name in model(Dtype::F16).into_keys() {
        let message = spoiled(|tensors| drop(tensors.remove(&name)));
        assert_says(&message, &[&format!("`{name}` is missing")]);
    }
}

#[test]
fn unexpected_tensor() {
    for name in ["blocks.1.att.time_mix_g", "blocks.x.ln1.bias", "extra"] {
        let message = spoiled(|tensors| {
            tensors.insert(name.into(), Tensor::new(Dtype::F32, &[4]));
        });
        assert_says(&message, &[&format!("`{name}` is no part"), "2 blocks"]);
    }
}

#[test]
fn gap_between_blocks() {
    let message = spoiled(|tensors| {
        tensors.insert("blocks.7.ln1.weight".into(), Tensor::new(Dtype::F32, &[4]));
    });
    assert_says(&message, &["block 2 is missing (no tensors `blocks.2.*`)", "of block 7"]);
    // Without block 0 there is no feed-forward width.
    let message = spoiled(|tensors| tensors.retain(|name, _| !name.starts_with("blocks.0.")));
    assert_says(&message, &["block 0 is missing", "of block 1"]);
}

#[test]
fn weight_too_large_for_its_use() {
    for (name, element, value, what) in [
        ("blocks.1.att.time_decay", 2, 1000.0f32, "-e^time_decay is not finite"),
        ("blocks.1.att.key.weight", 11, -3e38, "the weight in base 2 is not finite"),
    ] {
        let mut tensors = model(Dtype::F32);
        let tensor = tensors.get_mut(name).expect("it is there");
        tensor.bytes[4 * element..][..4].copy_from_slice(&value.to_le_bytes());
        let message = load(&tensors).expect_err("a weight too large").to_string();
        assert_says(&message, &[&format!("`{name}` holds {value} in channel 2"), what]);
    }
}

#[test]
fn every_shape_is_checked() {
    for (name, tensor) in model(Dtype::F32) {
        let mut shape = tensor.shape.clone();
        *shape.last_mut().expect("a dimension") += 1;
        let message = spoiled(|tensors| {
            tensors.insert(name.clone(), Tensor::new(Dtype::F32, &shape));
        });
        // A wider embedding, or a wider key, says that all other tensors are wrong.
        if name != "emb.weight" {
            assert_says(&message, &[&format!("`{name}` has shape {shape:?}; expected [")]);
        }
    }
}

#[test]
fn flat_or_empty_matrix() {
    let message = spoiled(|tensors| {
        tensors.insert("emb.weight".into(), Tensor::new(Dtype::F16, &[24]));
    });
    assert_says(&message, &["`emb.weight` has shape [24]; expected [vocabulary, channels]"]);
    let message = spoiled(|tensors| {
        tensors.insert("emb.weight".into(), Tensor::new(Dtype::F16, &[0, 4]));
    });
    assert_says(&message, &["`emb.weight` has shape [0, 4]"]);
}

#[test]
fn wrong_type() {
    let message = spoiled(|tensors| {
        let name = "blocks.0.att.key.weight".into();
        tensors.insert(name, Tensor::new(Dtype::F64, &[4, 4]));
    });
    let expected = "`blocks.0.att.key.weight` has elements of type F64; expected F16, BF16 or F32";
    assert_says(&message, &[expected]);
}

#[test]
fn infinite_or_undefined_weight() {
    let message = spoiled(|tensors| {
        let tensor = tensors.get_mut("ln_out.bias").expect("it is there");
        tensor.bytes[8..12].copy_from_slice(&f32::NAN.to_le_bytes());
    });
    assert_says(&message, &["`ln_out.bias` holds NaN at element 2"]);
    let message = spoiled(|tensors| {
        let tensor = tensors.get_mut("head.weight").expect("it is there");
        tensor.bytes[..2].copy_from_slice(&f16::NEG_INFINITY.to_le_bytes());
    });
    assert_says(&message, &["`head.weight` holds -inf at element 0"]);
}

#[test]
fn truncated_anywhere() {
    let whole = bytes(&model(Dtype::F16));
    for length in [9, 100, whole.len() / 2, whole.len() - 1] {
        let message = refused(&whole[..length]);
        assert_says(&message, &[&format!("{length} bytes long"), "truncated"]);
    }
    let message = refused(&whole[..whole.len() - 1]);
    assert_says(&message, &[&format!("describes {}", whole.len())]);
    assert_says(&refused(&whole[..5]), &["no checkpoint"]);
}

#[test]
fn bytes_after_the_last_tensor() {
    let mut long = bytes(&model(Dtype::F16));
    long.push(0);
    assert_says(&refused(&long), &["followed by bytes of no tensor"]);
}

#[test]
fn other_formats() {
    let kinds: [(&[u8], &str); 9] = [
        (b"", "it is empty"),
        (b"{\"version\": \"1.0\"}", "it is JSON"),
        (b"\x80\x04\x95 and more", "it is a Python pickle"),
        (b"GGUF", "it is a GGUF file"),
        (b"lmgg\x01\x00\x00\x00", "a ggml file without a version"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
        (b"<!doctype html>", "a page of HTML"),
        (b"PK\x05\x06 and no more", "an empty zip archive"),
        (&[7; 200], "its first bytes are of no known format"),
    ];
    for (bytes, found) in kinds {
        assert_says(&refused(bytes), &["no checkpoint: ", found]);
    }
}

#[test]
fn other_versions_of_rwkv() {
    let message = spoiled(|tensors| {
        tensors.remove("blocks.0.att.time_first");
        tensors.insert("blocks.0.att.ln_x.weight".into(), Tensor::new(Dtype::F32, &[4]));
    });
    assert_says(&message, &["`blocks.0.att.ln_x.weight` tells RWKV of version 5 or later"]);
}

#[test]
fn several_problems_are_told_at_once() {
    let message = spoiled(|tensors| {
        tensors.remove("ln_out.bias");
        tensors.remove("blocks.1.att.output.weight");
        tensors.insert("blocks.1.att.gate.weight".into(), Tensor::new(Dtype::F32, &[4, 4]));
        tensors.insert("blocks.0.ln1.bias".into(), Tensor::new(Dtype::F32, &[5]));
    });
    assert_eq!(message.lines().count(), 4, "{message}");
    for line in message.lines() {
        assert_says(line, &["tensor `"]);
    }
    let message = spoiled(|tensors| {
        for number in 0..40 {
            tensors.insert(format!("extra.{number}"), Tensor::new(Dtype::F32, &[4]));
        }
    });
    assert!(message.ends_with("\n20 more problems are not shown"), "{message}");
}

/// The header of a file and the rest, so that a test can spoil the header.
fn with_header(change: impl FnOnce(String) -> String) -> Vec<u8> {
    let whole = bytes(&model(Dtype::F16));
    let length = u64::from_le_bytes(*whole.first_chunk().expect("a length")) as usize;
    let (header, data) = whole[8..].split_at(length);
    let header = change(String::from_utf8(header.to_vec()).expect("JSON"));
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
}

#[test]
fn shape_that_does_not_fill_its_bytes() {
    let spoiled = with_header(|header| header.replacen("[6,4]", "[7,4]", 1));
    assert_says(&refused(&spoiled), &["F16 of shape [7, 4]", "48 bytes", "expected 56"]);
}

#[test]
fn damaged_header() {
    let spoiled = with_header(|header| header.replacen('}', "]", 1));
    assert_says(&refused(&spoiled), &["not usable as safetensors file: invalid header: expected"]);
}

#[test]
fn unreadable_file() {
    let missing = common::project().join("models/small.safetensors");
    let message = Checkpoint::read(&missing).expect_err("no file").to_string();
    assert_says(&message, &["cannot be read"]);
    let folder = std::env::temp_dir().join(format!("small.safetensors-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let message = Checkpoint::read(&folder).expect_err("a folder").to_string();
    fs::remove_dir(&folder).expect("it is empty");
    assert_says(&message, &["cannot be read"]);
}

#[test]
fn offsets_that_overlap_leave_gaps_or_run_backwards() {
    for (from, to, found) in [
        ("[16,32]", "[0,16]", "overlaps another"),
        ("[16,32]", "[8,24]", "overlaps another"),
        ("[16,32]", "[32,16]", "ends at 16, before it starts at 32"),
        ("[16,32]", "[-16,32]", "invalid header"),
    ] {
        let spoiled = with_header(|header| {
            assert!(header.contains(from), "{header}");
            header.replacen(from, to, 1)
        });
        assert_says(&refused(&spoiled), &[found]);
    }
    let gap = with_header(|header| header.replacen("[0,16]", "[0,8]", 1).replacen("[4]", "[2]", 1));
    assert_says(&refused(&gap), &["leaves a gap"]);
}

#[test]
fn marks_of_other_exponents() {
    let spoiled = with_header(|header| {
        header.replacen('{', "{\"__metadata__\":{\"exponents\":\"base10\"},", 1)
    });
    assert_says(&refused(&spoiled), &["exponents are marked as \"base10\""]);
}

/// The same tensors under Hugging Face's names, with and without the head.
#[test]
fn names_of_hugging_face() {
    let expected = load(&model(Dtype::F32)).expect("BlinkDL's names load");
    let mut tensors: Tensors =
        model(Dtype::F32).into_iter().map(|(name, tensor)| (hugging_face(&name), tensor)).collect();
    assert!(tensors.contains_key("rwkv.blocks.1.attention.time_mix_receptance"));
    assert_eq!(load(&tensors).expect("the same"), expected);
    tensors.remove("head.weight");
    assert_eq!(load(&tensors).expect("a tied head"), expected);
    tensors.insert("emb.weight".into(), Tensor::new(Dtype::F32, &[6, 4]));
    let message = load(&tensors).expect_err("two embeddings").to_string();
    assert_says(&message, &["`rwkv.embeddings.weight` is in it twice"]);
}

fn hugging_face(name: &str) -> String {
    let name = name.replace("emb.", "embeddings.").replace(".ln0.", ".pre_ln.");
    let name = name.replace(".att.", ".attention.").replace(".ffn.", ".feed_forward.");
    let name = match name.rsplit_once("time_mix_") {
        Some((start, "k")) => format!("{start}time_mix_key"),
        Some((start, "v")) => format!("{start}time_mix_value"),
        Some((start, "r")) => format!("{start}time_mix_receptance"),
        _ => name,
    };
    if name == "head.weight" { name } else { format!("rwkv.{name}") }
}

/// A decay that makes the state grow.
#[test]
fn growing_state() {
    let mut tensors = model(Dtype::F32);
    let name = "blocks.1.att.time_decay";
    let tensor = tensors.get_mut(name).expect("it is there");
    tensor.bytes = [-1.0f32, -0.5, 0.0, 0.25].into_iter().flat_map(f32::to_le_bytes).collect();
    tensors.insert(
        "blocks.0.att.time_decay".into(),
        Tensor {
            bytes: [-1.0f32; 4].into_iter().flat_map(f32::to_le_bytes).collect(),
            ..tensors[name].clone()
        },
    );
    let views = tensors.iter().map(|(name, tensor)| {
        (name, TensorView::new(tensor.dtype, tensor.shape.clone(), &tensor.bytes).expect("filled"))
    });
    let marks = std::collections::HashMap::from([("exponents".into(), "base2".into())]);
    let file = safetensors::serialize(views, Some(marks)).expect("tensors");
    assert_says(&refused(&file), &["holds 0.25 in channel 3", "the state would grow"]);
}
