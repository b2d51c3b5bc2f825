//! Changes to the cell, decided in windows of it.
//!
//! A window is what follows from some inner wires of the cell: the divider from numerator and
//! denominator, a product from a distance of exponents and a number. It has few enough inputs to be
//! treated as a unit: vectors, SAT, and every input. Which wires to take is read off the composition
//! of the units; if they are the wrong ones, the windows are small and decide little, but what
//! they decide is right all the same.
//!
//! - A change that shows on no output of a window is equivalent in the cell.
//! - One that does is shown by the cell too, if it is given the [right token](super::justification).
//!   Whether it is, is simulated.
//!
//! Distances that have the same exponential need not all be run: to what follows they are one.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use morpho::library::reduce::any;
use morpho::prove::faults::{Campaign, Fate, Window, WindowPort};
use morpho::prove::{Change, CutFinder, Limits, PinKind, Progress, Reason, Vectors};
use morpho::sim::{Program, Simulator};
use morpho::{Builder, Bus, Diagnostics, Fits, Lut, Netlist, Wire};

use super::justification::{Token, Weighing, exponents, quotient, sum};
use super::{Subject, is_open, ports};
use crate::circuit::{FACTOR_WIDTH, Unit, WIDTH};
use crate::fixed::{Model, mul};
use crate::prove::composition::{Operands, Weights, compose_with};
use crate::prove::stimuli::{Numbers, domain};
use crate::spec::WkvSpec;
use crate::verify::Space;

/// Inputs that the changes in a window are simulated on first.
const STIMULI: usize = 1 << 15;

/// Decides the changes to the cell of `spec`, whose campaign it is.
pub fn decide(
    spec: &WkvSpec,
    campaign: &Campaign,
    cell: &Netlist,
    changes: &[Change],
    vectors: &mut Vectors,
    limits: Limits,
    progress: Progress,
) -> Vec<Fate> {
    let start = Instant::now();
    let cancelled = || vec![Fate::Undecided(Reason::Cancelled); changes.len()];
    let Some(first) = campaign.simulate_until(changes, vectors, progress) else {
        return cancelled();
    };
    let open = Fate::Undecided(Reason::Conflicts);
    let fate = |first: Option<usize>| first.map_or(open.clone(), Fate::Detected);
    let fates = first.into_iter().map(fate).collect();
    let mut deciding = Deciding { campaign, changes, vectors, fates, limits, start, progress };
    match deciding.look_everywhere(&Views::new(spec, cell)) {
        Some(()) => deciding.fates,
        None => cancelled(),
    }
}

/// The changes and what is known of them.
struct Deciding<'a> {
    campaign: &'a Campaign<'a>,
    changes: &'a [Change],
    vectors: &'a mut Vectors,
    fates: Vec<Fate>,
    limits: Limits,
    start: Instant,
    progress: Progress<'a>,
}

