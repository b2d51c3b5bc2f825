//! The step of the pipelined bank: the same numbers from cells that pipeline well, cut into stages.

use morpho::pipeline::{Delays, Options, Target, pipeline};
use morpho::{Builder, Bus, Diagnostic, Diagnostics, Fits, Netlist, pass};

use morpho::library::compare::MaximumAndDistance;

use super::Multipliers;
use super::divide::NonRestoringDivide;
use super::exp2::TabulatedFraction;
use super::multiply::WholeMultiply;
use crate::circuit::WIDTH;
use crate::circuit::carry::{CarryMaximumAndDistance, with_carry_sums};
use crate::circuit::divide::Divide;
use crate::circuit::exp2::Exp2Fraction;
use crate::circuit::multiply::Multiply;
use crate::circuit::step::{self, StepResult};
use crate::fixed::State;
use crate::spec::WkvSpec;

/// The step, cut into stages.
pub struct PipelinedStep {
    /// `aa`, `bb`, `pp`, `k`, `v`, `u`, `w` \[16\]; `first`, `sums_first` \[1\], whether `pp`, and whether
    /// `aa` and `bb` are to be those from before a first token -> `out`, `aa_next`, `bb_next`,
    /// `pp_next` \[16\].
    pub netlist: Netlist,
    /// How many clocks after `pp`, `k`, `u` and `w` the others are given.
    pub sums_late: usize,
    /// How many clocks after `k` each result is there.
    pub out_latency: usize,
    /// That of `aa_next` and `bb_next`.
    pub sums_latency: usize,
    /// That of `pp_next`.
    pub exponent_latency: usize,
}

/// The inputs that wait for a weight, so are given late.
const LATE: [&str; 4] = ["aa", "bb", "v", "sums_first"];

/// The inputs that come straight from memories.
const FROM_MEMORY: [&str; 5] = ["aa", "bb", "pp", "u", "w"];

/// Registers in and behind a multiplier block.
const PRODUCT_CLOCKS: usize = 2;

impl PipelinedStep {
    /// The step of a spec. Of all clocks at which the sums may be given it takes the one that leaves
    /// the fewest registers.
    pub fn of(
        spec: &WkvSpec,
        target: Target,
        multipliers: Multipliers,
    ) -> Result<PipelinedStep, Diagnostics> {
        let step = combinational(spec, multipliers)?;
        let mut best = cut(&step, target, multipliers, 0)?;
        for late in 1..=best.exponent_latency + 4 {
            let next = cut(&step, target, multipliers, late)?;
            if next.registers() <= best.registers() {
                best = next;
            }
        }
        Ok(best)
    }

    fn registers(&self) -> usize {
        self.netlist.register_bits().count()
    }
}

/// The step before it is cut.
fn combinational(spec: &WkvSpec, multipliers: Multipliers) -> Result<Netlist, Diagnostics> {
    let mut netlist = Builder::build("wkv_pipelined_step", |n| {
        n.substitute::<Divide, NonRestoringDivide, _>(|n| {
            n.substitute::<Exp2Fraction, TabulatedFraction, _>(|n| match multipliers {
                Multipliers::Chains => with_carry_sums(n, |n| grow(n, spec)),
                Multipliers::Dsp => {
                    n.substitute::<MaximumAndDistance, CarryMaximumAndDistance, _>(|n| {
                        n.substitute::<Multiply, WholeMultiply, _>(|n| grow(n, spec))
                    })
                }
            })
        })
    })?;
    pass::optimise(&mut netlist);
    Ok(netlist)
}

fn grow(n: &mut Builder, spec: &WkvSpec) -> Fits<()> {
    let [aa, bb, pp, k, v, u, w] =
        ["aa", "bb", "pp", "k", "v", "u", "w"].map(|name| n.input(name, WIDTH));
    let [first, sums_first] = ["first", "sums_first"].map(|name| n.input(name, 1));
    let start = State::start(spec);
    let aa = restart(n, &aa, start.aa, &sums_first)?;
    let bb = restart(n, &bb, start.bb, &sums_first)?;
    let pp = restart(n, &pp, start.pp, &first)?;
    let state = step::State { aa: &aa, bb: &bb, pp: &pp };
    let StepResult { out, aa, bb, pp, .. } = step::step(n, state, &k, &v, &u, &w, spec)?;
    for (name, bus) in [("out", out), ("aa_next", aa), ("bb_next", bb), ("pp_next", pp)] {
        n.output(name, &bus);
    }
    Ok(())
}

/// A stored number, or what it is before the first token.
fn restart(n: &mut Builder, stored: &Bus, start: i32, first: &Bus) -> Fits<Bus> {
    n.select(first, stored, &Bus::constant(start as u16 as u64, WIDTH))
}

fn cut(
    step: &Netlist,
    target: Target,
    multipliers: Multipliers,
    sums_late: usize,
) -> Result<PipelinedStep, Diagnostics> {
    let (delays, product_clocks) = match multipliers {
        Multipliers::Chains => (Delays::ICE40_HX, 0),
        Multipliers::Dsp => (Delays::ECP5, PRODUCT_CLOCKS),
    };
    let options = Options {
        delays,
        tables: &["exp2_fraction"],
        product_clocks,
        groups: &[&["aa_next", "bb_next"], &["pp_next"]],
        late: &LATE.map(|name| (name, sums_late)),
        arrivals: &FROM_MEMORY.map(|name| (name, delays.memory)),
        ..Options::default()
    };
    let pipelined =
        pipeline(step, target, &options).map_err(|refusal| Diagnostic::new(refusal.to_string()))?;
    let [out_latency, sums_latency, _, exponent_latency] = pipelined.latencies[..] else {
        unreachable!("the step has four outputs")
    };
    let netlist = pipelined.netlist;
    Ok(PipelinedStep { netlist, sums_late, out_latency, sums_latency, exponent_latency })
}
