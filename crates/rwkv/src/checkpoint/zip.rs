//! The directory of a zip archive whose files are stored without compression.
//!
//! `torch.save` compresses nothing, so a tensor is a range of the archive's own bytes, to be read in
//! place. Compressed files are refused, and with them those that expand beyond all bounds. The
//! layout is that of PKWARE's APPNOTE 6.3, with the 64-bit extensions.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::source::Source;

/// A range of bytes of the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stored {
    /// The first byte.
    pub start: u64,
    /// Number of bytes.
    pub length: u64,
    /// CRC-32 of the bytes.
    pub crc: u32,
}

/// The longest directory: 32 MiB, for some 500,000 files.
const MOST_BYTES: u64 = 1 << 25;

const END: &[u8] = b"PK\x05\x06";
const END_BYTES: u64 = 22;
const LONGEST_COMMENT: u64 = 0xFFFF;
const END_64: &[u8] = b"PK\x06\x06";
const END_64_BYTES: u64 = 56;
const LOCATOR: &[u8] = b"PK\x06\x07";
const LOCATOR_BYTES: u64 = 20;
const ENTRY: &[u8] = b"PK\x01\x02";
const ENTRY_BYTES: usize = 46;
const LOCAL: &[u8] = b"PK\x03\x04";
const LOCAL_BYTES: u64 = 30;

/// The files of an archive by name, or what is wrong with it.
pub(super) fn read(source: &Source) -> Result<BTreeMap<String, Stored>, String> {
    let (start, length) = directory(source)?;
    let end = start.checked_add(length).filter(|&end| end <= source.length());
    let end = end.ok_or("its directory lies beyond its end; copy or download it again")?;
    if length > MOST_BYTES {
        return Err(format!("its directory takes {length} bytes; expected {MOST_BYTES} at most"));
    }
    let bytes = bytes(source, start, end - start)?;
    let mut rest = &bytes[..];
    let mut files = BTreeMap::new();
    while !rest.is_empty() {
        let (entry, after) = Entry::read(rest)?;
        rest = after;
        let stored = entry.locate(source, start)?;
        if files.insert(entry.name.clone(), stored).is_some() {
            return Err(format!("it has two files `{}`", entry.name));
        }
    }
    Ok(files)
}

/// Start and length of the directory, from the record at the end of the archive.
fn directory(source: &Source) -> Result<(u64, u64), String> {
    let from = source.length().saturating_sub(END_BYTES + LONGEST_COMMENT);
    let tail = bytes(source, from, source.length() - from)?;
    let place = (0..(tail.len() + 1).saturating_sub(END_BYTES as usize)).rev().find(|&place| {
        let record = &tail[place..];
        record.starts_with(END) && 22 + u64::from(u16_at(record, 20)) == record.len() as u64
    });
    let place = place.ok_or(
        "it is a zip archive without the directory at its end: truncated; copy or download it again",
    )?;
    let record = &tail[place..];
    let (length, start) = (u32_at(record, 12), u32_at(record, 16));
    if length != u32::MAX && start != u32::MAX && u16_at(record, 10) != u16::MAX {
        return Ok((start.into(), length.into()));
    }
    let no_record = "its 64-bit directory is missing";
    let at = (from + place as u64).checked_sub(LOCATOR_BYTES).ok_or(no_record)?;
    let locator = bytes(source, at, LOCATOR_BYTES)?;
    if !locator.starts_with(LOCATOR) {
        return Err(no_record.to_owned());
    }
    let record = bytes(source, u64_at(&locator, 8), END_64_BYTES)?;
    if !record.starts_with(END_64) || record.len() < END_64_BYTES as usize {
        return Err(no_record.to_owned());
    }
    Ok((u64_at(&record, 48), u64_at(&record, 40)))
}

/// A file in the directory.
struct Entry {
    name: String,
    crc: u32,
    length: u64,
    /// Where its own header is.
    header: u64,
}

