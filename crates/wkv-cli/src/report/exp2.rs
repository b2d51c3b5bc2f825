//! How far the exp2 unit is from the true `2^-x`.

use morpho::Netlist;
use morpho::sim::{Program, Simulator};
use serde::Serialize;
use wkv::WkvSpec;
use wkv::circuit::{Unit, build};

use crate::failure::Failure;

/// Inputs of the unit: all that 16 bits hold.
const INPUTS: u32 = 1 << 16;

/// Where the profile ends: beyond, `2^-x` is less than the last place of the result.
pub const PROFILE_END: f64 = 16.0;

/// Points of a profile.
const PROFILE_POINTS: usize = 384;

/// The deviation of a spec's exp2 unit, by its gates on every input.
#[derive(Clone, Debug, Serialize)]
pub struct Exp2Deviation {
    /// The spec.
    pub spec: WkvSpec,
    /// Inputs that were applied.
    pub inputs: u32,
    /// The greatest absolute deviation.
    pub worst: f64,
    /// The input where it occurs.
    pub worst_x: f64,
    /// That input as a raw number.
    pub worst_raw: u32,
    /// What the gates give there.
    pub worst_result: f64,
    /// Gates of the unit.
    pub gates: usize,
    /// The greatest deviation in each of many equal parts of `0..16`: the middle of the part and
    /// the deviation.
    pub profile: Vec<(f64, f64)>,
}

impl Exp2Deviation {
    /// Runs the gates of the unit over every input.
    pub fn measure(spec: &WkvSpec) -> Result<Self, Failure> {
        let netlist = build(spec, Unit::Exp2)?;
        let results = results(&netlist)?;
        let resolution = spec.format.resolution();
        let deviation = |raw: u32| {
            let x = f64::from(raw) * resolution;
            (x, (real(results[raw as usize]) - (-x).exp2()).abs())
        };
        let all = (0..INPUTS).map(|raw| (raw, deviation(raw)));
        let (worst_raw, (worst_x, worst)) =
            all.max_by(|(_, (_, a)), (_, (_, b))| a.total_cmp(b)).expect("there are inputs");
        Ok(Self {
            spec: *spec,
            inputs: INPUTS,
            worst,
            worst_x,
            worst_raw,
            worst_result: real(results[worst_raw as usize]),
            gates: netlist.gates().count(),
            profile: profile((0..INPUTS).map(deviation)),
        })
    }
}

/// What the gates give for every input, in Q0.16.
fn results(netlist: &Netlist) -> Result<Vec<u32>, Failure> {
    let program = Program::compile(netlist);
    let x = program.input("x").expect("the unit has this input");
    let y = program.output("y").expect("the unit has this output");
    let mut simulator = Simulator::new(program, INPUTS as usize);
    let inputs: Vec<u32> = (0..INPUTS).collect();
    simulator.set(x, &inputs);
    simulator.evaluate()?;
    Ok(simulator.get(y))
}

/// The real number that a factor in Q0.16 stands for.
fn real(factor: u32) -> f64 {
    f64::from(factor) / 65536.0
}

/// The greatest deviation in each part that holds an input.
fn profile(deviations: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let width = PROFILE_END / PROFILE_POINTS as f64;
    let mut greatest = [None::<f64>; PROFILE_POINTS];
    for (x, deviation) in deviations {
        if let Some(part) = greatest.get_mut((x / width) as usize) {
            *part = Some(part.map_or(deviation, |greatest| greatest.max(deviation)));
        }
    }
    let middle = |part: usize| (part as f64 + 0.5) * width;
    let parts = greatest.into_iter().enumerate();
    parts.filter_map(|(part, greatest)| Some((middle(part), greatest?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classic_deviates_as_published() {
        let spec = crate::published::SPEC.parse().expect("a spec");
        let deviation = Exp2Deviation::measure(&spec).expect("the unit exists");
        assert_eq!(format!("{:.1e}", deviation.worst), "6.5e-5");
        assert_eq!(deviation.profile.len(), PROFILE_POINTS);
    }

    #[test]
    fn without_interpolation_the_worst_is_just_below_the_first_entry() {
        let spec = "classic:q8.8:nointerp".parse().expect("a spec");
        let Exp2Deviation { worst_raw, worst_result, worst, .. } =
            Exp2Deviation::measure(&spec).expect("the unit exists");
        assert_eq!((worst_raw, worst_result), (7, 1.0));
        assert_eq!(worst, 1.0 - (-7.0f64 / 256.0).exp2());
    }
}
