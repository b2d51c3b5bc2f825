//! Few test vectors for a unit that find every stuck-at fault which can be found.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::Instant;

use morpho::Netlist;
use morpho::prove::faults::{Campaign, Coverage, Fate, minimise, stuck_faults};
use morpho::prove::{Limits, Progress, Vectors};

use super::coverage::decide;
use super::stimuli::{stimuli, stream};
use crate::circuit::{Unit, build};
use crate::spec::WkvSpec;

/// Inputs that the set is chosen from, and the faults' first ones of many more.
const POOL: usize = 4096;

/// Inputs that the faults are first simulated on.
const STIMULI: usize = 1 << 14;

/// A unit with its test vectors.
pub struct TestSet {
    /// The unit, optimised.
    pub netlist: Netlist,
    /// The vectors.
    pub vectors: Vectors,
    /// What became of its stuck-at faults: each input, stored value and gate at 0 and at 1.
    pub faults: Coverage,
}

/// Test vectors for a unit of `spec`, the same ones each time: chosen from [`stimuli`] and, for the
/// faults that those leave, from ones that the SAT solver gives.
///
/// Vectors give a unit only inputs that the cell can give it, and the registers of a cell any
/// state with a `bb` that is not negative.
///
/// # Panics
/// Never for the specs that there are.
pub fn test_set(spec: &WkvSpec, unit: Unit, limits: Limits, progress: Progress) -> TestSet {
    let netlist = build(spec, unit).expect("every spec has its units");
    let faults = stuck_faults(&netlist);
    let mut vectors = stimuli(spec, unit, &netlist, STIMULI);
    let fates = decide(spec, unit, &netlist, &faults.distinct, &mut vectors, limits, progress);
    let firsts = fates.iter().filter_map(|fate| match fate {
        Fate::Detected(vector) => Some(*vector),
        _ => None,
    });
    let pool: BTreeSet<usize> = (0..POOL.min(vectors.len())).chain(firsts).collect();
    let vectors = vectors.select(&pool.into_iter().collect::<Vec<_>>());
    let campaign = Campaign::new(&netlist).expect("no unit has an asynchronous loop");
    let vectors = vectors.select(&minimise(&campaign, &faults.distinct, &vectors));
    let faults = Coverage::of(faults.class.iter().map(|&class| &fates[class]));
    TestSet { netlist, vectors, faults }
}

/// Tokens of a stream for a test bench.
const TOKENS: usize = 2048;

/// Vectors for a test bench.
pub struct BenchVectors {
    /// The vectors.
    pub vectors: Vectors,
    /// What became of the stuck-at faults of the unit, if the vectors were chosen to find them.
    pub faults: Option<Coverage>,
}

/// Vectors for a test bench of `unit` as `netlist`: for a unit of one or two operands its
/// [`test_set`], for a step [`stimuli`], for cells a stream of tokens, whose channel constants
/// change now and then.
///
/// The search for vectors ends after `limits.time`; faults that are left then are undecided. So it
/// does for the divider by reciprocals, thousands of whose faults show on few of its 2^31 inputs or
/// on none.
pub fn bench_vectors(
    spec: &WkvSpec,
    unit: Unit,
    netlist: &Netlist,
    limits: Limits,
    progress: Progress,
) -> BenchVectors {
    let end = Instant::now().checked_add(limits.time);
    let until_then = |done, total| match end.is_some_and(|end| Instant::now() >= end) {
        true => ControlFlow::Break(()),
        false => progress(done, total),
    };
    let vectors = match unit {
        Unit::SaturatingAdd
        | Unit::Compare
        | Unit::Exp2
        | Unit::Multiplier
        | Unit::Divider
        | Unit::Reciprocal => {
            let TestSet { vectors, faults, .. } = test_set(spec, unit, limits, &until_then);
            return BenchVectors { vectors, faults: Some(faults) };
        }
        Unit::Step => stimuli(spec, unit, netlist, TOKENS),
        Unit::Cell | Unit::ProbedCell | Unit::Bank(_) => stream(netlist, TOKENS),
        Unit::Serial(_) | Unit::Shared(_) => Vectors::random(netlist, TOKENS, 1),
    };
    BenchVectors { vectors, faults: None }
}
