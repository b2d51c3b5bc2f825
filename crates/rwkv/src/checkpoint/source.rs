//! The bytes of a checkpoint, read where a tensor lies: no copy of the file is held.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use wkv::file;

/// A file, or its content in memory.
#[derive(Debug)]
pub(super) enum Source<'a> {
    /// An open file and its length.
    File(File, u64),
    /// The whole content.
    Bytes(&'a [u8]),
}

impl Source<'_> {
    /// Opens a regular file of any length.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        file::open(path, u64::MAX).map(|(file, length)| Self::File(file, length))
    }

    /// The length in bytes.
    pub(super) fn length(&self) -> u64 {
        match self {
            Self::File(_, length) => *length,
            Self::Bytes(bytes) => bytes.len() as u64,
        }
    }

    /// Fills `into` with the bytes from `at` on.
    pub(super) fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        match self {
            Self::File(file, _) => {
                let mut file = file;
                file.seek(SeekFrom::Start(at))?;
                file.read_exact(into)
            }
            Self::Bytes(bytes) => {
                let rest = usize::try_from(at).ok().and_then(|at| bytes.get(at..));
                let found = rest.and_then(|rest| rest.get(..into.len()));
                into.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
        }
    }

    /// `length` bytes from `at` on; fewer where the file ends before.
    pub(super) fn bytes(&self, at: u64, length: u64) -> io::Result<Vec<u8>> {
        let length = length.min(self.length().saturating_sub(at));
        let mut bytes = reserve(usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?)?;
        bytes.resize(length as usize, 0);
        self.read(at, &mut bytes)?;
        Ok(bytes)
    }
}

/// An empty vector with room for `length` elements, or an error where there is no such room.
pub(super) fn reserve<T>(length: usize) -> io::Result<Vec<T>> {
    let mut vector = Vec::new();
    vector.try_reserve_exact(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
    Ok(vector)
}
