//! What the state of the cell can be, proven by induction over the tokens.
//!
//! Each [`Claim`] is a small circuit with one output, which is proven to be 1 for every input. The
//! circuits are the [`composition`](super::composition), which is proven to equal the cell, with
//! less inside: its exponentials and products are inputs that may have any value which the
//! lemmas about those units allow.
//!
//! An invariant holds in every state of every stream if it holds before the first token, and if
//! each token keeps it, whatever the token is. Two invariants are proven so, both from
//! [`Claim::StartHolds`] on; the comparison with the composition refuses a cell whose registers
//! start elsewhere.
//!
//! - `bb` is never negative: [`Claim::BbNeverNegative`]. Hence the denominator is never 0:
//!   [`Claim::DenominatorNeverZero`]. Both hold for any `w`.
//! - `bb` is 0 and `pp` the least number, or `bb` is at least 1.0: [`Claim::StateIsStartOrOne`],
//!   for `w <= 0`, which a decay always is. Before the first token `bb` alone does not tell; that
//!   `pp` is the least number makes the first token weigh 1.
//!
//! What the guard, the 1 that is added to the denominator, is worth: nothing for `w <= 0`, where
//! the denominator is at least 1.0 without it, from the first token on
//! ([`Claim::GuardIsRemovable`]). For a positive `w` it keeps the denominator from 0
//! ([`Claim::GuardIsRemovableForAnyDecay`] is false).

use std::fmt;

use morpho::library::compare::{equal, less_than};
use morpho::library::reduce::any;
use morpho::prove::{Equivalence, Limits, Progress, Proof};
use morpho::{Builder, Bus, Fits, Lut, Netlist};

use super::composition::{Step, step};
use super::units::{Assumed, Built, Units, exp2_facts, multiply_facts};
use crate::circuit::step::State;
use crate::circuit::{FACTOR_WIDTH, WIDTH};
use crate::fixed;
use crate::spec::WkvSpec;

/// Something that is claimed of the cell of a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// A lemma: an exponential is at most 1.0, and 1.0 for a distance of 0.
    Exp2,
    /// A lemma: a product with an exponential of at most 1.0 is not negative where the number is
    /// not, and is the number where the exponential is 1.0.
    Multiplier,
    /// The registers start within [`Claim::StateIsStartOrOne`].
    StartHolds,
    /// From a `bb` that is not negative, every token, with any `w`, leads to one that is not
    /// negative.
    BbNeverNegative,
    /// From a `bb` that is not negative, the denominator is from 1 to 32768, for any token.
    DenominatorNeverZero,
    /// From `bb = 0` and `pp` the least number, or `bb >= 1.0`, every token with `w <= 0` leads to
    /// `bb >= 1.0`.
    StateIsStartOrOne,
    /// From such a state, the denominator is at least 1.0 already without its guard, for any token.
    GuardIsRemovable,
    /// The second denominator of a stream is not 0 without its guard, for any tokens and any `w`.
    /// This one is false: for a positive `w`, the guard may be all that keeps it from 0.
    GuardIsRemovableForAnyDecay,
}

impl Claim {
    /// Every claim, the lemmas first.
    pub const ALL: [Claim; 8] = [
        Claim::Exp2,
        Claim::Multiplier,
        Claim::StartHolds,
        Claim::BbNeverNegative,
        Claim::DenominatorNeverZero,
        Claim::StateIsStartOrOne,
        Claim::GuardIsRemovable,
        Claim::GuardIsRemovableForAnyDecay,
    ];

    /// Whether the claim is meant to hold: without a guard the denominator may be 0 from states
    /// that no stream of `w <= 0` reaches.
    pub fn is_expected(self, spec: &WkvSpec) -> bool {
        match self {
            Claim::DenominatorNeverZero => spec.guard,
            Claim::GuardIsRemovableForAnyDecay => false,
            _ => true,
        }
    }

