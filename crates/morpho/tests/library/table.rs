use morpho::library::{Parameter, build, table};
use morpho::pass;

use crate::common::optimised;

#[test]
fn no_cell_is_larger_or_deeper_than_published() {
    let mut rows = 0;
    for entry in table() {
        for published in entry.published {
            let netlist = entry.build(published.numbers).expect("the published widths fit");
            let small = optimised(&netlist);
            let (gates, depth) = (small.gates().count(), small.depth());
            let registers = small.register_bits().count();
            let row = format!("{} {:?}: {gates} gates, depth {depth}", entry.name, published);
            println!("{row}");
            assert!(gates <= published.gates, "{row}");
            assert!(depth <= published.depth, "{row}");
            assert!(registers <= published.registers, "{row}");
            rows += 1;
        }
    }
    assert_eq!(rows, 13);
}

/// What the cells take today. A change for the better belongs here; one for the worse is a bug.
#[test]
fn sizes_do_not_creep() {
    let sizes: [(&str, &[usize], usize, usize); 13] = [
        ("ripple_adder", &[16, 16, 1], 32, 16),
        ("brent_kung_adder", &[16, 16, 1], 60, 8),
        ("brent_kung_adder", &[32, 32, 1], 124, 10),
        ("wallace", &[8, 8], 131, 11),
        ("wallace", &[16, 16], 585, 16),
        ("wallace", &[17, 16], 622, 16),
        ("mux", &[32, 5], 31, 5),
        ("right_shifter", &[17, 4, 1], 68, 4),
        ("maximum_and_distance", &[16, 16], 78, 18),
        ("saturating_adder", &[16, 16], 47, 17),
        ("divider", &[16, 8], 206, 103),
        ("divider", &[24, 16], 542, 270),
        ("serial_divider", &[1, 8], 16, 9),
    ];
    for (name, numbers, gates, depth) in sizes {
        let small = optimised(&build(name, numbers).expect("it fits"));
        assert_eq!((small.gates().count(), small.depth()), (gates, depth), "{name} {numbers:?}");
    }
}

#[test]
fn no_gate_has_more_than_four_inputs() {
    for entry in table() {
        let small = optimised(&entry.build(entry.example).expect("the example fits"));
        assert_eq!(small.gates_by_arity()[5..], [0, 0], "{}", entry.name);
    }
}

#[test]
fn names_are_unique_and_examples_fit() {
    let mut names: Vec<&str> = table().iter().map(|entry| entry.name).collect();
    names.sort();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
    for entry in table() {
        assert_eq!(entry.parameters.len(), entry.example.len(), "{}", entry.name);
        let netlist = build(entry.name, entry.example).expect("the example fits");
        assert_eq!(netlist.name(), entry.name);
    }
}

#[test]
fn ports_are_named_after_the_parameters() {
    let adder = build("ripple_adder", &[5, 5, 1]).expect("it fits");
    let inputs: Vec<(&str, usize)> =
        adder.inputs().iter().map(|port| (&port.name[..], port.wires.len())).collect();
    assert_eq!(inputs, [("a", 5), ("b", 5), ("carry", 1)]);
    let line = build("delay_line", &[3, 2]).expect("it fits");
    assert_eq!((line.inputs().len(), line.register_bits().count()), (1, 6));
}

#[test]
fn an_unknown_name_lists_the_cells() {
    let text = build("adder", &[4]).expect_err("there is no such cell").to_string();
    assert!(
        text.starts_with("there is no cell `adder`; the cells are half_adder, full_adder, "),
        "{text}"
    );
    for entry in table() {
        assert!(text.contains(entry.name), "{}", entry.name);
    }
}

#[test]
fn a_wrong_number_of_numbers_shows_the_usage() {
    let text = build("ripple_adder", &[16, 16]).expect_err("one is missing").to_string();
    assert_eq!(text, "`ripple_adder` was given 2 numbers; expected `ripple_adder:a,b,carry`");
}

#[test]
fn numbers_out_of_range_are_refused() {
    let refused = |name, numbers: &[usize]| build(name, numbers).expect_err("refused").to_string();
    assert_eq!(refused("negate", &[0]), "`negate` was given 0 for a, which is 1 to 1024");
    assert_eq!(refused("negate", &[5000]), "`negate` was given 5000 for a, which is 1 to 1024");
    assert!(refused("elementary_automaton", &[8, 256]).contains("a rule is 0 to 255"));
    assert!(refused("ripple_adder", &[4, 5, 1]).contains("have widths 4, 5"));
    assert_eq!(refused("clamp", &[4, 0]), "`clamp` was given 0 for width, which is 1 to 65535");
    assert_eq!(refused("counter", &[1, 0]), "`counter` was given 0 for width, which is 1 to 65535");
}

/// No panic and no circuit that only looks right: whatever the widths, a cell builds or refuses.
#[test]
fn any_widths_build_or_are_refused() {
    let mut random = crate::common::Random::new(3);
    for entry in table() {
        for _ in 0..30 {
            let number = |parameter: &Parameter, random: &mut crate::common::Random| match parameter
            {
                Parameter::Width(_) => 1 + random.below(6),
                Parameter::Number(_) => random.below(6),
            };
            let numbers: Vec<usize> =
                entry.parameters.iter().map(|parameter| number(parameter, &mut random)).collect();
            if let Ok(mut netlist) = entry.build(&numbers) {
                pass::optimise(&mut netlist);
            }
        }
    }
}
