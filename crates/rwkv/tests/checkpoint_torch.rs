//! What `torch.save` writes, and archives and pickles that it would never write.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::pytorch::{
    File, archive, archive_of, embedding, number, pickle, tensor, text, tuple, with_pickle,
};
use rwkv::Checkpoint;
use rwkv::checkpoint::{CheckpointFile, ElementType, Format, Names, Sizes};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn refused(bytes: &[u8]) -> String {
    Checkpoint::from_bytes("m.pth", bytes).expect_err("no model").to_string()
}

#[track_caller]
fn assert_refused(bytes: &[u8], found: &str) {
    let message = refused(bytes);
    assert!(message.starts_with("m.pth: "), "{message}");
    assert!(message.contains(found), "{found:?} is not in {message:?}");
}

/// Every tensor of the fixtures is the start of -1, -0.875, ...
fn assert_fixture(checkpoint: &Checkpoint) {
    let sizes = Sizes { blocks: 2, channels: 4, vocabulary: 6, feed_forward: 5 };
    assert_eq!(checkpoint.sizes, sizes);
    let expected: Vec<f32> = (0..24).map(|i| (i % 16) as f32 / 8.0 - 1.0).collect();
    assert_eq!(checkpoint.embedding, expected);
    assert_eq!(checkpoint.head, expected);
    assert_eq!(checkpoint.ln0.bias, expected[..4]);
    assert_eq!(checkpoint.ln_out.weight, expected[..4]);
    for block in &checkpoint.blocks {
        let time_mix = &block.time_mix;
        for vector in [&time_mix.time_decay, &time_mix.mix_r, &block.channel_mix.mix_k] {
            assert_eq!(*vector, expected[..4]);
        }
        for matrix in [&time_mix.key, &time_mix.output, &block.channel_mix.receptance] {
            assert_eq!(*matrix, expected[..16]);
        }
        assert_eq!(block.channel_mix.key, expected[..20]);
        assert_eq!(block.channel_mix.value, expected[..20]);
    }
}

#[test]
fn written_by_pytorch() {
    for (name, names) in [
        ("bf16.pth", Names::Blinkdl),
        ("views.pth", Names::Blinkdl),
        ("nested-protocol-4.pth", Names::Blinkdl),
        ("hugging-face-tied.bin", Names::HuggingFace),
    ] {
        let file = CheckpointFile::read(&fixture(name)).expect(name);
        assert_fixture(&file.checkpoint);
        assert_eq!((file.format, file.names), (Format::Pytorch, names), "{name}");
        let bytes = fs::read(fixture(name)).expect("it is there");
        assert_eq!(Checkpoint::from_bytes("m.pth", &bytes).expect(name), file.checkpoint);
    }
    let file = CheckpointFile::read(&fixture("bf16.pth")).expect("it loads");
    assert!(file.element_types.values().all(|kind| *kind == ElementType::Bf16));
}

#[test]
fn format_of_old_versions_is_named() {
    let bytes = fs::read(fixture("old.pth")).expect("it is there");
    assert_refused(&bytes, "from before version 1.6");
    assert_refused(&bytes, "torch.save(torch.load(FILE), OUT)");
}

#[test]
fn truncated_anywhere() {
    let bytes = fs::read(fixture("views.pth")).expect("it is there");
    for length in [4, 30, 100, bytes.len() / 2, bytes.len() - 30, bytes.len() - 1] {
        assert_refused(&bytes[..length], "not usable as PyTorch file: it is a zip archive without");
    }
}

