//! Truth tables of up to six inputs.

use std::fmt;

/// A look-up table: the function of a gate.
///
/// Bit `i` of the table is the output for the input combination whose bit `j` is the value of
/// argument `j`. Bits past `2^arity` are zero, so equal functions compare equal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lut {
    table: u64,
    arity: u8,
}

/// `PROJECTION[j]` is the table of "argument j" over six inputs.
pub(crate) const PROJECTION: [u64; Lut::MAX_ARITY] = [
    0xAAAA_AAAA_AAAA_AAAA,
    0xCCCC_CCCC_CCCC_CCCC,
    0xF0F0_F0F0_F0F0_F0F0,
    0xFF00_FF00_FF00_FF00,
    0xFFFF_0000_FFFF_0000,
    0xFFFF_FFFF_0000_0000,
];

impl Lut {
    /// The widest table: six inputs, 64 rows.
    pub const MAX_ARITY: usize = 6;

    /// Passes its argument through.
    pub const BUFFER: Lut = Lut::new(1, 0b10);
    /// The complement of its argument.
    pub const NOT: Lut = Lut::new(1, 0b01);
    /// Both arguments.
    pub const AND: Lut = Lut::new(2, 0b1000);
    /// Either argument.
    pub const OR: Lut = Lut::new(2, 0b1110);
    /// One argument but not both.
    pub const XOR: Lut = Lut::new(2, 0b0110);
    /// The complement of [`Lut::XOR`].
    pub const XNOR: Lut = Lut::new(2, 0b1001);
    /// The complement of [`Lut::OR`].
    pub const NOR: Lut = Lut::new(2, 0b0001);
    /// The first argument and not the second.
    pub const AND_NOT: Lut = Lut::new(2, 0b0010);
    /// The first argument or not the second.
    pub const OR_NOT: Lut = Lut::new(2, 0b1011);
    /// The parity of three arguments: the sum bit of a full adder.
    pub const XOR3: Lut = Lut::new(3, 0b1001_0110);
    /// At least two of three arguments: the carry bit of a full adder.
    pub const MAJORITY: Lut = Lut::new(3, 0b1110_1000);
    /// Arguments `select`, `zero`, `one`: `one` where `select` is set, else `zero`.
    pub const MUX: Lut = Lut::new(3, 0b1110_0100);

    /// The table of `arity` inputs; bits past `2^arity` are dropped.
    ///
    /// # Panics
    /// If `arity` is above [`Lut::MAX_ARITY`].
    pub const fn new(arity: usize, table: u64) -> Lut {
        assert!(arity <= Lut::MAX_ARITY, "a look-up table has at most six inputs");
        Lut { table: table & Lut::mask(arity), arity: arity as u8 }
    }

    /// The table whose row `i` is `function(i)`.
    ///
    /// # Panics
    /// If `arity` is above [`Lut::MAX_ARITY`].
    pub fn from_fn(arity: usize, function: impl Fn(usize) -> bool) -> Lut {
        let rows = 0..1usize << arity;
        Lut::new(arity, rows.fold(0, |table, row| table | (function(row) as u64) << row))
    }

    const fn mask(arity: usize) -> u64 {
        u64::MAX >> (64 - (1 << arity))
    }

    /// Number of inputs.
    pub const fn arity(self) -> usize {
        self.arity as usize
    }

    /// The rows as bits, row 0 lowest.
    pub const fn table(self) -> u64 {
        self.table
    }

    /// The output for one input combination, argument `j` in bit `j` of `row`.
    pub const fn row(self, row: usize) -> bool {
        self.table >> row & 1 == 1
    }

    /// The value that every row has, if they all agree.
    pub fn constant(self) -> Option<bool> {
        match self.table {
            0 => Some(false),
            table if table == Lut::mask(self.arity()) => Some(true),
            _ => None,
        }
    }

    /// The complement.
    pub const fn complement(self) -> Lut {
        Lut::new(self.arity(), !self.table)
    }

    /// The function with argument `input` complemented.
    pub const fn complement_input(self, input: usize) -> Lut {
        let (high, shift) = (PROJECTION[input], 1 << input);
        Lut::new(self.arity(), (self.table & high) >> shift | (self.table & !high) << shift)
    }

    /// The function of the other arguments when argument `input` is `value`.
    pub fn cofactor(self, input: usize, value: bool) -> Lut {
        Lut::from_fn(self.arity() - 1, |row| {
            let low = row & ((1 << input) - 1);
            self.row((row - low) << 1 | (value as usize) << input | low)
        })
    }

    /// Whether the output ever depends on argument `input`.
    pub const fn depends_on(self, input: usize) -> bool {
        self.complement_input(input).table != self.table
    }

    /// The function when argument `drop` is the same wire as argument `keep`; `drop` is removed.
    pub fn identify(self, keep: usize, drop: usize) -> Lut {
        let (zero, one) = (self.cofactor(drop, false), self.cofactor(drop, true));
        let keep = if keep > drop { keep - 1 } else { keep };
        Lut::from_fn(
            zero.arity(),
            |row| if row >> keep & 1 == 1 { one.row(row) } else { zero.row(row) },
        )
    }

    /// The same function with arguments `a` and `b` exchanged.
    pub fn swap(self, a: usize, b: usize) -> Lut {
        Lut::from_fn(self.arity(), |row| {
            let differ = (row >> a ^ row >> b) & 1;
            self.row(row ^ (differ << a | differ << b))
        })
    }

    /// The table evaluated on 64 input combinations at once, one per bit; `arguments[j]` holds
    /// the values of argument `j`.
    pub fn evaluate(self, arguments: &[u64]) -> u64 {
        let mut rows = [0u64; 64];
        for (row, value) in rows.iter_mut().enumerate().take(1 << self.arity()) {
            *value = if self.row(row) { u64::MAX } else { 0 };
        }
        for (input, &select) in arguments.iter().enumerate().take(self.arity()).rev() {
            for row in 0..1 << input {
                rows[row] = rows[row] & !select | rows[row | 1 << input] & select;
            }
        }
        rows[0]
    }
}

impl fmt::Debug for Lut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = (1usize << self.arity).div_ceil(4);
        write!(f, "Lut({}, 0x{:0digits$x})", self.arity, self.table)
    }
}
