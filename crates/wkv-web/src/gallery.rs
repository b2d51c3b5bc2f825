//! Small circuits of the library, built and run.

use morpho::library::table;
use morpho::{Instance, pass};
use wasm_bindgen::prelude::*;

use crate::schematic::{Notation, Schematic};

/// The largest number that a circuit of the gallery takes: the width of a bus that can be shown.
const MOST: usize = 32;

/// The circuits, each as its name, a colon, and its example numbers with commas.
#[wasm_bindgen]
pub fn library_cells() -> Vec<String> {
    let text = |entry: &morpho::library::Entry| {
        let numbers: Vec<String> = entry.example.iter().map(|number| number.to_string()).collect();
        format!("{}:{}", entry.name, numbers.join(","))
    };
    table().iter().map(text).collect()
}

/// What the numbers of a circuit stand for.
///
/// # Errors
/// If there is no such circuit.
#[wasm_bindgen]
pub fn library_parameters(name: &str) -> Result<Vec<String>, String> {
    let entry = table().iter().find(|entry| entry.name == name);
    let entry = entry.ok_or_else(|| format!("There is no cell \"{name}\"."))?;
    Ok(entry.parameters.iter().map(|parameter| parameter.name().to_string()).collect())
}

/// The circuit of a cell of the library, as `wkv build --unit NAME:NUMBERS` makes it; as it grew if
/// not `optimised`.
///
/// # Errors
/// If there is no such circuit, or it does not take these numbers.
#[wasm_bindgen]
pub fn library_schematic(
    name: &str,
    numbers: &[u32],
    optimised: bool,
) -> Result<Schematic, String> {
    let numbers: Vec<usize> = numbers.iter().map(|&number| number as usize).collect();
    let widths = library_parameters(name)?;
    let named = std::iter::zip(&widths, &numbers);
    if let Some((parameter, _)) = named
        .clone()
        .find(|(name, number)| !["taps", "rule"].contains(&name.as_str()) && **number > MOST)
    {
        return Err(format!("{parameter} goes up to {MOST} here."));
    }
    let mut netlist = morpho::library::build(name, &numbers).map_err(|error| error.to_string())?;
    if optimised {
        pass::optimise(&mut netlist);
    }
    let hierarchy = netlist.hierarchy();
    let mut parts: Vec<Instance> = hierarchy.instances().collect();
    for instance in hierarchy.instances().skip(2) {
        // Parts are what the cell itself holds.
        let parent = hierarchy.parent(instance);
        let direct = parent == Instance::TOP || hierarchy.parent(parent) == Instance::TOP;
        parts[instance.index()] = if direct { instance } else { parts[parent.index()] };
    }
    Schematic::new(netlist, &parts, |_| Notation::PLAIN)
}
