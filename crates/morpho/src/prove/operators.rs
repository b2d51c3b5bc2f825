//! Whether the [operators](crate::operator) of a circuit are what its gates compute.
//!
//! Each claim is proven by SAT against a circuit of the library: a ripple-carry adder or subtractor,
//! a comparison by its borrow, a Wallace multiplier. First for the gates between operands and
//! result alone, whatever the operands are; if that fails, as gates around them may matter, for all
//! inputs and stored values of the whole circuit.
//!
//! ```
//! use morpho::library::build;
//! use morpho::prove::{Limits, Verdict, operators, quiet};
//!
//! let adder = build("brent_kung_adder", &[16, 16, 1])?;
//! let verdicts = operators::prove(&adder, Limits::default(), &quiet)?;
//! assert_eq!(verdicts, [Verdict::Equal]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use rustc_hash::FxHashMap;

use super::budget::{Limits, Progress};
use super::equivalence::{Equivalence, Verdict};
use crate::bus::{Bus, cat};
use crate::library::adder::{ripple_adder, ripple_subtractor};
use crate::library::multiplier::{wallace, wallace_signed, wallace_signed_unsigned};
use crate::library::reduce::any;
use crate::netlist::{Netlist, Node, Wire};
use crate::operator::{Function, Literal, Operator};
use crate::{Builder, Diagnostic, Diagnostics, Fits};

/// Proves every operator of `netlist`, in their order, each within `limits`.
///
/// # Errors
/// If the circuit has asynchronous loops: it has no values of its own in a step.
pub fn prove(
    netlist: &Netlist,
    limits: Limits,
    progress: Progress,
) -> Result<Vec<Verdict>, Diagnostics> {
    if !netlist.loops().is_empty() {
        let text = "the operators of a circuit with asynchronous loops cannot be proven";
        return Err(Diagnostic::new(text).into());
    }
    let claims = netlist.operators().iter();
    claims.map(|claim| prove_one(netlist, claim, limits, progress)).collect()
}

fn prove_one(
    netlist: &Netlist,
    claim: &Operator,
    limits: Limits,
    progress: Progress,
) -> Result<Verdict, Diagnostics> {
    let operands: Vec<Wire> = claim.operands().iter().flatten().map(|bit| bit.wire).collect();
    let mut verdict = Verdict::Equal;
    for cut in [&operands[..], &[]] {
        let gates = Builder::build("gates", |n| {
            let mut cone = Cone::grow(n, netlist, claim, cut)?;
            n.output("result", &cone.result(claim));
            Ok(())
        })?;
        let function = Builder::build("function", |n| {
            let mut cone = Cone::grow(n, netlist, claim, cut)?;
            let operands: Vec<Bus> =
                claim.operands().iter().map(|bits| cone.bus(n, bits)).collect::<Fits<_>>()?;
            let result = reference(n, claim.function(), &operands)?;
            let shown = std::iter::zip(claim.result(), result.wires());
            let shown = shown.filter_map(|(bit, &wire)| bit.map(|bit| (bit, wire)));
            let shown: Vec<(Literal, Wire)> = shown.collect();
            let shown: Vec<Bus> = shown
                .into_iter()
                .map(
                    |(bit, wire)| {
                        if bit.complemented { n.not(&wire.into()) } else { Ok(wire.into()) }
                    },
                )
                .collect::<Fits<_>>()?;
            n.output("result", &cat(shown));
            Ok(())
        })?;
        let equivalence = Equivalence::new(&gates, &function).expect("both have these ports");
        verdict = equivalence.limits(limits).prove(progress).verdict;
        if verdict == Verdict::Equal {
            break;
        }
    }
    Ok(verdict)
}

/// A copy of the gates that a claim is about, on inputs of one wire each.
struct Cone(FxHashMap<Wire, Wire>);

impl Cone {
    /// Copies what operands and result depend on, down to the wires of `cut` and those of no gate.
    fn grow(n: &mut Builder, netlist: &Netlist, claim: &Operator, cut: &[Wire]) -> Fits<Cone> {
        let mut cone = vec![false; netlist.nodes().len()];
        let result = claim.result().iter().flatten();
        let bits = claim.operands().iter().flatten().chain(result);
        let mut reached: Vec<Wire> = bits.map(|bit| bit.wire).collect();
        let mut is_cut = vec![false; netlist.nodes().len()];
        cut.iter().for_each(|wire| is_cut[wire.index()] = true);
        while let Some(wire) = reached.pop() {
            if !std::mem::replace(&mut cone[wire.index()], true) && !is_cut[wire.index()] {
                reached.extend(netlist.gate(wire).iter().flat_map(|gate| gate.inputs()));
            }
        }
        let mut copies = FxHashMap::default();
        for index in (0..cone.len()).filter(|&index| cone[index]) {
            let wire = Wire::from_index(index);
            let copy = match netlist.node(wire) {
                Node::Constant(_) => wire,
                Node::Gate(gate) if !is_cut[index] => {
                    let inputs = gate.inputs().iter().map(|input| Bus::from(copies[input]));
                    let inputs: Vec<Bus> = inputs.collect();
                    n.lut(gate.lut(), &inputs.iter().collect::<Vec<_>>())?.wires()[0]
                }
                _ => n.input(format!("wire{index}"), 1).wires()[0],
            };
            copies.insert(wire, copy);
        }
        Ok(Cone(copies))
    }

    fn bus(&mut self, n: &mut Builder, bits: &[Literal]) -> Fits<Bus> {
        let bits = bits.iter().map(|bit| match bit.complemented {
            true => n.not(&self.0[&bit.wire].into()),
            false => Ok(self.0[&bit.wire].into()),
        });
        Ok(cat(bits.collect::<Fits<Vec<Bus>>>()?))
    }

    /// The wires of the result, as they are.
    fn result(&mut self, claim: &Operator) -> Bus {
        claim.result().iter().flatten().map(|bit| self.0[&bit.wire]).collect()
    }
}

/// A circuit of the library for a function.
fn reference(n: &mut Builder, function: Function, operands: &[Bus]) -> Fits<Bus> {
    let (a, b) = (&operands[0], &operands[1]);
    match function {
        Function::Add => ripple_adder(n, a, b, &operands[2]).map(|(sum, carry)| cat([sum, carry])),
        Function::Subtract => ripple_subtractor(n, a, b, &operands[2])
            .map(|(difference, borrow)| cat([difference, borrow])),
        Function::Less => Ok(ripple_subtractor(n, a, b, &Bus::zero())?.1),
        Function::Equal => {
            let differences = n.xor(a, b)?;
            let differ = any(n, &differences)?;
            n.not(&differ)
        }
        Function::Multiply { a_signed: false, b_signed: false } => wallace(n, a, b),
        Function::Multiply { a_signed: true, b_signed: true } => wallace_signed(n, a, b),
        Function::Multiply { a_signed: true, .. } => wallace_signed_unsigned(n, a, b),
        Function::Multiply { .. } => wallace_signed_unsigned(n, b, a),
    }
}
