//! The whole way: a module in a file, a placed and routed design, a clock and a bitstream.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::absorb::absorb;
use crate::device::{Device, Family};
use crate::error::Error;
use crate::harness::{Harness, Sides, Style};
use crate::nextpnr::{self, Report, Stage};
use crate::pack;
use crate::process::{self, End};
use crate::tool::{self, Found, SearchPath};
use crate::yosys::{self, Counts, Language};

/// What to synthesise, and how.
pub struct Request<'a> {
    /// The text of the design.
    pub source: &'a str,
    /// Its language.
    pub language: Language,
    /// The top module, if there are several.
    pub top: Option<&'a str>,
    /// For which device.
    pub device: Device,
    /// Where registers stand around the module.
    pub registers: Sides,
    /// Placement seeds, at least one; each is a run of its own.
    pub seeds: &'a [u64],
    /// How many of these runs go on at once.
    pub jobs: usize,
    /// The time for all tools together.
    pub limit: Duration,
    /// Where logs, scripts and the bitstream go: a folder that exists.
    pub folder: &'a Path,
    /// Where tools are looked for.
    pub search: &'a SearchPath,
    /// Whether the user asked to stop; asked from several threads.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Told how many of how many steps are done; from several threads.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
}

/// Median and range of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// The median; of an even number of figures the mean of the middle two.
    pub median: f64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
}

impl Spread {
    /// The spread of `figures`, of which there is at least one.
    pub fn of(figures: &[f64]) -> Self {
        let mut sorted = figures.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (last, middle) = (sorted.len() - 1, sorted.len() / 2);
        let median = match sorted.len() % 2 {
            0 => (sorted[middle - 1] + sorted[middle]) / 2.0,
            _ => sorted[middle],
        };
        Self { median, min: sorted[0], max: sorted[last] }
    }
}

/// The registers that were put around the module; they are counted with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HarnessSize {
    /// How they are reached.
    pub style: Style,
    /// Flip-flops before inputs.
    pub inputs: usize,
    /// Flip-flops after outputs.
    pub outputs: usize,
}

/// A placed and routed design.
#[derive(Clone, Debug, Serialize)]
pub struct Synthesis {
    /// The module.
    pub module: String,
    /// The device.
    pub device: Device,
    /// The registers around the module.
    pub harness: HarnessSize,
    /// Logic cells, as nextpnr counts them, with the harness.
    pub cells: usize,
    /// Flip-flops, as Yosys counts them, with the harness.
    pub registers: usize,
    /// Blocks of RAM.
    pub ram_blocks: usize,
    /// Multipliers.
    pub dsp: usize,
    /// The highest clock in MHz, over the seeds.
    pub mhz: Spread,
    /// Whether the clock is that of the routed design.
    pub clock_of: Stage,
    /// The placement seeds.
    pub seeds: Vec<u64>,
    /// The clock of each seed, in MHz.
    pub mhz_by_seed: Vec<f64>,
    /// Versions of the tools.
    pub tools: BTreeMap<String, String>,
    /// What ran, in the folder of the logs.
    pub commands: Vec<String>,
    /// The bitstream of the fastest seed.
    pub bitstream: PathBuf,
    /// The log of the fastest seed.
    pub log: PathBuf,
}

/// Synthesises, places, routes and packs.
///
/// Logs and scripts stay in the folder even if a tool fails; nothing else does, and nothing at all
/// if the user asked to stop.
///
/// # Errors
/// See [`Error`].
pub fn run(request: &Request) -> Result<Synthesis, Error> {
    let folder = tempfile::Builder::new()
        .prefix(".synth-")
        .tempdir_in(request.folder)
        .map_err(Error::file(request.folder))?;
    let run = Run {
        request,
        folder: folder.path(),
        start: Instant::now(),
        steps: AtomicU64::new(0),
        commands: Mutex::default(),
    };
    match run.synthesise() {
        Ok(synthesis) => {
            run.keep(&TEXTS)?;
            run.keep(&[".report.json", &format!(".{}", pack::extension(request.device.family))])?;
            Ok(synthesis)
        }
        Err(Error::Stopped) => Err(Error::Stopped),
        Err(error) => {
            run.keep(&TEXTS)?;
            Err(error.with_logs_in(request.folder))
        }
    }
}

