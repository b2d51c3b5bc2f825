//! Flip-flops that store at a clock edge, with enable and synchronous reset.

use smallvec::SmallVec;

use super::{Cell, Lowered, Outcome, asynchronous, device_flip_flop};
use crate::format::source::{Cone, Cones, Module, Net, Register};
use crate::lut::Lut;

/// A pin and the level at which it acts.
pub(super) type Control = (&'static str, bool);

/// How a flip-flop, or a row of them, stores.
pub(super) struct FlipFlop {
    pub data: &'static str,
    pub output: &'static str,
    pub clock: Option<&'static str>,
    pub falling: bool,
    /// Whether it stores the complement of its data.
    pub inverted: bool,
    /// The pin that lets it store.
    pub enable: Option<Control>,
    /// The pin that makes it store `value` instead.
    pub reset: Option<Control>,
    pub value: Vec<bool>,
    /// Whether the reset waits for the enable.
    pub reset_waits: bool,
    /// A pin that would change it without a clock edge; it must be off for good.
    pub asynchronous: Option<Control>,
    pub initial: Option<bool>,
    /// Pins that make no difference.
    pub passed_over: &'static [&'static str],
}

/// `None` if it is no such cell.
pub(super) fn lower(module: &mut Module, cell: Cell) -> Option<Outcome> {
    let kind = match cell.kind().strip_prefix('$') {
        None => device_flip_flop::of(cell)?,
        Some(word) => match word.strip_prefix('_') {
            Some(gate) => of_gate(gate.strip_suffix('_')?)?,
            None => of_word(word, cell)?,
        },
    };
    Some(kind.lower(module, cell))
}

/// `DFF_P`, `DFFE_PP`, `SDFF_PP0`, `SDFFE_PP0P`, `SDFFCE_PP0P`: the levels of the clock, the
/// reset with its value, and the enable. `FF` has no clock.
fn of_gate(name: &str) -> Option<FlipFlop> {
    if name == "FF" {
        return Some(FlipFlop { clock: None, ..FlipFlop::plain("C") });
    }
    let (kind, letters) = name.split_once('_')?;
    let level = |at: usize| match letters.as_bytes().get(at)? {
        b'P' | b'1' => Some(true),
        b'N' | b'0' => Some(false),
        _ => None,
    };
    let length = match kind {
        "DFF" => 1,
        "DFFE" => 2,
        "SDFF" => 3,
        "SDFFE" | "SDFFCE" => 4,
        _ => return None,
    };
    if letters.len() != length {
        return None;
    }
    let mut flop = FlipFlop { falling: !level(0)?, ..FlipFlop::plain("C") };
    if kind.ends_with('E') {
        flop.enable = Some(("E", level(length - 1)?));
    }
    if kind.starts_with('S') {
        (flop.reset, flop.value) = (Some(("R", level(1)?)), vec![level(2)?]);
    }
    flop.reset_waits = kind == "SDFFCE";
    Some(flop)
}

/// `dff`, `dffe`, `sdff`, `sdffe` and `sdffce`, whose levels are parameters; `ff`.
fn of_word(name: &str, cell: Cell) -> Option<FlipFlop> {
    if name == "ff" {
        return Some(FlipFlop { clock: None, ..FlipFlop::plain("CLK") });
    }
    if !matches!(name, "dff" | "dffe" | "sdff" | "sdffe" | "sdffce") {
        return None;
    }
    let level = |name: &str| cell.flag(name, true);
    let mut flop = FlipFlop { falling: !level("CLK_POLARITY"), ..FlipFlop::plain("CLK") };
    if name.ends_with('e') {
        flop.enable = Some(("EN", level("EN_POLARITY")));
    }
    if name.starts_with('s') {
        flop.reset = Some(("SRST", level("SRST_POLARITY")));
        flop.value = cell.bits("SRST_VALUE").unwrap_or_default();
    }
    flop.reset_waits = name == "sdffce";
    Some(flop)
}

impl FlipFlop {
    /// From `D` to `Q` at the rising edge.
    pub fn plain(clock: &'static str) -> FlipFlop {
        FlipFlop {
            data: "D",
            output: "Q",
            clock: Some(clock),
            falling: false,
            inverted: false,
            enable: None,
            reset: None,
            value: vec![false],
            reset_waits: false,
            asynchronous: None,
            initial: None,
            passed_over: &[],
        }
    }

    fn lower(&self, module: &mut Module, cell: Cell) -> Outcome {
        let position = cell.instance.position;
        let controls = [self.enable, self.reset, self.asynchronous];
        let pins = [Some(self.data), Some(self.output), self.clock].into_iter().flatten();
        let pins = pins.chain(controls.into_iter().flatten().map(|control| control.0));
        let pins: SmallVec<[&str; 8]> = pins.chain(self.passed_over.iter().copied()).collect();
        cell.check_pins(pins.iter().copied())?;
        if let Some((pin, level)) = self.asynchronous
            && cell.input_or(pin, !level)? != Net::constant(!level)
        {
            return Ok(asynchronous(cell.kind()));
        }
        let clock = self.clock.map(|clock| cell.needed(clock)).transpose()?;
        let (data, outputs) = (cell.pin(self.data), cell.pin(self.output));
        if !outputs.is_empty() && data.len() != outputs.len() {
            let (given, wanted) = (data.len(), outputs.len());
            return Err(format!("has {given} bits at its pin `{}` for {wanted}", self.data));
        }
        let mut registers = Vec::new();
        let mut cones = Cones { module, position };
        // An enable that is left open lets it store, and a reset does not reset.
        let level = |cones: &mut Cones, control: Option<Control>, open: bool| match control {
            None => Ok(None),
            Some((name, level)) => {
                let cone = Cone::net(cell.input_or(name, open == level)?);
                let cone = if level { cone } else { cones.apply(Lut::NOT, &[&cone]) };
                Ok::<_, String>(Some(cone))
            }
        };
        let enable = level(&mut cones, self.enable, true)?;
        let reset = level(&mut cones, self.reset, false)?;
        for (at, (&data, &output)) in std::iter::zip(data, outputs).enumerate() {
            let hold = Cone::net(output);
            let value = Cone::constant(self.value.get(at).copied().unwrap_or(false));
            let mut next = Cone::net(data);
            if self.inverted {
                next = cones.apply(Lut::NOT, &[&next]);
            }
            let mut stages = [(&enable, &hold, false), (&reset, &value, true)];
            if self.reset_waits {
                stages.reverse();
            }
            for (pin, other, when_set) in stages {
                let Some(pin) = pin else { continue };
                let (zero, one) = if when_set { (&next, other) } else { (other, &next) };
                next = cones.apply(Lut::MUX, &[pin, zero, one]);
            }
            let next = cones.net(&next);
            registers.push(Register { next, output, initial: false, clock, position });
        }
        Ok(Lowered::Registers { registers, falling: self.falling, initial: self.initial })
    }
}
