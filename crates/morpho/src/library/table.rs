//! Every generic cell as a circuit with named ports, beside the figures published for it.

use super::adder::{brent_kung_adder, full_adder, half_adder, ripple_adder, ripple_subtractor};
use super::carry_save::{carry_save_3_2, carry_save_4_2};
use super::compare::{equal, less_than, less_than_signed, maximum_and_distance};
use super::divider::{divider, serial_divider};
use super::growing::{chain, grid, tree, triangle};
use super::multiplier::{wallace, wallace_signed, wallace_signed_unsigned};
use super::mux::mux;
use super::negate::{absolute, conditional_negate, increment, negate};
use super::reduce::{any, any_differs};
use super::saturate::{clamp, clamp_unsigned, saturating_adder};
use super::sequential::{
    counter, delay_line, elementary_automaton, johnson_counter, lfsr, pulse_stretcher,
    serial_adder, sr_latch,
};
use super::shifter::{left_shifter, right_shifter};
use crate::{Builder, Bus, Diagnostic, Diagnostics, Fits, Netlist};

use Parameter::{Number, Width};

/// What one number in the name of a circuit such as `delay_line:8,3` stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// The width of the input port of this name.
    Width(&'static str),
    /// A number that the cell takes.
    Number(&'static str),
}

/// What MorphoHDL's own compiler makes of a cell (Mordvintsev, 2026).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// The numbers in the name of the circuit.
    pub numbers: &'static [usize],
    /// Look-up tables of up to four inputs.
    pub gates: usize,
    /// Register bits.
    pub registers: usize,
    /// Gates on the longest path.
    pub depth: usize,
}

/// A cell that can be built as a circuit of its own.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The name of the cell.
    pub name: &'static str,
    /// What the numbers after the name stand for.
    pub parameters: &'static [Parameter],
    /// Numbers of moderate size, for examples and listings.
    pub example: &'static [usize],
    /// The figures published for it; empty if there are none.
    pub published: &'static [Published],
    grow: Grow,
}

/// Grows a cell from its inputs and numbers; gives its outputs by name.
type Grow = fn(&mut Builder, &[Bus], &[usize]) -> Fits<Vec<(&'static str, Bus)>>;

/// Why there is no such circuit.
#[derive(Debug, thiserror::Error)]
pub enum UnknownCell {
    /// There is no cell of this name.
    #[error("there is no cell `{name}`; the cells are {}", known())]
    Name {
        /// The name that was given.
        name: String,
    },
    /// The cell takes another number of numbers.
    #[error("`{name}` was given {given} numbers; expected `{}`", usage(.name, .parameters))]
    Count {
        /// The name of the cell.
        name: &'static str,
        /// How many numbers were given.
        given: usize,
        /// What it takes.
        parameters: &'static [Parameter],
    },
    /// A width is 0, or a number is too large.
    #[error("`{name}` was given {number} for {parameter}, which is {lowest} to {highest}")]
    Range {
        /// The name of the cell.
        name: &'static str,
        /// What the number stands for.
        parameter: &'static str,
        /// The number that was given.
        number: usize,
        /// The lowest number it may be.
        lowest: usize,
        /// The highest number it may be.
        highest: usize,
    },
    /// The cell refuses these numbers.
    #[error(transparent)]
    Refused(#[from] Diagnostics),
}

impl Parameter {
    /// The name of the port or number.
    pub fn name(self) -> &'static str {
        match self {
            Width(name) | Number(name) => name,
        }
    }

    /// The lowest and highest number that it stands for.
    fn range(self) -> (usize, usize) {
        match self {
            Width(_) => (1, 1 << 10),
            Number("width") => (1, 0xFFFF),
            Number(_) => (0, 0xFFFF),
        }
    }
}

impl Entry {
    /// The circuit for these numbers, not yet optimised; its ports are named as in the table.
    ///
    /// # Errors
    /// If the numbers are too many, too few, out of range, or refused by the cell.
    pub fn build(&self, numbers: &[usize]) -> Result<Netlist, UnknownCell> {
        let Entry { name, parameters, .. } = *self;
        if numbers.len() != parameters.len() {
            return Err(UnknownCell::Count { name, given: numbers.len(), parameters });
        }
        for (parameter, &number) in std::iter::zip(parameters, numbers) {
            let ((lowest, highest), parameter) = (parameter.range(), parameter.name());
            if !(lowest..=highest).contains(&number) {
                return Err(UnknownCell::Range { name, parameter, number, lowest, highest });
            }
        }
        let netlist = Builder::build(name, |n| {
            let (mut inputs, mut plain) = (Vec::new(), Vec::new());
            for (parameter, &number) in std::iter::zip(parameters, numbers) {
                match parameter {
                    Width(port) => inputs.push(n.input(*port, number)),
                    Number(_) => plain.push(number),
                }
            }
            for (port, bus) in (self.grow)(n, &inputs, &plain)? {
                n.output(port, &bus);
            }
            Ok(())
        });
        Ok(netlist?)
    }
}

/// Every generic cell.
pub fn table() -> &'static [Entry] {
    TABLE
}

