//! Inputs that go where a unit's arithmetic turns: rails, ties, small differences, every exponential.
//!
//! All of them are inputs that the unit can be given in the cell, and [`domain`] is the same as a
//! circuit, so that a question to the SAT solver stays within it too.

use morpho::library::compare::less_than;
use morpho::library::reduce::any;
use morpho::prove::{PinKind, Vectors};
use morpho::random::Random;
use morpho::{Builder, Bus, Lut, Netlist};

use crate::circuit::{FACTOR_WIDTH, Unit, WIDTH};
use crate::fixed::Model;
use crate::spec::WkvSpec;

const LEAST: i32 = -32768;
const GREATEST: i32 = 32767;

/// The inputs that the cell can give a unit, as a circuit whose output `holds` is 1 on them; none if
/// it can give it any.
///
/// - The multiplier: an exponential from 0 to 65536.
/// - The divider: a denominator from 1 to 32768.
/// - Step and cell: a `bb` that is not negative, which
///   [`invariants`](super::invariants) proves of every state.
pub fn domain(unit: Unit) -> Option<Netlist> {
    let grow = |n: &mut Builder| {
        let holds = match unit {
            Unit::Multiplier => {
                let (fraction, one) = n.input("e", FACTOR_WIDTH).hslice(&Bus::zero())?;
                let beyond = any(n, &fraction)?;
                n.lut(Lut::AND.complement(), &[&one, &beyond])?
            }
            Unit::Divider => {
                let denominator = n.input("d", WIDTH);
                let limit = Bus::constant(32768, WIDTH + 1);
                let some = any(n, &denominator)?;
                let beyond = less_than(n, &limit, &denominator.zero_extend(WIDTH + 1))?;
                n.lut(Lut::AND_NOT, &[&some, &beyond])?
            }
            Unit::Step => not_negative(n, "bb")?,
            _ => {
                let bb = n.reg("bb", &Bus::constant(0, WIDTH));
                n.drive(&bb, &bb);
                n.not(&bb.high_bit()?)?
            }
        };
        n.output("holds", &holds);
        Ok(())
    };
    let bounded = matches!(
        unit,
        Unit::Multiplier | Unit::Divider | Unit::Step | Unit::Cell | Unit::ProbedCell
    );
    bounded.then(|| Builder::build("domain", grow).expect("the widths are those of the units"))
}

fn not_negative(n: &mut Builder, name: &str) -> morpho::Fits<Bus> {
    let number = n.input(name, WIDTH);
    n.not(&number.high_bit()?)
}

/// About `count` inputs of a unit, or of a cell with any stored values; the same ones each time.
pub fn stimuli(spec: &WkvSpec, unit: Unit, netlist: &Netlist, count: usize) -> Vectors {
    let mut vectors = Vectors::new(netlist);
    let mut numbers = Numbers::new(spec);
    let port = PinKind::Port;
    let bits = |number: i32| number as u32 as u128;
    match unit {
        Unit::Exp2 => {
            (0..1 << 16).for_each(|x| vectors.push_numbers(&[(port, "x", bits(x))]));
        }
        Unit::Reciprocal => {
            (1..1 << 16).for_each(|d| vectors.push_numbers(&[(port, "d", bits(d))]));
        }
        Unit::SaturatingAdd | Unit::Compare => {
            for _ in 0..count {
                let [a, b] = numbers.pair();
                vectors.push_numbers(&[(port, "a", bits(a)), (port, "b", bits(b))]);
            }
        }
        Unit::Multiplier => {
            for _ in 0..count {
                let (a, e) = (numbers.any(), numbers.factor());
                vectors.push_numbers(&[(port, "a", bits(a)), (port, "e", bits(e))]);
            }
        }
        Unit::Divider => {
            for _ in 0..count {
                let [n, d] = numbers.fraction();
                vectors.push_numbers(&[(port, "n", bits(n)), (port, "d", bits(d))]);
            }
        }
        Unit::Step | Unit::Cell | Unit::ProbedCell => {
            let state = if unit == Unit::Step { port } else { PinKind::Register };
            for _ in 0..count {
                let [aa, bb, pp, k, v, u, w] = numbers.token();
                vectors.push_numbers(&[
                    (port, "k", bits(k)),
                    (port, "v", bits(v)),
                    (port, "u", bits(u)),
                    (port, "w", bits(w)),
                    (state, "aa", bits(aa)),
                    (state, "bb", bits(bb)),
                    (state, "pp", bits(pp)),
                ]);
            }
        }
        Unit::Bank(_) | Unit::Serial(_) | Unit::Shared(_) => {
            vectors = Vectors::random(netlist, count, 1)
        }
    }
    vectors
}