impl Deciding<'_> {
    /// Decides all that can be decided; `None` if it was broken off.
    fn look_everywhere(&mut self, views: &Views) -> Option<()> {
        for side in &views.sides {
            let distance = views.distance(side);
            self.look(&distance)?;
            self.look(&views.exponents(side))?;
            self.look(&views.sum(side))?;
            self.look(&views.multiplier(side))?;
            self.look(&views.product(side))?;
            self.look(&views.weights(side))?;
            self.look(&views.weight_sum(side))?;
            self.look_from(&distance.window, |distances| views.products(side, distances))?;
        }
        self.look(&views.quotient())?;
        self.look_at_whole()
    }

    /// Decides the open changes that stand in a window.
    fn look(&mut self, view: &View) -> Option<()> {
        let inside = self.open_in(&view.window);
        self.look_at(view, inside)
    }

    /// Decides the open changes that stand in the window of a distance, by a larger view that is
    /// run over the distances on which one of them shows.
    fn look_from<'v>(
        &mut self,
        distance: &Window,
        view: impl FnOnce(BTreeSet<i32>) -> View<'v>,
    ) -> Option<()> {
        let inside = self.open_in(distance);
        let changes: Vec<Change> =
            inside.iter().filter_map(|&index| distance.inner(self.changes[index])).collect();
        let view = view(shown_distances(distance, &changes));
        self.look_at(&view, inside)
    }

    fn look_at(&mut self, view: &View, numbers: Vec<usize>) -> Option<()> {
        let inside = |index: usize| Some((index, view.window.inner(self.changes[index])?));
        let (numbers, inner): (Vec<usize>, Vec<Change>) =
            numbers.into_iter().filter_map(inside).unzip();
        let (fates, tokens) = view.decide(&inner, self.rest(), self.progress);
        for (&index, fate) in std::iter::zip(&numbers, fates) {
            match fate {
                Fate::Undecided(Reason::Cancelled) => return None,
                Fate::Untestable => self.fates[index] = fate,
                _ => (),
            }
        }
        self.try_tokens(numbers, &tokens);
        Some(())
    }

    /// Simulates the cell on `tokens`, of which those are kept that show one of these changes.
    fn try_tokens(&mut self, mut numbers: Vec<usize>, tokens: &[Token]) {
        numbers.retain(|&index| is_open(&self.fates[index]));
        let mut trial = self.vectors.select(&[]);
        tokens.iter().for_each(|token| token.push(&mut trial));
        let first = self.campaign.simulate(&self.changes_of(&numbers), &trial);
        for (&index, first) in std::iter::zip(&numbers, first) {
            if let Some(vector) = first {
                self.vectors.append(&trial.select(&[vector]));
                self.fates[index] = Fate::Detected(self.vectors.len() - 1);
            }
        }
    }

    /// Puts what is left to the SAT solver, in the whole cell.
    fn look_at_whole(&mut self) -> Option<()> {
        let open: Vec<usize> =
            (0..self.fates.len()).filter(|&index| is_open(&self.fates[index])).collect();
        let mut added = self.vectors.select(&[]);
        let changes = self.changes_of(&open);
        let fates = self.campaign.complete(&changes, &mut added, self.rest(), self.progress);
        for (index, fate) in std::iter::zip(open, fates) {
            self.fates[index] = match fate {
                Fate::Detected(vector) => Fate::Detected(self.vectors.len() + vector),
                Fate::Undecided(Reason::Cancelled) => return None,
                fate => fate,
            };
        }
        self.vectors.append(&added);
        Some(())
    }

    fn open_in(&self, window: &Window) -> Vec<usize> {
        let is_inside = |&index: &usize| {
            is_open(&self.fates[index]) && window.inner(self.changes[index]).is_some()
        };
        (0..self.fates.len()).filter(is_inside).collect()
    }

    fn changes_of(&self, numbers: &[usize]) -> Vec<Change> {
        numbers.iter().map(|&index| self.changes[index]).collect()
    }

    fn rest(&self) -> Limits {
        Limits { time: self.limits.time.saturating_sub(self.start.elapsed()), ..self.limits }
    }
}

/// A window, what it can be given, and tokens that give it that.
struct View<'v> {
    window: Window,
    ports: Vec<&'static str>,
    domain: Option<Netlist>,
    /// What it can be given, if it is few enough to be run.
    space: Option<Space>,
    /// Whether the SAT solver is asked before that.
    sat: bool,
    /// Numbers for the ports, to be simulated first.
    stimuli: Vec<Vec<i32>>,
    /// Tokens for the numbers of the ports.
    justify: Justify<'v>,
}

/// For what is simulated and run.
const NO_SAT: Limits = Limits {
    conflicts_per_pair: 0,
    conflicts_per_target: 0,
    exhaustive_bits: 0,
    time: Duration::from_secs(60),
};

type Justify<'v> = Box<dyn Fn(&[i32]) -> Vec<Token> + 'v>;

impl View<'_> {
    /// What becomes of each change in the window, and tokens for those that show.
    fn decide(
        &self,
        changes: &[Change],
        limits: Limits,
        progress: Progress,
    ) -> (Vec<Fate>, Vec<Token>) {
        let netlist = self.window.netlist();
        let mut vectors = Vectors::new(netlist);
        for numbers in &self.stimuli {
            let named = std::iter::zip(self.ports.iter().copied(), numbers.iter().copied());
            vectors.push_numbers(&ports(named));
        }
        let (domain, space) = (self.domain.as_ref(), self.space.as_ref());
        let subject = Subject { netlist, domain, space };
        let limits = if self.sat { limits } else { NO_SAT };
        let fates = subject.decide(changes, &mut vectors, limits, progress);
        let shown: BTreeSet<usize> = fates.iter().filter_map(detecting).collect();
        let tokens = shown.into_iter().flat_map(|vector| {
            let number = |port| vectors.number(vector, PinKind::Port, port).expect("a port");
            let numbers: Vec<i32> = self.ports.iter().map(|port| number(port) as i32).collect();
            (self.justify)(&numbers)
        });
        (fates, tokens.collect())
    }
}

