//! What the builder refuses, in its words, and what it allows.

mod common;

use common::{check, check_clocked, circuit, clocked};
use morpho::library::adder::ripple_adder;
use morpho::library::sequential::sr_latch;
use morpho::{Builder, Bus, Fits, Lut, Netlist, cell};

/// What the builder says about a circuit that it refuses.
fn refusal(grow: impl FnOnce(&mut Builder) -> Fits<()>) -> String {
    Builder::build("refused", grow).expect_err("it is refused").to_string()
}

#[test]
fn a_register_that_is_never_driven() {
    let text = refusal(|n| {
        n.reg("state", &Bus::constant(0, 4));
        Ok(())
    });
    assert_eq!(text, "register `state` is never driven");
}

#[test]
fn a_register_that_is_partly_driven() {
    let text = refusal(|n| {
        let state = n.reg("state", &Bus::constant(0, 4));
        n.drive(&state.low(3), &Bus::constant(0, 3));
        Ok(())
    });
    assert_eq!(text, "register `state` is only partly driven");
}

#[test]
fn a_register_that_is_driven_twice() {
    let text = refusal(|n| {
        let state = n.reg("state", &Bus::constant(0, 2));
        n.drive(&state, &Bus::constant(0, 2));
        n.drive(&state.skip(1), &Bus::one());
        Ok(())
    });
    assert_eq!(text, "register `state[1]` is driven twice");
}

#[test]
fn a_register_driven_by_another_width() {
    let text = refusal(|n| {
        let state = n.reg("state", &Bus::constant(0, 4));
        n.drive(&state, &Bus::constant(0, 5));
        Ok(())
    });
    assert_eq!(
        text,
        "`state` is 4 wires wide and is driven by 5\nregister `state` is never driven"
    );
}

#[test]
fn what_is_not_a_register_cannot_be_driven() {
    let text = refusal(|n| {
        let x = n.input("x", 1);
        let y = n.not(&x)?;
        let forward = n.forward("later", 1);
        n.tie(&forward, &y);
        n.drive(&x, &y);
        n.drive(&y, &x);
        n.drive(&Bus::one(), &x);
        n.drive(&forward, &x);
        Ok(())
    });
    assert_eq!(
        text,
        "`x` cannot be driven: it is no register\n\
         `a gate of the circuit itself` cannot be driven: it is no register\n\
         `constant 1` cannot be driven: it is no register\n\
         `later` cannot be driven: it is no register"
    );
}

#[test]
fn a_register_cannot_be_tied() {
    let text = refusal(|n| {
        let state = n.reg("state", &Bus::zero());
        n.drive(&state, &Bus::zero());
        n.tie(&state, &Bus::zero());
        Ok(())
    });
    assert_eq!(text, "`state` cannot be tied: it is no forward wire");
}

#[test]
fn a_start_that_is_not_constant() {
    let text = refusal(|n| {
        let x = n.input("x", 2);
        let state = n.reg("state", &x);
        n.drive(&state, &x);
        Ok(())
    });
    assert_eq!(text, "the initial value of register `state` is not constant");
}

#[test]
fn forward_wires_that_are_never_tied_or_tied_twice() {
    let text = refusal(|n| {
        n.forward("dangling", 3);
        let twice = n.forward("twice", 1);
        n.tie(&twice, &Bus::zero());
        n.tie(&twice, &Bus::one());
        Ok(())
    });
    assert_eq!(
        text,
        "forward wire `twice[0]` is tied twice\nforward wire `dangling` is never tied"
    );
}

#[test]
fn forward_wires_that_only_lead_to_each_other() {
    let text = refusal(|n| {
        let (a, b) = (n.forward("a", 1), n.forward("b", 1));
        n.tie(&a, &b);
        n.tie(&b, &a);
        Ok(())
    });
    assert_eq!(
        text,
        "forward wire `a[0]` is tied to itself\nforward wire `b[0]` is tied to itself"
    );
}

#[test]
fn two_ports_of_one_name() {
    let text = refusal(|n| {
        let x = n.input("x", 1);
        n.input("x", 2);
        n.output("y", &x);
        n.output("y", &x);
        Ok(())
    });
    assert_eq!(text, "two input ports are named `x`\ntwo output ports are named `y`");
}

#[test]
fn arguments_of_different_widths() {
    let text = refusal(|n| {
        let (a, b) = (n.input("a", 3), n.input("b", 2));
        n.and(&a, &b)?;
        Ok(())
    });
    assert_eq!(
        text,
        "the arguments of Lut(2, 0x8) have widths 3, 2\n  \
         hint: extend the narrower ones, or cut the wider ones"
    );
}

#[test]
fn arguments_of_another_number() {
    let text = refusal(|n| {
        let a = n.input("a", 3);
        n.lut(Lut::AND, &[&a])?;
        Ok(())
    });
    assert_eq!(text, "Lut(2, 0x8) takes 2 arguments and was given 1");
}

