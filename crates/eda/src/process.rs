//! Other programs, run with a time limit and ended when the user asks to stop.

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// How another program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself.
    Exited(ExitStatus),
    /// It was ended because it took longer than its limit.
    TookTooLong,
    /// It was ended because the user asked to stop.
    Stopped,
}

/// How often a running program is looked at.
const PATIENCE: Duration = Duration::from_millis(10);

/// Runs `command`, what it prints going to the file `log`, for `limit` at most and as long as `stop`
/// says no. It gets a process group of its own, and whatever is left of that is ended with it.
///
/// # Errors
/// The log cannot be created, or the program cannot be started.
pub fn run(
    command: &mut Command,
    log: &Path,
    limit: Duration,
    stop: &dyn Fn() -> bool,
) -> io::Result<End> {
    let file = File::create(log)?;
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file).process_group(0);
    let start = Instant::now();
    let mut group = Group::of(command.spawn()?);
    loop {
        if let Some(status) = group.child.try_wait()? {
            return Ok(End::Exited(status));
        }
        if stop() {
            return Ok(End::Stopped);
        }
        if start.elapsed() > limit {
            return Ok(End::TookTooLong);
        }
        thread::sleep(PATIENCE);
    }
}

/// A program and those that it started; ended when dropped.
struct Group {
    id: Pid,
    child: Child,
}

impl Group {
    fn of(child: Child) -> Self {
        Self { id: Pid::from_child(&child), child }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // A group keeps its number while any process is in it, so this hits no other one; it fails,
        // as it should, when all have ended.
        let _ = kill_process_group(self.id, Signal::KILL);
        let _ = self.child.wait();
    }
}
