//! Circuits of the library as the gallery shows them.

use morpho::pass;
use wkv_web::gallery::{library_cells, library_parameters, library_schematic};

/// The example of each cell.
fn examples() -> Vec<(String, Vec<u32>)> {
    let split = |text: &String| {
        let (name, numbers) = text.split_once(':').expect("a colon");
        let numbers = numbers.split(',').map(|number| number.parse().expect("a number"));
        (name.to_string(), numbers.collect())
    };
    library_cells().iter().map(split).collect()
}

#[test]
fn every_cell_of_the_library_is_drawn_at_its_example() {
    let examples = examples();
    assert_eq!(examples.len(), morpho::library::table().len());
    for (name, numbers) in examples {
        let plain: Vec<usize> = numbers.iter().map(|&number| number as usize).collect();
        let mut netlist = morpho::library::build(&name, &plain).expect("the example is built");
        let grown = library_schematic(&name, &numbers, false).expect("it is drawn");
        assert_eq!(grown.gates(), netlist.gates().count(), "{name}");
        pass::optimise(&mut netlist);
        let optimised = library_schematic(&name, &numbers, true).expect("it is drawn");
        assert_eq!(optimised.gates(), netlist.gates().count(), "{name}");
        assert_eq!(optimised.depth(), netlist.depth(), "{name}");
        assert_eq!(library_parameters(&name).map(|all| all.len()), Ok(numbers.len()));
    }
}

#[test]
fn an_adder_adds_and_a_divider_divides() {
    let run = |name: &str, numbers: &[u32], inputs: &[u32], output: &str| {
        let mut schematic = library_schematic(name, numbers, true).expect("it is built");
        schematic.advance(inputs).expect("there are no loops");
        let bus = schematic.bus_names().iter().position(|bus| bus == output).expect("a port");
        schematic.bus_numbers(0)[bus]
    };
    assert_eq!(run("brent_kung_adder", &[16, 16, 1], &[40_000, 25_000, 1], "sum"), 65_001.0);
    assert_eq!(run("divider", &[16, 8], &[50_000, 77], "quotient"), 649.0);
    assert_eq!(run("triangle", &[8], &[0b0100_1010], "sorted"), 224.0);
}

#[test]
fn what_there_is_not_is_told() {
    let refused = |name: &str, numbers: &[u32]| {
        library_schematic(name, numbers, true).err().unwrap_or_default()
    };
    assert!(refused("engine", &[1]).contains("no cell \"engine\""));
    assert!(refused("wallace", &[8]).contains("expected `wallace:a,b`"));
    assert!(refused("wallace", &[0, 8]).contains("1 to"));
    assert!(refused("wallace", &[33, 8]).contains("up to 32"));
    assert!(refused("elementary_automaton", &[8, 300]).contains("0 to 255"));
}
