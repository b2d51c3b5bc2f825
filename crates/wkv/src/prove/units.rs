//! The units that a composition is made of, real or assumed.

use morpho::library::compare::maximum_and_distance;
use morpho::library::reduce::any;
use morpho::library::saturate::saturating_adder;
use morpho::{Builder, Bus, Diagnostics, Fits, Lut, Netlist};

use crate::circuit::{FACTOR_WIDTH, Unit, WIDTH, build};
use crate::spec::WkvSpec;

/// The units by what they compute; widths as in [`Unit`].
pub(super) trait Units {
    /// `sat(a + b)`.
    fn add(&mut self, n: &mut Builder, a: &Bus, b: &Bus) -> Fits<Bus>;
    /// `max(a, b)`, `|a - b|`, `a < b`.
    fn compare(&mut self, n: &mut Builder, a: &Bus, b: &Bus) -> Fits<[Bus; 3]>;
    /// `2^-x`.
    fn exp2(&mut self, n: &mut Builder, x: &Bus) -> Fits<Bus>;
    /// `floor(a e / 65536)`.
    fn multiply(&mut self, n: &mut Builder, a: &Bus, e: &Bus) -> Fits<Bus>;
    /// `sat(numerator 2^F / denominator)`.
    fn divide(&mut self, n: &mut Builder, numerator: &Bus, denominator: &Bus) -> Fits<Bus>;
}

/// The units as circuits of their own, each built and optimised apart.
pub(super) struct Built {
    add: Netlist,
    compare: Netlist,
    exp2: Netlist,
    multiplier: Netlist,
    divider: Netlist,
}

impl Built {
    pub fn new(spec: &WkvSpec) -> Result<Built, Diagnostics> {
        Ok(Built {
            add: build(spec, Unit::SaturatingAdd)?,
            compare: build(spec, Unit::Compare)?,
            exp2: build(spec, Unit::Exp2)?,
            multiplier: build(spec, Unit::Multiplier)?,
            divider: build(spec, Unit::Divider)?,
        })
    }
}

/// The outputs of an embedded circuit, of which there are `N`.
fn embed<const N: usize>(n: &mut Builder, unit: &Netlist, inputs: &[&Bus]) -> Fits<[Bus; N]> {
    let outputs = n.embed(unit, inputs)?;
    Ok(outputs.try_into().expect("a unit has the outputs that `Unit` says"))
}

impl Units for Built {
    fn add(&mut self, n: &mut Builder, a: &Bus, b: &Bus) -> Fits<Bus> {
        embed(n, &self.add, &[a, b]).map(|[y]| y)
    }

    fn compare(&mut self, n: &mut Builder, a: &Bus, b: &Bus) -> Fits<[Bus; 3]> {
        embed(n, &self.compare, &[a, b])
    }

    fn exp2(&mut self, n: &mut Builder, x: &Bus) -> Fits<Bus> {
        embed(n, &self.exp2, &[x]).map(|[y]| y)
    }

    fn multiply(&mut self, n: &mut Builder, a: &Bus, e: &Bus) -> Fits<Bus> {
        embed(n, &self.multiplier, &[a, e]).map(|[y]| y)
    }

    fn divide(&mut self, n: &mut Builder, numerator: &Bus, denominator: &Bus) -> Fits<Bus> {
        embed(n, &self.divider, &[numerator, denominator]).map(|[q]| q)
    }
}

/// Units of which only some facts are known: exponentials, products and quotients are inputs that
/// may have any value which the facts allow.
#[derive(Default)]
pub(super) struct Assumed {
    /// What is assumed, one wire each.
    pub facts: Vec<Bus>,
    inputs: usize,
}

impl Assumed {
    fn anything(&mut self, n: &mut Builder, width: usize) -> Bus {
        self.inputs += 1;
        n.input(format!("assumed{}", self.inputs), width)
    }
}

impl Units for Assumed {
    fn add(&mut self, n: &mut Builder, a: &Bus, b: &Bus) -> Fits<Bus> {
        Ok(saturating_adder(n, a, b)?.0)
    }

    fn compare(&mut self, n: &mut Builder, a: &Bus, b: &Bus) -> Fits<[Bus; 3]> {
        let (maximum, distance, less) = maximum_and_distance(n, a, b)?;
        Ok([maximum, distance, less])
    }

    fn exp2(&mut self, n: &mut Builder, x: &Bus) -> Fits<Bus> {
        let factor = self.anything(n, FACTOR_WIDTH);
        self.facts.push(exp2_facts(n, x, &factor)?);
        Ok(factor)
    }

    fn multiply(&mut self, n: &mut Builder, a: &Bus, e: &Bus) -> Fits<Bus> {
        let product = self.anything(n, WIDTH);
        self.facts.push(multiply_facts(n, a, e, &product)?);
        Ok(product)
    }

    fn divide(&mut self, n: &mut Builder, _: &Bus, _: &Bus) -> Fits<Bus> {
        Ok(self.anything(n, WIDTH))
    }
}

/// What is assumed of `factor`, `2^-x` -> \[1\]: at most 1.0, and exactly 1.0 for an `x` of 0.
pub(super) fn exp2_facts(n: &mut Builder, x: &Bus, factor: &Bus) -> Fits<Bus> {
    let (fraction, one) = factor.hslice(&Bus::zero())?;
    let beyond = any(n, &fraction)?;
    let too_large = n.and(&one, &beyond)?;
    let some = any(n, x)?;
    let one_if_zero = n.or(&some, &one)?;
    n.lut(Lut::AND_NOT, &[&one_if_zero, &too_large])
}

/// What is assumed of `product`, `a` times an exponential -> \[1\]: it is not negative where `a` is
/// not, and it is `a` itself where the exponential is 1.0.
pub(super) fn multiply_facts(n: &mut Builder, a: &Bus, e: &Bus, product: &Bus) -> Fits<Bus> {
    let keeps_sign = n.lut(Lut::OR_NOT, &[&a.high_bit()?, &product.high_bit()?])?;
    let differs = n.xor(a, product)?;
    let differs = any(n, &differs)?;
    let wrong = n.and(&differs, &e.high_bit()?)?;
    n.lut(Lut::AND_NOT, &[&keeps_sign, &wrong])
}
