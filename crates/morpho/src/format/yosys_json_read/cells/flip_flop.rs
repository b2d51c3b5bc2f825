//! Flip-flops that store at a clock edge, with enable and synchronous reset.

use super::{Added, Body, Cell, Refusal};
use crate::format::source::{Net, multiplexer};

/// What a flip-flop is, bar its data.
struct FlipFlop {
    /// The pin of the clock and whether the rising edge counts; none if the format has no clock.
    clock: Option<(&'static str, bool)>,
    /// The pin, and the value that enables.
    enable: Option<(&'static str, bool)>,
    /// The pin, the value that resets, and what a reset stores.
    reset: Option<(&'static str, bool, Vec<bool>)>,
    /// Whether a reset needs the enable too.
    reset_if_enabled: bool,
    /// The value of bits that nothing gives a first value.
    initial: Option<bool>,
}

/// Adds a flip-flop, of one bit or several.
pub(super) fn add(body: &mut Body, cell: &Cell) -> Added {
    let kind = cell.kind();
    let flip_flop = if let Some(rest) = kind.strip_prefix("SB_DFF") {
        ice40(rest)?
    } else if let Some(rest) = kind.strip_prefix("$_") {
        of_one_bit(rest.strip_suffix('_').ok_or(Refusal::Kind)?)?
    } else {
        of_words(cell, &kind[1..])?
    };
    flip_flop.add(body, cell)
}

impl FlipFlop {
    fn add(self, body: &mut Body, cell: &Cell) -> Added {
        let clock = match self.clock {
            None => None,
            Some((pin, rising)) => {
                body.edge(rising, cell.position);
                Some(cell.input(body, pin)?)
            }
        };
        let (data, outputs) = (cell.inputs(body, "D"), cell.outputs(body, "Q"));
        if data.len() != outputs.len() {
            let (data, outputs) = (data.len(), outputs.len());
            return Err(Refusal::Pin(format!("stores {data} bits and shows {outputs}")));
        }
        let enable = match self.enable {
            None => None,
            Some((pin, polarity)) => Some((cell.input_or(body, pin, true)?, polarity)),
        };
        let reset = match &self.reset {
            None => None,
            Some((pin, polarity, value)) => {
                Some((cell.input_or(body, pin, false)?, *polarity, value))
            }
        };
        let choose = |body: &mut Body, (select, polarity): (Net, bool), zero, one| {
            let both = if polarity { [zero, one] } else { [one, zero] };
            multiplexer(&mut body.module, select, both, cell.position)
        };
        for (at, (data, output)) in std::iter::zip(data, outputs).enumerate() {
            let mut next = data;
            let enabled = |body: &mut Body, next| match enable {
                Some(enable) => choose(body, enable, output, next),
                None => next,
            };
            if !self.reset_if_enabled {
                next = enabled(body, next);
            }
            if let Some((pin, polarity, value)) = &reset {
                next = choose(body, (*pin, *polarity), next, Net::constant(value[at]));
            }
            if self.reset_if_enabled {
                next = enabled(body, next);
            }
            body.register(next, output, clock, self.initial, cell.position);
        }
        Ok(())
    }
}

/// `DFF_P`, `DFFE_PN`, `SDFF_PP0`, `SDFFE_PP1N`, `SDFFCE_PP1N`, `FF`.
fn of_one_bit(name: &str) -> Result<FlipFlop, Refusal> {
    if name == "FF" {
        return Ok(FlipFlop {
            clock: None,
            enable: None,
            reset: None,
            reset_if_enabled: false,
            initial: None,
        });
    }
    let (family, flags) = name.split_once('_').ok_or(Refusal::Kind)?;
    let polarity = |flag: u8| match flag {
        b'P' => Ok(true),
        b'N' => Ok(false),
        _ => Err(Refusal::Kind),
    };
    let value = |flag: u8| match flag {
        b'0' => Ok(vec![false]),
        b'1' => Ok(vec![true]),
        _ => Err(Refusal::Kind),
    };
    let clock = |flag| polarity(flag).map(|rising| Some(("C", rising)));
    let enable = |flag| polarity(flag).map(|high| Some(("E", high)));
    let reset = |flag, bit| Ok(Some(("R", polarity(flag)?, value(bit)?)));
    let plain = |clock, enable, reset| FlipFlop {
        clock,
        enable,
        reset,
        reset_if_enabled: family == "SDFFCE",
        initial: None,
    };
    match (family, flags.as_bytes()) {
        ("DFF", &[c]) => Ok(plain(clock(c)?, None, None)),
        ("DFFE", &[c, e]) => Ok(plain(clock(c)?, enable(e)?, None)),
        ("SDFF", &[c, r, value]) => Ok(plain(clock(c)?, None, reset(r, value)?)),
        ("SDFFE" | "SDFFCE", &[c, r, value, e]) => {
            Ok(plain(clock(c)?, enable(e)?, reset(r, value)?))
        }
        _ => Err(Refusal::Kind),
    }
}

/// `dff`, `dffe`, `sdff`, `sdffe`, `sdffce`, `ff`.
fn of_words(cell: &Cell, name: &str) -> Result<FlipFlop, Refusal> {
    let (has_enable, has_reset) = match name {
        "ff" | "dff" => (false, false),
        "dffe" => (true, false),
        "sdff" => (false, true),
        "sdffe" | "sdffce" => (true, true),
        _ => return Err(Refusal::Kind),
    };
    let clock = (name != "ff").then(|| cell.flag("CLK_POLARITY", true)).transpose()?;
    let enable = has_enable.then(|| cell.flag("EN_POLARITY", true)).transpose()?;
    let reset = match has_reset {
        false => None,
        true => {
            let value = cell.parameter_bits("SRST_VALUE", cell.bits("Q").len())?;
            Some(("SRST", cell.flag("SRST_POLARITY", true)?, value))
        }
    };
    Ok(FlipFlop {
        clock: clock.map(|rising| ("CLK", rising)),
        enable: enable.map(|high| ("EN", high)),
        reset,
        reset_if_enabled: name == "sdffce",
        initial: None,
    })
}

/// What follows `SB_DFF`: `N` for the falling edge, `E` for an enable, `SR` or `SS` for a reset,
/// which the enable gates. They start at 0.
fn ice40(rest: &str) -> Result<FlipFlop, Refusal> {
    let (rising, rest) = match rest.strip_prefix('N') {
        Some(rest) => (false, rest),
        None => (true, rest),
    };
    let (enable, rest) = match rest.strip_prefix('E') {
        Some(rest) => (Some(("E", true)), rest),
        None => (None, rest),
    };
    let reset = match rest {
        "" => None,
        "SR" => Some(("R", true, vec![false])),
        "SS" => Some(("S", true, vec![true])),
        _ => return Err(Refusal::Kind),
    };
    Ok(FlipFlop {
        clock: Some(("C", rising)),
        enable,
        reset,
        reset_if_enabled: true,
        initial: Some(false),
    })
}
