//! One channel, step by step, by the integer model and by the gates.
//!
//! A step's row is `out`, and `aa`, `bb`, `pp` after it: four raw integers.

use std::sync::Arc;

use morpho::Netlist;
use morpho::format::{self, Format};
use morpho::sim::{Input, Output, Program, RegisterPort, Simulator};
use wasm_bindgen::prelude::wasm_bindgen;
use wkv::circuit::{Unit, build};
use wkv::fixed::Bank;
use wkv::spec::SpecError;
use wkv::stats::{Saturations, Underflows};
use wkv::{Recurrence, WkvSpec};

/// The registers and sums whose clamping is counted, then the exponentials, in the order of
/// [`IntegerChannel::counts`].
#[wasm_bindgen]
pub fn count_names() -> Vec<String> {
    let saturations = Saturations::default().named().into_iter();
    let underflows = Underflows::default().named();
    saturations
        .map(|(name, _)| name)
        .chain(underflows.map(|(name, _)| name))
        .map(str::to_owned)
        .collect()
}

/// One channel by the integer model.
#[wasm_bindgen]
pub struct IntegerChannel {
    bank: Bank,
}

#[wasm_bindgen]
impl IntegerChannel {
    /// A channel at its start, with raw bonus `u` and decay `w`.
    ///
    /// # Errors
    /// If `spec` is none, or a constant is outside its format.
    #[wasm_bindgen(constructor)]
    pub fn new(spec: &str, u: i32, w: i32) -> Result<Self, String> {
        let bank = Bank::from_raw(&parse(spec)?, &[u], &[w]).map_err(|error| error.to_string())?;
        Ok(Self { bank })
    }

    /// Takes tokens of raw keys and values; gives a row for each.
    ///
    /// # Errors
    /// If a number is outside the format, or there is not a value for every key.
    pub fn run(&mut self, k: &[i32], v: &[i32]) -> Result<Vec<i32>, String> {
        check_lengths(k, v)?;
        let mut rows = Vec::with_capacity(4 * k.len());
        for (k, v) in std::iter::zip(k, v) {
            let mut out = [0];
            self.bank.run_raw(&[*k], &[*v], &mut out).map_err(|error| error.to_string())?;
            let state = self.bank.state(0);
            rows.extend([out[0], state.aa, state.bb, state.pp]);
        }
        Ok(rows)
    }

    /// How often each register was clamped and each exponential became 0 since the start, in the
    /// order of [`count_names`].
    pub fn counts(&self) -> Vec<f64> {
        let counts = self.bank.counts();
        let saturations = counts.saturations.named().into_iter();
        let all = saturations.chain(counts.underflows.named());
        all.map(|(_, count)| count as f64).collect()
    }
}

/// The cell of a spec as `wkv build` writes it, compiled.
#[wasm_bindgen]
pub struct CompiledCell {
    netlist: Netlist,
    program: Arc<Program>,
}

#[wasm_bindgen]
impl CompiledCell {
    /// Builds the cell of `spec` and compiles it.
    ///
    /// # Errors
    /// If `spec` is none.
    #[wasm_bindgen(constructor)]
    pub fn new(spec: &str) -> Result<Self, String> {
        let netlist =
            build(&parse(spec)?, Unit::Cell).map_err(|diagnostics| diagnostics.to_string())?;
        let program = Arc::new(Program::compile(&netlist));
        Ok(Self { netlist, program })
    }

    /// Number of look-up tables.
    pub fn gates(&self) -> usize {
        self.netlist.gates().count()
    }

    /// Number of flip-flops.
    pub fn registers(&self) -> usize {
        self.netlist.register_bits().count()
    }

    /// Gates on the longest path.
    pub fn depth(&self) -> usize {
        self.netlist.depth()
    }

    /// The text that `wkv build --emit blif` writes.
    pub fn blif(&self) -> String {
        format::to_string(&self.netlist, Format::Blif)
    }

    /// A channel of its own at its start, with raw bonus `u` and decay `w`.
    ///
    /// # Errors
    /// If the cell lacks a port, which would be a fault of this code.
    pub fn channel(&self, u: i32, w: i32) -> Result<GateChannel, String> {
        let ports = Ports::of(&self.program).ok_or("the cell lacks a port or a register")?;
        let mut simulator = Simulator::new(Arc::clone(&self.program), 1);
        simulator.set(ports.u, &[u]);
        simulator.set(ports.w, &[w]);
        Ok(GateChannel { simulator, ports })
    }
}

struct Ports {
    k: Input,
    v: Input,
    u: Input,
    w: Input,
    out: Output,
    state: [RegisterPort; 3],
}

impl Ports {
    fn of(program: &Program) -> Option<Self> {
        Some(Self {
            k: program.input("k")?,
            v: program.input("v")?,
            u: program.input("u")?,
            w: program.input("w")?,
            out: program.output("out")?,
            state: [program.register("aa")?, program.register("bb")?, program.register("pp")?],
        })
    }
}

/// One channel by the gates of a [`CompiledCell`].
#[wasm_bindgen]
pub struct GateChannel {
    simulator: Simulator,
    ports: Ports,
}

#[wasm_bindgen]
impl GateChannel {
    /// Takes tokens of raw keys and values, of 16 bits each; gives a row for each.
    ///
    /// # Errors
    /// If there is not a value for every key.
    pub fn run(&mut self, k: &[i32], v: &[i32]) -> Result<Vec<i32>, String> {
        check_lengths(k, v)?;
        let mut rows = Vec::with_capacity(4 * k.len());
        for (k, v) in std::iter::zip(k, v) {
            self.simulator.set(self.ports.k, &[*k]);
            self.simulator.set(self.ports.v, &[*v]);
            self.simulator.step().map_err(|error| error.to_string())?;
            rows.extend(self.simulator.get::<i32>(self.ports.out));
            for register in self.ports.state {
                rows.extend(self.simulator.get_register::<i32>(register));
            }
        }
        Ok(rows)
    }
}

fn parse(spec: &str) -> Result<WkvSpec, String> {
    spec.parse().map_err(|error: SpecError| error.to_string())
}

fn check_lengths(k: &[i32], v: &[i32]) -> Result<(), String> {
    match k.len() == v.len() {
        true => Ok(()),
        false => Err(format!("{} keys and {} values; expected as many", k.len(), v.len())),
    }
}