/// The circuit of the cell `name` for these widths and numbers, not yet optimised.
///
/// # Errors
/// If there is no such cell, or it does not take these numbers.
///
/// ```
/// let adder = morpho::library::build("ripple_adder", &[16, 16, 1])?;
/// assert_eq!(adder.outputs()[0].wires.len(), 16);
/// # Ok::<(), morpho::library::UnknownCell>(())
/// ```
pub fn build(name: &str, numbers: &[usize]) -> Result<Netlist, UnknownCell> {
    match TABLE.iter().find(|entry| entry.name == name) {
        Some(entry) => entry.build(numbers),
        None => Err(UnknownCell::Name { name: name.into() }),
    }
}

fn known() -> String {
    let names: Vec<&str> = TABLE.iter().map(|entry| entry.name).collect();
    names.join(", ")
}

fn usage(name: &str, parameters: &[Parameter]) -> String {
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name()).collect();
    format!("{name}:{}", names.join(","))
}

/// An entry for which nothing was published.
const fn entry(
    name: &'static str,
    parameters: &'static [Parameter],
    example: &'static [usize],
    grow: Grow,
) -> Entry {
    Entry { name, parameters, example, published: &[], grow }
}

const fn published(numbers: &'static [usize], gates: usize, depth: usize) -> Published {
    Published { numbers, gates, registers: 0, depth }
}

const ADDER: &[Parameter] = &[Width("a"), Width("b"), Width("carry")];
const A_B: &[Parameter] = &[Width("a"), Width("b")];