impl View<'_> {
    /// The outputs of the window that have the bits of a number of the stimuli.
    fn outputs(&self, width: usize, number: impl Fn(&[i32]) -> i32) -> Wires {
        let program = Arc::new(Program::compile(self.window.netlist()));
        let stimuli = &self.stimuli[..SHOWING.min(self.stimuli.len())];
        let mut simulator = Simulator::new(Arc::clone(&program), stimuli.len());
        for (index, port) in self.ports.iter().enumerate() {
            let numbers: Vec<i32> = stimuli.iter().map(|numbers| numbers[index]).collect();
            simulator.set(program.input(port).expect("a port"), &numbers);
        }
        simulator.evaluate().expect("a window has no loop");
        let shown: Vec<(Wire, Vec<u8>)> =
            std::iter::zip(self.window.outputs(), self.window.netlist().outputs())
                .map(|(&wire, port)| {
                    (wire, simulator.get(program.output(&port.name).expect("a port")))
                })
                .collect();
        let bit = |bit: usize| {
            let wanted: Vec<u8> =
                stimuli.iter().map(|numbers| (number(numbers) >> bit & 1) as u8).collect();
            let complement: Vec<u8> = wanted.iter().map(|bit| 1 - bit).collect();
            let find = |wanted: &Vec<u8>| {
                shown.iter().find(|(_, shown)| shown == wanted).map(|&(wire, _)| wire)
            };
            let found = find(&wanted).map(|wire| (wire, false));
            found.or_else(|| Some((find(&complement)?, true)))
        };
        (0..width).map(bit).collect()
    }
}

/// Stimuli that tell the outputs of a window apart.
const SHOWING: usize = 1 << 12;

fn detecting(fate: &Fate) -> Option<usize> {
    match fate {
        Fate::Detected(vector) => Some(*vector),
        _ => None,
    }
}

/// The distances at which one of the changes shows in the window of a distance.
fn shown_distances(window: &Window, changes: &[Change]) -> BTreeSet<i32> {
    let netlist = window.netlist();
    let mut all = Vectors::new(netlist);
    (0..1 << WIDTH).for_each(|distance| all.push_numbers(&ports([(DISTANCE, distance)])));
    let campaign = Campaign::new(netlist).expect("a window has no loop");
    campaign.matrix(changes, &all).into_iter().flatten().map(|vector| vector as i32).collect()
}

/// One distance for each exponential, and whatever else of the window of a distance is read.
fn distinct_distances(window: &Window) -> Vec<i32> {
    let program = Arc::new(Program::compile(window.netlist()));
    let mut simulator = Simulator::new(Arc::clone(&program), 1 << WIDTH);
    let distances: Vec<i32> = (0..1 << WIDTH).collect();
    simulator.set(program.input(DISTANCE).expect("a port"), &distances);
    simulator.evaluate().expect("a window has no loop");
    let mut shown: Vec<Vec<bool>> = vec![Vec::new(); distances.len()];
    for port in window.netlist().outputs() {
        let bits: Vec<u8> = simulator.get(program.output(&port.name).expect("a port"));
        std::iter::zip(&mut shown, bits).for_each(|(shown, bit)| shown.push(bit == 1));
    }
    let mut known = BTreeSet::new();
    distances
        .into_iter()
        .filter(|&x| known.insert(std::mem::take(&mut shown[x as usize])))
        .collect()
}

const DISTANCE: &str = "distance";
/// A distance, and above it whether the token's exponent is the larger one.
const WEIGHING: &str = "weighing";
const NUMBER: &str = "number";
const WHOLE: &str = "whole";

/// Wires of the cell, low bit first, and whether they are complements; none where it is not known
/// which.
type Wires = Vec<Option<(Wire, bool)>>;

/// The inner wires of the output or of the update.
struct Side {
    state_exponent: Wires,
    token_exponent: Wires,
    distance: Wires,
    token_leads: Wires,
    whole: Wires,
    other: Wires,
    factor: Wires,
    product: Wires,
}

/// The windows of a cell.
struct Views<'n> {
    cell: &'n Netlist,
    spec: WkvSpec,
    model: Model,
    bb: Wires,
    sides: [Side; 2],
    numerator: Wires,
    denominator: Wires,
}

