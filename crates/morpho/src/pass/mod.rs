//! Passes: small transformations that keep what a circuit computes.
//!
//! A pass is a small struct in a file of its own with a name and a one-line description. Most are
//! local [`Rule`]s: they look at one gate whose inputs are already simplified. [`registry`] lists
//! them all; [`optimise`] runs the standard sequence.

mod buffers;
mod constants;
mod dead_code;
mod duplicate_inputs;
mod hashing;
mod ignored_inputs;
mod inverters;
mod mapping;
mod rule;

pub use buffers::Buffers;
pub use constants::Constants;
pub use dead_code::DeadCode;
pub use duplicate_inputs::DuplicateInputs;
pub use hashing::Hashing;
pub use ignored_inputs::IgnoredInputs;
pub use inverters::Inverters;
pub use mapping::Mapping;
pub use rule::{Rewrite, Rule};

use crate::netlist::Netlist;

/// A transformation of a circuit.
pub trait Pass: Sync {
    /// The name, as given on a command line.
    fn name(&self) -> &'static str;

    /// What it does, in one line.
    fn description(&self) -> &'static str;

    /// Transforms the circuit; the number of gates changed or removed.
    ///
    /// The circuit's ports, what it computes at every output in every step, and the names and
    /// initial values of the registers that are left stay the same.
    fn run(&self, netlist: &mut Netlist) -> usize;
}

/// Every pass: those that [`optimise`] runs, in that order, and the mappings.
pub fn registry() -> &'static [&'static dyn Pass] {
    const PASSES: &[&dyn Pass] = &[
        &Constants,
        &DuplicateInputs,
        &IgnoredInputs,
        &Buffers,
        &Hashing,
        &Inverters,
        &DeadCode,
        &Mapping::new(2),
        &Mapping::new(3),
        &Mapping::new(4),
        &Mapping::new(5),
        &Mapping::new(6),
        &Mapping::new(2).for_area(),
        &Mapping::new(3).for_area(),
        &Mapping::new(4).for_area(),
        &Mapping::new(5).for_area(),
        &Mapping::new(6).for_area(),
    ];
    PASSES
}

/// The pass of this name.
pub fn find(name: &str) -> Option<&'static dyn Pass> {
    registry().iter().copied().find(|pass| pass.name() == name)
}

/// Runs the local rules together, then the other passes, until nothing changes.
pub fn optimise(netlist: &mut Netlist) {
    loop {
        let rules: [&dyn Rule; 4] = [&Constants, &DuplicateInputs, &IgnoredInputs, &Buffers];
        let local = rule::sweep(netlist, &rules);
        let others = [&Hashing as &dyn Pass, &Inverters, &DeadCode].map(|pass| pass.run(netlist));
        if local + others.iter().sum::<usize>() == 0 {
            return;
        }
    }
}
