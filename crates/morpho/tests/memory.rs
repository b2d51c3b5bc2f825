//! Memories: what they read and write, in both simulators, through passes and in files.

mod common;
mod format_common;

use common::soundness::{assert_same_behaviour, assert_well_formed, behaviour};
use common::{Random, clocked, optimised};
use format_common::{Scratch, run, tool};
use insta::assert_snapshot;
use morpho::format::{Format, to_string, write};
use morpho::library::adder::ripple_adder;
use morpho::memory::{ReadPort, WritePort};
use morpho::prove::Equivalence;
use morpho::sim::Interpreter;
use morpho::{Builder, Bus, Fits, Netlist};

/// All ports of a memory of four words of three bits at the border, with two read ports.
fn ports() -> Netlist {
    Builder::build("ports", |n| {
        let mut input = |name: &str, width| n.input(name, width);
        let write = WritePort {
            enable: input("write", 1),
            address: input("place", 2),
            data: input("data", 3),
        };
        let reads = [0, 1].map(|index| ReadPort {
            enable: input(&format!("read{index}"), 1),
            address: input(&format!("place{index}"), 2),
        });
        let words = n.memory("words", 3, &[5, 2], &write, &reads)?;
        n.output("y0", &words[0]);
        n.output("y1", &words[1]);
        Ok(())
    })
    .expect("the circuit is sound")
}

/// Histogram of a stream: a word goes up by one each time its address is seen, two clocks later.
fn histogram() -> Netlist {
    Builder::build("dut", |n| {
        let address = n.input("x", 2);
        let delayed = n.reg("delayed", &Bus::constant(0, 2));
        n.drive(&delayed, &address);
        let next = n.forward("next", 4);
        let write = WritePort { enable: Bus::one(), address: delayed, data: next.clone() };
        let read = ReadPort { enable: Bus::one(), address };
        let count = n.memory("counts", 4, &[0, 7], &write, &[read])?.remove(0);
        let (sum, _) = ripple_adder(n, &count, &Bus::constant(0, 4), &Bus::one())?;
        n.tie(&next, &sum);
        n.output("count", &count);
        Ok(())
    })
    .expect("the circuit is sound")
}

#[test]
fn ports_do_what_a_plain_array_does() {
    let netlist = ports();
    assert_well_formed(&netlist);
    let (lanes, steps) = (70, 40);
    let mut random = Random::new(3);
    let widths = [1, 2, 3, 1, 2, 1, 2];
    let inputs: Vec<Vec<Vec<u128>>> = (0..steps)
        .map(|_| widths.map(|w| (0..lanes).map(|_| random.below(1 << w) as u128).collect()).into())
        .collect();
    let shown = clocked(&netlist, &inputs).expect("no loops");
    for lane in 0..lanes {
        let (mut words, mut held) = ([5, 2, 0, 0], [0, 0]);
        for (step, input) in inputs.iter().enumerate() {
            let [write, place, data, read0, place0, read1, place1] =
                [0, 1, 2, 3, 4, 5, 6].map(|port| input[port][lane]);
            assert_eq!([shown[step][0][lane], shown[step][1][lane]], held, "{step} {lane}");
            for (held, (read, place)) in held.iter_mut().zip([(read0, place0), (read1, place1)]) {
                if read == 1 {
                    *held = words[place as usize];
                }
            }
            if write == 1 {
                words[place as usize] = data;
            }
        }
    }
}

#[test]
fn a_read_at_the_edge_of_a_write_gives_the_old_word() {
    let netlist = ports();
    let mut simulator = Interpreter::new(&netlist);
    let numbers = [("write", 1), ("place", 1), ("data", 6), ("read0", 1), ("place0", 1)];
    numbers.iter().for_each(|&(port, number)| simulator.set(port, &[number]));
    for expected in [2, 6] {
        simulator.step().expect("no loops");
        simulator.evaluate().expect("no loops");
        assert_eq!(simulator.get("y0", 1), [expected]);
    }
}

#[test]
fn passes_and_copies_keep_what_a_memory_does() {
    let netlist = histogram();
    assert_well_formed(&netlist);
    let optimised = optimised(&netlist);
    assert_well_formed(&optimised);
    assert_same_behaviour(&netlist, &optimised, "optimise");
    let copy = Builder::build("copy", |n| {
        let x = n.input("x", 2);
        let counts = n.named("inner", |n| n.embed(&netlist, &[&x]))?;
        n.output("count", &counts[0]);
        Ok(())
    })
    .expect("the circuit is sound");
    assert_well_formed(&copy);
    assert_eq!(copy.memories()[0].name, "inner.counts");
    assert_eq!(behaviour(&netlist), behaviour(&copy));
}

#[test]
fn the_simulators_start_again_from_the_initial_words() {
    use morpho::sim::{Program, Simulator};
    let program = Program::compile(&histogram());
    let (x, count) = (program.input("x").unwrap(), program.output("count").unwrap());
    let mut simulator = Simulator::new(program, 2);
    let mut run = || -> Vec<Vec<u8>> {
        simulator.reset();
        simulator.set(x, &[1u8, 2]);
        (0..5).map(|_| simulator.step().map(|()| simulator.get(count)).expect("no loops")).collect()
    };
    let first = run();
    assert_eq!(first[1], [7, 0]);
    assert_eq!(run(), first);
}

