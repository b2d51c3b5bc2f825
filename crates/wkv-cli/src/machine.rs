//! The machine that a measurement was made on.

use std::fs;
use std::thread;
use std::time::SystemTime;

use serde::Serialize;

/// What a reader needs to compare a measurement.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// Model of the processor, as the system names it.
    pub cpu: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// The vector instructions that the simulator uses.
    pub instruction_set: &'static str,
    /// When, in UTC (RFC 3339).
    pub date: String,
    /// Version of this program.
    pub version: &'static str,
}

impl Machine {
    /// This machine, now.
    pub fn here() -> Self {
        Self {
            cpu: cpu_model().unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            cores: thread::available_parallelism().map_or(1, usize::from),
            instruction_set: morpho::sim::instruction_set(),
            date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// The model as Linux tells it.
fn cpu_model() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
