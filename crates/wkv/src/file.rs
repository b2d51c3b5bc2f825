//! Files as input, read whole and within bounds.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The longest file of a kind that has no limit of its own: 1 GiB.
pub const MOST_BYTES: u64 = 1 << 30;

/// Opens the regular file at `path`; gives its length, too.
///
/// Folders, devices, pipes and sockets are refused before they are opened: a device may never end,
/// and a pipe may never begin.
///
/// # Errors
/// What the system reports; if it is no regular file, or longer than `most` bytes.
pub fn open(path: &Path, most: u64) -> io::Result<(File, u64)> {
    check(&fs::metadata(path)?, most)?;
    let file = File::open(path)?;
    // What is open may not be what was there before.
    let length = check(&file.metadata()?, most)?;
    Ok((file, length))
}

/// The content of the regular file at `path`, which is [opened](open).
///
/// # Errors
/// What the system reports; if it is no regular file, or longer than `most` bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, length) = open(path, most)?;
    let mut bytes = Vec::new();
    let capacity = usize::try_from(length).map_err(|_| ErrorKind::OutOfMemory)?;
    bytes.try_reserve_exact(capacity).map_err(|_| ErrorKind::OutOfMemory)?;
    // Some files grow, and some have no length of their own.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_long(most)) } else { Ok(bytes) }
}

/// As [`read`], as text.
///
/// # Errors
/// As [`read`]; if the content is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        invalid(format!("it is not UTF-8, from byte {offset} on"))
    })
}

/// The length of a regular file.
fn check(metadata: &fs::Metadata, most: u64) -> io::Result<u64> {
    if metadata.is_dir() {
        return Err(io::Error::new(ErrorKind::IsADirectory, "it is a folder"));
    }
    if !metadata.is_file() {
        return Err(invalid("it is a device or a pipe, no regular file".to_owned()));
    }
    if metadata.len() > most { Err(too_long(most)) } else { Ok(metadata.len()) }
}

fn too_long(most: u64) -> io::Error {
    invalid(format!("it is longer than {most} bytes"))
}

fn invalid(reason: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, reason)
}
