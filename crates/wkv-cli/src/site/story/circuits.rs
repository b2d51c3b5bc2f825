//! The circuits that the story is about, built when the site is written.

use wkv::WkvSpec;
use wkv::circuit::{Unit, build};

use crate::circuit::Summary;
use crate::failure::Failure;
use crate::published;
use crate::report::exp2::Exp2Deviation;
use crate::sizes::{UnitSizes, unit_sizes};

/// The circuits of the published spec.
pub struct Circuits {
    /// The spec.
    pub spec: WkvSpec,
    /// The cell.
    pub cell: Summary,
    /// The units, each as a circuit of its own.
    pub units: Vec<UnitSizes>,
    /// How far the exponential is from the true value.
    pub exp2: Exp2Deviation,
    /// The same without a line between the entries.
    pub exp2_steps: Exp2Deviation,
}

impl Circuits {
    /// Builds and measures all of them.
    pub fn build() -> Result<Self, Failure> {
        let spec = published::spec();
        let mut steps = spec;
        steps.exp2.interpolate = false;
        Ok(Self {
            spec,
            cell: Summary::of(&build(&spec, Unit::Cell)?),
            units: unit_sizes(&spec)?,
            exp2: Exp2Deviation::measure(&spec)?,
            exp2_steps: Exp2Deviation::measure(&steps)?,
        })
    }

    /// How many of a unit the cell has, by its name in the inventory.
    pub fn instances(&self, unit: &str) -> usize {
        self.cell.inventory.iter().find(|line| line.unit == unit).map_or(0, |line| line.instances)
    }
}
