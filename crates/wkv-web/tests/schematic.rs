//! What the page reads of a circuit, and the drawing: nothing overlaps, everything is inside.

use morpho::{Instance, Netlist, pass};
use wkv_web::schematic::{Notation, Schematic};

fn schematic(netlist: Netlist) -> Schematic {
    let parts: Vec<Instance> = netlist.hierarchy().instances().collect();
    Schematic::new(netlist, &parts, |_| Notation::PLAIN).expect("it is small")
}

fn library(name: &str, numbers: &[usize]) -> Schematic {
    let mut netlist = morpho::library::build(name, numbers).expect("it is known");
    pass::optimise(&mut netlist);
    schematic(netlist)
}

fn drawn() -> Vec<Schematic> {
    let cells: [(&str, &[usize]); 4] = [
        ("wallace", &[8, 8]),
        ("divider", &[16, 8]),
        ("serial_divider", &[1, 8]),
        ("triangle", &[8]),
    ];
    cells.into_iter().map(|(name, numbers)| library(name, numbers)).collect()
}

/// Whether two boxes `left, top, right, bottom` share more than an edge.
fn overlap(a: [f32; 4], b: [f32; 4]) -> bool {
    let gap = 1e-3;
    a[0] + gap < b[2] && b[0] + gap < a[2] && a[1] + gap < b[3] && b[1] + gap < a[3]
}

#[test]
fn boxes_are_inside_the_one_around_them_and_apart_from_their_siblings() {
    for schematic in drawn() {
        let (boxes, parents, sizes) = (schematic.boxes(), schematic.parents(), schematic.sizes());
        let of = |at: usize| -> [f32; 4] { std::array::from_fn(|side| boxes[4 * at + side]) };
        let shown: Vec<usize> = (1..parents.len()).filter(|at| sizes[5 * at] > 0).collect();
        for &at in &shown {
            let (inner, outer) = (of(at), of(parents[at] as usize));
            assert!(inner[0] >= outer[0] && inner[2] <= outer[2] + 1e-3);
            assert!(inner[1] > outer[1] && inner[3] < outer[3]);
            for &other in
                shown.iter().filter(|other| **other > at && parents[**other] == parents[at])
            {
                assert!(!overlap(inner, of(other)), "{at} and {other}");
            }
        }
    }
}

#[test]
fn gates_are_inside_their_instance_in_the_column_of_their_level_and_apart() {
    for schematic in drawn() {
        let (boxes, columns, rows) = (schematic.boxes(), schematic.columns(), schematic.rows());
        let (kinds, origins, levels) = (schematic.kinds(), schematic.origins(), schematic.levels());
        let mut by_column: Vec<Vec<[f32; 4]>> = vec![Vec::new(); columns.len()];
        for wire in (0..kinds.len()).filter(|wire| kinds[*wire] == 4) {
            let level = levels[wire] as usize;
            let gate = [columns[level - 1], rows[wire], columns[level], rows[wire] + 1.0];
            let at = 4 * origins[wire] as usize;
            assert!(gate[0] >= boxes[at] && gate[1] > boxes[at + 1]);
            assert!(gate[2] <= boxes[at + 2] + 1e-3 && gate[3] < boxes[at + 3]);
            assert!(by_column[level].iter().all(|other| !overlap(gate, *other)));
            by_column[level].push(gate);
        }
        assert_eq!(by_column.iter().map(Vec::len).sum::<usize>(), schematic.gates());
    }
}

#[test]
fn wires_go_right() {
    for schematic in drawn() {
        let (starts, inputs, levels) =
            (schematic.input_starts(), schematic.inputs(), schematic.levels());
        for wire in 0..levels.len() {
            for input in &inputs[starts[wire] as usize..starts[wire + 1] as usize] {
                assert!(levels[*input as usize] < levels[wire]);
            }
        }
    }
}

#[test]
fn functions_are_told_by_name_formula_and_table() {
    let schematic = library("ripple_adder", &[4, 4, 1]);
    let functions = schematic.functions();
    assert!(functions.contains(&"xor3\na ^ b ^ c\n01101001".to_string()), "{functions:?}");
    assert!(
        functions.iter().any(|text| text.starts_with("majority\n") && text.ends_with("00010111"))
    );
    let kinds = schematic.kinds();
    let numbers = schematic.function_numbers();
    let gates = (0..kinds.len()).filter(|wire| kinds[*wire] == 4);
    assert!(gates.into_iter().all(|wire| (numbers[wire] as usize) < functions.len()));
}

#[test]
fn steps_go_on_from_a_register_and_begin_anew() {
    let mut schematic = library("counter", &[1, 4]);
    let bus = schematic.bus_names().iter().position(|name| name == "count").expect("the register");
    for _ in 0..2 {
        for step in 0..20 {
            schematic.advance(&[1]).expect("it settles");
            assert_eq!(schematic.bus_numbers(step)[bus], (step % 16) as f64);
        }
        schematic.restart();
        assert_eq!(schematic.steps(), 0);
    }
}

#[test]
fn a_loop_that_does_not_settle_is_told() {
    let mut schematic = schematic(morpho::library::build("sr_latch", &[1, 1]).expect("a latch"));
    schematic.advance(&[1, 0]).expect("it settles");
    schematic.advance(&[0, 0]).expect("it settles");
    let stored = schematic.bus_names().iter().position(|name| name == "stored").expect("a port");
    assert_eq!(schematic.bus_numbers(1)[stored], 1.0);
}

#[test]
fn what_is_too_large_is_refused() {
    let netlist = morpho::library::build("wallace", &[256, 256]).expect("it is known");
    let parts: Vec<Instance> = netlist.hierarchy().instances().collect();
    let refused = Schematic::new(netlist, &parts, |_| Notation::PLAIN).err();
    assert!(refused.is_some_and(|text| text.contains("draws up to 40000")));
}
