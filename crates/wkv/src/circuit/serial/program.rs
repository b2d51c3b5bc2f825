//! The micro-program of the serial cell: control words, and what puts them in order.
//!
//! A control word acts in three stages, each a clock after the one before: memories are addressed,
//! an operand is chosen, the operand is accumulated. [`Program`] takes operations as a whole and
//! spreads their bits over three words. Where an operation needs what one shortly before it
//! has changed, it comes so many words later.

use morpho::Bus;

use crate::fixed::State;
use crate::spec::{Division, WkvSpec};

use super::super::WIDTH;

/// What divides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divider {
    /// The adder, after the state is updated.
    InAdder,
    /// A divider of its own, while the state is updated.
    Beside,
}

/// Bits of a control word that belong together.
#[derive(Clone, Copy)]
pub struct Field {
    start: usize,
    bits: usize,
}

impl Field {
    /// The bits of a word in which the field has this value.
    pub const fn with(self, value: usize) -> u128 {
        (value as u128) << self.start
    }

    /// The field of a word.
    pub fn of(self, word: &Bus) -> Bus {
        word.slice(self.start..self.start + self.bits)
    }
}

/// Which word of a channel is addressed, or how far it is to the next channel.
pub const CHANNEL: Field = Field { start: 0, bits: 3 };
/// Which word of the token memory is addressed.
pub const TOKEN: Field = Field { start: 3, bits: 3 };
/// Which constant is addressed.
pub const CONSTANT: Field = Field { start: 6, bits: 2 };

/// One bit of a control word.
#[derive(Clone, Copy)]
pub enum Signal {
    /// Address the table of falls instead of a constant.
    Fall = 8,
    /// Address the table of entries instead of a constant.
    Entry,
    /// The operand is of the channel.
    FromChannel,
    /// If the token leads, the operand is from the other side.
    Swapped,
    /// The operand is of the token memory.
    FromToken,
    /// There is an operand.
    Always,
    /// There is an operand if the bit of the factor is set.
    ByFactor,
    /// The next bit of the factor comes next.
    Count,
    /// The operand is complemented.
    Complement,
    /// The operand is complemented if the numerator is negative.
    BySign,
    /// The sign of the operand is that of the numerator, and one is added.
    Signed,
    /// Add one if the operand was complemented.
    Complete,
    /// The sum is halved.
    Halve,
    /// One row of the division; or, where a divider stands beside, it takes the accumulator.
    Divide,
    /// The accumulator becomes 0.
    Clear,
    /// The factor is loaded from the accumulator.
    LoadFactor,
    /// Its bits are counted from the whole part of the factor before.
    Place,
    /// Whether the token leads is taken from the sign of the sum.
    Lead,
    /// Whether the numerator is negative is taken from the accumulator.
    Sign,
    /// The accumulator is stored in the channel.
    StoreChannel,
    /// The accumulator is stored in the token memory.
    StoreToken,
    /// The factor is stored in place of `v`.
    StoreFactor,
    /// The program is over: on to the next channel.
    Finish,
    /// The sum is the output.
    Show,
}

impl Signal {
    /// Bits of a control word.
    pub const WIDTH: usize = Signal::Show as usize + 1;
    /// The highest bits of a control word, which change what outlives the program.
    pub const WHILE_RUNNING: usize = Signal::WIDTH - Signal::StoreChannel as usize;

    /// The bit of a word.
    pub fn of(self, word: &Bus) -> Bus {
        word.slice(self as usize..self as usize + 1)
    }

    const fn bit(self) -> u128 {
        1 << self as usize
    }

    fn is_in(self, word: u128) -> bool {
        word & self.bit() != 0
    }
}

/// A word of the memory of channels.
#[derive(Clone, Copy)]
pub enum ChannelWord {
    /// The weighted sum of values.
    Aa,
    /// The sum of weights.
    Bb,
    /// The largest exponent.
    Pp,
    /// The bonus of the present token.
    U,
    /// The decay.
    W,
    /// Their number: the distance of channels.
    Next,
}

/// A word of the token memory. `Sum` is the exponent of the token with its bonus, then the
/// numerator.
#[derive(Clone, Copy)]
pub enum TokenWord {
    /// The key.
    K,
    /// See above.
    Sum,
    /// The denominator, less its guard.
    Denominator,
}

/// A word of the memory of constants. The first is `v`, and at the end the quotient.
#[derive(Clone, Copy)]
enum Constant {
    V,
    One,
    Round,
    Least,
}

