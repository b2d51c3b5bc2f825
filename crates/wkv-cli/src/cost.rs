//! What a command took: time, processor time, and memory.

use std::fmt;
use std::fs;
use std::time::{Duration, Instant};

/// A command that is running; as text, what it has taken so far.
pub struct Cost(Instant);

impl Cost {
    /// Starts the clock.
    pub fn start() -> Self {
        Self(Instant::now())
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{:.1} s", self.0.elapsed().as_secs_f64())?;
        if let Some(time) = processor_time() {
            write!(f, ", {:.1} s of processor time", time.as_secs_f64())?;
        }
        if let Some(bytes) = peak_memory() {
            write!(f, ", peak memory {} MiB", bytes >> 20)?;
        }
        Ok(())
    }
}

/// The most memory that this process has had, in bytes, where Linux tells.
pub fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// The time that all threads of this process have taken, where Linux tells.
pub fn processor_time() -> Option<Duration> {
    /// Ticks of a second, as Linux reports times to programs.
    const TICKS: u64 = 100;
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program comes first, in parentheses, and may hold anything.
    let (_, fields) = stat.rsplit_once(')')?;
    let times = fields.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
    let ticks: u64 = times.collect::<Result<Vec<_>, _>>().ok()?.iter().sum();
    Some(Duration::from_millis(ticks * 1000 / TICKS))
}
