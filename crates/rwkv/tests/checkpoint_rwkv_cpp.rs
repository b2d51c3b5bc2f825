//! Files of rwkv.cpp, against the logits that it publishes for its test model, and damaged ones.

mod common;

use common::rwkv_cpp::{Small, Tensor};
use common::shared;
use half::f16;
use rwkv::checkpoint::{CheckpointFile, ElementType, Exponents, Format, Names, Target};
use rwkv::{Checkpoint, Model};
use wkv::float::Float;

/// The largest difference to the published logits after `"in`, in bytes.
fn deviation(name: &str) -> Option<f32> {
    let folder = shared("models/rwkv-cpp-tiny")?;
    let checkpoint = Checkpoint::read(&folder.join(name)).expect("the test model loads");
    let model = Model::new(&checkpoint);
    let tokens = b"\"in".map(u32::from);
    let logits = model.forward(&tokens, &mut model.start(&Float));
    let expected = std::fs::read(folder.join("expected-logits-4v0-660K.bin")).expect("logits");
    let expected = expected.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes));
    let last = &logits[2 * checkpoint.sizes.vocabulary..];
    assert_eq!(last.len(), expected.len());
    let deviation = last.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    eprintln!("{name}: logits deviate by {deviation:.2e} at most");
    Some(deviation)
}

#[test]
fn published_logits() {
    for (kind, most) in [("FP32", 1e-4), ("FP16", 2e-3), ("Q5_0", 0.15), ("Q5_1", 0.12)] {
        let Some(deviation) = deviation(&format!("tiny-rwkv-4v0-660K-{kind}.bin")) else { return };
        assert!(deviation <= most, "{kind}: {deviation}");
    }
}

fn refused(small: &Small) -> String {
    Checkpoint::from_bytes("m.bin", &small.bytes()).expect_err("no model").to_string()
}

/// Blocks of 32 elements, of 5.5 to 8.5 bits each, by what each element is to be.
#[test]
fn quantised_blocks() {
    let scale = f16::from_f32(0.25);
    let offset = f16::from_f32(-2.0);
    let scales = |both: bool| {
        let mut bytes = scale.to_le_bytes().to_vec();
        bytes.extend(both.then(|| offset.to_le_bytes()).into_iter().flatten());
        bytes
    };
    // Element i is stored as q(i).
    let q = |place: usize, bits: u32| (place * 7 + 3) as u8 % (1 << bits);
    let nibbles = |bits| (0..16).map(move |i| (q(i, bits) & 15) | (q(i + 16, bits) & 15) << 4);
    let high = (0..32).map(|i| u32::from(q(i, 5) >> 4) << i).sum::<u32>().to_le_bytes();
    type Value = fn(u8) -> f32;
    let kinds: [(u32, u32, Vec<u8>, Value); 5] = [
        (2, 4, [scales(false), nibbles(4).collect()].concat(), |q| (f32::from(q) - 8.0) * 0.25),
        (3, 4, [scales(true), nibbles(4).collect()].concat(), |q| f32::from(q) * 0.25 - 2.0),
        (7, 5, [scales(false), high.to_vec(), nibbles(5).collect()].concat(), |q| {
            (f32::from(q) - 16.0) * 0.25
        }),
        (8, 5, [scales(true), high.to_vec(), nibbles(5).collect()].concat(), |q| {
            f32::from(q) * 0.25 - 2.0
        }),
        (9, 8, [scales(false), (0..32).map(|i| q(i, 8 - 1)).collect()].concat(), |q| {
            f32::from(q % 128) * 0.25
        }),
    ];
    for (data_type, bits, block, value) in kinds {
        let small = Small::new(data_type, block.repeat(32));
        let checkpoint = Checkpoint::from_bytes("m.bin", &small.bytes()).expect("it loads");
        let expected: Vec<f32> = (0..32).map(|i| value(q(i, bits.min(7)))).collect();
        for row in checkpoint.blocks[0].time_mix.key.chunks(32) {
            assert_eq!(row, expected, "type {data_type}");
        }
    }
}

/// Quantising the test model gives, tensor by tensor, what rwkv.cpp made of it.
#[test]
fn quantises_as_rwkv_cpp_does() {
    let Some(folder) = shared("models/rwkv-cpp-tiny") else { return };
    let file = |kind: &str| folder.join(format!("tiny-rwkv-4v0-660K-{kind}.bin"));
    for (kind, element_type) in [("Q5_0", ElementType::Q5_0), ("Q5_1", ElementType::Q5_1)] {
        let target = Target {
            format: Format::RwkvCpp,
            names: Names::Blinkdl,
            element_type: Some(element_type),
            base2: false,
        };
        let whole = CheckpointFile::read(&file("FP32")).expect("the test model loads");
        let mut bytes = Vec::new();
        let mut prepared = whole.prepare("m", &target).expect("weights that fit");
        prepared.write(&mut bytes).expect("memory takes all");
        let ours = CheckpointFile::from_bytes("m", &bytes).expect("it loads");
        let theirs = CheckpointFile::read(&file(kind)).expect("the test model loads");
        assert_eq!(ours.element_types, theirs.element_types);
        assert!(ours.checkpoint == theirs.checkpoint, "{kind}");
        let length = std::fs::metadata(file(kind)).expect("it is there").len();
        assert_eq!(bytes.len() as u64, length);
    }
}

