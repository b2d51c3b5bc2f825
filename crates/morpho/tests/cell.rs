//! Fallback, substitution and what a failed cell leaves behind: nothing.

mod common;

use common::{check, circuit};
use morpho::{Builder, Bus, Diagnostic, Fits, cell};

/// Exclusive or of all wires, by halves.
#[cell(fallback = 0)]
fn parity(n: &mut Builder, x: &Bus) -> Fits<Bus> {
    let (low, high) = x.split()?;
    let (low, high) = (parity(n, &low)?, parity(n, &high)?);
    join(n, &low, &high)
}

#[cell]
fn join(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<Bus> {
    n.xor(a, b)
}

#[cell]
fn either(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<Bus> {
    n.or(a, b)
}

#[cell]
fn both(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<Bus> {
    n.and(a, b)
}

fn parity_of(x: u128) -> u128 {
    u128::from(x.count_ones() & 1)
}

#[test]
fn an_argument_passes_through_where_the_body_does_not_fit() {
    for width in 1..=20 {
        check(&circuit(&[width], |n, i| Ok(vec![parity(n, &i[0])?])), |i| vec![parity_of(i[0])]);
    }
}

#[test]
fn a_substitution_holds_for_all_below_the_call() {
    let circuit = circuit(&[9], |n, i| {
        let any = n.substitute::<Join, Either, _>(|n| parity(n, &i[0]))?;
        Ok(vec![any, parity(n, &i[0])?])
    });
    check(&circuit, |i| vec![u128::from(i[0] != 0), parity_of(i[0])]);
}

#[test]
fn the_innermost_substitution_wins() {
    let circuit = circuit(&[4], |n, i| {
        n.substitute::<Join, Either, _>(|n| {
            let all = n.substitute::<Join, Both, _>(|n| parity(n, &i[0]))?;
            Ok(vec![all, parity(n, &i[0])?])
        })
    });
    check(&circuit, |i| vec![u128::from(i[0] == 15), u128::from(i[0] != 0)]);
}

/// A join with a complement, which uses the join that it stands in for.
#[cell]
fn join_complemented(n: &mut Builder, a: &Bus, b: &Bus) -> Fits<Bus> {
    let joined = join(n, a, b)?;
    n.not(&joined)
}

#[test]
fn a_replacement_may_use_what_it_replaces() {
    let circuit = circuit(&[3], |n, i| {
        Ok(vec![n.substitute::<Join, JoinComplemented, _>(|n| parity(n, &i[0]))?])
    });
    check(&circuit, |i| vec![parity_of(i[0])]);
}

/// Needs three wires, and builds a good deal before it notices.
#[cell(fallback = narrow)]
fn wide(n: &mut Builder, x: &Bus) -> Fits<Bus> {
    let register = n.reg("wide", &Bus::zero());
    n.drive(&register, &x.bit(0)?);
    n.input("extra", 2);
    let y = n.not(x)?;
    n.output("extra", &y);
    let forward = n.forward("wide", 1);
    n.tie(&forward, &register);
    let _three = x.bit(2)?;
    parity(n, &y)
}

#[cell]
fn narrow(n: &mut Builder, x: &Bus) -> Fits<Bus> {
    n.not(x)
}

#[test]
fn a_failed_body_leaves_nothing() {
    let netlist = circuit(&[2], |n, i| Ok(vec![wide(n, &i[0])?]));
    assert_eq!((netlist.inputs().len(), netlist.outputs().len()), (1, 1));
    assert_eq!((netlist.registers().len(), netlist.gates().count()), (0, 2));
    let cells: Vec<&str> = netlist.hierarchy().counts().iter().map(|count| count.cell).collect();
    assert_eq!(cells, ["narrow"]);
    check(&netlist, |i| vec![3 - i[0]]);
}

#[test]
fn a_body_that_fits_stays() {
    let netlist = circuit(&[3], |n, i| Ok(vec![wide(n, &i[0])?]));
    assert_eq!((netlist.inputs().len(), netlist.outputs().len()), (2, 2));
    assert_eq!(netlist.registers().len(), 1);
}

/// Drives a register of its caller and then does not fit.
#[cell(fallback = 0)]
fn drives_and_fails(n: &mut Builder, x: &Bus, register: &Bus) -> Fits<Bus> {
    n.drive(register, x);
    x.bit(99)
}

#[test]
fn a_binding_made_by_a_failed_body_is_taken_back() {
    let netlist = circuit(&[1], |n, i| {
        let register = n.reg("r", &Bus::zero());
        let x = drives_and_fails(n, &i[0], &register)?;
        n.drive(&register, &Bus::one());
        Ok(vec![x])
    });
    assert_eq!(netlist.register_bits().next().expect("one bit").next, morpho::Wire::ONE);
}

#[cell]
fn no_fallback(n: &mut Builder, x: &Bus) -> Fits<Bus> {
    let (low, _) = x.split()?;
    n.not(&low)
}

#[test]
fn a_misfit_without_fallback_names_the_operation() {
    let built = Builder::build("narrow", |n| {
        let x = n.input("x", 1);
        no_fallback(n, &x)?;
        Ok(())
    });
    assert_eq!(
        built.expect_err("it does not fit").to_string(),
        "`split` does not fit a bus of width 1\n  \
         hint: no cell around it has a fallback; give one or use a wider bus"
    );
}

/// Without a fallback of its own, inside one that has one.
#[cell(fallback = 0)]
fn around(n: &mut Builder, x: &Bus) -> Fits<Bus> {
    no_fallback(n, x)
}

#[test]
fn a_misfit_goes_up_to_the_nearest_fallback() {
    let netlist = circuit(&[1], |n, i| Ok(vec![around(n, &i[0])?]));
    check(&netlist, |i| vec![i[0]]);
    assert_eq!(netlist.hierarchy().len(), 1);
}

#[cell(fallback = 0)]
fn refuses(n: &mut Builder, x: &Bus) -> Fits<Bus> {
    match x.width() {
        1 => Err(Diagnostic::new("one wire is wrong").into()),
        _ => {
            let (low, _) = x.split()?;
            refuses(n, &low)
        }
    }
}

#[test]
fn a_refusal_takes_no_fallback_and_says_where() {
    let built = Builder::build("refused", |n| {
        let x = n.input("x", 4);
        refuses(n, &x)?;
        Ok(())
    });
    assert_eq!(
        built.expect_err("it is refused").to_string(),
        "one wire is wrong\n  in refuses:4 > refuses:2 > refuses:1"
    );
}

/// A cell with a number among its arguments.
#[cell]
fn rotated(_n: &mut Builder, x: &Bus, places: usize) -> Fits<Bus> {
    Ok(morpho::bus::cat([x.skip(places), x.low(places)]))
}

#[test]
fn arguments_need_not_be_buses() {
    let netlist = circuit(&[5], |n, i| Ok(vec![rotated(n, &i[0], 2)?]));
    check(&netlist, |i| vec![i[0] >> 2 | (i[0] & 3) << 3]);
    assert_eq!(netlist.hierarchy().counts()[0].widths, [5]);
}
