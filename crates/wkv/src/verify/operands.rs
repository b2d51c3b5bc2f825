//! Units of one or two operands, over all values of one and all or chosen values of the other.

use morpho::Netlist;
use morpho::prove::faults::ANY;
use morpho::sim::{Input, Output, Program, Simulator};
use rayon::prelude::*;
use std::sync::Arc;

use super::raw_numbers::RawNumbers;
use super::{Effort, Method, Progress, Tally};
use crate::circuit::Unit;
use crate::fixed::newton::Newton;
use crate::fixed::{Model, mul};
use crate::spec::WkvSpec;

/// A unit as operands, results and what the model says of them.
struct Operands<'m> {
    /// The port that takes every value there is.
    inner: &'static str,
    /// The values of that port.
    inner_values: std::ops::Range<i32>,
    /// The other port, if there is one.
    outer: Option<&'static str>,
    /// The values that the other port can be given.
    outer_values: std::ops::RangeInclusive<i32>,
    results: Vec<(&'static str, Reference<'m>)>,
}

/// Fills in the expected results for one outer value and many inner ones.
type Reference<'m> = Box<dyn Fn(i32, &[i32], &mut [i32]) + Sync + 'm>;

/// Lanes that run together: a block of the simulator.
const LANES: i32 = 4096;

/// Outer values that one task takes.
const TASK: usize = 256;

/// Outer values of a check that is not exhaustive.
const CHOSEN: usize = 512;

const SIGNED: std::ops::Range<i32> = -32768..32768;

pub(super) fn check<'p>(
    program: Program,
    spec: &WkvSpec,
    unit: Unit,
    effort: Effort,
    progress: Progress<'p>,
) -> (Method, Tally<'p>) {
    let model = Model::new(spec);
    let operands = Operands::of(unit, &model);
    let method = match (effort, operands.outer) {
        (Effort::Exhaustive, _) | (_, None) => Method::Exhaustive,
        (Effort::Vectors, Some(_)) => Method::Vectors,
    };
    let outer = operands.outer_values(method);
    (method, operands.sweep(program, &outer, progress))
}

pub(super) fn exhaustive_cases(unit: Unit) -> Option<u64> {
    let of_outer = match unit {
        Unit::Exp2 | Unit::Reciprocal => 1,
        Unit::SaturatingAdd | Unit::Compare => 1 << 16,
        Unit::Multiplier => (1 << 16) + 1,
        Unit::Divider => 1 << 15,
        Unit::Step
        | Unit::Cell
        | Unit::ProbedCell
        | Unit::Bank(_)
        | Unit::Serial(_)
        | Unit::Shared(_) => {
            return None;
        }
    };
    Some(of_outer << 16)
}