/// The constants of a spec, and 0 in the place of `v`.
pub fn constants(spec: &WkvSpec) -> [i32; 4] {
    [0, spec.format.one(), (1 << low_bits(spec)) - 1, State::start(spec).pp]
}

/// Fraction bits below the index of the table that are interpolated over.
pub fn low_bits(spec: &WkvSpec) -> usize {
    let bits = spec.format.fraction_bits().saturating_sub(spec.exp2.entries().ilog2());
    if spec.exp2.interpolate { bits as usize } else { 0 }
}

/// Where an operand is.
#[derive(Clone, Copy)]
enum Operand {
    Channel(ChannelWord),
    Token(TokenWord),
    Constant(Constant),
    Fall,
    Entry,
}

impl Operand {
    fn address(self) -> u128 {
        match self {
            Operand::Channel(word) => CHANNEL.with(word as usize),
            Operand::Token(word) => TOKEN.with(word as usize),
            Operand::Constant(word) => CONSTANT.with(word as usize),
            Operand::Fall => Signal::Fall.bit(),
            Operand::Entry => Signal::Entry.bit(),
        }
    }

    fn source(self) -> u128 {
        match self {
            Operand::Channel(_) => Signal::FromChannel.bit(),
            Operand::Token(_) => Signal::FromToken.bit(),
            Operand::Constant(_) | Operand::Fall | Operand::Entry => 0,
        }
    }
}

/// One of two operands, by whether the token leads.
#[derive(Clone, Copy)]
struct Pair {
    token: Operand,
    state: ChannelWord,
}

/// What one operation does.
#[derive(Clone, Copy, Default)]
struct Operation {
    address: u128,
    select: u128,
    accumulate: u128,
}

impl Operation {
    fn of(operand: Operand) -> Operation {
        let select = operand.source() | Signal::Always.bit();
        Operation { address: operand.address(), select, accumulate: 0 }
    }

    /// The side of a pair that weighs 1, or the other one.
    fn side(pair: Pair, leading: bool) -> Operation {
        let Pair { token, state } = pair;
        let side = if leading { Signal::FromChannel.bit() } else { 0 };
        let select = side | token.source() | Signal::Swapped.bit() | Signal::Always.bit();
        let address = token.address() | Operand::Channel(state).address();
        Operation { address, select, accumulate: 0 }
    }

    /// The operand is there only if the bit of the factor is set.
    fn by_factor(self) -> Operation {
        let select = self.select & !Signal::Always.bit() | Signal::ByFactor.bit();
        Operation { select, ..self }
    }

    fn subtracted(self) -> Operation {
        self.selecting(Signal::Complement).selecting(Signal::Complete)
    }

    fn selecting(self, signal: Signal) -> Operation {
        Operation { select: self.select | signal.bit(), ..self }
    }

    /// With more bits in the word of its last stage.
    fn with(self, bits: u128) -> Operation {
        Operation { accumulate: self.accumulate | bits, ..self }
    }
}

/// The first words at which something that was changed may be used.
#[derive(Clone, Copy, Default)]
struct Ready {
    begin: usize,
    channel: usize,
    token: usize,
    constant: usize,
    factor: usize,
    lead: usize,
    sign: usize,
}

/// Control words in order, and where each kind of token begins.
#[derive(Default)]
pub struct Program {
    /// The words. The first is empty.
    pub words: Vec<u128>,
    /// Where `u` and `w` are stored.
    pub load: usize,
    /// Where the first token of a stream begins.
    pub first: usize,
    /// Where any other token begins.
    pub token: usize,
    ready: Ready,
}

impl Program {
    /// The program of `spec`.
    pub fn new(spec: &WkvSpec, divider: Divider) -> Program {
        let mut program = Program { words: vec![0], ..Program::default() };
        program.load = program.begin();
        program.load();
        program.first = program.begin();
        program.start();
        program.token = program.begin();
        program.step(spec, divider);
        program
    }

    /// Clocks from one token to the next, if the output is taken at once.
    pub fn clocks(&self) -> usize {
        self.words.len() + 1 - self.token
    }

    /// A place to come in.
    fn begin(&mut self) -> usize {
        self.ready.begin = self.words.len();
        self.words.push(0);
        self.ready.begin
    }

    fn load(&mut self) {
        for (word, place) in [
            (Operand::Token(TokenWord::K), ChannelWord::U),
            (Operand::Constant(Constant::V), ChannelWord::W),
        ] {
            self.clear();
            self.add(word);
            self.store_channel(place, 0);
        }
        self.finish(Operation::default());
    }

