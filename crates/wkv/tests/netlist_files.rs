//! Every unit survives being written and read, and its files mean the same.

use morpho::Netlist;
use morpho::format::{self, Format, ReadOptions};
use morpho::prove::{Equivalence, Verdict, quiet};
use wkv::circuit::{Unit, build};

fn reread(netlist: &Netlist, format: Format) -> Netlist {
    let text = format::to_string(netlist, format);
    let options = ReadOptions { top: None, file: netlist.name().to_string() };
    let reading = format::read(text.as_bytes(), format, &options);
    let reading = reading.unwrap_or_else(|problems| panic!("{format}: {problems}"));
    assert_eq!(reading.warnings, []);
    assert_eq!(reading.netlist.gates().count(), netlist.gates().count(), "{format}");
    reading.netlist
}

fn assert_equal(left: &Netlist, right: &Netlist, what: &str) {
    let claim = Equivalence::new(left, right).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    assert_eq!(claim.prove(&quiet).verdict, Verdict::Equal, "{what}");
}

#[test]
fn files_of_every_unit_mean_the_same() {
    for spec in ["classic:q8.8", "classic:q6.10:lut64"] {
        let spec = spec.parse().expect("a spec");
        for unit in Unit::ALL.into_iter().chain([Unit::Bank(2)]) {
            let netlist = build(&spec, unit).expect("a unit");
            let [blif, verilog] = [Format::Blif, Format::Verilog].map(|f| reread(&netlist, f));
            assert_equal(&netlist, &verilog, &format!("{unit} and its Verilog"));
            assert_equal(&blif, &verilog, &format!("the BLIF and the Verilog of {unit}"));
        }
    }
}
