//! Other programs, run with a time limit and ended on Ctrl-C.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use eda::process;

use crate::failure::Failure;
use crate::interrupt::Interrupt;

/// How another program ended.
pub enum End {
    /// It succeeded; what it printed.
    Succeeded(String),
    /// It failed; what it printed.
    Failed(String),
    /// It was ended because it took longer than its limit.
    TookTooLong,
}

/// Runs `command`, what it prints going to the file `log`, and what it leaves running is ended.
pub fn run(
    command: &mut Command,
    log: &Path,
    limit: Duration,
    interrupt: &Interrupt,
) -> Result<End, Failure> {
    let end = process::run(command, log, limit, &|| interrupt.requested())?;
    let printed = String::from_utf8_lossy(&fs::read(log)?).into_owned();
    match end {
        process::End::Exited(status) if status.success() => Ok(End::Succeeded(printed)),
        process::End::Exited(_) => Ok(End::Failed(printed)),
        process::End::TookTooLong => Ok(End::TookTooLong),
        process::End::Stopped => Err(Failure::Interrupted),
    }
}
