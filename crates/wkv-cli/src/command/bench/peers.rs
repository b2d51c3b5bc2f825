//! The same cell and the same streams in Verilator: a peer to compare the simulator with.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use morpho::format::{self, Format};
use tempfile::TempDir;
use wkv::WkvSpec;
use wkv::circuit::behavioural;
use wkv::fixed::{Model, State};

use super::cell::{Cell, LANES, Stream};
use super::child::{self, End};
use super::workload::Size;
use super::{Figure, Measurement, Skipped};
use crate::context::Context;
use crate::failure::Failure;
use crate::interrupt::Interrupt;

/// The programs that are needed, and how to get them.
const TOOLS: [&str; 3] = ["verilator", "make", "g++"];
const INSTALL: &str = "apt-get install --no-install-recommends verilator make g++";

/// Longest that Verilator and the compiler may take for one circuit, and one run of the result.
const BUILD_LIMIT: Duration = Duration::from_secs(600);
const RUN_LIMIT: Duration = Duration::from_secs(120);

/// One way to write the cell for Verilator.
struct Peer {
    name: &'static str,
    build_name: &'static str,
    about: &'static str,
    top: String,
    source: String,
    /// Lanes whose streams it runs, one after another: more if it is quick.
    channels: usize,
}

/// The peers, ready to be measured.
#[derive(Default)]
pub struct Peers {
    pub measurements: Vec<Measurement>,
    /// Build times.
    pub figures: Vec<Figure>,
    pub skipped: Vec<Skipped>,
    /// Wrong outputs.
    pub failures: Vec<String>,
}

impl Peers {
    /// Builds the peers of `cell` and compares their outputs, and those of our gates, with the
    /// integer model.
    pub fn build(
        cell: &Cell,
        spec: &WkvSpec,
        size: Size,
        context: &Context,
    ) -> Result<Self, Failure> {
        let mut peers = Self::default();
        let all = all(cell, spec, size);
        if let Some(missing) = TOOLS.into_iter().find(|tool| !is_on_path(tool)) {
            let reason = format!("{missing} is not on the PATH: {INSTALL}");
            peers.skip(&all, &reason);
            return Ok(peers);
        }
        let channels = all.iter().map(|peer| peer.channels).max().expect("there are peers");
        let streams = cell.streams(spec, channels, size.steps);
        let expected = integer_model(spec, &streams);
        let gates = gates(cell, spec, channels, size.steps);
        peers.failures.extend(difference("simulate-cell", size.steps, &gates, &expected));
        let progress = context.progress("Verilator", all.len() as u64);
        for peer in all {
            peers.add(peer, &streams, &expected, &context.interrupt)?;
            progress.advance(1);
        }
        Ok(peers)
    }

    /// None, for `reason`.
    pub fn none(cell: &Cell, spec: &WkvSpec, size: Size, reason: &str) -> Self {
        let mut peers = Self::default();
        peers.skip(&all(cell, spec, size), reason);
        peers
    }

    fn skip(&mut self, peers: &[Peer], reason: &str) {
        let skipped = |peer: &Peer| Skipped { name: peer.name, reason: reason.to_owned() };
        self.skipped.extend(peers.iter().map(skipped));
    }

    fn add(
        &mut self,
        peer: Peer,
        streams: &[Stream],
        expected: &[i16],
        interrupt: &Interrupt,
    ) -> Result<(), Failure> {
        let steps = streams[0].tokens.len();
        let start = Instant::now();
        let program = match peer.build(&streams[..peer.channels], interrupt)? {
            Ok(program) => program,
            Err(reason) => {
                self.failures.push(format!("{}: {reason}", peer.name));
                return Ok(());
            }
        };
        let time = start.elapsed().as_secs_f64();
        let about = "from Verilog to a program, by Verilator and the C++ compiler";
        self.figures.push(Figure::new(peer.build_name, vec![time], "s", about, None));
        program.run(interrupt)?;
        let outputs = program.outputs()?;
        let difference = difference(peer.name, steps, &outputs, &expected[..outputs.len()]);
        if let Some(difference) = difference {
            self.failures.push(difference);
            return Ok(());
        }
        let channel_steps = (peer.channels * steps) as f64;
        let interrupt = interrupt.clone();
        self.measurements.push(Measurement {
            name: peer.name,
            unit: "channel-steps/s",
            about: peer.about,
            reference: None,
            run: Box::new(move || Ok(channel_steps / program.run(&interrupt)?)),
        });
        Ok(())
    }
}

fn all(cell: &Cell, spec: &WkvSpec, size: Size) -> [Peer; 2] {
    [
        Peer {
            name: "verilator-structural-cell",
            build_name: "verilator-structural-build",
            about: "Verilator on the netlist as Verilog; one channel at a time, not lanes",
            top: cell.netlist.name().to_owned(),
            source: format::to_string(&cell.netlist, Format::Verilog),
            channels: size.structural_channels,
        },
        Peer {
            name: "verilator-behavioural-cell",
            build_name: "verilator-behavioural-build",
            about: "Verilator on the cell written with operators; one channel at a time, not lanes",
            top: behavioural::MODULE.to_owned(),
            source: behavioural::verilog(spec),
            channels: size.behavioural_channels,
        },
    ]
}