impl<'n> Views<'n> {
    fn new(spec: &WkvSpec, cell: &'n Netlist) -> Views<'n> {
        let names = Names::of(spec).expect("every spec has its units");
        let finder = CutFinder::new(cell, &names.netlist).expect("a cell has these ports");
        let find =
            |bus: &Bus| -> Wires { bus.wires().iter().map(|&wire| finder.partner(wire)).collect() };
        let side = |side: &[Bus; 6]| {
            let [state_exponent, token_exponent, distance, token_leads, whole, other] =
                side.each_ref().map(find);
            let (factor, product) = (Wires::new(), Wires::new());
            Side {
                state_exponent,
                token_exponent,
                distance,
                token_leads,
                whole,
                other,
                factor,
                product,
            }
        };
        let mut views = Views {
            cell,
            spec: *spec,
            model: Model::new(spec),
            bb: find(&names.bb),
            sides: names.sides.each_ref().map(side),
            numerator: find(&names.numerator),
            denominator: find(&names.denominator),
        };
        let factors = views.sides.each_ref().map(|side| {
            let factor = |numbers: &[i32]| views.model.exp2neg(numbers[0]);
            views.distance(side).outputs(FACTOR_WIDTH, factor)
        });
        let products = views.sides.each_ref().map(|side| {
            let product = |numbers: &[i32]| mul(numbers[1], views.model.exp2neg(numbers[0]));
            views.product(side).outputs(WIDTH, product)
        });
        for (side, (factor, product)) in
            std::iter::zip(&mut views.sides, std::iter::zip(factors, products))
        {
            (side.factor, side.product) = (factor, product);
        }
        views
    }

    fn numbers(&self) -> Numbers {
        Numbers::new(&self.spec)
    }

    fn window(&self, ports: &[(&'static str, &[&Wires])], constants: &[(Wire, bool)]) -> Window {
        let port = |&(name, wires): &(&'static str, &[&Wires])| {
            let width = wires.iter().map(|wires| wires.len()).max().unwrap_or(0);
            let bit = |bit| wires.iter().filter_map(|wires| *wires.get(bit)?).collect();
            WindowPort { name, bits: (0..width).map(bit).collect() }
        };
        Window::new(self.cell, &ports.iter().map(port).collect::<Vec<_>>(), constants)
    }

    fn view<'v>(
        &self,
        window: Window,
        ports: Vec<&'static str>,
        stimulus: impl FnMut() -> Vec<i32>,
        justify: impl Fn(&[i32]) -> Vec<Token> + 'v,
    ) -> View<'v> {
        let stimuli = std::iter::repeat_with(stimulus).take(STIMULI).collect();
        View {
            window,
            ports,
            domain: None,
            space: None,
            sat: true,
            stimuli,
            justify: Box::new(justify),
        }
    }

    /// What follows from a distance: the exponential.
    fn distance(&self, side: &Side) -> View<'_> {
        let window = self.window(&[(DISTANCE, &[&side.distance])], &[]);
        let mut numbers = self.numbers();
        let stimulus = move || vec![numbers.distance()];
        let justify = |numbers: &[i32]| {
            let scaled = [1, -1, 255, -256, 21845, GREATEST, LEAST];
            scaled.into_iter().flat_map(|scaled| self.products_tokens(numbers[0], scaled)).collect()
        };
        let space = Space { inner: (DISTANCE, 0..1 << WIDTH), outer: None };
        View {
            space: Some(space),
            sat: false,
            ..self.view(window, vec![DISTANCE], stimulus, justify)
        }
    }

