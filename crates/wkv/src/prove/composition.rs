//! The cell against the composition of its units.
//!
//! The composition is the integer model's [`step`](crate::fixed::Model::step), line by line, with
//! the separately built and optimised units in the place of its functions:
//!
//! | the model | here |
//! |---|---|
//! | `sat(a + b)` | [`Unit::SaturatingAdd`] |
//! | `max(a, b)` | `maximum` of [`Unit::Compare`] |
//! | `p - a`, where `p = max(a, b)` | `distance` of [`Unit::Compare`] where `a < b`, else 0 |
//! | `p - b`, where `p = max(a, b)` | 0 where `a < b`, else `distance` |
//! | `exp2neg(x)` | [`Unit::Exp2`] |
//! | `mul(a, e)` | [`Unit::Multiplier`] |
//! | `e >> (16 - F)` | wires |
//! | `sat(x) + 1` | [`Unit::SaturatingAdd`] and an increment of 16 bits, read as unsigned; `noguard` has none |
//! | `sat(div(n, d))` | [`Unit::Divider`] |
//!
//! So it has four exponentials and six products, where the cell has two and four. In one point
//! it follows the cell: the output reads `bb` without its sign wire, so that for a negative `bb`,
//! where the model's output means nothing, the composition's is another one.
//! [`invariants`](super::invariants) proves that no stream makes `bb` negative.
//!
//! The units are exact on what they are given here: an exponential is given any 16 bits; a product
//! any 16 bits and an exponential, from 0 to 65536; a quotient any 16 bits and a sum of at least 0,
//! plus one, from 1 to 32768. These are the spaces that `verify` runs through. That the factors and
//! denominators are in these ranges follows from [`invariants`](super::invariants) too.

use morpho::library::negate::increment;
use morpho::prove::{CutFinder, Equivalence, Limits, Progress, Proof};
use morpho::{Builder, Bus, Diagnostics, Fits, Netlist, Wire};

use super::units::{Built, Units};
use crate::circuit::step::State;
use crate::circuit::{Unit, WIDTH, build};
use crate::fixed;
use crate::spec::WkvSpec;

/// The cell as a composition of units, and the boundaries between them.
pub struct Composition {
    /// The circuit, with the ports and registers of [`Unit::Cell`].
    pub netlist: Netlist,
    boundaries: Vec<Boundary>,
}

/// Wires between units, where the cell and the composition can be cut.
struct Boundary {
    wires: Vec<Wire>,
    by_cases: bool,
}

/// Proves that the cell of `spec`, as built and optimised, equals the composition of its units.
///
/// # Panics
/// Never for the specs that there are.
pub fn prove(spec: &WkvSpec, limits: Limits, progress: Progress) -> Proof {
    let cell = build(spec, Unit::Cell).expect("every spec has a cell");
    prove_cell(&cell, spec, limits, progress)
}

/// As [`prove`], for a circuit that claims to be the cell of `spec`.
///
/// # Panics
/// If its ports or the initial values of its registers are not those of [`Unit::Cell`].
pub fn prove_cell(cell: &Netlist, spec: &WkvSpec, limits: Limits, progress: Progress) -> Proof {
    let composition = compose(spec).expect("every spec has its units");
    let finder = CutFinder::new(cell, &composition.netlist).expect("a cell has these ports");
    let claim = Equivalence::new(cell, &composition.netlist).expect("a cell has these ports");
    let cuts = composition.boundaries.iter().filter_map(|boundary| {
        let cut = finder.cut(&boundary.wires)?;
        Some(if boundary.by_cases { cut.by_cases() } else { cut })
    });
    cuts.fold(claim, Equivalence::cut).limits(limits).prove(progress)
}

/// Builds the composition of the units of `spec`.
///
/// # Errors
/// None for the specs that there are: an error here is a fault of this crate.
pub fn compose(spec: &WkvSpec) -> Result<Composition, Diagnostics> {
    let (netlist, boundaries) =
        compose_with(spec, "wkv_composition", |_, _, step| Ok(step.boundaries()))?;
    Ok(Composition { netlist, boundaries })
}

/// What a step of the composition reads.
pub(super) struct Operands {
    pub k: Bus,
    pub v: Bus,
    pub aa: Bus,
    pub bb: Bus,
    pub pp: Bus,
}

/// The composition under a name, and what `more` makes of its step.
pub(super) fn compose_with<T>(
    spec: &WkvSpec,
    name: &str,
    more: impl FnOnce(&mut Builder, &Operands, &Step) -> Fits<T>,
) -> Result<(Netlist, T), Diagnostics> {
    let mut units = Built::new(spec)?;
    let mut made = None;
    let netlist = Builder::build(name, |n| {
        let [k, v, u, w] = ["k", "v", "u", "w"].map(|name| n.input(name, WIDTH));
        let start = fixed::State::start(spec);
        let mut register = |name, raw: i32| n.reg(name, &Bus::constant(raw as u64, WIDTH));
        let (aa, bb, pp) =
            (register("aa", start.aa), register("bb", start.bb), register("pp", start.pp));
        let state = State { aa: &aa, bb: &bb, pp: &pp };
        let step = step(n, &mut units, state, [&k, &v, &u, &w], spec)?;
        let operands = Operands { k, v, aa, bb, pp };
        made = Some(more(n, &operands, &step)?);
        n.drive(&operands.aa, &step.aa);
        n.drive(&operands.bb, &step.bb);
        n.drive(&operands.pp, &step.pp);
        n.output("out", &step.out);
        Ok(())
    })?;
    Ok((netlist, made.expect("the circuit was built")))
}

