//! A cell that somebody else built.
//!
//! Other people's netlists of the cell have names of their own, and need not agree with this one
//! in states that no stream leads to. So the registers are matched by what they store, and the
//! claim is proven for every state in which `bb` is not negative. That is enough: both cells start
//! in one, this one never leaves them ([`Claim::BbNeverNegative`]), and so, by induction over the
//! tokens, neither does the other.
//!
//! [`Claim::BbNeverNegative`]: super::invariants::Claim::BbNeverNegative

use morpho::Netlist;
use morpho::prove::{Change, Equivalence, Limits, Mismatch, Progress, Proof, with_names_of};

use crate::circuit::{Unit, WIDTH, build};
use crate::spec::WkvSpec;

/// Conflicts of the SAT solver for each pair of inner wires. Few: what they leave is run over all
/// values of the few wires that it stands on, which takes less time.
const CONFLICTS: u64 = 100;

/// Tries to prove that `peer` does what the cell of `spec` does, for every stream.
///
/// Ports that are not named as in [`Unit::Cell`] are taken in the order `k`, `v`, `u`, `w`, and
/// registers that are not by what they store.
///
/// # Errors
/// If the ports of `peer` have other widths, if a register starts with another value, or if it has
/// an asynchronous loop or a memory.
///
/// # Panics
/// Never for the specs that there are.
pub fn prove_peer(
    peer: &Netlist,
    spec: &WkvSpec,
    limits: Limits,
    progress: Progress,
) -> Result<Proof, Mismatch> {
    let cell = build(spec, Unit::Cell).expect("every spec has a cell");
    let peer = with_names_of(&cell, peer)?;
    let limits = Limits { conflicts_per_pair: CONFLICTS, ..limits };
    let [peer, cell] = [&peer, &cell].map(with_sign_of_bb_clear);
    Ok(Equivalence::new(&peer, &cell)?.limits(limits).prove(progress))
}

/// The circuit where `bb`, wherever it is read, is not negative.
fn with_sign_of_bb_clear(netlist: &Netlist) -> Netlist {
    let bb = netlist.registers().iter().find(|register| register.name == "bb");
    let mut bits = bb.iter().flat_map(|register| &register.bits);
    match bits.find(|bit| bit.index == WIDTH - 1) {
        Some(sign) => Change::Stuck { wire: sign.output, value: false }.apply(netlist),
        None => netlist.clone(),
    }
}