#[test]
fn other_globals_are_refused_by_name() {
    for (global, name) in [
        (&b"cos\nsystem\n"[..], "os.system"),
        (b"cposix\nsystem\n", "posix.system"),
        (b"cbuiltins\neval\n", "builtins.eval"),
        (b"c__builtin__\nexec\n", "__builtin__.exec"),
        (b"ctorch\nload\n", "torch.load"),
        (b"ctorch.storage\n_load_from_bytes\n", "torch.storage._load_from_bytes"),
        (b"ctorch.evil\nFloatStorage\n", "torch.evil.FloatStorage"),
        (b"\x8c\x06posix_\x8c\x05spawn\x93", "posix_.spawn"),
    ] {
        let call = [global, &tuple(&[text("touch /")])[..], b"R"].concat();
        let message = refused(&with_pickle(&pickle(&[&call])));
        assert!(message.contains(&format!("global `{name}` is refused")), "{message}");
        assert!(message.contains("nothing was run"), "{message}");
    }
    // Nothing behind an allowed name, either.
    let call = pickle(&[b"ccollections\nOrderedDict\n", &tuple(&[text("a")]), b"R"]);
    assert_refused(&with_pickle(&call), "OrderedDict with arguments of other kinds");
}

#[test]
fn instructions_that_no_state_dict_needs() {
    // INST, OBJ, NEWOBJ, EXT1, PERSID, SETITEM on nothing.
    for code in [b'i', b'o', 0x81, 0x82, b'P'] {
        let message = refused(&with_pickle(&pickle(&[&[code]])));
        assert!(message.contains(&format!("at byte 2: instruction 0x{code:02x}")), "{message}");
    }
    for (instructions, found) in [
        (&b"s"[..], "elements for what is no dict"),
        (b"t", "a mark is missing"),
        (b"(0t", "nothing is left on its stack"),
        (b"K\x01(0t", "a mark is missing"),
        (b"}(K\x01u", "a key without a value"),
        (b"h\x05", "no value 5 before"),
        (b"R", "nothing is left on its stack"),
        (b"X\xff\xff\xff\xffab", "it ends here"),
        (b"X\x02\x00\x00\x00\xff\xff", "text that is not UTF-8"),
        (b"\x8a\xff", "it ends here"),
        (b"K\x01Q", "a persistent name that is no tuple"),
        (b"K\x01", "its pickle makes no dict"),
        (b"}K\x01K\x02s", "a key that is no text"),
    ] {
        assert_refused(&with_pickle(&pickle(&[instructions])), found);
    }
    assert_refused(&with_pickle(b"\x80\x02}"), "it ends here");
}

/// Neither nesting nor the memo costs more than the pickle's own length.
#[test]
fn deep_and_wide_pickles() {
    let deep = pickle(&[b"}", &text("emb.weight"), b")", &b"\x85".repeat(1 << 20), b"s"]);
    assert_refused(&with_pickle(&deep), "`emb.weight` is no tensor");
    let doubling = [&b")q\x00"[..], &b"h\x00h\x00\x86q\x00".repeat(1 << 16)].concat();
    assert_refused(&with_pickle(&pickle(&[&doubling])), "its pickle makes no dict");
    let far = pickle(&[b"}r\xff\xff\xff\xff0j\xff\xff\xff\xff"]);
    assert_refused(&with_pickle(&far), "`emb.weight` is missing");
    let marks = pickle(&[&b"(".repeat(1 << 20), b"}"]);
    assert_refused(&with_pickle(&marks), "`emb.weight` is missing");
    assert_refused(&with_pickle(&vec![b'}'; (1 << 22) + 1]), "expected 4194304 at most");
}

