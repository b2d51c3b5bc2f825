//! The recurrence computed by the gates themselves, all channels of a bank as lanes.

use std::sync::Arc;

use morpho::sim::{Input, Output, Program, RegisterPort, Simulator};

use super::unit::{Unit, build};
use crate::fixed::{State, quantise_all};
use crate::recurrence::{Numerics, Recurrence, check_tokens};
use crate::spec::WkvSpec;
use crate::stats::{Counts, Saturations, Underflows};

/// The compiled cell of a spec: [`Numerics`] that run the netlist.
#[derive(Clone)]
pub struct Gates {
    spec: WkvSpec,
    program: Arc<Program>,
    ports: Ports,
}

#[derive(Clone, Copy)]
struct Ports {
    k: Input,
    v: Input,
    u: Input,
    w: Input,
    out: Output,
    saturated: Output,
    underflowed: Output,
    aa: RegisterPort,
    bb: RegisterPort,
    pp: RegisterPort,
}

impl Gates {
    /// Builds and compiles the cell of `spec`.
    pub fn new(spec: &WkvSpec) -> Gates {
        let netlist = build(spec, Unit::ProbedCell).expect("every spec has a cell");
        let program = Arc::new(Program::compile(&netlist));
        let ports = Ports::of(&program).expect("a probed cell has these ports and registers");
        Gates { spec: *spec, program, ports }
    }

    /// The compiled cell.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// A bank of `u.len()` channels with raw bonus `u` and decay `w`.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn raw_bank(&self, u: &[i32], w: &[i32]) -> GatesBank {
        assert_eq!(u.len(), w.len(), "a decay for every bonus");
        let mut simulator = Simulator::new(Arc::clone(&self.program), u.len());
        simulator.set(self.ports.u, u);
        simulator.set(self.ports.w, w);
        GatesBank {
            spec: self.spec,
            ports: self.ports,
            simulator,
            counts: Counts::default(),
            token: Token::default(),
        }
    }
}

impl Ports {
    fn of(program: &Program) -> Option<Ports> {
        Some(Ports {
            k: program.input("k")?,
            v: program.input("v")?,
            u: program.input("u")?,
            w: program.input("w")?,
            out: program.output("out")?,
            saturated: program.output("saturated")?,
            underflowed: program.output("underflowed")?,
            aa: program.register("aa")?,
            bb: program.register("bb")?,
            pp: program.register("pp")?,
        })
    }
}

impl Numerics for Gates {
    fn bank(&self, u: &[f64], w: &[f64]) -> Box<dyn Recurrence> {
        let (u, u_saturations) = quantise_all(self.spec.format, u);
        let (w, w_saturations) = quantise_all(self.spec.format, w);
        let mut bank = self.raw_bank(&u, &w);
        bank.counts.inputs.u = u_saturations;
        bank.counts.inputs.w = w_saturations;
        Box::new(bank)
    }
}

/// Channels of a bank as lanes of the compiled cell, their state in its registers.
pub struct GatesBank {
    spec: WkvSpec,
    ports: Ports,
    simulator: Simulator,
    counts: Counts,
    token: Token,
}

/// The raw numbers of one token, kept from one to the next to save allocation.
#[derive(Default)]
struct Token {
    k: Vec<i32>,
    v: Vec<i32>,
}

impl GatesBank {
    /// Advances every channel by one token of raw numbers, `[channel]`, and gives the raw outputs.
    ///
    /// # Panics
    /// If the slices do not hold one number a channel.
    pub fn step_raw(&mut self, k: &[i32], v: &[i32]) -> Vec<i32> {
        self.simulator.set(self.ports.k, k);
        self.simulator.set(self.ports.v, v);
        self.simulator.step().expect("a cell has no asynchronous loops");
        self.count();
        self.simulator.get(self.ports.out)
    }

    /// The state of every channel.
    pub fn states(&self) -> Vec<State> {
        let read = |register| self.simulator.get_register::<i32>(register);
        let (aa, bb, pp) = (read(self.ports.aa), read(self.ports.bb), read(self.ports.pp));
        (0..aa.len()).map(|c| State { aa: aa[c], bb: bb[c], pp: pp[c] }).collect()
    }

    /// Puts every channel into any state within the format.
    ///
    /// # Panics
    /// If there is not one state a channel.
    pub fn set_states(&mut self, states: &[State]) {
        let mut write = |register, part: fn(&State) -> i32| {
            let numbers: Vec<i32> = states.iter().map(part).collect();
            self.simulator.set_register(register, &numbers);
        };
        write(self.ports.aa, |state| state.aa);
        write(self.ports.bb, |state| state.bb);
        write(self.ports.pp, |state| state.pp);
    }

    /// Adds what the probes of the last step show.
    fn count(&mut self) {
        let flags = |port| {
            let mut counts = [0u64; 8];
            for flags in self.simulator.get::<u8>(port) {
                for (bit, count) in counts.iter_mut().enumerate() {
                    *count += u64::from(flags >> bit & 1);
                }
            }
            counts
        };
        let [ww, ww2, num, den, out, aa, bb, _] = flags(self.ports.saturated);
        let [e1, e2, f1, f2, ..] = flags(self.ports.underflowed);
        self.counts += Counts {
            saturations: Saturations { ww, ww2, num, den, out, aa, bb },
            underflows: Underflows { e1, e2, f1, f2 },
            ..Counts::default()
        };
    }
}

impl Recurrence for GatesBank {
    fn channels(&self) -> usize {
        self.simulator.lanes()
    }

    fn reset(&mut self) {
        self.simulator.reset();
    }

    fn run(&mut self, k: &[f32], v: &[f32], out: &mut [f32]) {
        let channels = self.channels();
        check_tokens(channels, k.len(), v.len(), out.len());
        let format = self.spec.format;
        for start in (0..k.len()).step_by(channels) {
            let now = start..start + channels;
            let mut raw = std::mem::take(&mut self.token);
            for (real, raw, count) in [
                (&k[now.clone()], &mut raw.k, &mut self.counts.inputs.k),
                (&v[now.clone()], &mut raw.v, &mut self.counts.inputs.v),
            ] {
                raw.clear();
                raw.extend(real.iter().map(|&real| {
                    let (raw, saturated) = format.quantise(f64::from(real));
                    *count += u64::from(saturated);
                    raw
                }));
            }
            let outputs = self.step_raw(&raw.k, &raw.v);
            for (out, raw) in std::iter::zip(&mut out[now], outputs) {
                *out = format.to_real(raw) as f32;
            }
            self.token = raw;
        }
    }

    fn counts(&self) -> Counts {
        self.counts
    }
}
