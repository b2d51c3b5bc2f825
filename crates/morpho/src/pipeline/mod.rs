//! Pipelining: registers inside a combinational circuit, so that it takes new inputs each clock.
//!
//! Every gate gets a stage; a wire that is read in a later stage than it is computed in goes
//! through a register for each stage between. So whatever path a value takes, it meets the values
//! of the same clock, and the outputs are those of the combinational circuit some clocks later.
//!
//! First each gate gets the earliest stage in which its path is no longer than the target. Then
//! gates move later where that takes no more cells than before: after a gate of three inputs
//! one wire waits instead of three. This is retiming (Leiserson and Saxe, 1991) of a circuit
//! without cycles, by local moves rather than by a flow problem. A cell is what FPGAs have, a look-up
//! table with a register behind it: so the first register of a gate is free if nothing reads the
//! gate before it.
//!
//! Sums, differences and comparisons that are claimed as [operators](crate::operator), and
//! instances of the cells named as [`chains`](Options::chains), are never cut: their gates become
//! carry chains, and a step along one is much quicker than a gate. Instances of the cells named
//! as [`tables`](Options::tables) become read-only [memories](crate::memory), whose register takes the
//! place of one that a cut would need. Claimed products may become multiplier blocks, with
//! [registers](Options::product_clocks) on both sides.
//!
//! ```
//! use morpho::library::build;
//! use morpho::pipeline::{Options, Target, pipeline};
//!
//! let divider = build("divider", &[8, 8])?;
//! let pipelined = pipeline(&divider, Target::Stages(8), &Options::default())?;
//! assert_eq!(pipelined.latencies, [8, 8]);
//! assert!(pipelined.netlist.depth() < divider.depth());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blocks;
mod insert;
mod schedule;

use crate::netlist::Netlist;

/// How long a signal takes, in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delays {
    /// A gate and the wire to it.
    pub gate: u32,
    /// One step along a carry chain.
    pub carry: u32,
    /// From the clock edge to the word of a memory.
    pub memory: u32,
}

impl Delays {
    /// About those of a Lattice iCE40 HX.
    pub const ICE40_HX: Delays = Delays { gate: 1200, carry: 130, memory: 2200 };
    /// About those of a Lattice ECP5 of speed grade 6; a memory without a register at its output.
    pub const ECP5: Delays = Delays { gate: 1200, carry: 50, memory: 5700 };
}

impl Default for Delays {
    /// [`ICE40_HX`](Delays::ICE40_HX).
    fn default() -> Delays {
        Delays::ICE40_HX
    }
}

/// What a pipeline is to reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// At most so many stages, each as short as can be.
    Stages(usize),
    /// At most this delay a stage, in picoseconds, with as few stages as can be. A chain that is
    /// longer stands alone in its stage.
    Delay(u32),
}

/// How a circuit is pipelined.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'o> {
    /// How long a signal takes.
    pub delays: Delays,
    /// More cells whose instances become carry chains, beside the operators.
    pub chains: &'o [&'o str],
    /// The cells whose instances become read-only memories, if they read at most
    /// [`MAX_TABLE_BITS`] wires and do not contain the value of another instance.
    pub tables: &'o [&'o str],
    /// Input ports that are given so many clocks later than the others.
    pub late: &'o [(&'o str, usize)],
    /// Input ports whose value is there only so many picoseconds after the clock edge.
    pub arrivals: &'o [(&'o str, u32)],
    /// How many registers stand behind a claimed product. Its operands then come from registers too,
    /// so that it can become a multiplier block of an FPGA with registers of its own. With 0 a
    /// product is made of gates like any other.
    pub product_clocks: usize,
    /// Groups of output ports that have one latency in common. Those in no group share one too.
    pub groups: &'o [&'o [&'o str]],
}

/// The most wires that a table of a memory may read.
pub const MAX_TABLE_BITS: usize = 12;

/// A pipelined circuit.
#[derive(Clone, Debug)]
pub struct Pipelined {
    /// The circuit, with the ports of the combinational one.
    pub netlist: Netlist,
    /// For each output port, how many clocks it is behind the inputs.
    pub latencies: Vec<usize>,
    /// The longest path of a stage by the delays assumed, in picoseconds.
    pub delay: u32,
}

/// Why a circuit cannot be pipelined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It has registers, memories or asynchronous loops.
    #[error(
        "`{0}` is not combinational; only a circuit without registers, memories and loops can be pipelined"
    )]
    NotCombinational(String),
    /// No stage was asked for.
    #[error("a pipeline has at least one stage")]
    NoStages,
    /// A port in the options is not one of the circuit.
    #[error("there is no {0} port `{1}`")]
    NoPort(&'static str, String),
}

/// A pipelined copy of a combinational circuit. Its registers start at 0.
///
/// # Errors
/// If the circuit is not combinational, or the options name a port that it does not have.
pub fn pipeline(
    netlist: &Netlist,
    target: Target,
    options: &Options,
) -> Result<Pipelined, Refusal> {
    check(netlist, target, options)?;
    let blocks = blocks::partition(netlist, options);
    let schedule = schedule::schedule(netlist, &blocks, target, options);
    Ok(insert::insert(netlist, &blocks, &schedule))
}

fn check(netlist: &Netlist, target: Target, options: &Options) -> Result<(), Refusal> {
    let stored = !netlist.registers().is_empty() || !netlist.memories().is_empty();
    if stored || !netlist.loops().is_empty() {
        return Err(Refusal::NotCombinational(netlist.name().to_string()));
    }
    if target == Target::Stages(0) {
        return Err(Refusal::NoStages);
    }
    let missing = |ports: &[crate::Port], name: &str| ports.iter().all(|port| port.name != name);
    let late = options.late.iter().map(|&(name, _)| name);
    for name in late.chain(options.arrivals.iter().map(|&(name, _)| name)) {
        if missing(netlist.inputs(), name) {
            return Err(Refusal::NoPort("input", name.to_string()));
        }
    }
    for &name in options.groups.iter().copied().flatten() {
        if missing(netlist.outputs(), name) {
            return Err(Refusal::NoPort("output", name.to_string()));
        }
    }
    Ok(())
}
