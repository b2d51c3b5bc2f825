//! Random circuits: registers, loops, cells that do not fit, copies of other circuits.

use morpho::bus::cat;
use morpho::{Builder, Bus, Diagnostics, Fits, Lut, Netlist, Wire, cell, pass};
use proptest::prelude::*;

/// Which of the wires that exist by then; the remainder counts.
type Pick = usize;

/// A circuit as plain numbers.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Input ports: name and width.
    inputs: Vec<(String, usize)>,
    /// Registers: name and initial value.
    registers: Vec<(String, Vec<bool>)>,
    growth: Vec<Growth>,
    /// What closes the cycles through no register, one forward wire each.
    cycles: Vec<Pick>,
    /// The next values of the registers, used in turn.
    next: Vec<Pick>,
    outputs: Vec<(String, Vec<Pick>)>,
    /// The circuit that [`Growth::Copy`] copies.
    part: Option<Box<Recipe>>,
    /// Whether that circuit is optimised first.
    optimise_part: bool,
}

/// What is built next.
#[derive(Clone, Debug)]
enum Growth {
    Gate { arity: usize, table: u64, inputs: [Pick; Lut::MAX_ARITY] },
    Latch { data: Pick, open: Pick },
    Misfit { a: Pick, b: Pick },
    Copy { inputs: [Pick; 4] },
}

/// Whether cycles may cross no register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loops {
    /// None do.
    None,
    /// Only those of latches, which settle.
    Latches,
    /// Any, which may oscillate or settle in more than one way.
    Any,
}

/// Circuits with or without loops, some with copies of others.
pub fn recipes(loops: Loops) -> impl Strategy<Value = Recipe> {
    (flat_recipes(loops), prop::option::of(flat_recipes(loops)), any::<bool>()).prop_map(
        |(recipe, part, optimise_part)| Recipe {
            part: part.map(Box::new),
            optimise_part,
            ..recipe
        },
    )
}

fn flat_recipes(loops: Loops) -> impl Strategy<Value = Recipe> {
    let pick = any::<Pick>;
    let (latches, cycles) = match loops {
        Loops::None => (0, 0),
        Loops::Latches => (1, 0),
        Loops::Any => (1, 3),
    };
    // Narrow gates are the common ones, and what most rules are about.
    let arity =
        prop_oneof![1 => Just(0usize), 4 => Just(1), 8 => Just(2), 8 => Just(3), 2 => 4..=6usize];
    let gate = (arity, any::<u64>(), prop::array::uniform6(pick()))
        .prop_map(|(arity, table, inputs)| Growth::Gate { arity, table, inputs });
    let growth = prop_oneof![
        20 => gate,
        latches => (pick(), pick()).prop_map(|(data, open)| Growth::Latch { data, open }),
        1 => (pick(), pick()).prop_map(|(a, b)| Growth::Misfit { a, b }),
        1 => prop::array::uniform4(pick()).prop_map(|inputs| Growth::Copy { inputs }),
    ];
    let bits = prop::collection::vec(any::<bool>(), 0..4);
    (
        prop::collection::vec((names(), 0..4usize), 0..4),
        prop::collection::vec((names(), bits), 0..4),
        prop::collection::vec(growth, 0..40),
        prop::collection::vec(pick(), 0..=cycles),
        prop::collection::vec(pick(), 12),
        prop::collection::vec((names(), prop::collection::vec(pick(), 0..4)), 1..4),
    )
        .prop_map(|(inputs, registers, growth, cycles, next, outputs)| Recipe {
            inputs: distinct(inputs),
            registers,
            growth,
            cycles,
            next,
            outputs: distinct(outputs),
            part: None,
            optimise_part: false,
        })
}

/// Names of ports and registers, mostly ones that some file format cannot take or that collide.
fn names() -> impl Strategy<Value = String> {
    let known = [
        "x", "x_0", "x[0]", "n5", "y.1", "clk", "wire", "reg", "", " ", "0", "$", "a b", "\\", "#",
        "top", "é", "\"",
    ];
    prop_oneof![3 => prop::sample::select(known.map(String::from).to_vec()), 1 => "\\PC{0,6}"]
}

/// The ports with a number behind every name that is taken: port names must differ.
fn distinct<T>(ports: Vec<(String, T)>) -> Vec<(String, T)> {
    let mut taken: Vec<String> = Vec::new();
    let mut rename = |name: String| {
        let candidates = std::iter::once(name.clone()).chain((0..).map(|i| format!("{name}{i}")));
        let free = candidates.into_iter().find(|name| !taken.contains(name));
        taken.push(free.clone().expect("there are more candidates than names"));
        free.expect("there are more candidates than names")
    };
    ports.into_iter().map(|(name, rest)| (rename(name), rest)).collect()
}