#[test]
fn an_empty_argument_does_not_fit() {
    let text = refusal(|n| {
        let a = n.input("a", 3);
        n.and(&a, &Bus::void())?;
        Ok(())
    });
    assert!(text.starts_with("`lut` does not fit a bus of width 0"), "{text}");
}

#[test]
fn one_wire_is_repeated_to_the_widest_argument() {
    let netlist =
        circuit(&[5, 1], |n, i| Ok(vec![n.and(&i[0], &i[1])?, n.select(&i[1], &i[1], &i[0])?]));
    check(&netlist, |i| {
        let all = if i[1] == 1 { i[0] } else { 0 };
        vec![all, all]
    });
}

#[cell]
fn unfinished(n: &mut Builder, x: &Bus) -> Fits<Bus> {
    let state = n.reg("state", &Bus::zero());
    n.drive(&state, &Bus::constant(0, 2));
    Ok(x.clone())
}

#[test]
fn problems_inside_a_cell_say_where() {
    let text = refusal(|n| {
        let x = n.input("x", 4);
        unfinished(n, &x)?;
        Ok(())
    });
    assert_eq!(
        text,
        "`state` is 1 wires wide and is driven by 2\n  in unfinished:4\n\
         register `state` is never driven\n  in unfinished:4"
    );
}

#[test]
fn a_cycle_is_refused_with_its_wires() {
    let text = refusal(|n| {
        let x = n.input("x", 3);
        // Wires declared before and after, so that numbers move when the gates are put in order.
        let other = n.forward("other", 3);
        let ring = n.forward("ring", 1);
        let first = n.and(&ring, &x.bit(0)?)?;
        let second = n.or(&first, &x.bit(1)?)?;
        n.tie(&ring, &second);
        let masked = n.and(&x, &x)?;
        n.tie(&other, &masked);
        n.output("y", &other);
        Ok(())
    });
    assert_eq!(
        text,
        "a cycle of 2 gates crosses no register: `ring[0]`, a gate of the circuit itself\n  \
         hint: put a register on the cycle, or allow asynchronous loops"
    );
}

#[test]
fn every_cycle_is_named_on_its_own() {
    let text = refusal(|n| {
        let x = n.input("x", 2);
        for name in ["left", "right"] {
            let wire = n.forward(name, 1);
            let gate = n.and(&wire, &x.bit(0)?)?;
            n.tie(&wire, &gate);
        }
        Ok(())
    });
    let cycles: Vec<&str> = text.lines().filter(|line| line.starts_with("a cycle")).collect();
    assert_eq!(cycles.len(), 2);
    assert!(text.contains("a cycle of 1 gates crosses no register: `left[0]`"), "{text}");
    assert!(text.contains("a cycle of 1 gates crosses no register: `right[0]`"), "{text}");
}

#[test]
fn a_long_cycle_lists_the_first_wires() {
    let text = refusal(|n| {
        let x = n.input("x", 1);
        let ring = n.forward("ring", 20);
        let next = n.and(&ring, &x)?;
        let (low, high) = next.split()?;
        n.tie(&ring, &morpho::bus::cat([high.skip(1), low, high.low(1)]));
        Ok(())
    });
    assert!(text.contains("a cycle of 20 gates") && text.contains(" and 12 more"), "{text}");
}

#[test]
fn a_cycle_through_a_register_is_fine() {
    let netlist = circuit(&[1], |n, i| {
        let next = n.forward("next", 1);
        let state = n.reg("state", &Bus::zero());
        n.drive(&state, &next);
        let toggled = n.xor(&state, &i[0])?;
        n.tie(&next, &toggled);
        Ok(vec![next])
    });
    assert!(netlist.loops().is_empty());
    let steps = [1, 0, 1, 1].map(|x| vec![vec![x]]);
    let expected = [1, 1, 0, 1].map(|y| vec![vec![y]]);
    check_clocked(&netlist, &steps, &expected);
}

#[test]
fn forward_wires_may_be_used_before_their_value() {
    let netlist = circuit(&[4], |n, i| {
        let sum = n.forward("sum", 4);
        let flipped = n.not(&sum)?;
        let value = ripple_adder(n, &i[0], &Bus::constant(3, 4), &Bus::zero())?.0;
        n.tie(&sum, &value);
        Ok(vec![flipped, sum])
    });
    check(&netlist, |i| vec![!(i[0] + 3) & 15, (i[0] + 3) & 15]);
}

/// Holds its value while `hold` is set, else follows `data`.
fn transparent_latch() -> Netlist {
    circuit(&[1, 1], |n, i| {
        n.allow_loops();
        let held = n.forward("held", 1);
        let value = n.select(&i[1], &i[0], &held)?;
        n.tie(&held, &value);
        Ok(vec![value])
    })
}

