//! Other programs, run with a time limit and ended on Ctrl-C.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

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

/// How often a running program is looked at.
const PATIENCE: Duration = Duration::from_millis(10);

/// Runs `command`, what it prints going to the file `log`. It gets a process group of its own, so
/// that the programs which it starts are ended with it.
pub fn run(
    command: &mut Command,
    log: &Path,
    limit: Duration,
    interrupt: &Interrupt,
) -> Result<End, Failure> {
    let file = File::create(log)?;
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file).process_group(0);
    let start = Instant::now();
    let mut group = Group(command.spawn()?);
    loop {
        if let Some(status) = group.0.try_wait()? {
            let printed = String::from_utf8_lossy(&fs::read(log)?).into_owned();
            return Ok(if status.success() {
                End::Succeeded(printed)
            } else {
                End::Failed(printed)
            });
        }
        interrupt.check()?;
        if start.elapsed() > limit {
            return Ok(End::TookTooLong);
        }
        thread::sleep(PATIENCE);
    }
}

/// A program and those that it started; ended when dropped.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            // It may have just ended by itself.
            let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
            let _ = self.0.wait();
        }
    }
}
