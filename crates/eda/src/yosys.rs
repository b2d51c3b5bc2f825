//! Yosys: the ports of a module, and its synthesis for a device.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::device::{Device, Family};
use crate::harness::{MODULE, Port};

/// The name of Yosys in errors.
pub const NAME: &str = "Yosys";

/// The language of a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Verilog-2005.
    Verilog,
    /// SystemVerilog, as far as Yosys reads it.
    SystemVerilog,
    /// BLIF.
    Blif,
    /// BLIF whose look-up tables stay as they are; for devices of the family iCE40.
    Tables,
}

impl Language {
    /// The language of a file by the end of its name.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "v" => Some(Self::Verilog),
            "sv" => Some(Self::SystemVerilog),
            "blif" => Some(Self::Blif),
            _ => None,
        }
    }

    /// The name that a design gets in the folder of a run.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Verilog => "design.v",
            Self::SystemVerilog => "design.sv",
            Self::Blif | Self::Tables => "design.blif",
        }
    }

    /// The command that reads the design.
    fn read(self) -> String {
        let command = match self {
            Self::Verilog => "read_verilog",
            Self::SystemVerilog => "read_verilog -sv",
            Self::Blif | Self::Tables => "read_blif",
        };
        format!("{command} {}\n", self.file_name())
    }
}

/// The script that writes the ports of the top module to `ports.json`; `top` is found by Yosys if
/// not given.
pub fn port_script(language: Language, top: Option<&str>) -> String {
    let top = match top {
        Some(top) => format!("-top {top}"),
        None => "-auto-top".to_owned(),
    };
    // Only the outside of the modules is asked for; what is inside may not fit JSON.
    format!(
        "{read}hierarchy -check {top}\ndelete */c:* */p:*\nwrite_json ports.json\n",
        read = language.read()
    )
}

/// The script that maps design and harness to the cells of `device`: `netlist.json`, and
/// `stat.json` with the counts.
pub fn synthesis_script(language: Language, device: &Device) -> String {
    let read = language.read();
    let synthesis = match language {
        Language::Tables => format!("hierarchy -check -top {MODULE}\n{KEEP_TABLES}"),
        _ => format!("{} -top {MODULE}\n", device.synthesis),
    };
    // nextpnr 0.4 stops at cells of type $scopeinfo, which Yosys leaves since 0.38.
    format!(
        "{read}read_verilog harness.v\n{synthesis}delete t:$scopeinfo\n\
         tee -o stat.json stat -json\nwrite_json netlist.json\n"
    )
}

/// Makes cells of an iCE40 of look-up tables and registers one by one. Inverters beside registers that
/// start with 1 become tables of their own.
const KEEP_TABLES: &str = "\
read_verilog -D ICE40_HX -lib +/ice40/cells_sim.v
proc
flatten
opt_clean
simplemap t:$dff
dfflegalize -cell $_DFF_P_ 0 -mince 0 -minsrst 0
techmap -map +/ice40/ff_map.v
techmap -map +/gate2lut.v -D LUT_WIDTH=4
techmap -map +/ice40/cells_map.v
clean
blackbox =A:whitebox
check -assert
";

#[derive(Deserialize)]
struct Design {
    modules: BTreeMap<String, Module>,
}

#[derive(Deserialize)]
struct Module {
    #[serde(default)]
    attributes: BTreeMap<String, serde_json::Value>,
    ports: serde_json::Map<String, serde_json::Value>,
}

/// The top module of `ports.json`, and its ports by name.
///
/// # Errors
/// Says what is missing or cannot be used.
pub fn ports(json: &str) -> Result<(String, Vec<Port>), String> {
    let design: Design = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let is_top = |module: &Module| module.attributes.contains_key("top");
    let top = design.modules.into_iter().find(|(_, module)| is_top(module));
    let (name, module) = top.ok_or("no module is marked as the top")?;
    let ports = module.ports.into_iter().map(|(name, port)| {
        let width = port["bits"].as_array().map(Vec::len).ok_or("a port without bits")?;
        match port["direction"].as_str() {
            Some("input") => Ok(Port { name, width, input: true }),
            Some("output") => Ok(Port { name, width, input: false }),
            _ => Err(format!("port {name} is neither input nor output")),
        }
    });
    Ok((name, ports.collect::<Result<_, String>>()?))
}

/// What `stat -json` counts of a synthesised design.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// The version of Yosys, as it names itself.
    pub version: String,
    /// Look-up tables.
    pub luts: usize,
    /// Flip-flops.
    pub registers: usize,
    /// Blocks of RAM.
    pub ram_blocks: usize,
    /// Multipliers.
    pub dsp: usize,
}

#[derive(Deserialize)]
struct Stat {
    creator: String,
    modules: BTreeMap<String, ModuleStat>,
}

#[derive(Deserialize)]
struct ModuleStat {
    num_cells_by_type: BTreeMap<String, usize>,
}

impl Counts {
    /// Reads the output of `stat -json` for a flat design of a family.
    ///
    /// # Errors
    /// Says what is missing.
    pub fn parse(json: &str, family: Family) -> Result<Self, String> {
        let stat: Stat = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let module = stat.modules.values().next().ok_or("no module was counted")?;
        let count = |matches: &dyn Fn(&str) -> bool| {
            let cells = module.num_cells_by_type.iter();
            cells.filter(|(cell, _)| matches(cell)).map(|(_, count)| count).sum()
        };
        let prefixes = Prefixes::of(family);
        let of = |prefixes: &[&str]| {
            count(&|cell: &str| prefixes.iter().any(|prefix| cell.starts_with(prefix)))
        };
        // "Yosys 0.70 (git sha1 ...)"
        let version = stat.creator.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
        Ok(Self {
            version,
            luts: of(prefixes.luts),
            registers: of(prefixes.registers),
            ram_blocks: of(prefixes.ram),
            dsp: of(prefixes.dsp),
        })
    }
}

/// How the names of cells begin.
struct Prefixes {
    luts: &'static [&'static str],
    registers: &'static [&'static str],
    ram: &'static [&'static str],
    dsp: &'static [&'static str],
}

impl Prefixes {
    fn of(family: Family) -> Self {
        match family {
            Family::Ice40 => Self {
                luts: &["SB_LUT4"],
                registers: &["SB_DFF"],
                ram: &["SB_RAM40"],
                dsp: &["SB_MAC16"],
            },
            Family::Ecp5 => Self {
                luts: &["LUT4"],
                registers: &["TRELLIS_FF"],
                ram: &["DP16KD", "PDPW16KD"],
                dsp: &["MULT18X18D"],
            },
            Family::Gowin => Self {
                luts: &["LUT"],
                registers: &["DFF"],
                ram: &["SDP", "DPB", "SPX", "SP", "pROM"],
                dsp: &["MULT"],
            },
        }
    }
}