    /// What follows from a distance and the number that is scaled: the product.
    fn product(&self, side: &Side) -> View<'_> {
        let ports = [(DISTANCE, &[&side.distance][..]), (NUMBER, &[&side.other])];
        let window = self.window(&ports, &[]);
        let mut numbers = self.numbers();
        let stimulus = move || vec![numbers.distance(), numbers.any()];
        let justify = |numbers: &[i32]| {
            Weighing { distance: numbers[0], token_leads: false }
                .product(&self.model, signed(numbers[1]))
        };
        let space = Space {
            inner: (NUMBER, LEAST..GREATEST + 1),
            outer: Some((DISTANCE, distinct_distances(&self.distance(side).window))),
        };
        let view = self.view(window, vec![DISTANCE, NUMBER], stimulus, justify);
        View { space: Some(space), sat: false, ..view }
    }

    /// What follows from an exponential and the number that is scaled: the product.
    fn multiplier(&self, side: &Side) -> View<'_> {
        let window = self.window(&[("e", &[&side.factor]), (NUMBER, &[&side.other])], &[]);
        let mut numbers = self.numbers();
        let stimulus = move || vec![numbers.factor(), numbers.any()];
        let view = self.view(window, vec!["e", NUMBER], stimulus, |_| Vec::new());
        View { domain: domain(Unit::Multiplier), ..view }
    }

    /// What follows from an exponential, what leads, and `bb`: the sum of weights.
    fn weights(&self, side: &Side) -> View<'_> {
        let (bb, sign) = self.bb_and_sign();
        let leads = &side.token_leads;
        let ports = [("e", &[&side.factor][..]), ("leads", &[leads]), (NUMBER, &[&bb])];
        let window = self.window(&ports, &sign);
        let mut numbers = self.numbers();
        let stimulus = move || vec![numbers.factor(), numbers.below(2), numbers.magnitude(15)];
        let view = self.view(window, vec!["e", "leads", NUMBER], stimulus, |_| Vec::new());
        View { domain: domain(Unit::Multiplier), ..view }
    }

    /// What follows from a weighing and `bb`: the sum of weights. The sign of `bb` is 0.
    fn weight_sum(&self, side: &Side) -> View<'_> {
        let (bb, sign) = self.bb_and_sign();
        let weighing = side.weighing();
        let window = self.window(&[(WEIGHING, &[&weighing]), (NUMBER, &[&bb])], &sign);
        let mut numbers = self.numbers();
        let stimulus = move || vec![weighing_bits(&mut numbers), numbers.magnitude(15)];
        let justify =
            |numbers: &[i32]| Weighing::from_bits(numbers[0]).weight_sum(&self.model, numbers[1]);
        let distances = distinct_distances(&self.distance(side).window);
        let space = Space {
            inner: (NUMBER, 0..GREATEST + 1),
            outer: Some((WEIGHING, weighings(distances))),
        };
        let view = self.view(window, vec![WEIGHING, NUMBER], stimulus, justify);
        View { space: Some(space), sat: false, domain: Some(weighing_domain()), ..view }
    }

    /// What follows from a weighing and the number that is scaled, and from the weighing and `bb`
    /// with the same bits: all that follows from a wrong exponential, at these distances.
    fn products(&self, side: &Side, distances: BTreeSet<i32>) -> View<'_> {
        let (bb, sign) = self.bb_and_sign();
        let weighing = side.weighing();
        let window = self.window(&[(WEIGHING, &[&weighing]), (NUMBER, &[&side.other, &bb])], &sign);
        let mut numbers = self.numbers();
        let stimulus = move || vec![weighing_bits(&mut numbers), numbers.any()];
        let justify = |numbers: &[i32]| {
            self.products_tokens(Weighing::from_bits(numbers[0]).distance, signed(numbers[1]))
        };
        let space = Space {
            inner: (NUMBER, LEAST..GREATEST + 1),
            outer: Some((WEIGHING, weighings(distances))),
        };
        let view = self.view(window, vec![WEIGHING, NUMBER], stimulus, justify);
        View { space: Some(space), sat: false, domain: Some(weighing_domain()), ..view }
    }

    /// What follows from the two exponents: the comparison and the exponential.
    fn exponents(&self, side: &Side) -> View<'_> {
        let ports = [("state", &[&side.state_exponent][..]), ("token", &[&side.token_exponent])];
        let window = self.window(&ports, &[]);
        let mut numbers = self.numbers();
        let stimulus = move || numbers.pair().to_vec();
        let justify = |numbers: &[i32]| {
            exponents(&mut self.numbers(), signed(numbers[0]), signed(numbers[1]))
        };
        self.view(window, vec!["state", "token"], stimulus, justify)
    }

    /// What follows from the number that is added whole and the product: the sum.
    fn sum(&self, side: &Side) -> View<'_> {
        let ports = [(WHOLE, &[&side.whole][..]), (NUMBER, &[&side.product])];
        let window = self.window(&ports, &[]);
        let mut numbers = self.numbers();
        let stimulus = move || numbers.pair().to_vec();
        let justify = |numbers: &[i32]| sum(&self.model, signed(numbers[0]), signed(numbers[1]));
        self.view(window, vec![WHOLE, NUMBER], stimulus, justify)
    }

    /// What follows from numerator and denominator.
    fn quotient(&self) -> View<'_> {
        let window = self.window(&[("n", &[&self.numerator]), ("d", &[&self.denominator])], &[]);
        let mut numbers = self.numbers();
        let stimulus = move || numbers.fraction().to_vec();
        let justify = |numbers: &[i32]| quotient(signed(numbers[0]), numbers[1]);
        View {
            domain: domain(Unit::Divider),
            space: Space::of(&self.spec, Unit::Divider),
            ..self.view(window, vec!["n", "d"], stimulus, justify)
        }
    }

    /// `bb` without its sign, and the sign, which is 0.
    fn bb_and_sign(&self) -> (Wires, Vec<(Wire, bool)>) {
        let (sign, bb) = self.bb.split_last().expect("bb has a sign");
        (bb.to_vec(), sign.iter().copied().collect())
    }

    /// Tokens that show a wrong exponential by a product or a sum of weights.
    fn products_tokens(&self, distance: i32, scaled: i32) -> Vec<Token> {
        let ways = [false, true].into_iter().filter(|leads| distance > 0 || !leads);
        ways.flat_map(|token_leads| {
            let weighing = Weighing { distance, token_leads };
            let mut tokens = weighing.product(&self.model, scaled);
            tokens.extend(weighing.weight_sum(&self.model, scaled & GREATEST));
            tokens
        })
        .collect()
    }
}

