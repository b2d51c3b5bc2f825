//! Accounting: saturations, underflows, and the error of one arithmetic against another.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

/// Declares a struct of counters, all `u64`, that add field by field.
macro_rules! counters {
    ($(#[$about:meta])* $name:ident { $($(#[$field_about:meta])* $field:ident,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($(#[$field_about])* pub $field: u64,)+
        }

        impl $name {
            /// The sum of all counters.
            pub fn total(&self) -> u64 {
                self.named().into_iter().map(|(_, count)| count).sum()
            }

            /// Every counter with the name of its field, in order of declaration.
            pub fn named(&self) -> [(&'static str, u64); [$(stringify!($field)),+].len()] {
                [$((stringify!($field), self.$field)),+]
            }
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                $(self.$field += other.$field;)+
            }
        }
    };
}

counters! {
    /// How often each register or intermediate sum left its range and was clamped.
    Saturations {
        /// `ww = u + k`, the exponent of the current token.
        ww,
        /// `ww2 = pp + w`, the decayed exponent. Saturates at the first token of every stream.
        ww2,
        /// The numerator.
        num,
        /// The denominator, before its guard is added.
        den,
        /// The quotient.
        out,
        /// The numerator state.
        aa,
        /// The denominator state.
        bb,
    }
}

counters! {
    /// How often a real input did not fit the format when it was quantised.
    InputSaturations {
        /// Keys.
        k,
        /// Values.
        v,
        /// Bonuses, counted once when a bank is made.
        u,
        /// Decays, counted once when a bank is made.
        w,
    }
}

counters! {
    /// How often each of the four exponentials of a step was too small for Q0.16 and became 0.
    Underflows {
        /// `2^(pp - p)`, which scales the state in the output.
        e1,
        /// `2^(ww - p)`, which scales the value in the output.
        e2,
        /// `2^(ww2 - p2)`, which scales the state in the update.
        f1,
        /// `2^(k - p2)`, which scales the value in the update.
        f2,
    }
}

/// Everything the fixed-point arithmetic lost to range rather than to rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Saturations inside the recurrence.
    pub saturations: Saturations,
    /// Saturations of the quantised inputs.
    pub inputs: InputSaturations,
    /// Exponentials that became 0.
    pub underflows: Underflows,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.saturations += other.saturations;
        self.inputs += other.inputs;
        self.underflows += other.underflows;
    }
}

impl Add for Counts {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), Add::add)
    }
}

/// The error of a run of values against a reference, in parts that can be merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorStats {
    /// Number of values compared.
    pub count: u64,
    /// Sum of the squared differences.
    pub sum_of_squares: f64,
    /// The largest absolute difference.
    pub max_abs: f64,
}

impl ErrorStats {
    /// Compares `values` with `reference`, element by element.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn between(reference: &[f32], values: &[f32]) -> Self {
        assert_eq!(reference.len(), values.len(), "a value for every reference value");
        let mut stats = Self::default();
        for (&reference, &value) in reference.iter().zip(values) {
            stats.record(f64::from(value) - f64::from(reference));
        }
        stats
    }

    /// Adds one difference. One that is not a number makes `rms` and `max_abs` not a number.
    pub fn record(&mut self, difference: f64) {
        *self +=
            Self { count: 1, sum_of_squares: difference * difference, max_abs: difference.abs() };
    }

    /// The root of the mean squared difference; 0 when nothing was compared.
    pub fn rms(&self) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        (self.sum_of_squares / self.count as f64).sqrt()
    }
}

impl AddAssign for ErrorStats {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.sum_of_squares += other.sum_of_squares;
        // `f64::max` would drop a NaN and so hide it.
        if other.max_abs.is_nan() || other.max_abs > self.max_abs {
            self.max_abs = other.max_abs;
        }
    }
}

impl Add for ErrorStats {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl Sum for ErrorStats {
    fn sum<I: Iterator<Item = Self>>(stats: I) -> Self {
        stats.fold(Self::default(), Add::add)
    }
}