impl Recipe {
    /// The circuit, which must be a sound one.
    pub fn build(&self) -> Netlist {
        self.try_build().unwrap_or_else(|problems| panic!("a sound circuit is refused: {problems}"))
    }

    fn try_build(&self) -> Result<Netlist, Diagnostics> {
        let mut part = self.part.as_ref().map(|part| part.build());
        if let (Some(part), true) = (&mut part, self.optimise_part) {
            pass::optimise(part);
        }
        let part_loops = part.as_ref().is_some_and(|part| !part.loops().is_empty());
        let latched = self.growth.iter().any(|growth| matches!(growth, Growth::Latch { .. }));
        Builder::build("random", |n| {
            if latched || part_loops || !self.cycles.is_empty() {
                n.allow_loops();
            }
            self.grow(n, part.as_ref())
        })
    }

    fn grow(&self, n: &mut Builder, part: Option<&Netlist>) -> Fits<()> {
        let mut wires = cat([Bus::zero(), Bus::one()]);
        for (name, width) in &self.inputs {
            wires = cat([wires, n.input(name, *width)]);
        }
        let mut states = Vec::new();
        for (name, initial) in &self.registers {
            let initial: Bus = initial.iter().map(|&bit| Wire::constant(bit)).collect();
            states.push(n.reg(name, &initial));
        }
        let cycles = n.forward("cycle", self.cycles.len());
        wires = cat([&wires, &cat(&states), &cycles]);
        for growth in &self.growth {
            wires = cat([&wires, &growth.build(n, &wires, part)?]);
        }

        let mut next = self.next.iter().map(|pick| choose(&wires, *pick));
        for state in states {
            n.drive(&state, &cat(next.by_ref().take(state.width())));
        }
        for (cycle, pick) in std::iter::zip(cycles.wires(), &self.cycles) {
            // A gate, for a forward wire may not be tied to itself.
            let value = n.lut(Lut::BUFFER, &[&choose(&wires, *pick)])?;
            n.tie(&Bus::from(*cycle), &value);
        }
        for (name, picks) in &self.outputs {
            n.output(name, &cat(picks.iter().map(|pick| choose(&wires, *pick))));
        }
        Ok(())
    }
}

impl Growth {
    fn build(&self, n: &mut Builder, wires: &Bus, part: Option<&Netlist>) -> Fits<Bus> {
        let chosen = |pick: &Pick| choose(wires, *pick);
        match self {
            Growth::Gate { arity, table, inputs } => {
                let inputs: Vec<Bus> = inputs[..*arity].iter().map(chosen).collect();
                n.lut(Lut::new(*arity, *table), &inputs.iter().collect::<Vec<_>>())
            }
            Growth::Latch { data, open } => latch(n, &chosen(data), &chosen(open)),
            Growth::Misfit { a, b } => {
                let late = n.forward("late", 1);
                let result = misfit(n, &chosen(a), &chosen(b), &late)?;
                Ok(cat([result, late]))
            }
            Growth::Copy { inputs } => {
                let Some(part) = part else { return Ok(Bus::void()) };
                let mut picks = inputs.iter().cycle();
                let mut input = |width| cat(picks.by_ref().take(width).map(chosen));
                let inputs: Vec<Bus> =
                    part.inputs().iter().map(|port| input(port.wires.len())).collect();
                let outputs =
                    n.named("part", |n| n.embed(part, &inputs.iter().collect::<Vec<_>>()))?;
                Ok(cat(outputs))
            }
        }
    }
}

fn choose(wires: &Bus, pick: Pick) -> Bus {
    wires.wires()[pick % wires.width()].into()
}

/// `data` where `open` is set, else what it was when that last was: a loop through no register.
fn latch(n: &mut Builder, data: &Bus, open: &Bus) -> Fits<Bus> {
    let held = n.forward("held", 1);
    let value = n.select(open, &held, data)?;
    n.tie(&held, &value);
    Ok(value)
}

/// Ties `late` to `a` or `b`; gives the exclusive or.
#[cell]
fn tie_late(n: &mut Builder, a: &Bus, b: &Bus, late: &Bus) -> Fits<Bus> {
    let both = n.and(a, b)?;
    n.tie(late, &both);
    n.xor(a, b)
}

/// Never fits one wire, but finds out late, when there is much to take back.
#[cell(fallback = tie_late)]
fn misfit(n: &mut Builder, a: &Bus, b: &Bus, late: &Bus) -> Fits<Bus> {
    let held = n.reg("lost", a);
    let mixed = tie_late(n, &held, b, late)?;
    n.drive(&held, &mixed);
    n.output("lost", &mixed);
    let (low, high) = mixed.split()?;
    n.and(&low, &high)
}
