//! Files of records: what a sweep measured, one line of JSON for each arm and document, written as
//! soon as it is known. An interrupted sweep goes on from its file, and files of several machines
//! are merged.

mod line;

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rwkv::eval::Part;
use serde::Deserialize;
use wkv::file;

pub use self::line::Header;
use self::line::{ArmRecord, FloatRecord, Line, VERSION};
use super::measured::{Disagreement, Measured};
use super::name::ArmName;
use crate::failure::{Failure, shown};

/// The content of a file of records.
pub struct Records {
    /// Its first header; the arms of all.
    pub header: Header,
    /// What was measured.
    pub measured: Measured,
    /// Bytes of whole lines; what follows was cut off in the middle of a line.
    whole: usize,
}

/// The version of a file, which tells how to read the rest.
#[derive(Deserialize)]
struct Version {
    record: String,
    version: u32,
}

impl Records {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let bytes = file::read(path, file::MOST_BYTES).map_err(|error| {
            Failure::input(format!(
                "{}: cannot be read: {error}; expected a file that wkv sweep --records wrote",
                path.display()
            ))
        })?;
        Self::parse(path, &bytes)
    }

    fn parse(path: &Path, bytes: &[u8]) -> Result<Self, Failure> {
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let mut lines = (1..).zip(bytes[..whole].split(|&byte| byte == b'\n'));
        let (_, first) = lines.next().unwrap_or((1, bytes));
        let header = first_header(path, first)?;
        let mut records = Self { header, measured: Measured::default(), whole };
        let sweep = records.header.sweep();
        for (number, line) in lines.filter(|(_, line)| !line.is_empty()) {
            let mut add = || -> Result<(), String> {
                let line = serde_json::from_slice(line).map_err(|error| error.to_string())?;
                records.add(line, &sweep)
            };
            add().map_err(|reason| {
                Failure::input(format!(
                    "{}, line {number}: {}; expected a record of the sweep of line 1",
                    path.display(),
                    shown(&reason)
                ))
            })?;
        }
        Ok(records)
    }

    fn add(&mut self, line: Line, sweep: &str) -> Result<(), String> {
        let Header { identity, .. } = &self.header;
        let check = |of: &str, document: usize| match (of == sweep, document) {
            (false, _) => Err("it is of another model, text or version".to_owned()),
            (true, document) if (1..=identity.sequences).contains(&document) => Ok(document - 1),
            _ => Err(format!("there is no document {document} among {}", identity.sequences)),
        };
        let added = match line {
            Line::Sweep(header) if header.sweep() == sweep => {
                add_new(&mut self.header.arms, &header.arms);
                Ok(())
            }
            Line::Sweep(_) => return Err("it is of another model, text or version".to_owned()),
            Line::Float(record) => {
                let place = check(&record.sweep, record.document)?;
                self.measured.add_reference(place, record.part(identity.blocks)?)
            }
            Line::Arm(record) => {
                let place = check(&record.sweep, record.document)?;
                self.measured.add_arm(place, record.arm, record.part(identity.blocks)?)
            }
        };
        added.map_err(|disagreement| disagreement.to_string())
    }
}

/// Appends the items that are not in the list.
pub fn add_new<T: Copy + PartialEq>(list: &mut Vec<T>, items: &[T]) {
    for &item in items {
        if !list.contains(&item) {
            list.push(item);
        }
    }
}

fn first_header(path: &Path, line: &[u8]) -> Result<Header, Failure> {
    let refuse = |reason: String| {
        Failure::input(format!(
            "{}: {reason}; expected a file that wkv sweep --records wrote, or one that does not \
             exist yet",
            path.display()
        ))
    };
    let version: Version =
        serde_json::from_slice(line).map_err(|_| refuse("it holds no records".to_owned()))?;
    if version.record != "sweep" {
        return Err(refuse("its first line is not that of a sweep".to_owned()));
    }
    if version.version != VERSION {
        let found = version.version;
        return Err(refuse(format!("it has version {found} of the form, not {VERSION}")));
    }
    match serde_json::from_slice(line) {
        Ok(Line::Sweep(header)) => Ok(header),
        Ok(_) => Err(refuse("its first line is not that of a sweep".to_owned())),
        Err(error) => Err(refuse(format!("its first line: {error}"))),
    }
}

