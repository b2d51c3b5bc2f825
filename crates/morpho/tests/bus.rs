//! Taking buses apart and putting them together.

use morpho::bus::cat;
use morpho::{Builder, Bus, Misfit};

/// A bus of distinct wires.
fn bus(width: usize) -> Bus {
    Builder::new("bus").input("x", width)
}

/// The positions in `whole` of the wires of `part`.
fn places(whole: &Bus, part: &Bus) -> Vec<usize> {
    let place = |wire| whole.wires().iter().position(|other| other == wire).expect("of this bus");
    part.wires().iter().map(place).collect()
}

fn misfit<T>(result: Result<T, Misfit>) -> (&'static str, usize) {
    match result {
        Err(Misfit::DoesNotFit { operation, width }) => (operation, width),
        Err(Misfit::Refused(diagnostic)) => panic!("refused: {diagnostic}"),
        Ok(_) => panic!("it fits"),
    }
}

#[test]
fn split_gives_the_lower_half_the_floor() {
    for width in 2..=65 {
        let x = bus(width);
        let (low, high) = x.split().expect("two wires split");
        assert_eq!(places(&x, &low), (0..width / 2).collect::<Vec<_>>());
        assert_eq!(places(&x, &high), (width / 2..width).collect::<Vec<_>>());
    }
    assert_eq!(misfit(bus(1).split()), ("split", 1));
    assert_eq!(misfit(bus(0).split()), ("split", 0));
}

#[test]
fn lslice_and_hslice_cut_as_much_as_the_reference_has() {
    let x = bus(7);
    let (low, rest) = x.lslice(&bus(3)).expect("it fits");
    assert_eq!((places(&x, &low), places(&x, &rest)), (vec![0, 1, 2], vec![3, 4, 5, 6]));
    let (rest, high) = x.hslice(&bus(3)).expect("it fits");
    assert_eq!((places(&x, &rest), places(&x, &high)), (vec![0, 1, 2, 3], vec![4, 5, 6]));
    let (all, none) = x.lslice(&bus(7)).expect("it fits");
    assert_eq!((all, none), (x.clone(), Bus::void()));
    assert_eq!(misfit(x.lslice(&bus(8))), ("lslice", 7));
    assert_eq!(misfit(x.hslice(&bus(8))), ("hslice", 7));
}

#[test]
fn repeat_copies_each_wire_in_place() {
    let x = bus(2);
    assert_eq!(places(&x, &x.repeat(&bus(3))), [0, 0, 0, 1, 1, 1]);
    assert_eq!(x.repeat(&Bus::void()), Bus::void());
}

#[test]
fn single_wires_must_exist_and_slices_clip() {
    let x = bus(4);
    assert_eq!(places(&x, &x.bit(3).expect("it exists")), [3]);
    assert_eq!(misfit(x.bit(4)), ("bit", 4));
    assert_eq!(places(&x, &x.high_bit().expect("it exists")), [3]);
    assert_eq!(misfit(Bus::void().high_bit()), ("high_bit", 0));
    assert_eq!(places(&x, &x.slice(1..9)), [1, 2, 3]);
    assert_eq!(x.slice(9..12), Bus::void());
    assert_eq!(places(&x, &x.low(2)), [0, 1]);
    assert_eq!(places(&x, &x.skip(3)), [3]);
    assert_eq!(x.skip(5), Bus::void());
    assert_eq!(places(&x, &x.reversed()), [3, 2, 1, 0]);
}

#[test]
fn cat_puts_the_first_bus_lowest() {
    let x = bus(5);
    let (low, high) = x.split().expect("it splits");
    assert_eq!(cat([&low, &high]), x);
    assert_eq!(places(&x, &cat([high, low])), [2, 3, 4, 0, 1]);
    assert_eq!(cat::<Bus>([]), Bus::void());
}

#[test]
fn extension_and_cutting() {
    let x = bus(3);
    assert_eq!(x.zero_extend(5), cat([&x, &Bus::constant(0, 2)]));
    assert_eq!(places(&x, &x.sign_extend(5)), [0, 1, 2, 2, 2]);
    assert_eq!(places(&x, &x.zero_extend(2)), [0, 1]);
    assert_eq!(Bus::void().sign_extend(2), Bus::constant(0, 2));
}

#[test]
fn constants_are_low_bit_first() {
    let values = |bus: Bus| -> Vec<bool> {
        bus.wires().iter().map(|wire| wire.as_constant().expect("constant")).collect()
    };
    assert_eq!(values(Bus::constant(0b1101, 4)), [true, false, true, true]);
    assert_eq!(values(Bus::constant(0b1101, 2)), [true, false]);
    assert_eq!(values(Bus::constant(1, 70))[64..], [false; 6]);
    assert_eq!((values(Bus::zero()), values(Bus::one())), (vec![false], vec![true]));
}
