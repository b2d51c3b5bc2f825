//! The units of a spec as circuits of their own.

use std::fmt;
use std::str::FromStr;

use morpho::library::compare::maximum_and_distance;
use morpho::library::saturate::saturating_adder;
use morpho::{Builder, Bus, Diagnostics, Fits, Hierarchy, Instance, Netlist, pass};

use super::bank::bank;
use super::carry::with_carry_chains;
use super::cell::wkv_cell;
use super::divide::divide;
use super::exp2::exp2neg;
use super::multiply::multiply;
use super::reciprocal::reciprocal;
use super::serial;
use super::shared;
use super::step::{State, StepResult, step};
use super::{FACTOR_WIDTH, WIDTH};
use crate::spec::WkvSpec;

/// A circuit that can be built from a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Addition in two's complement, clamped: `a`, `b` \[16\] -> `y` \[16\].
    SaturatingAdd,
    /// `a`, `b` \[16\], two's complement -> `maximum` \[16\], `distance` \[16\], unsigned, and
    /// `less`, whether `a < b` \[1\].
    Compare,
    /// `2^-x`: `x` \[16\] -> `y` \[17\].
    Exp2,
    /// `floor(a e / 65536)`: `a` \[16\], `e` \[17\] -> `y` \[16\].
    Multiplier,
    /// `sat(n 2^F / d)`: `n`, `d` \[16\] -> `q` \[16\].
    Divider,
    /// A [reciprocal](super::reciprocal), the same for every spec: `d` \[16\] -> `r` \[18\], `place`
    /// \[4\].
    Reciprocal,
    /// One token: `aa`, `bb`, `pp`, `k`, `v`, `u`, `w` \[16\] -> `out`, `aa_next`, `bb_next`,
    /// `pp_next` \[16\].
    Step,
    /// One channel with registers `aa`, `bb`, `pp`: `k`, `v`, `u`, `w` \[16\] -> `out` \[16\].
    Cell,
    /// The cell with two more outputs: `saturated` \[7\] and `underflowed` \[4\], in the order of
    /// [`StepResult`].
    ProbedCell,
    /// So many cells side by side.
    Bank(usize),
    /// The [serial cell](super::serial) of so many channels.
    Serial(usize),
    /// The [bank with one divider](super::shared) of so many channels.
    Shared(usize),
}

/// Which cells a circuit is made of. All styles compute the same numbers in a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Those with the fewest gates.
    #[default]
    Gates,
    /// Those for devices with carry chains, see [`carry`](super::carry). The divider is right for
    /// denominators above 1, and a multiplier for numbers that are not negative, as they are in
    /// a cell.
    Carry,
}

impl Style {
    /// Every style.
    pub const ALL: [Style; 2] = [Style::Gates, Style::Carry];

    /// The name, as given on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Style::Gates => "gates",
            Style::Carry => "carry",
        }
    }
}

impl FromStr for Style {
    type Err = StyleError;

    fn from_str(text: &str) -> Result<Style, StyleError> {
        let known = Style::ALL.into_iter().find(|style| style.name() == text);
        known.ok_or_else(|| StyleError(text.to_string()))
    }
}

/// A text that names no style.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown style \"{0}\": expected gates or carry")]
pub struct StyleError(String);

/// A text that names no unit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown unit \"{0}\": expected saturating-add, compare, exp2, multiplier, divider, reciprocal, step, cell, probed-cell, bank=N, serial=N or \
     shared=N with N from 1 to {MAX_CHANNELS}"
)]
pub struct UnitError(String);

/// The most channels. A bank of this size has tens of millions of gates.
pub const MAX_CHANNELS: usize = 4096;

impl FromStr for Unit {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Unit, UnitError> {
        let named = Unit::ALL.into_iter().find(|unit| unit.to_string() == text);
        let channels = || {
            let (form, channels) = text.split_once('=')?;
            let of = match form {
                "bank" => Unit::Bank,
                "serial" => Unit::Serial,
                "shared" => Unit::Shared,
                _ => return None,
            };
            channels.parse().ok().map(of)
        };
        match named.or_else(channels) {
            Some(Unit::Bank(channels) | Unit::Serial(channels) | Unit::Shared(channels))
                if !(1..=MAX_CHANNELS).contains(&channels) =>
            {
                Err(UnitError(text.to_string()))
            }
            Some(unit) => Ok(unit),
            None => Err(UnitError(text.to_string())),
        }
    }
}

