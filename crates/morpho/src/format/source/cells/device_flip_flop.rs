//! Flip-flops of devices. A reset without a clock edge must be off for good.

use super::Cell;
use super::flip_flop::FlipFlop;

/// `None` if it is no such cell.
pub(super) fn of(cell: Cell) -> Option<FlipFlop> {
    let kind = cell.kind();
    if let Some(letters) = kind.strip_prefix("SB_DFF") {
        return of_ice40(letters);
    }
    if let Some(letters) = kind.strip_prefix("DFF") {
        return of_gowin(letters, cell);
    }
    if kind == "TRELLIS_FF" {
        return Some(of_ecp5(cell));
    }
    of_amd(kind, cell)
}

/// `SB_DFF` and what stands behind that: `N` falling, `E` enable, `SR` and `SS` reset and set, which
/// wait for the enable, `R` and `S` without a clock edge. All start at 0.
fn of_ice40(letters: &str) -> Option<FlipFlop> {
    let falling = letters.strip_prefix('N');
    let letters = falling.unwrap_or(letters);
    let enabled = letters.strip_prefix('E');
    let mut flop = FlipFlop {
        falling: falling.is_some(),
        enable: enabled.map(|_| ("E", true)),
        reset_waits: true,
        initial: Some(false),
        ..FlipFlop::plain("C")
    };
    match enabled.unwrap_or(letters) {
        "" => (),
        "SR" => flop.reset = Some(("R", true)),
        "SS" => (flop.reset, flop.value) = (Some(("S", true)), vec![true]),
        "R" => flop.asynchronous = Some(("R", true)),
        "S" => flop.asynchronous = Some(("S", true)),
        _ => return None,
    }
    Some(flop)
}

/// `DFF` and what stands behind that: `N` falling, `S` set, `R` reset, `P` and `C` the same without a
/// clock edge, `E` enable, for which they do not wait.
fn of_gowin(letters: &str, cell: Cell) -> Option<FlipFlop> {
    let falling = letters.strip_prefix('N');
    let letters = falling.unwrap_or(letters);
    let enabled = letters.strip_suffix('E');
    let letters = enabled.unwrap_or(letters);
    let mut flop = FlipFlop {
        falling: falling.is_some(),
        enable: enabled.map(|_| ("CE", true)),
        ..FlipFlop::plain("CLK")
    };
    match letters {
        "" => (),
        "S" => flop.reset = Some(("SET", true)),
        "R" => flop.reset = Some(("RESET", true)),
        "P" => flop.asynchronous = Some(("PRESET", true)),
        "C" => flop.asynchronous = Some(("CLEAR", true)),
        _ => return None,
    }
    let sets = matches!(letters, "S" | "P");
    flop.value = vec![sets];
    flop.initial = Some(cell.flag("INIT", sets));
    Some(flop)
}

/// The levels of its pins, and the value of its reset, are parameters.
fn of_ecp5(cell: Cell) -> FlipFlop {
    let is = |parameter: &str, text: &str| cell.is_text(parameter, text);
    let enable = cell.text("CEMUX").unwrap_or_else(|| "1".to_string());
    let value = is("REGSET", "SET");
    let reset = ("LSR", !is("LSRMUX", "INV"));
    let waits = is("SRMODE", "ASYNC");
    FlipFlop {
        data: "DI",
        falling: is("CLKMUX", "INV"),
        enable: (enable != "1").then_some(("CE", enable != "INV")),
        reset: (!waits).then_some(reset),
        asynchronous: waits.then_some(reset),
        value: vec![value],
        initial: Some(value),
        passed_over: &["CE", "M"],
        ..FlipFlop::plain("CLK")
    }
}

/// `FDRE` and `FDSE`, whose reset and set do not wait for the enable, `FDCE` and `FDPE`, whose do not
/// wait for the clock; `_1` stores at the falling edge. Pins may be complemented by parameters.
fn of_amd(kind: &str, cell: Cell) -> Option<FlipFlop> {
    let name = kind.strip_suffix("_1");
    let (pin, inverted, sets, waits) = match name.unwrap_or(kind) {
        "FDRE" => ("R", "IS_R_INVERTED", false, true),
        "FDSE" => ("S", "IS_S_INVERTED", true, true),
        "FDCE" => ("CLR", "IS_CLR_INVERTED", false, false),
        "FDPE" => ("PRE", "IS_PRE_INVERTED", true, false),
        _ => return None,
    };
    let control = (pin, !cell.flag(inverted, false));
    Some(FlipFlop {
        falling: name.is_some() != cell.flag("IS_C_INVERTED", false),
        inverted: cell.flag("IS_D_INVERTED", false),
        enable: Some(("CE", true)),
        reset: waits.then_some(control),
        asynchronous: (!waits).then_some(control),
        value: vec![sets],
        initial: Some(cell.flag("INIT", sets)),
        ..FlipFlop::plain("C")
    })
}