/// The operands of a unit, by the names of its ports.
pub(crate) type Inputs = Vec<(&'static str, i32)>;

/// The inputs that a circuit of one or two ports is run over: every inner value with every outer
/// one.
pub(crate) struct Space {
    /// The port that changes fastest, and its values.
    pub inner: (&'static str, std::ops::Range<i32>),
    /// The other port, if there is one, and its values.
    pub outer: Option<(&'static str, Vec<i32>)>,
}

impl Space {
    /// Every input that `unit` can be given; `None` if there are too many.
    pub fn of(spec: &WkvSpec, unit: Unit) -> Option<Space> {
        exhaustive_cases(unit)?;
        let model = Model::new(spec);
        let operands = Operands::of(unit, &model);
        let outer = operands.outer.map(|name| (name, operands.outer_values.clone().collect()));
        Some(Space { inner: (operands.inner, operands.inner_values), outer })
    }

    /// Runs a [detector](morpho::prove::faults::Campaign::detector) of `changes` changes over these
    /// inputs; for each change, inputs that show it, if any do. `None` if `progress` broke it off.
    pub fn shows(
        &self,
        detector: &Netlist,
        changes: usize,
        progress: morpho::prove::Progress,
    ) -> Option<Vec<Option<Inputs>>> {
        let program = Arc::new(Program::compile(detector));
        let no_outer = [0];
        let outer: &[i32] = self.outer.as_ref().map_or(&no_outer, |(_, values)| values);
        let blocks: Vec<i32> = self.inner.1.clone().step_by(LANES as usize).collect();
        let total = outer.len() as u64 * self.inner.1.len() as u64;
        let mut shown = vec![None; changes];
        let work: Vec<(&[i32], i32)> = outer
            .chunks(TASK)
            .flat_map(|outer| blocks.iter().map(move |&start| (outer, start)))
            .collect();
        // The progress of a proof is told from one thread, so threads meet after each round.
        let round = 2 * rayon::current_num_threads();
        for (number, tasks) in work.chunks(round).enumerate() {
            let cases = (number * round * TASK) as u64 * LANES as u64;
            if progress(cases.min(total), total).is_break() {
                return None;
            }
            let found: Vec<(usize, Inputs)> = tasks
                .par_iter()
                .flat_map_iter(|&(outer, start)| self.shown_in(&program, outer, start, &shown))
                .collect();
            for (change, inputs) in found {
                shown[change].get_or_insert(inputs);
            }
        }
        Some(shown)
    }

    /// The changes without inputs in `shown` that show on a block, each with inputs that show it.
    fn shown_in(
        &self,
        program: &Arc<Program>,
        outer: &[i32],
        start: i32,
        shown: &[Option<Inputs>],
    ) -> Vec<(usize, Inputs)> {
        let inner: Vec<i32> = (start..start + LANES).collect();
        let mut simulator = Simulator::new(Arc::clone(program), inner.len());
        let [lanes] = simulator.blocks_mut() else { unreachable!("the lanes fill one block") };
        lanes.set(input(program, self.inner.0), &inner);
        let outer_port = self.outer.as_ref().map(|&(name, _)| (name, input(program, name)));
        let any = output(program, ANY);
        let mut seen = vec![0u8; inner.len()];
        let mut found = Vec::new();
        let mut open: Vec<usize> =
            (0..shown.len()).filter(|&change| shown[change].is_none()).collect();
        for &value in outer {
            if open.is_empty() {
                break;
            }
            if let Some((_, port)) = outer_port {
                lanes.set_all(port, value);
            }
            lanes.evaluate().expect("the unit has no asynchronous loops");
            lanes.get(any, &mut seen);
            if seen.iter().all(|&seen| seen == 0) {
                continue;
            }
            open.retain(|&change| {
                lanes.get(output(program, &format!("shown{change}")), &mut seen);
                let Some(lane) = seen.iter().position(|&seen| seen == 1) else { return true };
                let outer = outer_port.map(|(name, _)| (name, value));
                found.push((
                    change,
                    [(self.inner.0, inner[lane])].into_iter().chain(outer).collect(),
                ));
                false
            });
        }
        found
    }
}

/// A reference that takes one inner value at a time.
fn each<'m>(result: impl Fn(i32, i32) -> i32 + Sync + 'm) -> Reference<'m> {
    Box::new(move |outer, inner, results| {
        for (result_of, &inner) in std::iter::zip(results, inner) {
            *result_of = result(outer, inner);
        }
    })
}

impl<'m> Operands<'m> {
    fn of(unit: Unit, model: &'m Model) -> Operands<'m> {
        let format = model.spec().format;
        let two = |inner, outer, outer_values, results| Operands {
            inner,
            inner_values: SIGNED,
            outer: Some(outer),
            outer_values,
            results,
        };
        match unit {
            Unit::SaturatingAdd => {
                two("a", "b", -32768..=32767, vec![("y", each(move |b, a| format.saturate(a + b)))])
            }
            Unit::Compare => two(
                "a",
                "b",
                -32768..=32767,
                vec![
                    ("maximum", each(|b, a| a.max(b))),
                    ("distance", each(|b, a| (a - b).abs())),
                    ("less", each(|b, a| (a < b).into())),
                ],
            ),
            Unit::Exp2 => Operands {
                inner: "x",
                inner_values: 0..65536,
                outer: None,
                outer_values: 0..=0,
                results: vec![("y", each(|_, x| model.exp2neg(x)))],
            },
            Unit::Multiplier => two("a", "e", 0..=65536, vec![("y", each(|e, a| mul(a, e)))]),
            Unit::Divider => {
                // A denominator is at most 32767, plus one.
                let quotient = move |d, n| format.saturate(model.div(n, d));
                two("n", "d", 1..=32768, vec![("q", each(quotient))])
            }
            Unit::Reciprocal => {
                let newton = Newton::default();
                let places = newton.clone();
                Operands {
                    inner: "d",
                    inner_values: 0..65536,
                    outer: None,
                    outer_values: 0..=0,
                    results: vec![
                        ("r", each(move |_, d| newton.reciprocal(d as u32).mantissa as i32)),
                        ("place", each(move |_, d| places.reciprocal(d as u32).place as i32)),
                    ],
                }
            }
            other => unreachable!("{other} has more than two operands"),
        }
    }

    fn outer_values(&self, method: Method) -> Vec<i32> {
        if method == Method::Exhaustive {
            return self.outer_values.clone().collect();
        }
        let (least, greatest) = self.outer_values.clone().into_inner();
        let powers = (0..17).flat_map(|bit| [-1, 0, 1].map(|offset| (1 << bit) + offset));
        let signed = powers.flat_map(|magnitude| [magnitude, -magnitude]);
        let corners = signed.chain([least, greatest]);
        let mut random = RawNumbers::new(1);
        let span = (greatest - least + 1) as u64;
        let random = std::iter::repeat_with(|| least + (random.word() % span) as i32);
        let mut values: Vec<i32> = corners.chain(random.take(CHOSEN)).collect();
        values.retain(|value| self.outer_values.contains(value));
        values.sort();
        values.dedup();
        values
    }

    /// Runs every inner value against each of the `outer` values.
    fn sweep<'p>(&self, program: Program, outer: &[i32], progress: Progress<'p>) -> Tally<'p> {
        let total = self.inner_values.len() as u64 * outer.len() as u64;
        let tally = Tally::new(total, progress);
        let program = Arc::new(program);
        let blocks: Vec<i32> = self.inner_values.clone().step_by(LANES as usize).collect();
        let tasks = outer.par_chunks(TASK);
        tasks.for_each(|outer| {
            // A task that starts after the check was broken off does nothing.
            if !tally.applied(0) {
                return;
            }
            for &start in &blocks {
                let cases = (outer.len() * LANES as usize) as u64;
                self.run_block(&program, start, outer, &tally);
                if !tally.applied(cases) {
                    return;
                }
            }
        });
        tally
    }

    fn run_block(&self, program: &Arc<Program>, start: i32, outer: &[i32], tally: &Tally) {
        let inner: Vec<i32> = (start..start + LANES).collect();
        let mut simulator = Simulator::new(Arc::clone(program), inner.len());
        let [lanes] = simulator.blocks_mut() else { unreachable!("the lanes fill one block") };
        let outer_port = self.outer.map(|name| input(program, name));
        let results: Vec<(Output, &str, &Reference)> = self
            .results
            .iter()
            .map(|(name, reference)| (output(program, name), *name, reference))
            .collect();
        lanes.set(input(program, self.inner), &inner);
        let (mut got, mut expected) = (vec![0; inner.len()], vec![0; inner.len()]);
        for &value in outer {
            if let Some(port) = outer_port {
                lanes.set_all(port, value);
            }
            lanes.evaluate().expect("the unit has no asynchronous loops");
            for (port, name, reference) in &results {
                lanes.get(*port, &mut got);
                reference(value, &inner, &mut expected);
                wrap(&mut expected, program.output_width(*port));
                wrap(&mut got, program.output_width(*port));
                let position = (i64::from(value) - i64::from(i32::MIN)) as u64 * 65536;
                let position = position + (start - self.inner_values.start) as u64;
                tally.compare(position, &got, &expected, |case| {
                    let outer = self.outer.map(|name| format!(", {name} = {value}"));
                    let outer = outer.unwrap_or_default();
                    format!("{name} at {} = {}{outer}", self.inner, inner[case])
                });
            }
        }
    }
}

/// Keeps the low `width` bits, so that signed and unsigned readings compare equal.
fn wrap(numbers: &mut [i32], width: usize) {
    let mask = (1 << width) - 1;
    numbers.iter_mut().for_each(|number| *number &= mask);
}

fn input(program: &Program, name: &str) -> Input {
    program.input(name).unwrap_or_else(|| panic!("the circuit has no input `{name}`"))
}

fn output(program: &Program, name: &str) -> Output {
    program.output(name).unwrap_or_else(|| panic!("the circuit has no output `{name}`"))
}
