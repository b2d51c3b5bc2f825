//! Archives as `torch.save` writes them, from parts that can be damaged.

// Each test file uses a part of this.
#![allow(dead_code)]

/// A zip archive of stored files.
pub fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let files: Vec<File> = files
        .iter()
        .map(|&(name, bytes)| File { name, bytes, method: 0, expanded: bytes.len() as u32 })
        .collect();
    archive_of(&files)
}

/// A file of an archive, as its directory declares it.
#[derive(Clone, Copy)]
pub struct File<'a> {
    pub name: &'a str,
    pub bytes: &'a [u8],
    /// The method of compression.
    pub method: u16,
    /// The length without compression.
    pub expanded: u32,
}

/// A zip archive.
pub fn archive_of(files: &[File]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for file in files {
        let mut about = Vec::new();
        about.extend(20u16.to_le_bytes());
        about.extend([0; 2]);
        about.extend(file.method.to_le_bytes());
        about.extend([0; 4]);
        about.extend(crc32fast::hash(file.bytes).to_le_bytes());
        about.extend((file.bytes.len() as u32).to_le_bytes());
        about.extend(file.expanded.to_le_bytes());
        about.extend((file.name.len() as u16).to_le_bytes());
        about.extend([0; 2]);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&about);
        directory.extend([0; 10]);
        directory.extend((archive.len() as u32).to_le_bytes());
        directory.extend(file.name.as_bytes());
        archive.extend(b"PK\x03\x04");
        archive.extend(&about);
        archive.extend(file.name.as_bytes());
        archive.extend(file.bytes);
    }
    let count = (files.len() as u16).to_le_bytes();
    let start = archive.len() as u32;
    archive.extend(&directory);
    archive.extend(b"PK\x05\x06\x00\x00\x00\x00");
    archive.extend([count, count].concat());
    archive.extend((directory.len() as u32).to_le_bytes());
    archive.extend(start.to_le_bytes());
    archive.extend([0; 2]);
    archive
}

/// An archive with a pickle and one storage of 24 bytes, `data/0`.
pub fn with_pickle(pickle: &[u8]) -> Vec<u8> {
    archive(&[("m/data.pkl", pickle), ("m/data/0", &[0; 24])])
}

/// A pickle of `instructions`, of protocol 2.
pub fn pickle(instructions: &[&[u8]]) -> Vec<u8> {
    [b"\x80\x02", &instructions.concat()[..], b"."].concat()
}

/// The instructions that push a text.
pub fn text(text: &str) -> Vec<u8> {
    [b"X", &(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat()
}

/// The instructions that push a number.
pub fn number(number: i32) -> Vec<u8> {
    [b"J", &number.to_le_bytes()[..]].concat()
}

/// The instructions that push a tuple.
pub fn tuple(elements: &[Vec<u8>]) -> Vec<u8> {
    [b"(", &elements.concat()[..], b"t"].concat()
}

/// The instructions that push a tensor.
pub fn tensor(class: &str, elements: i32, offset: i32, shape: &[i32], strides: &[i32]) -> Vec<u8> {
    let class = format!("ctorch\n{class}\n").into_bytes();
    let storage = tuple(&[text("storage"), class, text("0"), text("cpu"), number(elements)]);
    let numbers = |numbers: &[i32]| tuple(&numbers.iter().map(|&n| number(n)).collect::<Vec<_>>());
    let arguments = tuple(&[
        [&storage[..], b"Q"].concat(),
        number(offset),
        numbers(shape),
        numbers(strides),
        b"\x89".to_vec(),
        b"}".to_vec(),
    ]);
    [b"ctorch._utils\n_rebuild_tensor_v2\n", &arguments[..], b"R"].concat()
}

/// A pickle of a dict of one tensor, `emb.weight`.
pub fn embedding(tensor: &[u8]) -> Vec<u8> {
    pickle(&[b"}", &text("emb.weight"), tensor, b"s"])
}

/// The files of an archive whose directory is whole.
pub fn files(archive: &[u8]) -> Vec<(String, Vec<u8>)> {
    let number = |at: usize| u32::from_le_bytes(*archive[at..].first_chunk().expect("a number"));
    let short = |at: usize| (number(at) & 0xFFFF) as usize;
    let mut entry = number(archive.len() - 6) as usize;
    let mut files = Vec::new();
    while archive[entry..].starts_with(b"PK\x01\x02") {
        let name = &archive[entry + 46..][..short(entry + 28)];
        let (length, header) = (number(entry + 20) as usize, number(entry + 42) as usize);
        let start = header + 30 + short(header + 26) + short(header + 28);
        let name = String::from_utf8(name.to_vec()).expect("a plain name");
        files.push((name, archive[start..][..length].to_vec()));
        entry += 46 + short(entry + 28) + short(entry + 30) + short(entry + 32);
    }
    files
}