#[test]
fn an_allowed_cycle_keeps_its_value_between_steps() {
    let netlist = transparent_latch();
    assert_eq!(netlist.loops().len(), 1);
    let steps: Vec<_> = [(1, 0), (0, 1), (0, 1), (0, 0), (1, 1), (1, 0)]
        .map(|(d, h)| vec![vec![d], vec![h]])
        .into();
    let expected: Vec<_> = [1, 1, 1, 0, 0, 1].map(|y| vec![vec![y]]).into();
    check_clocked(&netlist, &steps, &expected);
}

#[test]
fn a_ring_that_oscillates_is_an_error() {
    let netlist = circuit(&[1], |n, i| {
        n.allow_loops();
        let ring = n.forward("ring", 1);
        let gated = n.lut(Lut::AND.complement(), &[&ring, &i[0]])?;
        n.tie(&ring, &gated);
        Ok(vec![gated])
    });
    assert_eq!(clocked(&netlist, &[vec![vec![0]]]).expect("it is held"), [[[1]]]);
    let error = clocked(&netlist, &[vec![vec![1]]]).expect_err("it oscillates").to_string();
    assert_eq!(error, "an asynchronous loop of 1 gates still changes after 64 rounds");
}

#[test]
fn names_of_registers_are_made_unique_and_scoped() {
    let netlist = circuit(&[1], |n, i| {
        let add = |n: &mut Builder, name: &str| {
            let register = n.reg(name, &Bus::zero());
            n.drive(&register, &i[0]);
        };
        add(n, "r");
        add(n, "r");
        n.named("stage", |n| {
            add(n, "r");
            n.named("inner", |n| add(n, "r"));
        });
        add(n, "r");
        Ok(vec![])
    });
    let names: Vec<&str> = netlist.registers().iter().map(|r| &r.name[..]).collect();
    assert_eq!(names, ["r", "r.1", "stage.r", "stage.inner.r", "r.2"]);
}

/// Adds what comes in to what it holds.
fn accumulator() -> Netlist {
    circuit(&[4], |n, i| {
        let total = n.reg("total", &Bus::constant(5, 4));
        let (sum, _) = ripple_adder(n, &total, &i[0], &Bus::zero())?;
        n.drive(&total, &sum);
        Ok(vec![sum, total])
    })
}

#[test]
fn embedded_circuits_keep_their_registers_and_hierarchy() {
    let part = accumulator();
    let netlist = circuit(&[4, 4], |n, i| {
        let first = n.embed(&part, &[&i[0]])?;
        let second = n.named("second", |n| n.embed(&part, &[&i[1]]))?;
        Ok(vec![first[0].clone(), second[0].clone(), second[1].clone()])
    });
    let names: Vec<&str> = netlist.registers().iter().map(|r| &r.name[..]).collect();
    assert_eq!(names, ["total", "second.total"]);
    let counts = netlist.hierarchy().counts();
    let full_adders = counts.iter().find(|count| count.cell == "full_adder").expect("some");
    assert_eq!(full_adders.count, 8);
    let steps: Vec<_> = [(1, 2), (3, 4), (15, 0)].map(|(a, b)| vec![vec![a], vec![b]]).into();
    let expected: Vec<_> = [(6, 7, 5), (9, 11, 7), (8, 11, 11)]
        .map(|(a, b, c)| vec![vec![a], vec![b], vec![c]])
        .into();
    check_clocked(&netlist, &steps, &expected);
}

#[test]
fn embedded_loops_still_hold() {
    let latch = circuit(&[1, 1], |n, i| {
        n.allow_loops();
        Ok(vec![sr_latch(n, &i[0], &i[1])?.0])
    });
    let netlist = circuit(&[1, 1], |n, i| {
        n.allow_loops();
        let reset = n.not(&i[1])?;
        let stored = n.embed(&latch, &[&i[0], &reset])?;
        Ok(vec![n.not(&stored[0])?])
    });
    assert_eq!(netlist.loops().len(), 1);
    let steps: Vec<_> = [(0, 0), (0, 1), (1, 1), (0, 1), (0, 0), (0, 1)]
        .map(|(set, keep)| vec![vec![set], vec![keep]])
        .into();
    let expected: Vec<_> = [1, 1, 0, 0, 1, 1].map(|y| vec![vec![y]]).into();
    check_clocked(&netlist, &steps, &expected);
}

#[test]
fn embedding_with_other_widths_is_refused() {
    let part = accumulator();
    let text = refusal(|n| {
        let x = n.input("x", 3);
        n.embed(&part, &[&x])?;
        Ok(())
    });
    assert_eq!(text, "`circuit` has inputs of widths [4] and was given [3]");
}
