//! Bitstreams.

use crate::device::Family;
use crate::nextpnr;

/// The end of the name of a bitstream.
pub fn extension(family: Family) -> &'static str {
    match family {
        Family::Ice40 => "bin",
        Family::Ecp5 => "bit",
        Family::Gowin => "fs",
    }
}

/// The arguments of the packer for the design of a placement seed; it writes the file `bitstream`.
pub fn arguments(family: Family, seed: u64, bitstream: &str) -> Vec<String> {
    let file = |extension| nextpnr::file(seed, extension);
    match family {
        Family::Ice40 => vec![file("asc"), bitstream.to_owned()],
        Family::Ecp5 => vec!["--compress".to_owned(), file("config"), bitstream.to_owned()],
        Family::Gowin => {
            ["-d", "GW1N-9C", "-o", bitstream, &file("placed.json")].map(str::to_owned).to_vec()
        }
    }
}
