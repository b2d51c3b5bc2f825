//! The golden vectors: inputs drawn at random, outputs of the published circuit.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use wkv::WkvSpec;
use wkv::fixed::State;
use wkv::stats::Counts;

/// `2^-x` for every raw `x`.
#[derive(Deserialize)]
pub struct Exponentials {
    pub spec: WkvSpec,
    pub out: Vec<i32>,
}

/// Single steps from given states.
#[derive(Deserialize)]
pub struct Steps {
    pub spec: WkvSpec,
    pub rows: Vec<StepRow>,
}

/// The columns, in the order of the file.
#[derive(Clone, Copy, Deserialize)]
pub struct StepRow {
    pub aa: i32,
    pub bb: i32,
    pub pp: i32,
    pub k: i32,
    pub v: i32,
    pub u: i32,
    pub w: i32,
    pub out: i32,
    pub aa_next: i32,
    pub bb_next: i32,
    pub pp_next: i32,
}

impl StepRow {
    pub fn state(&self) -> State {
        State { aa: self.aa, bb: self.bb, pp: self.pp }
    }

    pub fn next(&self) -> State {
        State { aa: self.aa_next, bb: self.bb_next, pp: self.pp_next }
    }
}

/// Channels over time, `[channel][token]`, with the final state of each channel.
#[derive(Deserialize)]
pub struct Stream {
    pub spec: WkvSpec,
    pub k: Vec<Vec<i32>>,
    pub v: Vec<Vec<i32>>,
    pub u: Vec<i32>,
    pub w: Vec<i32>,
    pub out: Vec<Vec<i32>>,
    pub aa: Vec<i32>,
    pub bb: Vec<i32>,
    pub pp: Vec<i32>,
    pub page_clips: Option<PageClips>,
}

/// What the published page counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct PageClips {
    /// Saturations of the updated `aa`.
    pub aa: u64,
    /// Saturations of the updated `bb`.
    pub bb: u64,
    /// Saturations of `pp + w`.
    pub pp: u64,
    /// Exponentials that became 0, all four of a step together.
    pub lut: u64,
    /// Channel-steps.
    pub steps: u64,
}

impl Stream {
    pub fn channels(&self) -> usize {
        self.u.len()
    }

    pub fn tokens(&self) -> usize {
        self.k[0].len()
    }

    /// The counts of a run over this stream, in the way the page counts.
    pub fn as_page_clips(&self, counts: &Counts) -> PageClips {
        PageClips {
            aa: counts.saturations.aa,
            bb: counts.saturations.bb,
            pp: counts.saturations.ww2,
            lut: counts.underflows.total(),
            steps: (self.channels() * self.tokens()) as u64,
        }
    }

    pub fn final_state(&self, channel: usize) -> State {
        State { aa: self.aa[channel], bb: self.bb[channel], pp: self.pp[channel] }
    }
}

/// Turns `[channel][token]` into the `[token][channel]` that a bank takes, in one slice.
pub fn by_token(by_channel: &[Vec<i32>]) -> Vec<i32> {
    (0..by_channel[0].len())
        .flat_map(|token| by_channel.iter().map(move |channel| channel[token]))
        .collect()
}

pub fn exponentials() -> Exponentials {
    parse(&read("exp2-q8.8.json"))
}

pub fn steps() -> Steps {
    parse(&read("steps-q8.8.json"))
}

/// Every stream there is: one of classic Q8.8, and one a format and exponential.
pub fn streams() -> Vec<Stream> {
    let long = read("streams-q8.8.json");
    let formats = read("streams-formats.jsonl");
    std::iter::once(&*long).chain(formats.lines()).map(parse).collect()
}

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn parse<T: DeserializeOwned>(json: &str) -> T {
    serde_json::from_str(json).expect("a golden vector")
}
