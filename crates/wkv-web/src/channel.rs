//! One channel, step by step, by the integer model and by the gates.
//!
//! A step's row is `out`, and `aa`, `bb`, `pp` after it: four raw integers.

use std::sync::Arc;

use morpho::Netlist;
use morpho::format::blif;
use morpho::sim::{Input, Output, Program, RegisterPort, Simulator};
use wasm_bindgen::prelude::wasm_bindgen;
use wkv::WkvSpec;
use wkv::circuit::{Unit, build};
use wkv::fixed::{Model, State};
use wkv::spec::{self, SpecError};
use wkv::stats::{Counts, Saturations, Underflows};

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
    model: Model,
    state: State,
    u: i32,
    w: i32,
    counts: Counts,
}

#[wasm_bindgen]
impl IntegerChannel {
    /// A channel at its start, with raw bonus `u` and decay `w`.
    ///
    /// # Errors
    /// If `spec` is none, or a constant is outside its format.
    #[wasm_bindgen(constructor)]
    pub fn new(spec: &str, u: i32, w: i32) -> Result<Self, String> {
        let spec = parse(spec)?;
        check_range(spec.format, "u", &[u])?;
        check_range(spec.format, "w", &[w])?;
        let (model, state) = (Model::new(&spec), State::start(&spec));
        Ok(Self { model, state, u, w, counts: Counts::default() })
    }

    /// Takes tokens of raw keys and values; gives a row for each.
    ///
    /// # Errors
    /// If a number is outside the format, or there is not a value for every key.
    pub fn run(&mut self, k: &[i32], v: &[i32]) -> Result<Vec<i32>, String> {
        check_lengths(k, v)?;
        check_range(self.model.spec().format, "k", k)?;
        check_range(self.model.spec().format, "v", v)?;
        let mut rows = Vec::with_capacity(4 * k.len());
        for (k, v) in std::iter::zip(k, v) {
            let step = self.model.step(self.state, *k, *v, self.u, self.w);
            self.counts += step.counts;
            self.state = step.next;
            rows.extend([step.out, self.state.aa, self.state.bb, self.state.pp]);
        }
        Ok(rows)
    }

    /// How often each register was clamped and each exponential became 0 since the start, in the
    /// order of [`count_names`].
    pub fn counts(&self) -> Vec<f64> {
        let Counts { saturations, underflows, .. } = self.counts;
        let all = saturations.named().into_iter().chain(underflows.named());
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
    ///
    /// # Errors
    /// If the format can't express the circuit, which would be a fault of this code.
    pub fn blif(&self) -> Result<String, String> {
        let mut text = Vec::new();
        blif::write(&self.netlist, &mut text).map_err(|error| error.to_string())?;
        String::from_utf8(text).map_err(|error| error.to_string())
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
        let ports = &self.ports;
        for lane in self.simulator.blocks_mut() {
            for (k, v) in std::iter::zip(k, v) {
                lane.set_all(ports.k, *k);
                lane.set_all(ports.v, *v);
                lane.step().map_err(|error| error.to_string())?;
                let mut row = [[0]; 4];
                let [out, state @ ..] = &mut row;
                lane.get(ports.out, out);
                for (register, number) in std::iter::zip(ports.state, state) {
                    lane.get_register(register, number);
                }
                rows.extend(row.as_flattened());
            }
        }
        Ok(rows)
    }
}

fn parse(spec: &str) -> Result<WkvSpec, String> {
    spec.parse().map_err(|error: SpecError| error.to_string())
}

fn check_range(format: spec::Format, name: &str, numbers: &[i32]) -> Result<(), String> {
    match numbers.iter().find(|&&raw| !format.holds(raw)) {
        None => Ok(()),
        Some(raw) => {
            let (min, max) = (format.min(), format.max());
            Err(format!("{name} is {raw}; {format} takes raw integers from {min} to {max}"))
        }
    }
}

fn check_lengths(k: &[i32], v: &[i32]) -> Result<(), String> {
    match k.len() == v.len() {
        true => Ok(()),
        false => Err(format!("{} keys and {} values; expected as many", k.len(), v.len())),
    }
}