#[test]
fn dead_ports_and_memories_go() {
    let mut part = ports();
    assert_eq!(part.memories()[0].reads.len(), 2);
    part = optimised(&part);
    assert_eq!(part.memories()[0].reads.len(), 2);
    let unread = Builder::build("unread", |n| {
        let x = n.input("x", 2);
        let read = ReadPort { enable: Bus::one(), address: x.clone() };
        let write = WritePort::never(2, 1);
        let one = n.memory("half", 1, &[1], &write, &[read.clone(), read.clone()])?;
        n.memory("none", 1, &[1], &write, &[read])?;
        n.output("y", &one[1]);
        Ok(())
    });
    let unread = optimised(&unread.expect("the circuit is sound"));
    assert_well_formed(&unread);
    assert_eq!(unread.memories().len(), 1);
    assert_eq!((&unread.memories()[0].name[..], unread.memories()[0].reads.len()), ("half", 1));
}

fn refusal(width: usize, initial: &[u128], write: &WritePort, read: usize) -> String {
    let grow = |n: &mut Builder| -> Fits<()> {
        let read = ReadPort { enable: Bus::one(), address: Bus::constant(0, read) };
        n.memory("m", width, initial, write, &[read]).map(|_| ())
    };
    Builder::build("refused", grow).expect_err("it is refused").to_string()
}

#[test]
fn what_is_no_memory_is_refused() {
    let write = WritePort::never(2, 3);
    assert_snapshot!(refusal(4, &[], &write, 2), @"memory `m` has words of 4 bits and is given 3");
    assert_snapshot!(refusal(3, &[0; 5], &write, 2), @"memory `m` has 4 words and is given 5");
    assert_snapshot!(refusal(3, &[7, 8], &write, 2), @"memory `m` cannot hold word 1 in 3 bits");
    assert_snapshot!(refusal(3, &[], &write, 1), @r#"
    the arguments of a memory's addresses have widths 2, 1
      hint: extend the narrower ones, or cut the wider ones
    "#);
    assert_snapshot!(refusal(0, &[], &WritePort::never(2, 0), 2), @"memory `m` has words of 0 bits and addresses of 2: a word has 1 to 128 bits, an address up to 24");
}

#[test]
fn provers_and_blif_say_that_they_have_no_memories() {
    let netlist = ports();
    let refused = Equivalence::new(&netlist, &netlist).err().expect("it is refused");
    assert_snapshot!(refused, @"`ports` has the memory `words`; only circuits without memories can be compared");
    let refused = write(&netlist, Format::Blif, Vec::new()).expect_err("it is refused");
    assert_snapshot!(refused, @"BLIF has no memories, and the circuit has `words`");
}

#[test]
fn verilog() {
    assert_snapshot!(to_string(&optimised(&histogram()), Format::Verilog), @r#"
    module dut (
        input wire clk,
        input wire [1:0] x,
        output wire [3:0] count
    );
        reg [1:0] delayed = 2'b00;
        reg [3:0] counts [0:3];
        initial begin
            counts[0] = 4'h0;
            counts[1] = 4'h7;
            counts[2] = 4'h0;
            counts[3] = 4'h0;
        end
        reg [3:0] counts_read;
        wire n10 = ~counts_read[0];
        wire n11 = counts_read[1] ^ counts_read[0];
        wire n12 = counts_read[1] & counts_read[0];
        wire n13 = counts_read[2] ^ n12;
        wire n14 = counts_read[2] & n12;
        wire n15 = counts_read[3] ^ n14;
        assign count[0] = counts_read[0];
        assign count[1] = counts_read[1];
        assign count[2] = counts_read[2];
        assign count[3] = counts_read[3];
        always @(posedge clk) begin
            delayed[0] <= x[0];
            delayed[1] <= x[1];
        end
        always @(posedge clk)
            if (1'b1) counts[{delayed[1], delayed[0]}] <= {n15, n13, n11, n10};
        always @(posedge clk)
            counts_read <= counts[{x[1], x[0]}];
    endmodule
    "#);
}

#[test]
fn drawing() {
    assert_snapshot!(to_string(&ports(), Format::Dot), @r#"
    digraph "ports" {
        rankdir=LR;
        node [shape=box];
        i0 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>write</td></tr></table>>];
        i1 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>place</td></tr><tr><td port="0">0</td></tr><tr><td port="1">1</td></tr></table>>];
        i2 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>data</td></tr><tr><td port="0">0</td></tr><tr><td port="1">1</td></tr><tr><td port="2">2</td></tr></table>>];
        i3 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>read0</td></tr></table>>];
        i4 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>place0</td></tr><tr><td port="0">0</td></tr><tr><td port="1">1</td></tr></table>>];
        i5 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>read1</td></tr></table>>];
        i6 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>place1</td></tr><tr><td port="0">0</td></tr><tr><td port="1">1</td></tr></table>>];
        o0 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>y0</td></tr><tr><td port="0">0</td></tr><tr><td port="1">1</td></tr><tr><td port="2">2</td></tr></table>>];
        o1 [shape=plain, label=<<table style="rounded" cellborder="0" cellspacing="0"><tr><td>y1</td></tr><tr><td port="0">0</td></tr><tr><td port="1">1</td></tr><tr><td port="2">2</td></tr></table>>];
        m0 [shape=plain, label=<<table border="2" cellborder="1" cellspacing="0"><tr><td>words_read</td></tr><tr><td port="0">0</td></tr><tr><td port="1">1</td></tr><tr><td port="2">2</td></tr></table>>];
        m1 [shape=plain, label=<<table border="2" cellborder="1" cellspacing="0"><tr><td>words_read_2</td></tr><tr><td port="0">0</td></tr><tr><td port="1">1</td></tr><tr><td port="2">2</td></tr></table>>];
        m0:0 -> o0:0;
        m0:1 -> o0:1;
        m0:2 -> o0:2;
        m1:0 -> o1:0;
        m1:1 -> o1:1;
        m1:2 -> o1:2;
        i3 -> m0;
        i4:0 -> m0;
        i4:1 -> m0;
        i0 -> m0;
        i1:0 -> m0;
        i1:1 -> m0;
        i2:0 -> m0;
        i2:1 -> m0;
        i2:2 -> m0;
        i5 -> m1;
        i6:0 -> m1;
        i6:1 -> m1;
        i0 -> m1;
        i1:0 -> m1;
        i1:1 -> m1;
        i2:0 -> m1;
        i2:1 -> m1;
        i2:2 -> m1;
    }
    "#);
}