    /// The circuit whose output `holds` says whether the claim holds for its inputs.
    ///
    /// # Panics
    /// Never for the specs that there are.
    pub fn circuit(self, spec: &WkvSpec) -> Netlist {
        let build = Builder::build("claim", |n| {
            let holds = self.grow(n, spec)?;
            n.output("holds", &holds);
            Ok(())
        });
        build.expect("every spec has its claims")
    }

    /// Tries to prove the claim: [`Verdict::Equal`](morpho::prove::Verdict) says that it holds.
    pub fn prove(self, spec: &WkvSpec, limits: Limits, progress: Progress) -> Proof {
        let circuit = self.circuit(spec);
        let truth = Builder::build("truth", |n| {
            for port in circuit.inputs() {
                n.input(&port.name, port.wires.len());
            }
            n.output("holds", &Bus::one());
            Ok(())
        });
        let truth = truth.expect("a constant is a circuit");
        let claim = Equivalence::new(&circuit, &truth).expect("the ports are the same");
        claim.limits(limits).prove(progress)
    }

    fn grow(self, n: &mut Builder, spec: &WkvSpec) -> Fits<Bus> {
        match self {
            Claim::Exp2 => {
                let x = n.input("x", WIDTH);
                let factor = built(spec).exp2(n, &x)?;
                exp2_facts(n, &x, &factor)
            }
            Claim::Multiplier => {
                let (a, e) = (n.input("a", WIDTH), n.input("e", FACTOR_WIDTH));
                let product = built(spec).multiply(n, &a, &e)?;
                let holds = multiply_facts(n, &a, &e, &product)?;
                let beyond_one = less_than(n, &Bus::constant(1 << 16, FACTOR_WIDTH), &e)?;
                n.or(&holds, &beyond_one)
            }
            Claim::StartHolds => {
                let start = fixed::State::start(spec);
                let [bb, pp] = [start.bb, start.pp].map(|raw| Bus::constant(raw as u64, WIDTH));
                start_or_one(n, &bb, &pp, spec)
            }
            Claim::BbNeverNegative => {
                let token = Token::of(n, spec)?;
                let negative = token.step.bb.high_bit()?;
                let holds = n.not(&negative)?;
                let given = [n.not(&token.bb.high_bit()?)?];
                token.implies(n, &given, &holds)
            }
            Claim::DenominatorNeverZero => {
                let token = Token::of(n, spec)?;
                let most = Bus::constant(1 << 15, WIDTH);
                let too_large = less_than(n, &most, &token.step.denominator)?;
                let some = any(n, &token.step.denominator)?;
                let holds = n.lut(Lut::AND_NOT, &[&some, &too_large])?;
                let given = [n.not(&token.bb.high_bit()?)?];
                token.implies(n, &given, &holds)
            }
            Claim::StateIsStartOrOne => {
                let token = Token::of(n, spec)?;
                let holds = at_least_one(n, &token.step.bb, spec)?;
                let given =
                    [start_or_one(n, &token.bb, &token.pp, spec)?, not_positive(n, &token.w)?];
                token.implies(n, &given, &holds)
            }
            Claim::GuardIsRemovable => {
                let token = Token::of(n, spec)?;
                let holds = at_least_one(n, &token.step.weight_sum, spec)?;
                let given = [start_or_one(n, &token.bb, &token.pp, spec)?];
                token.implies(n, &given, &holds)
            }
            Claim::GuardIsRemovableForAnyDecay => second_token_needs_no_guard(n, spec),
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Claim::Exp2 => "2^-x is at most 1.0, and 1.0 for x = 0",
            Claim::Multiplier => {
                "a product with a factor of at most 1.0 keeps the sign +, and with 1.0 the number"
            }
            Claim::StartHolds => "the registers start with bb = 0 and pp the least number",
            Claim::BbNeverNegative => "bb is never negative",
            Claim::DenominatorNeverZero => "the denominator is from 1 to 32768",
            Claim::StateIsStartOrOne => "bb is at least 1.0 after every token, if w <= 0",
            Claim::GuardIsRemovable => {
                "the denominator is at least 1.0 without its guard, if w <= 0"
            }
            Claim::GuardIsRemovableForAnyDecay => {
                "the denominator is never 0 without its guard, for any w"
            }
        })
    }
}

