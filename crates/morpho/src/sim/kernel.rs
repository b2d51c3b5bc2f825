//! The inner loop: functions of three inputs over blocks of lanes.
//!
//! The arithmetic is plain Rust over arrays of words. It is compiled once for each instruction set
//! that `pulp` finds at run time; with AVX-512 the compiler turns every function of three inputs
//! into one or two ternary-logic instructions on 512 lanes.

use pulp::{Arch, Scalar, Simd, WithSimd};

/// Words in a chunk: 512 bits, the widest vector.
pub(super) const WORDS: usize = 8;

/// Lanes in a chunk.
pub(super) const LANES: usize = 64 * WORDS;

/// One wire on 512 lanes. Aligned to a cache line: a vector that straddles two costs twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub(super) struct Chunk(pub [u64; WORDS]);

impl Chunk {
    /// The same value on every lane.
    pub(super) const fn splat(value: bool) -> Chunk {
        Chunk([if value { u64::MAX } else { 0 }; WORDS])
    }

    /// This chunk on the first `lanes` lanes, 0 on the rest.
    pub(super) fn first(self, lanes: usize) -> Chunk {
        let mut words = self.0;
        for (index, word) in words.iter_mut().enumerate() {
            let unused = (64 * (index + 1)).saturating_sub(lanes) as u32;
            *word &= u64::MAX.checked_shr(unused).unwrap_or(0);
        }
        Chunk(words)
    }
}

/// One operation: slot `output` becomes a function of three slots. The function belongs to the
/// run that the operation is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    pub output: u32,
    pub inputs: [u32; 3],
}

/// Operations in a row that apply the same function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// A table out of [`TABLES`].
    pub table: u8,
    pub length: u32,
}

/// The name of the widest instruction set that the simulator uses on this machine.
pub fn instruction_set() -> &'static str {
    let names = [("V4", "AVX-512"), ("V3", "AVX2"), ("Neon", "NEON"), ("Simd128", "SIMD128")];
    let arch = format!("{:?}", Arch::new());
    names.iter().find(|(start, _)| arch.starts_with(start)).map_or("scalar", |(_, name)| name)
}

/// Runs operations, in order, on blocks of `N` chunks a slot.
///
/// # Panics
/// If an operation names a slot past the end.
pub(super) fn execute<const N: usize>(
    runs: &[Run],
    operations: &[Operation],
    slots: &mut [[Chunk; N]],
    arch: Arch,
) {
    let work = Execute { runs, operations, slots };
    // A WebAssembly module has one instruction set, so that a choice would only double its size.
    if cfg!(target_arch = "wasm32") {
        work.with_simd(Scalar::new());
    } else {
        arch.dispatch(work);
    }
}

struct Execute<'a, const N: usize> {
    runs: &'a [Run],
    operations: &'a [Operation],
    slots: &'a mut [[Chunk; N]],
}

/// One arm for each function: the constant lets the compiler reduce it to a few instructions.
macro_rules! functions {
    ($($table:literal)*) => {
        /// The functions that have an instruction: of the tables that differ only in the order
        /// of their arguments, the least.
        pub(super) const TABLES: &[u8] = &[$($table),*];

        impl<const N: usize> WithSimd for Execute<'_, N> {
            type Output = ();

            #[inline(always)]
            fn with_simd<S: Simd>(self, _: S) {
                let mut operations = self.operations;
                for run in self.runs {
                    let (now, later) = operations.split_at(run.length as usize);
                    operations = later;
                    match run.table {
                        $($table => apply::<$table, N>(now, self.slots),)*
                        table => unreachable!("no instruction for table {table}"),
                    }
                }
            }
        }
    };
}

functions! {
    0 1 2 3 6 7 8 9 10 11 14 15 22 23 24 25 26 27 30 31 40 41
    42 43 44 45 46 47 60 61 62 63 104 105 106 107 110 111 126 127 128 129 130 131
    134 135 136 137 138 139 142 143 150 151 152 153 154 155 158 159 168 169 170 171 172 173
    174 175 188 189 190 191 232 233 234 235 238 239 254 255
}

#[inline(always)]
fn apply<const TABLE: u8, const N: usize>(operations: &[Operation], slots: &mut [[Chunk; N]]) {
    for operation in operations {
        let [a, b, c] = operation.inputs.map(|slot| slot as usize);
        #[allow(clippy::needless_range_loop, reason = "four slots are read and written at once")]
        for chunk in 0..N {
            let [a, b, c] = [a, b, c].map(|slot| slots[slot][chunk].0);
            let mut result = [0; WORDS];
            for word in 0..WORDS {
                result[word] = ternary::<TABLE>(a[word], b[word], c[word]);
            }
            slots[operation.output as usize][chunk] = Chunk(result);
        }
    }
}

/// The function of three inputs with this table, row `a + 2 b + 4 c`, on 64 lanes.
#[inline(always)]
fn ternary<const TABLE: u8>(a: u64, b: u64, c: u64) -> u64 {
    let (zero, one) = (binary(TABLE & 15, a, b), binary(TABLE >> 4, a, b));
    zero & !c | one & c
}

/// The function of two inputs with this table, row `a + 2 b`, on 64 lanes.
#[inline(always)]
fn binary(table: u8, a: u64, b: u64) -> u64 {
    match table {
        0 => 0,
        1 => !(a | b),
        2 => a & !b,
        3 => !b,
        4 => !a & b,
        5 => !a,
        6 => a ^ b,
        7 => !(a & b),
        8 => a & b,
        9 => !(a ^ b),
        10 => a,
        11 => a | !b,
        12 => b,
        13 => !a | b,
        14 => a | b,
        _ => u64::MAX,
    }
}