const TABLE: &[Entry] = &[
    entry("half_adder", A_B, &[1, 1], |n, i, _| {
        let (sum, carry) = half_adder(n, &i[0], &i[1])?;
        Ok(vec![("sum", sum), ("carry_out", carry)])
    }),
    entry("full_adder", ADDER, &[1, 1, 1], |n, i, _| {
        let (sum, carry) = full_adder(n, &i[0], &i[1], &i[2])?;
        Ok(vec![("sum", sum), ("carry_out", carry)])
    }),
    Entry {
        published: &[published(&[16, 16, 1], 32, 16)],
        ..entry("ripple_adder", ADDER, &[16, 16, 1], |n, i, _| {
            let (sum, carry) = ripple_adder(n, &i[0], &i[1], &i[2])?;
            Ok(vec![("sum", sum), ("carry_out", carry)])
        })
    },
    Entry {
        published: &[published(&[16, 16, 1], 94, 9), published(&[32, 32, 1], 190, 11)],
        ..entry("brent_kung_adder", ADDER, &[16, 16, 1], |n, i, _| {
            let (sum, carry) = brent_kung_adder(n, &i[0], &i[1], &i[2])?;
            Ok(vec![("sum", sum), ("carry_out", carry)])
        })
    },
    entry(
        "ripple_subtractor",
        &[Width("a"), Width("b"), Width("borrow")],
        &[16, 16, 1],
        |n, i, _| {
            let (difference, borrow) = ripple_subtractor(n, &i[0], &i[1], &i[2])?;
            Ok(vec![("difference", difference), ("borrow_out", borrow)])
        },
    ),
    entry("carry_save_3_2", &[Width("a"), Width("b"), Width("c")], &[16, 16, 16], |n, i, _| {
        let (sum, carry) = carry_save_3_2(n, &i[0], &i[1], &i[2])?;
        Ok(vec![("sum", sum), ("carry", carry)])
    }),
    entry(
        "carry_save_4_2",
        &[Width("a"), Width("b"), Width("c"), Width("d")],
        &[16, 16, 16, 16],
        |n, i, _| {
            let (sum, carry) = carry_save_4_2(n, &i[0], &i[1], &i[2], &i[3])?;
            Ok(vec![("sum", sum), ("carry", carry)])
        },
    ),
    Entry {
        published: &[
            published(&[8, 8], 215, 12),
            published(&[16, 16], 872, 17),
            published(&[17, 16], 961, 19),
        ],
        ..entry("wallace", A_B, &[16, 16], |n, i, _| {
            Ok(vec![("product", wallace(n, &i[0], &i[1])?)])
        })
    },
    entry("wallace_signed", A_B, &[16, 16], |n, i, _| {
        Ok(vec![("product", wallace_signed(n, &i[0], &i[1])?)])
    }),
    entry("wallace_signed_unsigned", A_B, &[16, 17], |n, i, _| {
        Ok(vec![("product", wallace_signed_unsigned(n, &i[0], &i[1])?)])
    }),
    Entry {
        published: &[published(&[32, 5], 31, 5)],
        ..entry("mux", &[Width("data"), Width("select")], &[32, 5], |n, i, _| {
            Ok(vec![("word", mux(n, &i[0], &i[1])?)])
        })
    },
    Entry {
        published: &[published(&[17, 4, 1], 68, 4)],
        ..entry("right_shifter", SHIFTER, &[17, 4, 1], |n, i, _| {
            Ok(vec![("shifted", right_shifter(n, &i[0], &i[1], &i[2])?)])
        })
    },
    entry("left_shifter", SHIFTER, &[17, 4, 1], |n, i, _| {
        Ok(vec![("shifted", left_shifter(n, &i[0], &i[1], &i[2])?)])
    }),
    entry("equal", A_B, &[16, 16], |n, i, _| Ok(vec![("equal", equal(n, &i[0], &i[1])?)])),
    entry("less_than", A_B, &[16, 16], |n, i, _| Ok(vec![("less", less_than(n, &i[0], &i[1])?)])),
    entry("less_than_signed", A_B, &[16, 16], |n, i, _| {
        Ok(vec![("less", less_than_signed(n, &i[0], &i[1])?)])
    }),
    Entry {
        published: &[published(&[16, 16], 114, 20)],
        ..entry("maximum_and_distance", A_B, &[16, 16], |n, i, _| {
            let (maximum, distance, less) = maximum_and_distance(n, &i[0], &i[1])?;
            Ok(vec![("maximum", maximum), ("distance", distance), ("less", less)])
        })
    },
    Entry {
        published: &[published(&[16, 16], 52, 19)],
        ..entry("saturating_adder", A_B, &[16, 16], |n, i, _| {
            let (sum, overflow) = saturating_adder(n, &i[0], &i[1])?;
            Ok(vec![("sum", sum), ("overflow", overflow)])
        })
    },
    entry("clamp", &[Width("value"), Number("width")], &[32, 16], |n, i, p| {
        Ok(vec![("clamped", clamp(n, &i[0], p[0])?)])
    }),
    entry("clamp_unsigned", &[Width("value"), Number("width")], &[32, 16], |n, i, p| {
        Ok(vec![("clamped", clamp_unsigned(n, &i[0], p[0])?)])
    }),
    entry("negate", &[Width("a")], &[16], |n, i, _| Ok(vec![("negative", negate(n, &i[0])?)])),
    entry("absolute", &[Width("a")], &[16], |n, i, _| Ok(vec![("magnitude", absolute(n, &i[0])?)])),
    entry("conditional_negate", &[Width("a"), Width("negative")], &[16, 1], |n, i, _| {
        Ok(vec![("result", conditional_negate(n, &i[0], &i[1])?)])
    }),
    entry("increment", &[Width("a"), Width("carry")], &[16, 1], |n, i, _| {
        let (sum, carry) = increment(n, &i[0], &i[1])?;
        Ok(vec![("sum", sum), ("carry_out", carry)])
    }),
    entry("any", &[Width("bits")], &[16], |n, i, _| Ok(vec![("any", any(n, &i[0])?)])),
    entry("any_differs", &[Width("bits")], &[16], |n, i, _| {
        Ok(vec![("differs", any_differs(n, &i[0])?)])
    }),
    Entry {
        published: &[published(&[16, 8], 527, 145), published(&[24, 16], 1559, 409)],
        ..entry("divider", &[Width("dividend"), Width("divisor")], &[16, 8], |n, i, _| {
            let (quotient, remainder) = divider(n, &i[0], &i[1])?;
            Ok(vec![("quotient", quotient), ("remainder", remainder)])
        })
    },
    Entry {
        published: &[Published { numbers: &[1, 8], gates: 33, registers: 8, depth: 10 }],
        ..entry("serial_divider", &[Width("digit"), Width("divisor")], &[1, 8], |n, i, _| {
            Ok(vec![("quotient", serial_divider(n, &i[0], &i[1])?.0)])
        })
    },
    entry("serial_adder", A_B, &[1, 1], |n, i, _| {
        Ok(vec![("sum", serial_adder(n, &i[0], &i[1])?)])
    }),
    entry("counter", &[Width("enable"), Number("width")], &[1, 8], |n, i, p| {
        Ok(vec![("count", counter(n, &i[0], p[0])?)])
    }),
    entry("delay_line", &[Width("data"), Number("length")], &[8, 4], |n, i, p| {
        Ok(vec![("delayed", delay_line(n, &i[0], p[0])?)])
    }),
    entry("johnson_counter", &[Number("width")], &[8], |n, _, p| {
        Ok(vec![("ring", johnson_counter(n, p[0])?)])
    }),
    entry("lfsr", &[Number("width"), Number("taps")], &[8, 0xB8], |n, _, p| {
        Ok(vec![("state", lfsr(n, &Bus::constant(1, p[0]), p[1] as u64)?)])
    }),
    entry("pulse_stretcher", &[Width("trigger"), Number("length")], &[1, 10], |n, i, p| {
        Ok(vec![("stretched", pulse_stretcher(n, &i[0], p[0] as u64)?)])
    }),
    entry("elementary_automaton", &[Number("width"), Number("rule")], &[32, 30], |n, _, p| {
        let rule = u8::try_from(p[1]).map_err(|_| Diagnostic::new("a rule is 0 to 255"))?;
        Ok(vec![("cells", elementary_automaton(n, &Bus::constant(1, p[0]), rule)?)])
    }),
    entry("sr_latch", &[Width("set"), Width("reset")], &[1, 1], |n, i, _| {
        n.allow_loops();
        let (stored, complement) = sr_latch(n, &i[0], &i[1])?;
        Ok(vec![("stored", stored), ("complement", complement)])
    }),
    entry("chain", &[Width("x"), Width("first")], &[16, 1], |n, i, _| {
        let (x, last) = chain(n, &i[0], &i[1])?;
        Ok(vec![("result", x), ("last", last)])
    }),
    entry("tree", &[Width("x")], &[16], |n, i, _| Ok(vec![("result", tree(n, &i[0])?)])),
    entry("grid", &[Width("x"), Width("y")], &[8, 8], |n, i, _| {
        let (x, y) = grid(n, &i[0], &i[1])?;
        Ok(vec![("x_far", x), ("y_far", y)])
    }),
    entry("triangle", &[Width("x")], &[8], |n, i, _| Ok(vec![("sorted", triangle(n, &i[0])?)])),
];

const SHIFTER: &[Parameter] = &[Width("data"), Width("amount"), Width("fill")];
