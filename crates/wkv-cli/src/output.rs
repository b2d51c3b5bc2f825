//! Files as output: written under temporary names, and renamed together when all are whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use tempfile::NamedTempFile;

use crate::failure::Failure;
use crate::interrupt::{Interrupt, Interruptible};

/// What this process has put on disk and would leave behind if it ended now.
static PENDING: Mutex<Pending> =
    Mutex::new(Pending { files: BTreeSet::new(), folders: Vec::new() });

struct Pending {
    /// Temporary files.
    files: BTreeSet<PathBuf>,
    /// Folders that were created, outer ones before inner ones.
    folders: Vec<PathBuf>,
}

impl Pending {
    fn lock() -> MutexGuard<'static, Self> {
        PENDING.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the folders that are empty.
    fn remove_folders(&mut self) {
        // Inner ones first. It fails, as it should, for folders in use.
        self.folders.reverse();
        self.folders.retain(|folder| fs::remove_dir(folder).is_err() && folder.exists());
        self.folders.reverse();
    }
}

/// What must not be written: files that the command reads, and those that it writes already.
static TAKEN: Mutex<BTreeMap<PathBuf, &'static str>> = Mutex::new(BTreeMap::new());

/// Keeps a file that the command reads, or will, from being written.
pub fn protect(path: &Path) {
    if let Ok(place) = place_of(path) {
        taken().insert(place, "the command reads it");
    }
}

/// Lets a file be written after all, once.
pub fn release(path: &Path) {
    if let Ok(place) = place_of(path) {
        taken().remove(&place);
    }
}

/// Takes the place of a file, once.
fn take(path: &Path) -> io::Result<()> {
    match taken().insert(place_of(path)?, "the command writes another result there") {
        None => Ok(()),
        Some(why) => Err(io::Error::new(io::ErrorKind::AlreadyExists, why)),
    }
}

fn taken() -> MutexGuard<'static, BTreeMap<PathBuf, &'static str>> {
    TAKEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The one path of a file, which need not be there, in a folder that is.
fn place_of(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path).or_else(|_| {
        let name = path.file_name().unwrap_or_default();
        Ok(fs::canonicalize(folder_of(path))?.join(name))
    })
}

/// Removes what is not in its place yet and ends the process.
pub fn abandon_all(exit_code: i32) -> ! {
    // Held to the end, so that no other thread puts a file on disk or in its place meanwhile.
    let mut pending = Pending::lock();
    for file in std::mem::take(&mut pending.files) {
        // Nothing more can be done about one that stays.
        let _ = fs::remove_file(file);
    }
    pending.remove_folders();
    process::exit(exit_code);
}

/// A file under a temporary name; dropped, it is removed, and so are the folders made for it.
struct Temporary(Option<BufWriter<NamedTempFile>>);

impl Temporary {
    /// Creates one in `folder`, which is created if missing.
    fn create(folder: &Path) -> io::Result<Self> {
        let mut pending = Pending::lock();
        create_folder(folder, &mut pending)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".wkv-");
        // The permissions that a new file usually has.
        #[cfg(unix)]
        builder.permissions(<Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666));
        let file = builder.tempfile_in(folder)?;
        pending.files.insert(file.path().to_owned());
        Ok(Self(Some(BufWriter::new(file))))
    }

    fn writer(&mut self) -> &mut BufWriter<NamedTempFile> {
        self.0.as_mut().expect("only `persist` takes the file")
    }

    fn persist(&mut self, path: &Path, pending: &mut Pending) -> io::Result<()> {
        let file = self.0.take().expect("only `persist` takes the file");
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        let temporary = file.path().to_owned();
        file.persist(path)?;
        pending.files.remove(&temporary);
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(file) = self.0.take() {
            let mut pending = Pending::lock();
            pending.files.remove(file.get_ref().path());
            drop(file);
            pending.remove_folders();
        }
    }
}

/// One file, or standard output for `-`. It appears when put in its place by [`place`]; dropped
/// before, it leaves nothing.
pub struct OutputFile {
    path: PathBuf,
    sink: Sink,
    interrupt: Interrupt,
}

enum Sink {
    /// Renamed to the path in the end.
    Temporary(Temporary),
    /// Standard output, or a device or pipe, which must not be replaced by a file.
    Stream(Box<dyn Write>),
}

