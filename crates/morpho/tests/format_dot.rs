//! Drawings are what they should look like.

mod format_common;

use insta::assert_snapshot;
use morpho::format::dot;
use morpho::{Builder, Bus, Lut, Netlist};

fn drawing(netlist: &Netlist, depth: usize) -> String {
    let mut bytes = Vec::new();
    dot::write(netlist, depth, &mut bytes).expect("writing to memory succeeds");
    String::from_utf8(bytes).expect("a drawing is text")
}

#[test]
fn adder_with_frames_for_its_halves() {
    assert_snapshot!(drawing(&format_common::adder(2), 2), @r#"
    digraph "adder" {
        rankdir=LR;
        node [shape=box];
        i0 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>a</td></tr><tr><td port="0">0</td></tr><tr><td port="1">1</td></tr></table>>];
        i1 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>b</td></tr><tr><td port="0">0</td></tr><tr><td port="1">1</td></tr></table>>];
        i2 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>carry</td></tr></table>>];
        o0 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>sum</td></tr><tr><td port="0">0</td></tr><tr><td port="1">1</td></tr></table>>];
        o1 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>out</td></tr></table>>];
        subgraph cluster_1 {
            label="ripple_adder 2,2,1";
            subgraph cluster_2 {
                label="full_adder 1,1,1";
                n7 [label="xor"];
                n8 [label="majority"];
            }
            subgraph cluster_3 {
                label="full_adder 1,1,1";
                n9 [label="xor"];
                n10 [label="majority"];
            }
        }
        i0:0 -> n7;
        i1:0 -> n7;
        i2 -> n7;
        i0:0 -> n8;
        i1:0 -> n8;
        i2 -> n8;
        i0:1 -> n9;
        i1:1 -> n9;
        n8 -> n9;
        i0:1 -> n10;
        i1:1 -> n10;
        n8 -> n10;
        n7 -> o0:0;
        n9 -> o0:1;
        n10 -> o1;
    }
    "#);
}

#[test]
fn gates_below_the_depth_stand_in_the_innermost_frame() {
    let frames = |depth| drawing(&format_common::adder(8), depth).matches("subgraph").count();
    // A cell that fell back is recorded as the one it fell back to.
    assert_eq!([0, 1, 2, 3, 4, 100].map(frames), [0, 1, 3, 7, 15, 15]);
    let gates = |depth| drawing(&format_common::adder(8), depth).matches("[label=\"").count();
    assert_eq!([0, 1, 2, 100].map(gates), [16; 4]);
}

#[test]
fn arguments_that_cannot_be_exchanged_are_marked() {
    let netlist = Builder::build("choice", |n| {
        let (select, x) = (n.input("select", 1), n.input("x", 2));
        let y = n.select(&select, &x.bit(0)?, &x.bit(1)?)?;
        n.output("y", &y);
        Ok(())
    });
    assert_snapshot!(drawing(&netlist.expect("the circuit is sound"), 0), @r#"
    digraph "choice" {
        rankdir=LR;
        node [shape=box];
        i0 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>select</td></tr></table>>];
        i1 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>x</td></tr><tr><td port="0">0</td></tr><tr><td port="1">1</td></tr></table>>];
        o0 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>y</td></tr></table>>];
        n5 [label="a ? c : b"];
        i0 -> n5 [headlabel=a];
        i1:0 -> n5 [headlabel=b];
        i1:1 -> n5 [headlabel=c];
        n5 -> o0;
    }
    "#);
}

#[test]
fn a_gate_is_labelled_with_its_name_or_formula_or_table() {
    let labels = [
        (Lut::XNOR, "xnor"),
        (Lut::AND_NOT, "a & ~b"),
        (Lut::new(6, 0x9f3c_71e5_22d8_b64a), "Lut(6, 0x9f3c71e522d8b64a)"),
    ];
    for (lut, label) in labels {
        let netlist = Builder::build("gate", |n| {
            let x = n.input("x", lut.arity());
            let arguments: Vec<Bus> = x.wires().iter().map(|&wire| wire.into()).collect();
            let y = n.lut(lut, &arguments.iter().collect::<Vec<_>>())?;
            n.output("y", &y);
            Ok(())
        });
        let text = drawing(&netlist.expect("the circuit is sound"), 0);
        assert!(text.contains(&format!("[label=\"{label}\"]")), "{text}");
    }
}

#[test]
fn registers_and_constants() {
    assert_snapshot!(drawing(&format_common::ties(), 0), @r#"
    digraph "ties" {
        rankdir=LR;
        node [shape=box];
        i0 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>x</td></tr><tr><td port="0">0</td></tr><tr><td port="1">1</td></tr></table>>];
        o0 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>y</td></tr><tr><td port="0">0</td></tr><tr><td port="1">1</td></tr><tr><td port="2">2</td></tr><tr><td port="3">3</td></tr><tr><td port="4">4</td></tr></table>>];
        o1 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>again</td></tr></table>>];
        r0 [shape=plain, label=<<table border="2" cellborder="1" cellspacing="0"><tr><td>held</td></tr></table>>];
        n5 [label="and"];
        i0:0 -> n5;
        i0:1 -> n5;
        i0:1 -> o0:0;
        r0 -> o0:1;
        c0 [label=0, shape=plaintext];
        c0 -> o0:2;
        c1 [label=1, shape=plaintext];
        c1 -> o0:3;
        n5 -> o0:4;
        n5 -> o1;
        c0 -> r0;
    }
    "#);
}

#[test]
fn names_that_need_quoting() {
    let netlist = format_common::named(&["say \"a\\b\"", "two\nlines", "<{x|y}>"], &["y"], &[]);
    assert_snapshot!(drawing(&netlist, 0), @r#"
    digraph "dut" {
        rankdir=LR;
        node [shape=box];
        i0 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>say "a\b"</td></tr></table>>];
        i1 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>two_lines</td></tr></table>>];
        i2 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>&lt;{x|y}&gt;</td></tr></table>>];
        o0 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>y</td></tr></table>>];
        n3 [label="xor"];
        n5 [label="xor"];
        n7 [label="xor"];
        n8 [label="not"];
        c0 [label=0, shape=plaintext];
        c0 -> n3;
        i0 -> n3;
        n3 -> n5;
        i1 -> n5;
        n5 -> n7;
        i2 -> n7;
        n7 -> n8;
        n8 -> o0;
    }
    "#);
}
