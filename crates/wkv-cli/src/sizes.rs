//! How large the units of a spec are.

use morpho::Netlist;
use serde::Serialize;
use wkv::WkvSpec;
use wkv::circuit::{Unit, build};

use crate::failure::Failure;
use crate::published::{self, Size};

/// The units that the published page gives figures for, the whole cell last.
pub const UNITS: [Unit; 6] =
    [Unit::Compare, Unit::Exp2, Unit::Multiplier, Unit::Divider, Unit::SaturatingAdd, Unit::Cell];

/// A unit by the published circuit, by ours of the same spec, and by the committed one.
#[derive(Clone, Debug, Serialize)]
pub struct UnitSizes {
    /// The unit, as on a command line.
    pub unit: String,
    /// As published, for [`published::SPEC`].
    pub published: Option<Size>,
    /// Ours of the same spec.
    pub same_spec: Size,
    /// The committed one.
    pub committed: Size,
}

/// The size of a circuit.
pub fn size(netlist: &Netlist) -> Size {
    Size {
        gates: netlist.gates().count(),
        registers: netlist.register_bits().count(),
        depth: netlist.depth(),
    }
}

/// Each of [`UNITS`] beside its published size.
pub fn unit_sizes(committed: &WkvSpec) -> Result<Vec<UnitSizes>, Failure> {
    let published_spec = published::spec();
    let sizes = |unit: Unit| {
        Ok(UnitSizes {
            unit: unit.to_string(),
            published: published::size(unit),
            same_spec: size(&build(&published_spec, unit)?),
            committed: size(&build(committed, unit)?),
        })
    };
    UNITS.into_iter().map(sizes).collect()
}