impl OutputFile {
    /// Opens `path` for writing, at once, so that a path that cannot be written is refused before
    /// the work and not after. Creates missing folders. Writing stops when `interrupt` says so.
    pub fn create(path: &Path, interrupt: &Interrupt) -> Result<Self, Failure> {
        let open = || -> io::Result<(PathBuf, Sink)> {
            if is_stdout(path) {
                return Ok((path.to_owned(), stream(io::stdout())));
            }
            // A link is followed, so that it stays one.
            let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            let sink = match fs::metadata(&path) {
                Ok(found) if found.is_dir() => {
                    return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
                }
                Ok(found) if !found.is_file() => {
                    stream(fs::File::options().write(true).open(&path)?)
                }
                _ => {
                    let file = Temporary::create(folder_of(&path))?;
                    take(&path)?;
                    Sink::Temporary(file)
                }
            };
            Ok((path, sink))
        };
        let (path, sink) = open().map_err(|error| cannot_write(path, &error))?;
        Ok(Self { path, sink, interrupt: interrupt.clone() })
    }

    /// Writes what `write` writes.
    pub fn write(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let out: &mut dyn Write = match &mut self.sink {
            Sink::Temporary(file) => file.writer(),
            Sink::Stream(stream) => stream,
        };
        let written = write(&mut Interruptible { out, interrupt: &self.interrupt });
        self.interrupt.check()?;
        written.or_else(|error| self.excuse(error))
    }

    /// Writes `value` as one line of JSON.
    pub fn write_json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        self.write(|out| {
            serde_json::to_writer(&mut *out, value)?;
            writeln!(out)
        })
    }

    /// A reader that closed its end of a pipe has read enough.
    fn excuse(&self, error: io::Error) -> Result<(), Failure> {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Ok(()),
            _ => Err(cannot_write(&self.path, &error)),
        }
    }
}

/// Whether an output path stands for standard output.
pub fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

fn stream(stream: impl Write + 'static) -> Sink {
    Sink::Stream(Box::new(BufWriter::new(stream)))
}

/// Writes out what is still in memory, so that a full disk is known before any file is in its
/// place.
pub fn flush(files: &mut [OutputFile]) -> Result<(), Failure> {
    files.iter_mut().try_for_each(|file| file.write(|out| out.flush()))
}

/// Puts flushed files in their places, one after another. If one cannot be renamed, for which
/// its folder must have changed since it was opened, those before it stay.
pub fn place(mut files: Vec<OutputFile>) -> Result<(), Failure> {
    // The files that are left are dropped after the lock, which they need.
    let mut pending = Pending::lock();
    let placed = files.iter_mut().try_for_each(|OutputFile { path, sink, .. }| match sink {
        Sink::Temporary(file) => {
            file.persist(path, &mut pending).map_err(|error| cannot_write(path, &error))
        }
        Sink::Stream(_) => Ok(()),
    });
    drop(pending);
    placed
}

/// Files that belong together in one folder.
pub struct OutputFolder {
    path: PathBuf,
    /// Keeps the folder, and shows that it can be written.
    _probe: Temporary,
    files: Vec<OutputFile>,
    interrupt: Interrupt,
}

impl OutputFolder {
    /// Opens the folder `path`, created if missing, and refuses one that cannot be written.
    pub fn create(path: &Path, interrupt: &Interrupt) -> Result<Self, Failure> {
        let probe = Temporary::create(path).map_err(|error| cannot_write(path, &error))?;
        let interrupt = interrupt.clone();
        Ok(Self { path: path.to_owned(), _probe: probe, files: Vec::new(), interrupt })
    }

    /// Adds the file `name` with what `write` writes; gives its path, as text for people.
    pub fn add(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<String, Failure> {
        let path = self.path.join(name);
        let mut file = OutputFile::create(&path, &self.interrupt)?;
        file.write(write)?;
        self.files.push(file);
        Ok(path.display().to_string())
    }

    /// The files, to be put in their places.
    pub fn into_files(self) -> Vec<OutputFile> {
        self.files
    }
}

/// Creates a folder and those that it stands in, if missing.
fn create_folder(path: &Path, pending: &mut Pending) -> io::Result<()> {
    let missing: Vec<&Path> = path
        .ancestors()
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        .collect();
    for folder in missing.into_iter().rev() {
        fs::create_dir(folder)?;
        pending.folders.push(folder.to_owned());
    }
    match path.is_dir() {
        true => Ok(()),
        false => Err(io::Error::other(format!("{} is no folder", path.display()))),
    }
}

/// The folder that a file is in.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    let hint = match error.kind() {
        io::ErrorKind::AlreadyExists => "expected a file of its own",
        io::ErrorKind::Unsupported => "expected another format, such as verilog or yosys-json",
        _ => "expected a path in a folder that can be written",
    };
    Failure::input(format!("{}: cannot be written: {error}; {hint}", path.display()))
}