fn is_on_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// A compiled peer in a folder of its own, with its streams.
struct Program {
    folder: TempDir,
    channels: usize,
    tokens: usize,
}

/// Arguments of Verilator: one thread, as fast as it can be made.
const VERILATOR: [&str; 16] = [
    "--cc",
    "--exe",
    "--build",
    "-O3",
    "--noassert",
    "--x-assign",
    "fast",
    "--x-initial",
    "fast",
    "-Wno-fatal",
    "--prefix",
    "Vcell",
    "-MAKEFLAGS",
    "OPT_FAST='-O3 -march=native' OPT_SLOW=-O1 OPT_GLOBAL=-O3",
    "-CFLAGS",
    "-O3 -march=native",
];

impl Peer {
    /// The compiled peer, or why there is none.
    fn build(
        &self,
        streams: &[Stream],
        interrupt: &Interrupt,
    ) -> Result<Result<Program, String>, Failure> {
        let folder = TempDir::with_prefix("wkv-bench-")?;
        let path = |name: &str| folder.path().join(name);
        fs::write(path("cell.v"), &self.source)?;
        fs::write(path("main.cpp"), include_str!("verilator.cpp"))?;
        fs::write(path("streams"), bytes(streams))?;
        let mut command = Command::new("verilator");
        command.current_dir(folder.path()).args(VERILATOR);
        command.args(["--top-module", &self.top, "cell.v", "main.cpp"]);
        let problem = match child::run(&mut command, &path("build.log"), BUILD_LIMIT, interrupt)? {
            End::Succeeded(_) => None,
            End::Failed(log) => Some(format!("Verilator failed:\n{}", last_lines(&log))),
            End::TookTooLong => {
                Some(format!("the build took more than {} s and was ended", BUILD_LIMIT.as_secs()))
            }
        };
        let (channels, tokens) = (streams.len(), streams[0].tokens.len());
        Ok(problem.map_or(Ok(Program { folder, channels, tokens }), Err))
    }
}

impl Program {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs all streams; gives the seconds that the steps took.
    fn run(&self, interrupt: &Interrupt) -> Result<f64, Failure> {
        let mut command = Command::new(self.path("obj_dir/Vcell"));
        command.current_dir(self.folder.path()).args(["streams", "outputs"]);
        command.args([self.channels.to_string(), self.tokens.to_string()]);
        let problem = match child::run(&mut command, &self.path("run.log"), RUN_LIMIT, interrupt)? {
            End::Succeeded(seconds) => match seconds.trim().parse() {
                Ok(seconds) => return Ok(seconds),
                Err(_) => format!("printed {seconds:?} instead of seconds"),
            },
            End::Failed(log) => format!("failed: {}", last_lines(&log)),
            End::TookTooLong => format!("took more than {} s", RUN_LIMIT.as_secs()),
        };
        Err(Failure::input(format!("the program that Verilator made {problem}")))
    }

    /// The outputs of the last run, channel by channel.
    fn outputs(&self) -> Result<Vec<i16>, Failure> {
        let bytes = fs::read(self.path("outputs"))?;
        Ok(bytes.as_chunks().0.iter().map(|&pair| i16::from_ne_bytes(pair)).collect())
    }
}

fn bytes(streams: &[Stream]) -> Vec<u8> {
    let numbers = streams.iter().flat_map(|Stream { u, w, tokens }| {
        [*u, *w].into_iter().chain(tokens.iter().copied().flatten())
    });
    numbers.flat_map(i16::to_ne_bytes).collect()
}

/// The end of what a program printed.
pub fn last_lines(log: &str) -> String {
    const LINES: usize = 10;
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

/// The outputs of the integer model, channel by channel.
fn integer_model(spec: &WkvSpec, streams: &[Stream]) -> Vec<i16> {
    let model = Model::new(spec);
    let mut outputs = Vec::new();
    for Stream { u, w, tokens } in streams {
        let mut state = State::start(spec);
        for [k, v] in tokens {
            let [k, v, u, w] = [k, v, u, w].map(|&raw| i32::from(raw));
            let step = model.step(state, k, v, u, w);
            outputs.push(step.out as i16);
            state = step.next;
        }
    }
    outputs
}

/// The outputs of our simulator on the first `lanes` lanes, channel by channel.
fn gates(cell: &Cell, spec: &WkvSpec, lanes: usize, steps: usize) -> Vec<i16> {
    debug_assert!(lanes <= LANES);
    let mut outputs = vec![0; lanes * steps];
    let mut step = 0;
    cell.run(&mut cell.simulator(spec, 1).blocks_mut()[0], steps, |out| {
        for (lane, &out) in out[..lanes].iter().enumerate() {
            outputs[lane * steps + step] = out;
        }
        step += 1;
    });
    outputs
}

/// Tells the first output that differs, of a list that holds `steps` outputs for each channel.
fn difference(name: &str, steps: usize, outputs: &[i16], expected: &[i16]) -> Option<String> {
    let at = std::iter::zip(outputs, expected).position(|(output, expected)| output != expected)?;
    let (channel, token) = (at / steps, at % steps);
    let (output, expected) = (outputs[at], expected[at]);
    Some(format!(
        "{name}: channel {channel}, token {token}: output {output}, but {expected} by the integer \
         model"
    ))
}
