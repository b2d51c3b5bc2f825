//! Formulas of single bits, gathered into gates of at most six inputs.

use smallvec::SmallVec;

use super::{Module, Net, Position};
use crate::lut::Lut;

/// A function of a few nets that has no net of its own yet. Its inputs are distinct, no constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::format) struct Cone {
    inputs: SmallVec<[Net; 6]>,
    lut: Lut,
}

impl Cone {
    /// What a net carries.
    pub fn net(net: Net) -> Cone {
        match net.as_constant() {
            Some(value) => Cone { inputs: SmallVec::new(), lut: Lut::new(0, value as u64) },
            None => Cone { inputs: [net].into_iter().collect(), lut: Lut::BUFFER },
        }
    }

    /// The net that it only passes on, or the constant that it is.
    pub fn as_net(&self) -> Option<Net> {
        match (self.lut.constant(), self.lut) {
            (Some(value), _) => Some(Net::constant(value)),
            (_, Lut::BUFFER) => Some(self.inputs[0]),
            _ => None,
        }
    }

    /// Without the inputs that it does not depend on.
    fn reduced(mut self) -> Cone {
        for input in (0..self.inputs.len()).rev() {
            if !self.lut.depends_on(input) {
                self.lut = self.lut.cofactor(input, false);
                self.inputs.remove(input);
            }
        }
        self
    }
}

/// Makes formulas of one module, and gates of those that grow too wide.
pub(in crate::format) struct Cones<'m> {
    pub module: &'m mut Module,
    /// Where the gates stand that are made.
    pub position: Position,
}

impl Cones<'_> {
    /// `lut` of the operands, at most three.
    pub fn apply(&mut self, lut: Lut, operands: &[&Cone]) -> Cone {
        let mut operands: SmallVec<[Cone; 3]> = operands.iter().map(|&cone| cone.clone()).collect();
        let mut inputs = union(&operands);
        while inputs.len() > Lut::MAX_ARITY {
            let widest = operands.iter_mut().max_by_key(|cone| cone.inputs.len());
            let widest = widest.expect("there are operands");
            *widest = Cone::net(self.net(widest));
            inputs = union(&operands);
        }
        let argument = |cone: &Cone, row: usize| {
            let bit = |net: &Net| {
                let at = inputs.iter().position(|input| input == net).expect("it is in the union");
                row >> at & 1
            };
            let inner =
                cone.inputs.iter().enumerate().fold(0, |all, (at, net)| all | bit(net) << at);
            cone.lut.row(inner)
        };
        let row = |row: usize| {
            let of = operands.iter().enumerate();
            lut.row(of.fold(0, |all, (at, cone)| all | (argument(cone, row) as usize) << at))
        };
        let lut = Lut::from_fn(inputs.len(), row);
        Cone { inputs, lut }.reduced()
    }

    /// The net that carries a formula: its own, or a new one.
    pub fn net(&mut self, cone: &Cone) -> Net {
        cone.as_net().unwrap_or_else(|| {
            let net = self.module.net(self.position);
            self.drive(net, cone);
            net
        })
    }

    /// Gives `net` the value of a formula.
    pub fn drive(&mut self, net: Net, cone: &Cone) {
        self.module.gate(cone.lut, &cone.inputs, net, self.position);
    }
}

/// The nets that any of the operands reads.
fn union(operands: &[Cone]) -> SmallVec<[Net; 6]> {
    let mut inputs = SmallVec::new();
    for &net in operands.iter().flat_map(|cone| &cone.inputs) {
        if !inputs.contains(&net) {
            inputs.push(net);
        }
    }
    inputs
}
