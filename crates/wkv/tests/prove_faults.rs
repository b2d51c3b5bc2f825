//! Faults and mutants of the units.

use std::time::Instant;

use morpho::prove::faults::{Campaign, Coverage, complete, minimise, stuck_faults};
use morpho::prove::mutation::mutants;
use morpho::prove::{Limits, Vectors, quiet};
use wkv::WkvSpec;
use wkv::circuit::{Unit, build};

fn classic() -> WkvSpec {
    "classic:q8.8".parse().expect("a spec")
}

#[test]
fn experiment() {
    for unit in [Unit::Multiplier, Unit::Divider, Unit::Cell] {
        let netlist = build(&classic(), unit).expect("a unit");
        let campaign = Campaign::new(&netlist).unwrap();
        let stuck = stuck_faults(&netlist);
        for (what, changes) in [("stuck", stuck.distinct.clone()), ("mutants", mutants(&netlist))] {
            let mut vectors = Vectors::random(&netlist, 65536, 1);
            let start = Instant::now();
            let found = campaign.simulate(&changes, &vectors);
            let undetected = found.iter().filter(|f| f.is_none()).count();
            let simulated = start.elapsed();
            let limits = Limits { time: std::time::Duration::from_secs(30), conflicts_per_target: 5_000, conflicts_per_pair: 200 };
            let start = Instant::now();
            let fates = complete(&netlist, &changes, &mut vectors, limits, &quiet).unwrap();
            let completed = start.elapsed();
            let start = Instant::now();
            let chosen: Vec<usize> = if unit == Unit::Cell { vec![] } else { minimise(&campaign, &changes, &vectors) };
            eprintln!(
                "{unit} {what}: all {}, {} changes, {undetected} undetected by random ({simulated:?}), {:?} ({completed:?}), {} vectors, {} chosen ({:?})",
                stuck.all.len(), changes.len(), Coverage::of(&fates), vectors.len(), chosen.len(), start.elapsed()
            );
        }
    }
}
