//! The container formats, told apart by their first bytes.

use std::fmt;

/// A container of named tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// A JSON header and the bytes of all tensors.
    Safetensors,
    /// What `torch.save` writes: a zip archive with a pickle and a file for each storage.
    Pytorch,
    /// The format of rwkv.cpp, with the magic number `ggmf`.
    RwkvCpp,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Safetensors => "safetensors",
            Self::Pytorch => "PyTorch",
            Self::RwkvCpp => "rwkv.cpp",
        })
    }
}

/// First bytes that tell a format.
pub(super) const START: u64 = 64;

/// The longest header of a safetensors file, as that format limits it.
pub(super) const LONGEST_HEADER: u64 = 100_000_000;

/// The magic number of rwkv.cpp, 0x67676d66, in its byte order.
pub(super) const RWKV_CPP: [u8; 4] = *b"fmgg";

/// What a pickle of PyTorch before version 1.6 begins with: a magic number.
const OLD_PYTORCH: &[u8] = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19";

/// Familiar formats that hold no weights for us, by their first bytes.
const OTHERS: [(&[u8], &str); 10] = [
    (
        OLD_PYTORCH,
        "it is a PyTorch file from before version 1.6; a newer one writes it anew: \
         torch.save(torch.load(FILE), OUT)",
    ),
    (b"\x80", "it is a Python pickle, not the zip archive that torch.save writes"),
    (b"lmgg", "it is a ggml file without a version; rwkv.cpp writes ggmf, version 100 or 101"),
    (b"tjgg", "it is a ggjt file, of llama.cpp"),
    (b"GGUF", "it is a GGUF file"),
    (b"PK\x05\x06", "it is an empty zip archive"),
    (b"{", "it is JSON, perhaps a tokenizer"),
    (b"version https://git-lfs", "it is a Git LFS pointer, not the file itself"),
    (b"<", "it is a page of HTML or XML, perhaps an error of a download"),
    (b"\x1f\x8b", "it is compressed with gzip"),
];

/// The format of a file that begins with `start`, or what it is instead.
pub(super) fn detect(start: &[u8]) -> Result<Format, &'static str> {
    if start.is_empty() {
        return Err("it is empty");
    }
    if start.starts_with(b"PK\x03\x04") {
        return Ok(Format::Pytorch);
    }
    if start.starts_with(&RWKV_CPP) {
        return Ok(Format::RwkvCpp);
    }
    let header = start.first_chunk().map(|&length| u64::from_le_bytes(length));
    // A header that is too long for this file is still a header.
    if header.is_some() && start.get(8) == Some(&b'{') {
        return Ok(Format::Safetensors);
    }
    let other = OTHERS.iter().find(|(first, _)| start.starts_with(first));
    Err(other.map_or("its first bytes are of no known format", |(_, what)| *what))
}
