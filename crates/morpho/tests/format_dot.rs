//! Drawings are what they should look like.

mod format_common;

use insta::assert_snapshot;
use morpho::format::dot;
use morpho::{Builder, Netlist};

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
        i0 [label="a[1:0]", shape=cds];
        i1 [label="b[1:0]", shape=cds];
        i2 [label="carry", shape=cds];
        o0 [label="sum[1:0]", shape=cds];
        o1 [label="out", shape=cds];
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
        i0 -> n7 [taillabel=0];
        i1 -> n7 [taillabel=0];
        i2 -> n7;
        i0 -> n8 [taillabel=0];
        i1 -> n8 [taillabel=0];
        i2 -> n8;
        i0 -> n9 [taillabel=1];
        i1 -> n9 [taillabel=1];
        n8 -> n9;
        i0 -> n10 [taillabel=1];
        i1 -> n10 [taillabel=1];
        n8 -> n10;
        n7 -> o0 [headlabel=0];
        n9 -> o0 [headlabel=1];
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
    assert_eq!([0, 1, 2, 100].map(gates), [16 + 5; 4]);
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
        i0 [label="select", shape=cds];
        i1 [label="x[1:0]", shape=cds];
        o0 [label="y", shape=cds];
        n5 [label="a ? c : b"];
        i0 -> n5 [headlabel=a];
        i1 -> n5 [taillabel=0, headlabel=b];
        i1 -> n5 [taillabel=1, headlabel=c];
        n5 -> o0;
    }
    "#);
}

#[test]
fn registers_and_constants() {
    assert_snapshot!(drawing(&format_common::ties(), 0), @r#"
    digraph "ties" {
        rankdir=LR;
        node [shape=box];
        i0 [label="x[1:0]", shape=cds];
        o0 [label="y[4:0]", shape=cds];
        o1 [label="again", shape=cds];
        r0 [label="held", peripheries=2];
        n5 [label="and"];
        i0 -> n5 [taillabel=0];
        i0 -> n5 [taillabel=1];
        i0 -> o0 [taillabel=1, headlabel=0];
        r0 -> o0 [headlabel=1];
        c0 [label=0, shape=plaintext];
        c0 -> o0 [headlabel=2];
        c1 [label=1, shape=plaintext];
        c1 -> o0 [headlabel=3];
        n5 -> o0 [headlabel=4];
        n5 -> o1;
        c0 -> r0;
    }
    "#);
}

#[test]
fn names_that_need_quoting() {
    let netlist = format_common::named(&["say \"a\\b\"", "two\nlines"], &["y"], &[]);
    assert_snapshot!(drawing(&netlist, 0), @r#"
    digraph "dut" {
        rankdir=LR;
        node [shape=box];
        i0 [label="say \"a\\b\"", shape=cds];
        i1 [label="two_lines", shape=cds];
        o0 [label="y", shape=cds];
        n3 [label="xor"];
        n5 [label="xor"];
        n6 [label="not"];
        c0 [label=0, shape=plaintext];
        c0 -> n3;
        i0 -> n3;
        n3 -> n5;
        i1 -> n5;
        n5 -> n6;
        n6 -> o0;
    }
    "#);
}