    fn start(&mut self) {
        self.clear();
        self.store_channel(ChannelWord::Aa, 0);
        self.store_channel(ChannelWord::Bb, 0);
        self.add(Operand::Constant(Constant::Least));
        self.store_channel(ChannelWord::Pp, Signal::Clear.bit());
    }

    fn step(&mut self, spec: &WkvSpec, divider: Divider) {
        let bonus = Pair { token: Operand::Token(TokenWord::Sum), state: ChannelWord::Pp };
        let values = Pair { token: Operand::Constant(Constant::V), state: ChannelWord::Aa };
        let weights = Pair { token: Operand::Constant(Constant::One), state: ChannelWord::Bb };
        let exponents = Pair { token: Operand::Token(TokenWord::K), state: ChannelWord::Pp };

        self.clear();
        self.add(Operand::Channel(ChannelWord::U));
        self.add(Operand::Token(TokenWord::K));
        self.store_token(TokenWord::Sum, 0);
        self.compare(bonus, 0);
        self.weigh(spec);
        self.weighted_sum(values);
        self.store_token(TokenWord::Sum, Signal::Sign.bit());
        self.weighted_sum(weights);
        self.store_token(TokenWord::Denominator, 0);
        if divider == Divider::Beside {
            self.issue(numerator(spec));
            self.issue(Operation::default().with(Signal::Divide.bit() | Signal::Clear.bit()));
        }

        self.add(Operand::Channel(ChannelWord::Pp));
        self.add(Operand::Channel(ChannelWord::W));
        self.store_channel(ChannelWord::Pp, Signal::Clear.bit());
        let place = Operand::Channel(ChannelWord::Pp).address();
        self.compare(exponents, Signal::StoreChannel.bit() | place);
        self.weigh(spec);
        self.weighted_sum(values);
        self.store_channel(ChannelWord::Aa, Signal::Clear.bit());
        self.weighted_sum(weights);
        self.store_channel(ChannelWord::Bb, Signal::Clear.bit());
        match divider {
            Divider::InAdder => self.divide(spec),
            Divider::Beside => self.finish(Operation::default()),
        }
    }

    /// Whether the token leads, and how far the other exponent is below the leading one. `also` is
    /// done while the accumulator is the leading one.
    fn compare(&mut self, pair: Pair, also: u128) {
        let set = Signal::Lead.bit() | Signal::Clear.bit();
        let token = Operation::of(pair.token);
        let state = Operation::of(Operand::Channel(pair.state)).subtracted();
        let token_waits = self.ready.token > self.ready.channel;
        let (first, second) = if token_waits { (state, token) } else { (token, state) };
        self.issue(first);
        self.issue(second.with(set));
        self.issue(Operation::side(pair, true));
        self.issue(Operation::side(pair, false).subtracted().with(also));
    }

    /// `2^-x` of the accumulator, to the factor.
    ///
    /// The rounding constant makes the product by the fall, which is stored negative, as if it were
    /// rounded down before it is subtracted.
    fn weigh(&mut self, spec: &WkvSpec) {
        let load = Operation::default().with(Signal::LoadFactor.bit() | Signal::Clear.bit());
        self.issue(load);
        if low_bits(spec) > 0 {
            self.add(Operand::Constant(Constant::Round));
        }
        for _ in 0..low_bits(spec) {
            self.issue(multiply(Operation::of(Operand::Fall)));
        }
        self.add(Operand::Entry);
        self.issue(load.with(Signal::Place.bit()));
    }

    /// The leading one of a pair, and the other one times the factor. The accumulator is 0 before.
    fn weighted_sum(&mut self, pair: Pair) {
        for _ in 0..WIDTH {
            self.issue(multiply(Operation::side(pair, false)));
        }
        self.issue(Operation::side(pair, false).by_factor());
        self.issue(Operation::side(pair, true));
    }

