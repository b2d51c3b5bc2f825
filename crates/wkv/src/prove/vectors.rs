//! Few test vectors for a unit that find every stuck-at fault which can be found.

use morpho::Netlist;
use morpho::prove::faults::{Campaign, Coverage, complete, minimise, stuck_faults};
use morpho::prove::{Limits, Progress, Vectors};

use crate::circuit::{Unit, build};
use crate::spec::WkvSpec;

/// Random vectors that the set is chosen from.
const RANDOM: usize = 4096;

/// A unit with its test vectors.
pub struct TestSet {
    /// The unit, optimised.
    pub netlist: Netlist,
    /// The vectors.
    pub vectors: Vectors,
    /// What became of its stuck-at faults: each input, stored value and gate at 0 and at 1.
    pub faults: Coverage,
}

/// Test vectors for a unit of `spec`, the same ones each time: chosen from random ones and, for the
/// faults that those leave, from ones that the SAT solver gives.
///
/// Vectors may give a unit inputs that the cell never does, such as an exponential above 1.0, and
/// the registers of a cell any state.
///
/// # Panics
/// Never for the specs that there are.
pub fn test_set(spec: &WkvSpec, unit: Unit, limits: Limits, progress: Progress) -> TestSet {
    let netlist = build(spec, unit).expect("every spec has its units");
    let faults = stuck_faults(&netlist);
    let mut vectors = Vectors::random(&netlist, RANDOM, 1);
    let fates = complete(&netlist, &faults.distinct, &mut vectors, limits, progress)
        .expect("no unit has an asynchronous loop");
    let campaign = Campaign::new(&netlist).expect("no unit has an asynchronous loop");
    let vectors = vectors.select(&minimise(&campaign, &faults.distinct, &vectors));
    let faults = Coverage::of(faults.class.iter().map(|&class| &fates[class]));
    TestSet { netlist, vectors, faults }
}
