//! Whether two netlists do the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use morpho::Netlist;
use morpho::prove::{
    Equivalence, Limits, Mismatch, Pin, Progress, Proof, Reason, Verdict, with_names_of,
};
use serde::Serialize;

use crate::context::Context;
use crate::failure::{Failure, printable, shown};

/// What a proof of equality came to.
#[derive(Clone, Debug, Serialize)]
pub struct Equality {
    /// The other netlist.
    file: String,
    #[serde(flatten)]
    verdict: Told,
    seconds: f64,
}

#[derive(Clone, Debug, Serialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
enum Told {
    Equal,
    Different {
        /// The value of each bit of the inputs and registers; none if they differ in a way that no
        /// inputs show.
        inputs: BTreeMap<String, u8>,
        /// What differs.
        output: String,
        text: String,
    },
    Undecided {
        /// What may differ.
        open: Vec<String>,
        reason: String,
    },
}

/// Undecided outputs that are shown.
const OPEN: usize = 8;

impl Equality {
    /// Compares `netlist` with `other`, which `file` holds, for at most `limit`.
    pub fn of(
        netlist: &Netlist,
        file: String,
        other: &Netlist,
        limit: Duration,
        context: &Context,
    ) -> Result<Self, Failure> {
        let limits = Limits { time: limit, ..Limits::default() };
        let other = with_names_of(netlist, other)
            .map_err(|mismatch| Failure::input(format!("{file}: {mismatch}")))?;
        let told = Self::by(file, context, |progress| {
            Ok(Equivalence::new(netlist, &other)?.limits(limits).prove(progress))
        })?;
        Ok(told.unless(&unmatched(netlist, &other)))
    }

    /// Undecided instead of different if registers are unmatched: what they hold is free in one
    /// circuit and not in the other.
    fn unless(mut self, unmatched: &[String]) -> Self {
        if let Told::Different { inputs, output, .. } = &self.verdict
            && !inputs.is_empty()
            && !unmatched.is_empty()
        {
            let reason = format!("registers of one name only: {}", unmatched.join(", "));
            self.verdict = Told::Undecided { open: vec![output.clone()], reason };
        }
        self
    }

    /// What a proof about the netlist in `file` came to.
    pub fn by(
        file: String,
        context: &Context,
        prove: impl FnOnce(Progress) -> Result<Proof, Mismatch>,
    ) -> Result<Self, Failure> {
        let progress = context.progress("prove equality", 0);
        let proof = match prove(&|done, total| progress.set_of(done, total)) {
            Ok(proof) => proof,
            Err(Mismatch::Initial { pin }) => {
                let text = format!("{pin} starts with another value");
                let output = pin.to_string();
                let verdict = Told::Different { inputs: BTreeMap::new(), output, text };
                return Ok(Self { file, verdict, seconds: 0.0 });
            }
            Err(mismatch) => return Err(Failure::input(format!("{file}: {mismatch}"))),
        };
        let verdict = match proof.verdict {
            Verdict::Equal => Told::Equal,
            Verdict::Different(found) => {
                let value = |(pin, value): &(Pin, bool)| (pin.to_string(), u8::from(*value));
                let inputs = found.inputs.iter().map(value).collect();
                let (output, text) = (found.output.to_string(), found.to_string());
                Told::Different { inputs, output, text }
            }
            Verdict::Undecided { reason: Reason::Cancelled, .. } => {
                return Err(Failure::Interrupted);
            }
            Verdict::Undecided { open, reason } => Told::Undecided {
                open: open.iter().map(ToString::to_string).collect(),
                reason: reason.to_string(),
            },
        };
        Ok(Self { file, verdict, seconds: proof.effort.time.as_secs_f64() })
    }

    /// Whether the netlists are proven to do the same.
    pub fn held(&self) -> bool {
        matches!(self.verdict, Told::Equal)
    }
}

/// Some register bits that one circuit has and the other does not.
fn unmatched(left: &Netlist, right: &Netlist) -> Vec<String> {
    let bits = |netlist: &Netlist| -> BTreeSet<(String, usize)> {
        let bits = netlist.registers().iter().flat_map(|register| {
            register.bits.iter().map(|bit| (register.name.clone(), bit.index))
        });
        bits.collect()
    };
    let (left, right) = (bits(left), bits(right));
    let unmatched = left.symmetric_difference(&right).take(OPEN);
    unmatched.map(|(name, bit)| shown(&format!("{name}[{bit}]"))).collect()
}

impl fmt::Display for Equality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, verdict, seconds } = self;
        match verdict {
            Told::Equal => write!(f, "proven to do the same as {file}, in {seconds:.2} s"),
            Told::Different { text, .. } => {
                write!(f, "DIFFERS from {file}: {}", printable(text))
            }
            Told::Undecided { open, reason } => {
                write!(f, "UNDECIDED whether it does the same as {file}: {reason}; open are ")?;
                let names: Vec<String> = open.iter().take(OPEN).map(|name| shown(name)).collect();
                f.write_str(&names.join(", "))?;
                match open.len().saturating_sub(OPEN) {
                    0 => Ok(()),
                    more => write!(f, " and {more} more"),
                }
            }
        }
    }
}