impl Unit {
    /// Every unit but those of many channels.
    pub const ALL: [Unit; 9] = [
        Unit::SaturatingAdd,
        Unit::Compare,
        Unit::Exp2,
        Unit::Multiplier,
        Unit::Divider,
        Unit::Reciprocal,
        Unit::Step,
        Unit::Cell,
        Unit::ProbedCell,
    ];
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unit::SaturatingAdd => f.write_str("saturating-add"),
            Unit::Compare => f.write_str("compare"),
            Unit::Exp2 => f.write_str("exp2"),
            Unit::Multiplier => f.write_str("multiplier"),
            Unit::Divider => f.write_str("divider"),
            Unit::Reciprocal => f.write_str("reciprocal"),
            Unit::Step => f.write_str("step"),
            Unit::Cell => f.write_str("cell"),
            Unit::ProbedCell => f.write_str("probed-cell"),
            Unit::Bank(channels) => write!(f, "bank={channels}"),
            Unit::Serial(channels) => write!(f, "serial={channels}"),
            Unit::Shared(channels) => write!(f, "shared={channels}"),
        }
    }
}

/// The circuit of a unit, optimised.
///
/// # Errors
/// None for the specs that there are: an error here is a fault of this crate.
pub fn build(spec: &WkvSpec, unit: Unit) -> Result<Netlist, Diagnostics> {
    build_in(Style::Gates, spec, unit)
}

/// The circuit of a unit made of the cells of a style, optimised.
///
/// # Errors
/// As [`build`].
pub fn build_in(style: Style, spec: &WkvSpec, unit: Unit) -> Result<Netlist, Diagnostics> {
    if let Unit::Serial(channels) = unit {
        return serial::build(spec, channels);
    }
    if let Unit::Shared(channels) = unit {
        return shared::build(spec, channels);
    }
    if let Unit::Bank(channels) = unit {
        // The channels share nothing, so a bank of optimised cells is optimised.
        let cell = build_in(style, spec, Unit::Cell)?;
        return Builder::build(name(unit), |n| bank(n, &cell, channels));
    }
    let mut netlist = match style {
        Style::Gates => build_unoptimised(spec, unit)?,
        Style::Carry => {
            Builder::build(name(unit), |n| with_carry_chains(n, |n| grow(n, spec, unit)))?
        }
    };
    pass::optimise(&mut netlist);
    Ok(netlist)
}

/// The circuit of a unit as it grew, before any pass.
///
/// # Errors
/// As [`build`].
pub fn build_unoptimised(spec: &WkvSpec, unit: Unit) -> Result<Netlist, Diagnostics> {
    match unit {
        Unit::Bank(channels) => {
            let cell = build_unoptimised(spec, Unit::Cell)?;
            Builder::build(name(unit), |n| bank(n, &cell, channels))
        }
        Unit::Serial(channels) => serial::build(spec, channels),
        Unit::Shared(channels) => shared::build(spec, channels),
        _ => Builder::build(name(unit), |n| grow(n, spec, unit)),
    }
}

/// The name of a circuit, legal in every file format.
fn name(unit: Unit) -> String {
    format!("wkv_{unit}").replace(['=', '-'], "_")
}

