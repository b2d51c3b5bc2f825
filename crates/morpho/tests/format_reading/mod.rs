//! What came of reading a file, for the tests of readers.

// Each test file uses a part of it.
#![allow(dead_code)]

use morpho::format::{self, Format, Reading};
use morpho::prove::{Equivalence, Verdict, quiet};
use morpho::{Diagnostics, Netlist};

use crate::common::soundness::{assert_well_formed, behaviour};
use crate::format_common::{adder, counter, lost_bits, ties};

/// The netlist of a file that is read without an error.
#[track_caller]
pub fn sound(reading: Result<Reading, Diagnostics>) -> Netlist {
    let reading = reading.unwrap_or_else(|problems| panic!("{problems}"));
    assert_well_formed(&reading.netlist);
    reading.netlist
}

/// The messages that come with it.
#[track_caller]
pub fn warnings(reading: Result<Reading, Diagnostics>) -> Vec<String> {
    let reading = reading.unwrap_or_else(|problems| panic!("{problems}"));
    reading.warnings.into_iter().map(|warning| warning.message).collect()
}

/// The ports and their widths.
pub fn widths(netlist: &Netlist) -> Vec<(&str, usize)> {
    let ports = netlist.inputs().iter().chain(netlist.outputs());
    ports.map(|port| (&port.name[..], port.wires.len())).collect()
}

#[track_caller]
pub fn assert_equal(left: &Netlist, right: &Netlist) {
    let proof = Equivalence::new(left, right).expect("the ports agree").prove(&quiet);
    assert_eq!(proof.verdict, Verdict::Equal, "{}", left.name());
}

/// What a format of gates and nets writes comes back gate by gate; `sound` reads it.
pub fn assert_gates_are_read_back(format: Format, sound: impl Fn(&str) -> Netlist) {
    for netlist in [adder(16), counter(), ties()] {
        let back = sound(&format::to_string(&netlist, format));
        assert_eq!(back.gates().count(), netlist.gates().count(), "{}", netlist.name());
        assert_eq!(widths(&back), widths(&netlist));
        assert_eq!(back.name(), netlist.name());
        // The register of the counter has another name in the file, as its output has its own.
        if netlist.name() != "counter" {
            assert_equal(&netlist, &back);
        }
        assert!(behaviour(&netlist) == behaviour(&back));
    }
    sound(&format::to_string(&lost_bits(), format));
}
