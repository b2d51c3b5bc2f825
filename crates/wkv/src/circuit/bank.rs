//! A bank: independent channels side by side.

use morpho::{Builder, Bus, Fits, Netlist};

use super::WIDTH;

/// `channels` copies of a `cell`, channel `c` with ports `k<c>`, `v<c>`, `u<c>`, `w<c>` and `out<c>`
/// and registers `channel<c>.aa` and so on.
pub(super) fn bank(n: &mut Builder, cell: &Netlist, channels: usize) -> Fits<()> {
    for channel in 0..channels {
        let inputs: Vec<Bus> = cell
            .inputs()
            .iter()
            .map(|port| n.input(format!("{}{channel}", port.name), WIDTH))
            .collect();
        let inputs: Vec<&Bus> = inputs.iter().collect();
        let outputs = n.named(&format!("channel{channel}"), |n| n.embed(cell, &inputs))?;
        for (port, bus) in std::iter::zip(cell.outputs(), &outputs) {
            n.output(format!("{}{channel}", port.name), bus);
        }
    }
    Ok(())
}
