//! BLIF as it is read, and the netlists that come of it.

mod common;
mod format_common;
mod format_reading;

use common::recipe::{Loops, recipes};
use common::soundness::behaviour;
use format_common::any_netlist;
use format_reading::{assert_gates_are_read_back, widths};
use morpho::format::{self, Format, ReadOptions, Reading};
use morpho::sim::Interpreter;
use morpho::{Diagnostics, Netlist};
use proptest::prelude::*;

fn read(text: &str) -> Result<Reading, Diagnostics> {
    let options = ReadOptions { file: "test.blif".into(), top: None };
    format::read(text.as_bytes(), Format::Blif, &options)
}

#[track_caller]
fn sound(text: &str) -> Netlist {
    format_reading::sound(read(text))
}

#[track_caller]
fn warnings(text: &str) -> Vec<String> {
    format_reading::warnings(read(text))
}

/// The outputs `y` for each number at the inputs `a`.
fn table(netlist: &Netlist) -> Vec<u128> {
    let width = netlist.inputs()[0].wires.len();
    let numbers: Vec<u128> = (0..1 << width).collect();
    let mut interpreter = Interpreter::new(netlist);
    let mut outputs = |numbers: &[u128]| {
        interpreter.set("a", numbers);
        interpreter.evaluate().expect("there are no loops");
        interpreter.get("y", numbers.len())
    };
    numbers.chunks(64).flat_map(&mut outputs).collect()
}

#[test]
fn what_was_written_is_read_back() {
    assert_gates_are_read_back(Format::Blif, sound);
}

proptest! {
    #[test]
    fn random_circuits_are_read_back(recipe in recipes(Loops::None)) {
        let netlist = recipe.build();
        let back = sound(&format::to_string(&netlist, Format::Blif));
        if widths(&back) == widths(&netlist) {
            assert!(behaviour(&netlist) == behaviour(&back));
        }
    }

    #[test]
    fn names_that_collide_are_read_back(netlist in any_netlist(true)) {
        sound(&format::to_string(&netlist, Format::Blif));
    }
}

#[test]
fn covers_of_every_kind() {
    let of = |inputs: &str, rows: &str| {
        table(&sound(&format!(
            ".model m\n.inputs a_0 a_1\n.outputs y\n.names {inputs} y\n{rows}.end\n"
        )))
    };
    assert_eq!(of("a_0 a_1", "1- 1\n-1 1\n"), [0, 1, 1, 1]);
    assert_eq!(of("a_0 a_1", "00 0\n"), [0, 1, 1, 1]);
    assert_eq!(of("a_0 a_1", "10 0\n01 0\n"), [1, 0, 0, 1]);
    assert_eq!(of("a_0 a_1", "-- 1\n"), [1, 1, 1, 1]);
    assert_eq!(of("a_0 a_1", ""), [0, 0, 0, 0]);
    assert_eq!(of("", "1\n"), [1, 1, 1, 1]);
    assert_eq!(of("", "0\n"), [0, 0, 0, 0]);
    assert_eq!(of("", ""), [0, 0, 0, 0]);
    assert_eq!(
        of("a_0 a_0 a_1", "11- 1\n--1#a comment\t1\n".replace("#a comment\t1", " 1 # x").as_str()),
        [0, 1, 1, 1]
    );
}

#[test]
fn wide_covers_become_several_gates() {
    for width in [7, 11, 16] {
        let names: Vec<String> = (0..width).map(|bit| format!("a[{bit}]")).collect();
        let names = names.join(" ");
        let mut noise = format_common::Noise(width as u64);
        let cubes: Vec<(usize, usize)> = (0..9)
            .map(|_| (noise.next() as usize & noise.next() as usize, noise.next() as usize))
            .collect();
        let literal =
            |&(care, value): &(usize, usize), bit: usize| match (care >> bit & 1, value >> bit & 1)
            {
                (0, _) => '-',
                (_, 0) => '0',
                _ => '1',
            };
        for value in [0, 1] {
            let row = |cube| {
                (0..width)
                    .map(|bit| literal(cube, bit))
                    .chain(format!(" {value}\n").chars())
                    .collect::<String>()
            };
            let rows: String = cubes.iter().map(row).collect();
            let netlist = sound(&format!(
                ".model wide\n.inputs {names}\n.outputs y\n.names {names} y\n{rows}"
            ));
            let covered = |number: u128| {
                cubes.iter().any(|&(care, wanted)| {
                    (number as usize ^ wanted) & care & ((1 << width) - 1) == 0
                })
            };
            let expected: Vec<u128> =
                (0..1 << width).map(|number| u128::from(covered(number) == (value == 1))).collect();
            assert_eq!(table(&netlist), expected, "{width} inputs");
        }
    }
    let names: Vec<String> = (0..16).map(|bit| format!("a[{bit}]")).collect();
    let text =
        format!(".inputs {0}\n.outputs y\n.names {0} y\n{1} 1\n", names.join(" "), "1".repeat(16));
    assert_eq!(sound(&text).gates().count(), 13);
}