impl Entry {
    /// The first entry of a directory, and the rest.
    fn read(bytes: &[u8]) -> Result<(Self, &[u8]), String> {
        let cut = "its directory is damaged";
        let (fixed, rest) = bytes.split_at_checked(ENTRY_BYTES).ok_or(cut)?;
        if !fixed.starts_with(ENTRY) {
            return Err(cut.to_owned());
        }
        let mut rest = rest;
        let mut take = |at| -> Result<&[u8], String> {
            let (taken, after) = rest.split_at_checked(u16_at(fixed, at).into()).ok_or(cut)?;
            rest = after;
            Ok(taken)
        };
        let (name, extra, _comment) = (take(28)?, take(30)?, take(32)?);
        let name = String::from_utf8_lossy(name).into_owned();
        if u16_at(fixed, 8) & 1 != 0 {
            return Err(format!("its file `{name}` is encrypted"));
        }
        if u16_at(fixed, 10) != 0 {
            return Err(format!(
                "its file `{name}` is compressed; expected stored files, as torch.save writes them"
            ));
        }
        let mut wide = wide_numbers(extra);
        // Those that do not fit 32 bits stand in the extra field, in this order.
        let mut number = |at| match u32_at(fixed, at) {
            u32::MAX => wide.next().ok_or(cut),
            narrow => Ok(u64::from(narrow)),
        };
        let (expanded, length, header) = (number(24)?, number(20)?, number(42)?);
        if expanded != length {
            return Err(format!(
                "its file `{name}` takes {length} bytes and is declared to have {expanded}"
            ));
        }
        Ok((Self { name, crc: u32_at(fixed, 16), length, header }, rest))
    }

    /// Where its bytes are; the directory begins at `end`.
    fn locate(&self, source: &Source, end: u64) -> Result<Stored, String> {
        let header = bytes(source, self.header, LOCAL_BYTES)?;
        if header.len() < LOCAL_BYTES as usize || !header.starts_with(LOCAL) {
            return Err(format!("its file `{}` is not where the directory says", self.name));
        }
        let before = LOCAL_BYTES + u64::from(u16_at(&header, 26)) + u64::from(u16_at(&header, 28));
        // The header was read, so its place is far from the end of u64.
        let start = self.header + before;
        match start.checked_add(self.length) {
            Some(stop) if stop <= end => Ok(Stored { start, length: self.length, crc: self.crc }),
            _ => Err(format!(
                "its file `{}` is declared to have {} bytes, more than there are",
                self.name, self.length
            )),
        }
    }
}

/// The 64-bit numbers of an entry, in its extra field.
fn wide_numbers(mut extra: &[u8]) -> impl Iterator<Item = u64> {
    let mut numbers = Vec::new();
    while let Some((head, rest)) = extra.split_at_checked(4) {
        let Some((body, after)) = rest.split_at_checked(u16_at(head, 2).into()) else { break };
        if u16_at(head, 0) == 1 {
            numbers = body.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect();
        }
        extra = after;
    }
    numbers.into_iter()
}

fn bytes(source: &Source, at: u64, length: u64) -> Result<Vec<u8>, String> {
    source.bytes(at, length).map_err(|error| error.to_string())
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

/// Stored files start at multiples of this many bytes, as PyTorch has them.
const ALIGNMENT: u64 = 64;

/// The extra field that fills up to the alignment: its name and its length come first.
const PADDING: [u8; 2] = *b"FB";
const PADDING_HEAD: u64 = 4;

/// An archive of stored files, as it is written.
pub(super) struct Archive<'a> {
    out: &'a mut dyn Write,
    /// Bytes written.
    length: u64,
    directory: Vec<u8>,
    files: u64,
}