/// How the names of files end that stay in any case.
const TEXTS: [&str; 6] = [".log", ".ys", ".v", ".sv", ".blif", ".cst"];

/// A run in its folder, which is a temporary one.
struct Run<'a> {
    request: &'a Request<'a>,
    folder: &'a Path,
    start: Instant,
    steps: AtomicU64,
    commands: Mutex<Vec<String>>,
}

impl Run<'_> {
    fn synthesise(&self) -> Result<Synthesis, Error> {
        let Request { device, seeds, search, .. } = self.request;
        let family = device.family;
        // All tools are looked for before the first one runs.
        let yosys = search.tool(&tool::YOSYS)?;
        let place_and_route = search.tool(&tool::nextpnr(family))?;
        let packer = search.tool(&tool::packer(family))?;
        let nextpnr_version = self.version(&place_and_route)?;

        self.write(self.request.language.file_name(), self.request.source)?;
        let (module, harness) = self.harness(&yosys)?;
        let counts = self.map(&yosys)?;
        self.check_size(&counts)?;
        let reports = self.place(&place_and_route)?;

        let figures: Vec<f64> = reports.iter().map(|report| report.mhz).collect();
        let best = (0..figures.len()).max_by(|&a, &b| figures[a].total_cmp(&figures[b]));
        let best = best.expect("there is at least one seed");
        let bitstream = format!("bitstream.{}", pack::extension(family));
        let log = nextpnr::file(seeds[best], "log");
        self.pack(&packer, seeds[best], &bitstream)?;

        let resources = family.resources();
        let report = &reports[best];
        let routed = reports.iter().all(|report| report.stage == Stage::Routed);
        let tools = [("yosys".to_owned(), counts.version)]
            .into_iter()
            .chain([(tool::nextpnr(family).name.to_owned(), nextpnr_version)]);
        Ok(Synthesis {
            module,
            device: *device,
            harness,
            cells: report.used(resources.cells),
            registers: counts.registers,
            ram_blocks: report.used(resources.ram),
            dsp: resources.dsp.iter().map(|name| report.used(name)).sum(),
            mhz: Spread::of(&figures),
            clock_of: if routed { Stage::Routed } else { Stage::Placed },
            seeds: seeds.to_vec(),
            mhz_by_seed: figures,
            tools: tools.collect(),
            commands: self.commands.lock().expect("no thread panics").clone(),
            bitstream: self.request.folder.join(bitstream),
            log: self.request.folder.join(log),
        })
    }

    /// Finds the ports of the module, and writes the harness around them.
    fn harness(&self, yosys: &Found) -> Result<(String, HarnessSize), Error> {
        self.write("ports.ys", &yosys::port_script(self.request.language, self.request.top))?;
        let log = self.tool(yosys, yosys::NAME, &["ports.ys"], "ports.log")?;
        let unexpected = |problem| Error::unexpected(yosys::NAME, problem, &log);
        let json = self.read("ports.json").ok_or_else(|| unexpected("it wrote no ports".into()))?;
        let (module, ports) = yosys::ports(&json).map_err(unexpected)?;
        let pins = match self.request.device.family {
            // Its tool wants every pin in its place, so there are few.
            Family::Gowin => 0,
            _ => self.request.device.pins,
        };
        let harness = Harness::new(&module, ports, pins, self.request.registers)?;
        self.write("harness.v", &harness.verilog())?;
        if self.request.device.family == Family::Gowin {
            self.write(nextpnr::CONSTRAINTS, &nextpnr::constraints(harness.pins()))?;
        }
        let (style, inputs) = (harness.style(), harness.inputs());
        let outputs = harness.output_registers();
        Ok((module, HarnessSize { style, inputs, outputs }))
    }

    /// Maps the design to the cells of the device.
    fn map(&self, yosys: &Found) -> Result<Counts, Error> {
        let Request { language, device, .. } = self.request;
        self.write("synthesis.ys", &yosys::synthesis_script(*language, device))?;
        let log = self.tool(yosys, yosys::NAME, &["synthesis.ys"], "yosys.log")?;
        let unexpected = |problem| Error::unexpected(yosys::NAME, problem, &log);
        let stat = self.read("stat.json").ok_or_else(|| unexpected("it counted nothing".into()))?;
        if !self.folder.join(nextpnr::NETLIST).exists() {
            return Err(unexpected("it wrote no netlist".into()));
        }
        let mut counts = Counts::parse(&stat, device.family).map_err(unexpected)?;
        if device.family == Family::Ecp5 {
            let netlist = self.read(nextpnr::NETLIST).unwrap_or_default();
            let absorbed = absorb(&netlist);
            let (netlist, gone) = absorbed.map_err(|error| unexpected(error.to_string()))?;
            self.write(nextpnr::NETLIST, &netlist)?;
            counts.registers = counts.registers.saturating_sub(gone);
        }
        Ok(counts)
    }

    /// Refuses a design that cannot fit, before the slow part. A logic cell holds one look-up table
    /// and one flip-flop at most.
    fn check_size(&self, counts: &Counts) -> Result<(), Error> {
        let Device { name: device, family, cells, ram_blocks, dsp, .. } = self.request.device;
        let resources = family.resources();
        let checks = [
            (resources.cells, counts.luts.max(counts.registers), cells),
            (resources.ram, counts.ram_blocks, ram_blocks),
            (resources.dsp[0], counts.dsp, dsp),
        ];
        match checks.into_iter().find(|(_, needed, available)| needed > available) {
            None => Ok(()),
            Some((resource, needed, available)) => {
                let resource = resource.to_owned();
                Err(Error::TooSmall { device, resource, needed, available, exact: false })
            }
        }
    }

    /// Places and routes once a seed, several at once; the first failure ends all.
    fn place(&self, nextpnr: &Found) -> Result<Vec<Report>, Error> {
        let seeds = self.request.seeds;
        let reports: Vec<Mutex<Option<Report>>> = seeds.iter().map(|_| Mutex::default()).collect();
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let failure = Mutex::new(None);
        let stop = || failed.load(Ordering::Relaxed) || (self.request.stop)();
        let work = || {
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some(&seed) = seeds.get(place) else { return };
                match self.place_once(nextpnr, seed, &stop) {
                    Ok(report) => {
                        *reports[place].lock().expect("no thread panics") = Some(report);
                    }
                    Err(error) => {
                        failed.store(true, Ordering::Relaxed);
                        failure.lock().expect("no thread panics").get_or_insert(error);
                        return;
                    }
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..self.request.jobs.clamp(1, seeds.len().max(1)) {
                scope.spawn(work);
            }
        });
        match failure.into_inner().expect("no thread panics") {
            Some(error) => Err(error),
            None => Ok(reports
                .into_iter()
                .map(|report| report.into_inner().expect("no thread panics"))
                .map(|report| report.expect("every seed was placed"))
                .collect()),
        }
    }

    fn place_once(
        &self,
        nextpnr: &Found,
        seed: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Report, Error> {
        let device = self.request.device;
        let name = tool::nextpnr(device.family).name;
        let log_name = nextpnr::file(seed, "log");
        let arguments = nextpnr::arguments(&device, seed);
        let ended = self.tool_until(nextpnr, name, &arguments, &log_name, stop);
        let log = self.read(&log_name).unwrap_or_default();
        let path = self.folder.join(&log_name);
        if let Err(Error::Failed { .. }) = ended {
            let overfull = nextpnr::utilisation(&log);
            let overfull = overfull.into_iter().find(|(_, of)| of.used > of.available);
            if let Some((resource, of)) = overfull {
                let (device, needed, available) = (device.name, of.used, of.available);
                return Err(Error::TooSmall { device, resource, needed, available, exact: true });
            }
        }
        ended?;
        let json = self.read(&nextpnr::file(seed, "report.json"));
        Report::parse(json.as_deref(), &log)
            .map_err(|problem| Error::unexpected(name, problem, &path))
    }

    fn pack(&self, packer: &Found, seed: u64, bitstream: &str) -> Result<(), Error> {
        let family = self.request.device.family;
        let arguments = pack::arguments(family, seed, bitstream);
        let name = tool::packer(family).name;
        let log = self.tool(packer, name, &arguments, "pack.log")?;
        match fs::metadata(self.folder.join(bitstream)) {
            Ok(file) if file.len() > 0 => Ok(()),
            _ => Err(Error::unexpected(name, "it wrote no bitstream", &log)),
        }
    }

    /// The version that nextpnr tells: `nextpnr-ice40 -- Next Generation Place and Route (Version
    /// 0.4-1+b1)`.
    fn version(&self, nextpnr: &Found) -> Result<String, Error> {
        let name = tool::nextpnr(self.request.device.family).name;
        let log = self.tool(nextpnr, name, &["--version"], "version.log")?;
        let text = self.read("version.log").unwrap_or_default();
        let version = text.split_once("(Version ").and_then(|(_, rest)| rest.split_once(')'));
        let version = version.map(|(version, _)| version.trim_start_matches("nextpnr-").to_owned());
        version.ok_or_else(|| Error::unexpected(name, "it tells no version", &log))
    }

    /// Runs a tool, which must succeed; gives the path of its log.
    fn tool(
        &self,
        tool: &Found,
        name: &str,
        arguments: &[impl AsRef<std::ffi::OsStr>],
        log: &str,
    ) -> Result<PathBuf, Error> {
        self.tool_until(tool, name, arguments, log, self.request.stop)
    }

    fn tool_until(
        &self,
        tool: &Found,
        name: &str,
        arguments: &[impl AsRef<std::ffi::OsStr>],
        log: &str,
        stop: &dyn Fn() -> bool,
    ) -> Result<PathBuf, Error> {
        let mut command = tool.command(self.folder, arguments);
        self.commands.lock().expect("no thread panics").push(tool::spelled(&command));
        let log = self.folder.join(log);
        let left = self.request.limit.saturating_sub(self.start.elapsed());
        let end = process::run(&mut command, &log, left, stop).map_err(Error::file(&log))?;
        match end {
            End::Exited(status) if status.success() => {
                let done = 1 + self.steps.fetch_add(1, Ordering::Relaxed);
                (self.request.progress)(done, self.total_steps());
                Ok(log)
            }
            End::Exited(status) => Err(Error::failed(name, status, &log)),
            End::Stopped => Err(Error::Stopped),
            End::TookTooLong => {
                let (tool, limit) = (name.to_owned(), self.request.limit);
                Err(Error::TimeLimit { tool, limit, log })
            }
        }
    }

    /// The version, the ports, the synthesis and the bitstream, and each seed.
    fn total_steps(&self) -> u64 {
        4 + self.request.seeds.len() as u64
    }

    fn write(&self, name: &str, text: &str) -> Result<(), Error> {
        let path = self.folder.join(name);
        fs::write(&path, text).map_err(Error::file(&path))
    }

    fn read(&self, name: &str) -> Option<String> {
        let bytes = fs::read(self.folder.join(name)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Moves the files whose names end in one of `extensions` to the folder of the request.
    fn keep(&self, extensions: &[&str]) -> Result<(), Error> {
        let entries = fs::read_dir(self.folder).map_err(Error::file(self.folder))?;
        for entry in entries {
            let from = entry.map_err(Error::file(self.folder))?.path();
            let name = from.file_name().unwrap_or_default().to_owned();
            if extensions.iter().any(|end| name.to_string_lossy().ends_with(end)) {
                let to = self.request.folder.join(&name);
                fs::rename(&from, &to).map_err(Error::file(&to))?;
            }
        }
        Ok(())
    }
}