#[test]
fn tensors_beyond_their_storage() {
    let refuse = |tensor: &[u8], found: &str| {
        assert_refused(&with_pickle(&embedding(tensor)), found);
    };
    refuse(&tensor("FloatStorage", 6, 0, &[3, 2], &[2, 1]), "`blocks.0.ffn.key.weight` is missing");
    refuse(&tensor("FloatStorage", 6, 1, &[3, 2], &[2, 1]), "reach beyond its storage of 6");
    refuse(&tensor("FloatStorage", 6, 0, &[3, 2], &[4, 1]), "reach beyond its storage of 6");
    refuse(&tensor("FloatStorage", 7, 0, &[3, 2], &[2, 1]), "does not fill the 24 bytes");
    refuse(&tensor("FloatStorage", -6, 0, &[3, 2], &[2, 1]), "storage of length -6");
    refuse(&tensor("FloatStorage", 6, -1, &[3, 2], &[2, 1]), "tensor at offset -1");
    refuse(&tensor("FloatStorage", 6, 0, &[-3, 2], &[2, 1]), "dimension of size -3");
    refuse(&tensor("FloatStorage", 6, 0, &[3, 2], &[-2, 1]), "stride of -2");
    refuse(&tensor("FloatStorage", 6, 0, &[3, 2], &[1]), "2 dimensions, but 1 strides");
    refuse(&tensor("FloatStorage", 6, 0, &[1; 9], &[1; 9]), "more than 8 dimensions");
    let all = i32::MAX;
    refuse(&tensor("FloatStorage", 6, 0, &[all, all, all], &[all, all, all]), "reach beyond");
    // A few bytes that stand for many.
    refuse(&tensor("FloatStorage", 6, 0, &[all, all], &[0, 0]), "more than 4 times those of");
    // Elements of other types are refused once the sizes are known.
    let long = tensor("LongStorage", 3, 0, &[3, 1], &[1, 1]);
    refuse(&long, "`blocks.0.ffn.key.weight` is missing");
}

#[test]
fn names_and_values_of_a_state_dict() {
    let twice = [&text("a")[..], &text("1"), b"s", &text("a"), &text("2"), b"s"].concat();
    assert_refused(&with_pickle(&pickle(&[b"}", &twice])), "has `a` twice");
    let step = pickle(&[b"}", &text("step"), &number(7), b"s"]);
    assert_refused(&with_pickle(&step), "`step` is no tensor");
    let note = pickle(&[b"}", &text("note"), &text("hello"), b"s"]);
    assert_refused(&with_pickle(&note), "`note` is no tensor");
}

#[test]
fn damaged_archives() {
    let good = embedding(&tensor("FloatStorage", 6, 0, &[3, 2], &[2, 1]));
    let file = |name, bytes| File { name, bytes, method: 0, expanded: 24 };
    let storage = file("m/data/0", &[0; 24]);
    let pickle = File { name: "m/data.pkl", bytes: &good, method: 0, expanded: good.len() as u32 };
    let refuse = |files: &[File], found: &str| assert_refused(&archive_of(files), found);
    refuse(&[pickle, storage], "`blocks.0.ffn.key.weight` is missing");
    refuse(&[storage], "without data.pkl");
    refuse(&[pickle], "its file data/0 is missing");
    refuse(&[pickle, storage, storage], "two files `m/data/0`");
    refuse(&[pickle, storage, File { name: "n/data.pkl", ..pickle }], "several files data.pkl");
    refuse(&[pickle, File { method: 8, ..storage }], "`m/data/0` is compressed");
    refuse(&[pickle, File { expanded: u32::MAX - 1, ..storage }], "takes 24 bytes and is declared");
    refuse(&[pickle, storage, File { name: "m/constants.pkl", ..storage }], "TorchScript");
    refuse(
        &[pickle, storage, File { name: "m/byteorder", bytes: b"big", expanded: 3, ..storage }],
        "not little-endian",
    );
    let mut wrong = archive(&[("m/data.pkl", &good), ("m/data/0", &[0; 24])]);
    let place = wrong.windows(3).position(|bytes| bytes == b"emb").expect("a name");
    wrong[place] = b'E';
    assert_refused(&wrong, "data.pkl is damaged: its checksum is another");
    // A directory that claims more than there is, and a file that is elsewhere.
    let whole = archive(&[("m/data.pkl", &good)]);
    let end = whole.len() - 22;
    let mut long = whole.clone();
    long[end + 12..][..4].copy_from_slice(&0xFFFF_FF00u32.to_le_bytes());
    assert_refused(&long, "its directory lies beyond its end");
    let mut wide = whole.clone();
    wide[end + 12..][..4].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_refused(&wide, "its 64-bit directory is missing");
    let mut elsewhere = whole.clone();
    let entry = whole.windows(4).position(|bytes| bytes == b"PK\x01\x02").expect("a directory");
    elsewhere[entry + 42] = 1;
    assert_refused(&elsewhere, "is not where the directory says");
}
