//! BLIF is what it should look like, and means what the netlist means.

mod format_common;

use std::collections::HashMap;

use format_common::{Scratch, any_netlist, run, simulate, tool};
use insta::assert_snapshot;
use morpho::format::{Format, to_string};
use morpho::{Netlist, pass};
use proptest::prelude::*;

fn blif(netlist: &Netlist) -> String {
    to_string(netlist, Format::Blif)
}

#[test]
fn full_adder() {
    assert_snapshot!(blif(&format_common::adder(1)), @r"
    .model adder
    .inputs a b carry
    .outputs sum out
    .names a b carry sum
    111 1
    100 1
    010 1
    001 1
    .names a b carry out
    11- 1
    1-1 1
    -11 1
    .end
    ");
}

#[test]
fn counter_whose_register_is_named_as_its_output() {
    assert_snapshot!(blif(&format_common::counter()), @r"
    .model counter
    .inputs clk enable
    .outputs count[0] count[1] count[2]
    .latch n6 count_reg[0] re clk 1
    .latch n8 count_reg[1] re clk 0
    .latch n10 count_reg[2] re clk 1
    .names count_reg[0] enable n6
    10 1
    01 1
    .names count_reg[0] enable n7
    11 1
    .names count_reg[1] n7 n8
    10 1
    01 1
    .names count_reg[1] n7 n9
    11 1
    .names count_reg[2] n9 n10
    10 1
    01 1
    .names count_reg[0] count[0]
    1 1
    .names count_reg[1] count[1]
    1 1
    .names count_reg[2] count[2]
    1 1
    .end
    ");
}

#[test]
fn outputs_tied_to_anything() {
    assert_snapshot!(blif(&format_common::ties()), @r"
    .model ties
    .inputs clk x[0] x[1]
    .outputs y[0] y[1] y[2] y[3] y[4] again
    .names zero
    .latch zero held re clk 1
    .names x[0] x[1] y[4]
    11 1
    .names x[1] y[0]
    1 1
    .names held y[1]
    1 1
    .names y[2]
    .names y[3]
    1
    .names y[4] again
    1 1
    .end
    ");
}

#[test]
fn registers_keep_the_positions_of_their_bits() {
    assert_snapshot!(blif(&format_common::lost_bits()), @r"
    .model lost_bits
    .inputs clk x[0] x[1] x[2] x[3]
    .outputs y[0] y[1] y[2]
    .latch x[3] one[3] re clk 1
    .latch x[1] two[1] re clk 1
    .latch x[3] two[3] re clk 0
    .names one[3] y[0]
    1 1
    .names two[1] y[1]
    1 1
    .names two[3] y[2]
    1 1
    .end
    ");
}

#[test]
fn asynchronous_loop() {
    assert_snapshot!(blif(&format_common::latch()), @r"
    .model latch
    .inputs set reset
    .outputs q
    .names set q n4
    00 1
    .names reset n4 q
    00 1
    .end
    ");
}

#[test]
fn empty_circuit() {
    assert_snapshot!(blif(&format_common::empty()), @r"
    .model unnamed
    .end
    ");
}

#[test]
fn names_that_are_illegal_or_taken() {
    let inputs = ["a", "a_0", "a[1]", "n4", "clk", "two words", "two#words", "", "zero", "é"];
    let netlist = format_common::named(&inputs, &["a", "one"], &["a", "core.a", "a_0"]);
    assert_snapshot!(blif(&netlist), @r"
    .model dut
    .inputs clk_2 a a_0[0] a[1][0] n4 clk two_words two_words_2[0] unnamed zero _
    .outputs a_out one
    .names zero_2
    .latch n_21 a_reg re clk_2 1
    .latch n_23 core.a re clk_2 1
    .latch n_25 a_0_reg re clk_2 1
    .names zero_2 a n_3
    10 1
    01 1
    .names n_3 a_0[0] n_5
    10 1
    01 1
    .names n_5 a[1][0] n_7
    10 1
    01 1
    .names n_7 n4 n_9
    10 1
    01 1
    .names n_9 clk n_11
    10 1
    01 1
    .names n_11 two_words n_13
    10 1
    01 1
    .names n_13 two_words_2[0] n_15
    10 1
    01 1
    .names n_15 unnamed n_17
    10 1
    01 1
    .names n_17 zero n_19
    10 1
    01 1
    .names n_19 _ n_21
    10 1
    01 1
    .names n_21 a_reg n_23
    10 1
    01 1
    .names n_23 core.a n_25
    10 1
    01 1
    .names n_25 a_0_reg n_27
    10 1
    01 1
    .names n_27 a_out
    0 1
    .names n_27 one
    0 1
    .end
    ");
}

/// A file read back by a reader that knows only what this test needs.
struct Model {
    inputs: Vec<String>,
    outputs: Vec<String>,
    /// The next value, the output and the initial value.
    latches: Vec<(String, String, bool)>,
    gates: Vec<Gate>,
}

struct Gate {
    inputs: Vec<String>,
    output: String,
    rows: Vec<String>,
}

impl Model {
    fn read(text: &str) -> Model {
        let mut model = Model {
            inputs: Vec::new(),
            outputs: Vec::new(),
            latches: Vec::new(),
            gates: Vec::new(),
        };
        for line in text.replace("\\\n", "").lines() {
            let mut words = line.split_whitespace().map(String::from);
            let command = words.next().expect("no line is empty");
            let mut words: Vec<String> = words.collect();
            match &command[..] {
                ".model" | ".end" => (),
                ".inputs" => model.inputs = words,
                ".outputs" => model.outputs = words,
                ".latch" => {
                    assert_eq!((&words[2][..], &words[3]), ("re", &model.inputs[0]), "{line}");
                    model.latches.push((words[0].clone(), words[1].clone(), words[4] == "1"));
                }
                ".names" => {
                    let output = words.pop().expect("a gate has an output");
                    model.gates.push(Gate { inputs: words, output, rows: Vec::new() });
                }
                row => {
                    let gate = model.gates.last_mut().expect("rows follow a gate");
                    let pattern = if words.is_empty() { "" } else { row };
                    assert_eq!(words.last().map_or(row, |value| value), "1", "{line}");
                    assert_eq!(pattern.len(), gate.inputs.len(), "{line}");
                    gate.rows.push(pattern.to_string());
                }
            }
        }
        if !model.latches.is_empty() {
            model.inputs.remove(0);
        }
        model.check_drivers();
        model
    }

    /// Every name is driven once.
    fn check_drivers(&self) {
        let latches = self.latches.iter().map(|(_, output, _)| output);
        let gates = self.gates.iter().map(|gate| &gate.output);
        let mut drivers: Vec<&String> = self.inputs.iter().chain(latches).chain(gates).collect();
        let count = drivers.len();
        drivers.sort();
        drivers.dedup();
        assert_eq!(drivers.len(), count, "a name is driven twice");
    }

    /// The outputs of one step on 64 lanes; `state` holds what is stored in the latches.
    fn step(&self, inputs: &[u64], state: &mut [u64]) -> Vec<u64> {
        let mut values: HashMap<&str, u64> = HashMap::new();
        values.extend(std::iter::zip(self.inputs.iter().map(|name| &name[..]), inputs.to_vec()));
        for (value, (_, output, _)) in std::iter::zip(&*state, &self.latches) {
            values.insert(output, *value);
        }
        for gate in &self.gates {
            let row = |pattern: &String| {
                let literals = std::iter::zip(pattern.chars(), &gate.inputs);
                literals.fold(u64::MAX, |row, (wanted, input)| match wanted {
                    '1' => row & values[&input[..]],
                    '0' => row & !values[&input[..]],
                    _ => row,
                })
            };
            let value = gate.rows.iter().map(row).fold(0, |sum, row| sum | row);
            values.insert(&gate.output, value);
        }
        for (value, (next, ..)) in std::iter::zip(state, &self.latches) {
            *value = values[&next[..]];
        }
        self.outputs.iter().map(|name| values[&name[..]]).collect()
    }
}

/// The bits of all ports, each as 64 lanes, from the numbers of each port on each lane.
fn transpose(widths: impl Iterator<Item = usize>, numbers: &[Vec<u128>]) -> Vec<u64> {
    let port = |(width, lanes): (usize, &Vec<u128>)| -> Vec<u64> {
        let lane = |bit: usize, lane: usize| ((lanes[lane] >> bit & 1) as u64) << lane;
        (0..width).map(|bit| (0..lanes.len()).map(|index| lane(bit, index)).sum()).collect()
    };
    std::iter::zip(widths, numbers).flat_map(port).collect()
}

fn check_meaning(netlist: &Netlist, seed: u64) {
    let model = Model::read(&blif(netlist));
    let constant = |value: bool| if value { u64::MAX } else { 0 };
    let mut state: Vec<u64> =
        model.latches.iter().map(|(.., initial)| constant(*initial)).collect();
    for [inputs, outputs] in simulate(netlist, 64, 4, seed) {
        let inputs = transpose(netlist.inputs().iter().map(|port| port.wires.len()), &inputs);
        let outputs = transpose(netlist.outputs().iter().map(|port| port.wires.len()), &outputs);
        assert_eq!(model.step(&inputs, &mut state), outputs);
    }
}

proptest! {
    #[test]
    fn means_what_the_netlist_means(netlist in any_netlist(true), seed: u64) {
        check_meaning(&netlist, seed);
    }
}

#[test]
fn long_lists_are_broken() {
    let netlist = format_common::adder(40);
    let text = blif(&netlist);
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    check_meaning(&netlist, 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 50, ..Default::default() })]

    #[test]
    fn abc_finds_the_optimised_circuit_equivalent(netlist in any_netlist(false)) {
        let Some(abc) = tool(&["berkeley-abc", "yosys-abc", "abc"]) else { return Ok(()) };
        prop_assume!(!netlist.outputs().iter().all(|port| port.wires.is_empty()));
        let mut optimised = netlist.clone();
        pass::optimise(&mut optimised);
        let before = Scratch::new("format_blif_before.blif", &blif(&netlist));
        let after = Scratch::new("format_blif_after.blif", &blif(&optimised));
        let report = run(&abc, &["-c", &format!("cec {} {}", before.path(), after.path())]);
        prop_assert!(report.contains("Networks are equivalent"), "{report}\n{}", blif(&netlist));
    }
}

#[test]
fn abc_reads_registers_and_odd_names() {
    let Some(abc) = tool(&["berkeley-abc", "yosys-abc", "abc"]) else { return };
    let inputs = ["a", "a_0", "a[1]", ".end", "x.names", "\"", "*", "(b)"];
    let netlist = format_common::named(&inputs, &["a", ".model"], &["a", "core.a"]);
    let file = Scratch::new("format_blif_names.blif", &blif(&netlist));
    let report = run(&abc, &["-c", &format!("read_blif {}; print_stats", file.path())]);
    assert!(report.contains("i/o =    9/    2  lat =    2"), "{report}");
}