    /// The numerator by the denominator, to the output.
    ///
    /// The bits of the numerator leave the factor at its high end while those of the quotient enter
    /// at its low end. The quotient fits, so the first bits to come round are those of a sign.
    fn divide(&mut self, spec: &WkvSpec) {
        let quotient = Operation::of(Operand::Constant(Constant::V));
        let quotient = match spec.division {
            Division::Restoring | Division::Newton => {
                quotient.selecting(Signal::BySign).selecting(Signal::Complete)
            }
            Division::Exact => quotient.selecting(Signal::Signed).with(Signal::Halve.bit()),
        };
        self.issue(numerator(spec));
        self.issue(Operation::default().with(Signal::LoadFactor.bit() | Signal::Clear.bit()));
        let denominator = Operation::of(Operand::Token(TokenWord::Denominator));
        for _ in 0..rows(spec) {
            // The complement is less by one than what is subtracted: that is the guard.
            let row = denominator.selecting(Signal::Complement);
            let row = if spec.guard { row } else { row.selecting(Signal::Complete) };
            self.issue(row.with(Signal::Divide.bit()));
        }
        let store = Signal::StoreFactor.bit() | Signal::Clear.bit();
        self.issue(Operation::default().with(store));
        self.finish(quotient.with(Signal::Show.bit()));
    }

    fn clear(&mut self) {
        self.issue(Operation::default().with(Signal::Clear.bit()));
    }

    fn add(&mut self, operand: Operand) {
        self.issue(Operation::of(operand));
    }

    fn store_channel(&mut self, word: ChannelWord, also: u128) {
        let store = Signal::StoreChannel.bit() | CHANNEL.with(word as usize);
        self.issue(Operation::default().with(store | also));
    }

    fn store_token(&mut self, word: TokenWord, also: u128) {
        let store = Signal::StoreToken.bit() | Signal::Clear.bit() | TOKEN.with(word as usize);
        self.issue(Operation::default().with(store | also));
    }

    fn finish(&mut self, last: Operation) {
        let next = CHANNEL.with(ChannelWord::Next as usize);
        self.issue(last.with(Signal::Finish.bit() | next));
        // Still executed while the next token may come in.
        self.words.push(0);
    }

    /// Puts an operation at the first word where all that it needs is ready.
    fn issue(&mut self, operation: Operation) {
        let Operation { address, select, accumulate } = operation;
        let ready = self.ready;
        let mut at = self.words.len();
        let mut wait = |needed: bool, word: usize| at = if needed { at.max(word) } else { at };
        let table = Signal::Fall.is_in(address) || Signal::Entry.is_in(address);
        let swapped = Signal::Swapped.is_in(select);
        let from_token = Signal::FromToken.is_in(select);
        let from_channel = Signal::FromChannel.is_in(select) || swapped;
        wait(select != 0, ready.begin + 2);
        wait(from_channel, ready.channel + 2);
        wait(from_token, ready.token + 2);
        wait(select != 0 && !from_token, ready.constant + 2);
        wait(table, ready.factor + 2);
        wait(Signal::ByFactor.is_in(select), ready.factor + 1);
        wait(swapped, ready.lead + 1);
        wait(Signal::BySign.is_in(select) || Signal::Signed.is_in(select), ready.sign + 1);

        self.words.resize(at + 1, 0);
        self.words[at] |= accumulate;
        if select != 0 {
            self.words[at - 1] |= select;
            self.words[at - 2] |= address;
        }
        let changed = |signal: Signal, word: &mut usize| {
            if signal.is_in(accumulate) {
                *word = at + 1;
            }
        };
        changed(Signal::StoreChannel, &mut self.ready.channel);
        changed(Signal::StoreToken, &mut self.ready.token);
        changed(Signal::StoreFactor, &mut self.ready.constant);
        changed(Signal::LoadFactor, &mut self.ready.factor);
        changed(Signal::Lead, &mut self.ready.lead);
        changed(Signal::Sign, &mut self.ready.sign);
    }
}

/// Rows of the division: one for each digit, one before the first digit, and one for rounding.
pub fn rows(spec: &WkvSpec) -> usize {
    let digits = WIDTH + spec.format.fraction_bits() as usize;
    digits + if spec.division == Division::Exact { 2 } else { 1 }
}

/// The digits of the numerator, as the first operand of a sum.
///
/// To round to nearest there is one digit more, and the sign is in all digits, those of the quotient
/// too. Then rounding is adding one and halving.
fn numerator(spec: &WkvSpec) -> Operation {
    let numerator = Operation::of(Operand::Token(TokenWord::Sum)).selecting(Signal::BySign);
    match spec.division {
        Division::Restoring | Division::Newton => numerator.selecting(Signal::Complete),
        Division::Exact => numerator,
    }
}

/// One step of a multiplication: the operand if the bit of the factor is set, then halve.
fn multiply(operation: Operation) -> Operation {
    operation.by_factor().selecting(Signal::Count).with(Signal::Halve.bit())
}
