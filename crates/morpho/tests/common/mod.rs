//! Vectors, references and the simulation of a circuit before and after optimisation.

#![allow(dead_code, reason = "each test binary uses a part of it")]

pub mod recipe;
pub mod small;
pub mod soundness;

use morpho::sim::{Oscillation, Program, Simulator};
use morpho::{Builder, Bus, Fits, Netlist, pass};

/// What goes into or comes out of the ports: `values[port][lane]`.
pub type Values = Vec<Vec<u128>>;

/// A circuit with inputs `i0`, `i1`, ... of these widths and outputs `o0`, `o1`, ...
pub fn circuit(widths: &[usize], grow: impl Fn(&mut Builder, &[Bus]) -> Fits<Vec<Bus>>) -> Netlist {
    let build = Builder::build("circuit", |n| {
        let named = widths.iter().enumerate();
        let inputs: Vec<Bus> = named.map(|(i, &width)| n.input(format!("i{i}"), width)).collect();
        for (index, output) in grow(n, &inputs)?.iter().enumerate() {
            n.output(format!("o{index}"), output);
        }
        Ok(())
    });
    build.unwrap_or_else(|problems| panic!("widths {widths:?}: {problems}"))
}

/// The same circuit after all passes.
pub fn optimised(netlist: &Netlist) -> Netlist {
    let mut optimised = netlist.clone();
    pass::optimise(&mut optimised);
    optimised
}

/// The outputs of each clock step for the inputs of each step, from the start state on.
pub fn clocked(netlist: &Netlist, steps: &[Values]) -> Result<Vec<Values>, Oscillation> {
    let lanes = steps.iter().flatten().map(|port| port.len()).max().unwrap_or(1);
    let program = Program::compile(netlist);
    let inputs: Vec<_> = netlist.inputs().iter().map(|port| program.input(&port.name)).collect();
    let outputs: Vec<_> = netlist.outputs().iter().map(|port| program.output(&port.name)).collect();
    let mut simulator = Simulator::new(program, lanes);
    let step = |values: &Values| {
        for (port, values) in std::iter::zip(&inputs, values) {
            simulator.set(port.expect("every port has a number"), values);
        }
        simulator.step()?;
        let get = |port: &Option<_>| simulator.get(port.expect("every port has a number"));
        Ok(outputs.iter().map(get).collect())
    };
    steps.iter().map(step).collect()
}

/// Compares a combinational circuit, raw and optimised, with a reference that maps the numbers at
/// the inputs to those at the outputs, on the [`vectors`] of its input widths.
pub fn check(netlist: &Netlist, reference: impl Fn(&[u128]) -> Vec<u128>) {
    let widths: Vec<usize> = netlist.inputs().iter().map(|port| port.wires.len()).collect();
    check_on(netlist, &vectors(&widths), reference);
}

/// As [`check`], on these vectors, `vectors[lane][port]`.
pub fn check_on(
    netlist: &Netlist,
    vectors: &[Vec<u128>],
    reference: impl Fn(&[u128]) -> Vec<u128>,
) {
    let ports = netlist.inputs().len();
    let inputs: Values =
        (0..ports).map(|port| vectors.iter().map(|vector| vector[port]).collect()).collect();
    let expected: Vec<Vec<u128>> = vectors.iter().map(|vector| reference(vector)).collect();
    for (netlist, which) in [(netlist, "raw"), (&optimised(netlist), "optimised")] {
        let outputs = clocked(netlist, std::slice::from_ref(&inputs)).expect("no loops");
        for (lane, vector) in vectors.iter().enumerate() {
            let found: Vec<u128> = outputs[0].iter().map(|port| port[lane]).collect();
            assert_eq!(found, expected[lane], "{which} circuit, inputs {vector:?}");
        }
    }
}

/// Compares a clocked circuit, raw and optimised, with the outputs expected in each step.
pub fn check_clocked(netlist: &Netlist, steps: &[Values], expected: &[Values]) {
    for (netlist, which) in [(netlist, "raw"), (&optimised(netlist), "optimised")] {
        let found = clocked(netlist, steps).expect("settles");
        for (step, (found, expected)) in std::iter::zip(&found, expected).enumerate() {
            assert_eq!(found, expected, "{which} circuit, step {step}");
        }
    }
}

/// Vectors for inputs of these widths: all of them if they are few, else corners and random ones.
pub fn vectors(widths: &[usize]) -> Vec<Vec<u128>> {
    let bits: usize = widths.iter().sum();
    if bits <= 10 {
        return (0..1u128 << bits).map(|number| cut(number, widths)).collect();
    }
    let mut vectors = vec![vec![]];
    for &width in widths {
        let extend = |vector: &Vec<u128>| {
            corners(width).into_iter().map(|corner| [&vector[..], &[corner]].concat()).collect()
        };
        vectors = vectors.iter().flat_map(|vector| -> Vec<Vec<u128>> { extend(vector) }).collect();
    }
    let mut random = Random::new(bits as u64);
    vectors.extend((0..200).map(|_| widths.iter().map(|&width| random.number(width)).collect()));
    vectors
}

/// The low bits of `number` for the first width, and so on.
fn cut(mut number: u128, widths: &[usize]) -> Vec<u128> {
    let mut take = |&width: &usize| {
        let part = number & mask(width);
        number >>= width;
        part
    };
    widths.iter().map(&mut take).collect()
}

/// Zero, one, all ones, alternating, and around the sign bit.
fn corners(width: usize) -> Vec<u128> {
    let alternating = u128::MAX / 3;
    let sign = 1 << (width - 1);
    let mut corners = [0, 1, u128::MAX, alternating, !alternating, sign, sign - 1]
        .map(|corner| corner & mask(width))
        .to_vec();
    corners.sort();
    corners.dedup();
    corners
}

/// The largest unsigned number of this width.
pub fn mask(width: usize) -> u128 {
    if width == 0 { 0 } else { u128::MAX >> (128 - width) }
}

/// `bits` as a number in two's complement.
pub fn signed(bits: u128, width: usize) -> i128 {
    ((bits << (128 - width)) as i128) >> (128 - width)
}

/// The bits of `number` in two's complement.
pub fn bits(number: i128, width: usize) -> u128 {
    number as u128 & mask(width)
}

/// Random numbers (splitmix64); the same ones in each run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// Below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A number of at most `width` bits; half of them are much smaller.
    pub fn number(&mut self, width: usize) -> u128 {
        let number = (u128::from(self.next()) << 64 | u128::from(self.next())) & mask(width);
        let shift = if self.next() & 1 == 0 { 0 } else { self.below(width.max(1)) };
        number >> shift
    }
}
