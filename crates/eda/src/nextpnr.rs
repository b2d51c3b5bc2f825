//! nextpnr: placement and routing, its report and its log.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::device::{Device, Family};

/// The netlist that it reads.
pub const NETLIST: &str = "netlist.json";

/// The file with the constraints of pins of a Gowin device.
pub const CONSTRAINTS: &str = "pins.cst";

/// The name of a file of one placement seed.
pub fn file(seed: u64, extension: &str) -> String {
    format!("seed-{seed}.{extension}")
}

/// The arguments for one placement seed.
pub fn arguments(device: &Device, seed: u64) -> Vec<String> {
    let mut arguments: Vec<String> = device.arguments.iter().map(|&word| word.into()).collect();
    let mut option = |name: &str, value: String| arguments.extend([name.to_owned(), value]);
    match device.family {
        Family::Ice40 => option("--asc", file(seed, "asc")),
        Family::Ecp5 => option("--textcfg", file(seed, "config")),
        Family::Gowin => {
            option("--vopt", format!("cst={CONSTRAINTS}"));
            option("--write", file(seed, "placed.json"));
        }
    }
    option("--json", NETLIST.to_owned());
    option("--report", file(seed, "report.json"));
    option("--seed", seed.to_string());
    arguments.push("--timing-allow-fail".to_owned());
    arguments
}

/// The constraints of `pins` on a Gowin device, whose tool wants every pin in its place. Any free
/// pins do.
pub fn constraints(pins: &[&str]) -> String {
    const CLOCK: u32 = 52;
    const FREE: u32 = 25;
    let place = |(number, pin): (u32, &&str)| {
        let place = if number == 0 { CLOCK } else { FREE + number };
        format!("IO_LOC \"{pin}\" {place};\nIO_PORT \"{pin}\" IO_TYPE=LVCMOS33;\n")
    };
    (0..).zip(pins).map(place).collect()
}

/// How many of something there are, and how many the design takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Utilisation {
    /// How many the design takes.
    pub used: usize,
    /// How many there are.
    pub available: usize,
}

/// When a clock was computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// From the routed design.
    Routed,
    /// From the placed design, with estimated wires: nextpnr gave no figure after routing.
    Placed,
}

/// What nextpnr says of a placed and routed design.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// By resource, in nextpnr's names.
    pub utilisation: BTreeMap<String, Utilisation>,
    /// The highest clock of the slowest clock domain, in MHz.
    pub mhz: f64,
    /// When it was computed.
    pub stage: Stage,
}

#[derive(Deserialize)]
struct Json {
    fmax: BTreeMap<String, Fmax>,
    utilization: BTreeMap<String, Utilisation>,
}

#[derive(Deserialize)]
struct Fmax {
    achieved: f64,
}

impl Report {
    /// Reads the file of `--report`, which older versions do not write, and the log.
    ///
    /// # Errors
    /// Says what is missing in both.
    pub fn parse(json: Option<&str>, log: &str) -> Result<Self, String> {
        let json: Option<Json> = json
            .map(serde_json::from_str)
            .transpose()
            .map_err(|error| format!("its report is not understood: {error}"))?;
        let routed = json
            .as_ref()
            .and_then(|json| json.fmax.values().map(|clock| clock.achieved).min_by(f64::total_cmp));
        let utilisation = json.map_or_else(|| utilisation(log), |json| json.utilization);
        if utilisation.is_empty() {
            return Err("it tells no utilisation".to_owned());
        }
        let (mhz, stage) = match routed {
            Some(mhz) => (mhz, Stage::Routed),
            None => clock(log).ok_or("it tells no clock: no path from register to register")?,
        };
        if !(mhz.is_finite() && mhz > 0.0) {
            return Err(format!("it tells a clock of {mhz} MHz"));
        }
        Ok(Self { utilisation, mhz, stage })
    }

    /// How many of `resource` the design takes.
    pub fn used(&self, resource: &str) -> usize {
        self.utilisation.get(resource).map_or(0, |resource| resource.used)
    }
}

/// The utilisation that a log tells, which it does before placement:
/// `Info:          ICESTORM_LC:   309/ 7680     4%`.
pub fn utilisation(log: &str) -> BTreeMap<String, Utilisation> {
    let line = |line: &str| {
        let (name, counts) = line.strip_prefix("Info:")?.trim().split_once(':')?;
        let (used, rest) = counts.trim().split_once('/')?;
        let (available, percent) = rest.trim().split_once(' ')?;
        percent.trim().ends_with('%').then_some(())?;
        let counts = Utilisation {
            used: used.trim().parse().ok()?,
            available: available.trim().parse().ok()?,
        };
        Some((name.to_owned(), counts))
    };
    log.lines().filter_map(line).collect()
}

/// The slowest clock that a log tells last, in MHz, and whether that was after routing:
/// `Info: Max frequency for clock 'clk': 49.72 MHz (PASS at 12.00 MHz)`.
fn clock(log: &str) -> Option<(f64, Stage)> {
    let figure = |text: &str| -> Option<(String, f64)> {
        let (_, rest) = text.split_once("Max frequency for clock")?;
        let (name, rest) = rest.rsplit_once("':")?;
        Some((name.trim().to_owned(), rest.split_whitespace().next()?.parse().ok()?))
    };
    let slowest = |text: &str| {
        // A clock is told again after each stage; the last figure of each counts.
        let clocks: BTreeMap<String, f64> = text.lines().filter_map(figure).collect();
        clocks.into_values().min_by(f64::total_cmp)
    };
    let (placed, routed) = match log.find("Routing complete") {
        Some(place) => log.split_at(place),
        None => (log, ""),
    };
    let routed = slowest(routed).map(|mhz| (mhz, Stage::Routed));
    routed.or_else(|| slowest(placed).map(|mhz| (mhz, Stage::Placed)))
}