#[test]
fn text_is_cut_as_tools_do() {
    let text = "# first\r\n.model m # the model\r\n.inputs a_0 \\\r\n a_1 \\ \n a_2\r\n.outputs y[0] \\\ny[1]\r\n\
                .names a_0 a_1 \\\n y[0] # and\r\n11 1# both\r\n\r\n.names a_2 y[1]\r\n0 1";
    let netlist = sound(text);
    assert_eq!(widths(&netlist), [("a", 3), ("y", 2)]);
    assert_eq!(table(&netlist), [2, 2, 2, 3, 0, 0, 0, 1]);
}

#[test]
fn names_keep_their_characters() {
    let text = ".model $m\n.inputs in.a[0] \"q\" a#1 $b\\c x[3]\n.outputs <y>\n\
                .names in.a[0] \"q\" a#1 $b\\c x[3] <y>\n11111 1\n.end\n";
    let netlist = sound(text);
    let expected = [("in.a", 1), ("\"q\"", 1), ("a#1", 1), ("$b\\c", 1), ("x[3]", 1), ("<y>", 1)];
    assert_eq!(widths(&netlist), expected);
}

#[test]
fn latches_of_every_type_store_once_a_step() {
    let text = ".inputs clk d\n.outputs q\n.latch d a re clk 1\n.latch a b fe clk 2\n.latch b c ah clk 3\n\
                .latch c e al clk\n.latch e f as clk 0\n.latch f g\n.latch g q 1\n";
    let netlist = sound(text);
    assert_eq!(widths(&netlist), [("d", 1), ("q", 1)]);
    let initial: Vec<bool> = netlist.register_bits().map(|bit| bit.initial).collect();
    assert_eq!(initial, [true, false, false, false, false, false, true]);
    assert_eq!(warnings(text).len(), 5);
    let falling = ".inputs clk d\n.outputs q\n.latch d q fe clk 0\n";
    let warned = "1 latches store at the falling edge; they are taken to store at the rising one; \
                  the first is here";
    assert_eq!(warnings(falling), [warned]);
}

#[test]
fn models_are_flattened_under_the_first() {
    let text = ".model top\n.inputs a_0 a_1 a_2\n.outputs y_0 y_1\n\
                .subckt half a=a_0 b=a_1 s=t c=c0\n.subckt half a=t b=a_2 s=y_0 c=c1\n\
                .names c0 c1 y_1\n1- 1\n-1 1\n.end\n\
                .model half\n.inputs a b\n.outputs s c\n.names a b s\n10 1\n01 1\n.names a b c\n11 1\n.end\n";
    let netlist = sound(text);
    assert_eq!(table(&netlist), [0, 1, 1, 2, 1, 2, 2, 3]);
    let places: Vec<String> =
        netlist.gates().map(|(_, gate)| netlist.hierarchy().path(gate.origin())).collect();
    assert_eq!(places.iter().filter(|place| *place == "half:1,1").count(), 4);
    let options = ReadOptions { file: String::new(), top: Some("half".into()) };
    let half = format::read(text.as_bytes(), Format::Blif, &options).expect("it is sound").netlist;
    assert_eq!(widths(&half), [("a", 1), ("b", 1), ("s", 1), ("c", 1)]);
}

#[test]
fn outputs_may_be_inputs() {
    let netlist = sound(".model m\n.inputs a\n.outputs a y\n.names a y\n1 1\n.end");
    assert_eq!(widths(&netlist), [("a", 1), ("a", 1), ("y", 1)]);
    assert_eq!(netlist.gates().count(), 0);
}

#[test]
fn what_does_not_matter_is_passed_over() {
    let text = ".model m\n.inputs a\n.outputs y\n.default_input_arrival 0 0\n.area 3\n.names a y\n0 1\n.exdc\n.names z\n1\n.end\n";
    assert_eq!(table(&sound(text)), [1, 0]);
    assert_eq!(warnings(text).len(), 3);
}
