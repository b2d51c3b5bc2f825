//! Yosys, by its Python module.

use std::process::Command;
use std::sync::OnceLock;

/// Runs commands of Yosys one after another in one design; false, with a word on it, without
/// Yosys. They must succeed.
pub fn yosys(commands: &[String]) -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    let python = |program: &str| Command::new("python3").args(["-c", program]).output();
    let probe = || python("import pyosys.libyosys").is_ok_and(|output| output.status.success());
    if !FOUND.get_or_init(probe) {
        println!("skipped: there is no Python module pyosys");
        return false;
    }
    let program = format!(
        "from pyosys import libyosys as ys\nd = ys.Design()\nfor c in {commands:?}: ys.run_pass(c, d)"
    );
    let output = python(&program).expect("Python started before");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{commands:?}: {text}\n{shown}");
    true
}
