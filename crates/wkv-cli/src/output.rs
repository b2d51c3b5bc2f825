//! Files as output: written under a temporary name and renamed when they are whole.

use std::fs::{self, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use tempfile::NamedTempFile;

use crate::failure::Failure;

/// One file, or standard output for `-`. It appears when committed; dropped before, it leaves
/// nothing.
pub struct OutputFile {
    path: PathBuf,
    sink: Sink,
}

enum Sink {
    /// Renamed to the path in the end.
    Temporary(BufWriter<NamedTempFile>),
    /// Standard output, or a device or pipe, which must not be replaced by a file.
    Stream(Box<dyn Write>),
}

impl OutputFile {
    /// Opens `path` for writing, at once, so that a path that cannot be written is refused before
    /// the work and not after. Creates missing folders.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let open = || -> io::Result<Self> {
            if path == Path::new("-") {
                return Ok(Self::stream(path, io::stdout()));
            }
            // A link is followed, so that it stays one.
            let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            match fs::metadata(&path) {
                Ok(found) if found.is_dir() => {
                    Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"))
                }
                Ok(found) if !found.is_file() => {
                    Ok(Self::stream(&path, fs::File::options().write(true).open(&path)?))
                }
                _ => {
                    let folder = folder_of(&path);
                    create_folder(folder)?;
                    let file = temporary_in(folder)?;
                    Ok(Self { sink: Sink::Temporary(BufWriter::new(file)), path })
                }
            }
        };
        open().map_err(|error| cannot_write(path, &error))
    }

    fn stream(path: &Path, stream: impl Write + 'static) -> Self {
        Self { path: path.to_owned(), sink: Sink::Stream(Box::new(BufWriter::new(stream))) }
    }

    /// Whether this is standard output.
    pub fn is_stdout(&self) -> bool {
        self.path == Path::new("-")
    }

    /// Writes what `write` writes.
    pub fn write(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let sink: &mut dyn Write = match &mut self.sink {
            Sink::Temporary(file) => file,
            Sink::Stream(stream) => stream,
        };
        write(sink).or_else(|error| self.excuse(error))
    }

    /// Writes `value` as one line of JSON.
    pub fn write_json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        self.write(|out| {
            serde_json::to_writer(&mut *out, value)?;
            writeln!(out)
        })
    }

    /// Puts the file in its place.
    pub fn commit(mut self) -> Result<(), Failure> {
        self.write(|out| out.flush())?;
        match self.sink {
            Sink::Stream(_) => Ok(()),
            Sink::Temporary(file) => {
                let file = file.into_inner().map_err(io::IntoInnerError::into_error);
                let placed = file.and_then(|file| Ok(file.persist(&self.path)?));
                placed.map(|_| ()).map_err(|error| cannot_write(&self.path, &error))
            }
        }
    }

    /// A reader that closed its end of a pipe has read enough.
    fn excuse(&self, error: io::Error) -> Result<(), Failure> {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Ok(()),
            _ => Err(cannot_write(&self.path, &error)),
        }
    }
}

/// Files that belong together in one folder. They appear when committed, all of them; dropped
/// before, they leave nothing.
pub struct OutputFolder {
    path: PathBuf,
    created: bool,
    files: Vec<OutputFile>,
}

impl OutputFolder {
    /// Opens the folder `path`, created if missing, and refuses one that cannot be written.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let created = !path.exists();
        create_folder(path)
            .and_then(|()| temporary_in(path))
            .map_err(|error| cannot_write(path, &error))?;
        Ok(Self { path: path.to_owned(), created, files: Vec::new() })
    }

    /// Adds the file `name` with what `write` writes; gives its path.
    pub fn add(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<PathBuf, Failure> {
        let path = self.path.join(name);
        let mut file = OutputFile::create(&path)?;
        file.write(write)?;
        self.files.push(file);
        Ok(path)
    }

    /// Puts all files in their places.
    pub fn commit(mut self) -> Result<(), Failure> {
        std::mem::take(&mut self.files).into_iter().try_for_each(OutputFile::commit)
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        self.files.clear();
        if self.created {
            // Fails, as it should, if the folder is in use.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// Creates a folder and those that it stands in, if missing.
fn create_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            io::Error::new(error.kind(), format!("{} is no folder", path.display()))
        }
        _ => error,
    })
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A temporary file with the permissions that a new file usually has.
fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".wkv-");
    #[cfg(unix)]
    builder.permissions(<Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666));
    builder.tempfile_in(folder)
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    let hint = "expected a path in a folder that can be written";
    Failure::input(format!("{}: cannot be written: {error}; {hint}", path.display()))
}