/// One token, from units.
pub(super) struct Step {
    pub out: Bus,
    pub aa: Bus,
    pub bb: Bus,
    pub pp: Bus,
    /// The denominator without its guard.
    pub weight_sum: Bus,
    /// The denominator.
    pub denominator: Bus,
    /// The numerator.
    pub numerator: Bus,
    /// The exponent of the token for the output.
    pub ww: Bus,
    /// The exponent of the state for the update.
    pub ww2: Bus,
    /// The weights of the output.
    pub e: Weights,
    /// The weights of the update.
    pub f: Weights,
}

impl Step {
    fn boundaries(&self) -> Vec<Boundary> {
        let cut = |bus: &Bus| Boundary { wires: bus.wires().to_vec(), by_cases: false };
        let cases = |bus: &Bus| Boundary { by_cases: true, ..cut(bus) };
        let weights = |weights: &Weights| [cut(&weights.distance), cases(&weights.state_trails)];
        let exponents = [cut(&self.ww), cut(&self.ww2), cut(&self.pp)];
        exponents.into_iter().chain(weights(&self.e)).chain(weights(&self.f)).collect()
    }
}

/// One token as [`Model::step`](crate::fixed::Model::step) has it.
pub(super) fn step(
    n: &mut Builder,
    units: &mut impl Units,
    state: State,
    [k, v, u, w]: [&Bus; 4],
    spec: &WkvSpec,
) -> Fits<Step> {
    let State { aa, bb, pp } = state;
    let ww = units.add(n, u, k)?;
    let e = weigh(n, units, pp, &ww)?;
    let numerator = weighted_sum(n, units, &e, aa, v)?;
    let bb_without_sign = bb.low(WIDTH - 1).zero_extend(WIDTH);
    let weight_sum = sum_of_weights(n, units, &e, &bb_without_sign, spec)?;
    let guard = Bus::constant(spec.guard.into(), 1);
    let denominator = increment(n, &weight_sum, &guard)?.0;
    let out = units.divide(n, &numerator, &denominator)?;

    let ww2 = units.add(n, pp, w)?;
    let f = weigh(n, units, &ww2, k)?;
    let aa = weighted_sum(n, units, &f, aa, v)?;
    let bb = sum_of_weights(n, units, &f, bb, spec)?;
    let pp = f.maximum.clone();
    Ok(Step { out, aa, bb, pp, weight_sum, denominator, numerator, ww, ww2, e, f })
}

/// Two exponents and the factors that belong to them.
pub(super) struct Weights {
    maximum: Bus,
    /// How far the exponents are apart.
    pub distance: Bus,
    /// Whether the state's exponent is the smaller one.
    pub state_trails: Bus,
    /// `exp2neg(maximum - state)`.
    of_state: Bus,
    /// `exp2neg(maximum - token)`.
    of_token: Bus,
}

fn weigh(n: &mut Builder, units: &mut impl Units, state: &Bus, token: &Bus) -> Fits<Weights> {
    let [maximum, distance, state_trails] = units.compare(n, state, token)?;
    let token_trails = n.not(&state_trails)?;
    let (to_state, to_token) = (n.and(&distance, &state_trails)?, n.and(&distance, &token_trails)?);
    let of_state = units.exp2(n, &to_state)?;
    let of_token = units.exp2(n, &to_token)?;
    Ok(Weights { maximum, distance, state_trails, of_state, of_token })
}

/// `sat(mul(state, e1) + mul(token, e2))`.
fn weighted_sum(
    n: &mut Builder,
    units: &mut impl Units,
    weights: &Weights,
    state: &Bus,
    token: &Bus,
) -> Fits<Bus> {
    let state = units.multiply(n, state, &weights.of_state)?;
    let token = units.multiply(n, token, &weights.of_token)?;
    units.add(n, &state, &token)
}

/// `sat(mul(state, e1) + (e2 >> (16 - F)))`.
fn sum_of_weights(
    n: &mut Builder,
    units: &mut impl Units,
    weights: &Weights,
    state: &Bus,
    spec: &WkvSpec,
) -> Fits<Bus> {
    let state = units.multiply(n, state, &weights.of_state)?;
    let token = weights.of_token.skip(16 - spec.format.fraction_bits() as usize);
    units.add(n, &state, &token.zero_extend(WIDTH))
}