impl<'a> Archive<'a> {
    /// An archive without files.
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, length: 0, directory: Vec::new(), files: 0 }
    }

    /// Adds a file of the pieces that `content` gives, each time the same: it is asked twice.
    pub(super) fn add(
        &mut self,
        name: &str,
        content: impl Fn(&mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()>,
    ) -> io::Result<()> {
        let (mut crc, mut length) = (crc32fast::Hasher::new(), 0u64);
        content(&mut |piece| {
            crc.update(piece);
            length += piece.len() as u64;
            Ok(())
        })?;
        let size = u32::try_from(length).ok().filter(|&size| size != u32::MAX);
        let size = size.ok_or_else(|| io::Error::other(format!("{name}: longer than 4 GiB")))?;
        // Version 2.0, no flags, stored, no date.
        let mut about = vec![20, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        about.extend(crc.finalize().to_le_bytes());
        about.extend(size.to_le_bytes());
        about.extend(size.to_le_bytes());
        about.extend((name.len() as u16).to_le_bytes());
        let header = self.length;
        let unpadded = header + LOCAL_BYTES + name.len() as u64 + PADDING_HEAD;
        let padding = (unpadded.next_multiple_of(ALIGNMENT) - unpadded) as u16;
        self.put(LOCAL)?;
        self.put(&about)?;
        self.put(&(padding + PADDING_HEAD as u16).to_le_bytes())?;
        self.put(name.as_bytes())?;
        self.put(&PADDING)?;
        self.put(&padding.to_le_bytes())?;
        self.put(&vec![b'Z'; padding.into()])?;
        content(&mut |piece| self.put(piece))?;
        self.list(name, &about, header);
        Ok(())
    }

    /// Adds a file to the directory.
    fn list(&mut self, name: &str, about: &[u8], header: u64) {
        let narrow = u32::try_from(header).unwrap_or(u32::MAX);
        // The extra field for a place that 32 bits cannot tell.
        let wide = if narrow == u32::MAX {
            [&[1, 0, 8, 0][..], &header.to_le_bytes()].concat()
        } else {
            Vec::new()
        };
        self.directory.extend(ENTRY);
        self.directory.extend([20, 0]);
        self.directory.extend(about);
        self.directory.extend((wide.len() as u16).to_le_bytes());
        // No comment, the first disk, no attributes.
        self.directory.extend([0; 10]);
        self.directory.extend(narrow.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.directory.extend(wide);
        self.files += 1;
    }

    /// Writes the directory.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let start = self.length;
        let directory = std::mem::take(&mut self.directory);
        self.put(&directory)?;
        let (end, files, length) = (self.length, self.files, directory.len() as u64);
        let wide = start >= u32::MAX.into() || files >= u16::MAX.into();
        if wide {
            self.put(END_64)?;
            self.put(&(END_64_BYTES - 12).to_le_bytes())?;
            self.put(&[45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0])?;
            for number in [files, files, length, start] {
                self.put(&number.to_le_bytes())?;
            }
            self.put(LOCATOR)?;
            self.put(&[0; 4])?;
            self.put(&end.to_le_bytes())?;
            self.put(&1u32.to_le_bytes())?;
        }
        self.put(END)?;
        self.put(&[0; 4])?;
        let files = u16::try_from(files).unwrap_or(u16::MAX).to_le_bytes();
        self.put(&[files, files].concat())?;
        self.put(&(length as u32).to_le_bytes())?;
        self.put(&u32::try_from(start).unwrap_or(u32::MAX).to_le_bytes())?;
        self.put(&[0; 2])
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.length += bytes.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Seek, SeekFrom};
    use std::process::Command;

    use super::*;

    /// A file in which zeros take no room.
    struct Sparse(File);

    impl Write for Sparse {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if bytes.len() < 4096 {
                return self.0.write(bytes);
            }
            self.0.seek(SeekFrom::Current(bytes.len() as i64))?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            self.0.flush()
        }
    }

    /// Places beyond 4 GiB stand in the extra fields, and the directory has a record of 64 bits.
    #[test]
    fn archives_beyond_32_bits() {
        let path = std::env::temp_dir().join(format!("wkv-beyond-{}.zip", std::process::id()));
        let mut out = Sparse(File::create(&path).expect("a file"));
        let mut archive = Archive::new(&mut out);
        let zeros = vec![0; 1 << 20];
        for (name, pieces) in [("m/data/0", 3 << 10), ("m/data/1", 2 << 10)] {
            let content = |piece: &mut dyn FnMut(&[u8]) -> io::Result<()>| {
                (0..pieces).try_for_each(|_| piece(&zeros))
            };
            archive.add(name, content).expect("room");
        }
        archive.add("m/last", |piece| piece(b"here")).expect("room");
        archive.finish().expect("room");

        let source = Source::open(&path).expect("it was written");
        let files = read(&source).expect("it is whole");
        let Stored { start, length, crc } = files["m/last"];
        assert!(start > u32::MAX.into() && length == 4);
        assert_eq!(source.bytes(start, length).expect("bytes"), b"here");
        assert_eq!(crc, crc32fast::hash(b"here"));
        assert_eq!(files["m/data/1"].length, 2 << 30);
        const PROGRAM: &str =
            "import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read('m/last').decode())";
        match Command::new("python3").args(["-c", PROGRAM]).arg(&path).output() {
            Ok(told) => assert_eq!(String::from_utf8_lossy(&told.stdout), "here\n"),
            Err(_) => eprintln!("skipped: no python3 is at hand"),
        }
        std::fs::remove_file(path).expect("it is ours");
    }
}
