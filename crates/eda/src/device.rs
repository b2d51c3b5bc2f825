//! The devices that there are tools for.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// A family of devices: which tools and which names of resources go with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Lattice iCE40.
    Ice40,
    /// Lattice ECP5.
    Ecp5,
    /// Gowin LittleBee.
    Gowin,
}

/// One device in one package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    /// The name on the command line.
    pub name: &'static str,
    /// The name that its maker gave it.
    pub title: &'static str,
    /// Its family.
    pub family: Family,
    /// What chooses the device in nextpnr.
    pub arguments: &'static [&'static str],
    /// What chooses the device in Yosys: the command that synthesises for it.
    pub synthesis: &'static str,
    /// Logic cells: one look-up table of four inputs and one flip-flop each.
    pub cells: usize,
    /// Blocks of RAM: 4 kbit of an iCE40, 18 kbit of the others.
    pub ram_blocks: usize,
    /// Multipliers of 16 x 16 bits or, but for iCE40, 18 x 18.
    pub dsp: usize,
    /// Pins of the package that a design may use.
    pub pins: usize,
}

/// Every device.
///
/// Capacities are what nextpnr reports as available; pins are those of the package.
pub const DEVICES: [Device; 5] = [
    Device {
        name: "hx8k",
        title: "iCE40 HX8K, package CT256",
        family: Family::Ice40,
        arguments: &["--hx8k", "--package", "ct256"],
        synthesis: "synth_ice40",
        cells: 7680,
        ram_blocks: 32,
        dsp: 0,
        pins: 206,
    },
    Device {
        name: "up5k",
        title: "iCE40 UltraPlus UP5K, package SG48",
        family: Family::Ice40,
        arguments: &["--up5k", "--package", "sg48"],
        synthesis: "synth_ice40 -device u -dsp",
        cells: 5280,
        ram_blocks: 30,
        dsp: 8,
        pins: 39,
    },
    Device {
        name: "ecp5-25k",
        title: "ECP5 LFE5U-25F, package CABGA381, speed grade 6",
        family: Family::Ecp5,
        arguments: &["--25k", "--package", "CABGA381"],
        synthesis: "synth_ecp5",
        cells: 24288,
        ram_blocks: 56,
        dsp: 28,
        pins: 197,
    },
    Device {
        name: "ecp5-85k",
        title: "ECP5 LFE5U-85F, package CABGA381, speed grade 6",
        family: Family::Ecp5,
        arguments: &["--85k", "--package", "CABGA381"],
        synthesis: "synth_ecp5",
        cells: 83640,
        ram_blocks: 208,
        dsp: 156,
        pins: 205,
    },
    Device {
        name: "gw1nr-9",
        title: "Gowin GW1NR-LV9QN88PC6/I5",
        family: Family::Gowin,
        arguments: &["--device", "GW1NR-LV9QN88PC6/I5", "--vopt", "family=GW1N-9C"],
        synthesis: "synth_gowin -family gw1n",
        cells: 8640,
        ram_blocks: 26,
        dsp: 20,
        pins: 71,
    },
];

/// A name that is no device's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown device \"{0}\": expected {names}", names = names())]
pub struct UnknownDevice(pub String);

/// The names of all devices, for errors and help.
pub fn names() -> String {
    DEVICES.map(|device| device.name).join(", ")
}

impl FromStr for Device {
    type Err = UnknownDevice;

    fn from_str(name: &str) -> Result<Self, UnknownDevice> {
        let device = DEVICES.into_iter().find(|device| device.name == name);
        device.ok_or_else(|| UnknownDevice(name.to_owned()))
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Serialize for Device {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

/// The names that nextpnr has for the resources of a family.
#[derive(Clone, Copy, Debug)]
pub struct Resources {
    /// Logic cells.
    pub cells: &'static str,
    /// Blocks of RAM.
    pub ram: &'static str,
    /// Multipliers, all kinds.
    pub dsp: &'static [&'static str],
}

impl Family {
    /// What nextpnr calls its resources.
    ///
    /// An ECP5 counts a look-up table as `TRELLIS_COMB` and a flip-flop as `TRELLIS_FF`; a Gowin
    /// device `LUT4` and `DFF`. An iCE40 has both in one cell, `ICESTORM_LC`.
    pub fn resources(self) -> Resources {
        match self {
            Family::Ice40 => {
                Resources { cells: "ICESTORM_LC", ram: "ICESTORM_RAM", dsp: &["ICESTORM_DSP"] }
            }
            Family::Ecp5 => {
                Resources { cells: "TRELLIS_COMB", ram: "DP16KD", dsp: &["MULT18X18D"] }
            }
            Family::Gowin => Resources {
                cells: "LUT4",
                ram: "BSRAM",
                dsp: &["MULT9X9", "MULT18X18", "MULT36X36", "MULTADDALU18X18", "MULTALU18X18"],
            },
        }
    }
}
