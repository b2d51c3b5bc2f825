//! Kept results of `wkv synth`, one line of JSON each, as pages read them.

use std::fs;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// A clock over the placement seeds, in MHz.
#[derive(Deserialize, Serialize)]
pub struct Spread {
    pub median: f64,
    pub min: f64,
    pub max: f64,
}

/// Where and when it was measured.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Machine {
    pub cpu: String,
    pub cores: usize,
    pub date: String,
}

/// The results of a file.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, Failure> {
    let refuse = |problem: String| Failure::input(format!("{}: {problem}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
    parse(&text).map_err(refuse)
}

/// The results of a text; if they are none, the line and why.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, String> {
    let result = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| format!("line {}: {error}", number + 1))
    };
    text.lines().enumerate().map(result).collect()
}
