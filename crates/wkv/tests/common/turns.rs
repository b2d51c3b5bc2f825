//! Circuits that take the tokens of their channels in turn.

use std::iter::zip;

use morpho::Netlist;
use morpho::sim::{Program, Simulator};
use wkv::WkvSpec;
use wkv::fixed::{Model, State};

/// Of sender and receiver.
pub const GAPS: [[u64; 2]; 4] = [[0, 0], [3, 3], [0, 6], [6, 0]];

/// Runs tokens `(k, v, first)` through a circuit whose channels have these `u` and `w`, for so many
/// clocks at most; sender and receiver rest in `gaps` of 8 clocks each. The outputs, and the clock at
/// which each token came in.
pub fn run(
    netlist: &Netlist,
    clocks: usize,
    uw: &[(i32, i32)],
    tokens: &[(i32, i32, bool)],
    gaps: [u64; 2],
) -> (Vec<i32>, Vec<usize>) {
    let program = Program::compile(netlist);
    let input = |name: &str| program.input(name).expect(name);
    let output = |name: &str| program.output(name).expect(name);
    let [k, v, first, load, valid, out_ready] =
        ["k", "v", "first", "load", "valid", "out_ready"].map(input);
    let [ready, out_valid, out] = ["ready", "out_valid", "out"].map(output);
    let mut simulator = Simulator::new(program.clone(), 1);
    let loads = uw.iter().map(|&(u, w)| (u, w, false, true));
    let tokens_in = tokens.iter().map(|&(k, v, first)| (k, v, first, false));
    let mut sender = loads.chain(tokens_in).peekable();
    let (mut outs, mut came, mut noise) = (Vec::new(), Vec::new(), 88172645463325252u64);
    let mut rest = |gaps: u64| {
        noise ^= noise << 13;
        noise ^= noise >> 7;
        noise ^= noise << 17;
        noise >> 20 & 7 < gaps
    };
    for clock in 0..clocks {
        let offered = if rest(gaps[0]) { None } else { sender.peek().copied() };
        let takes = !rest(gaps[1]);
        let given = offered.unwrap_or((-1, -1, true, true));
        simulator.set(k, &[given.0]);
        simulator.set(v, &[given.1]);
        simulator.set(first, &[u8::from(given.2)]);
        simulator.set(load, &[u8::from(given.3)]);
        simulator.set(valid, &[u8::from(offered.is_some())]);
        simulator.set(out_ready, &[u8::from(takes)]);
        simulator.step().expect("no loops");
        if offered.is_some() && simulator.get::<u8>(ready)[0] == 1 {
            came.extend((!given.3).then_some(clock));
            sender.next();
        }
        if takes && simulator.get::<u8>(out_valid)[0] == 1 {
            outs.push(simulator.get::<i32>(out)[0]);
        }
        if outs.len() == tokens.len() {
            break;
        }
    }
    (outs, came)
}

/// What the integer model makes of the tokens of channels in turn.
pub fn model(spec: &WkvSpec, uw: &[(i32, i32)], tokens: &[(i32, i32, bool)]) -> Vec<i32> {
    let model = Model::new(spec);
    let mut states = vec![State::start(spec); uw.len()];
    let turns = zip(tokens, (0..uw.len()).cycle());
    let outs = turns.map(|(&(k, v, first), channel)| {
        if first {
            states[channel] = State::start(spec);
        }
        let (u, w) = uw[channel];
        let step = model.step(states[channel], k, v, u, w);
        states[channel] = step.next;
        step.out
    });
    outs.collect()
}
