//! Formulas of single bits, gathered into gates of at most six inputs.

use smallvec::SmallVec;

use super::{MAX_INPUTS, Module, Net, Position, decompose};
use crate::lut::{Lut, PROJECTION};

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
            Some(value) => Cone::constant(value),
            None => Cone { inputs: [net].into_iter().collect(), lut: Lut::BUFFER },
        }
    }

    pub fn constant(value: bool) -> Cone {
        Cone { inputs: SmallVec::new(), lut: Lut::new(0, value as u64) }
    }

    /// The net that it only passes on, or the constant that it is.
    pub fn as_net(&self) -> Option<Net> {
        match (self.lut.constant(), self.lut) {
            (Some(value), _) => Some(Net::constant(value)),
            (_, Lut::BUFFER) => Some(self.inputs[0]),
            _ => None,
        }
    }

    /// How many nets it reads.
    pub fn width(&self) -> usize {
        self.inputs.len()
    }

    /// Its table over `inputs`, among which its own are.
    fn table_over(&self, inputs: &[Net]) -> u64 {
        let place = |net| inputs.iter().position(|input| input == net).expect("it is among them");
        let rows: SmallVec<[u64; 6]> =
            self.inputs.iter().map(|net| PROJECTION[place(net)]).collect();
        self.lut.evaluate(&rows)
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
    /// `lut` of the operands, at most six.
    pub fn apply(&mut self, lut: Lut, operands: &[&Cone]) -> Cone {
        let mut operands: SmallVec<[Cone; 6]> = operands.iter().map(|&cone| cone.clone()).collect();
        let mut inputs = union(&operands);
        while inputs.len() > Lut::MAX_ARITY {
            let widest = operands.iter_mut().max_by_key(|cone| cone.inputs.len());
            let widest = widest.expect("there are operands");
            *widest = Cone::net(self.net(widest));
            inputs = union(&operands);
        }
        let arguments: SmallVec<[u64; 6]> =
            operands.iter().map(|cone| cone.table_over(&inputs)).collect();
        let lut = Lut::new(inputs.len(), lut.evaluate(&arguments));
        Cone { inputs, lut }.reduced()
    }

    /// The function whose row `i` is `row(i)`, operand `j` in bit `j` of `i`; at most
    /// [`MAX_INPUTS`] operands.
    pub fn table(&mut self, operands: &[Cone], row: impl Fn(usize) -> bool) -> Cone {
        if operands.len() <= Lut::MAX_ARITY {
            let lut = Lut::from_fn(operands.len(), row);
            return self.apply(lut, &operands.iter().collect::<SmallVec<[&Cone; 6]>>());
        }
        debug_assert!(operands.len() <= MAX_INPUTS);
        let mut table = vec![0; 1 << (operands.len() - Lut::MAX_ARITY)];
        for at in (0..1 << operands.len()).filter(|&at| row(at)) {
            table[at / 64] |= 1 << (at % 64);
        }
        let inputs: Vec<Net> = operands.iter().map(|operand| self.net(operand)).collect();
        let output = self.module.net(self.position);
        decompose(self.module, &table, &inputs, output, self.position);
        Cone::net(output)
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
