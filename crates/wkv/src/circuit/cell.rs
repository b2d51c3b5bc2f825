//! The cell: one channel with its three registers.

use morpho::{Builder, Bus, Fits, cell};

use super::WIDTH;
use super::step::{State, StepResult, step};
use crate::fixed;
use crate::spec::WkvSpec;

/// One channel: `k`, `v`, `u`, `w`: \[16\] -> what the token does, the registers `aa`, `bb`, `pp`
/// taking the next state at the clock edge.
#[cell]
pub fn wkv_cell(
    n: &mut Builder,
    k: &Bus,
    v: &Bus,
    u: &Bus,
    w: &Bus,
    spec: &WkvSpec,
) -> Fits<StepResult> {
    let start = fixed::State::start(spec);
    let mut register = |name: &str, raw: i32| n.reg(name, &Bus::constant(raw as u64, WIDTH));
    let (aa, bb, pp) =
        (register("aa", start.aa), register("bb", start.bb), register("pp", start.pp));
    let token = step(n, State { aa: &aa, bb: &bb, pp: &pp }, k, v, u, w, spec)?;
    n.drive(&aa, &token.aa);
    n.drive(&bb, &token.bb);
    n.drive(&pp, &token.pp);
    Ok(token)
}