impl Header {
    /// Refuses records of another sweep, and says what differs.
    pub fn check(&self, found: &Self, path: &Path) -> Result<(), Failure> {
        let (ours, theirs) = (&self.identity, &found.identity);
        let difference = if self.wkv != found.wkv {
            format!("by wkv {}, not {}", found.wkv, self.wkv)
        } else if ours.model_digest != theirs.model_digest {
            format!(
                "of the model {} ({}), not {} ({})",
                shown(&theirs.model),
                shown(&theirs.model_digest),
                ours.model,
                ours.model_digest
            )
        } else if self.sweep() != found.sweep() {
            let [ours, theirs] = [ours, theirs].map(|identity| {
                let sequences = match identity.context {
                    Some(context) => format!("sequences of {context} tokens"),
                    None => "documents".to_owned(),
                };
                let (text, digest) = (shown(&identity.text), shown(&identity.text_digest));
                format!("{text} ({digest}, {} {sequences})", identity.sequences)
            });
            format!("of the text {theirs}, not {ours}")
        } else {
            return Ok(());
        };
        Err(Failure::input(format!(
            "{}: its records are {difference}; expected records of the same sweep, or a new file",
            path.display()
        )))
    }
}

/// A file that records are appended to.
pub struct RecordFile {
    path: PathBuf,
    file: File,
    sweep: String,
}

impl RecordFile {
    /// Opens the file of a sweep, or begins it, and gives what it holds. A last line that was cut
    /// off is removed.
    pub fn open(path: &Path, header: &Header) -> Result<(Self, Measured), Failure> {
        let first_line = text_of(&Line::Sweep(header.clone()));
        let begin = || -> io::Result<(File, Vec<u8>)> {
            if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
                return Err(io::Error::other("it is a folder, a device or a pipe"));
            }
            let file = File::options().create(true).append(true).open(path)?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => {
                    return Err(io::Error::other("another sweep writes to it"));
                }
                // Some file systems have no locks.
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
            let bytes = file::read(path, file::MOST_BYTES)?;
            Ok((file, bytes))
        };
        let (file, bytes) = begin().map_err(|error| cannot_use(path, &error))?;
        let mut records = Self { path: path.to_owned(), file, sweep: header.sweep() };
        let (measured, whole, arms) = match first_line.as_bytes().starts_with(&bytes) {
            // A sweep that ended within its first line has measured nothing.
            true => (Measured::default(), 0, Vec::new()),
            false => {
                let found = Records::parse(path, &bytes)?;
                header.check(&found.header, path)?;
                (found.measured, found.whole, found.header.arms)
            }
        };
        records.truncate(whole, bytes.len())?;
        if !header.arms.iter().all(|arm| arms.contains(arm)) {
            records.append(&first_line)?;
        }
        Ok((records, measured))
    }

    fn truncate(&self, whole: usize, length: usize) -> Result<(), Failure> {
        match whole < length {
            true => self.file.set_len(whole as u64).map_err(|error| self.cannot_write(&error)),
            false => Ok(()),
        }
    }

    /// Appends what was measured on one sequence, in one write; `arms` are all that there are.
    pub fn add(&mut self, part: &Part, arms: &[ArmName]) -> Result<(), Failure> {
        let (document, sweep) = (part.number + 1, &self.sweep);
        let mut text = text_of(&Line::Float(FloatRecord::new(sweep, document, &part.reference)));
        for (arm, part) in &part.arms {
            text += &text_of(&Line::Arm(ArmRecord::new(sweep, document, arms[*arm], part)));
        }
        self.append(&text)
    }

    fn append(&mut self, text: &str) -> Result<(), Failure> {
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.flush());
        written.map_err(|error| self.cannot_write(&error))
    }

    fn cannot_write(&self, error: &io::Error) -> Failure {
        Failure::input(format!("{}: cannot be written: {error}", self.path.display()))
    }
}

/// A line with its end.
fn text_of(line: &Line) -> String {
    serde_json::to_string(line).expect("records have text for keys") + "\n"
}

fn cannot_use(path: &Path, error: &io::Error) -> Failure {
    Failure::input(format!(
        "{}: cannot be used for records: {error}; expected a file that can be written",
        path.display()
    ))
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let document = self.place + 1;
        match self.arm {
            Some(arm) => write!(f, "two results of {arm} on document {document} differ"),
            None => write!(f, "two results of the float model on document {document} differ"),
        }
    }
}
