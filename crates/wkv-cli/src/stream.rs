//! Token streams as files: JSON, or one JSON value a line.

use std::path::Path;

use serde::{Deserialize, Serialize};
use wkv::spec::Format;
use wkv::{Arithmetic, file};

use crate::failure::Failure;

/// What a file of streams looks like, for errors.
const FORM: &str = r#"{"spec": "classic:q8.8", "k": [[..]], "v": [[..]], "u": [..], "w": [..]}"#;

/// The tokens and constants of some channels, as the file has them.
#[derive(Clone, Debug, Deserialize)]
pub struct Stream {
    /// Where it stands, for errors: the file, and the line if there are several.
    #[serde(skip)]
    pub place: String,
    /// The numerics that the numbers are meant for, if the file tells.
    pub spec: Option<Arithmetic>,
    /// Keys, `[channel][token]`.
    pub k: Vec<Vec<f64>>,
    /// Values, `[channel][token]`.
    pub v: Vec<Vec<f64>>,
    /// Bonus of each channel.
    pub u: Vec<f64>,
    /// Decay of each channel.
    pub w: Vec<f64>,
}

/// Reads the streams of a file: one a line if its name ends in `.jsonl`, else a single one.
pub fn read(path: &Path) -> Result<Vec<Stream>, Failure> {
    let file = path.display();
    let bytes = file::read(path, file::MOST_BYTES).map_err(|error| {
        Failure::input(format!("{file}: cannot be read: {error}; expected {FORM}"))
    })?;
    if bytes.trim_ascii().is_empty() {
        return Err(Failure::input(format!("{file}: empty; expected {FORM}")));
    }
    if !is_lines(path) {
        return Ok(vec![parse(file.to_string(), None, &bytes)?]);
    }
    let lines = (1..).zip(bytes.split(|&byte| byte == b'\n'));
    lines
        .filter(|(_, line)| !line.trim_ascii().is_empty())
        .map(|(number, line)| parse(file.to_string(), Some(number), line))
        .collect()
}

/// Whether the file at `path` has a stream a line.
pub fn is_lines(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jsonl")
}

/// Reads one stream of a file, in the given line if it has a line of its own.
fn parse(file: String, line: Option<usize>, json: &[u8]) -> Result<Stream, Failure> {
    // A list would be taken for the fields in their order.
    if json.trim_ascii_start().first() != Some(&b'{') {
        let place = line.map_or(file.clone(), |line| format!("{file}: line {line}"));
        return Err(Failure::input(format!("{place}: no object; expected {FORM}")));
    }
    let stream: Stream = serde_json::from_slice(json).map_err(|error| {
        let (found_line, column) = (error.line(), error.column());
        let message = error.to_string();
        let message = message.trim_end_matches(&format!(" at line {found_line} column {column}"));
        let line = line.unwrap_or(found_line);
        Failure::input(format!("{file}: line {line}, column {column}: {message}; expected {FORM}"))
    })?;
    let place = line.map_or(file.clone(), |line| format!("{file}: line {line}"));
    let stream = Stream { place, ..stream };
    stream.check_shape()?;
    Ok(stream)
}

impl Stream {
    /// Number of channels.
    pub fn channels(&self) -> usize {
        self.k.len()
    }

    /// Number of tokens of every channel.
    pub fn tokens(&self) -> usize {
        self.k.first().map_or(0, Vec::len)
    }

    /// Number of channel-steps: tokens of all channels.
    pub fn steps(&self) -> u64 {
        (self.channels() * self.tokens()) as u64
    }

    fn check_shape(&self) -> Result<(), Failure> {
        let (channels, tokens) = (self.channels(), self.tokens());
        for (name, found) in [("v", self.v.len()), ("u", self.u.len()), ("w", self.w.len())] {
            if found != channels {
                return Err(self.fault(format!(
                    "\"{name}\" has length {found}, \"k\" has length {channels}; expected an entry a \
                     channel in each"
                )));
            }
        }
        for (name, rows) in [("k", &self.k), ("v", &self.v)] {
            if let Some(channel) = rows.iter().position(|row| row.len() != tokens) {
                let found = rows[channel].len();
                return Err(self.fault(format!(
                    "\"{name}\" in channel {channel} has length {found}, \"k\" in channel 0 has \
                     length {tokens}; expected a number a token in each"
                )));
            }
        }
        Ok(())
    }

    /// An error in this stream.
    pub fn fault(&self, message: impl std::fmt::Display) -> Failure {
        Failure::input(format!("{}: {message}", self.place))
    }

    /// The numbers as raw integers of `format`.
    pub fn raw(&self, format: Format) -> Result<Numbers<i32>, Failure> {
        let read = |number: f64, place: &dyn Fn() -> String| {
            let raw = number as i32;
            if f64::from(raw) == number && format.holds(raw) {
                return Ok(raw);
            }
            let (min, max) = (format.min(), format.max());
            Err(self.fault(format!(
                "{} is {number}; {format} takes raw integers from {min} to {max}",
                place()
            )))
        };
        let rows = |name: &str, rows: &[Vec<f64>]| -> Result<Vec<Vec<i32>>, Failure> {
            let row = |(channel, row): (usize, &Vec<f64>)| {
                let place = |token| format!("\"{name}\" in channel {channel}, token {token}");
                let numbers = row.iter().enumerate();
                numbers.map(|(token, &number)| read(number, &|| place(token))).collect()
            };
            rows.iter().enumerate().map(row).collect()
        };
        let constants = |name: &str, numbers: &[f64]| -> Result<Vec<i32>, Failure> {
            let place = |channel| format!("\"{name}\" in channel {channel}");
            let numbers = numbers.iter().enumerate();
            numbers.map(|(channel, &number)| read(number, &|| place(channel))).collect()
        };
        Ok(Numbers {
            k: rows("k", &self.k)?,
            v: rows("v", &self.v)?,
            u: constants("u", &self.u)?,
            w: constants("w", &self.w)?,
        })
    }

    /// The numbers as they stand.
    pub fn real(&self) -> Numbers<f64> {
        let Self { k, v, u, w, .. } = self.clone();
        Numbers { k, v, u, w }
    }
}

/// The numbers of a stream, raw integers or reals.
#[derive(Clone, Debug, Serialize)]
pub struct Numbers<N> {
    /// Keys, `[channel][token]`.
    pub k: Vec<Vec<N>>,
    /// Values, `[channel][token]`.
    pub v: Vec<Vec<N>>,
    /// Bonus of each channel.
    pub u: Vec<N>,
    /// Decay of each channel.
    pub w: Vec<N>,
}

/// Turns `[channel][token]` into the `[token][channel]` that a bank takes, in one slice.
pub fn by_token<N: Copy>(rows: &[Vec<N>]) -> Vec<N> {
    let tokens = rows.first().map_or(0, Vec::len);
    (0..tokens).flat_map(|token| rows.iter().map(move |row| row[token])).collect()
}

/// The reverse of [`by_token`], for `channels` channels.
pub fn by_channel<N: Copy>(numbers: &[N], channels: usize) -> Vec<Vec<N>> {
    let channel = |channel| numbers.iter().skip(channel).step_by(channels).copied().collect();
    (0..channels).map(channel).collect()
}