fn grow(n: &mut Builder, spec: &WkvSpec, unit: Unit) -> Fits<()> {
    match unit {
        Unit::SaturatingAdd => {
            let (a, b) = (n.input("a", WIDTH), n.input("b", WIDTH));
            let (y, _) = saturating_adder(n, &a, &b)?;
            n.output("y", &y);
        }
        Unit::Compare => {
            let (a, b) = (n.input("a", WIDTH), n.input("b", WIDTH));
            let (maximum, distance, less) = maximum_and_distance(n, &a, &b)?;
            n.output("maximum", &maximum);
            n.output("distance", &distance);
            n.output("less", &less);
        }
        Unit::Exp2 => {
            let x = n.input("x", WIDTH);
            let (y, _) = exp2neg(n, &x, spec)?;
            n.output("y", &y);
        }
        Unit::Multiplier => {
            let (a, e) = (n.input("a", WIDTH), n.input("e", FACTOR_WIDTH));
            let y = multiply(n, &a, &e)?;
            n.output("y", &y);
        }
        Unit::Divider => {
            let (numerator, denominator) = (n.input("n", WIDTH), n.input("d", WIDTH));
            let (quotient, _) = divide(n, &numerator, &denominator, spec)?;
            n.output("q", &quotient);
        }
        Unit::Reciprocal => {
            let divisor = n.input("d", WIDTH);
            let (r, place) = reciprocal(n, &divisor)?;
            n.output("r", &r);
            n.output("place", &place);
        }
        Unit::Step => {
            let [aa, bb, pp] = ["aa", "bb", "pp"].map(|name| n.input(name, WIDTH));
            let [k, v, u, w] = token(n);
            let state = State { aa: &aa, bb: &bb, pp: &pp };
            let StepResult { out, aa, bb, pp, .. } = step(n, state, &k, &v, &u, &w, spec)?;
            n.output("out", &out);
            n.output("aa_next", &aa);
            n.output("bb_next", &bb);
            n.output("pp_next", &pp);
        }
        Unit::Cell | Unit::ProbedCell | Unit::Bank(_) | Unit::Serial(_) | Unit::Shared(_) => {
            let [k, v, u, w] = token(n);
            let token = wkv_cell(n, &k, &v, &u, &w, spec)?;
            n.output("out", &token.out);
            if unit == Unit::ProbedCell {
                n.output("saturated", &token.saturated);
                n.output("underflowed", &token.underflowed);
            }
        }
    }
    Ok(())
}

fn token(n: &mut Builder) -> [Bus; 4] {
    ["k", "v", "u", "w"].map(|name| n.input(name, WIDTH))
}

/// One line of a unit inventory.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct UnitGates {
    /// The unit, in the words of a hardware engineer.
    pub unit: &'static str,
    /// Instances of it.
    pub instances: usize,
    /// Gates that were built by it and are left after optimisation.
    pub gates: usize,
}

/// Which cells make up each line of the inventory; a gate belongs to the innermost one.
const UNITS: [(&str, &[&str]); 7] = [
    ("compare and distance", &["maximum_and_distance"]),
    ("exp2", &["exp2neg"]),
    ("multiply", &["multiply"]),
    ("divide", &["divide"]),
    ("saturating add", &["saturating_adder"]),
    ("denominator add", &["guarded_sum", "bare_sum"]),
    ("select", &["output", "update"]),
];

/// The name in the inventory of what belongs to no unit.
const OTHER: &str = "other";

/// The unit that an instance is, in the words of the inventory; `None` if it is none, but may be
/// part of one.
pub fn unit_of(hierarchy: &Hierarchy, instance: Instance) -> Option<&'static str> {
    let cell = hierarchy.cell(instance);
    UNITS.iter().find(|(_, cells)| cells.contains(&cell)).map(|&(unit, _)| unit)
}

/// For each instance the innermost unit that it is or is in, itself an instance; the top where
/// there is none.
pub fn units(hierarchy: &Hierarchy) -> Vec<Instance> {
    let mut units = vec![Instance::TOP; hierarchy.len()];
    for instance in hierarchy.instances().skip(1) {
        units[instance.index()] = match unit_of(hierarchy, instance) {
            Some(_) => instance,
            None => units[hierarchy.parent(instance).index()],
        };
    }
    units
}

/// The gates of a circuit by unit. A gate that several units share counts for the first of them.
pub fn inventory(netlist: &Netlist) -> Vec<UnitGates> {
    let hierarchy = netlist.hierarchy();
    let units = units(hierarchy);
    let names = UNITS.iter().map(|&(unit, _)| unit).chain([OTHER]);
    let mut lines: Vec<UnitGates> =
        names.map(|unit| UnitGates { unit, instances: 0, gates: 0 }).collect();
    let line_of = |instance| {
        let unit = unit_of(hierarchy, instance).unwrap_or(OTHER);
        UNITS.iter().position(|&(name, _)| name == unit).unwrap_or(UNITS.len())
    };
    for instance in hierarchy.instances().filter(|&at| unit_of(hierarchy, at).is_some()) {
        lines[line_of(instance)].instances += 1;
    }
    for (_, gate) in netlist.gates() {
        lines[line_of(units[gate.origin().index()])].gates += 1;
    }
    lines.retain(|line| line.gates > 0);
    lines
}