/// The address is put before the first clock edge, for Icarus shows unknown bits before it.
#[test]
fn verilog_means_what_the_netlist_means() {
    let (Some(compiler), Some(runtime)) = (tool(&["iverilog"]), tool(&["vvp"])) else { return };
    let stream = [1, 1, 1, 3, 3, 1, 2, 1, 1, 3];
    let netlist = histogram();
    let mut simulator = Interpreter::new(&netlist);
    let mut expected = Vec::new();
    let mut bench = String::from("module bench; reg clk = 0; reg [1:0] x; wire [3:0] y;\n");
    bench += "dut dut (clk, x, y); initial begin\n";
    for x in stream {
        simulator.set("x", &[x]);
        simulator.step().expect("no loops");
        simulator.evaluate().expect("no loops");
        expected.push(simulator.get("count", 1)[0].to_string());
        bench += &format!("x = {x}; #1 clk = 1; #1 clk = 0; #1 $display(\"%0d\", y);\n");
    }
    let text = to_string(&netlist, Format::Verilog) + &bench + "end endmodule\n";
    let source = Scratch::new("memory.v", &text);
    let program = Scratch::new("memory.vvp", "");
    run(&compiler, &["-g2012", "-o", program.path(), source.path()]);
    assert_eq!(run(&runtime, &[program.path()]).lines().collect::<Vec<_>>(), expected);
}

/// A memory whose word is read and written at once, in a circuit that says it uses no such word.
fn apart() -> Netlist {
    Builder::build("apart", |n| {
        let (read, place) = (n.input("read", 1), n.input("place", 1));
        let write = WritePort {
            enable: n.input("write", 1),
            address: place.clone(),
            data: Bus::constant(1, 2),
        };
        let read = ReadPort { enable: Bus::one(), address: read };
        let words = n.memory_apart("words", 2, &[2, 2], &write, &[read])?;
        n.output("y", &words[0]);
        Ok(())
    })
    .expect("the circuit is sound")
}

#[test]
fn words_that_no_circuit_may_use_are_complements() {
    use morpho::sim::{Program, Simulator};
    let netlist = apart();
    let steps = [([1, 0, 1], 2), ([0, 0, 1], !1 & 3), ([1, 1, 0], 2), ([0, 1, 1], 1)];
    let mut interpreter = Interpreter::new(&netlist);
    let program = Program::compile(&netlist);
    let inputs = ["read", "place", "write"].map(|name| (name, program.input(name).expect(name)));
    let y = program.output("y").expect("y");
    let mut simulator = Simulator::new(program, 1);
    for (numbers, expected) in steps {
        for ((name, port), number) in std::iter::zip(inputs, numbers) {
            interpreter.set(name, &[number]);
            simulator.set(port, &[number as u8]);
        }
        interpreter.step().expect("no loops");
        interpreter.evaluate().expect("no loops");
        simulator.step().expect("no loops");
        simulator.evaluate().expect("no loops");
        assert_eq!(interpreter.get("y", 1), [expected as u128]);
        assert_eq!(simulator.get::<u8>(y), [expected]);
    }
    assert!(to_string(&netlist, Format::Verilog).contains("(* no_rw_check *) reg [1:0] words"));
}