fn built(spec: &WkvSpec) -> Built {
    Built::new(spec).expect("every spec has its units")
}

/// One token from any state, its exponentials and products assumed.
struct Token {
    bb: Bus,
    pp: Bus,
    w: Bus,
    step: Step,
    assumed: Assumed,
}

impl Token {
    fn of(n: &mut Builder, spec: &WkvSpec) -> Fits<Token> {
        let [aa, bb, pp, k, v, u, w] =
            ["aa", "bb", "pp", "k", "v", "u", "w"].map(|name| n.input(name, WIDTH));
        let mut assumed = Assumed::default();
        let state = State { aa: &aa, bb: &bb, pp: &pp };
        let step = step(n, &mut assumed, state, [&k, &v, &u, &w], spec)?;
        Ok(Token { bb, pp, w, step, assumed })
    }

    /// Whether `given` and the facts that are assumed imply `conclusion`.
    fn implies(&self, n: &mut Builder, given: &[Bus], conclusion: &Bus) -> Fits<Bus> {
        given
            .iter()
            .chain(&self.assumed.facts)
            .try_fold(conclusion.clone(), |holds, given| n.lut(Lut::OR_NOT, &[&holds, given]))
    }
}

/// Two tokens from the start, from real units.
fn second_token_needs_no_guard(n: &mut Builder, spec: &WkvSpec) -> Fits<Bus> {
    let [u, w] = ["u", "w"].map(|name| n.input(name, WIDTH));
    let tokens = [["k0", "v0"], ["k1", "v1"]];
    let [first, second] = tokens.map(|names| names.map(|name| n.input(name, WIDTH)));
    let start = fixed::State::start(spec);
    let [aa, bb, pp] = [start.aa, start.bb, start.pp].map(|raw| Bus::constant(raw as u64, WIDTH));
    let mut units = built(spec);
    let state = State { aa: &aa, bb: &bb, pp: &pp };
    let state = step(n, &mut units, state, [&first[0], &first[1], &u, &w], spec)?;
    let state = State { aa: &state.aa, bb: &state.bb, pp: &state.pp };
    let token = step(n, &mut units, state, [&second[0], &second[1], &u, &w], spec)?;
    any(n, &token.weight_sum)
}

/// `bb = 0` and `pp` the least number, or `bb >= 1.0` -> \[1\].
fn start_or_one(n: &mut Builder, bb: &Bus, pp: &Bus, spec: &WkvSpec) -> Fits<Bus> {
    let start = fixed::State::start(spec);
    let [start_bb, start_pp] = [start.bb, start.pp].map(|raw| Bus::constant(raw as u64, WIDTH));
    let (same_bb, same_pp) = (equal(n, bb, &start_bb)?, equal(n, pp, &start_pp)?);
    let at_start = n.and(&same_bb, &same_pp)?;
    let one = at_least_one(n, bb, spec)?;
    n.or(&at_start, &one)
}

/// A number in two's complement is at least 1.0 -> \[1\].
fn at_least_one(n: &mut Builder, number: &Bus, spec: &WkvSpec) -> Fits<Bus> {
    let (whole, sign) = number.skip(spec.format.fraction_bits() as usize).hslice(&Bus::zero())?;
    let some = any(n, &whole)?;
    n.lut(Lut::AND_NOT, &[&some, &sign])
}

/// A number in two's complement is at most 0 -> \[1\].
fn not_positive(n: &mut Builder, number: &Bus) -> Fits<Bus> {
    let some = any(n, number)?;
    let zero = n.not(&some)?;
    n.or(&zero, &number.high_bit()?)
}