const LEAST: i32 = -32768;
const GREATEST: i32 = 32767;

fn signed(bits: i32) -> i32 {
    i32::from(bits as i16)
}

impl Side {
    fn weighing(&self) -> Wires {
        self.distance.iter().chain(&self.token_leads).copied().collect()
    }
}

/// Every weighing with one of these distances: equal exponents never lead.
fn weighings(distances: impl IntoIterator<Item = i32>) -> Vec<i32> {
    let both = |distance| [distance, distance | 1 << WIDTH];
    distances.into_iter().flat_map(both).filter(|&bits| bits != 1 << WIDTH).collect()
}

/// A weighing of any kind, as bits.
fn weighing_bits(numbers: &mut Numbers) -> i32 {
    let (distance, leads) = (numbers.distance(), numbers.below(2));
    if distance == 0 { 0 } else { distance | leads << WIDTH }
}

/// The weighings that there are: equal exponents never lead.
fn weighing_domain() -> Netlist {
    let grow = |n: &mut Builder| {
        let weighing = n.input(WEIGHING, WIDTH + 1);
        let (distance, leads) = (weighing.low(WIDTH), weighing.bit(WIDTH)?);
        n.input(NUMBER, WIDTH);
        let differ = any(n, &distance)?;
        let holds = n.lut(Lut::OR_NOT, &[&differ, &leads])?;
        n.output("holds", &holds);
        Ok(())
    };
    Builder::build("domain", grow).expect("the widths are right")
}

/// The composition of the units of a cell, whose inner wires have names.
struct Names {
    netlist: Netlist,
    bb: Bus,
    sides: [[Bus; 6]; 2],
    numerator: Bus,
    denominator: Bus,
}

impl Names {
    fn of(spec: &WkvSpec) -> Result<Names, Diagnostics> {
        let (netlist, (bb, sides, numerator, denominator)) =
            compose_with(spec, "names", |n, operands, step| {
                let Operands { k, v, aa, bb, pp } = operands;
                let update = side(n, &step.f, [&step.ww2, k], [aa, v])?;
                let output = side(n, &step.e, [pp, &step.ww], [aa, v])?;
                let (numerator, denominator) = (step.numerator.clone(), step.denominator.clone());
                Ok((bb.clone(), [update, output], numerator, denominator))
            })?;
        Ok(Names { netlist, bb, sides, numerator, denominator })
    }
}

/// The first wires of a [`Side`], in its order.
fn side(
    n: &mut Builder,
    weights: &Weights,
    [state_exponent, token_exponent]: [&Bus; 2],
    [state, token]: [&Bus; 2],
) -> Fits<[Bus; 6]> {
    let Weights { distance, state_trails, .. } = weights;
    let whole = n.select(state_trails, state, token)?;
    let other = n.select(state_trails, token, state)?;
    Ok([state_exponent, token_exponent, distance, state_trails, &whole, &other].map(Bus::clone))
}
