//! Why there is no placed design.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

/// How many lines of a log an error shows.
const LINES: usize = 10;

/// Why there is no placed design. Every text is for people and says what to do or where to look.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A tool is not installed.
    #[error("{tool} is not installed; install it with: {install}")]
    Missing {
        /// The tool.
        tool: &'static str,
        /// The command that installs it.
        install: &'static str,
    },
    /// The device has too few of something.
    #[error(
        "the design does not fit {device}: it needs {at_least}{needed} {resource}, {excess} more \
         than the {available} there are; expected a smaller design or a larger device",
        at_least = if *.exact { "" } else { "at least " },
        excess = .needed - .available
    )]
    TooSmall {
        /// The device.
        device: &'static str,
        /// What there is too little of, in nextpnr's words.
        resource: String,
        /// How many the design takes.
        needed: usize,
        /// How many the device has.
        available: usize,
        /// Whether `needed` is what the tool counted, or a bound from below.
        exact: bool,
    },
    /// A tool failed.
    #[error("{tool} failed ({status}); the last lines of {}:\n{last_lines}", log.display())]
    Failed {
        /// The tool.
        tool: String,
        /// How it ended.
        status: ExitStatus,
        /// Its last lines.
        last_lines: String,
        /// All that it printed.
        log: PathBuf,
    },
    /// A tool ended well, but what it left is not what it should be.
    #[error("{tool}: {problem}; the last lines of {}:\n{last_lines}", log.display())]
    Unexpected {
        /// The tool.
        tool: String,
        /// What is wrong.
        problem: String,
        /// Its last lines.
        last_lines: String,
        /// All that it printed.
        log: PathBuf,
    },
    /// The time was up.
    #[error(
        "{tool} was ended because the limit of {} s was reached; see {}, or set --time-limit",
        limit.as_secs_f64(),
        log.display()
    )]
    TimeLimit {
        /// The tool that ran.
        tool: String,
        /// The limit, for all tools together.
        limit: Duration,
        /// What it had printed.
        log: PathBuf,
    },
    /// The module cannot be put on a device.
    #[error("{0}")]
    Design(String),
    /// The user asked to stop.
    #[error("stopped")]
    Stopped,
    /// A file could not be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What happened.
        error: io::Error,
    },
}

impl Error {
    /// A tool that failed, with the end of its log.
    pub fn failed(tool: &str, status: ExitStatus, log: &Path) -> Self {
        let (tool, last_lines) = (tool.to_owned(), last_lines(log));
        Error::Failed { tool, status, last_lines, log: log.to_owned() }
    }

    /// A tool that left something else than it should.
    pub fn unexpected(tool: &str, problem: impl Into<String>, log: &Path) -> Self {
        Error::Unexpected {
            tool: tool.to_owned(),
            problem: problem.into(),
            last_lines: last_lines(log),
            log: log.to_owned(),
        }
    }

    /// A file that could not be read or written.
    pub fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Error::File { path: path.to_owned(), error }
    }

    /// The same with logs in `folder`, where they were moved.
    pub(crate) fn with_logs_in(mut self, folder: &Path) -> Self {
        if let Error::Failed { log, .. }
        | Error::Unexpected { log, .. }
        | Error::TimeLimit { log, .. } = &mut self
            && let Some(name) = log.file_name()
        {
            *log = folder.join(name);
        }
        self
    }
}

/// The last lines of a log that say something, cut where they are long.
fn last_lines(log: &Path) -> String {
    const WIDTH: usize = 200;
    let text = String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).into_owned();
    let lines: Vec<String> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.chars().filter(|c| !c.is_control()).take(WIDTH).collect())
        .collect();
    match lines.len() {
        0 => "(it printed nothing)".to_owned(),
        count => lines[count.saturating_sub(LINES)..].join("\n"),
    }
}