/// Tokens for every channel of a cell or bank, in the order of a stream. `u` and `w` stay for a while,
/// and `w` is never positive, as a decay is not. Every third run of tokens is of moderate keys and
/// values, as a model has them; so the state builds up and decays.
pub fn stream(netlist: &Netlist, tokens: usize) -> Vectors {
    let mut vectors = Vectors::new(netlist);
    let mut random = Random::new(1);
    let mut raw = move |bits: u32| (random.word() as i16 >> (16 - bits)) as i32;
    let mut numbers: Vec<i32> = vec![0; netlist.inputs().len()];
    for token in 0..tokens {
        let run = token / RUN;
        for (number, port) in std::iter::zip(&mut numbers, netlist.inputs()) {
            // A bank numbers its ports by channel.
            *number = match (&port.name[..1], token % RUN) {
                ("u", 0) => raw(if run.is_multiple_of(2) { 12 } else { 16 }),
                ("w", 0) => -raw(if run.is_multiple_of(2) { 8 } else { 16 }).abs().min(GREATEST),
                ("u" | "w", _) => *number,
                _ => raw(if run.is_multiple_of(3) { 16 } else { 11 }),
            };
        }
        let named = std::iter::zip(netlist.inputs(), &numbers);
        let named: Vec<_> = named
            .map(|(port, &number)| (PinKind::Port, &port.name[..], number as u32 as u128))
            .collect();
        vectors.push_numbers(&named);
    }
    vectors
}

/// Tokens for which a stream keeps its channel constants.
const RUN: usize = 64;

/// Numbers of the kinds that matter.
pub(super) struct Numbers {
    random: Random,
    model: Model,
}

fn clamp(number: i32) -> i32 {
    number.clamp(LEAST, GREATEST)
}

impl Numbers {
    /// The same numbers each time.
    pub fn new(spec: &WkvSpec) -> Numbers {
        Numbers { random: Random::new(1), model: Model::new(spec) }
    }

    /// From 0 to `limit - 1`.
    pub fn below(&mut self, limit: i32) -> i32 {
        (self.random.word() % limit as u64) as i32
    }

    /// A number of about as many bits as any other: small ones are as likely as large ones.
    pub fn magnitude(&mut self, bits: i32) -> i32 {
        let size = self.below(bits + 1);
        self.below(1 << size)
    }

    /// Within a few of 0.
    fn few(&mut self) -> i32 {
        self.below(9) - 4
    }

    /// Any raw number: any bits, any size, near a rail, near a power of two.
    pub fn any(&mut self) -> i32 {
        let sign = 1 - 2 * self.below(2);
        match self.below(8) {
            0..3 => self.below(1 << 16) + LEAST,
            3..6 => sign * self.magnitude(15),
            6 => clamp(sign * 32768 + self.few()),
            _ => clamp((sign << self.below(16)) + self.few()),
        }
    }

    /// Two numbers whose sum or difference is near 0 or a rail, or of any size.
    pub fn pair(&mut self) -> [i32; 2] {
        let a = self.any();
        let near = match self.below(4) {
            0 => a,
            1 => -a,
            2 => GREATEST - a,
            _ => LEAST - a,
        };
        match self.below(3) {
            0 => [a, self.any()],
            1 => [a, clamp(near + self.few())],
            _ => [a, clamp(near + (1 - 2 * self.below(2)) * self.magnitude(15))],
        }
    }

    /// A distance of exponents that leaves something of the smaller weight, or does not.
    pub fn distance(&mut self) -> i32 {
        let one = 1 << self.model.spec().format.fraction_bits();
        match self.below(8) {
            0 => self.magnitude(15),
            1 => self.below(16) * one + self.few().max(0),
            2 => 0,
            _ => self.below(18 * one).min(GREATEST),
        }
    }

    /// A factor from 0 to 65536.
    pub fn factor(&mut self) -> i32 {
        match self.below(4) {
            0 => self.below(65537),
            1 => self.magnitude(16),
            2 => ((1 << self.below(17)) + self.few()).clamp(0, 65536),
            _ => {
                let distance = self.distance();
                self.model.exp2neg(distance)
            }
        }
    }

    /// A numerator and a denominator from 1 to 32768: any, or with a quotient near a whole number of
    /// raw units or near a rail.
    pub fn fraction(&mut self) -> [i32; 2] {
        let d = match self.below(3) {
            0 => 1 + self.below(32768),
            1 => 1 + self.magnitude(15),
            _ => ((1 << self.below(16)) + self.few()).clamp(1, 32768),
        };
        let quotient = i64::from(self.any());
        let near = (quotient * i64::from(d)) >> self.model.spec().format.fraction_bits();
        let n = match self.below(3) {
            0 => self.any(),
            _ => near.clamp(LEAST.into(), GREATEST.into()) as i32 + self.few(),
        };
        [clamp(n), d]
    }

    /// A state and a token: `aa`, `bb`, `pp`, `k`, `v`, `u`, `w`. `u` and `w` are chosen so that the
    /// exponents are some distance apart, as far as saturation lets them.
    fn token(&mut self) -> [i32; 7] {
        let (pp, k, v) = (self.any(), self.any(), self.any());
        let [aa, bb] = match self.below(4) {
            0 => [self.any(), self.any()],
            1 => [clamp(-v + self.few()), self.magnitude(15)],
            _ => self.fraction(),
        };
        let bb = bb.clamp(0, GREATEST);
        let sign = 1 - 2 * self.below(2);
        let (to_state, to_token) = (self.distance(), self.distance());
        let u = match self.below(8) {
            0 => self.any(),
            _ => clamp(pp + sign * to_state - k),
        };
        let sign = 1 - 2 * self.below(2);
        let w = match self.below(8) {
            0 => self.any(),
            _ => clamp(k + sign * to_token - pp),
        };
        [aa, bb, pp, k, v, u, w]
    }
}