#[test]
fn stored_decays_are_kept() {
    let mut small = Small::zeros();
    let decay = small.tensors.iter_mut().find(|tensor| tensor.name.ends_with("time_decay"));
    decay.expect("a decay").bytes[..4].copy_from_slice(&(-0.3f32).to_le_bytes());
    let file = CheckpointFile::from_bytes("m.bin", &small.bytes()).expect("it loads");
    assert_eq!(file.format, Format::RwkvCpp);
    assert_eq!(file.element_types["emb.weight"], ElementType::F32);
    let time_mix = &file.checkpoint.blocks[0].time_mix;
    assert_eq!((time_mix.exponents, time_mix.time_decay[0]), (Exponents::Rate, -0.3));
    let mut checkpoint = file.checkpoint.clone();
    checkpoint.blocks[0].time_mix.time_first[0] = -0.7;
    let model = Model::new(&checkpoint);
    let (u, w) = model.bonus_and_decay().next().expect("a block");
    assert_eq!(w[0], f64::from(-0.3f32) * std::f64::consts::LOG2_E);
    assert_eq!(u[0], f64::from(-0.7f32) * std::f64::consts::LOG2_E);
    // A decay above 0 would make the state grow.
    let decay = small.tensors.iter_mut().find(|tensor| tensor.name.ends_with("time_decay"));
    decay.expect("a decay").bytes[..4].copy_from_slice(&0.3f32.to_le_bytes());
    assert!(refused(&small).contains("the state would grow"), "{}", refused(&small));
}

#[test]
fn damaged_files() {
    type Change = fn(&mut Small);
    let cases: [(Change, &str); 13] = [
        (|small| small.version = 102, "version 102; expected 100 or 101"),
        (|small| small.header[0] = 4, "declares 4 tokens, but its tensors are of 3"),
        (|small| small.header[1] = 33, "declares 33 channels, but its tensors are of 32"),
        (|small| small.header[2] = u32::MAX, "declares 4294967295 blocks, but"),
        (|small| small.tensors[0].shape = vec![], "at byte 24 has 0 dimensions"),
        (|small| small.tensors[0].shape = vec![32; 5], "at byte 24 has 5 dimensions"),
        (|small| small.tensors[0].name.clear(), "at byte 24 has a name of 0 bytes"),
        (|small| small.tensors[0].name = "x".repeat(2000), "a name of 2000 bytes"),
        (|small| small.tensors[0].data_type = 6, "elements of type 6"),
        (|small| small.tensors[0].shape = vec![u32::MAX; 4], "reaches beyond the file"),
        (|small| small.tensors[0].shape = vec![u32::MAX], "reaches beyond the file"),
        (
            |small| small.tensors.push(small.tensors[3].clone()),
            "`blocks.0.ln2.bias` is in it twice",
        ),
        (|small| drop(small.tensors.pop()), "`blocks.0.att.key.weight` is missing"),
    ];
    for (change, found) in cases {
        let mut small = Small::zeros();
        change(&mut small);
        let message = refused(&small);
        assert!(message.contains(found), "{found:?} is not in {message:?}");
    }
    let mut many = Small::zeros();
    let empty = Tensor { name: String::new(), data_type: 0, shape: vec![0], bytes: Vec::new() };
    let numbered = (0..=100_000).map(|i| Tensor { name: i.to_string(), ..empty.clone() });
    many.tensors.extend(numbered);
    assert!(refused(&many).contains("more than 100000 tensors"));
    let mut old = Small::new(7, vec![0; 22 * 32]);
    old.version = 100;
    assert!(refused(&old).contains("of type Q5_0 as they were in version 100"));
    // Quantised elements come in blocks of 32.
    let mut odd = Small::new(7, vec![0; 22]);
    odd.tensors.last_mut().expect("a key").shape = vec![33, 1];
    assert!(refused(&odd).contains("reaches beyond the file"), "{}", refused(&odd));
}

#[test]
fn truncated_anywhere() {
    let bytes = Small::zeros().bytes();
    for length in [4, 20, 24, 30, 50, bytes.len() / 2, bytes.len() - 1] {
        let message =
            Checkpoint::from_bytes("m.bin", &bytes[..length]).expect_err("cut").to_string();
        assert!(message.contains("truncated") || message.contains("is missing"), "{message}");
    }
}
