//! Signals: names for buses inside a circuit, to look at them while it runs.
//!
//! A signal is an annotation, like an [operator](mod@crate::operator). Passes carry it along as
//! they replace wires, and no wire stays for its sake: bits that optimisation did away with are gone.

use crate::hierarchy::Instance;
use crate::netlist::Wire;
use crate::operator::Literal;

/// A named bus inside a circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    pub(crate) name: String,
    pub(crate) bits: Vec<Option<Literal>>,
    pub(crate) origin: Instance,
}

impl Signal {
    /// The name, which several signals may have.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The bits, lowest first; `None` for a bit that the circuit does not have any more.
    pub fn bits(&self) -> &[Option<Literal>] {
        &self.bits
    }

    /// The cell instance that named it.
    pub fn origin(&self) -> Instance {
        self.origin
    }

    /// Rewrites every literal.
    pub(crate) fn map(&mut self, rewrite: impl Fn(Literal) -> Literal) {
        self.bits.iter_mut().flatten().for_each(|bit| *bit = rewrite(*bit));
    }

    /// Forgets the bits on wires that are not `kept`. Whether any bit is left.
    pub(crate) fn restrict(&mut self, kept: impl Fn(Wire) -> bool) -> bool {
        for bit in &mut self.bits {
            *bit = bit.filter(|literal| kept(literal.wire));
        }
        self.bits.iter().any(Option::is_some)
    }
}
